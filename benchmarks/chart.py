"""Draw a benchmark's ratios as a chart.

    python -m benchmarks.chart RESULTS.json CHART.svg

Two bars per problem: pytorch-crf's time as a multiple of this library's, on a logarithmic axis.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

BLUE, ORANGE = "#0072B2", "#D55E00"
TITLES = {"nll": "loss and gradients", "viterbi": "best paths"}
LEFT, WIDTH, BAR, GAP, TOP = 150, 420, 14, 12, 46


def chart(results: dict[str, Any], peer: str = "pytorch-crf") -> str:
    """The chart, as SVG."""
    rows = [row for row in results["warm"] if peer in row["nll"]]
    highest = max(row[question][peer]["ratio"] for row in rows for question in TITLES)
    decades = max(1, math.ceil(math.log10(highest)))

    def x(ratio: float) -> float:
        return LEFT + WIDTH * max(0.0, math.log10(ratio)) / decades

    step = len(TITLES) * BAR + GAP
    bottom = TOP + step * len(rows)
    machine = results["machine"]
    title = f"Time of {peer} {machine['packages'][peer]} as a multiple of this library's"
    threads = f"{machine['threads']} thread" + "s" * (machine["threads"] > 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {bottom + 60}" '
        f'role="img" aria-label="{title}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="10" y="18">{title}</text>',
        f'<text x="10" y="36" fill="#555555">{machine["cpu"]}, {threads}, {machine["clock"]}; '
        "turns of 5 ms; batch × length × tags</text>",
    ]
    for decade in range(decades + 1):
        at = x(10**decade)
        parts += [
            f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{bottom}" stroke="#767676"/>',
            f'<text x="{at}" y="{bottom + 16}" text-anchor="middle">{10**decade}×</text>',
        ]
    for place, row in enumerate(rows):
        y = TOP + GAP / 2 + place * step
        shape = " × ".join(map(str, row["shape"]))
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR + 4}" text-anchor="end">{shape}</text>')
        for question, colour in zip(TITLES, (BLUE, ORANGE), strict=True):
            ratio = row[question][peer]["ratio"]
            parts += [
                f'<rect x="{LEFT}" y="{y}" width="{x(ratio) - LEFT}" height="{BAR - 2}" '
                f'fill="{colour}"/>',
                f'<text x="{x(ratio) + 5}" y="{y + BAR - 4}">{ratio:.0f}×</text>',
            ]
            y += BAR
    for place, (question, colour) in enumerate(zip(TITLES, (BLUE, ORANGE), strict=True)):
        at = LEFT + 170 * place
        parts += [
            f'<rect x="{at}" y="{bottom + 32}" width="12" height="12" fill="{colour}"/>',
            f'<text x="{at + 18}" y="{bottom + 43}">{TITLES[question]}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("chart", type=Path)
    options = parser.parse_args()
    results = json.loads(options.results.read_text(encoding="utf-8"))
    options.chart.write_text(chart(results), encoding="utf-8")


if __name__ == "__main__":
    main()
