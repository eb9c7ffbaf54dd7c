"""Samples of a chain's paths, and how fast their frequencies approach the marginals.

After n samples the frequency of tag s at token t is an average of n yes-or-no draws, so

    E[(frequency − p)²] = p (1 − p) / n

and the typical distance to the marginals falls like 1/√n.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st
from torch import Tensor

from crf.chain import LinearChain
from pages.backward.sections import both_ways
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import prose
from pages.shared.figures.theme import log_probability, probability
from pages.shared.ui import client_values, computed
from pages.shared.ui.controls import Integer, InvalidError, Value
from pages.shared.ui.frame import note
from pages.shared.ui.recursion import Recursion

MOST = 10_000


class Drawn(NamedTuple):
    """One path among the samples."""

    tags: tuple[int, ...]  # m tag indices
    times: int  # how often it was drawn


def draw(chain: LinearChain, seed: int, n: int = MOST) -> Tensor:
    """n independent samples of a batch of one: [n, m] tag indices, the same for the same seed.

    Raises:
        ValueError: The chain allows no path.
    """
    import torch

    return chain.sample(n, torch.Generator().manual_seed(seed))[:, 0]


def frequencies(samples: Tensor, num_tags: int) -> list[list[float]]:
    """How often each tag was drawn for each token: [m][S] shares of the samples.

    >>> import torch
    >>> frequencies(torch.tensor([[0, 1], [1, 1]]), 2)
    [[0.5, 0.5], [0.0, 1.0]]
    """
    import torch

    counts = torch.stack([(samples == s).sum(0) for s in range(num_tags)], dim=-1)
    return (counts.double() / len(samples)).tolist()


def largest_gaps(
    counted: Sequence[Sequence[float]], unary: Sequence[Sequence[float]]
) -> list[float]:
    """The largest distance of each token's frequencies to its marginals: [m].

    >>> largest_gaps([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    [0.25, 1.0]
    """
    return [
        max(abs(f - p) for f, p in zip(*rows, strict=True))
        for rows in zip(counted, unary, strict=True)
    ]


def distances(
    samples: Tensor, marginals: Sequence[Sequence[float]], sizes: Sequence[int]
) -> list[float]:
    """Root mean square of frequency − marginal over all tokens and tags, after n samples each.

    Args:
        samples: [N, m] tag indices.
        marginals: [m][S] probabilities.
        sizes: The n; N at most.
    """
    found = []
    for n in sizes:
        pairs = zip(frequencies(samples[:n], len(marginals[0])), marginals, strict=True)
        squares = [(f - p) ** 2 for row in pairs for f, p in zip(*row, strict=True)]
        found.append(math.sqrt(math.fsum(squares) / len(squares)))
    return found


def expected_distance(marginals: Sequence[Sequence[float]], n: int) -> float:
    """What theory expects of `distances`: √(mean of p (1 − p) / n), so that it falls like 1/√n.

    >>> expected_distance([[0.5, 0.5]], 25)
    0.1
    """
    variances = [p * (1 - p) for row in marginals for p in row]
    return math.sqrt(math.fsum(variances) / len(variances) / n)


def most_frequent(samples: Tensor, k: int) -> list[Drawn]:
    """The k paths drawn most often; of equals the lower tags first."""
    import torch

    paths, times = torch.unique(samples, dim=0, return_counts=True)  # sorted by tags
    order = torch.argsort(times, descending=True, stable=True)[:k]
    return [
        Drawn(tuple(path), many)
        for path, many in zip(paths[order].tolist(), times[order].tolist(), strict=True)
    ]


# ---------------------------------------------------------------------- the curve


SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, MOST)
_TICKS = (1, 10, 100, 1000, MOST)
_MEASURED, _EXPECTED = "#2F7FBF", "#767676"  # 3:1 on white and on the dark background
_CLEAR = "rgba(0,0,0,0)"


def floor(expected: Sequence[float]) -> float:
    """The bottom of the curve: a tenth of the smallest distance that theory expects.

    >>> floor([0.5, 0.05])
    0.005
    """
    return min(expected) / 10


def curve(found: Sequence[float], expected: Sequence[float], n: int) -> go.Figure:
    """The distance of frequencies to marginals against the number of samples.

    Args:
        found: For each of `SIZES`, the root mean square distance.
        expected: For each, what theory expects.
        n: The number of samples on screen, one of `SIZES`.

    Returns:
        Trace 0: what was found. Trace 1: what theory expects, a line of slope −1/2. Trace 2: the
        number on screen. Both axes are logarithmic; what is below `floor` is drawn there, so that
        an exact hit leaves the rest of the curve readable.
    """
    k, bottom = SIZES.index(n), floor(expected)
    drawn = [max(distance, bottom) for distance in found]
    figure = go.Figure()
    figure.add_scatter(
        x=SIZES, y=drawn, name="these samples", mode="lines+markers", line={"color": _MEASURED},
        text=[probability(distance) for distance in found],
        hovertemplate="%{x:,} samples: off by %{text}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=SIZES, y=expected, name="expected: falls like 1/√n", mode="lines",
        line={"color": _EXPECTED, "dash": "dash"},
        text=[probability(distance) for distance in expected],
        hovertemplate="%{x:,} samples: %{text} expected<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[n], y=[drawn[k]], name=f"n = {n:,}", mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": _MEASURED, "line": {"width": 3}},
        hoverinfo="skip",
    )  # fmt: skip
    figure.update_xaxes(
        title="samples", type="log", tickvals=_TICKS, ticktext=[f"{n:,}" for n in _TICKS]
    )
    figure.update_yaxes(
        title="distance to the marginals", type="log", dtick=1, exponentformat="power"
    )
    figure.update_layout(
        height=330, margin={"l": 10, "r": 10, "t": 10, "b": 10}, paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip
    return figure


# ---------------------------------------------------------------------- the section


LISTED = 5


def _size(value: object) -> int:
    if type(value) is int and value in SIZES:
        return value
    raise InvalidError(f"One can have {', '.join(map(str, SIZES))}.")


def _read_size(text: str) -> int:
    return _size(int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None)


SIZE = Value("backward.n", 100, address="samples", checked=_size, reads=_read_size)
SEED = Integer("backward.seed", 1, address="seed", high=999)


@lru_cache(maxsize=8)
def drawn(problem: Problem, seed: int) -> Tensor:
    """As many as are ever shown; n of them are the first n."""
    return draw(computed.summary(problem).chain, seed)


@lru_cache(maxsize=8)
def _distances(problem: Problem, seed: int) -> list[float]:
    return distances(drawn(problem, seed), both_ways(problem).unary, SIZES)


def sampled(shown: Recursion) -> None:
    """Paths drawn at random, each as often as it is probable."""
    shown.say("samples")
    with shown.results("Draw samples"):
        _sampled(shown)


@st.fragment
def _sampled(shown: Recursion) -> None:
    problem = shown.problem
    n = SIZE.value
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        n = st.select_slider(
            "Samples", SIZES, key=SIZE.key, persist_state="session", width=360,
            format_func=lambda n: f"{n:,}", on_change=shown.publish,
        )  # fmt: skip
        seed = SEED.widget(
            "Seed", width=140, help="The same seed draws the same samples, for everyone.",
            on_change=shown.publish,
        )  # fmt: skip
    unary, paths = both_ways(problem).unary, drawn(problem, seed)[:n]
    counted = frequencies(paths, len(problem.tags))
    gaps = largest_gaps(counted, unary)
    by_tag = list(zip(*counted, strict=True))
    st.html(
        tables.probability_table(
            problem.tags,
            problem.tokens,
            by_tag,
            f"How often each tag was drawn in {n:,} samples",
            [("off by up to", [f"{gap:.3f}" for gap in gaps])],
            texts=[[f"{round(n * share):,}" for share in row] for row in by_tag],
        )
    )
    note("Below: the largest distance of the frequencies to the marginals.")
    found = _distances(problem, seed)
    expected = [expected_distance(unary, size) for size in SIZES]
    k = SIZES.index(n)
    if expected[k] > 1e-12:
        st.plotly_chart(
            curve(found, expected, n),
            key="backward.curve",
            width=760,
            on_select=lambda: _choose_size(shown),
            selection_mode="points",
            config={"displayModeBar": False},
        )
        st.html(
            prose(
                f"With {n:,} {'sample' if n == 1 else 'samples'} the frequencies are off by "
                f"{probability(found[k])} (root mean square over all cells), where "
                f"√(mean of p(1 − p) / n) = {probability(expected[k])} is expected. Pick a point "
                "of the curve to draw as many."
            )
        )
        if min(found) < floor(expected):
            note("Points below the axis are drawn at its bottom; point at one to read its value.")
    else:
        note("One path has all of the probability, or as good as all: every sample is that path.")
    st.html(_most_drawn(problem, paths))


def _choose_size(shown: Recursion) -> None:
    """Show as many samples as the point has that was picked in the curve."""
    known = client_values.one_of(SIZES)
    picked = (
        client_values.genuine(p.get("x"), known) for p in client_values.points("backward.curve")
    )
    sizes = [size for size in picked if size is not None]
    if sizes:
        SIZE.set(sizes[0])
        shown.publish()


def path_rows(problem: Problem, drawn: Tensor) -> list[tuple[Drawn, float]]:
    """The paths drawn most often, each with its log-probability."""
    import torch

    chain = computed.summary(problem).chain
    most = most_frequent(drawn, LISTED)
    return [(one, min(chain.log_prob(torch.tensor([one.tags])).item(), 0.0)) for one in most]


def _most_drawn(problem: Problem, drawn: Tensor) -> str:
    n, most = len(drawn), path_rows(problem, drawn)
    rows = [
        tables.PathRow(
            f"{k}.",
            [problem.tags[s] for s in one.tags],
            [f"{one.times:,}", probability(one.times / n), log_probability(log_p)],
        )
        for k, (one, log_p) in enumerate(most, 1)
    ]
    best = [problem.tags[s] for s in computed.decoded(problem)[0].path]
    return tables.path_table(
        problem.tokens,
        rows,
        best,
        ["times", "frequency", "probability"],
        "The paths drawn most often; ≠ marks what differs from the best path",
        tags=problem.tags,
    )
