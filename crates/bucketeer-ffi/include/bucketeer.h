/* Bucketeer: multi-scalar multiplication, Q = k1*P1 + ... + kn*Pn, on CPUs and GPUs.
 *
 * Every function that can fail returns a BucketeerStatus. Nothing is written to the caller's memory
 * unless it is BUCKETEER_STATUS_OK; bucketeer_last_error() says what is wrong otherwise.
 *
 * Ownership. Points and scalars are the caller's and are read during the call only. Devices, bases
 * and jobs are numbers that name what the library keeps; free what you no longer need. A number
 * that was freed names nothing and is refused with BUCKETEER_STATUS_INVALID_ARGUMENT.
 *
 * Threads. Every function may be called from any thread at any time. Several threads may run MSMs
 * over the same bases, and free them while others still do: the memory goes when the last run has
 * ended. bucketeer_last_error() is about the calling thread's own last call. In a child made by
 * fork(), where the library's threads are missing, whatever would need them is refused with
 * BUCKETEER_STATUS_DEVICE_FAILED.
 *
 * Nothing here is constant time. Made by cbindgen from crates/bucketeer-ffi. Licensed under MIT or
 * Apache-2.0. */

#ifndef BUCKETEER_H
#define BUCKETEER_H

#include <stddef.h>
#include <stdint.h>

// What a function returns. bucketeer_last_error() has the message of what is not OK.
typedef enum {
  // Done.
  BUCKETEER_STATUS_OK = 0,
  // An argument that cannot be used: a null or misaligned pointer, an unknown name or form, a
  // setting that no plan supports, a handle that names nothing.
  BUCKETEER_STATUS_INVALID_ARGUMENT = 1,
  // Points or scalars that are not valid, or whose numbers do not fit each other.
  BUCKETEER_STATUS_INVALID_INPUT = 2,
  // The device does not exist, or the driver or a library for it is missing.
  BUCKETEER_STATUS_NO_DEVICE = 3,
  // The smallest plan needs more memory than there is.
  BUCKETEER_STATUS_OUT_OF_MEMORY = 4,
  // The job was cancelled.
  BUCKETEER_STATUS_CANCELLED = 5,
  // A device failed during a run, or the system could not start a thread. Nothing was computed.
  BUCKETEER_STATUS_DEVICE_FAILED = 6,
  // A bug in Bucketeer. Nothing was computed.
  BUCKETEER_STATUS_INTERNAL = 7,
  // A sum that was to be verified is not right: the device or the memory has failed.
  BUCKETEER_STATUS_VERIFICATION_FAILED = 8,
} BucketeerStatus;

// How bytes are numbers. A point is x, then y; a coordinate over a quadratic extension is c0, then
// c1. All zeros are the point at infinity, except on Edwards curves, where the neutral element is
// (0, 1).
typedef enum {
  // Montgomery form, little-endian words: gnark-crypto, blst, halo2curves, snarkjs, arkworks.
  BUCKETEER_FORM_MONTGOMERY = 0,
  // The integer, lowest byte first.
  BUCKETEER_FORM_LITTLE_ENDIAN = 1,
  // The integer, highest byte first.
  BUCKETEER_FORM_BIG_ENDIAN = 2,
  // Scalars only: little-endian integers of BucketeerScalars.size bytes, taken as they are, also
  // above the group order.
  BUCKETEER_FORM_UNSIGNED = 3,
  // Scalars only: little-endian integers of BucketeerScalars.size bytes in two's complement.
  BUCKETEER_FORM_SIGNED = 4,
} BucketeerForm;

// A processor to run on. Zero is none.
typedef struct {
  // Names the device.
  uint64_t id;
} BucketeerDevice;

// Points of the caller, read during the call only.
typedef struct {
  // The first point. Any alignment will do. May be null if there are none.
  const void *data;
  // How many there are.
  size_t count;
  // Bytes from one point to the next; 0 if they are adjacent.
  size_t stride;
  // BUCKETEER_FORM_MONTGOMERY, _LITTLE_ENDIAN or _BIG_ENDIAN.
  uint32_t form;
  // Not 0: the points are known to lie on the curve, and it is not checked.
  uint32_t trusted;
} BucketeerPoints;

// How to load bases and run MSMs. All zeros are the defaults, and so is a null pointer.
typedef struct {
  // Most bytes beyond the inputs; 0 for what is free.
  uint64_t memory_limit;
  // Copies of each base in the table, shifted by whole windows; 0 for the default.
  uint32_t precompute;
  // Odd multiples of each copy, a power of two up to 1024; 0 for the default. CPU only.
  uint32_t odd_multiples;
  // Not 0: the plan chooses the table with which a thousand runs take the least time.
  uint32_t auto_precompute;
  // Bits of a window, 1 to 26; 0 for the plan's choice.
  uint32_t window_bits;
  // Not 0: right for every point of the curve, also outside the prime-order subgroup.
  uint32_t any_point;
  // Not 0: points outside the prime-order subgroup are an error. Many points are checked at
  // once, by a random test that misses a bad one with probability 2^-64 at most.
  uint32_t check_subgroup;
  // Not 0: every run verifies its sums by a second computation, and a wrong one is an error.
  uint32_t verify;
  // Zeros.
  uint32_t reserved[7];
} BucketeerOptions;

// Bases that are kept on a device, ready for any number of MSMs. Zero is none.
typedef struct {
  // Names the bases.
  uint64_t id;
} BucketeerBases;

// Scalars of the caller, read during the call only.
typedef struct {
  // The first scalar. Any alignment will do; 8 bytes save a copy. May be null if there are none.
  const void *data;
  // How many there are.
  size_t count;
  // Bytes from one scalar to the next; 0 if they are adjacent.
  size_t stride;
  // A BucketeerForm. In the first three, scalars are below the group order, and others are an
  // error.
  uint32_t form;
  // Bytes of an integer of BUCKETEER_FORM_UNSIGNED or _SIGNED: 1, 2, 4, or a multiple of 8 up to
  // 128. Else 0.
  uint32_t size;
  // A bound on the bits of these integers, their sign among them, which makes the run faster and
  // is checked; 0 for none.
  uint32_t bits;
  // Zero.
  uint32_t reserved;
} BucketeerScalars;

// The sizes of a curve's points and scalars.
typedef struct {
  // Bytes of a point.
  size_t point_bytes;
  // Bytes of a component of a coordinate.
  size_t component_bytes;
  // Components of a coordinate: 1, or 2 over a quadratic extension.
  size_t components;
  // Bytes of a scalar below the group order.
  size_t scalar_bytes;
  // 1 on a twisted Edwards curve, else 0.
  uint32_t edwards;
  // Zero.
  uint32_t reserved;
} BucketeerLayout;

// An MSM in the background. Zero is none.
typedef struct {
  // Names the job.
  uint64_t id;
} BucketeerJob;

// What a run would do.
typedef struct {
  // Bytes beyond the inputs, the table among them.
  uint64_t memory_bytes;
  // Bytes of the table that is kept on the device.
  uint64_t table_bytes;
  // Predicted time of one MSM.
  double nanoseconds;
  // Chunks that the bases are cut into.
  uint64_t chunks;
  // Bits of a window.
  uint32_t window_bits;
  // Copies of each base in the table.
  uint32_t precompute;
  // Zeros.
  uint32_t reserved[4];
} BucketeerPlan;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Loads points onto a device and keeps them there. That they lie on the curve is checked, unless
// they are trusted. `options` may be null.
//
// The pointers are valid, and `points->data` has the bytes that its fields describe.
BucketeerStatus bucketeer_bases_load(BucketeerDevice device,
                                     const char *curve_name,
                                     const BucketeerPoints *points,
                                     const BucketeerOptions *options,
                                     BucketeerBases *out);

// Frees bases. Runs in progress end first; jobs go on. Freeing bases 0 does nothing; freeing some
// twice is an error.
BucketeerStatus bucketeer_bases_free(BucketeerBases bases);

// The number of bases.
//
// `out` may be written to.
BucketeerStatus bucketeer_bases_count(BucketeerBases bases, size_t *out);

// Writes the plan of an MSM over all bases, as bucketeer_device_describe writes its text.
//
// `size` bytes may be written at `out`; `needed` is null or may be written to.
BucketeerStatus bucketeer_bases_describe(BucketeerBases bases,
                                         char *out,
                                         size_t size,
                                         size_t *needed);

// The MSM of the scalars and as many bases, from base `first` on. The sum is written as a point of
// this form, of BucketeerLayout.point_bytes bytes; `out_bytes` is the room there is.
//
// The pointers are valid, `scalars->data` has the bytes that its fields describe, and `out_bytes`
// bytes may be written at `out`.
BucketeerStatus bucketeer_msm(BucketeerBases bases,
                              size_t first,
                              const BucketeerScalars *scalars,
                              uint32_t form,
                              void *out,
                              size_t out_bytes);

// `count` MSMs over the same bases, from base `first` on. The scalars of each have a length and a
// form of their own. Sums are written one after the other.
//
// `scalars` points to `count` structures, and the data of each has the bytes that its fields
// describe; `out_bytes` bytes may be written at `out`.
BucketeerStatus bucketeer_msm_batch(BucketeerBases bases,
                                    size_t first,
                                    const BucketeerScalars *scalars,
                                    size_t count,
                                    uint32_t form,
                                    void *out,
                                    size_t out_bytes);

// One MSM over points that are not kept: as many points as scalars. `options` may be null.
//
// The pointers are valid, `points->data` and `scalars->data` have the bytes that their fields
// describe, and `out_bytes` bytes may be written at `out`.
BucketeerStatus bucketeer_msm_once(BucketeerDevice device,
                                   const char *curve_name,
                                   const BucketeerPoints *points,
                                   const BucketeerScalars *scalars,
                                   const BucketeerOptions *options,
                                   uint32_t form,
                                   void *out,
                                   size_t out_bytes);

// Opens a device by name: "auto" (an NVIDIA GPU if there is one, else the CPU), "cpu", "cuda",
// "cuda:1", "cuda:0,1" (both share every MSM), "webgpu", "webgpu:1". `threads` is the number of
// threads of a CPU, 0 for all; it is an error with other devices. No other device is taken
// silently.
//
// `name` is a string that ends with a zero; `out` may be written to.
BucketeerStatus bucketeer_device_open(const char *name, uint32_t threads, BucketeerDevice *out);

// Closes a device. Bases on it stay usable, and keep its memory, until they are freed. Closing
// device 0 does nothing; closing one twice is an error.
BucketeerStatus bucketeer_device_close(BucketeerDevice device);

// Writes what the device is, with a zero at the end, into `size` bytes. `needed`, if it is not
// null, gets the bytes of the whole text, its zero among them; a longer text is cut.
//
// `size` bytes may be written at `out`; `needed` is null or may be written to.
BucketeerStatus bucketeer_device_describe(BucketeerDevice device,
                                          char *out,
                                          size_t size,
                                          size_t *needed);

// The version of the library, such as "0.1.0".
const char *bucketeer_version(void);

// The number of curves.
size_t bucketeer_curve_count(void);

// The name of a curve, from 0 on; null beyond the last one. The string is never freed.
const char *bucketeer_curve_name(size_t index);

// The sizes of a curve's points and scalars. Names are as on the command line: "bn254",
// "bn254-g2", "bls12-381", …; case, hyphens and underscores do not matter.
//
// `name` is a string that ends with a zero; `out` may be written to.
BucketeerStatus bucketeer_curve_layout(const char *name, BucketeerLayout *out);

// Frees the working memory that runs on the CPU keep for later runs, and overwrites what depends
// on scalars.
BucketeerStatus bucketeer_release_workspaces(void);

// Starts an MSM in the background, as bucketeer_msm would run it. The scalars are copied during
// the call, and the bases may be freed while it runs.
//
// The pointers are valid, and `scalars->data` has the bytes that its fields describe.
BucketeerStatus bucketeer_submit(BucketeerBases bases,
                                 size_t first,
                                 const BucketeerScalars *scalars,
                                 BucketeerJob *out);

// Waits for the sum and writes it as bucketeer_msm does. It may be called again, and by several
// threads.
//
// `out_bytes` bytes may be written at `out`.
BucketeerStatus bucketeer_job_wait(BucketeerJob job, uint32_t form, void *out, size_t out_bytes);

// Writes 1 if the job has ended, with a sum or an error, else 0.
//
// `out` may be written to.
BucketeerStatus bucketeer_job_is_finished(BucketeerJob job, uint32_t *out);

// Makes the job end with BUCKETEER_STATUS_CANCELLED at its next step, unless it has ended.
BucketeerStatus bucketeer_job_cancel(BucketeerJob job);

// Frees a job. One that still runs is cancelled, and not waited for. Freeing job 0 does nothing;
// freeing one twice is an error.
BucketeerStatus bucketeer_job_free(BucketeerJob job);

// Plans an MSM over `count` bases, without running it: `resident` not 0 for bases that
// bucketeer_bases_load keeps, 0 for bucketeer_msm_once. `options` may be null.
//
// `curve_name` is a string that ends with a zero; `options` is null or valid; `out` may be written
// to.
BucketeerStatus bucketeer_plan(BucketeerDevice device,
                               const char *curve_name,
                               size_t count,
                               uint32_t resident,
                               const BucketeerOptions *options,
                               BucketeerPlan *out);

// The message of this thread's last call, empty if it was OK. Valid until the thread's next call
// of a function that returns a status.
const char *bucketeer_last_error(void);

// The name of a status, such as "invalid input"; "unknown status" for other numbers.
const char *bucketeer_status_name(uint32_t status);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BUCKETEER_H */
