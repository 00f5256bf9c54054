package bucketeer

import (
	"errors"
	"fmt"
)

// Status is the kind of an error. The constants are for errors.Is:
//
//	if errors.Is(err, bucketeer.ErrNoDevice) { … }
type Status uint32

const (
	// ErrInvalidArgument is an argument that cannot be used: an unknown name, a type of elements
	// that does not fit the curve, a setting that no plan supports, something closed.
	ErrInvalidArgument Status = 1 + iota
	// ErrInvalidInput means points or scalars that are not valid, or whose numbers do not fit each
	// other.
	ErrInvalidInput
	// ErrNoDevice means that the device does not exist, or the driver or a library for it is
	// missing.
	ErrNoDevice
	// ErrOutOfMemory means that the smallest plan needs more memory than there is.
	ErrOutOfMemory
	// ErrCancelled means that the job was cancelled.
	ErrCancelled
	// ErrDeviceFailed means that a device failed during a run, or that the system could not start a
	// thread.
	ErrDeviceFailed
	// ErrInternal is a bug in Bucketeer.
	ErrInternal
	// ErrVerificationFailed means that a sum that was to be verified is not right: the device or
	// the memory has failed.
	ErrVerificationFailed
)

// ErrClosed is the use of a device, of bases or of a job after its Close.
var ErrClosed = errors.New("bucketeer: closed")

// Error returns the name of the status.
func (s Status) Error() string {
	names := [...]string{
		"ok", "invalid argument", "invalid input", "no device", "out of memory", "cancelled",
		"device failed", "internal error", "verification failed",
	}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown status"
}

// Error is what every function of this package returns when it fails. Nothing was computed then.
type Error struct {
	// Status is the kind of the error.
	Status Status
	// Message says what is wrong, and where.
	Message string

	closed bool
}

// Error returns the message.
func (e *Error) Error() string { return "bucketeer: " + e.Message }

// Is reports whether the error is of this Status, or is [ErrClosed].
func (e *Error) Is(target error) bool {
	return target == e.Status || e.closed && target == ErrClosed
}

func invalid(format string, arguments ...any) error {
	return &Error{Status: ErrInvalidArgument, Message: fmt.Sprintf(format, arguments...)}
}
