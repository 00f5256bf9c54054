#!/usr/bin/env python3
"""What a call from Python costs beyond the same call from Rust.

    cargo build --release -p bucketeer-python --lib --example overhead
    crates/bucketeer-python/bench.py [FOLDER]        # of the build; target/release by default

Both run the same MSMs over resident bases of BN254 on one thread, turn by turn. That thread
computes, and the calling thread waits: its CPU time is what calling costs. That of Python less that
of Rust is the overhead. Between two calls of n = 1 nothing else runs on the calling thread's
processor. In those of 2^10 it sleeps for milliseconds: on a loaded machine other programs then
empty its caches, and what is measured is filling them. Whole calls are shown for scale: the points
and scalars of both sides are not the same.
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
    """Of the time of a call, and of the CPU time of this thread: least and median, in µs."""
    walls, own = [], []
    gc.disable()
    for _ in range(CALLS):
        start, own_start = time.perf_counter_ns(), time.thread_time_ns()
        bases.msm(scalars, form="montgomery")
        own.append((time.thread_time_ns() - own_start) / 1e3)
        walls.append((time.perf_counter_ns() - start) / 1e3)
    gc.enable()
    return [min(walls), statistics.median(walls), min(own), statistics.median(own)]


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
    print("               whole call         calling thread")
    print("n              least  median      least  median")
    order, device = bucketeer.Curve("bn254").order, bucketeer.Device("cpu", threads=1)
    for n in SIZES:
        # Powers modulo the order, taken as Montgomery words: as uniform as residues are.
        powers = (pow(0x9E3779B97F4A7C15, i + 2, order) for i in range(n))
        scalars = b"".join(power.to_bytes(32, "little") for power in powers)
        points = [bucketeer.msm("bn254", [(1, 2)], [i + 1]) for i in range(n)]
        bases = bucketeer.Bases("bn254", points, device=device)
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
