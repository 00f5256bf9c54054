package bucketeer_test

import "math/big"

// curve has the parameters of a curve: y² = x³ + b, whose additions do not need b, or
// a·x² + y² = 1 + d·x²·y² if d is not nil. The generators are arkworks'.
type curve struct {
	name      string
	field     field
	order     *big.Int
	a         int64
	d         *big.Int
	generator *point
}

func integer(text string) *big.Int {
	value, ok := new(big.Int).SetString(text, 0)
	if !ok {
		panic(text)
	}
	return value
}

// weierstrass is a curve over a prime field, or over its extension by the square root of
// nonResidue. The generator's components are x, then y.
func weierstrass(name, modulus, order string, nonResidue int64, generator ...string) *curve {
	c := &curve{
		name:  name,
		field: field{integer(modulus), big.NewInt(nonResidue)},
		order: integer(order),
	}
	components := make(element, len(generator))
	for i, text := range generator {
		components[i] = integer(text)
	}
	c.field.reduce(components...)
	half := len(components) / 2
	c.generator = &point{components[:half], components[half:]}
	return c
}

func edwards(name, modulus, order string, a int64, d string, generator ...string) *curve {
	c := weierstrass(name, modulus, order, 0, generator...)
	c.a, c.d = a, integer(d)
	return c
}

const (
	bls377Base = "0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d443000000" +
		"08508c00000000001"
	bls377Scalar = "0x12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001"
	bls381Base   = "0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ff" +
		"ffb9feffffffffaaab"
	bls381Scalar = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"
	bn254Base    = "0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"
	bn254Scalar  = "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"
	bw6Base      = "0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91" +
		"903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a43" +
		"7e6913e6870000082f49d00000000008b"
	pallasBase         = "0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001"
	vestaBase          = "0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001"
	secp256k1Base      = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
	secp256k1Scalar    = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	edwards377Scalar   = "0x4aad957a68b2955982d1347970dec005293a3afc43c8afeb95aee9ac33fd9ff"
	bandersnatchScalar = "0x1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1"
)

// curves are all that the library names, in its order.
var curves = []*curve{
	weierstrass("bls12-377-g1", bls377Base, bls377Scalar, 0,
		"0x8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394e"+
			"eab9b16eb21be9ef",
		"0x1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591"+
			"afd82de55559c8ea6"),
	weierstrass("bls12-377-g2", bls377Base, bls377Scalar, -5,
		"0x18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52bb53540"+
			"274e3e48f7c005196",
		"0xea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bff76fe6"+
			"b26bfefa6ea16afe",
		"0x690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d8c7c2e"+
			"f094094409fd4ddf",
		"0xf8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e52270b"+
			"d9a1cdd185eb8f93"),
	weierstrass("bls12-381-g1", bls381Base, bls381Scalar, 0,
		"0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1a"+
			"effb3af00adb22c6bb",
		"0x8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae"+
			"40caa232946c5e7e1"),
	weierstrass("bls12-381-g2", bls381Base, bls381Scalar, -1,
		"0x24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbe"+
			"fd48056c8c121bdb8",
		"0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d"+
			"57e5ac7d055d042b7e",
		"0xce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca28"+
			"9e193548608b82801",
		"0x606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da"+
			"1aaa9075ff05f79be"),
	weierstrass("bn254-g1", bn254Base, bn254Scalar, 0,
		"1", "2"),
	weierstrass("bn254-g2", bn254Base, bn254Scalar, -1,
		"0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
		"0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
		"0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
		"0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"),
	weierstrass("bw6-761-g1", bw6Base, bls377Base, 0,
		"0x1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac15520a"+
			"c11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6750dd0356133e8"+
			"2055928aca6af603f4088f3af66e5b43d",
		"0x58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af7e0dba"+
			"c5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2b08119cad0fb93"+
			"ad1cb2be0b20d2a1bafc8f2db4e95363"),
	weierstrass("bw6-761-g2", bw6Base, bls377Base, 0,
		"0x110133241d9b816c852a82e69d660f9d61053aac5a7115f4c06201013890f6d26b41c5dab3da26"+
			"8734ec3f1f09feb58c5bbcae9ac70e7c7963317a300e1b6bace6948cb3cd208d700e96efbc2ad54b"+
			"06410cf4fe1bf995ba830c194cd025f1c",
		"0x17c3357761369f8179eb10e4b6d2dc26b7cf9acec2181c81a78e2753ffe3160a1d86c80b95a59c"+
			"94c97eb733293fef64f293dbd2c712b88906c170ffa823003ea96fcd504affc758aa2d3a3c5a02a5"+
			"91ec0594f9eac689eb70a16728c73b61"),
	edwards("ed-on-bls12-377", bls377Scalar, edwards377Scalar, -1,
		"0xbcd",
		"0x9f1b5a5baf6acf06fed91c9ae9ebfa06068dd2835790980894e2328f3ebca05",
		"0x9a20df36571ac3cd906b256080ba8454453c177aaf3131bb50a67bf1a806781"),
	edwards("bandersnatch", bls381Scalar, bandersnatchScalar, -5,
		"0x6389c12633c267cbc66e3bf86be3b6d8cb66677177e54f92b369f2f5188d58e7",
		"0x29c132cc2c0b34c5743711777bbe42f32b79c022ad998465e1e71866a252ae18",
		"0x2a6c669eda123e0f157d8b50badcd586358cad81eee464605e3167b6cc974166"),
	weierstrass("pallas", pallasBase, vestaBase, 0,
		"-1", "2"),
	weierstrass("vesta", vestaBase, pallasBase, 0,
		"-1", "2"),
	weierstrass("grumpkin", bn254Scalar, bn254Base, 0,
		"1", "0x2cf135e7506a45d632d270d45f1181294833fc48d823f272c"),
	weierstrass("secp256k1", secp256k1Base, secp256k1Scalar, 0,
		"0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
		"0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
}

func named(name string) *curve {
	for _, c := range curves {
		if c.name == name {
			return c
		}
	}
	panic(name)
}
