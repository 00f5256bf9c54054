"""The three kinds of charts of the site: lines, bars and rows of dots.

Charts are 560 wide, so that their text is still legible on a telephone. Series are labelled where
they end and not in a legend, as far as there is room.
"""

from math import ceil, floor, log2, log10

from svg import Drawing, colour

WIDTH = 560


def short(value):
    """Three significant digits: 0.85, 12.3, 340."""
    return f"{value:.{max(0, 2 - floor(log10(value)))}f}"


def spread(positions, least):
    """Positions moved apart so that neighbours keep the distance `least`, in the same order."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    placed = list(positions)
    for _ in range(200):
        for above, below in zip(order, order[1:]):
            overlap = least - (placed[below] - placed[above])
            if overlap > 0:
                placed[above] -= overlap / 2
                placed[below] += overlap / 2
    return placed


def lines(series, x_label, y_label, y_ticks, x_names=None, height=380, label_width=120, ideal=None):
    """Series `(label, colour, dashes, {x: y})` on two logarithmic axes.

    `x_names` maps x to the text of its tick; by default 2^k. `ideal` is a line without dots.
    """
    drawing = Drawing(WIDTH, height)
    left, right, top, bottom = 56, WIDTH - label_width, 30, height - 48
    xs = sorted({x for *_, points in series for x in points})
    low, high = log10(y_ticks[0]), log10(y_ticks[-1])
    x_of = lambda x: left + 8 + (right - left - 16) * log2(x / xs[0]) / log2(xs[-1] / xs[0])
    y_of = lambda y: bottom - (bottom - top) * (log10(y) - low) / (high - low)
    drawing.text(4, 16, y_label, style="soft")
    for tick in y_ticks:
        drawing.line([(left, y_of(tick)), (right, y_of(tick))], "var(--grid)", 1)
        drawing.text(left - 6, y_of(tick) + 5, f"{tick:g}", "end", "soft")
    for x in xs:
        name = x_names[x] if x_names else f"2^{int(log2(x))}"
        drawing.line([(x_of(x), bottom), (x_of(x), bottom + 4)], "var(--grid)", 1)
        drawing.text(x_of(x), bottom + 20, name, "middle", "soft")
    drawing.text((left + right) / 2, height - 6, x_label, "middle", "soft")
    if ideal:
        drawing.line([(x_of(x), y_of(y)) for x, y in ideal.items()], "var(--grid)", 1.5, "3 4")
    ends = spread([y_of(points[max(points)]) for *_, points in series], 17)
    for (label, hue, dashes, points), end in zip(series, ends):
        path = [(x_of(x), y_of(y)) for x, y in sorted(points.items())]
        drawing.line(path, colour(hue), 2, dashes)
        for x, y in path:
            drawing.dot(x, y, 3, colour(hue))
        if path[-1][0] < right - 10:
            drawing.line([path[-1], (right - 2, end)], colour(hue), 0.7, "2 3")
        drawing.text(right + 2, end + 5, label, fill=colour(hue))
    return drawing


def bars(groups, unit, hues, x_max=None, bar=20):
    """Horizontal bars: groups `(title, [(label, value)])`; `hues` maps a label to its colour."""
    rows = sum(len(entries) for _, entries in groups)
    height = 22 * len(groups) + rows * (bar + 4) + 12 * (len(groups) - 1) + 12
    drawing = Drawing(WIDTH, height)
    left, right = 150, WIDTH - 76
    x_max = x_max or max(value for _, entries in groups for _, value in entries)
    y = 0
    for title, entries in groups:
        drawing.text(2, y + 16, title, style="bold")
        y += 22
        for label, value in entries:
            width = (right - left) * value / x_max
            drawing.text(left - 8, y + bar / 2 + 5, label, "end", "soft")
            drawing.rect(left, y, max(width, 1), bar, colour(hues[label]), radius=2)
            drawing.text(left + width + 6, y + bar / 2 + 5, f"{short(value)} {unit}")
            y += bar + 4
        y += 12
    return drawing


def stacked(groups, unit, hues):
    """One bar a group, cut into parts `(label, value)`, with a legend above."""
    drawing = Drawing(WIDTH, 34 + 58 * len(groups))
    right = WIDTH - 80
    x = 2
    for label, hue in hues.items():
        drawing.rect(x, 4, 12, 12, colour(hue), radius=2)
        drawing.text(x + 17, 15, label, style="soft")
        x += 17 + 8 * len(label) + 18
    longest = max(sum(value for _, value in parts) for _, parts in groups)
    for index, (title, parts) in enumerate(groups):
        y, x = 34 + 58 * index, 2.0
        drawing.text(2, y + 14, title, style="bold")
        for label, value in parts:
            width = (right - 2) * value / longest
            drawing.rect(x, y + 22, width, 24, colour(hues[label]))
            if width > 60:
                drawing.text(x + 8, y + 39, short(value), fill="var(--paper)")
            x += width
        drawing.text(x + 6, y + 39, f"{short(sum(value for _, value in parts))} {unit}")
    return drawing


def dots(rows, x_label, sizes, step=24):
    """Rows `(label, colour, {size: value})` on one linear axis from 0; the larger, the darker."""
    top, left, right = 34, 190, WIDTH - 16
    bottom = top + step * len(rows)
    drawing = Drawing(WIDTH, bottom + 48)
    x_max = ceil(max(value for *_, values in rows for value in values.values()))
    x_of = lambda value: left + (right - left) * value / x_max
    shade = {size: round(i / (len(sizes) - 1), 2) for i, size in enumerate(sizes)}
    for index, size in enumerate(sizes):
        drawing.dot(left + 5 + 68 * index, 12, 5, "var(--soft)", shade[size])
        drawing.text(left + 14 + 68 * index, 17, f"2^{int(log2(size))}", style="soft")
    for tick in range(x_max + 1):
        stroke = "var(--soft)" if tick == 1 else "var(--grid)"
        drawing.line([(x_of(tick), top), (x_of(tick), bottom)], stroke, 1)
        drawing.text(x_of(tick), bottom + 18, str(tick), "middle", "soft")
    drawing.text((left + right) / 2, bottom + 40, x_label, "middle", "soft")
    for index, (label, hue, values) in enumerate(rows):
        y = top + step * (index + 0.5)
        drawing.text(left - 8, y + 5, label, "end")
        ends = [(x_of(end(values.values())), y) for end in (min, max)]
        drawing.line(ends, "var(--grid)", 2)
        for size, value in values.items():
            drawing.dot(x_of(value), y, 5, colour(hue), shade[size])
    return drawing
