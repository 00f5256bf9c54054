package bucketeer

// Option is how to load bases and run MSMs.
type Option func(*options)

type options struct {
	memoryLimit    uint64
	precompute     uint32
	oddMultiples   uint32
	windowBits     uint32
	autoPrecompute bool
	anyPoint       bool
	checkSubgroup  bool
	verify         bool
	trusted        bool
	form           Form
}

func collect(opts []Option) options {
	var o options
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

// MemoryLimit is the most memory beyond the inputs; 0 for what is free.
func MemoryLimit(bytes uint64) Option { return func(o *options) { o.memoryLimit = bytes } }

// Precompute keeps this many copies of each base, shifted by whole windows; 0 for the default.
// More copies leave fewer windows.
func Precompute(copies uint32) Option { return func(o *options) { o.precompute = copies } }

// OddMultiples keeps this many odd multiples of each copy, a power of two up to 1024; 0 for the
// default. CPU only.
func OddMultiples(count uint32) Option { return func(o *options) { o.oddMultiples = count } }

// AutoPrecompute lets the plan choose the table with which a thousand runs take the least time.
func AutoPrecompute() Option { return func(o *options) { o.autoPrecompute = true } }

// WindowBits is the width of a window, 1 to 26; 0 for the plan's choice.
func WindowBits(bits uint32) Option { return func(o *options) { o.windowBits = bits } }

// AnyPoint makes sums right for every point of the curve, also outside the prime-order subgroup.
func AnyPoint() Option { return func(o *options) { o.anyPoint = true } }

// CheckSubgroup makes points outside the prime-order subgroup an error. Many points are checked at
// once, by a random test that misses a bad one with probability 2^-64 at most.
func CheckSubgroup() Option { return func(o *options) { o.checkSubgroup = true } }

// Verify makes every run verify its sums by a second computation. A wrong one is an error,
// [ErrVerificationFailed].
func Verify() Option { return func(o *options) { o.verify = true } }

// Trusted vouches that the points lie on the curve, which is not checked then. Sums over points
// that do not are wrong.
func Trusted() Option { return func(o *options) { o.trusted = true } }

// PointForm says that points are encoded as [LittleEndian] or [BigEndian] bytes, and not as words
// in Montgomery form. A point is x, then y; over a quadratic extension c0 stands before c1.
func PointForm(form Form) Option { return func(o *options) { o.form = form } }
