"""Draw a benchmark's ratios as a chart.

    python -m benchmarks.chart RESULTS.json CHART.svg

Two bars per problem: pytorch-crf's time as a multiple of this library's, on a logarithmic axis.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

PEER = "pytorch-crf"
SERIES = {"nll": ("loss and gradients", "#0072B2"), "viterbi": ("best paths", "#D55E00")}
LEFT, WIDTH, BAR, GAP, TOP = 150, 420, 14, 12, 46


def chart(results: dict[str, Any]) -> str:
    """The chart, as SVG."""
    rows, machine = results["warm"], results["machine"]
    decades = math.ceil(math.log10(max(row[q][PEER]["ratio"] for row in rows for q in SERIES)))
    step = len(SERIES) * BAR + GAP
    bottom = TOP + step * len(rows)

    def x(ratio: float) -> float:
        return LEFT + WIDTH * max(0.0, math.log10(ratio)) / decades

    def text(at: float, y: float, words: str, more: str = "") -> None:
        parts.append(f'<text x="{at}" y="{y}"{more}>{words}</text>')

    def bar(at: float, y: float, width: float, colour: str) -> None:
        parts.append(f'<rect x="{at}" y="{y}" width="{width}" height="12" fill="{colour}"/>')

    title = f"Time of {PEER} {machine['packages'][PEER]} as a multiple of this library's"
    threads = f"{machine['threads']} thread" + "s" * (machine["threads"] > 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {bottom + 60}" '
        f'role="img" aria-label="{title}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    text(10, 18, title)
    where = f"{machine['cpu']}, {threads}, {machine['clock']}; each turn one call"
    text(10, 36, f"{where}; batch × length × tags", ' fill="#555555"')
    for decade in range(decades + 1):
        at = x(10**decade)
        parts.append(f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{bottom}" stroke="#767676"/>')
        text(at, bottom + 16, f"{10**decade}×", ' text-anchor="middle"')
    for place, row in enumerate(rows):
        y = TOP + GAP / 2 + place * step
        text(LEFT - 8, y + BAR + 4, " × ".join(map(str, row["shape"])), ' text-anchor="end"')
        for k, (question, (_, colour)) in enumerate(SERIES.items()):
            ratio = row[question][PEER]["ratio"]
            bar(LEFT, y + k * BAR, x(ratio) - LEFT, colour)
            text(x(ratio) + 5, y + (k + 1) * BAR - 4, f"{ratio:.0f}×")
    for k, (name, colour) in enumerate(SERIES.values()):
        bar(LEFT + 170 * k, bottom + 32, 12, colour)
        text(LEFT + 170 * k + 18, bottom + 43, name)
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("chart", type=Path)
    options = parser.parse_args()
    results = json.loads(options.results.read_text(encoding="utf-8"))
    options.chart.write_text(chart(results), encoding="utf-8")
