package bucketeer

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Layout has the sizes of a curve's points and scalars.
type Layout struct {
	// PointBytes is the size of a point.
	PointBytes int
	// ComponentBytes is the size of a component of a coordinate.
	ComponentBytes int
	// Components is 1, or 2 for coordinates over a quadratic extension.
	Components int
	// ScalarBytes is the size of a scalar below the group order.
	ScalarBytes int
	// Edwards is true on a twisted Edwards curve, whose neutral element is (0, 1). On other curves
	// all zeros are the point at infinity.
	Edwards bool
}

// LayoutOf returns the layout of a curve.
func LayoutOf(curve string) (Layout, error) { return nativeLayout(curve) }

// vector is a slice of the caller as the library reads it.
type vector struct {
	data  unsafe.Pointer
	count int
	form  Form
	// Of integers only.
	size, bits uint32
}

// pointsOf checks that P is a point of the curve and returns the slice as a vector.
//
// Words in Montgomery form are arrays of uint64 with the size of one component, so that a point of
// two coordinates over an extension is not mistaken for one of two long coordinates. Bytes may be
// cut into arrays in any way.
func pointsOf[P any](curve string, points []P, form Form) (vector, Layout, error) {
	layout, err := LayoutOf(curve)
	if err != nil {
		return vector{}, layout, err
	}
	point := reflect.TypeFor[P]()
	fits := false
	switch form {
	case Montgomery:
		fits = consistsOf(point, reflect.Uint64, layout.ComponentBytes)
	case LittleEndian, BigEndian:
		fits = consistsOf(point, reflect.Uint8, 0)
	default:
		return vector{}, layout, invalid("%v is not a form of points", form)
	}
	if !fits || int(point.Size()) != layout.PointBytes {
		parts := fmt.Sprintf("an array of %d uint64 for each component", layout.ComponentBytes/8)
		if form != Montgomery {
			parts = "arrays of bytes"
		}
		return vector{}, layout, invalid("%v of %d bytes is not a point of %s: points have %d bytes, %s",
			point, point.Size(), curve, layout.PointBytes, parts)
	}
	return vector{data: dataOf(points), count: len(points), form: form}, layout, nil
}

// dataOf is nil for empty slices, whose address C must not see.
func dataOf[T any](elements []T) unsafe.Pointer {
	if len(elements) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(elements))
}

// consistsOf reports whether a type is arrays of this kind of element and nothing else, alone or in
// structs and arrays, each of `bytes` bytes if that is not 0. No such type has padding or pointers.
func consistsOf(t reflect.Type, kind reflect.Kind, bytes int) bool {
	switch t.Kind() {
	case reflect.Array:
		if t.Elem().Kind() == kind {
			return t.Len() > 0 && (bytes == 0 || int(t.Size()) == bytes)
		}
		return t.Len() > 0 && consistsOf(t.Elem(), kind, bytes)
	case reflect.Struct:
		for index := range t.NumField() {
			if !consistsOf(t.Field(index).Type, kind, bytes) {
				return false
			}
		}
		return t.NumField() > 0
	default:
		return false
	}
}
