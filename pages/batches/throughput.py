"""Sentences per second against the size of the batch, and how much of a batch is padding."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st
import torch

from crf.chain import LinearChain
from crf.engines import has_kernels
from pages.batches.batch import Batch, say
from pages.shared.course import measuring
from pages.shared.figures import tables, theme
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson

SIZES = (1, 4, 16, 64, 256)
CORPUS = 256  # sentences, of which the padding is reckoned
BUDGET = 2.0  # seconds, for all of it
WAYS = {"one": "one at a time", "plain": "batched, in PyTorch", "kernels": "batched, in C"}
_COLOURS = {"one": "#D55E00", "plain": "#2F7FBF", "kernels": "#0B8F69"}


class Rate(NamedTuple):
    """What was measured."""

    way: str  # a key of `WAYS`
    size: int  # how many sentences are in the batch
    per_second: float  # sentences whose log Z is computed in a second


@lru_cache(maxsize=16)
def measured(lengths: tuple[int, ...], tags: int) -> list[Rate]:
    """What was measured for these lengths on this server; nothing if it was not."""
    return []


def measure(lengths: tuple[int, ...], tags: int) -> list[Rate]:
    """Measure log Z of batches of these lengths, which are repeated, over S tags, and keep it.

    What does not fit `BUDGET` is left out, the largest batches first; nothing is measured while
    another measurement is running.
    """
    if found := measuring.alone(lambda: _measure(lengths, tags)):
        measured(lengths, tags)[:] = found
    return found or []


def _measure(lengths: tuple[int, ...], tags: int) -> list[Rate]:
    ways = ["one", "plain", *(["kernels"] if has_kernels() else [])]
    rates = []
    for way in ways:
        until = time.perf_counter() + BUDGET / len(ways)
        for size in SIZES:
            left = until - time.perf_counter()
            last = rates[-1] if rates and rates[-1].way == way else None
            if last and 2.2 * size / last.per_second > left:  # it is called twice at least
                break
            call = _work(way, lengths, tags, size)
            spent = measuring.seconds(call, left / (len(SIZES) - SIZES.index(size)) / 2)
            rates.append(Rate(way, size, size / spent))
    return rates


def _work(way: str, lengths: Sequence[int], tags: int, size: int) -> Callable[[], object]:
    """What is timed: log Z of a batch."""
    rows = [lengths[b % len(lengths)] for b in range(size)]
    L = max(rows)
    scores = torch.Generator().manual_seed(0)
    emissions = torch.randn(size, L, tags, generator=scores)
    transitions = torch.randn(tags, tags, generator=scores)
    mask = torch.arange(L) < torch.tensor(rows)[:, None]
    if way == "one":
        alone = [emissions[b : b + 1, : rows[b]] for b in range(size)]
        return lambda: [LinearChain(e, transitions, backend="plain").log_partition for e in alone]
    return lambda: LinearChain(emissions, transitions, mask=mask, backend=way).log_partition


def figure(rates: Sequence[Rate]) -> go.Figure:
    """Sentences per second against the batch, both axes logarithmic; a line for each way."""
    drawn = go.Figure()
    for way, name in WAYS.items():
        mine = [rate for rate in rates if rate.way == way]
        if mine:
            drawn.add_scatter(
                x=[r.size for r in mine], y=[r.per_second for r in mine], name=name,
                mode="lines+markers", line={"color": _COLOURS[way]},
                hovertemplate=say("speed-words.point"),
            )  # fmt: skip
    drawn.update_xaxes(title=say("speed-words.size"), type="log", tickvals=SIZES)
    drawn.update_yaxes(title=say("speed-words.rate"), type="log", dtick=1)
    return drawn.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=330,
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip


def waste(lengths: Sequence[int], size: int, *, in_order: bool) -> float:
    """The share of cells that are padding, of `CORPUS` sentences cut into batches of a size.

    The lengths are repeated; `in_order`, the sentences are sorted by length first.

    Example:
        >>> waste((8, 5), 16, in_order=False), waste((8, 5), 16, in_order=True)
        (0.1875, 0.0)
    """
    rows = [lengths[b % len(lengths)] for b in range(CORPUS)]
    if in_order:
        rows.sort()
    cut = [rows[b : b + size] for b in range(0, len(rows), size)]
    return 1 - sum(rows) / sum(len(batch) * max(batch) for batch in cut)


def padding(lesson: Lesson, lengths: Sequence[int]) -> None:
    """The share of padding in batches of some sizes, as the sentences come and sorted by length."""
    lesson.say("padding", sentences=str(CORPUS))
    rows = [
        [str(size), *(theme.percent(waste(lengths, size, in_order=o)) for o in (False, True))]
        for size in SIZES[1:]
    ]
    header = [say(f"padding-words.{name}") for name in ("size", "as-they-come", "sorted")]
    st.html(tables.text_table(header, rows, "Padding"))


@st.fragment
def section(lesson: Lesson, batch: Batch) -> None:
    """How many times as fast a batch is as one sentence at a time."""
    lengths, S = tuple(n for n in batch.lengths if n), batch.shape[2]
    if not lengths:
        return
    words = st.container()
    if st.button(say("speed-words.measure"), key="batches.measure"):
        if not measure(lengths, S):
            note(say("speed-words.busy"))
    rates = measured(lengths, S)
    plain = [rate for rate in rates if rate.way == "plain"]
    with words:
        if plain:
            alone = max(rate.per_second for rate in rates if rate.way == "one")
            lesson.say("speed", size=plain[-1].size, gain=f"{plain[-1].per_second / alone:.0f}")
        else:
            lesson.say("measure", lengths=" and ".join(map(str, lengths)))
    if plain:
        st.plotly_chart(figure(rates), key="batches.speed", config={"displayModeBar": False})
    with lesson.fold(key="padding") as is_open:
        if is_open:
            padding(lesson, lengths)
