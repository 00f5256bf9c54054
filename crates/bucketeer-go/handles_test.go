package bucketeer_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"bucketeer"
)

// cycle repeats the multiples G, …, 32G of a generator, so that sums are known by their logarithms.
func cycle[P any](c *curve, n int) []P {
	pattern := packPoints[P](c, c.multiples(32), bucketeer.Montgomery)
	points := make([]P, n)
	for i := range points {
		points[i] = pattern[i%32]
	}
	return points
}

// cycleSum is the MSM over cycle by its logarithm.
func cycleSum(c *curve, scalars []*big.Int) *point {
	total := new(big.Int)
	for i, k := range scalars {
		total.Add(total, new(big.Int).Mul(k, big.NewInt(int64(i%32+1))))
	}
	return c.multiply(total.Mod(total, c.order), c.generator)
}

func TestUseAfterClose(t *testing.T) {
	device := must(bucketeer.Open("cpu"))(t)
	c := named("bn254-g1")
	points, scalars := cycle[affine4](c, 40), c.random(40, 2)
	packed := packScalars[element4](c, scalars, bucketeer.Montgomery)
	bases := must(bucketeer.Load(device, "bn254", points))(t)
	job := must(bases.Submit(packed))(t)

	for range 2 { // Closing twice does nothing.
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	}
	isPoint(t, c, "device closed", must(bases.MSM(packed))(t), cycleSum(c, scalars), 0)
	for range 2 {
		if err := bases.Close(); err != nil {
			t.Error(err)
		}
	}
	isPoint(t, c, "bases closed", must(job.Wait())(t), cycleSum(c, scalars), 0)
	isPoint(t, c, "waited again", must(job.Wait())(t), cycleSum(c, scalars), 0)
	if finished := must(job.Finished())(t); !finished {
		t.Error("a job that was waited for is not finished")
	}
	for range 2 {
		if err := job.Close(); err != nil {
			t.Error(err)
		}
	}
	refuseAll(t, device, bases, job, points, packed)
	refuseAll(t, &bucketeer.Device{}, &bucketeer.Bases[affine4]{}, &bucketeer.Job[affine4]{}, points,
		packed)
	refuseAll(t, nil, nil, nil, points, packed)
}

func refuseAll(
	t *testing.T, device *bucketeer.Device, bases *bucketeer.Bases[affine4],
	job *bucketeer.Job[affine4], points []affine4, scalars []element4,
) {
	t.Helper()
	_, load := bucketeer.Load(device, "bn254", points)
	_, once := bucketeer.MSM(device, "bn254", points, scalars)
	_, plan := device.Plan("bn254", 1, true)
	_, describe := device.Describe()
	_, msm := bases.MSM(scalars)
	_, batch := bases.MSMBatch([][]element4{scalars})
	_, submit := bases.Submit(scalars)
	_, text := bases.Describe()
	_, wait := job.Wait()
	_, context := job.WaitContext(context.Background())
	_, finished := job.Finished()
	for what, err := range map[string]error{
		"load": load, "once": once, "plan": plan, "describe": describe, "msm": msm, "batch": batch,
		"submit": submit, "text": text, "wait": wait, "context": context, "finished": finished,
		"cancel": job.Cancel(),
	} {
		fails(t, what, err, bucketeer.ErrClosed)
		fails(t, what, err, bucketeer.ErrInvalidArgument)
	}
	if err := errors.Join(device.Close(), bases.Close(), job.Close()); err != nil {
		t.Error(err)
	}
	if count := bases.Len(); count != 0 && count != len(points) {
		t.Errorf("%d bases", count)
	}
}

// A run that takes long enough to be cancelled.
func long(t *testing.T) (*bucketeer.Bases[affine4], []element4) {
	c := named("bn254-g1")
	device := must(bucketeer.OpenCPU(1))(t)
	defer device.Close()
	const n = 1 << 17
	bases := must(bucketeer.Load(device, "bn254", cycle[affine4](c, n), bucketeer.Trusted()))(t)
	t.Cleanup(func() { bases.Close() })
	return bases, packScalars[element4](c, c.random(n, 3), bucketeer.Montgomery)
}

func TestCancelledJobs(t *testing.T) {
	bases, scalars := long(t)
	cancelled := func(what string, err error) {
		t.Helper()
		fails(t, what, err, bucketeer.ErrCancelled)
		if errors.Is(err, bucketeer.ErrClosed) {
			t.Errorf("%s: %v is of two kinds", what, err)
		}
	}
	job := must(bases.Submit(scalars))(t)
	if finished := must(job.Finished())(t); finished {
		t.Error("finished at once")
	}
	if err := job.Cancel(); err != nil {
		t.Error(err)
	}
	_, err := job.Wait()
	cancelled("cancel", err)
	_, err = job.Wait()
	cancelled("waited again", err)
	job.Close()

	job = must(bases.Submit(scalars))(t)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = job.WaitContext(done)
	cancelled("context", err)
	job.Close()

	// One that is closed while a goroutine waits: the wait ends, with a sum or an error.
	job = must(bases.Submit(scalars))(t)
	ended := make(chan error)
	go func() {
		_, err := job.Wait()
		ended <- err
	}()
	job.Close()
	if err := <-ended; err != nil && !errors.Is(err, bucketeer.ErrClosed) &&
		!errors.Is(err, bucketeer.ErrCancelled) {
		t.Error(err)
	}
}
