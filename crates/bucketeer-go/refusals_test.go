package bucketeer_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"bucketeer"
)

// fails checks the status of an error and what its message names.
func fails(t *testing.T, what string, err error, status error, parts ...string) {
	t.Helper()
	var typed *bucketeer.Error
	if !errors.Is(err, status) || !errors.As(err, &typed) || typed.Message == "" {
		t.Errorf("%s: %v, not %v", what, err, status)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %q does not say %q", what, err, part)
		}
	}
}

func TestUnknownNamesAndDevices(t *testing.T) {
	_, err := bucketeer.Open("abacus")
	fails(t, "device", err, bucketeer.ErrInvalidArgument, "abacus")
	_, err = bucketeer.Open("cpu\x00x")
	fails(t, "zero byte", err, bucketeer.ErrInvalidArgument, "zero byte")
	_, err = bucketeer.Open("cuda:99")
	fails(t, "no such GPU", err, bucketeer.ErrNoDevice)
	if errors.Is(err, bucketeer.ErrInvalidInput) || errors.Is(err, bucketeer.ErrClosed) {
		t.Errorf("%v is of two kinds", err)
	}
	_, err = bucketeer.LayoutOf("curve25519")
	fails(t, "layout", err, bucketeer.ErrInvalidArgument, "curve25519")
	_, err = bucketeer.Load(cpu(t), "bn254\x00", []affine4{})
	fails(t, "zero byte", err, bucketeer.ErrInvalidArgument, "zero byte")
	_, err = cpu(t).Plan("bn254", -1, true)
	fails(t, "plan", err, bucketeer.ErrInvalidArgument, "-1")
}

// Types that are not points of the curve, among them some of the right size.
func TestPointTypes(t *testing.T) {
	device, argument := cpu(t), bucketeer.ErrInvalidArgument
	refuse := func(what string, err error) {
		t.Helper()
		fails(t, what, err, argument, "is not a point of")
	}
	_, err := bucketeer.Load(device, "bn254", make([]affine6, 1))
	refuse("too long", err)
	_, err = bucketeer.Load(device, "bls12-381", make([]affine4, 1))
	refuse("too short", err)
	_, err = bucketeer.Load(device, "bn254", make([]struct{ X, Y, Z element4 }, 1))
	refuse("Jacobian", err)
	// A point of BLS12-381's G2 and one of BW6-761's G1 have 192 bytes each.
	_, err = bucketeer.Load(device, "bls12-381-g2", make([]affine12, 1))
	refuse("two long coordinates", err)
	_, err = bucketeer.Load(device, "bw6-761", make([]affine6x2, 1))
	refuse("four short ones", err)
	_, err = bucketeer.Load(device, "bn254", make([][8]*uint64, 1))
	refuse("pointers", err)
	_, err = bucketeer.Load(device, "bn254", make([]struct{ X, Y [4]int64 }, 1))
	refuse("signed words", err)
	_, err = bucketeer.Load(device, "bn254", make([]struct{ X, Y [8]uint32 }, 1))
	refuse("short words", err)
	_, err = bucketeer.Load(device, "bn254", make([][]uint64, 1))
	refuse("slices", err)
	_, err = bucketeer.Load(device, "bn254", make([]any, 1))
	refuse("interfaces", err)
	_, err = bucketeer.Load(device, "bn254", make([]struct{}, 1))
	refuse("nothing", err)
	_, err = bucketeer.Load(device, "bn254", make([][64]byte, 1))
	refuse("bytes as words", err)
	_, err = bucketeer.Load(
		device, "bn254", make([]affine4, 1), bucketeer.PointForm(bucketeer.BigEndian))
	refuse("words as bytes", err)
	_, err = bucketeer.MSM(device, "bn254", make([]affine6, 1), make([]element4, 1))
	refuse("one call", err)
	_, err = bucketeer.Load(
		device, "bn254", make([]affine4, 1), bucketeer.PointForm(bucketeer.Signed))
	fails(t, "form", err, argument, "Signed is not a form of points")
}

func TestScalarTypes(t *testing.T) {
	c := named("bn254-g1")
	points := packPoints[affine4](c, c.multiples(4), bucketeer.Montgomery)
	bases := must(bucketeer.Load(cpu(t), "bn254", points))(t)
	defer bases.Close()
	big, little := bucketeer.BigEndian, bucketeer.LittleEndian
	for what, scalars := range map[string]any{
		"nil":                      nil,
		"no slice":                 7,
		"array":                    [4]element4{},
		"text":                     "scalars",
		"pointer":                  &[]element4{{1}},
		"floats":                   []float64{1},
		"texts":                    []string{"1"},
		"points":                   points,
		"long elements":            make([]element6, 1),
		"pointers":                 make([]*element4, 1),
		"bytes without a form":     make([][32]byte, 1),
		"short bytes":              bucketeer.As(big, make([][31]byte, 1)),
		"cut bytes":                bucketeer.As(little, make([]byte, 33)),
		"words as bytes":           bucketeer.As(big, make([]element4, 1)),
		"integers as bytes":        bucketeer.As(big, make([]uint32, 8)),
		"signed as unsigned":       bucketeer.As(bucketeer.Unsigned, []int8{1}),
		"unsigned as signed":       bucketeer.As(bucketeer.Signed, []uint8{1}),
		"integers as Montgomery":   bucketeer.As(bucketeer.Montgomery, []uint64{1, 2, 3, 4}),
		"unknown form":             bucketeer.As(9, make([]element4, 1)),
		"bound on field elements":  bucketeer.Bounded(3, make([]element4, 1)),
		"scalars inside of others": bucketeer.As(big, bucketeer.As(big, []byte{})),
		"empty":                    bucketeer.Scalars{},
	} {
		_, err := bases.MSM(scalars)
		fails(t, what, err, bucketeer.ErrInvalidArgument)
		_, err = bases.Submit(scalars)
		fails(t, what+", job", err, bucketeer.ErrInvalidArgument)
		_, err = bases.MSMBatch([]any{[]bool{true}, scalars})
		fails(t, what+", batch", err, bucketeer.ErrInvalidArgument)
	}
	_, err := bases.MSMBatch(nil)
	fails(t, "no batch", err, bucketeer.ErrInvalidArgument, "not a slice of slices")
	_, err = bases.MSMBatch([]element4{})
	if err != nil {
		t.Errorf("an empty batch: %v", err)
	}
	_, err = bases.MSMBatch([]any{[]bool{true}, "x"})
	fails(t, "batch", err, bucketeer.ErrInvalidArgument, "MSM 1 of the batch")
}

// Values and lengths that the library refuses.
func TestInvalidInput(t *testing.T) {
	c, device, input := named("bn254-g1"), cpu(t), bucketeer.ErrInvalidInput
	points := packPoints[affine4](c, c.multiples(4), bucketeer.Montgomery)
	bases := must(bucketeer.Load(device, "bn254", points))(t)
	defer bases.Close()

	_, err := bases.MSM(make([]element4, 5))
	fails(t, "more scalars than bases", err, input, "5", "4")
	_, err = bases.MSMFrom(2, make([]element4, 3))
	fails(t, "beyond the last base", err, input)
	_, err = bases.MSMFrom(-1, make([]element4, 3))
	fails(t, "before the first base", err, bucketeer.ErrInvalidArgument, "-1")
	_, err = bases.SubmitFrom(5, make([]element4, 1))
	fails(t, "job beyond the last base", err, input)
	_, err = bases.MSMBatchFrom(3, [][]element4{{{1}}, {{1}, {2}}})
	fails(t, "batch beyond the last base", err, input)
	_, err = bucketeer.MSM(device, "bn254", points, make([]element4, 3))
	fails(t, "other lengths", err, input, "3", "4")
	_, err = bases.MSM([]element4{{}, {^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}})
	fails(t, "scalar above the order", err, input, "1")
	_, err = bases.MSM(bucketeer.Bounded(3, []uint8{1, 8}))
	fails(t, "scalar above its bound", err, input, "1")

	_, err = bases.MSM(bucketeer.As(bucketeer.Unsigned, make([][3]byte, 1)))
	fails(t, "integers of three bytes", err, input, "3 bytes")
	_, err = bases.MSM(bucketeer.As(bucketeer.Signed, make([][17]uint64, 1)))
	fails(t, "integers of 136 bytes", err, input, "136 bytes")

	points[2].Y[0] ^= 1
	_, err = bucketeer.Load(device, "bn254", points)
	fails(t, "not on the curve", err, input, "2")
	_, err = bucketeer.Load(device, "grumpkin", points[:1])
	fails(t, "another curve", err, input, "0")
	_, err = bucketeer.Load(device, "bn254", points[:1], bucketeer.WindowBits(99))
	fails(t, "window", err, bucketeer.ErrInvalidArgument, "99")
	_, err = bucketeer.Load(device, "bn254", points[:1], bucketeer.MemoryLimit(1))
	fails(t, "memory limit", err, bucketeer.ErrOutOfMemory)

	// (0, −1) lies on an Edwards curve and has order 2.
	c = named("bandersnatch")
	two := &point{element{new(big.Int)}, c.field.negate(element{big.NewInt(1)})}
	outside := packPoints[affine4](c, []*point{c.generator, two}, bucketeer.Montgomery)
	_, err = bucketeer.Load(device, c.name, outside, bucketeer.CheckSubgroup())
	fails(t, "outside the subgroup", err, input, "1")
	other := must(bucketeer.Load(device, c.name, outside, bucketeer.AnyPoint()))(t)
	defer other.Close()
	sum := must(other.MSM([]uint8{1, 3}))(t)
	isPoint(t, c, "any point", sum, c.add(c.generator, two), bucketeer.Montgomery)
}

func TestPlansAndTexts(t *testing.T) {
	device := cpu(t)
	c := named("bn254-g1")
	points := packPoints[affine4](c, c.multiples(64), bucketeer.Montgomery)
	one := must(device.Plan("bn254", 1<<16, false))(t)
	if one.MemoryBytes == 0 || one.Nanoseconds <= 0 || one.WindowBits == 0 || one.Chunks == 0 {
		t.Errorf("%+v", one)
	}
	table := must(device.Plan("bn254", 1<<16, true, bucketeer.Precompute(4)))(t)
	if table.Precompute != 4 || table.TableBytes < 4*64<<16 {
		t.Errorf("%+v", table)
	}
	bases := must(bucketeer.Load(device, "bn254", points, bucketeer.WindowBits(7)))(t)
	defer bases.Close()
	if bases.Len() != 64 {
		t.Errorf("%d bases", bases.Len())
	}
	for what, text := range map[string]string{
		"cpu":     must(device.Describe())(t),
		"window":  must(bases.Describe())(t),
		".":       bucketeer.Version(),
		"unknown": bucketeer.Status(99).Error(),
		"Form(9)": bucketeer.Form(9).String(),
	} {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(what)) {
			t.Errorf("%q does not say %q", text, what)
		}
	}
	if err := bucketeer.ReleaseWorkspaces(); err != nil {
		t.Error(err)
	}
}
