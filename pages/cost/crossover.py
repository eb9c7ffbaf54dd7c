"""Where the scan over time is faster than the recursion, and where it is not: measured."""

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import plotly.graph_objects as go
import torch

from crf.chain import LinearChain
from crf.engines import has_kernels
from pages.cost.tree_picture import say
from pages.shared.course import measuring

LENGTHS = (16, 64, 256, 1024)
TAGS = (2, 4, 8, 16)
BUDGET = 2.0  # seconds, for all of it
WAYS = ("scan", "plain", "kernels")


class Time(NamedTuple):
    """log Z of one sentence."""

    length: int  # m
    tags: int  # S
    way: str  # one of `WAYS`
    seconds: float  # how long it takes


measured: list[Time] = []  # on this server, when somebody asked for it


def times() -> list[Time]:
    """Measure all sizes, the small ones first, until the budget is spent."""
    ways = [way for way in WAYS if way != "kernels" or has_kernels()]
    until, found = time.perf_counter() + BUDGET, []
    sizes = sorted(((m, S) for m in LENGTHS for S in TAGS), key=lambda size: size[0] * size[1] ** 2)
    for k, (m, S) in enumerate(sizes):
        scores = torch.Generator().manual_seed(0)
        emissions = torch.randn(1, m, S, generator=scores)
        transitions = torch.randn(S, S, generator=scores)
        for way in ways:
            left = until - time.perf_counter()
            if left <= 0:
                return found
            chain = partial(LinearChain, emissions, transitions, backend=way)
            share = left / (len(sizes) - k) / len(ways) / 3
            spent = measuring.seconds(lambda chain=chain: chain().log_partition, share)
            found.append(Time(m, S, way, spent))
    return found


def ratio(times: Sequence[Time], length: int, tags: int, way: str) -> float | None:
    """How many times as fast as another way the scan is; None if one of them was not measured."""
    found = {t.way: t.seconds for t in times if (t.length, t.tags) == (length, tags)}
    return found[way] / found["scan"] if {"scan", way} <= found.keys() else None


def wins(times: Sequence[Time], way: str) -> tuple[int, int]:
    """In how many sizes the scan is faster than another way, and of how many."""
    every = [ratio(times, m, S, way) for m in LENGTHS for S in TAGS]
    known = [r for r in every if r is not None]
    return sum(r > 1 for r in known), len(known)


def figure(times: Sequence[Time], way: str) -> go.Figure:
    """A cell for each size: how many times as fast as the other way the scan is.

    Orange: the scan is slower; blue: it is faster. White: as fast.
    """
    ratios = [[ratio(times, m, S, way) for m in LENGTHS] for S in TAGS]
    logs = [[None if r is None else math.log2(r) for r in row] for row in ratios]
    texts = [["" if r is None else _times(r) for r in row] for row in ratios]
    drawn = go.Figure(
        go.Heatmap(
            x=[f"{m:,}" for m in LENGTHS], y=[str(S) for S in TAGS], z=logs, text=texts,
            texttemplate="%{text}", colorscale=[[0, "#e8985f"], [0.5, "#f7f7f7"], [1, "#7fb9dc"]],
            zmin=-5, zmax=5, showscale=False, xgap=3, ygap=3, textfont={"color": "#1b2126"},
            hovertemplate=say("measuring.point"),
        )
    )  # fmt: skip
    drawn.update_xaxes(title="tokens", type="category")
    drawn.update_yaxes(title="tags", type="category")
    return drawn.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=280,
        margin={"l": 50, "r": 10, "t": 36, "b": 45},
        title={"text": say("measuring.title", way=way), "font": {"size": 14}},
    )  # fmt: skip


def _times(r: float) -> str:
    """In words how many times as fast.

    >>> [_times(r) for r in (1.02, 2.54, 0.5, 1 / 190)]
    ['as fast', '2.5× faster', '2× slower', '190× slower']
    """
    if 0.95 < r < 1.05:
        return "as fast"
    times = float(f"{max(r, 1 / r):.2g}")
    return f"{times:g}× {'faster' if r > 1 else 'slower'}"
