#!/usr/bin/env python3
"""Draws docs/pipeline/*.svg: one small MSM through the five stages.

The example is computed here, with integers in place of points (base i is the integer `BASES[i]`),
and the script fails if the stages do not give the sum. So the pictures cannot be wrong.

    site/pictures.py            writes the pictures
    site/pictures.py --check    ends with 1 if a picture is not what this script draws
"""

import sys

import data
from plots import write_or_check
from svg import Drawing, colour

FOLDER = data.DATA.parent.parent / "pipeline"
WIDTH = 560
SCALARS = [75, 201, 18, 140, 97, 54, 147, 203]
BASES = [1000 + 37 * i * i for i in range(8)]  # any integers: stand-ins for points
BITS, WINDOWS = 3, 3
HALF = 1 << (BITS - 1)
BIAS = sum(HALF << (BITS * j) for j in range(WINDOWS))
HIGH = 1  # reduce: a weight is high·2^HIGH + low


def digits(scalar):
    """Digits of the lowest window first, each from −HALF to HALF − 1."""
    biased = scalar + BIAS
    assert biased < 1 << (BITS * WINDOWS)
    return [(biased >> (BITS * j) & (2 * HALF - 1)) - HALF for j in range(WINDOWS)]


def runs(window):
    """The entries (base, sign) of each occupied bucket of a window."""
    found = {}
    for base, scalar in enumerate(SCALARS):
        digit = digits(scalar)[window]
        if digit:
            found.setdefault(abs(digit), []).append((base, 1 if digit > 0 else -1))
    return dict(sorted(found.items()))


def bucket_sums(window):
    return {b: sum(sign * BASES[base] for base, sign in run) for b, run in runs(window).items()}


def window_sum(window):
    """Reduce by splitting weights into high and low parts."""
    by_high, by_low = {}, {}
    for weight, point in bucket_sums(window).items():
        high, low = weight >> HIGH, weight & ((1 << HIGH) - 1)
        by_high[high] = by_high.get(high, 0) + point
        by_low[low] = by_low.get(low, 0) + point
    return (sum(high * point for high, point in by_high.items()) << HIGH) + sum(
        low * point for low, point in by_low.items())


def combined():
    result = 0
    for window in reversed(range(WINDOWS)):
        result = (result << BITS) + window_sum(window)
    return result


def signed(digit):
    return f"−{-digit}" if digit < 0 else f"{digit}"


def entry(base, sign):
    return f"{'−' if sign < 0 else ''}P{base + 1}"


def box(drawing, x, y, width, text, hue=None, height=26, style=""):
    stroke = colour(hue) if hue is not None else "var(--grid)"
    drawing.rect(x, y, width, height, "var(--ground)", stroke, 4)
    drawing.text(x + width / 2, y + height / 2 + 5, text, "middle", style)


def overview():
    drawing = Drawing(WIDTH, 330)
    stages = [
        ("decompose", "scalars", "digits of c bits, one per window"),
        ("group", "digits", "for each bucket, a list of bases"),
        ("accumulate", "lists, bases", "bucket sums"),
        ("reduce", "bucket sums", "one point per window"),
        ("combine", "window points", "the result"),
    ]
    for index, (stage, start, end) in enumerate(stages):
        y = 8 + 64 * index
        drawing.text(112, y + 26, start, "end", "soft")
        drawing.arrow((118, y + 21), (138, y + 21))
        box(drawing, 142, y, 130, stage, index, 42, "bold")
        drawing.arrow((276, y + 21), (296, y + 21))
        drawing.text(302, y + 26, end, style="soft")
        if index:
            drawing.arrow((207, y - 22), (207, y - 2))
    return drawing


def decompose():
    drawing = Drawing(WIDTH, 62 + 30 * len(SCALARS))
    columns = [("scalar", 48), ("+ bias", 128), ("in binary, cut into windows", 270)]
    for title, x in columns:
        drawing.text(x, 20, title, "middle", "soft")
    for j in range(WINDOWS):
        drawing.text(400 + 60 * (WINDOWS - 1 - j), 20, f"digit {j}", "middle", fill=colour(j))
    for row, scalar in enumerate(SCALARS):
        y = 54 + 30 * row
        drawing.text(2, y, f"k{row + 1}", style="soft")
        drawing.text(66, y, str(scalar), "end", "code")
        drawing.text(146, y, str(scalar + BIAS), "end", "code")
        fields = f"{scalar + BIAS:0{BITS * WINDOWS}b}"
        for j, digit in enumerate(digits(scalar)):
            place = WINDOWS - 1 - j
            field = fields[place * BITS:][:BITS]
            box(drawing, 186 + 58 * place, y - 18, 52, field, j, style="code")
            drawing.text(400 + 60 * place, y, signed(digit), "middle", "code", colour(j))
    return drawing


def group():
    drawing = Drawing(WIDTH, 66 + 46 * HALF)
    drawing.text(2, 18, "digit 0 of every scalar", style="soft")
    for base, scalar in enumerate(SCALARS):
        drawing.text(16, 50 + 24 * base, f"P{base + 1}", "start", "code")
        drawing.text(70, 50 + 24 * base, signed(digits(scalar)[0]), "end", "code", colour(0))
    drawing.arrow((96, 120), (150, 120))
    drawing.text(176, 18, "buckets of window 0", style="soft")
    found = runs(0)
    for bucket in range(1, HALF + 1):
        y = 34 + 46 * (bucket - 1)
        drawing.text(176, y + 18, f"weight {bucket}", style="soft")
        for place, (base, sign) in enumerate(found.get(bucket, [])):
            box(drawing, 256 + 62 * place, y, 54, entry(base, sign), bucket - 1, style="code")
        if bucket not in found:
            drawing.text(256, y + 18, "empty: does not exist", style="soft small")
    return drawing


def accumulate():
    """Rounds of pairs over the grouped list of window 0."""
    row = [(bucket - 1, [item]) for bucket, run in runs(0).items() for item in run]
    xs = [22 + 59 * i for i in range(len(row))]
    drawing, y, turn = Drawing(WIDTH, 236), 30, 0
    drawing.text(2, 18, "grouped list", style="soft")
    while True:
        for x, (hue, items) in zip(xs, row):
            name = entry(*items[0]) if len(items) == 1 else f"Σ {len(items)}"
            box(drawing, x - 17, y, 48, name, hue, style="code")
        pairs, next_row, next_xs, i = False, [], [], 0
        while i < len(row):
            if i + 1 < len(row) and row[i][0] == row[i + 1][0]:
                middle = (xs[i] + xs[i + 1]) / 2
                for x in xs[i:i + 2]:
                    drawing.arrow((x + 7, y + 28), (middle + 7, y + 62), colour(row[i][0]))
                next_row.append((row[i][0], row[i][1] + row[i + 1][1]))
                next_xs.append(middle)
                pairs, i = True, i + 2
            else:
                next_row.append(row[i])
                next_xs.append(xs[i])
                i += 1
        if not pairs:
            break
        for x, (hue, items) in zip(xs, row):
            if (hue, items) in next_row:
                drawing.line([(x + 7, y + 28), (x + 7, y + 62)], "var(--grid)", 1.5, "3 4")
        turn += 1
        drawing.text(WIDTH - 2, y + 50, f"round {turn}", "end", "soft small")
        row, xs, y = next_row, next_xs, y + 66
    for x, (hue, _) in zip(xs, row):
        drawing.text(x + 7, y + 46, f"S{hue + 1}", "middle", fill=colour(hue))
    drawing.text(WIDTH - 2, y + 46, "bucket sums", "end", "soft small")
    drawing.height = int(y + 58)
    return drawing


def reduce():
    """Weights 0 to 15 in a square: sums of rows and of columns."""
    drawing = Drawing(WIDTH, 318)
    cell, left, top = 54, 100, 32
    drawing.text(left + 2 * cell, 16, "low = 0 … 3", "middle", fill=colour(1))
    drawing.text(2, top + 2 * cell + 5, "high = 0 … 3", fill=colour(0))
    for high in range(4):
        for low in range(4):
            x, y = left + cell * low, top + cell * high
            weight = 4 * high + low
            drawing.rect(x + 2, y + 2, cell - 4, cell - 4, "var(--ground)", "var(--grid)", 4)
            drawing.text(x + cell / 2, y + cell / 2 + 5, f"S{weight}" if weight else "", "middle")
        y = top + cell * (high + 0.5)
        drawing.arrow((left + 4 * cell + 4, y), (left + 4 * cell + 30, y), colour(0))
        drawing.text(left + 4 * cell + 36, y + 5, f"row {high} × {4 * high}", fill=colour(0))
        x = left + cell * (high + 0.5)
        drawing.arrow((x, top + 4 * cell + 2), (x, top + 4 * cell + 16), colour(1))
        drawing.text(x, top + 4 * cell + 32, f"× {high}", "middle", fill=colour(1))
    note = "S6 is in row 1 and in column 2: 6 = 1·4 + 2"
    drawing.text(left + 2 * cell, top + 4 * cell + 62, note, "middle", "soft")
    return drawing


def combine():
    drawing = Drawing(WIDTH, 74)
    x = 4
    for window in reversed(range(WINDOWS)):
        box(drawing, x, 20, 44, f"W{window}", window, 32)
        x += 48
        if window:
            drawing.arrow((x, 36), (x + 106, 36))
            drawing.text(x + 52, 28, f"{BITS} doublings", "middle", "soft small")
            drawing.text(x + 118, 41, "+", "middle", "bold")
            x += 130
    drawing.arrow((x, 36), (x + 20, 36))
    drawing.text(x + 28, 41, "Q", style="bold")
    return drawing


PICTURES = {
    "overview": overview, "decompose": decompose, "group": group, "accumulate": accumulate,
    "reduce": reduce, "combine": combine,
}

if __name__ == "__main__":
    assert combined() == sum(k * p for k, p in zip(SCALARS, BASES)), "the example is wrong"
    sys.exit(1 if write_or_check(FOLDER, PICTURES, "--check" in sys.argv[1:]) else 0)
