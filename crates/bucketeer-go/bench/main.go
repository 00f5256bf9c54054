// Command bench measures what an MSM costs more from Go than from C:
//
//	go run ./bench
//
// Both sides make the same call with the same data on bases of their own: Go calls Bases.MSM, and a
// loop in C calls bucketeer_msm. Rounds of both alternate, and each round of Go is divided by the
// one of C next to it, so that a slow moment of the machine hits both. The median of the ratios is
// the overhead. It is taken of the processor time of the whole process, which other processes
// disturb less than the time on the clock, and of that time too.
package main

/*
#cgo pkg-config: bucketeer
#include <bucketeer.h>
#include <time.h>

static BucketeerStatus load(const char *curve, uint32_t threads, const uint8_t *data, size_t count,
                            uint64_t *out) {
  BucketeerDevice device;
  BucketeerStatus status = bucketeer_device_open("cpu", threads, &device);
  if (status != BUCKETEER_STATUS_OK) return status;
  BucketeerPoints points = {data, count, 0, BUCKETEER_FORM_MONTGOMERY, 0};
  status = bucketeer_bases_load(device, curve, &points, NULL, (BucketeerBases *)out);
  bucketeer_device_close(device);
  return status;
}

static double nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

typedef struct {
  double clock;
  double processor;
} Times;

static Times now(void) {
  return (Times){nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID)};
}

// The times of these calls; negative if one fails.
static Times run(uint64_t bases, const uint8_t *data, size_t count, uint8_t *sum, size_t sum_bytes,
                 int calls) {
  Times start = now();
  for (int call = 0; call < calls; call++) {
    BucketeerScalars scalars = {data, count, 0, BUCKETEER_FORM_MONTGOMERY, 0, 0, 0};
    BucketeerBases handle = {bases};
    if (bucketeer_msm(handle, 0, &scalars, BUCKETEER_FORM_MONTGOMERY, sum, sum_bytes) !=
        BUCKETEER_STATUS_OK) {
      return (Times){-1, -1};
    }
  }
  Times end = now();
  return (Times){end.clock - start.clock, end.processor - start.processor};
}
*/
import "C"

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"unsafe"

	"bucketeer"
)

var (
	power   = flag.Int("power", 10, "2^power points")
	threads = flag.Int("threads", 1, "threads of the CPU; 0 for all")
	rounds  = flag.Int("rounds", 1000, "rounds of each side")
	calls   = flag.Int("calls", 1, "calls in a round")
)

type (
	scalar   [4]uint64
	bn254    struct{ X, Y [4]uint64 }
	bls12381 struct{ X, Y [6]uint64 }
)

func main() {
	flag.Parse()
	measure("bn254", bn254{
		X: [4]uint64{0xd35d438dc58f0d9d, 0xa78eb28f5c70b3d, 0x666ea36f7879462c, 0xe0a77c19a07df2f},
		Y: [4]uint64{0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e},
	})
	measure("bls12-381", bls12381{
		X: [6]uint64{0x5cb38790fd530c16, 0x7817fc679976fff5, 0x154f95c7143ba1c1,
			0xf0ae6acdf3d0e747, 0xedce6ecc21dbf440, 0x120177419e0bfb75},
		Y: [6]uint64{0xbaac93d50ce72271, 0x8c22631a7918fd8e, 0xdd595f13570725ce,
			0x51ac582950405194, 0xe1c8c3fad0059c0, 0xbbc3efc5008a26a},
	})
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// random is a residue of any curve here: below 2^252.
func random() (k scalar) {
	for i := range k {
		k[i] = rand.Uint64()
	}
	k[3] >>= 12
	return k
}

func measure[P comparable](curve string, generator P) {
	device := must(bucketeer.OpenCPU(uint32(*threads)))
	n := 1 << *power
	multiples := make([][]scalar, n)
	scalars := make([]scalar, n)
	for i := range n {
		multiples[i], scalars[i] = []scalar{random()}, random()
	}
	single := must(bucketeer.Load(device, curve, []P{generator}))
	points := must(single.MSMBatch(multiples))
	bases := must(bucketeer.Load(device, curve, points))

	var inC C.uint64_t
	data := func(first unsafe.Pointer) *C.uint8_t { return (*C.uint8_t)(first) }
	status := C.load(C.CString(curve), C.uint32_t(*threads), data(unsafe.Pointer(&points[0])),
		C.size_t(n), &inC)
	if status != C.BUCKETEER_STATUS_OK {
		log.Fatalf("%s: C cannot load: status %d", curve, status)
	}
	var sum, sumInC P
	fromGo := func() C.Times {
		start := C.now()
		for range *calls {
			sum = must(bases.MSM(scalars))
		}
		end := C.now()
		return C.Times{clock: end.clock - start.clock, processor: end.processor - start.processor}
	}
	fromC := func() C.Times {
		took := C.run(inC, data(unsafe.Pointer(&scalars[0])), C.size_t(n),
			data(unsafe.Pointer(&sumInC)), C.size_t(unsafe.Sizeof(sumInC)), C.int(*calls))
		if took.clock < 0 {
			log.Fatalf("%s: C cannot run", curve)
		}
		return took
	}
	var goTimes, cTimes []C.Times
	for round := range *rounds {
		var g, c C.Times
		if round%2 == 0 { // Neither side is always the first.
			g, c = fromGo(), fromC()
		} else {
			c, g = fromC(), fromGo()
		}
		goTimes, cTimes = append(goTimes, g), append(cTimes, c)
	}
	if sum != sumInC {
		log.Fatalf("%s: Go and C disagree", curve)
	}
	processor := func(times C.Times) float64 { return float64(times.processor) }
	clock := func(times C.Times) float64 { return float64(times.clock) }
	fmt.Printf("%s, 2^%d\n", curve, *power)
	report("processor time", goTimes, cTimes, processor)
	report("time on the clock", goTimes, cTimes, clock)
}

func report(what string, goTimes, cTimes []C.Times, of func(C.Times) float64) {
	var inGo, inC, ratios []float64
	for i := range goTimes {
		inGo, inC = append(inGo, of(goTimes[i])), append(inC, of(cTimes[i]))
		ratios = append(ratios, inGo[i]/inC[i])
	}
	unit := 1e3 * float64(*calls)
	fmt.Printf("  %-17s Go %.1f µs, C %.1f µs, overhead %+.2f %%; fastest Go %.1f µs, C %.1f µs\n",
		what, middle(inGo)/unit, middle(inC)/unit, (middle(ratios)-1)*100, slices.Min(inGo)/unit,
		slices.Min(inC)/unit)
}

func middle(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
