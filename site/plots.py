#!/usr/bin/env python3
"""Draws docs/benchmarks/plots/*.svg from docs/benchmarks/data.

    site/plots.py            writes the plots
    site/plots.py --check    ends with 1 if a plot is not what the data gives
"""

import sys
from math import log2
from pathlib import Path

import data
from charts import bars, dots, lines, stacked

FOLDER = data.DATA.parent / "plots"
CURVES = {
    "bls12-377": "BLS12-377 G1", "bls12-381": "BLS12-381 G1", "bn254": "BN254 G1",
    "ed-on-bls12-377": "Edwards-BLS12", "pallas": "Pallas", "bls12-381-g2": "BLS12-381 G2",
}
# The same colours in every plot.
HUES = {"Bucketeer": 0, "arkworks": 1, "blst": 2, "halo2curves": 3}
TWO_THREADS = ("ifma-two-uniform.json", "ifma-two-20.json")


def h200():
    times = data.h200()
    series = [(name, hue, "", times[curve]) for hue, (curve, name) in enumerate(CURVES.items())]
    return lines(series, "number of bases", "milliseconds per MSM", [0.5, 1, 5, 10, 50, 100, 500])


def h200_webgpu():
    cuda, webgpu = data.h200(), data.h200_webgpu()
    series = []
    for hue, curve in enumerate(("bls12-377", "bls12-381", "bn254")):
        below = {n: time for n, time in cuda[curve].items() if n <= 2**22}
        name = CURVES[curve].removesuffix(" G1")
        series.append((f"{name}, WebGPU", hue, "5 4", webgpu[curve]))
        series.append((f"{name}, CUDA", hue, "", below))
    ticks = [0.5, 1, 2, 5, 10, 20, 50, 100]
    return lines(series, "number of bases", "milliseconds per MSM", ticks, label_width=150)


def h200_stages():
    stages = ["accumulate", "group", "reduce", "combine"]
    groups = []
    for curve in ("bls12-377", "bls12-381", "bn254"):
        result = data.h200_stages(curve)
        parts = [(stage, result["stage_seconds"][stage] * 1e3) for stage in stages]
        rest = result["median_seconds"] * 1e3 - sum(value for _, value in parts)
        groups.append((CURVES[curve], parts + [("rest", rest)]))
    return stacked(groups, "ms", {stage: hue for hue, stage in enumerate([*stages, "rest"])})


def cpu_ratios():
    samples = data.cases(*TWO_THREADS)
    rows = []
    for peer in ("arkworks", "blst", "halo2curves"):
        for curve, values in data.ratios(samples, peer).items():
            label = curve if peer == "arkworks" else f"{curve}, {peer}"
            rows.append((label, HUES[peer], values))
    sizes = [2**8, 2**12, 2**16, 2**18, 2**20]
    return dots(rows, "peer's time ÷ Bucketeer's", sizes)


def cpu_times(curve, peer):
    samples = data.cases(*TWO_THREADS)
    series = []
    for contestant in ("Bucketeer", "arkworks", peer):
        times = {n: data.median(seconds) * 1e3 for (*case, n), seconds in samples.items()
                 if case == [curve, contestant]}
        series.append((contestant, HUES[contestant], "", times))
    ticks = [1, 10, 100, 1000, 10000]
    return lines(series, "number of bases", "milliseconds per MSM", ticks, height=320)


def cpu_threads():
    series = []
    for (curve, n, batch), seconds in data.threads().items():
        if curve == "bn254-g1":
            label = f"{batch} × 2^{int(log2(n))}" if batch > 1 else f"2^{int(log2(n))}"
            speedup = {count: seconds[1] / time for count, time in seconds.items()}
            series.append((label, len(series), "", speedup))
    counts = {count: str(count) for count in (1, 2, 4, 8, 16)}
    return lines(series, "threads", "times as fast as one thread", [1, 2, 4, 8, 16], counts,
                 ideal={count: count for count in counts})


def eip4844():
    hues = {"c-kzg": 1, "rust_eth_kzg": 2, "Bucketeer": 0, "with a table": 0}
    groups = [(operation, list(times.items())) for operation, times in data.eip4844(2).items()]
    return bars(groups, "ms", hues)


def provers():
    names = {"arkworks": "arkworks", "fast": "Fast<E>", "resident": "with Resident"}
    groups = []
    for prover in data.provers():
        if prover["threads"] == 2:
            title = f"{prover['prover']}, 2^{int(log2(prover['n']))}"
            times = [(names[key], prover["median_seconds"][key]) for key in names]
            groups.append((title, times))
    return bars(groups, "s", {"arkworks": 1, "Fast<E>": 0, "with Resident": 0})


def groth16_snarkjs():
    groups = []
    for run in sorted(data.snarkjs(), key=lambda run: (run["curve"], run["domain"])):
        title = f"{run['curve']}, 2^{int(log2(run['domain']))} rows"
        groups.append((title, [(who, run["medians"][who]) for who in ("snarkjs", "bucketeer")]))
    return bars(groups, "s", {"snarkjs": 1, "bucketeer": 0})


PLOTS = {
    "h200": h200, "h200-webgpu": h200_webgpu, "h200-stages": h200_stages,
    "cpu-ratios": cpu_ratios, "cpu-bn254": lambda: cpu_times("bn254-g1", "halo2curves"),
    "cpu-bls12-381": lambda: cpu_times("bls12-381-g1", "blst"), "cpu-threads": cpu_threads,
    "eip4844": eip4844, "provers": provers, "groth16-snarkjs": groth16_snarkjs,
}


def write_or_check(folder, drawings, check):
    """Writes each drawing, or says which file in the folder is not as drawn. Returns that count."""
    stale = 0
    folder.mkdir(exist_ok=True)
    for name, draw in drawings.items():
        path, source = folder / f"{name}.svg", draw().source()
        if not check:
            path.write_text(source)
        elif not path.exists() or path.read_text() != source:
            print(f"{path}: not what its script draws; run the script", file=sys.stderr)
            stale += 1
    for path in set(folder.glob("*.svg")) - {folder / f"{name}.svg" for name in drawings}:
        print(f"{path}: no script draws it", file=sys.stderr)
        stale += 1
    return stale


if __name__ == "__main__":
    sys.exit(1 if write_or_check(FOLDER, PLOTS, "--check" in sys.argv[1:]) else 0)
