package bucketeer

import (
	"runtime"
	"sync/atomic"
)

// handle is the number of something that the library keeps; 0 after closing. Numbers are never
// given out twice, so one that another goroutine has just closed is an error and nothing worse.
type handle struct {
	id   atomic.Uint64
	what string
	free func(uint64) error
}

// newHandle frees a number when the garbage collector finds that nothing refers to the handle.
func newHandle(what string, id uint64, free func(uint64) error) *handle {
	h := &handle{what: what, free: free}
	h.id.Store(id)
	runtime.SetFinalizer(h, func(h *handle) { _ = h.close() })
	return h
}

// use calls with the number. The handle is reachable, and so not freed by the garbage collector,
// until the call returns.
func (h *handle) use(call func(id uint64) error) error {
	if h == nil {
		return &Error{Status: ErrInvalidArgument, Message: "nothing was opened", closed: true}
	}
	id := h.id.Load()
	if id == 0 {
		return &Error{Status: ErrInvalidArgument, Message: h.what + ": closed", closed: true}
	}
	err := call(id)
	// Another goroutine may have closed it between the two lines above.
	if known, ok := err.(*Error); ok && known.Status == ErrInvalidArgument && h.id.Load() == 0 {
		known.closed = true
	}
	runtime.KeepAlive(h)
	return err
}

func (h *handle) close() error {
	if h == nil {
		return nil
	}
	id := h.id.Swap(0)
	if id == 0 {
		return nil
	}
	runtime.SetFinalizer(h, nil)
	return h.free(id)
}
