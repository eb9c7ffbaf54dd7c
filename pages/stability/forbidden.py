"""Forbidden: −10000 or −∞? What each does to log Z and to its gradient, in four number formats.

A score of −10000 is a number like others. A path that uses it has a probability, a gradient flows
through it, and next to it small scores lose their digits. −∞ is none of that, but
−∞ − (−∞) = nan, and a recursion has to expect it. Here are both, their tables, and the section.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from pages.shared.course.numbers import format_magnitude
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import case, prose
from pages.shared.ui.controls import Choice
from pages.shared.ui.lesson import Lesson
from pages.stability import number_formats
from pages.stability.chains import FormatTables, log_space, repeated
from pages.stability.number_formats import DTYPES, GOOD, RIGHT, gap, judge, torch_dtype
from pages.stability.step import number_format
from pages.stability.verdicts import Mark, apart, said, together, told, verdicts

STAND_IN = -10_000.0  # what published implementations use for "impossible"


class Forbidding(NamedTuple):
    """log Z of a problem whose forbidden scores are replaced by something."""

    dtype: str  # the number format
    stand_in: float  # what is written for forbidden: −10000, or −inf
    handled: bool  # whether rows of −∞ were expected
    log_partition: float  # log Z in nats, as computed
    error: float  # |log Z − exact|, exact in float64 with −∞
    # [m][S] ∂ log Z / ∂ emission, by automatic differentiation
    marginals: tuple[tuple[float, ...], ...]
    # [m] sums of these; 1 if they are the marginals of a chain with a path
    column_sums: tuple[float, ...]
    gradient_error: float  # the largest |∂ − exact|; inf if one is nan
    # the worse of the verdicts of `number_formats.judge` on log Z and on the gradient's worst
    # entry, a probability and so judged like a score of 1; "vanished" is there a path, yet log Z is
    # −∞
    kind: str


def written_logsumexp(q: Tensor, dim: int) -> Tensor:
    """c + log Σ exp(q − c): right unless all are −∞."""
    c = q.amax(dim, keepdim=True)
    return c.squeeze(dim) + (q - c).exp().sum(dim).log()


def handled_logsumexp(q: Tensor, dim: int) -> Tensor:
    """The same; a row of −∞ is −∞, and its gradient 0: no nan arises that would have to be hidden.

    Where all is −∞, c is 0 and 1 stands in for the sum, so that log sees no 0.
    """
    c = q.detach().amax(dim, keepdim=True)
    c = torch.where(c == -math.inf, 0.0, c)
    total = (q - c).exp().sum(dim)
    some = total > 0
    log_total = torch.where(some, total, 1.0).log() + c.squeeze(dim)
    return torch.where(some, log_total, -math.inf)


def forbid(problem: Problem, stand_in: float, dtype: str, handled: bool = False) -> Forbidding:
    """log Z and its gradient, with `stand_in` written wherever the problem has −∞.

    The recursion is `log_space` of `pages.stability.chains`, differentiated by PyTorch.

    Args:
        problem: With some forbidden scores.
        stand_in: −10000, −inf, or another number.
        dtype: One of `DTYPES`.
        handled: Whether rows of −∞ are expected (`handled_logsumexp`) or not (`torch.logsumexp`).

    Returns:
        The numbers and the verdict.
    """
    chain = problem.chain()
    log_z, marginals = chain.log_partition.item(), chain.marginals[0]
    tables = repeated(problem, len(problem.tokens))
    replaced = FormatTables(*(torch.where(t == -math.inf, stand_in, t) for t in tables)).to(dtype)
    value, gradient = _differentiate(replaced, handled_logsumexp if handled else torch.logsumexp)
    off = (gradient.double() - marginals).abs().nan_to_num(math.inf)
    kind = _kind(value, log_z, off.max().item(), dtype)
    return Forbidding(
        dtype, stand_in, handled, value, gap(value, log_z), tuple(map(tuple, gradient.tolist())),
        tuple(gradient.double().sum(1).tolist()), off.max().item(), kind,
    )  # fmt: skip


def compare(problem: Problem) -> list[Forbidding]:
    """−10000, −∞ unhandled, and −∞ handled, each in every format."""
    ways = ((STAND_IN, False), (-math.inf, False), (-math.inf, True))
    return [forbid(problem, x, dtype, handled) for x, handled in ways for dtype in DTYPES]


def empty_row(dtype: str, size: int = 3) -> dict[str, tuple[float, tuple[float, ...]]]:
    """logsumexp of a row of −∞ only, and its gradient, in one format, by three functions."""
    found = {}
    for name, function in {
        "c + log Σ exp(q − c), as written": written_logsumexp,
        "torch.logsumexp": torch.logsumexp,
        "handled": handled_logsumexp,
    }.items():
        q = torch.full((size,), -math.inf, dtype=torch_dtype(dtype), requires_grad=True)
        value = function(q, 0)
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


def _differentiate(tables: FormatTables, logsumexp: Callable[..., Tensor]) -> tuple[float, Tensor]:
    emissions = tables.emissions.clone().requires_grad_()
    alphas, _ = log_space(tables._replace(emissions=emissions), logsumexp)
    log_z = logsumexp(alphas[-1] + tables.end, 0)
    (gradient,) = torch.autograd.grad(log_z, emissions)
    return log_z.item(), gradient


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


WAYS = {(False, False): "−10000", (True, False): "−∞, nothing handled", (True, True): "−∞, handled"}


def way(found: Forbidding) -> str:
    """What was written for forbidden, and how."""
    return WAYS[found.stand_in == -math.inf, found.handled]


def forbidden_verdicts(found: Sequence[Forbidding]) -> str:
    """log Z and its gradient with each way to forbid."""
    rows = [
        (name, [Mark(said(x.log_partition), x.kind, _gradient(x)) for x in found if way(x) == name])
        for name in WAYS.values()
    ]
    return verdicts(rows, "log Z with −10000 and with −∞ in four number formats")


def _gradient(found: Forbidding) -> str:
    if math.isinf(found.gradient_error):
        return "gradient: nan"
    return f"gradient off by {format_magnitude(found.gradient_error, 2)}"


def forbidden_words(found: Sequence[Forbidding]) -> list[str]:
    """The verdicts in sentences, those of the same cause together; what −10000 does to digits."""
    wrong = [(told(f"forbidding.{x.kind}"), way(x), x.dtype) for x in found if x.kind not in GOOD]
    steps = apart(STAND_IN, ("float16", "bfloat16"))
    return [*together(wrong), told("forbidding.spacing", steps=steps)]


def forbidden_rows(found: Sequence[Forbidding], problem: Problem) -> Rows:
    """The same for a file, with every entry of the gradient."""
    header: list[str | float] = ["forbidden is", "format", "log Z", "error", "verdict"]
    header += [f"{token}: {tag}" for token in problem.tokens for tag in problem.tags]
    return [
        header,
        *(
            [
                way(x), x.dtype, x.log_partition, x.error, x.kind,
                *(g for column in x.marginals for g in column),
            ]
            for x in found
        ),
    ]  # fmt: skip


def gradient_rows(found: Forbidding, problem: Problem) -> list[list[str]]:
    """∂ log Z / ∂ emission: a row for each tag, a column for each token, and their sums."""
    rows = [
        [tag, *(said(column[s], 3) for column in found.marginals)]
        for s, tag in enumerate(problem.tags)
    ]
    return [*rows, ["sum", *(said(total, 4) for total in found.column_sums)]]


def sums_words(found: Forbidding) -> str:
    """Which columns of a gradient do not sum to 1, where log Z is a number, and why."""
    sums = [total for total in found.column_sums if abs(total - 1) > RIGHT]
    if not sums or not all(map(math.isfinite, (found.log_partition, *sums))):
        return ""
    low, high = said(min(sums), 4), said(max(sums), 4)
    return told(
        "forbidding.sums", n=len(sums), all=len(found.column_sums),
        to=low if low == high else case("forbidding.between", low=low, high=high),
        value=said(found.log_partition, 5), dtype=found.dtype,
        apart=said(number_formats.spacing(found.log_partition, found.dtype), 3),
    )  # fmt: skip


def gradient_tables(found: Sequence[Forbidding], problem: Problem, words: bool = True) -> str:
    """The gradient by each way to forbid, side by side where there is room.

    Args:
        found: In one format.
        problem: The problem.
        words: Whether to say what is wrong with the sums.
    """
    header, width = ["", *problem.tokens], 3 + 3.4 * len(problem.tokens)
    drawn = "".join(
        f'<div style="flex-basis:{width:.0f}rem"><p class="crf-note">{way(x)}: log Z = '
        f"{said(x.log_partition)}</p>"
        f"{tables.text_table(header, gradient_rows(x, problem), f'Gradient with {way(x)}')}"
        + (f'<p class="crf-note">{sums_words(x)}</p></div>' if words else "</div>")
        for x in found
    )
    return f'<div class="crf-tables">{drawn}</div>'


def empty_rows() -> Rows:
    """Value and gradient of a row of −∞ only, in every format by three functions."""
    rows = [["format", "function", "value", "gradient"]]
    for dtype in DTYPES:
        for name, (value, gradient) in empty_row(dtype).items():
            rows.append([dtype, name, said(value), ", ".join(map(said, gradient))])
    return rows


# ---------------------------------------------------------------------- the sections


_SHORT, _LONG = 3, 16
FORMAT = number_format("format3")
WHICH = Choice(
    "stability.which",
    "short",
    address="which",
    labels={
        "short": f"{_SHORT} tokens, no path left",
        "long": f"{_LONG} tokens, no path left",
        "screen": "The problem on screen",
    },
)


@lru_cache(maxsize=16)
def compared(problem: Problem) -> tuple[Forbidding, ...]:
    """Each way to forbid, in each format."""
    return tuple(compare(problem))


def forbids(problem: Problem) -> bool:
    """Whether some score of it is −∞."""
    rows = [*problem.emissions, problem.start, problem.end]
    rows += [row for t in range(1, len(problem.tokens)) for row in problem.matrix(t)]
    return any(score == -math.inf for row in rows for score in row)


def chosen(problem: Problem) -> Problem:
    """What the section is about."""
    which = WHICH.value
    return (
        problem
        if which == "screen"
        else every_other_forbidden(_LONG if which == "long" else _SHORT)
    )


@st.fragment
def stand_in(lesson: Lesson) -> None:
    """−10000 against −∞: log Z, and by how much its gradient is off."""
    lesson.publish()
    lesson.say("never-screen" if WHICH.value == "screen" else "never")
    if lesson.asks:
        WHICH.widget("In")
    on_screen = chosen(lesson.problem)
    if not forbids(on_screen):
        st.info(told("forbidding.nothing"))
    found = compared(on_screen)
    with lesson.results("Show log Z"):
        grid, words = st.columns([3, 2], gap="large")
        grid.html(forbidden_verdicts(found))
        if lesson.tells:
            words.html(prose(*forbidden_words(found)))


@st.fragment
def gradients(lesson: Lesson) -> None:
    """Entry by entry, in one format."""
    lesson.publish()
    lesson.say("gradient")
    if lesson.asks:
        FORMAT.widget("Number format")
    on_screen = chosen(lesson.problem)
    drawn = [x for x in compared(on_screen) if x.dtype == FORMAT.value]
    with lesson.results("Show the gradient"):
        st.html(gradient_tables(drawn, on_screen, words=lesson.tells))


def nothing_but_forbidden(lesson: Lesson) -> None:
    """A row of −∞ only."""
    lesson.say("empty")
    _, *every = empty_rows()
    by_format = {
        dtype: [[str(cell) for cell in row[1:]] for row in every if row[0] == dtype]
        for dtype in DTYPES
    }
    with lesson.results("Show value and gradient"):
        header = ["logsumexp(−∞, −∞, −∞)", "value", "gradient"]
        st.html(tables.text_table(header, by_format["float32"], "A row of −∞ only"))
        same = all(rows == by_format["float32"] for rows in by_format.values())
        lesson.say("handled", same="It is the same in all four formats. " if same else "")
