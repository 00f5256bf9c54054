"""Running the tool over MPI, for the tests in this folder."""

import json
import os
import subprocess
import sys

# BUCKETEER_MPI names the library that it reaches MPI through.
TOOL = os.environ["BUCKETEER"]
# A test machine has fewer processors than ranks, and its tests may run as root.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Some containers forbid reading the memory of other processes.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "CUDA_VISIBLE_DEVICES": "",
}
SECONDS = 300


def command(ranks, *arguments):
    return ["mpirun", "--oversubscribe", "-n", str(ranks), TOOL, *map(str, arguments)]


def start(ranks, *arguments, cwd=None):
    return subprocess.Popen(command(ranks, *arguments), cwd=cwd, env=ENVIRONMENT, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run(ranks, *arguments, cwd=None):
    """(exit code, stdout, stderr); a run that hangs is a fault."""
    run = start(ranks, *arguments, cwd=cwd)
    out, err = run.communicate(timeout=SECONDS)
    return run.returncode, out, err


def answer(ranks, *arguments, cwd=None):
    """The one JSON object that a run prints."""
    code, out, err = run(ranks, *arguments, "--json", cwd=cwd)
    assert code == 0, (code, out, err)
    assert out.count("\n") == 1, out
    return json.loads(out)


# Runs a program and prints the most memory that it took, in KiB.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def peaks(ranks, *arguments, cwd=None):
    """The most bytes of memory that each rank took."""
    line = ["mpirun", "--oversubscribe", "-n", str(ranks), sys.executable, "-c", PEAK, TOOL]
    done = subprocess.run([*line, *map(str, arguments)], cwd=cwd, env=ENVIRONMENT, text=True,
                          capture_output=True, timeout=SECONDS)
    assert done.returncode == 0, done
    found = [1024 * int(peak) for peak in done.stdout.split()]
    assert len(found) == ranks, done
    return found


def alone(*arguments, cwd=None):
    """What the tool prints without ranks."""
    done = subprocess.run([TOOL, *map(str, arguments)], cwd=cwd, env=ENVIRONMENT, text=True,
                          capture_output=True, timeout=SECONDS)
    assert done.returncode == 0, done
    return done.stdout
