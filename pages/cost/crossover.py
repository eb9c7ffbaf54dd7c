"""Where the scan over time is faster than the recursion, and where it is not: measured.

`python -m pages.cost.crossover` measures on this machine and writes measured.json, which the lesson
shows until a reader measures here.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import plotly.graph_objects as go
import torch

from crf.chain import LinearChain
from crf.core import scan
from crf.engines import has_kernels
from crf.strict_json import read_json, write_json
from pages.shared.course import measuring
from pages.shared.figures.chart import ChartLine, ChartLook, line_chart

FILE = Path(__file__).with_name("measured.json")
LARGEST = 100_000  # bytes of it
LENGTHS = (16, 64, 256, 1024, 4096)
TAGS = (2, 4, 8, 16)
BUDGET = 4.0  # seconds, for all of it
WAYS = ("scan", "plain", "kernels")


class Time(NamedTuple):
    """Time to compute log Z of one sentence."""

    length: int  # words
    tags: int
    way: str  # one of `WAYS`
    seconds: float  # how long it takes on one core


measured: list[Time] = []  # on this server, when somebody asked for it


@cache
def recorded() -> tuple[Time, ...]:
    """The times in the file."""
    return tuple(Time(*row) for row in read_json(FILE.read_bytes(), LARGEST))


def times(budget: float | None = None) -> list[Time]:
    """Measure all sizes, the small ones first, until the budget is spent."""
    ways = [way for way in WAYS if way != "kernels" or has_kernels()]
    until, result = time.perf_counter() + (budget or BUDGET), []
    sizes = sorted(((m, S) for m in LENGTHS for S in TAGS), key=lambda size: size[0] * size[1] ** 2)
    for k, (m, S) in enumerate(sizes):
        scores = torch.Generator().manual_seed(0)
        emissions = torch.randn(1, m, S, generator=scores)
        transitions = torch.randn(S, S, generator=scores)
        for way in ways:
            left = until - time.perf_counter()
            if left <= 0:
                return result
            share = left / (len(sizes) - k) / len(ways) / 3
            spent = measuring.seconds(partial(_log_partition, emissions, transitions, way), share)
            result.append(Time(m, S, way, spent))
    return result


def _log_partition(emissions: torch.Tensor, transitions: torch.Tensor, way: str) -> torch.Tensor:
    if way == "scan":
        return scan.log_partition(LinearChain(emissions, transitions).potentials)
    return LinearChain(emissions, transitions, backend=way).log_partition


def ratio(times: Sequence[Time], length: int, tags: int, way: str) -> float | None:
    """How many times as fast as another way the scan is; None if one of them was not measured."""
    seconds = {t.way: t.seconds for t in times if (t.length, t.tags) == (length, tags)}
    return seconds[way] / seconds["scan"] if {"scan", way} <= seconds.keys() else None


def chart(
    times: Sequence[Time],
    tags: int,
    colours: ChartLook,
    names: Mapping[str, str],
    axes: tuple[str, str],
) -> go.Figure:
    """Seconds by words for so many tags, a line for each way, on logarithmic axes."""
    inks = dict(zip(WAYS, (colours.ink, colours.blue, colours.grey), strict=True))
    lines = []
    for way in WAYS:
        found = sorted((t.length, t.seconds) for t in times if (t.tags, t.way) == (tags, way))
        if found:
            x, y = zip(*found, strict=True)
            lines.append(ChartLine(names[way], x, y, inks[way], mode="lines+markers"))
    figure = line_chart(lines, colours, axes, "xy")
    return figure.update_xaxes(tickvals=LENGTHS, ticktext=[f"{n:,}" for n in LENGTHS])


if __name__ == "__main__":
    rows = measuring.alone(partial(times, 200.0)) or []
    lines = ",\n".join(write_json([*row[:3], float(f"{row.seconds:.3g}")]) for row in rows)
    FILE.write_text(f"[\n{lines}\n]\n")
