#!/usr/bin/env python3
"""What a call from Python costs beyond the same call from Rust.

    cargo build --release -p bucketeer-python --lib --example overhead
    crates/bucketeer-python/bench.py [FOLDER]        # of the build; target/release by default

Both run the same MSMs over resident bases of BN254 on the CPU, turn by turn. An MSM reports the
time of its stages. What a call takes beyond them is the cost of calling: that of Python less that
of Rust is the overhead. On a loaded machine threads wait for a processor inside and outside of
stages, which shows in medians and not in the least values.
"""

import gc
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIZES, CALLS, ROUNDS = [1, 1 << 10], 300, 7
# Of the rounds: the least of the least, the median of the medians.
CHOICE = [min, statistics.median, min, statistics.median]


def import_package(folder, own):
    """The package with the library of this build."""
    package = pathlib.Path(own) / "bucketeer"
    shutil.copytree(pathlib.Path(__file__).parent / "python/bucketeer", package)
    shutil.copy(folder / "libbucketeer_python.so", package / "_native.abi3.so")
    sys.path.insert(0, own)
    import bucketeer

    return bucketeer


def python_calls(bases, scalars):
    """Of the time of a call, and of the part outside of its stages: least and median, in µs."""
    walls, outside = [], []
    gc.disable()
    for _ in range(CALLS):
        start = time.perf_counter_ns()
        point = bases.msm(scalars, form="montgomery")
        wall = (time.perf_counter_ns() - start) / 1e3
        walls.append(wall)
        outside.append(wall - 1e6 * sum(point.timings.values()))
    gc.enable()
    return [min(walls), statistics.median(walls), min(outside), statistics.median(outside)]


def rust_calls(program, n):
    line = subprocess.check_output([program, str(n), str(CALLS)], text=True)
    return [float(number) for number in line.split()]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else target / "release"
    with tempfile.TemporaryDirectory() as own:
        bucketeer = import_package(folder, own)
        measure(bucketeer, folder / "examples/overhead")


def measure(bucketeer, program):
    print(f"µs, {ROUNDS} rounds of {CALLS} calls, load average {os.getloadavg()[0]:.1f}")
    print("               whole call         outside of stages")
    print("n              least  median      least  median")
    order = bucketeer.Curve("bn254").order
    for n in SIZES:
        # Powers modulo the order, taken as Montgomery words: as uniform as residues are.
        powers = (pow(0x9E3779B97F4A7C15, i + 2, order) for i in range(n))
        scalars = b"".join(power.to_bytes(32, "little") for power in powers)
        points = [bucketeer.msm("bn254", [(1, 2)], [i + 1]) for i in range(n)]
        bases = bucketeer.Bases("bn254", points, device="cpu")
        rounds = [(rust_calls(program, n), python_calls(bases, scalars)) for _ in range(ROUNDS)]
        rust, python = (
            [choose(column) for choose, column in zip(CHOICE, zip(*side), strict=True)]
            for side in zip(*rounds, strict=True)
        )
        overhead = [own - other for own, other in zip(python, rust, strict=True)]
        for name, row in [("Rust", rust), ("Python", python), ("overhead", overhead)]:
            print(f"{n:<5} {name:<8}", "{:6.1f}  {:6.1f}     {:6.1f}  {:6.1f}".format(*row))


if __name__ == "__main__":
    main()
