// Package bucketeer computes multi-scalar multiplications, Q = k1·P1 + … + kn·Pn, on CPUs and GPUs.
//
// Points and scalars are slices of the caller's own types, such as gnark-crypto's G1Affine,
// G2Affine and fr.Element: fixed-size words in Montgomery form, which are read in place. The
// package needs no other module. It checks at run time that a type has the size and the shape that
// the curve needs, and hands sums back as the type of the points.
//
//	device, err := bucketeer.Open("auto")
//	bases, err := bucketeer.Load(device, "bn254", points) // []bn254.G1Affine
//	defer bases.Close()
//	sum, err := bases.MSM(scalars) // []fr.Element; the sum is a bn254.G1Affine
//
// # Scalars
//
// A slice of scalars is passed as it is; its element type says what it holds.
//
//	[N]uint64 and types like it    residues in Montgomery form, below the group order
//	uint8 … uint64, uint, bool     integers
//	int8 … int64, int              signed integers
//
// [As] says otherwise: bytes that are residues, highest byte first as in EIP-4844 or lowest byte
// first, or words that are integers. [Bounded] gives a bound on integers, which makes runs faster.
//
// # Memory and threads
//
// Go memory is read and written during a call only. Every function may be called from any
// goroutine at any time, also on the same device, bases or job. [Device.Close], [Bases.Close] and
// [Job.Close] free what the library keeps; closing twice does nothing, and anything else after
// closing is [ErrClosed]. What is never closed is freed after the garbage collector finds it
// unreachable. Go does not see how much memory the library keeps, so close large bases yourself.
//
// Nothing here is constant time.
//
// # Building
//
// The package links the C library through pkg-config, which must find bucketeer.pc. If the library
// is not in a standard place, set PKG_CONFIG_PATH to build and LD_LIBRARY_PATH to run.
package bucketeer
