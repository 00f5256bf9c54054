package bucketeer

import (
	"context"
	"runtime"
	"unsafe"
)

// Job is an MSM in the background.
type Job[P any] struct {
	handle *handle
	form   Form
}

// Submit starts an [Bases.MSM] in the background. The scalars are copied before it returns, and the
// bases may be closed while the job runs.
func (b *Bases[P]) Submit(scalars any) (*Job[P], error) { return b.SubmitFrom(0, scalars) }

// SubmitFrom is a [Bases.Submit] over the bases from base first on.
func (b *Bases[P]) SubmitFrom(first int, scalars any) (*Job[P], error) {
	var job uint64
	err := b.use(func(id uint64) error {
		packed, err := b.scalars(first, scalars)
		if err != nil {
			return err
		}
		job, err = nativeSubmit(id, first, packed)
		return err
	})
	runtime.KeepAlive(scalars)
	if err != nil {
		return nil, err
	}
	return &Job[P]{handle: newHandle("the job", job, nativeFreeJob), form: b.form}, nil
}

func (j *Job[P]) use(call func(id uint64) error) error {
	if j == nil {
		return (*handle)(nil).use(call)
	}
	return j.handle.use(call)
}

// Wait waits for the sum. It may be called again, and by several goroutines.
func (j *Job[P]) Wait() (P, error) {
	var sum, none P
	err := j.use(func(id uint64) error {
		return nativeWait(id, j.form, unsafe.Pointer(&sum), int(unsafe.Sizeof(sum)))
	})
	if err != nil {
		return none, err
	}
	return sum, nil
}

// WaitContext is a [Job.Wait] that cancels the job, for all that wait, when the context is done.
func (j *Job[P]) WaitContext(ctx context.Context) (P, error) {
	stop := context.AfterFunc(ctx, func() { _ = j.Cancel() })
	defer stop()
	return j.Wait()
}

// Finished reports whether the job has ended, with a sum or an error.
func (j *Job[P]) Finished() (finished bool, err error) {
	err = j.use(func(id uint64) error {
		finished, err = nativeFinished(id)
		return err
	})
	return finished, err
}

// Cancel makes the job end with [ErrCancelled] at its next step, unless it has ended.
func (j *Job[P]) Cancel() error { return j.use(nativeCancel) }

// Close frees the job. One that still runs is cancelled, and not waited for.
func (j *Job[P]) Close() error {
	if j == nil {
		return nil
	}
	return j.handle.close()
}
