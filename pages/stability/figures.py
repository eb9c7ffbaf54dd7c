"""Pictures: errors as a chain grows, the choice of c, α on the number line.

A curve's colour is the number format, its dash the method; every point carries the token behind it.
"""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from crf.figures.numbers import format_potential, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.ui.component import component
from pages.stability.chains import FormatRun
from pages.stability.number_formats import DTYPES, limits, magnitude, written
from pages.stability.sums import exact_log_sum_exp, with_offset
from pages.stability.verdicts import CHAINS, say

_DASHES = {"probability": "dot", "scaled": "dash", "log": "solid"}
_CLEAR = "rgba(0,0,0,0)"
_GREY = "#767676"
_POINTS = 125  # of a curve
_STEPS = 120  # of c
_FLOOR = 1e-17  # where an error of 0 is drawn: a log axis has no 0


def error_curves(runs: Sequence[FormatRun], tokens: Sequence[str]) -> go.Figure:
    """|log Z − exact| against the length, with a cross where a curve ends in inf, −inf or nan.

    Args:
        runs: Those wanted on one plot, a curve of some hundred points for each.
        tokens: The problem's, which the chain repeats.

    Returns:
        The figure; customdata of a point is (its word, value, error). From where a curve ends, the
        rest of its length is shaded.
    """
    figure, length = go.Figure(), len(runs[0].errors)
    drawn = range(0, length, -(-length // _POINTS))
    for run in runs:
        errors = [run.errors[t] for t in drawn]
        figure.add_scatter(
            x=[t + 1 for t in drawn],
            y=[max(error, _FLOOR) if error < math.inf else None for error in errors],
            customdata=[
                (tokens[t % len(tokens)], written(run.values[t]), magnitude(run.errors[t]))
                for t in drawn
            ],
            # a point can be chosen only if it has a marker; these are seen once chosen
            name=_name(run), mode="lines+markers", marker={"opacity": 0, "size": 9},
            selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 0}},
            line={"color": theme.FORMATS[run.dtype], "dash": _DASHES[run.method]},
            hovertemplate=f"{say('curves.point')}<extra>{_name(run)}</extra>",
        )  # fmt: skip
    ended = [(run, run.useless) for run in runs if run.useless and math.inf in run.errors]
    largest = max((e for run in runs for e in run.errors if 0 < e < math.inf), default=1.0)
    if ended:
        _crosses(figure, ended, length, 10 * largest)
    figure.update_yaxes(title=say("curves.error"), type="log", exponentformat="power")
    figure.update_xaxes(title=say("curves.tokens"))
    return _plain(figure)


def _crosses(figure: go.Figure, ended: list[tuple], length: int, top: float) -> None:
    """Where curves end; one cross under the other: several may stand at one token."""
    colours = [theme.FORMATS[run.dtype] for run, _ in ended]
    places = [useless.token + 1 for _, useless in ended]
    for place, colour in zip(places, colours, strict=True):
        figure.add_vrect(
            x0=place, x1=length, fillcolor=colour, opacity=0.07, line_width=0, layer="below"
        )
    lower = (top / _FLOOR) ** 0.05
    figure.add_scatter(
        x=places, y=[top / lower**k for k in range(len(ended))],
        mode="markers", name=say("curves.ended"),
        marker={"symbol": "x", "size": 9, "color": colours},
        text=[f"{_name(run)}: {useless.kind}. {say(useless.sentence)}" for run, useless in ended],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _name(run: FormatRun) -> str:
    return f"{CHAINS[run.method].lower()}, {run.dtype}"


def offset_plot(scores: Sequence[float], chosen: float, dtype: str) -> go.Figure:
    """Σ exp(q − c) against c: where a format holds it, and where it is inf or 0.

    Trace 0 is the exact sum, a straight line on the log axis. Trace 1 is the sum as the format has
    it, where it is neither inf nor 0; customdata is (c, c + log Σ exp(q − c)). Trace 2 is c = max
    q; a line marks the reader's c.
    """
    exact, top, bound = float(exact_log_sum_exp(scores)), max(scores), limits(dtype)
    span = bound.overflow - bound.underflow  # both regions are in sight
    low, high = exact - bound.overflow - 0.2 * span, exact - bound.underflow + 0.2 * span
    offsets = [low + (high - low) * k / _STEPS for k in range(_STEPS + 1)]
    # q − c in float64: the plot is about exp, not about the digits of c
    sums = [with_offset([q - c for q in scores], 0.0, dtype) for c in offsets]
    shown = [(c, x) for c, x in zip(offsets, sums, strict=True) if 0 < x.total < math.inf]
    colour = theme.FORMATS[dtype]
    figure = go.Figure()
    figure.add_scatter(
        x=offsets, y=[(exact - c) / math.log(10) for c in offsets], mode="lines",
        name=say("offsets.exact"), line={"color": _GREY, "dash": "dash"}, hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=[c for c, _ in shown], y=[math.log10(x.total) for _, x in shown],
        mode="markers", name=dtype, marker={"color": colour, "size": 5},
        customdata=[(written(c, 4), written(c + x.value)) for c, x in shown],
        hovertemplate="c = %{customdata[0]}: c + log Σ = %{customdata[1]}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[top], y=[(exact - top) / math.log(10)], mode="markers+text", text=["c = max q"],
        textposition="top right", name="c = max q", cliponaxis=False,
        marker={"symbol": "diamond", "size": 11, "color": colour},
        hovertemplate=f"c = max q = {written(top, 4)}<extra></extra>",
    )  # fmt: skip
    regions = (  # where the sum is inf, which it decides itself, and where the largest term is 0
        (low, exact - bound.overflow, "inf", "float16"),
        (top - bound.underflow, high, "0", "float32"),
    )
    for x0, x1, says, fill in regions:
        figure.add_vrect(
            x0=x0, x1=x1, fillcolor=theme.FORMATS[fill], opacity=0.14, line_width=0,
            annotation_text=f"{dtype}: {says}", annotation_position="top left", layer="below",
        )  # fmt: skip
    figure.add_vline(
        x=chosen, line={"color": _GREY, "width": 2}, annotation_text=say("offsets.yours"),
        annotation_position="bottom right",
    )  # fmt: skip
    figure.update_xaxes(title="c", range=[low, high])
    figure.update_yaxes(title="log₁₀ Σ exp(q − c)")
    return _plain(figure)


def _plain(figure: go.Figure) -> go.Figure:
    return figure.update_layout(
        paper_bgcolor=_CLEAR, plot_bgcolor=_CLEAR, margin={"l": 60, "r": 20, "t": 30, "b": 50},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}, height=340,
    )  # fmt: skip


# ---------------------------------------------------------------------- the number line


_COMPONENT = component("numberline", "pages/stability/number_line")
_AXIS = 800.0  # nats to each side of 1: float64 ends before; what is beyond stands at the end
_TICKS = (-300, -200, -100, 0, 100, 200, 300)  # powers of ten


def payload(problem: Problem, logs: Sequence[float], at: int) -> dict[str, Any]:
    """The number line's data: for each format what exp holds, for each token the largest log α̂.

    The token that is marked at first, `at`, counts from 1.
    """
    words = ("label", "axis", "says", "held", "none")
    return {name: say(f"number-line.{name}") for name in words} | {
        "low": -_AXIS,
        "high": _AXIS,
        "ticks": [{"nats": k * math.log(10), "text": power_of_ten(k)} for k in _TICKS],
        "formats": [
            {"name": d, "low": limits(d).underflow, "high": limits(d).overflow,
             "colour": theme.FORMATS[d]}
            for d in DTYPES
        ],
        "logs": [value if math.isfinite(value) else -_AXIS for value in logs],
        "zeros": [value == -math.inf for value in logs],
        "numbers": [format_potential(value) for value in logs],
        "words": [theme.shorten(token, 12) for token in problem.tokens],
        "at": at,
    }  # fmt: skip


def number_line(problem: Problem, logs: Sequence[float], at: int, *, key: str) -> int:
    """Draw it; return the token that the reader has moved to, else `at`."""
    sent = _COMPONENT(key=key, data=payload(problem, logs, at), on_token_change=lambda: None)
    token = sent.get("token") if hasattr(sent, "get") else None
    return token if type(token) is int and 1 <= token <= len(logs) else at
