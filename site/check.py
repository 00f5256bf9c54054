#!/usr/bin/env python3
"""Builds the book and tests it; site/test calls this.

    check.py MDBOOK BUCKETEER [--with NEED]…

1. Plots and pictures are what their scripts draw.
2. mdBook builds the site, without a warning.
3. Every link and anchor leads somewhere, on the site and on a forge.
4. Every snippet runs or is part of a tested file (snippets.py).
"""

import argparse
import shutil
import subprocess
from pathlib import Path

import links
import pictures
import plots
import snippets
from pages import ROOT, pages


class Tally:
    """Counts checks and says which failed."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, {}

    def check(self, label, test, *arguments):
        """The test's result; None if it failed."""
        try:
            result = test(*arguments)
        except (snippets.Fault, OSError, ValueError) as fault:
            self.failed += 1
            print(f"FAILED {label}: {fault}", flush=True)
            return None
        self.passed += 1
        print(f"ok     {label}", flush=True)
        return result

    def skip(self, label, need):
        self.skipped[need] = self.skipped.get(need, 0) + 1
        print(f"skipped {label}: needs {need}", flush=True)


def drawings_are_current():
    if plots.write_or_check(plots.FOLDER, plots.PLOTS, True):
        raise snippets.Fault("run site/plots.py")
    if pictures.write_or_check(pictures.FOLDER, pictures.PICTURES, True):
        raise snippets.Fault("run site/pictures.py")


def build(mdbook):
    shutil.rmtree(links.SITE, ignore_errors=True)
    done = subprocess.run([mdbook, "build", ROOT / "site"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode or "WARN" in done.stdout or "ERROR" in done.stdout:
        raise snippets.Fault(f"mdbook build\n{done.stdout}")


def no_dead_links(find):
    count, dead = find()
    if dead:
        raise snippets.Fault("dead links\n" + "\n".join(dead))
    if count < 20:
        raise snippets.Fault(f"only {count} pages were found")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mdbook", type=Path)
    parser.add_argument("bucketeer", type=Path)
    parser.add_argument("--with", dest="available", action="append", default=[])
    options = parser.parse_args()
    tally = Tally()
    tally.check("plots and pictures are what their scripts draw", drawings_are_current)
    tally.check("mdbook build", build, options.mdbook.resolve())
    tally.check("links of the site", no_dead_links, links.dead_links_of_site)
    tally.check("links of the pages in the repository", no_dead_links, links.dead_links_of_pages)
    for page in pages():
        if tally.check(f"{page.name} is readable", page.read_text) is None:
            continue
        snippets.check_page(page, options.bucketeer.resolve(), options.available, tally)
    needs = ", ".join(f"{count} need {need}" for need, count in sorted(tally.skipped.items()))
    print(f"\nskipped: {needs or 'none'}")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
