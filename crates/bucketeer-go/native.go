package bucketeer

// The only file that calls C. Each function here is one call of the library, made by a small C
// function above it, for two reasons:
//
//  1. The library keeps the message of an error for each thread. C reads it on the thread of the
//     call, so no goroutine has to be locked to its thread.
//  2. Structures with pointers to Go memory would have to be pinned. C builds them from arguments,
//     which cgo keeps alive and in place during the call. Only a batch needs a Pinner.
//
// Pointers to elements are passed as uint8_t*: layout.go has checked that elements hold no
// pointers, so cgo need not look for any.

/*
#cgo pkg-config: bucketeer
#include <bucketeer.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  BucketeerStatus status;
  char *message;
} Outcome;

static Outcome outcome(BucketeerStatus status) {
  Outcome outcome = {status, NULL};
  if (status != BUCKETEER_STATUS_OK) outcome.message = strdup(bucketeer_last_error());
  return outcome;
}

static Outcome device_open(const char *name, uint32_t threads, uint64_t *out) {
  return outcome(bucketeer_device_open(name, threads, (BucketeerDevice *)out));
}

static Outcome device_describe(uint64_t id, char *out, size_t size, size_t *needed) {
  return outcome(bucketeer_device_describe((BucketeerDevice){id}, out, size, needed));
}

static Outcome bases_describe(uint64_t id, char *out, size_t size, size_t *needed) {
  return outcome(bucketeer_bases_describe((BucketeerBases){id}, out, size, needed));
}

static Outcome curve_layout(const char *name, BucketeerLayout *out) {
  return outcome(bucketeer_curve_layout(name, out));
}

static Outcome plan(uint64_t device, const char *curve, size_t count, uint32_t resident,
                    const BucketeerOptions *options, BucketeerPlan *out) {
  return outcome(bucketeer_plan((BucketeerDevice){device}, curve, count, resident, options, out));
}

static Outcome bases_load(uint64_t device, const char *curve, const uint8_t *data, size_t count,
                          uint32_t form, uint32_t trusted, const BucketeerOptions *options,
                          uint64_t *out) {
  BucketeerPoints points = {data, count, 0, form, trusted};
  return outcome(bucketeer_bases_load((BucketeerDevice){device}, curve, &points, options,
                                      (BucketeerBases *)out));
}

static Outcome msm(uint64_t bases, size_t first, const uint8_t *data, size_t count, uint32_t form,
                   uint32_t size, uint32_t bits, uint32_t sum_form, uint8_t *out,
                   size_t out_bytes) {
  BucketeerScalars scalars = {data, count, 0, form, size, bits, 0};
  return outcome(bucketeer_msm((BucketeerBases){bases}, first, &scalars, sum_form, out, out_bytes));
}

static Outcome msm_batch(uint64_t bases, size_t first, const BucketeerScalars *scalars,
                         size_t count, uint32_t sum_form, uint8_t *out, size_t out_bytes) {
  return outcome(bucketeer_msm_batch((BucketeerBases){bases}, first, scalars, count, sum_form, out,
                                     out_bytes));
}

static Outcome msm_once(uint64_t device, const char *curve, const uint8_t *points_data,
                        size_t points_count, uint32_t points_form, uint32_t trusted,
                        const uint8_t *data, size_t count, uint32_t form, uint32_t size,
                        uint32_t bits, const BucketeerOptions *options, uint8_t *out,
                        size_t out_bytes) {
  BucketeerPoints points = {points_data, points_count, 0, points_form, trusted};
  BucketeerScalars scalars = {data, count, 0, form, size, bits, 0};
  return outcome(bucketeer_msm_once((BucketeerDevice){device}, curve, &points, &scalars, options,
                                    points_form, out, out_bytes));
}

static Outcome submit(uint64_t bases, size_t first, const uint8_t *data, size_t count,
                      uint32_t form, uint32_t size, uint32_t bits, uint64_t *out) {
  BucketeerScalars scalars = {data, count, 0, form, size, bits, 0};
  return outcome(bucketeer_submit((BucketeerBases){bases}, first, &scalars, (BucketeerJob *)out));
}

static Outcome job_wait(uint64_t id, uint32_t form, uint8_t *out, size_t out_bytes) {
  return outcome(bucketeer_job_wait((BucketeerJob){id}, form, out, out_bytes));
}

static Outcome job_is_finished(uint64_t id, uint32_t *out) {
  return outcome(bucketeer_job_is_finished((BucketeerJob){id}, out));
}

static Outcome job_cancel(uint64_t id) { return outcome(bucketeer_job_cancel((BucketeerJob){id})); }

static Outcome device_close(uint64_t id) {
  return outcome(bucketeer_device_close((BucketeerDevice){id}));
}

static Outcome bases_free(uint64_t id) {
  return outcome(bucketeer_bases_free((BucketeerBases){id}));
}

static Outcome job_free(uint64_t id) { return outcome(bucketeer_job_free((BucketeerJob){id})); }

static Outcome release_workspaces(void) { return outcome(bucketeer_release_workspaces()); }
*/
import "C"

import (
	"runtime"
	"strings"
	"unsafe"
)

// fault is the error of an outcome. It frees the message.
func fault(outcome C.Outcome) error {
	if outcome.status == C.BUCKETEER_STATUS_OK {
		return nil
	}
	message := "no memory for the message"
	if outcome.message != nil {
		message = C.GoString(outcome.message)
		C.free(unsafe.Pointer(outcome.message))
	}
	return &Error{Status: Status(outcome.status), Message: message}
}

// withName calls with a C string, which is freed afterwards.
func withName(what, name string, call func(*C.char) C.Outcome) error {
	if strings.IndexByte(name, 0) >= 0 {
		return invalid("%s: a zero byte in %q", what, name)
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return fault(call(text))
}

func nativeVersion() string { return C.GoString(C.bucketeer_version()) }

func nativeCurves() []string {
	names := make([]string, C.bucketeer_curve_count())
	for index := range names {
		names[index] = C.GoString(C.bucketeer_curve_name(C.size_t(index)))
	}
	return names
}

func nativeLayout(curve string) (Layout, error) {
	var layout C.BucketeerLayout
	err := withName("curve", curve, func(name *C.char) C.Outcome {
		return C.curve_layout(name, &layout)
	})
	return Layout{
		PointBytes:     int(layout.point_bytes),
		ComponentBytes: int(layout.component_bytes),
		Components:     int(layout.components),
		ScalarBytes:    int(layout.scalar_bytes),
		Edwards:        layout.edwards != 0,
	}, err
}

func nativeReleaseWorkspaces() error { return fault(C.release_workspaces()) }

func nativeOpen(name string, threads uint32) (uint64, error) {
	var id C.uint64_t
	err := withName("device", name, func(name *C.char) C.Outcome {
		return C.device_open(name, C.uint32_t(threads), &id)
	})
	return uint64(id), err
}

func nativeCloseDevice(id uint64) error { return fault(C.device_close(C.uint64_t(id))) }

func nativeFreeBases(id uint64) error { return fault(C.bases_free(C.uint64_t(id))) }

func nativeFreeJob(id uint64) error { return fault(C.job_free(C.uint64_t(id))) }

func nativeDescribeDevice(id uint64) (string, error) {
	return describe(func(out *C.char, size C.size_t, needed *C.size_t) C.Outcome {
		return C.device_describe(C.uint64_t(id), out, size, needed)
	})
}

func nativeDescribeBases(id uint64) (string, error) {
	return describe(func(out *C.char, size C.size_t, needed *C.size_t) C.Outcome {
		return C.bases_describe(C.uint64_t(id), out, size, needed)
	})
}

// describe asks again with more room until the whole text fits.
func describe(call func(*C.char, C.size_t, *C.size_t) C.Outcome) (string, error) {
	size := C.size_t(4096)
	for {
		var needed C.size_t
		text := (*C.char)(C.malloc(size))
		err := fault(call(text, size, &needed))
		if err == nil && needed > size {
			size = needed
			C.free(unsafe.Pointer(text))
			continue
		}
		defer C.free(unsafe.Pointer(text))
		if err != nil {
			return "", err
		}
		return C.GoString(text), nil
	}
}

func flag(set bool) C.uint32_t {
	if set {
		return 1
	}
	return 0
}

func (o *options) native() C.BucketeerOptions {
	return C.BucketeerOptions{
		memory_limit:    C.uint64_t(o.memoryLimit),
		precompute:      C.uint32_t(o.precompute),
		odd_multiples:   C.uint32_t(o.oddMultiples),
		auto_precompute: flag(o.autoPrecompute),
		window_bits:     C.uint32_t(o.windowBits),
		any_point:       flag(o.anyPoint),
		check_subgroup:  flag(o.checkSubgroup),
		verify:          flag(o.verify),
	}
}

func nativePlan(device uint64, curve string, count int, resident bool, o *options) (Plan, error) {
	var plan C.BucketeerPlan
	settings := o.native()
	err := withName("curve", curve, func(name *C.char) C.Outcome {
		return C.plan(C.uint64_t(device), name, C.size_t(count), flag(resident), &settings, &plan)
	})
	return Plan{
		MemoryBytes: uint64(plan.memory_bytes),
		TableBytes:  uint64(plan.table_bytes),
		Nanoseconds: float64(plan.nanoseconds),
		Chunks:      uint64(plan.chunks),
		WindowBits:  uint32(plan.window_bits),
		Precompute:  uint32(plan.precompute),
	}, err
}

func nativeLoad(device uint64, curve string, points vector, o *options) (uint64, error) {
	var id C.uint64_t
	settings := o.native()
	err := withName("curve", curve, func(name *C.char) C.Outcome {
		return C.bases_load(C.uint64_t(device), name, (*C.uint8_t)(points.data),
			C.size_t(points.count), C.uint32_t(points.form), flag(o.trusted), &settings, &id)
	})
	return uint64(id), err
}

func nativeMSM(
	bases uint64, first int, scalars vector, form Form, out unsafe.Pointer, size int,
) error {
	return fault(C.msm(C.uint64_t(bases), C.size_t(first), (*C.uint8_t)(scalars.data),
		C.size_t(scalars.count), C.uint32_t(scalars.form), C.uint32_t(scalars.size),
		C.uint32_t(scalars.bits), C.uint32_t(form), (*C.uint8_t)(out), C.size_t(size)))
}

func nativeMSMBatch(
	bases uint64, first int, batch []vector, form Form, out unsafe.Pointer, size int,
) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	structures := make([]C.BucketeerScalars, len(batch))
	for index, scalars := range batch {
		if scalars.count > 0 {
			pinner.Pin(scalars.data)
		}
		structures[index] = C.BucketeerScalars{
			data: scalars.data, count: C.size_t(scalars.count), form: C.uint32_t(scalars.form),
			size: C.uint32_t(scalars.size), bits: C.uint32_t(scalars.bits),
		}
	}
	return fault(C.msm_batch(C.uint64_t(bases), C.size_t(first), unsafe.SliceData(structures),
		C.size_t(len(batch)), C.uint32_t(form), (*C.uint8_t)(out), C.size_t(size)))
}

func nativeMSMOnce(
	device uint64, curve string, points, scalars vector, o *options, out unsafe.Pointer, size int,
) error {
	settings := o.native()
	return withName("curve", curve, func(name *C.char) C.Outcome {
		return C.msm_once(C.uint64_t(device), name, (*C.uint8_t)(points.data),
			C.size_t(points.count), C.uint32_t(points.form), flag(o.trusted),
			(*C.uint8_t)(scalars.data), C.size_t(scalars.count), C.uint32_t(scalars.form),
			C.uint32_t(scalars.size), C.uint32_t(scalars.bits), &settings, (*C.uint8_t)(out),
			C.size_t(size))
	})
}

func nativeSubmit(bases uint64, first int, scalars vector) (uint64, error) {
	var id C.uint64_t
	err := fault(C.submit(C.uint64_t(bases), C.size_t(first), (*C.uint8_t)(scalars.data),
		C.size_t(scalars.count), C.uint32_t(scalars.form), C.uint32_t(scalars.size),
		C.uint32_t(scalars.bits), &id))
	return uint64(id), err
}

func nativeWait(job uint64, form Form, out unsafe.Pointer, size int) error {
	return fault(C.job_wait(C.uint64_t(job), C.uint32_t(form), (*C.uint8_t)(out), C.size_t(size)))
}

func nativeFinished(job uint64) (bool, error) {
	var finished C.uint32_t
	err := fault(C.job_is_finished(C.uint64_t(job), &finished))
	return finished != 0, err
}

func nativeCancel(job uint64) error { return fault(C.job_cancel(C.uint64_t(job))) }
