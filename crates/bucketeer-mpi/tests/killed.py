"""Kills ranks with SIGKILL at random points of runs with a checkpoint. The runs after them compute
only what is missing, with other numbers of ranks, and give the same sum.

    BUCKETEER=… tests/killed.py        # 3 kills
    BUCKETEER=… tests/killed.py 50
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import mpirun

CHUNKS = 64
CHUNK = 1 << 8


def children(pid):
    """Processes that this one has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                # After the name, which may hold anything but a last parenthesis: state, parent.
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(parent) == pid:
                found.append(int(entry.name))
    return found


def kept(folder):
    return len(list(folder.glob("*.sum")))


def main(kills):
    print(f"kills: {kills}", flush=True)
    choice = random.Random(0xb0cce)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        mpirun.alone("generate", "--curve", "bn254", "-n", CHUNKS * CHUNK, "--seed", 3,
                     "--bases", "bases", "--scalars", "scalars", cwd=scratch)
        files = ["--curve", "bn254", "--bases", "bases", "--scalars", "scalars", "--chunk", CHUNK,
                 "--threads", 1, "--no-check"]
        begun = time.monotonic()
        expected = mpirun.answer(2, "msm", "--mpi", *files, cwd=scratch)["result"]
        span = time.monotonic() - begun
        sums, resumed = scratch / "sums", ["msm", "--mpi", *files, "--checkpoint", "sums"]
        killed, finished, most, runs = 0, 0, 0, 0
        while killed < kills:
            ranks = choice.randint(1, 4)
            run = mpirun.start(ranks, *resumed, cwd=scratch)
            if (killed + finished) % 2 == 0:
                # After any number of chunks.
                number = choice.randrange(min(kept(sums), CHUNKS - 1), CHUNKS)
                while kept(sums) <= number and run.poll() is None:
                    time.sleep(0.001)
            else:
                # At any time, which is mostly before the first chunk.
                time.sleep(choice.uniform(0, span))
            found = children(run.pid)
            if found:
                try:
                    os.kill(choice.choice(found), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            run.communicate(timeout=mpirun.SECONDS)
            if run.returncode == 0:
                finished += 1
            elif found:
                killed += 1
                runs += 1
                most = max(most, kept(sums))
            # A run that goes on to its end, after a few kills: it finds all that was kept.
            if run.returncode == 0 or runs == choice.randint(1, 4) or killed == kills:
                before, ranks, runs = kept(sums), choice.randint(1, 4), 0
                answer = mpirun.answer(ranks, *resumed, cwd=scratch)
                assert answer["result"] == expected, f"after {killed} kills, on {ranks} ranks"
                assert answer["streamed"]["kept"] == before, (answer["streamed"], before)
                assert kept(sums) == CHUNKS
                shutil.rmtree(sums)
        assert most > 0, "no run was killed after it had finished a chunk"
    print(f"{killed} ranks killed, {finished} runs ended before; up to {most} of {CHUNKS} sums "
          "were kept; the sum was right each time")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
