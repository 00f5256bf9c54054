"""Readers of docs/benchmarks/data. Everything that is plotted comes through here."""

import json
import re
from pathlib import Path
from statistics import median

DATA = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "data"
MILLISECONDS = {"µs": 1e-3, "ms": 1, "s": 1e3}


def text(name):
    return (DATA / name).read_text()


def tables(name, header):
    """Milliseconds per size and curve from the tables of `bucketeer bench`.

    `header` is a regular expression of the line above a table; its group is the curve. The first
    table of a curve and size counts.
    """
    found, curve = {}, None
    for line in text(name).splitlines():
        if line.startswith(("$", "==")):
            match = re.fullmatch(header, line)
            curve = match and match.group(1)
        row = re.match(r"bucketeer +2\^(\d+) +([\d.]+) (µs|ms|s) ", line)
        if row and curve:
            time = float(row.group(2)) * MILLISECONDS[row.group(3)]
            found.setdefault(curve, {}).setdefault(2 ** int(row.group(1)), time)
    return found


def h200():
    """Milliseconds per size and curve on CUDA, as the table of h200.md has them."""
    found = tables("h200-cuda-tables.txt", r"\$ bucketeer bench --device cuda --curve (\S+) -n \S+")
    curve = None
    last_state = text("h200-bench.txt").split("Last state of the code")[1].split("The same")[0]
    for line in last_state.splitlines():
        row = re.match(r"(\d+) ([\d.]+) ms load", line)
        if row:
            found[curve][int(row.group(1))] = float(row.group(2))
        elif re.fullmatch(r"[a-z0-9-]+", line):
            curve = line
    for curve in ("bls12-381", "bn254"):
        found[curve][2**26] = h200_stages(curve)["median_seconds"] * 1e3
    header = r"\$ bucketeer bench --device cuda --curve (\S+) -n 2\^26"
    found["bls12-377"] |= tables("h200-cuda-2e26.txt", header)["bls12-377"]
    return found


def h200_stages(curve):
    """The one result of a run of 2^26."""
    return json.loads(text(f"h200-{curve}-2e26.json"))["results"][0]


def h200_webgpu():
    return tables("h200-webgpu.txt", r"== (\S+)") | {
        # Its first table was measured with cold clocks, as the file says.
        "bls12-381": tables("h200-webgpu.txt", r"== (bls12-381), again")["bls12-381"]
    }


def cases(*names):
    """The samples in seconds of `./bench --json` by (curve, contestant, size)."""
    return {
        (case["curve"], case["contestant"], case["n"]): case["seconds"]
        for name in names
        for case in json.loads(text(name))["cases"]
    }


def ratios(samples, peer):
    """Per curve and size: the median over the rounds of the peer's time over Bucketeer's."""
    found = {}
    for (curve, contestant, n), seconds in sorted(samples.items()):
        if contestant == peer:
            ours = samples[curve, "Bucketeer", n]
            rounds = [their / our for their, our in zip(seconds, ours, strict=True)]
            found.setdefault(curve, {})[n] = median(rounds)
    return found


def threads():
    """Seconds by (curve, size, batch) and number of threads."""
    found = {}
    for line in text("cpu-threads.txt").splitlines():
        if line.startswith("{"):
            run = json.loads(line)
            count = int(re.match(r"cpu, (\d+) thread", run["device"]).group(1))
            result = run["results"][0]
            case = (run["curve"], result["n"], run["batch"])
            found.setdefault(case, {})[count] = result["median_seconds"]
    return found


def eip4844(count):
    """Milliseconds by operation and library on `count` threads."""
    part = text("eip4844.txt").split(f"{count} thread(s);")[1].split("thread(s);")[0]
    columns = ["c-kzg", "rust_eth_kzg", "Bucketeer", "with a table"]
    found = {}
    for line in part.splitlines():
        if line.startswith(("commitment", "proof")):
            times = re.findall(r"([\d.]+) \(", line)
            found[re.split(" {2,}", line)[0]] = dict(zip(columns, map(float, times), strict=True))
    return found


def provers():
    return json.loads(text("provers.json"))["provers"]


def snarkjs():
    return json.loads(text("groth16-snarkjs.json"))
