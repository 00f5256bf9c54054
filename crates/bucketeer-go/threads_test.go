package bucketeer_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"bucketeer"
)

// Eight goroutines at once, on the same bases and on their own, while the garbage collector runs
// all the time. Scalars are allocated anew for every run and dropped after it.
func TestGoroutines(t *testing.T) {
	const n, runs = 700, 6
	device := anyDevice(t)
	c := named("bls12-381-g1")
	points := cycle[affine6](c, n)
	shared := must(bucketeer.Load(device, c.name, points))(t)
	defer shared.Close()

	stop := make(chan struct{})
	var collector, workers sync.WaitGroup
	collector.Add(1)
	go func() {
		defer collector.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for worker := range 8 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			scalars := c.random(n, uint64(worker))
			want := cycleSum(c, scalars)
			fresh := func() []element4 {
				return packScalars[element4](c, scalars, bucketeer.Montgomery)
			}
			for run := range runs {
				bases := shared
				if worker%2 == 1 {
					bases = must(bucketeer.Load(device, c.name, cycle[affine6](c, n)))(t)
				}
				var sum affine6
				switch run % 3 {
				case 0:
					sum = must(bases.MSM(fresh()))(t)
				case 1:
					job := must(bases.Submit(fresh()))(t)
					sum = must(job.Wait())(t)
				default:
					sum = must(bases.MSMBatch([][]element4{fresh()[:9], fresh()}))(t)[1]
				}
				isPoint(t, c, "goroutine", sum, want, bucketeer.Montgomery)
				// An error of this goroutine has this goroutine's message.
				_, err := bases.MSM(make([]element4, n+worker+1))
				fails(t, "lengths", err, bucketeer.ErrInvalidInput, strconv.Itoa(n+worker+1))
				if worker%4 == 1 { // Others leave theirs to the garbage collector.
					bases.Close()
				}
			}
		}()
	}
	workers.Wait()
	close(stop)
	collector.Wait()
}

// Bases that one goroutine closes while others use them: a sum or ErrClosed.
func TestCloseDuringRuns(t *testing.T) {
	c, device := named("bn254-g1"), anyDevice(t)
	scalars := c.random(500, 4)
	want := cycleSum(c, scalars)
	packed := packScalars[element4](c, scalars, bucketeer.Montgomery)
	for range 10 {
		bases := must(bucketeer.Load(device, "bn254", cycle[affine4](c, 500)))(t)
		var workers sync.WaitGroup
		for range 4 {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for range 100 {
					sum, err := bases.MSM(packed)
					if err != nil {
						fails(t, "close during runs", err, bucketeer.ErrClosed)
						return
					}
					isPoint(t, c, "close during runs", sum, want, bucketeer.Montgomery)
				}
				t.Error("never closed")
			}()
		}
		isPoint(t, c, "before", must(bases.MSM(packed))(t), want, bucketeer.Montgomery)
		bases.Close()
		workers.Wait()
	}
}

// resident is the memory of this process, in MiB.
func resident(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc")
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			return must(strconv.Atoi(fields[1]))(t) >> 10
		}
	}
	t.Skip("no VmRSS")
	return 0
}

// The memory that 200 loads leave behind is less than that of a quarter of them.
func TestMemoryStaysFlat(t *testing.T) {
	const n, loads = 1 << 13, 200
	c, device := named("bn254-g1"), cpu(t)
	points, scalars := cycle[affine4](c, n), make([]uint8, n)
	const limit = n * 64 * loads / 4 >> 20
	for what, end := range map[string]func(*bucketeer.Bases[affine4], *bucketeer.Job[affine4]){
		"closed": func(bases *bucketeer.Bases[affine4], job *bucketeer.Job[affine4]) {
			bases.Close()
			job.Close()
		},
		"collected": func(*bucketeer.Bases[affine4], *bucketeer.Job[affine4]) { runtime.GC() },
	} {
		before := 0
		for load := range loads + 20 {
			if load == 20 {
				before = resident(t)
			}
			bases := must(bucketeer.Load(device, "bn254", points, bucketeer.Trusted()))(t)
			job := must(bases.Submit(scalars))(t)
			must(job.Wait())(t)
			if _, err := bases.MSM("wrong"); err == nil {
				t.Fatal("no error")
			}
			end(bases, job)
		}
		if after := resident(t); after-before > limit {
			t.Errorf("%s: from %d to %d MiB, more than %d", what, before, after, limit)
		}
	}
}

// Messages of errors are freed.
func TestErrorsLeaveNothing(t *testing.T) {
	name := strings.Repeat("x", 1000)
	before := 0
	for call := range 30_000 {
		if call == 1000 {
			before = resident(t)
		}
		if _, err := bucketeer.LayoutOf(name); err == nil {
			t.Fatal("no error")
		}
	}
	if after := resident(t); after-before > 16 {
		t.Errorf("from %d to %d MiB", before, after)
	}
}
