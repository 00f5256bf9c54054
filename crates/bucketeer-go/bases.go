package bucketeer

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"
)

// Bases are points that are kept on a device, ready for any number of MSMs. P is the type of the
// points that were loaded, and of sums.
type Bases[P any] struct {
	handle *handle
	layout Layout
	form   Form
	count  int
}

// Load loads points onto a device and keeps them there. It checks that they lie on the curve,
// unless they are [Trusted]. P is a type of the curve's affine points, such as gnark-crypto's
// G1Affine: its size and shape are checked, too.
func Load[P any](device *Device, curve string, points []P, opts ...Option) (*Bases[P], error) {
	o := collect(opts)
	packed, layout, err := pointsOf(curve, points, o.form)
	if err != nil {
		return nil, err
	}
	var id uint64
	err = device.use(func(device uint64) error {
		id, err = nativeLoad(device, curve, packed, &o)
		return err
	})
	runtime.KeepAlive(points)
	if err != nil {
		return nil, err
	}
	bases := newHandle("the bases", id, nativeFreeBases)
	return &Bases[P]{handle: bases, layout: layout, form: o.form, count: len(points)}, nil
}

func (b *Bases[P]) use(call func(id uint64) error) error {
	if b == nil {
		return (*handle)(nil).use(call)
	}
	return b.handle.use(call)
}

// Close frees the bases. Runs in progress end first, and jobs go on.
func (b *Bases[P]) Close() error {
	if b == nil {
		return nil
	}
	return b.handle.close()
}

// Len is the number of bases.
func (b *Bases[P]) Len() int {
	if b == nil {
		return 0
	}
	return b.count
}

// Describe is the plan of an MSM over all bases, as text.
func (b *Bases[P]) Describe() (text string, err error) {
	err = b.use(func(id uint64) error {
		text, err = nativeDescribeBases(id)
		return err
	})
	return text, err
}

// MSM is the sum of the products of scalars and as many bases, from the first base on. Scalars are
// a slice, as the package's documentation says, or [Scalars].
func (b *Bases[P]) MSM(scalars any) (P, error) { return b.MSMFrom(0, scalars) }

// MSMFrom is an [Bases.MSM] over the bases from base first on.
func (b *Bases[P]) MSMFrom(first int, scalars any) (P, error) {
	var sum, none P
	err := b.use(func(id uint64) error {
		packed, err := b.scalars(first, scalars)
		if err != nil {
			return err
		}
		return nativeMSM(id, first, packed, b.form, unsafe.Pointer(&sum), int(unsafe.Sizeof(sum)))
	})
	runtime.KeepAlive(scalars)
	if err != nil {
		return none, err
	}
	return sum, nil
}

// scalars checks what a run over bases from base first on is given.
func (b *Bases[P]) scalars(first int, scalars any) (vector, error) {
	if first < 0 {
		return vector{}, invalid("from base %d on", first)
	}
	return scalarsOf(&b.layout, scalars)
}

// MSMBatch is several MSMs over the same bases, faster than one after the other. The batch is a
// slice of slices, such as [][]fr.Element, or []any of slices of several types. Each has a length
// of its own.
func (b *Bases[P]) MSMBatch(batch any) ([]P, error) { return b.MSMBatchFrom(0, batch) }

// MSMBatchFrom is a [Bases.MSMBatch] over the bases from base first on.
func (b *Bases[P]) MSMBatchFrom(first int, batch any) ([]P, error) {
	var sums []P
	err := b.use(func(id uint64) error {
		all := reflect.ValueOf(batch)
		if all.Kind() != reflect.Slice {
			return invalid("a batch is a %T, not a slice of slices", batch)
		}
		packed := make([]vector, all.Len())
		for index := range packed {
			found, err := b.scalars(first, all.Index(index).Interface())
			if err != nil {
				err.(*Error).Message = fmt.Sprintf("MSM %d of the batch: %s", index, err.(*Error).Message)
				return err
			}
			packed[index] = found
		}
		sums = make([]P, len(packed))
		return nativeMSMBatch(id, first, packed, b.form, dataOf(sums), len(sums)*b.layout.PointBytes)
	})
	runtime.KeepAlive(batch)
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// MSM is one MSM over points that are not kept: as many points as scalars.
func MSM[P any](device *Device, curve string, points []P, scalars any, opts ...Option) (P, error) {
	var sum, none P
	o := collect(opts)
	bases, layout, err := pointsOf(curve, points, o.form)
	if err != nil {
		return none, err
	}
	packed, err := scalarsOf(&layout, scalars)
	if err != nil {
		return none, err
	}
	err = device.use(func(id uint64) error {
		return nativeMSMOnce(
			id, curve, bases, packed, &o, unsafe.Pointer(&sum), int(unsafe.Sizeof(sum)))
	})
	runtime.KeepAlive(points)
	runtime.KeepAlive(scalars)
	if err != nil {
		return none, err
	}
	return sum, nil
}
