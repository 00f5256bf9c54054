"""Points and scalars as bytes, and the device of the tests."""

import os
import random

import bucketeer
from parameters import CURVES

LIMB = 8
# The device of MSMs, where a test is not of devices; without the variable the best one.
NAME = os.environ.get("BUCKETEER_TEST_DEVICE")
DEVICE = bucketeer.Device(NAME) if NAME else None


def load(*arguments, **options):
    return bucketeer.Bases(*arguments, device=DEVICE, **options)


def msm(*arguments, **options):
    return bucketeer.msm(*arguments, device=DEVICE, **options)


def component_bytes(curve):
    return (curve.field.p.bit_length() + 63) // 64 * LIMB


def scalar_bytes(curve):
    return (curve.order.bit_length() + 63) // 64 * LIMB


def element(value, modulus, size, form):
    """An integer modulo ``modulus`` as ``size`` bytes."""
    if form == "montgomery":
        value = (value << (8 * size)) % modulus
    return value.to_bytes(size, "big" if form == "big-endian" else "little")


def pack_point(curve, point, form="little-endian"):
    size = component_bytes(curve)
    if point is None:
        return bytes(2 * size * (1 if curve.field.non_residue is None else 2))
    parts = [part for x in point for part in (x if isinstance(x, tuple) else (x,))]
    return b"".join(element(part, curve.field.p, size, form) for part in parts)


def pack_points(curve, points, form="little-endian"):
    return b"".join(pack_point(curve, point, form) for point in points)


def pack_scalars(curve, scalars, form="little-endian"):
    size = scalar_bytes(curve)
    return b"".join(element(scalar, curve.order, size, form) for scalar in scalars)


def multiples(curve, n):
    """G, 2·G, … n·G."""
    points = [curve.generator]
    while len(points) < n:
        points.append(curve.add(points[-1], curve.generator))
    return points[:n]


def random_scalars(curve, n, seed):
    source = random.Random(seed)
    return [source.randrange(curve.order) for _ in range(n)]


def xy(point):
    """A result as the reference has it."""
    return None if point.x is None else (point.x, point.y)


BN254 = CURVES["bn254-g1"]
