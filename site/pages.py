"""The pages of the book as they are in the repository: their paths, fenced blocks and spans."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def pages():
    """Every page that SUMMARY.md lists."""
    targets = re.findall(r"\]\(([^)]+\.md)\)", (DOCS / "SUMMARY.md").read_text())
    return [(DOCS / target).resolve() for target in targets]


def name(path):
    return str(path.relative_to(ROOT))


@dataclass
class Block:
    """A fenced block: ```language mark mark, with its lines less the fence's indentation."""

    page: Path
    line: int
    language: str
    marks: list
    lines: list
    before: str  # the commands in an HTML comment <!-- before: … --> right above

    def place(self):
        return f"{name(self.page)}:{self.line}"

    def mark(self, prefix):
        """What follows `prefix` in the first mark that begins with it."""
        found = [mark.removeprefix(prefix) for mark in self.marks if mark.startswith(prefix)]
        return found[0] if found else None


FENCED = re.compile(
    r"(?:^ *<!-- before:(?P<before>(?:(?!-->)[^`])*)-->\s*?\n\s*?)?"
    r"^(?P<indent> *)```(?P<info>.*)\n(?P<body>(?:.*\n)*?)(?P=indent)```$",
    re.MULTILINE)


def blocks(page):
    text, found = page.read_text(), []
    for match in FENCED.finditer(text):
        line = text.count("\n", 0, match.start("indent")) + 1
        language, *marks = match["info"].split() or [""]
        lines = [line.removeprefix(match["indent"]) for line in match["body"].splitlines()]
        before = (match["before"] or "").strip()
        found.append(Block(page, line, language, marks, lines, before))
    if 2 * len(found) != len(re.findall(r"^ *```", text, re.MULTILINE)):
        raise ValueError(f"{name(page)}: a block does not end")
    return found


def prose(page):
    """The page's text without its fenced blocks, which become empty lines."""
    hide = lambda match: "\n" * match.group(0).count("\n")
    return re.sub(r"^ *```.*?^ *```$", hide, page.read_text(), flags=re.MULTILINE | re.DOTALL)


def spans(page):
    """The code spans of the prose, each on one line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]
