"""How many sentences a second go through log Z, by the size of the batch: measured here.

One thread, all points in turn, several rounds; the fastest of a point counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go
import torch

from crf import LinearChain
from crf.engines import has_kernels
from pages.shared.course import measuring
from pages.shared.figures.chart import ChartLine, ChartLook, line_chart

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
WORDS, TAGS, ROUNDS = 25, 17, 4


class Throughput(NamedTuple):
    """Of one way and size of batch."""

    way: str  # "plain" or "kernels"
    size: int
    seconds: float  # of the fastest round, for the whole batch
    spread: float  # the slowest round's time over the fastest's

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.size / self.seconds


measured: list[Throughput] = []  # on this server, when somebody asked for it


def measure() -> list[Throughput]:
    """Measure every point in turn, and that some times over."""
    ways = ["plain", *(["kernels"] if has_kernels() else [])]
    draw = torch.Generator().manual_seed(0)
    emissions = torch.randn(max(SIZES), WORDS, TAGS, generator=draw)
    transitions = torch.randn(TAGS, TAGS, generator=draw)
    spent: dict[tuple[str, int], list[float]] = {(w, n): [] for w in ways for n in SIZES}
    for _ in range(ROUNDS + 1):  # the first warms up
        for (way, size), times in spent.items():
            begin = measuring.clock()
            _ = LinearChain(emissions[:size], transitions, backend=way).log_partition
            times.append(measuring.clock() - begin)
    return [
        Throughput(way, size, min(times[1:]), max(times[1:]) / min(times[1:]))
        for (way, size), times in spent.items()
    ]


def chart(
    found: Sequence[Throughput], colours: ChartLook, names: dict[str, str], axes: tuple[str, str]
) -> go.Figure:
    """Both ways by the size of the batch, and one sentence at a time as a dotted line."""
    inks, lines = {"plain": colours.blue, "kernels": colours.ink}, []
    for way in dict.fromkeys(one.way for one in found):
        points = [one for one in found if one.way == way]
        x, y = [one.size for one in points], [one.rate for one in points]
        lines.append(ChartLine(names[way], x, y, inks[way], mode="lines+markers"))
    first = next(one.rate for one in found if (one.way, one.size) == ("plain", 1))
    lines.append(ChartLine(names["one"], SIZES, [first] * len(SIZES), colours.grey, "dot"))
    figure = line_chart(lines, colours, axes, "xy", 430)
    return figure.update_xaxes(tickvals=SIZES, ticktext=list(map(str, SIZES)))
