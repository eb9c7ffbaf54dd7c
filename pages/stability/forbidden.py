"""Forbidden: −10000 or −∞? What each does to log Z and to its gradient, in four number formats.

A score of −10000 is a number like others. A path that uses it has a probability, a gradient flows
through it, and next to it small scores lose their digits. −∞ is none of that, but
−∞ − (−∞) = nan, and a recursion has to expect it. Here are both, and their section.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import case, prose
from pages.shared.ui.controls import Choice
from pages.shared.ui.lesson import Lesson
from pages.stability import verdicts
from pages.stability.chains import FormatTables, log_space, repeated
from pages.stability.number_formats import (
    DTYPES,
    GOOD,
    RIGHT,
    judge,
    magnitude,
    spacing,
    torch_dtype,
    written,
)
from pages.stability.sums import METHODS
from pages.stability.verdicts import say

STAND_IN = -10_000.0  # what published implementations use for "impossible"


class Forbidding(NamedTuple):
    """log Z of a problem whose forbidden scores are replaced by something."""

    method: str  # one of `WAYS`
    dtype: str  # the number format
    value: float  # log Z in nats, as computed
    gradient: tuple[tuple[float, ...], ...]  # [m][S] ∂ log Z / ∂ emission, as PyTorch finds it
    gradient_error: float  # the largest |∂ − exact|; inf if one is nan
    # the worse of the verdicts of `number_formats.judge` on log Z and on the gradient's worst
    # entry, a probability and so judged like a score of 1; "vanished": there is a path, yet log Z
    # is −∞
    kind: str

    @property
    def column_sums(self) -> list[float]:
        """[m] 1 if the gradient is the marginals of a chain with a path."""
        return list(map(sum, self.gradient))


def handled_logsumexp(q: Tensor, dim: int) -> Tensor:
    """c + log Σ exp(q − c); of a row of −∞ it is −∞, and its gradient 0.

    There c is 0 and 1 stands in for the sum: no nan arises that would have to be hidden.
    """
    c = q.detach().amax(dim, keepdim=True)
    c = torch.where(c == -math.inf, 0.0, c)
    total = (q - c).exp().sum(dim)
    some = total > 0
    log_total = torch.where(some, total, 1.0).log() + c.squeeze(dim)
    return torch.where(some, log_total, -math.inf)


# what is written for forbidden: the score, and the logsumexp that meets it
WAYS = {
    "−10000": (STAND_IN, torch.logsumexp),
    "−∞, nothing handled": (-math.inf, torch.logsumexp),
    "−∞, handled": (-math.inf, handled_logsumexp),
}


def forbid(problem: Problem, way: str, dtype: str) -> Forbidding:
    """log Z and its gradient, by `log_space` with something else written for the problem's −∞."""
    stand_in, logsumexp = WAYS[way]
    chain = problem.chain()
    given = repeated(problem, len(problem.tokens))
    replaced = FormatTables(*(torch.where(t == -math.inf, stand_in, t) for t in given)).to(dtype)
    emissions = replaced.emissions.requires_grad_()
    log_z = logsumexp(log_space(replaced, logsumexp).alphas[-1] + replaced.end, 0)
    (gradient,) = torch.autograd.grad(log_z, emissions)
    off = (gradient.double() - chain.marginals[0]).abs().nan_to_num(math.inf).max().item()
    value = log_z.item()
    kind = _kind(value, chain.log_partition.item(), off, dtype)
    return Forbidding(way, dtype, value, tuple(map(tuple, gradient.tolist())), off, kind)


@lru_cache(maxsize=16)
def compare(problem: Problem) -> tuple[Forbidding, ...]:
    """Each of `WAYS` in every format."""
    return tuple(forbid(problem, way, dtype) for way in WAYS for dtype in DTYPES)


def empty_row(dtype: str) -> dict[str, tuple[float, tuple[float, ...]]]:
    """logsumexp of a row of −∞ only, and its gradient, in one format, by three functions."""
    functions = {
        "written": METHODS["shifted"],
        "torch": lambda q: torch.logsumexp(q, 0),
        "handled": lambda q: handled_logsumexp(q, 0),
    }
    found = {}
    for name, function in functions.items():
        q = torch.full((3,), -math.inf, dtype=torch_dtype(dtype), requires_grad=True)
        value = function(q)
        (gradient,) = torch.autograd.grad(value, q)
        found[name] = value.item(), tuple(gradient.tolist())
    return found


def every_other_forbidden(tokens: int) -> Problem:
    """Each token allows A alone, and A may not follow A: no path is left, whatever the length ≥ 2.

    Written with −10000, of any two neighbours at least one costs that much.
    """
    forbidden = -math.inf
    return Problem(
        ("A", "B"), tuple(str(t + 1) for t in range(tokens)), ((0.5, forbidden),) * tokens,
        ((forbidden, 0.0), (0.0, 0.0)), (0.0, 0.0), (0.0, 0.0),
    )  # fmt: skip


def _kind(value: float, exact: float, off: float, dtype: str) -> str:
    if math.isnan(value) or math.isinf(off):
        return "nan"
    kind, of_gradient = judge(value, exact, dtype), judge(1 + off, 1.0, dtype)
    if kind == "underflow":
        return "vanished"
    if kind == "right" or (kind == "near" and of_gradient == "inexact"):
        return of_gradient
    return kind


# ---------------------------------------------------------------------- in tables and words


def forbidden_verdicts(found: Sequence[Forbidding]) -> str:
    """log Z and its gradient with each way to forbid."""

    def about(x: Forbidding) -> str:
        if math.isinf(x.gradient_error):
            return say("gradient-words.nan")
        return say("gradient-words.off", off=magnitude(x.gradient_error))

    return verdicts.table(found, {way: way for way in WAYS}, about, "forbidden")


def forbidden_words(found: Sequence[Forbidding]) -> list[str]:
    """The verdicts in sentences, those of the same cause together; what −10000 does to digits."""
    wrong = [(say(f"forbidding.{x.kind}"), x.method, x.dtype) for x in found if x.kind not in GOOD]
    steps = verdicts.apart(STAND_IN, ("float16", "bfloat16"))
    return [*verdicts.together(wrong), say("forbidding.spacing", steps=steps)]


def gradient_table(found: Forbidding, problem: Problem, tells: bool) -> str:
    """∂ log Z / ∂ emission: a row for each tag, a column for each token, and their sums."""
    rows = [
        [tag, *(written(column[s], 3) for column in found.gradient)]
        for s, tag in enumerate(problem.tags)
    ]
    rows.append(["sum", *(written(total, 4) for total in found.column_sums)])
    table = tables.text_table(
        ["", *problem.tokens], rows, say("captions.gradient", way=found.method)
    )
    words = f'<p class="crf-note">{sums_words(found)}</p>' if tells else ""
    return (
        f'<div style="flex-basis:{3 + 3.4 * len(problem.tokens):.0f}rem"><p class="crf-note">'
        f"{found.method}: log Z = {written(found.value)}</p>{table}{words}</div>"
    )


def sums_words(found: Forbidding) -> str:
    """Which columns of a gradient do not sum to 1, where log Z is a number, and why."""
    sums = [total for total in found.column_sums if abs(total - 1) > RIGHT]
    if not sums or not all(map(math.isfinite, (found.value, *sums))):
        return ""
    low, high = written(min(sums), 4), written(max(sums), 4)
    return say(
        "gradient-words.sums", n=len(sums), all=len(found.column_sums),
        to=low if low == high else case("gradient-words.between", low=low, high=high),
        value=written(found.value, 5), dtype=found.dtype,
        apart=written(spacing(found.value, found.dtype), 3),
    )  # fmt: skip


# ---------------------------------------------------------------------- the sections


_TOKENS = {"short": 3, "long": 16}
FORMAT = Choice("stability.format3", "float32", address="format3", labels={d: d for d in DTYPES})
WHICH = Choice(
    "stability.which",
    "short",
    address="which",
    labels={"short": "", "long": "", "screen": ""},
    words=lambda which: say(f"which.{which}"),
)


def chosen(problem: Problem) -> Problem:
    """What the section is about."""
    which = WHICH.value
    return problem if which == "screen" else every_other_forbidden(_TOKENS[which])


@st.fragment
def stand_in(lesson: Lesson) -> None:
    """−10000 against −∞: log Z, and by how much its gradient is off."""
    lesson.publish()
    lesson.say("never-screen" if WHICH.value == "screen" else "never")
    if lesson.asks:
        WHICH.widget("In")
    on_screen = chosen(lesson.problem)
    if not any((table == -math.inf).any() for table in repeated(on_screen, len(on_screen.tokens))):
        st.info(say("forbidding.nothing"))
    found = compare(on_screen)
    with lesson.results("Show log Z"):
        grid, words = st.columns([3, 2], gap="large")
        grid.html(forbidden_verdicts(found))
        if lesson.tells:
            words.html(prose(*forbidden_words(found)))


@st.fragment
def gradients(lesson: Lesson) -> None:
    """The gradient by each way to forbid, side by side where there is room, in one format."""
    lesson.publish()
    lesson.say("gradient")
    if lesson.asks:
        FORMAT.widget("Number format")
    on_screen = chosen(lesson.problem)
    drawn = [x for x in compare(on_screen) if x.dtype == FORMAT.value]
    with lesson.results("Show the gradient"):
        made = "".join(gradient_table(x, on_screen, lesson.tells) for x in drawn)
        st.html(f'<div class="crf-tables">{made}</div>')


def nothing_but_forbidden(lesson: Lesson) -> None:
    """A row of −∞ only."""
    lesson.say("empty")
    rows = [
        [say(f"functions.{name}"), written(value), ", ".join(map(written, gradient))]
        for name, (value, gradient) in empty_row("float32").items()
    ]
    with lesson.results("Show value and gradient"):
        header = ["logsumexp(−∞, −∞, −∞)", "value", "gradient"]
        st.html(tables.text_table(header, rows, say("captions.empty")))
        lesson.say("handled")
