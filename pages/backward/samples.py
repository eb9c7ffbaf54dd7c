"""Samples of a chain's paths, and how fast their frequencies approach the marginals.

After n samples the frequency of tag s at token t is an average of n yes-or-no draws, so

    E[(frequency − p)²] = p (1 − p) / n

and the typical distance to the marginals falls like 1/√n.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st
import torch
from torch import Tensor

from pages.backward.sections import both_ways, by_tag
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import LessonText, prose
from pages.shared.figures.theme import probability
from pages.shared.ui import client_values, computed
from pages.shared.ui.controls import Integer, InvalidError, Value
from pages.shared.ui.exports import Table
from pages.shared.ui.frame import note
from pages.shared.ui.recursion import Recursion

MOST = 10_000
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, MOST)
_CURVE = "backward.curve"
_TICKS = (1, 10, 100, 1000, MOST)
_MEASURED, _EXPECTED = "#2F7FBF", "#767676"  # 3:1 on white and on the dark background
_CLEAR = "rgba(0,0,0,0)"


def _size(value: object) -> int:
    if type(value) is int and value in SIZES:
        return value
    sizes = ", ".join(map(str, SIZES))
    raise InvalidError(LessonText.of("backward").line("labels.sizes", sizes=sizes))


def _read_size(text: str) -> int:
    return _size(int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None)


SIZE = Value("backward.n", 100, address="samples", checked=_size, reads=_read_size)
SEED = Integer("backward.seed", 1, address="seed", high=999)


@lru_cache(maxsize=8)
def drawn(problem: Problem, seed: int) -> Tensor:
    """[MOST, m] tag indices, the same for the same seed; n samples are the first n."""
    chain = computed.summary(problem).chain
    return chain.sample(MOST, torch.Generator().manual_seed(seed))[:, 0]


def frequencies(samples: Tensor, num_tags: int) -> list[list[float]]:
    """How often each tag was drawn for each token: [m][S] shares of the samples.

    >>> frequencies(torch.tensor([[0, 1], [1, 1]]), 2)
    [[0.5, 0.5], [0.0, 1.0]]
    """
    counts = torch.stack([(samples == s).sum(0) for s in range(num_tags)], dim=-1)
    return (counts.double() / len(samples)).tolist()


@lru_cache(maxsize=8)
def distances(problem: Problem, seed: int) -> list[float]:
    """Root mean square of frequency − marginal over all tokens and tags, for each of `SIZES`."""
    marginals = torch.tensor(both_ways(problem).unary).double()
    samples, S = drawn(problem, seed), len(problem.tags)
    gaps = (torch.tensor(frequencies(samples[:n], S)).double() - marginals for n in SIZES)
    return [gap.square().mean().sqrt().item() for gap in gaps]


def expected_distance(marginals: Sequence[Sequence[float]], n: int) -> float:
    """What theory expects of `distances`: √(mean of p (1 − p) / n), so that it falls like 1/√n.

    >>> expected_distance([[0.5, 0.5]], 25)
    0.1
    """
    variances = [p * (1 - p) for row in marginals for p in row]
    return math.sqrt(math.fsum(variances) / len(variances) / n)


def curve(found: Sequence[float], expected: Sequence[float], n: int) -> go.Figure:
    """The distances of `SIZES`, what theory expects, and the size n on screen: three traces.

    What is below a tenth of all that is expected is drawn there, so that an exact hit leaves the
    rest of the curve readable.
    """
    line = LessonText.of("backward").line
    bottom = min(expected) / 10
    heights = [max(distance, bottom) for distance in found]
    figure = go.Figure()
    for name, mode, style, true, drawn in (
        ("these", "lines+markers", {"color": _MEASURED}, found, heights),
        ("expected", "lines", {"color": _EXPECTED, "dash": "dash"}, expected, expected),
    ):
        figure.add_scatter(
            x=SIZES, y=drawn, name=line(f"labels.{name}"), mode=mode, line=style,
            text=list(map(probability, true)), hovertemplate="%{x:,}: %{text}<extra></extra>",
        )  # fmt: skip
    figure.add_scatter(
        x=[n], y=[heights[SIZES.index(n)]], name=f"n = {n:,}", mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": _MEASURED, "line": {"width": 3}},
        hoverinfo="skip",
    )  # fmt: skip
    figure.update_xaxes(
        title=line("labels.samples-axis"), type="log", tickvals=_TICKS,
        ticktext=[f"{n:,}" for n in _TICKS],
    )  # fmt: skip
    figure.update_yaxes(
        title=line("labels.distance-axis"), type="log", dtick=1, exponentformat="power"
    )
    figure.update_layout(
        height=330, margin={"l": 10, "r": 10, "t": 10, "b": 10}, paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip
    return figure


def sampled(shown: Recursion) -> None:
    """Paths drawn at random, each as often as it is probable."""
    shown.say("samples")
    with shown.results(shown.text.line("labels.show-samples")):
        _sampled(shown)


@st.fragment
def _sampled(shown: Recursion) -> None:
    problem, line = shown.problem, shown.text.line
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        n = st.select_slider(
            line("labels.size"), SIZES, key=SIZE.key, persist_state="session", width=360,
            format_func=lambda n: f"{n:,}", on_change=shown.publish,
        )  # fmt: skip
        seed = SEED.widget(
            line("labels.seed"), width=140, help=line("labels.seed-help"), on_change=shown.publish
        )
    unary = both_ways(problem).unary
    counted = frequencies(drawn(problem, seed)[:n], len(problem.tags))
    gaps = (torch.tensor(counted).double() - torch.tensor(unary).double()).abs().amax(1).tolist()
    shares = list(zip(*counted, strict=True))
    footer = [(line("labels.off"), [f"{gap:.3f}" for gap in gaps])]
    texts = [[f"{round(n * share):,}" for share in row] for row in shares]
    caption = line("labels.drawn", n=n)
    st.html(
        tables.probability_table(problem.tags, problem.tokens, shares, caption, footer, texts=texts)
    )
    expected = [expected_distance(unary, size) for size in SIZES]
    k = SIZES.index(n)
    if expected[k] <= 1e-12:
        note(line("sampled.certain"))
        return
    found = distances(problem, seed)
    st.plotly_chart(
        curve(found, expected, n), key=_CURVE, width=760, config={"displayModeBar": False},
        on_select=lambda: _choose_size(shown), selection_mode="points",
    )  # fmt: skip
    off = line("sampled.off", n=n, found=probability(found[k]), expected=probability(expected[k]))
    st.html(prose(off))


def _choose_size(shown: Recursion) -> None:
    """Draw as many samples as the point has that was picked in the curve."""
    known = client_values.one_of(SIZES)
    picked = [client_values.genuine(p.get("x"), known) for p in client_values.points(_CURVE)]
    if sizes := [size for size in picked if size is not None]:
        SIZE.set(sizes[0])
        shown.publish()


def export_table(shown: Recursion) -> Table:
    """How often each tag was drawn, as shares."""
    problem = shown.problem

    def rows() -> tables.Rows:
        taken = drawn(problem, SEED.value)[: SIZE.value]
        return by_tag(problem, frequencies(taken, len(problem.tags)))

    return Table.of(rows)
