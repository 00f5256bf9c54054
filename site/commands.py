"""Subcommands and options that pages name must exist: those of `bucketeer` and of `./bench`."""

import re
import subprocess

from pages import ROOT

PEERS = ROOT / "crates/bucketeer-peers/src"
BENCH = {"provers": PEERS / "provers/main.rs", "eip4844": PEERS / "eip4844/main.rs"}


def bench_options(words):
    """Options of `./bench`, from its sources: to run it would be to compile it for minutes."""
    source = BENCH.get(words[1] if len(words) > 1 else "", PEERS / "options.rs").read_text()
    found = re.findall(r"#\[arg\((.*?)\)\]\s*(?:pub )?(\w+):", source, re.DOTALL)
    names = [re.search(r'long = "([\w-]+)"', settings) for settings, _ in found]
    return {"--" + (name.group(1) if name else field.replace("_", "-"))
            for name, (_, field) in zip(names, found)}


class Commands:
    """The tool, and the options of its commands as its help lists them."""

    def __init__(self, bucketeer):
        self.bucketeer, self.known = bucketeer, {}

    def options(self, command):
        """The options of a command of the tool; None if there is no such command."""
        if command not in self.known:
            call = [self.bucketeer, command, "--help"]
            done = subprocess.run(call, capture_output=True, text=True)
            options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout))
            self.known[command] = options if done.returncode == 0 else None
        return self.known[command]

    def fault(self, line):
        """What is wrong with a command line, or None. Other programs than the two are not known."""
        line = line.split(" #")[0].replace("bucketeer help ", "bucketeer ")
        words = line.split()
        if words[:1] == ["./bench"]:
            known = bench_options(words)
        elif words[:1] == ["bucketeer"] and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
            known = self.options(words[1])
        else:
            return None
        if known is None:
            return f"no such command: {line}"
        used = set(re.findall(r"(?<=[\s\[])--?[a-z][a-z-]*", line))
        return f"no option {', '.join(sorted(used - known))}: {line}" if used - known else None
