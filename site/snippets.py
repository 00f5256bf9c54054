"""Tests the fenced blocks and the commands of the pages. docs/site.md has the rules.

- `sh` runs, block after block of a page in one folder. A `text` block right below is its output.
- Code must be part of a file that another test compiles and runs: `tested_files`, or the one that
  a mark `tested-by=FILE` names.
- `toml` and `json` are parsed; dependencies must exist.
- `needs-X` skips a block, and the tally says so. `--with X` runs it.
- Options of `bucketeer` and `./bench` and paths in the prose must exist.
"""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

from commands import Commands
from pages import ROOT, blocks, name, spans
from workspace import dependency_fault

CODE = {"rust", "c", "cpp", "go", "python", "js", "ts"}
SECONDS = 300


class Fault(Exception):
    """What is wrong with a block."""


def tested_files(language):
    """Files that the tests compile and run: examples, tests, READMEs that are Rust doctests."""
    found = []
    for folder, folders, files in os.walk(ROOT / "crates"):
        folders[:] = [name for name in folders if name not in ("node_modules", "target", "pkg")]
        tested = {"examples", "tests", "patch"} & set(Path(folder).relative_to(ROOT).parts)
        found += [Path(folder) / name for name in files if tested or name.endswith("_test.go")]
        library = Path(folder) / "src/lib.rs"
        if language == "rust" and library.exists() and "README.md" in library.read_text():
            found.append(Path(folder) / "README.md")
    return found


def code_lines(lines):
    """Lines without indentation; blank ones are left out."""
    return [line.strip() for line in lines if line.strip()]


def holds(file, lines):
    """Whether the file has these consecutive lines, whatever their indentation and wrapping.

    A line `// …` or `# …` stands for lines that the page leaves out.
    """
    try:
        text, end = file.read_text(), 0
    except UnicodeDecodeError:
        return False
    for part in "\n".join(lines).replace("# …", "// …").split("// …"):
        words = r"\s+".join(map(re.escape, part.split()))
        found = re.compile(rf"^[ \t]*{words}[ \t]*$", re.MULTILINE).search(text, end)
        if found is None:
            return False
        end = found.end()
    return True


def check_code(block):
    lines, named = code_lines(block.lines), block.mark("tested-by=")
    if named is None:
        if not any(holds(file, lines) for file in tested_files(block.language)):
            raise Fault("no example or test of the repository has these lines")
        return
    file = ROOT / named
    if not file.is_file():
        raise Fault(f"{named} does not exist")
    # A test that reads the page runs its blocks itself.
    if not holds(file, lines) and name(block.page) not in file.read_text():
        raise Fault(f"{named} neither has these lines nor reads the page")


def check_toml(block):
    try:
        table = tomllib.loads("\n".join(block.lines))
    except tomllib.TOMLDecodeError as error:
        raise Fault(error) from error
    found = dependency_fault(table.get("dependencies", {}))
    if found:
        raise Fault(found)


def check_json(block):
    try:
        json.loads("\n".join(block.lines))
    except json.JSONDecodeError as error:
        raise Fault(error) from error


class Shell:
    """The scratch folder of a page and the programs that its commands find."""

    def __init__(self, bucketeer, folder):
        self.folder, self.bucketeer = folder, bucketeer
        programs = folder / ".programs"
        programs.mkdir()
        (programs / "bucketeer").symlink_to(bucketeer)
        (folder / "bucketeer").symlink_to(ROOT)
        path = [programs, ROOT / "site/bin", ROOT / "crates/bucketeer-groth16/node_modules/.bin"]
        self.environment = os.environ | {
            "PATH": ":".join([*map(str, path), os.environ["PATH"]]),
            "BUCKETEER_BUILD": str(bucketeer.parent),
            "CHECKOUT": str(ROOT),
        }

    def run(self, script):
        """The output of a script; a failure is a fault."""
        try:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=self.environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Fault(f"took more than {SECONDS} s") from error
        if done.returncode:
            raise Fault(f"exit code {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout


def check_output(expected, output):
    """Each expected line is one of the output, in this order; `…` stands for any text."""
    lines = iter(line.rstrip() for line in output.splitlines())
    for line in code_lines(expected):
        pattern = re.compile(r"\s*" + ".*".join(map(re.escape, line.split("…"))))
        # Columns may be wider or narrower than on the page.
        pattern = re.compile(re.sub(r"(\\ )+", r"\\s+", pattern.pattern))
        if not any(pattern.fullmatch(own) for own in lines):
            raise Fault(f"not in the output, in this order: {line}\n{output[-2000:]}")


def check_command(line, commands):
    found = commands.fault(line)
    if found:
        raise Fault(found)


def check_words(block, commands):
    """What can be said of a block that is not run: its programs and options exist."""
    text = re.sub(r"\\\n", " ", "\n".join(block.lines))
    for line in text.splitlines():
        words = [word for word in line.split("#")[0].split() if "=" not in word]
        if words and words[0] == "bucketeer":
            check_command(line[line.index("bucketeer"):], commands)
        elif words and "/" in words[0] and words[0][0] not in "/~$<" and "target" not in words[0]:
            check_command(line, commands)
            if not os.access(ROOT / words[0], os.X_OK):
                raise Fault(f"{words[0]} cannot be run")


def check_page(page, bucketeer, available, tally):
    """Tests every block of a page and the commands in its prose."""
    commands = Commands(bucketeer)
    with tempfile.TemporaryDirectory() as folder:
        shell, output = Shell(bucketeer, Path(folder)), None
        for block in blocks(page):
            need = block.mark("needs-")
            label = f"{block.place()} {block.language}"
            if need and need not in available:
                tally.check(f"{label}: programs and options", check_words, block, commands)
                tally.skip(label, need)
                output = None
            elif block.language == "sh" and not block.mark("tested-by="):
                if block.before:
                    tally.check(f"{label}: before", shell.run, block.before)
                output = tally.check(label, shell.run, "\n".join(block.lines))
            elif block.language in CODE or block.language == "sh":
                tally.check(label, check_code, block)
            elif block.language == "toml":
                tally.check(label, check_toml, block)
            elif block.language == "json":
                tally.check(label, check_json, block)
            elif block.language != "text":
                tally.check(label, check_language, block)
            elif output is not None:
                tally.check(label, check_output, block.lines, output)
                output = None
    for span in spans(page):
        if span.startswith(("bucketeer ", "./bench ")):
            tally.check(f"{name(page)} {span}", check_command, span, commands)
    tally.check(f"{name(page)}: paths in the text", check_paths, page)


def check_paths(page):
    """A code span with a slash and the ending of a file is a path, from one of these folders."""
    source = ROOT / "crates/bucketeer/src"
    folders = [ROOT, ROOT / "docs", ROOT / "site", page.parent, source, source.parent,
               *ROOT.glob("crates/*"), source / "cuda", source / "webgpu"]
    endings = r"\.(rs|md|json|jsonl|txt|cu|cuh|wgsl|js|ts|py|toml|svg|patch)"
    missing = [span for span in spans(page)
               if re.fullmatch(rf"[\w.*-]+(/[\w.*-]+)+{endings}", span)
               and not any(any(folder.glob(span)) for folder in folders)]
    if missing:
        raise Fault(f"no such file: {', '.join(missing)}")


def check_language(block):
    raise Fault(f"a block of language “{block.language}”: nothing tests it")
