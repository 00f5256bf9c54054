package bucketeer

// Device is a processor to run on.
type Device struct{ handle *handle }

// Open opens a device by name: "auto" (an NVIDIA GPU if there is one, else the CPU), "cpu",
// "cuda", "cuda:1", "cuda:0,1" (both share every MSM), "webgpu", "webgpu:1". No other device is
// taken silently.
func Open(name string) (*Device, error) { return open(name, 0) }

// OpenCPU opens the CPU with this many threads; 0 for all.
func OpenCPU(threads uint32) (*Device, error) { return open("cpu", threads) }

func open(name string, threads uint32) (*Device, error) {
	id, err := nativeOpen(name, threads)
	if err != nil {
		return nil, err
	}
	return &Device{newHandle("the device", id, nativeCloseDevice)}, nil
}

func (d *Device) use(call func(id uint64) error) error {
	if d == nil {
		return (*handle)(nil).use(call)
	}
	return d.handle.use(call)
}

// Close closes the device. Bases on it stay usable, and keep its memory, until they are closed.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	return d.handle.close()
}

// Describe says what the device is.
func (d *Device) Describe() (text string, err error) {
	err = d.use(func(id uint64) error {
		text, err = nativeDescribeDevice(id)
		return err
	})
	return text, err
}

// Plan is what a run would do.
type Plan struct {
	// MemoryBytes is the memory beyond the inputs, the table among it.
	MemoryBytes uint64
	// TableBytes is the table that is kept on the device.
	TableBytes uint64
	// Nanoseconds is the predicted time of one MSM.
	Nanoseconds float64
	// Chunks is the number of chunks that the bases are cut into.
	Chunks uint64
	// WindowBits is the width of a window.
	WindowBits uint32
	// Precompute is the number of copies of each base in the table.
	Precompute uint32
}

// Plan plans an MSM over count bases without running it: over those that [Load] keeps if resident,
// else as [MSM] runs it.
func (d *Device) Plan(
	curve string, count int, resident bool, opts ...Option,
) (plan Plan, err error) {
	if count < 0 {
		return plan, invalid("a plan of %d bases", count)
	}
	o := collect(opts)
	err = d.use(func(id uint64) error {
		plan, err = nativePlan(id, curve, count, resident, &o)
		return err
	})
	return plan, err
}

// Version is the version of the C library.
func Version() string { return nativeVersion() }

// Curves returns the names of all curves. Case, hyphens and underscores do not matter where a name
// is passed, and the G1 of a pairing has the short name without "-g1".
func Curves() []string { return nativeCurves() }

// ReleaseWorkspaces frees the working memory that runs on the CPU keep for later runs, and
// overwrites what depends on scalars.
func ReleaseWorkspaces() error { return nativeReleaseWorkspaces() }
