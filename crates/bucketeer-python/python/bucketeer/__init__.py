"""Fast multi-scalar multiplication over elliptic curves, on CPUs and GPUs.

    import bucketeer
    print(bucketeer.msm("bn254", [(1, 2), None], [3, 4]))

``__init__.pyi`` documents every class and function.
"""

from ._errors import (
    Cancelled,
    DeviceFailed,
    Error,
    InvalidInput,
    NoDevice,
    OutOfMemory,
    VerificationFailed,
)
from ._native import (
    Bases,
    Curve,
    Device,
    Job,
    Plan,
    Point,
    __version__,
    curves,
    devices,
    msm,
    plan,
)

__all__ = [
    "Bases",
    "Cancelled",
    "Curve",
    "Device",
    "DeviceFailed",
    "Error",
    "InvalidInput",
    "Job",
    "NoDevice",
    "OutOfMemory",
    "Plan",
    "Point",
    "VerificationFailed",
    "__version__",
    "curves",
    "devices",
    "msm",
    "plan",
]
