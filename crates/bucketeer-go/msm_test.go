package bucketeer_test

import (
	"math/big"
	"slices"
	"testing"

	"bucketeer"
)

// The library's curves are those of the reference, with the sizes of gnark-crypto's types.
func TestCurvesAndLayouts(t *testing.T) {
	var names []string
	for _, c := range curves {
		names = append(names, c.name)
		layout := must(bucketeer.LayoutOf(c.name))(t)
		want := bucketeer.Layout{
			PointBytes:     2 * len(c.generator.x) * c.componentBytes(),
			ComponentBytes: c.componentBytes(),
			Components:     len(c.generator.x),
			ScalarBytes:    c.scalarBytes(),
			Edwards:        c.d != nil,
		}
		if layout != want {
			t.Errorf("%s: %+v, not %+v", c.name, layout, want)
		}
	}
	if !slices.Equal(names, bucketeer.Curves()) {
		t.Errorf("%v, not %v", bucketeer.Curves(), names)
	}
}

func TestEveryCurve(t *testing.T) {
	shapes := map[string]func(*testing.T, *curve){
		"bls12-377-g1":    testCurve[affine6, element4],
		"bls12-377-g2":    testCurve[affine6x2, element4],
		"bls12-381-g1":    testCurve[affine6, element4],
		"bls12-381-g2":    testCurve[affine6x2, element4],
		"bn254-g1":        testCurve[affine4, element4],
		"bn254-g2":        testCurve[affine4x2, element4],
		"bw6-761-g1":      testCurve[affine12, element6],
		"bw6-761-g2":      testCurve[affine12, element6],
		"ed-on-bls12-377": testCurve[affine4, element4],
		"bandersnatch":    testCurve[affine4, element4],
		"pallas":          testCurve[affine4, element4],
		"vesta":           testCurve[affine4, element4],
		"grumpkin":        testCurve[affine4, element4],
		"secp256k1":       testCurve[affine4, element4],
	}
	for _, name := range bucketeer.Curves() {
		test, ok := shapes[name]
		if !ok {
			t.Errorf("%s has no shape here", name)
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, named(name)) })
	}
}

// inputs of a curve: infinities, equal points, P and −P; the scalars 0, 1, 2, −1 and random ones.
func (c *curve) inputs() (points []*point, scalars []*big.Int) {
	g := c.multiples(6)
	minus := new(big.Int).Sub(c.order, big.NewInt(1))
	points = []*point{
		c.infinity(), g[0], g[0], c.negate(g[0]), c.infinity(), g[1], c.negate(g[1]), g[2],
	}
	scalars = []*big.Int{
		big.NewInt(3), big.NewInt(1), big.NewInt(1), big.NewInt(1), new(big.Int), minus, minus,
		new(big.Int),
	}
	scalars = append(scalars, c.random(10, 1)...)
	scalars = append(scalars, minus, big.NewInt(2))
	points = append(points, g[2], g[2], c.negate(g[2]), g[3], g[4], g[5], c.infinity(), g[5], g[0],
		c.multiply(big.NewInt(1<<40+7), g[0]), g[4], g[3])
	return points, scalars
}

func testCurve[P, S any](t *testing.T, c *curve) {
	device := anyDevice(t)
	points, scalars := c.inputs()
	want := c.sum(points, scalars)
	montgomery := bucketeer.Montgomery
	packed := packPoints[P](c, points, montgomery)
	packedScalars := packScalars[S](c, scalars, montgomery)

	sum := must(bucketeer.MSM(device, c.name, packed, packedScalars))(t)
	isPoint(t, c, "one call", sum, want, montgomery)

	for _, opts := range [][]bucketeer.Option{
		nil,
		{bucketeer.CheckSubgroup(), bucketeer.Precompute(2)},
		{bucketeer.AnyPoint(), bucketeer.WindowBits(5), bucketeer.Trusted()},
	} {
		bases := must(bucketeer.Load(device, c.name, packed, opts...))(t)
		isPoint(t, c, "all", must(bases.MSM(packedScalars))(t), want, montgomery)
		bases.Close()
	}

	bases := must(bucketeer.Load(device, c.name, packed))(t)
	defer bases.Close()
	part := c.sum(points[3:13], scalars[:10])
	isPoint(t, c, "from 3", must(bases.MSMFrom(3, packedScalars[:10]))(t), part, montgomery)
	zeros := make([]S, len(points))
	isPoint(t, c, "zeros", must(bases.MSM(zeros))(t), c.infinity(), montgomery)
	isPoint(t, c, "none", must(bases.MSM([]S(nil)))(t), c.infinity(), montgomery)
	isPoint(t, c, "P, P, -P", must(bases.MSM(packedScalars[:4]))(t), c.generator, montgomery)

	batch := [][]S{packedScalars, packedScalars[:10], nil, zeros, packedScalars[:4]}
	wants := []*point{
		want, c.sum(points, scalars[:10]), c.infinity(), c.infinity(), c.generator,
	}
	for i, sum := range must(bases.MSMBatch(batch))(t) {
		isPoint(t, c, "batch", sum, wants[i], montgomery)
	}
	mixed := []any{packedScalars[:10], []bool{true, false, true}, bucketeer.Bounded(3, []int8{-4})}
	wants = []*point{
		part, c.add(points[3], points[5]), c.multiply(big.NewInt(-4), points[3]),
	}
	for i, sum := range must(bases.MSMBatchFrom(3, mixed))(t) {
		isPoint(t, c, "mixed batch from 3", sum, wants[i], montgomery)
	}

	job := must(bases.Submit(packedScalars))(t)
	defer job.Close()
	isPoint(t, c, "job", must(job.Wait())(t), want, montgomery)
	job = must(bases.SubmitFrom(3, packedScalars[:10]))(t)
	defer job.Close()
	isPoint(t, c, "job from 3", must(job.Wait())(t), part, montgomery)
}

// Points and scalars as bytes, lowest or highest first, on curves of each kind of coordinates.
func TestByteEncodings(t *testing.T) {
	t.Run("bn254-g1", testBytes[[64]byte, [32]byte])
	t.Run("bls12-381-g2", testBytes[struct{ X, Y [2][48]byte }, struct{ Bytes [32]byte }])
	t.Run("bw6-761-g1", testBytes[struct{ X, Y [96]byte }, [48]byte])
	t.Run("bandersnatch", testBytes[[2][32]byte, [32]byte])
}

func testBytes[P, S any](t *testing.T) {
	c := named(t.Name()[len("TestByteEncodings/"):])
	points, scalars := c.inputs()
	want := c.sum(points, scalars)
	for _, form := range []bucketeer.Form{bucketeer.LittleEndian, bucketeer.BigEndian} {
		packed := packPoints[P](c, points, form)
		elements := packScalars[S](c, scalars, form)
		bases := must(bucketeer.Load(anyDevice(t), c.name, packed, bucketeer.PointForm(form)))(t)
		sum := must(bases.MSM(bucketeer.As(form, elements)))(t)
		isPoint(t, c, form.String(), sum, want, form)
		var flat []byte
		for _, element := range elements {
			flat = append(flat, bytesOf(element)...)
		}
		sum = must(bases.MSM(bucketeer.As(form, flat)))(t)
		isPoint(t, c, form.String()+", one slice of bytes", sum, want, form)
		bases.Close()
	}
}

// Go's integers, booleans and long integers, signed or not, at their bounds.
func TestIntegers(t *testing.T) {
	c := named("bn254-g1")
	g := c.multiples(4)
	bases := must(bucketeer.Load(anyDevice(t), "bn254", packPoints[affine4](c, g, 0)))(t)
	defer bases.Close()
	long := new(big.Int).Lsh(big.NewInt(1), 300)
	for _, test := range []struct {
		scalars any
		want    []string
	}{
		{[]uint8{0, 1, 255, 7}, []string{"0", "1", "255", "7"}},
		{[]uint16{1<<16 - 1, 3}, []string{"65535", "3"}},
		{[]uint32{1<<32 - 1, 3}, []string{"4294967295", "3"}},
		{[]uint64{1<<64 - 1, 3}, []string{"18446744073709551615", "3"}},
		{[]uint{1<<64 - 1, 3}, []string{"18446744073709551615", "3"}},
		{[]int8{-128, 127, 0, -1}, []string{"-128", "127", "0", "-1"}},
		{[]int16{-1 << 15, 5}, []string{"-32768", "5"}},
		{[]int32{-1 << 31, 5}, []string{"-2147483648", "5"}},
		{[]int64{-1 << 63, 5}, []string{"-9223372036854775808", "5"}},
		{[]int{-1 << 63, 5}, []string{"-9223372036854775808", "5"}},
		{[]bool{true, false, true, true}, []string{"1", "0", "1", "1"}},
		{bucketeer.Bounded(3, []uint64{7, 0, 5}), []string{"7", "0", "5"}},
		{bucketeer.As(bucketeer.Unsigned, []element6{{5}, {0, 0, 0, 0, 1 << 44}}),
			[]string{"5", long.String()}},
		{bucketeer.As(bucketeer.Signed, [][2]uint64{{^uint64(0), ^uint64(0)}, {9}}),
			[]string{"-1", "9"}},
		{bucketeer.As(bucketeer.Signed, [][8]byte{{0xfe, 255, 255, 255, 255, 255, 255, 255}}),
			[]string{"-2"}},
		{bucketeer.Bounded(60, bucketeer.As(bucketeer.Unsigned, [][2]uint64{{1 << 59}})),
			[]string{"576460752303423488"}},
	} {
		var scalars []*big.Int
		for _, text := range test.want {
			scalars = append(scalars, integer(text))
		}
		sum, err := bases.MSM(test.scalars)
		if err != nil {
			t.Errorf("%T: %v", test.scalars, err)
			continue
		}
		isPoint(t, c, "integers", sum, c.sum(g, scalars), bucketeer.Montgomery)
	}
}
