"""Runs the blocks of docs/python.md and of the README, as they are."""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from helpers import BN254

CRATE = pathlib.Path(__file__).resolve().parents[1]
PAGE = CRATE.parents[1] / "docs/python.md"


def blocks(page):
    """Language and text of every fenced block."""
    found = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert found, page
    return found


class DocsTest(unittest.TestCase):
    def test_first_lines(self):
        """What a user pastes into a shell. The package is there already, so pip has nothing to do
        and needs no index."""
        (language, script), (kind, shown) = blocks(PAGE)[:2]
        self.assertEqual((language, kind, script.count("\n")), ("sh", "text", 5))
        programs = os.path.dirname(sys.executable)
        environment = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_BREAK_SYSTEM_PACKAGES": "1",
        }
        output = subprocess.run(
            ["bash", "-euc", script], env=environment, capture_output=True, text=True, check=True
        ).stdout
        x, y = BN254.mul(3 + 4, BN254.generator)
        last = output.splitlines()[-1]
        self.assertEqual(last, f'Point("bn254-g1", x={x:#x}, y={y:#x})')
        start, end = shown.strip().split("…")
        self.assertTrue(last.startswith(start) and last.endswith(end), shown)

    def run_in_order(self, page):
        names = {"__name__": "page"}
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for language, text in blocks(page):
                    if language == "python":
                        with contextlib.redirect_stdout(io.StringIO()) as printed:
                            exec(compile(text, page, "exec"), names)
                        self.check_output(text, printed.getvalue())
            finally:
                os.chdir(here)

    def check_output(self, text, printed):
        """A comment after a print is what it prints; … stands for any text."""
        shown = re.findall(r"^ *print\(.*\) +# (.*)$", text, re.MULTILINE)
        lines = printed.splitlines()
        self.assertEqual(len(lines), len(shown), text)
        for line, comment in zip(lines, shown, strict=True):
            pattern = ".*".join(map(re.escape, comment.split("…")))
            self.assertRegex(line, f"^{pattern}$")

    def test_blocks_of_the_page(self):
        self.run_in_order(PAGE)

    def test_blocks_of_the_readme(self):
        self.run_in_order(CRATE / "README.md")


if __name__ == "__main__":
    unittest.main()
