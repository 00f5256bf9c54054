package bucketeer_test

import (
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"bucketeer"
)

// Types of exactly gnark-crypto's shapes: fp.Element and fr.Element are arrays of uint64,
// fptower.E2 is A0 + A1·u, an affine point is X and Y.
type (
	element4  [4]uint64
	element6  [6]uint64
	element12 [12]uint64

	extension4 struct{ A0, A1 element4 }
	extension6 struct{ A0, A1 element6 }

	affine4   struct{ X, Y element4 }
	affine6   struct{ X, Y element6 }
	affine12  struct{ X, Y element12 }
	affine4x2 struct{ X, Y extension4 }
	affine6x2 struct{ X, Y extension6 }
)

// pack makes elements of a type from their bytes.
func pack[T any](rows ...[]byte) []T {
	elements := make([]T, len(rows))
	for i, row := range rows {
		if uintptr(len(row)) != unsafe.Sizeof(elements[i]) {
			panic("a test packs elements of another size")
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&elements[i])), len(row)), row)
	}
	return elements
}

func bytesOf[T any](value T) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&value)), unsafe.Sizeof(value)))
}

// encode writes a residue in a form.
func encode(value, modulus *big.Int, size int, form bucketeer.Form) []byte {
	if form == bucketeer.Montgomery {
		value = new(big.Int).Lsh(value, uint(8*size))
		value.Mod(value, modulus)
	}
	bytes := value.FillBytes(make([]byte, size))
	if form != bucketeer.BigEndian {
		slices.Reverse(bytes)
	}
	return bytes
}

func (c *curve) componentBytes() int { return (c.field.modulus.BitLen() + 63) / 64 * 8 }

func (c *curve) scalarBytes() int { return (c.order.BitLen() + 63) / 64 * 8 }

func (c *curve) encodePoint(p *point, form bucketeer.Form) []byte {
	size := c.componentBytes()
	if p == nil {
		return make([]byte, 2*len(c.generator.x)*size)
	}
	var bytes []byte
	for _, component := range slices.Concat(p.x, p.y) {
		bytes = append(bytes, encode(component, c.field.modulus, size, form)...)
	}
	return bytes
}

func packPoints[P any](c *curve, points []*point, form bucketeer.Form) []P {
	rows := make([][]byte, len(points))
	for i, p := range points {
		rows[i] = c.encodePoint(p, form)
	}
	return pack[P](rows...)
}

func packScalars[S any](c *curve, scalars []*big.Int, form bucketeer.Form) []S {
	rows := make([][]byte, len(scalars))
	for i, k := range scalars {
		rows[i] = encode(k, c.order, c.scalarBytes(), form)
	}
	return pack[S](rows...)
}

// random scalars below the group order, the same in every run.
func (c *curve) random(n int, seed uint64) []*big.Int {
	source := rand.New(rand.NewPCG(seed, 1))
	scalars := make([]*big.Int, n)
	for i := range scalars {
		k := new(big.Int)
		for range c.scalarBytes()/8 + 1 {
			k.Lsh(k, 64).Or(k, new(big.Int).SetUint64(source.Uint64()))
		}
		scalars[i] = k.Mod(k, c.order)
	}
	return scalars
}

// must fails the test on an error: must(f())(t).
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func cpu(t testing.TB) *bucketeer.Device {
	t.Helper()
	device := must(bucketeer.OpenCPU(2))(t)
	t.Cleanup(func() { device.Close() })
	return device
}

// anyDevice is the one that BUCKETEER_TEST_DEVICE names, or the CPU.
func anyDevice(t testing.TB) *bucketeer.Device {
	t.Helper()
	name := os.Getenv("BUCKETEER_TEST_DEVICE")
	if name == "" {
		return cpu(t)
	}
	device := must(bucketeer.Open(name))(t)
	t.Cleanup(func() { device.Close() })
	return device
}

// isPoint fails the test unless a sum is this point.
func isPoint[P any](t testing.TB, c *curve, what string, sum P, want *point, form bucketeer.Form) {
	t.Helper()
	if !slices.Equal(bytesOf(sum), c.encodePoint(want, form)) {
		t.Errorf("%s, %s: %v is not the sum", c.name, what, sum)
	}
}
