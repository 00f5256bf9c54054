"""Checks links: in the built site, and in the pages as a forge shows them."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

from pages import DOCS, ROOT, name, pages, prose

SITE = ROOT / "target" / "book"


class Page(HTMLParser):
    """The anchors of a page and where its links and images lead."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.targets = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, _, attributes):
        for key, value in attributes:
            if key in ("id", "name"):
                self.anchors.add(value)
            elif key in ("href", "src") and value:
                self.targets.add(value)


def is_relative(target):
    return not re.match(r"[a-z]+:|//", target)


def dead_links_of_site():
    """`page: target` of every link of the site that leads nowhere."""
    site = {path: Page(path) for path in sorted(SITE.rglob("*.html"))}
    dead = []
    for path, page in site.items():
        for target in sorted(filter(is_relative, page.targets)):
            file, _, anchor = unquote(target).partition("#")
            # mdBook writes the links of 404.html for a site at the root of its host.
            base = SITE if file.startswith("/") else path.parent
            end = (base / file.lstrip("/")).resolve() if file else path
            if end.is_dir():
                end = end / "index.html"
            if not end.exists() or (anchor and end in site and anchor not in site[end].anchors):
                dead.append(f"target/book/{path.relative_to(SITE)}: {target}")
    return len(site), dead


def forge_anchors(path):
    """Anchors that forges give to headings: lower case, punctuation dropped, spaces as hyphens."""
    headings = re.findall(r"^#+ (.*)$", prose(path), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links_of_pages():
    """The same for the pages in the repository, SUMMARY.md among them."""
    dead, found = [], [DOCS / "SUMMARY.md", *pages()]
    for page in found:
        for target in re.findall(r"\]\(([^()\s]+)\)", prose(page)):
            if is_relative(target):
                file, _, anchor = target.partition("#")
                end = (page.parent / file).resolve() if file else page
                if not end.exists():
                    dead.append(f"{name(page)}: {target}")
                elif anchor and end.suffix == ".md" and anchor not in forge_anchors(end):
                    dead.append(f"{name(page)}: {target}")
    return len(found), dead
