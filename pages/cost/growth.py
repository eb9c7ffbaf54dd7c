"""|S|^m against m·|S|², in seconds: measured for short sentences, extrapolated for longer ones."""

import math
import time
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, product
from typing import NamedTuple

import plotly.graph_objects as go

from pages.shared.course import timing
from pages.shared.course.brute_force import score
from pages.shared.course.problem import Problem
from pages.shared.course.timing import duration

BUDGET = 0.3  # seconds
LONGEST = 40  # tokens
_GREY = "#767676"
_THIN = {"color": _GREY, "width": 1}
_DASHED = _THIN | {"dash": "dash"}
_LINE, _NO_ARROW = {"type": "line"}, {"showarrow": False}


class SentenceTime(NamedTuple):
    """A sentence of so many tokens.

    Attributes:
        tokens: m.
        seconds: How long log Z takes.
        measured: Whether that was measured here, or follows from shorter ones.
    """

    tokens: int
    seconds: float
    measured: bool


class Growth(NamedTuple):
    """Both ways to log Z.

    Attributes:
        paths: One path after the other: S times as long with each token.
        recursion: The forward recursion: as much again with each token.
    """

    paths: tuple[SentenceTime, ...]
    recursion: tuple[SentenceTime, ...]


@lru_cache(maxsize=16)
def _kept(tags: int) -> list[Growth]:
    return []


def growth(tags: int) -> Growth | None:
    """Both ways with this many tags, measured once on this server; None while another measures."""
    kept = _kept(tags)
    if not kept and (found := timing.alone(lambda: _measure(tags))):
        kept[:] = [found]
    return kept[0] if kept else None


def _measure(tags: int) -> Growth:
    names = [f"T{s}" for s in range(tags)]
    paths = _paths(names)
    sizes = (1, 5, 10, 20, LONGEST)
    chains = [(m, Problem.blank(names, ["x"] * m)) for m in sizes]
    recursion = []
    for m, problem in chains:
        chain = problem.chain
        spent = timing.seconds(lambda chain=chain: chain().log_partition, BUDGET / 10 / len(sizes))
        recursion.append(SentenceTime(m, spent, measured=True))
    # A longer sentence does all that a shorter one does: what took longer for that was noise.
    least = accumulate(reversed([point.seconds for point in recursion]), min)
    steady = [p._replace(seconds=s) for p, s in zip(recursion, reversed([*least]), strict=True)]
    return Growth(paths, tuple(steady))


def _paths(names: Sequence[str]) -> tuple[SentenceTime, ...]:
    """Scores of all paths, in Python, as long as it takes no more than half the budget."""
    points: list[SentenceTime] = []
    S, until = len(names), time.perf_counter() + BUDGET / 2
    for m in range(1, LONGEST + 1):
        last = points[-1].seconds if points else 0.0
        ahead = last * S * m / max(m - 1, 1)  # S times as many paths, each a token longer
        if ahead > until - time.perf_counter() or (S == 1 and m > 20):
            points.append(SentenceTime(m, ahead, measured=False))
            continue
        problem = Problem.blank(names, ["x"] * m)
        spent = math.inf
        for _ in range(3 if 3 * ahead < until - time.perf_counter() else 1):
            begin = timing.clock()
            sum(math.exp(score(problem, tags)) for tags in product(range(S), repeat=m))
            spent = min(spent, timing.clock() - begin)
        points.append(SentenceTime(m, max(spent, last), measured=True))  # less was noise
    return tuple(points)


def figure(found: Growth, tags: int, here: int) -> go.Figure:
    """Seconds against tokens, on a logarithmic axis made by hand: floats would overflow.

    Args:
        found: From `growth`.
        tags: S.
        here: The tokens of the sentence on screen.
    """
    drawn = go.Figure()
    for name, colour, points in (
        (f"all {tags}ᵐ paths", "#D55E00", found.paths),
        (f"forward recursion, m·{tags}²", "#2F7FBF", found.recursion),
    ):
        drawn.add_scatter(
            x=[p.tokens for p in points], y=[_log10(p.seconds) for p in points], name=name,
            mode="lines", line={"color": colour, "dash": "dot"}, hoverinfo="skip",
        )  # fmt: skip
        real = [p for p in points if p.measured]
        drawn.add_scatter(
            x=[p.tokens for p in real], y=[_log10(p.seconds) for p in real], mode="markers",
            marker={"color": colour, "size": 8}, cliponaxis=False, name=f"{name}: measured",
            showlegend=False, customdata=[duration(p.seconds) for p in real],
            hovertemplate="%{x} tokens: %{customdata}<extra></extra>",
        )  # fmt: skip
    lines, names = [], []  # by hand: plotly's own way takes most of a run of the page
    for name, seconds in timing.HORIZONS.items():
        crossed = max((p.tokens for p in found.paths if p.seconds < seconds), default=0) / LONGEST
        x = crossed - 0.05 if 0.7 < crossed < 1 else 1  # beside the line of all paths
        y, at = _log10(seconds), {"xref": "x domain", "yref": "y"}
        lines.append(at | _LINE | {"x0": 0, "x1": 1, "y0": y, "y1": y, "line": _DASHED})
        names.append(
            at | {"x": x, "y": y, "text": name, "xanchor": "right", "yanchor": "top"} | _NO_ARROW
        )
    x, at = min(here, LONGEST), {"xref": "x", "yref": "y domain"}
    lines.append(at | _LINE | {"x0": x, "x1": x, "y0": 0, "y1": 1, "line": _THIN})
    said = {"x": x, "y": 1, "text": "this sentence", "xanchor": "center", "yanchor": "bottom"}
    names.append(at | said | _NO_ARROW)
    drawn.update_xaxes(title="tokens in the sentence, m", range=[0, LONGEST])
    drawn.update_yaxes(title="seconds", tickprefix="10<sup>", ticksuffix="</sup>", range=[-5.5, 22])
    return drawn.update_layout(
        shapes=lines, annotations=names,
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=540,
        margin={"l": 60, "r": 20, "t": 40, "b": 50},
        legend={"orientation": "h", "y": 1.06, "yanchor": "bottom"},
    )  # fmt: skip


def _log10(seconds: float) -> float:
    return math.log10(max(seconds, 1e-9))
