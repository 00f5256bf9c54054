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
    before: str  # the command in an HTML comment <!-- before: … --> right above

    def place(self):
        return f"{name(self.page)}:{self.line}"

    def mark(self, prefix):
        """What follows `prefix` in the first mark that begins with it."""
        found = [mark.removeprefix(prefix) for mark in self.marks if mark.startswith(prefix)]
        return found[0] if found else None


def blocks(page):
    found, block, indent, before = [], None, "", ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.fullmatch(r"( *)```(.*)", line)
        if block is None:
            if fence:
                indent, (language, *marks) = fence.group(1), fence.group(2).split() or [""]
                block = Block(page, number, language, marks, [], before)
            comment = re.fullmatch(r" *<!-- before: (.*) -->", line)
            before = comment.group(1) if comment else before if not line.strip() else ""
        elif fence:
            found.append(block)
            block, before = None, ""
        else:
            block.lines.append(line.removeprefix(indent))
    if block is not None:
        raise ValueError(f"{block.place()}: the block does not end")
    return found


def prose(page):
    """The page's text without its fenced blocks, which become empty lines."""
    hide = lambda match: "\n" * match.group(0).count("\n")
    return re.sub(r"^ *```.*?^ *```$", hide, page.read_text(), flags=re.MULTILINE | re.DOTALL)


def spans(page):
    """The code spans of the prose, each on one line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]
