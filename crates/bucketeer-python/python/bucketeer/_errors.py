"""The exceptions that the native part raises."""


class Error(Exception):
    """Everything that can go wrong, with what and where."""


class InvalidInput(Error, ValueError):
    """Points, scalars, names or settings that cannot be used."""


class NoDevice(Error):
    """The device does not exist or cannot be used. The message says what is missing."""


class OutOfMemory(Error, MemoryError):
    """The smallest plan needs more memory than is available."""


class Cancelled(Error):
    """The job was cancelled."""


class DeviceFailed(Error):
    """The device failed during a run. Nothing was computed."""


class VerificationFailed(Error):
    """A sum that was to be verified is not right: the device or the memory has failed."""


for _class in (
    Error, InvalidInput, NoDevice, OutOfMemory, Cancelled, DeviceFailed, VerificationFailed,
):
    _class.__module__ = "bucketeer"
