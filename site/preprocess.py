#!/usr/bin/env python3
"""The mdBook preprocessor of this site.

The pages are written to be read on a forge, too: links are relative to the repository, and
pictures are files. For the site

1. chapters from outside of docs (`../CONTRIBUTING.md`) get a place in it (`contributing.md`);
2. links between chapters follow them; links to other files of the repository go to its address
   (`repository` in book.toml) or, without one, become plain text;
3. SVG pictures are put into the page, so that they have the colours of the chosen theme.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
# An inline link or image without nested brackets; the text may hold code.
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)")


def place(path):
    """Where a chapter of the repository's path (relative to docs) lies in the book."""
    path = path.lower().removeprefix("../") if path.startswith("../") else path
    return re.sub(r"(^|/)README\.md$", r"\1index.md", path)


def chapters(items):
    """Every chapter, nested ones too."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def outside_code(text, change):
    """`text` with `change` applied to the parts that are not fenced code."""
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def picture(path, alt):
    """The SVG as a part of the page. A blank line would end the HTML block."""
    svg = "\n".join(line for line in path.read_text().splitlines() if line.strip())
    return f'<figure class="picture" role="img" aria-label="{alt}">\n{svg}\n</figure>\n'


def rewrite(chapter, own_path, known, repository):
    """The text of the chapter with its links and pictures as the site needs them."""

    def link(match):
        image, text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        file, hash_sign, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(own_path), file))
        if image and file.endswith(".svg"):
            return picture(DOCS / file, text)
        here = posixpath.dirname(place(own_path)) or "."
        if file in known or not file.startswith("../"):
            return f"{image}[{text}]({posixpath.relpath(place(file), here)}{hash_sign}{anchor})"
        if repository:
            return f"[{text}]({repository}/{file.removeprefix('../')}{hash_sign}{anchor})"
        return text

    return outside_code(chapter["content"], lambda part: LINK.sub(link, part))


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    context, book = json.load(sys.stdin)
    repository = context["config"]["preprocessor"]["bucketeer"]["repository"].rstrip("/")
    found = [chapter for chapter in chapters(book["items"]) if chapter["path"]]
    # The `index` preprocessor of mdBook may have run already; the source path is the repository's.
    known = {chapter["source_path"] for chapter in found}
    for chapter in found:
        own_path = chapter["source_path"]
        chapter["content"] = rewrite(chapter, own_path, known, repository)
        chapter["path"] = place(own_path)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
