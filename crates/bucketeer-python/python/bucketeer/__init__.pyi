"""Fast multi-scalar multiplication over elliptic curves, on CPUs and GPUs.

Points are objects with the buffer protocol (numpy arrays, bytes, memoryview, …) or sequences of
pairs ``(x, y)`` of integers. A point is x, then y; a coordinate over a quadratic extension is c0,
then c1. All zeros are the point at infinity, except on Edwards curves, whose neutral element is
(0, 1).

Scalars are arrays of integers, bytes, or sequences of integers; see ``Bases.msm``.

The GIL is released while points and scalars are read and while a device computes. Other threads
must not write to their memory meanwhile.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Literal, Protocol, TypeAlias, final

from ._errors import Cancelled as Cancelled
from ._errors import DeviceFailed as DeviceFailed
from ._errors import Error as Error
from ._errors import InvalidInput as InvalidInput
from ._errors import NoDevice as NoDevice
from ._errors import OutOfMemory as OutOfMemory
from ._errors import VerificationFailed as VerificationFailed

class _Buffer(Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...

class _Array(Protocol):
    """numpy's arrays, whose stubs declare no ``__buffer__`` before Python 3.12."""

    @property
    def dtype(self) -> object: ...

class _Integer(Protocol):
    def __index__(self) -> int: ...

_Memory: TypeAlias = _Buffer | _Array | bytes | bytearray | memoryview
_Coordinate: TypeAlias = _Integer | tuple[_Integer, _Integer]
_Points: TypeAlias = _Memory | Iterable[tuple[_Coordinate, _Coordinate] | Point | None]
_Scalars: TypeAlias = _Memory | Iterable[_Integer]
_Form: TypeAlias = Literal["montgomery", "little-endian", "big-endian"]
_Check: TypeAlias = Literal["curve", "subgroup", "none"]

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

__version__: str

@final
class Curve:
    """A named curve. Case, hyphens and underscores of the name do not matter."""

    def __new__(cls, name: str) -> Curve: ...
    @property
    def name(self) -> str:
        """Full name."""
    @property
    def order(self) -> int:
        """Prime order of the group: scalars are integers modulo it."""
    @property
    def modulus(self) -> int:
        """Characteristic of the field of coordinates."""
    @property
    def point_bytes(self) -> int:
        """Bytes of a packed point."""
    @property
    def scalar_bytes(self) -> int:
        """Bytes of a packed scalar."""

@final
class Device:
    """A processor to run on: ``auto`` (an NVIDIA GPU if there is one, otherwise the CPU), ``cpu``,
    ``cuda:0``, ``cuda:0,1``, ``webgpu:0``. It is never silently another one."""

    def __new__(cls, name: str = "auto", *, threads: int | None = None) -> Device: ...
    @property
    def kind(self) -> Literal["cpu", "cuda", "webgpu"]:
        """What sort of processor it is."""
    @property
    def threads(self) -> int:
        """Threads of a CPU, multiprocessors of a GPU."""
    @property
    def memory(self) -> int:
        """Bytes it may allocate now."""

@final
class Point:
    """The sum of an MSM. Points are equal if their curves and coordinates are."""

    @property
    def curve(self) -> str:
        """Name of the curve."""
    @property
    def x(self) -> int | tuple[int, int] | None:
        """The coordinate x, a pair over a quadratic extension; ``None`` at infinity."""
    @property
    def y(self) -> int | tuple[int, int] | None:
        """The coordinate y, a pair over a quadratic extension; ``None`` at infinity."""
    @property
    def is_infinity(self) -> bool:
        """Whether it is the neutral element: infinity, or (0, 1) on an Edwards curve."""
    @property
    def timings(self) -> dict[str, float]:
        """Seconds in each stage of the run that made it; empty after a batch."""
    def to_bytes(self, form: _Form = "little-endian") -> bytes:
        """x, then y; all zeros at infinity."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Plan:
    """Every decision of a run; ``str(plan)`` explains them."""

    @property
    def bytes(self) -> int:
        """The most that a run allocates beyond its inputs, table included."""
    @property
    def table_bytes(self) -> int:
        """Bytes of the bases on the device, with their precomputed multiples."""
    @property
    def buffers(self) -> dict[str, int]:
        """Bytes of each buffer."""
    @property
    def seconds(self) -> float:
        """Predicted time of a run."""
    @property
    def window_bits(self) -> int:
        """Bits of a window."""
    @property
    def precompute(self) -> int:
        """Shifted copies of each base."""
    @property
    def resident(self) -> bool:
        """Whether the bases stay on the device; they do not where their table is too large."""

@final
class Bases:
    """Points on a device, for many MSMs.

    ``points``: memory with a point in each row or with adjacent points, whose coordinates are in
    ``form`` ("little-endian" by default), or a sequence of pairs (x, y), ``Point`` and ``None``.
    ``device``: a ``Device`` or its name; the best one by default.
    ``check``: that points are on the "curve" or in its "subgroup" of prime order; "none" trusts.
    ``any_point``: right sums also for points outside that subgroup, a little slower.
    ``precompute``: shifted copies of each base to store, or "auto": slower to load, faster to run.
    ``window_bits``: bits of a window, 1 to 26. ``memory_limit``: most bytes beyond the inputs.
    ``verify``: every run verifies its sums by a second computation; ``VerificationFailed`` if not.
    """

    def __new__(
        cls,
        curve: str,
        points: _Points,
        *,
        device: Device | str | None = None,
        form: _Form | None = None,
        check: _Check = "curve",
        any_point: bool = False,
        precompute: int | Literal["auto"] | None = None,
        window_bits: int | None = None,
        memory_limit: int | None = None,
        verify: bool = False,
    ) -> Bases: ...
    def __len__(self) -> int: ...
    @property
    def curve(self) -> str:
        """Name of the curve."""
    @property
    def device(self) -> Device:
        """Where the bases are."""
    @property
    def plan(self) -> Plan:
        """The plan of one MSM over all bases."""
    def msm(self, scalars: _Scalars, *, first: int = 0, form: _Form | None = None) -> Point:
        """The sum of the products of scalars and bases, from base ``first`` on.

        Without a ``form``:

        - a one-dimensional array of integers or booleans has a scalar in each item;
        - an array of more dimensions has a little-endian scalar in each row;
        - ``bytes`` and other buffers of single bytes have adjacent little-endian scalars;
        - a sequence of Python's integers, which may be negative or above the order, is itself.

        With one, the memory of any array or buffer has scalars in this form, in rows or adjacent.
        Such scalars must be below the order. Fewer scalars than bases use the first bases.
        """
    def msm_batch(
        self, batch: Iterable[_Scalars], *, first: int = 0, form: _Form | None = None
    ) -> list[Point]:
        """One sum for each scalars of ``batch``. Their numbers may differ."""
    def submit(self, scalars: _Scalars, *, first: int = 0, form: _Form | None = None) -> Job:
        """An MSM in the background. The scalars are copied."""

@final
class Job:
    """An MSM that runs in the background. It is cancelled when it is garbage, and at the end of a
    ``with`` block. Any thread may use it."""

    def wait(self, timeout: float | None = None) -> Point:
        """The sum. Raises ``TimeoutError`` after ``timeout`` seconds, ``Cancelled`` after
        ``cancel``."""
    def done(self) -> bool:
        """Whether it has ended, with a sum or an error."""
    def cancel(self) -> None:
        """Makes it end at its next step, unless it has ended."""
    def __enter__(self) -> Job: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

def msm(
    curve: str,
    points: _Points,
    scalars: _Scalars,
    *,
    device: Device | str | None = None,
    form: _Form | None = None,
    scalar_form: _Form | None = None,
    check: _Check = "curve",
    any_point: bool = False,
    window_bits: int | None = None,
    memory_limit: int | None = None,
    verify: bool = False,
) -> Point:
    """One MSM over points that are not kept. ``form`` is that of the points; arguments are those of
    ``Bases`` and ``Bases.msm``."""

def plan(
    curve: str,
    n: int,
    *,
    device: Device | str | None = None,
    batch: int = 1,
    resident: bool = True,
    precompute: int | Literal["auto"] | None = None,
    window_bits: int | None = None,
    memory_limit: int | None = None,
    any_point: bool = False,
) -> Plan:
    """What MSMs over ``n`` bases would do and how much memory they would take, without loading
    anything. ``resident=False``: one MSM over points that are not kept."""

def curves() -> list[str]:
    """The names of all curves."""

def devices() -> list[str]:
    """The names of the devices that are present."""
