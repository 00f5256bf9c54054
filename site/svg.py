"""SVG in the site's colours, as text: what the charts and the pictures are drawn with.

A drawing has the class `bk` and takes every colour from variables. They follow the theme of the
site when the drawing is part of a page, and the reader's light or dark mode when it is a file.
"""

from html import escape

# Ink, soft ink, grid, the ground of boxes, paper, then the colours of series.
LIGHT = ["#1f2328", "#59636e", "#d1d9e0", "#eef1f4", "#ffffff",
         "#0b5cd6", "#c2410c", "#1a7f37", "#7c3aed", "#8c6d00", "#6e7781"]
DARK = ["#e6edf3", "#9da7b3", "#3d4754", "#2a3140", "#10151d",
        "#6cb0ff", "#ff9b5e", "#5fd07f", "#c3a5ff", "#e3c04b", "#9aa4af"]
NAMES = ["ink", "soft", "grid", "ground", "paper", "c0", "c1", "c2", "c3", "c4", "c5"]


def _variables(colours):
    return "".join(f"--{name}:{colour};" for name, colour in zip(NAMES, colours))


STYLE = (
    f".bk,html.light .bk,html.rust .bk{{{_variables(LIGHT)}}}"
    f"@media(prefers-color-scheme:dark){{.bk{{{_variables(DARK)}}}}}"
    f"html.navy .bk,html.coal .bk,html.ayu .bk{{{_variables(DARK)}}}"
    ".bk text{fill:var(--ink);font:14px system-ui,'Segoe UI',Roboto,Arial,sans-serif}"
    ".bk .soft{fill:var(--soft)}.bk .small{font-size:12.5px}.bk .bold{font-weight:600}"
    ".bk .code{font-family:ui-monospace,Menlo,Consolas,monospace}"
)


def number(value):
    """A coordinate, short and the same on every machine."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def colour(index):
    return f"var(--c{index})"


class Drawing:
    """Shapes on a sheet of `width` by `height`; the last one is on top."""

    def __init__(self, width, height):
        self.width, self.height, self.shapes = width, height, []

    def text(self, x, y, content, anchor="start", style="", fill=None):
        fill = f' style="fill:{fill}"' if fill else ""
        style = f' class="{style}"' if style else ""
        self.shapes.append(f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
                           f"{style}{fill}>{escape(content)}</text>")

    def rect(self, x, y, width, height, fill, stroke="none", radius=0):
        self.shapes.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}"'
                           f' height="{number(height)}" rx="{number(radius)}"'
                           f' fill="{fill}" stroke="{stroke}"></rect>')

    def line(self, points, stroke, width=1.5, dashes=""):
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.shapes.append(f'<path d="{path}" fill="none" stroke="{stroke}"'
                           f' stroke-width="{number(width)}" stroke-linejoin="round"{dashes}>'
                           "</path>")

    def arrow(self, start, end, stroke="var(--soft)"):
        """A straight arrow that runs right, down or somewhere between."""
        (x0, y0), (x1, y1) = start, end
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        self.line([start, end], stroke)
        wings = [(x1 - 7 * dx + 4 * dy, y1 - 7 * dy - 4 * dx), end,
                 (x1 - 7 * dx - 4 * dy, y1 - 7 * dy + 4 * dx)]
        self.line(wings, stroke)

    def dot(self, x, y, radius, fill, opacity=1):
        """A dot of which only the border has the full colour if it is less than opaque."""
        border = "" if opacity == 1 else f' fill-opacity="{opacity}" stroke="{fill}"'
        self.shapes.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
                           f' fill="{fill}"{border}></circle>')

    def source(self):
        body = "\n".join(self.shapes)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" class="bk" width="{self.width}"'
                f' viewBox="0 0 {self.width} {self.height}">\n'
                f"<style>{STYLE}</style>\n{body}\n</svg>\n")
