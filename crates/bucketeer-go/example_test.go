package bucketeer_test

import (
	"fmt"
	"log"
	"math/big"
	"slices"

	"bucketeer"
)

// In a program these types are bn254.G1Affine, fp.Element and fr.Element of gnark-crypto.
type (
	G1Affine  struct{ X, Y FpElement }
	FpElement [4]uint64
	FrElement [4]uint64
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The sum of BN254's generator (1, 2) with itself.
func Example() {
	points := slices.Repeat([]G1Affine{{
		X: FpElement{0xd35d438dc58f0d9d, 0xa78eb28f5c70b3d, 0x666ea36f7879462c, 0xe0a77c19a07df2f},
		Y: FpElement{0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e},
	}}, 2)
	one := FrElement{0xac96341c4ffffffb, 0x36fc76959f60cd29, 0x666ea36f7879462e, 0xe0a77c19a07df2f}
	scalars := []FrElement{one, one}

	device, err := bucketeer.Open("auto") // an NVIDIA GPU if there is one, else the CPU
	check(err)
	bases, err := bucketeer.Load(device, "bn254", points) // []bn254.G1Affine of gnark-crypto
	check(err)
	sum, err := bases.MSM(scalars) // []fr.Element; the sum is a bn254.G1Affine
	check(err)
	fmt.Printf("%#x\n%#x\n", integerOf(sum.X), integerOf(sum.Y))
	check(bases.Close())
	// Output:
	// 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3
	// 0x15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4
}

// integerOf leaves Montgomery form, as gnark-crypto's BigInt does.
func integerOf(element FpElement) *big.Int {
	modulus := integer(bn254Base)
	value := new(big.Int)
	for _, word := range slices.Backward(element[:]) {
		value.Lsh(value, 64).Or(value, new(big.Int).SetUint64(word))
	}
	radix := new(big.Int).Lsh(big.NewInt(1), 256)
	return value.Mul(value, radix.ModInverse(radix, modulus)).Mod(value, modulus)
}

// A commitment as in EIP-4844: a blob is field elements of 32 bytes, highest byte first. Here it
// has two of them, the number 1 twice, and the setup is BLS12-381's generator twice.
func ExampleAs() {
	generator := [96]byte(named("bls12-381-g1").encodePoint(
		named("bls12-381-g1").generator, bucketeer.BigEndian))
	points := [][96]byte{generator, generator}
	blob := make([]byte, 2*32)
	blob[31], blob[63] = 1, 1

	device, err := bucketeer.OpenCPU(0)
	check(err)
	setup, err := bucketeer.Load(device, "bls12-381", points,
		bucketeer.PointForm(bucketeer.BigEndian), bucketeer.CheckSubgroup(), bucketeer.Precompute(4))
	check(err)
	defer setup.Close()
	commitment, err := setup.MSM(bucketeer.As(bucketeer.BigEndian, blob))
	check(err)
	fmt.Printf("%x\n", commitment[:48])
	// Output:
	// 0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e
}

// Several MSMs over the same bases, of scalars that need no conversion, and one in the background.
func ExampleBases_MSMBatch() {
	c := named("bn254-g1")
	points := packPoints[G1Affine](c, c.multiples(3), bucketeer.Montgomery)
	device, err := bucketeer.Open("cpu")
	check(err)
	bases, err := bucketeer.Load(device, "bn254", points)
	check(err)
	defer bases.Close()

	sums, err := bases.MSMBatch([]any{
		[]bool{true, true, false},
		[]int8{-1, 2},
		bucketeer.Bounded(10, []uint64{0, 0, 1}),
	})
	check(err)
	job, err := bases.Submit([]uint8{1, 1})
	check(err)
	sum, err := job.Wait()
	check(err)
	fmt.Println(sums[0] == points[2], sums[1] == points[2], sums[2] == points[2], sum == points[2])
	// Output:
	// true true true true
}
