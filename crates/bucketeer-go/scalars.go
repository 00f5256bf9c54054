package bucketeer

import (
	"fmt"
	"reflect"
)

// Form is how bytes are numbers.
type Form uint32

const (
	// Montgomery is Montgomery form in little-endian words, as gnark-crypto has it.
	Montgomery Form = iota
	// LittleEndian is the integer, lowest byte first.
	LittleEndian
	// BigEndian is the integer, highest byte first.
	BigEndian
	// Unsigned is for scalars only: integers taken as they are, also above the group order.
	Unsigned
	// Signed is for scalars only: integers in two's complement.
	Signed
)

// String returns the name of the form.
func (f Form) String() string {
	names := [...]string{"Montgomery", "LittleEndian", "BigEndian", "Unsigned", "Signed"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Form(%d)", uint32(f))
}

// Scalars is a slice of scalars with what its element type does not say. [As] and [Bounded] make
// it.
type Scalars struct {
	elements any
	form     Form
	hasForm  bool
	bits     uint32
}

// As is a slice whose elements have another form than their type says:
//
//   - Montgomery: arrays of uint64, of the size of a scalar.
//   - LittleEndian, BigEndian: arrays of bytes of the size of a scalar, or one []byte of them all.
//   - Unsigned, Signed: arrays of uint64 or bytes, of 1, 2, 4 or a multiple of 8 bytes up to 128,
//     lowest word or byte first; or Go's integers of that sign.
func As(form Form, elements any) Scalars {
	return Scalars{elements: elements, form: form, hasForm: true}
}

// Bounded are integers of at most this many bits, their sign among them. The bound makes runs
// faster, and is checked.
func Bounded(bits uint32, scalars any) Scalars {
	if given, ok := scalars.(Scalars); ok {
		given.bits = bits
		return given
	}
	return Scalars{elements: scalars, bits: bits}
}

// scalarsOf checks a slice of scalars and returns it as a vector. Its data is Go memory, so the
// caller keeps the slice alive.
func scalarsOf(layout *Layout, scalars any) (vector, error) {
	given, ok := scalars.(Scalars)
	if !ok {
		given.elements = scalars
	}
	value := reflect.ValueOf(given.elements)
	if value.Kind() != reflect.Slice {
		return vector{}, invalid("scalars are a %T, not a slice", given.elements)
	}
	element := value.Type().Elem()
	if !given.hasForm {
		given.form = formOf(element)
	}
	found := vector{count: value.Len(), form: given.form, bits: given.bits}
	if err := found.check(layout, element); err != nil {
		return vector{}, err
	}
	if found.count > 0 {
		found.data = value.UnsafePointer()
	}
	if element.Kind() == reflect.Uint8 && (found.form == LittleEndian || found.form == BigEndian) {
		if found.count%layout.ScalarBytes != 0 {
			return vector{}, invalid(
				"%d bytes are not scalars of %d bytes", found.count, layout.ScalarBytes)
		}
		found.count /= layout.ScalarBytes
	}
	return found, nil
}

// formOf is the form that an element type stands for.
func formOf(element reflect.Type) Form {
	switch element.Kind() {
	case reflect.Bool, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return Unsigned
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return Signed
	default:
		return Montgomery
	}
}

// check refuses elements that cannot be read in the vector's form, and sets what integers need.
func (v *vector) check(layout *Layout, element reflect.Type) error {
	bytes, size := consistsOf(element, reflect.Uint8, 0), int(element.Size())
	switch v.form {
	case Montgomery:
		if !consistsOf(element, reflect.Uint64, layout.ScalarBytes) || size != layout.ScalarBytes {
			return invalid("%v of %d bytes is not a scalar in Montgomery form: scalars are %d uint64",
				element, size, layout.ScalarBytes/8)
		}
	case LittleEndian, BigEndian:
		if element.Kind() != reflect.Uint8 && !(bytes && size == layout.ScalarBytes) {
			return invalid("%v of %d bytes is not an encoded scalar: scalars are %d bytes",
				element, size, layout.ScalarBytes)
		}
	case Unsigned, Signed:
		integer := formOf(element) == v.form
		if !integer && !bytes && !consistsOf(element, reflect.Uint64, 0) {
			return invalid("%v is not an integer of the form %v", element, v.form)
		}
		v.size = uint32(size)
		if element.Kind() == reflect.Bool && v.bits == 0 {
			v.bits = 1
		}
	default:
		return invalid("%v is not a form of scalars", v.form)
	}
	return nil
}
