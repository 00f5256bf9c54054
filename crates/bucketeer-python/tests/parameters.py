"""The parameters of the named curves, from their specifications."""

from reference import Edwards, Field, Weierstrass


def number(*parts):
    return int("".join(parts), 16)


BLS12_377_P = number(
    "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d443",
    "00000008508c00000000001",
)
BLS12_377_R = 0x12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001
BLS12_381_P = number(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffe",
    "b153ffffb9feffffffffaaab",
)
BLS12_381_R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
BN254_P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47
BN254_R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001
BW6_761_P = number(
    "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e",
    "584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f81",
    "60cf8aeeaf0a437e6913e6870000082f49d00000000008b",
)
PALLAS_P = 0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001
VESTA_P = 0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001
SECP256K1_P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f

CURVES = {
    "bls12-377-g1": Weierstrass(
        Field(BLS12_377_P),
        b=1,
        order=BLS12_377_R,
        generator=(
            number(
                "8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ff",
                "cd394eeab9b16eb21be9ef",
            ),
            number(
                "1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d363",
                "4a9591afd82de55559c8ea6",
            ),
        ),
    ),
    "bls12-377-g2": Weierstrass(
        Field(BLS12_377_P, non_residue=-5),
        b=(
            0,
            number(
                "10222f6db0fd6f343bd03737460c589dc7b4f91cd5fd889129207b63c6bf8000dd39e5c1",
                "ccccccd1c9ed9999999999a",
            ),
        ),
        order=BLS12_377_R,
        generator=(
            (
                number(
                    "18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52b",
                    "b53540274e3e48f7c005196",
                ),
                number(
                    "ea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bf",
                    "f76fe6b26bfefa6ea16afe",
                ),
            ),
            (
                number(
                    "690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d",
                    "8c7c2ef094094409fd4ddf",
                ),
                number(
                    "f8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e",
                    "52270bd9a1cdd185eb8f93",
                ),
            ),
        ),
    ),
    "bls12-381-g1": Weierstrass(
        Field(BLS12_381_P),
        b=4,
        order=BLS12_381_R,
        generator=(
            number(
                "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83f",
                "f97a1aeffb3af00adb22c6bb",
            ),
            number(
                "8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a",
                "2888ae40caa232946c5e7e1",
            ),
        ),
    ),
    "bls12-381-g2": Weierstrass(
        Field(BLS12_381_P, non_residue=-1),
        b=(4, 4),
        order=BLS12_381_R,
        generator=(
            (
                number(
                    "24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a",
                    "805bbefd48056c8c121bdb8",
                ),
                number(
                    "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf112",
                    "13945d57e5ac7d055d042b7e",
                ),
            ),
            (
                number(
                    "ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3",
                    "baca289e193548608b82801",
                ),
                number(
                    "606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275",
                    "cec1da1aaa9075ff05f79be",
                ),
            ),
        ),
    ),
    "bn254-g1": Weierstrass(
        Field(BN254_P),
        b=3,
        order=BN254_R,
        generator=(1, 2),
    ),
    "bn254-g2": Weierstrass(
        Field(BN254_P, non_residue=-1),
        b=(
            0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5,
            0x9713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2,
        ),
        order=BN254_R,
        generator=(
            (
                0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed,
                0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2,
            ),
            (
                0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa,
                0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b,
            ),
        ),
    ),
    "bw6-761-g1": Weierstrass(
        Field(BW6_761_P),
        b=BW6_761_P - 1,
        order=BLS12_377_P,
        generator=(
            number(
                "1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac",
                "15520ac11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6",
                "750dd0356133e82055928aca6af603f4088f3af66e5b43d",
            ),
            number(
                "58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af",
                "7e0dbac5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2",
                "b08119cad0fb93ad1cb2be0b20d2a1bafc8f2db4e95363",
            ),
        ),
    ),
    "bw6-761-g2": Weierstrass(
        Field(BW6_761_P),
        b=4,
        order=BLS12_377_P,
        generator=(
            number(
                "110133241d9b816c852a82e69d660f9d61053aac5a7115f4c06201013890f6d26b41c5da",
                "b3da268734ec3f1f09feb58c5bbcae9ac70e7c7963317a300e1b6bace6948cb3cd208d70",
                "0e96efbc2ad54b06410cf4fe1bf995ba830c194cd025f1c",
            ),
            number(
                "17c3357761369f8179eb10e4b6d2dc26b7cf9acec2181c81a78e2753ffe3160a1d86c80b",
                "95a59c94c97eb733293fef64f293dbd2c712b88906c170ffa823003ea96fcd504affc758",
                "aa2d3a3c5a02a591ec0594f9eac689eb70a16728c73b61",
            ),
        ),
    ),
    "ed-on-bls12-377": Edwards(
        Field(BLS12_377_R),
        a=-1,
        d=0xbcd,
        order=0x4aad957a68b2955982d1347970dec005293a3afc43c8afeb95aee9ac33fd9ff,
        generator=(
            0x9f1b5a5baf6acf06fed91c9ae9ebfa06068dd2835790980894e2328f3ebca05,
            0x9a20df36571ac3cd906b256080ba8454453c177aaf3131bb50a67bf1a806781,
        ),
    ),
    "bandersnatch": Edwards(
        Field(BLS12_381_R),
        a=-5,
        d=0x6389c12633c267cbc66e3bf86be3b6d8cb66677177e54f92b369f2f5188d58e7,
        order=0x1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1,
        generator=(
            0x29c132cc2c0b34c5743711777bbe42f32b79c022ad998465e1e71866a252ae18,
            0x2a6c669eda123e0f157d8b50badcd586358cad81eee464605e3167b6cc974166,
        ),
    ),
    "pallas": Weierstrass(
        Field(PALLAS_P),
        b=5,
        order=VESTA_P,
        generator=(PALLAS_P - 1, 2),
    ),
    "vesta": Weierstrass(
        Field(VESTA_P),
        b=5,
        order=PALLAS_P,
        generator=(VESTA_P - 1, 2),
    ),
    "grumpkin": Weierstrass(
        Field(BN254_R),
        b=BN254_R - 17,
        order=BN254_P,
        generator=(
            1,
            0x2cf135e7506a45d632d270d45f1181294833fc48d823f272c,
        ),
    ),
    "secp256k1": Weierstrass(
        Field(SECP256K1_P),
        b=7,
        order=0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141,
        generator=(
            0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
            0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
        ),
    ),
}
