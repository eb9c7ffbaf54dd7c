"""Pictures: errors as a chain grows, the choice of c, α on the number line.

A curve's colour is the number format, its dash the method; every point carries the token behind it.
"""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch

from pages.shared.course.numbers import format_magnitude, format_potential, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.ui.component import component
from pages.stability.chains import FormatRun
from pages.stability.number_formats import DTYPES, limits, torch_dtype
from pages.stability.sums import exact_log_sum_exp
from pages.stability.verdicts import said, told

DASHES = {"probability": "dot", "scaled": "dash", "log": "solid"}
NAMES = {"probability": "probability space", "scaled": "scaled", "log": "log space"}
_CLEAR = "rgba(0,0,0,0)"
_GREY = "#767676"
_POINTS = 125  # of a curve
_FLOOR = 1e-17  # where an error of 0 is drawn: a log axis has no 0


def error_curves(runs: Sequence[FormatRun], tokens: Sequence[str]) -> go.Figure:
    """|log Z − exact| against the length, with a cross where a curve ends in inf, −inf or nan.

    Args:
        runs: Of `pages.stability.chains.grow`; those wanted on one plot.
        tokens: The problem's tokens, which the chain repeats.

    Returns:
        A curve for each run, in their order, of some hundred points; a point's customdata is
        (token, value, its word, error). From where a curve ends, the rest of its length is shaded.
    """
    figure = go.Figure()
    finite = [e for run in runs for e in run.errors if 0 < e < math.inf]
    top = 10 * max(finite, default=1.0)
    length = len(runs[0].errors) if runs else 0
    drawn = range(0, length, -(-length // _POINTS) or 1)
    for run in runs:
        colour, name = theme.FORMATS[run.dtype], f"{NAMES[run.method]}, {run.dtype}"
        figure.add_scatter(
            x=[t + 1 for t in drawn],
            y=[max(run.errors[t], _FLOOR) if run.errors[t] < math.inf else None for t in drawn],
            customdata=[
                (
                    t, said(run.values[t]), tokens[t % len(tokens)],
                    format_magnitude(run.errors[t], 2) if run.errors[t] < math.inf else "",
                )
                for t in drawn
            ],
            # a point can be chosen only if it has a marker; these are seen once chosen
            name=name, mode="lines+markers", marker={"opacity": 0, "size": 9},
            selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 0}},
            line={"color": colour, "dash": DASHES[run.method]},
            hovertemplate="%{x} tokens (%{customdata[2]}): log Z = %{customdata[1]}, off by "
            "%{customdata[3]}<extra>" + name + "</extra>",
        )  # fmt: skip
    ended = [(run, run.useless) for run in runs if run.useless and math.inf in run.errors]
    for run, useless in ended:
        colour = theme.FORMATS[run.dtype]
        figure.add_vrect(
            x0=useless.token + 1, x1=len(run.errors), fillcolor=colour, opacity=0.07, line_width=0,
            layer="below",
        )  # fmt: skip
    if ended:
        lower = (top / _FLOOR) ** 0.05  # one under the other: several may stand at one token
        figure.add_scatter(
            x=[useless.token + 1 for _, useless in ended],
            y=[top / lower**k for k in range(len(ended))],
            mode="markers",
            name="inf, −inf or nan from here on (shaded)",
            marker={"symbol": "x", "size": 9, "color": [theme.FORMATS[r.dtype] for r, _ in ended]},
            customdata=[(u.token, u.kind, tokens[u.token % len(tokens)]) for _, u in ended],
            text=[f"{NAMES[r.method]}, {r.dtype}: {u.kind}. {told(u.told)}" for r, u in ended],
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    figure.update_yaxes(title="error of log Z (nats)", type="log", exponentformat="power")
    figure.update_xaxes(title="tokens in the chain")
    return _plain(figure)


def offset_plot(
    scores: Sequence[float], dtype: str, points: int = 121, chosen: float | None = None
) -> go.Figure:
    """Σ exp(q − c) against c: where a format holds it, and where it is inf or 0.

    Args:
        scores: q; at least one is not −∞.
        dtype: The number format that is shaded and computed with.
        points: How many c are tried.
        chosen: The reader's c, marked by a line.

    Returns:
        Trace 0: the exact sum, a straight line on the log axis. Trace 1: the sum as the format
        has it, where it is neither inf nor 0; customdata is (c, c + log Σ exp(q − c)).
        Trace 2: c = max q.

    Raises:
        ValueError: All scores are −∞.
    """
    exact, top, bound = float(exact_log_sum_exp(scores)), max(scores), limits(dtype)
    if exact == -math.inf:
        raise ValueError("scores: expected one that is allowed, got −∞ only; allow one")
    span = bound.overflow - bound.underflow  # both regions are in sight
    low, high = exact - bound.overflow - 0.2 * span, exact - bound.underflow + 0.2 * span
    offsets = [low + (high - low) * k / (points - 1) for k in range(points)]
    q, c = (torch.tensor(x, dtype=torch.float64) for x in (scores, offsets))
    # q − c in float64: the plot is about exp, not about the digits of c
    sums = (q - c[:, None]).to(torch_dtype(dtype)).exp().sum(1)
    logs = [None if math.isinf(x) else x for x in sums.log().tolist()]
    figure = go.Figure()
    figure.add_scatter(
        x=offsets, y=[(exact - c) / math.log(10) for c in offsets], mode="lines", name="exact",
        line={"color": _GREY, "dash": "dash"}, hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=offsets, y=[math.log10(s) if 0 < s < math.inf else None for s in sums.tolist()],
        mode="markers", name=dtype, marker={"color": theme.FORMATS[dtype], "size": 5},
        customdata=[
            (said(c, 4), "" if x is None else said(c + x))
            for c, x in zip(offsets, logs, strict=True)
        ],
        hovertemplate="c = %{customdata[0]}: c + log Σ = %{customdata[1]}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[top], y=[(exact - top) / math.log(10)], mode="markers+text", text=["c = max q"],
        textposition="top right", name="c = max q", cliponaxis=False,
        marker={"symbol": "diamond", "size": 11, "color": theme.FORMATS[dtype]},
        hovertemplate=f"c = max q = {said(top, 4)}<extra></extra>",
    )  # fmt: skip
    _shade(figure, dtype, low, exact - bound.overflow, top - bound.underflow, high)
    if chosen is not None:
        figure.add_vline(
            x=chosen, line={"color": _GREY, "width": 2}, annotation_text="your c",
            annotation_position="bottom right",
        )  # fmt: skip
    figure.update_xaxes(title="c", range=[low, high])
    figure.update_yaxes(title="log₁₀ Σ exp(q − c)")
    return _plain(figure)


def _shade(
    figure: go.Figure, dtype: str, low: float, inf_until: float, zero_from: float, high: float
) -> None:
    """Where the sum is inf, which it decides itself, and where the largest term is 0."""
    regions = ((low, inf_until, "inf", "float16"), (zero_from, high, "0", "float32"))
    for x0, x1, says, colour in regions:
        figure.add_vrect(
            x0=x0, x1=x1, fillcolor=theme.FORMATS[colour], opacity=0.14, line_width=0,
            annotation_text=f"{dtype}: {says}", annotation_position="top left", layer="below",
        )  # fmt: skip


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
    """What is drawn.

    Args:
        problem: Whose tokens the chain repeats.
        logs: The largest log α̂ of each token of the longest chain on offer.
        at: The token that is marked at first, from 1.

    Returns:
        For each token the largest log α̂ of its column, as a number and as text; for each format
        the scores between which exp is neither 0 nor inf.
    """
    held = [value if math.isfinite(value) else -_AXIS for value in logs]
    return {
        "label": "Four number formats as bars; a mark shows where the largest α̂ of a token stands.",
        "axis": "the largest α̂ of the column, as a power of ten",
        "says": "The largest α̂ is",
        "held": "Every format holds it.",
        "none": "No path comes this far, so it is 0 in truth, too.",
        "low": -_AXIS,
        "high": _AXIS,
        "ticks": [{"nats": k * math.log(10), "text": power_of_ten(k)} for k in _TICKS],
        "formats": [
            {
                "name": dtype,
                "low": limits(dtype).underflow,
                "high": limits(dtype).overflow,
                "colour": theme.FORMATS[dtype],
            }
            for dtype in DTYPES
        ],
        "logs": held,
        "zeros": [value == -math.inf for value in logs],
        "numbers": [format_potential(value) for value in logs],
        "words": [theme.shorten(token, 12) for token in problem.tokens],
        "at": at,
    }


def number_line(problem: Problem, logs: Sequence[float], at: int, *, key: str) -> int:
    """Draw it.

    Args:
        problem: Whose tokens the chain repeats.
        logs: As above.
        at: The token that is marked at first, from 1.
        key: Of the component.

    Returns:
        The token that the reader has moved to, from 1; `at` where the browser has said nothing
        that could be true.
    """
    said = _COMPONENT(key=key, data=payload(problem, logs, at), on_token_change=lambda: None)
    token = said.get("token") if hasattr(said, "get") else None
    if isinstance(token, int) and not isinstance(token, bool):
        if 1 <= token <= len(logs):
            return token
    return at
