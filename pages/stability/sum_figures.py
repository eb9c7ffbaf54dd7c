"""What the formats hold, and log Σ exp(q) in each: tables and lines, data in, HTML or rows out."""

import math
from collections.abc import Sequence

from pages.shared.course.numbers import format_magnitude, format_score
from pages.stability.number_formats import GOOD, Limits, spacing
from pages.stability.sums import METHODS, LogSum
from pages.stability.verdicts import Mark, Rows, listed, off_by, said, together, unbroken, verdicts
from pages.stability.worked import Added, Line

SUMS = {"naive": "As written", "shifted": "Largest subtracted", "pairwise": "Two at a time"}
_MOST_TERMS = 6  # in a line


def limit_rows(found: Sequence[Limits]) -> list[list[str]]:
    """A row for each format: what it holds."""
    return [
        [
            bound.dtype, unbroken(format_magnitude(bound.largest)), format_score(bound.overflow),
            format_score(bound.fades), format_score(bound.underflow),
            unbroken(f"1 + {format_magnitude(bound.epsilon, 2)}"),
        ]
        for bound in found
    ]  # fmt: skip


LIMITS = [
    "", "largest number", "exp is inf above", "exp loses digits below", "exp is 0 below",
    "next number after 1",
]  # fmt: skip


def sum_verdicts(found: Sequence[LogSum]) -> str:
    """log Σ exp(q): three ways in four formats."""
    rows = [
        (
            SUMS[method],
            [Mark(said(x.value), x.kind, off_by(x.error)) for x in found if x.method == method],
        )
        for method in METHODS
    ]
    return verdicts(rows, "log Σ exp(q) in three ways and four number formats")


def why(found: Sequence[LogSum]) -> list[str]:
    """What went wrong, in sentences, those of the same cause together."""
    return together([(x.words, SUMS[x.method], x.dtype) for x in found if x.kind not in GOOD])


def nearest(found: Sequence[LogSum], exact: float) -> list[str]:
    """Why a format gets no nearer; nothing if none of the values is merely near."""
    near = list(dict.fromkeys(x.dtype for x in found if x.kind == "near"))
    if not near:
        return []
    steps = [f"{said(spacing(exact, dtype), 2)} in {dtype}" for dtype in near]
    return [
        f"Near {said(exact, 4)} two neighbouring numbers are {listed(steps)} apart. A result "
        "between them is rounded to the nearer one, and no way to compute gets nearer."
    ]


def exp_rows(found: Sequence[LogSum]) -> list[list[str]]:
    """exp of each score as each format has it."""
    naive = [x for x in found if x.method == "naive"]
    return [
        [f"exp({_score(q)})", *(said(x.exps[k], 3) for x in naive)]
        for k, q in enumerate(naive[-1].scores)
    ]


def sum_rows(found: Sequence[LogSum]) -> Rows:
    """The same for a file, with every exp."""
    header = ["method", "format", "value", "error", "verdict", "overflowed", "underflowed", "words"]
    return [
        [*header],
        *(
            [
                x.method, x.dtype, x.value, x.error, x.kind, " ".join(map(str, x.overflowed)),
                " ".join(map(str, x.underflowed)), x.words,
            ]
            for x in found
        ),
    ]  # fmt: skip


def line(found: Line) -> list[str]:
    """c + log Σ exp(q − c) with its numbers, a step a line."""
    c = said(found.offset)
    written = [f"exp({_score(q)} − {_bracketed(found.offset)})" for q in found.scores]
    held = [said(e, 4) for e in found.exps]
    return [
        f"log Σ exp(q) = {c} + log({_sum(written)})",
        f"= {c} + log({_sum(held)})",
        f"= {c} + log {said(found.total, 6)}",
        f"= {c} {_plus(math.log(found.total) if found.total else -math.inf)}",
        f"= {said(found.value)}",
    ]


def _score(q: float) -> str:
    return "−∞" if q == -math.inf else said(q)


def _sum(terms: list[str]) -> str:
    if len(terms) > _MOST_TERMS:
        return " + ".join([*terms[: _MOST_TERMS - 2], "…", terms[-1]])
    return " + ".join(terms)


def _bracketed(value: float) -> str:
    return f"({said(value)})" if value < 0 else said(value)


def _plus(value: float) -> str:
    return f"− {said(-value, 6)}" if value < 0 else f"+ {said(value, 6)}"


def add_rows(found: Sequence[Added]) -> Rows:
    """a ⊕ b in every format."""
    header: list[str | float] = ["", "as written", "with log(1 + x)", "with log1p(x)", "exact"]
    return [header, *([x.dtype, x.written, x.with_log, x.with_log1p, x.exact] for x in found)]


def add_line(a: float, b: float) -> list[str]:
    """max + log1p(exp(min − max)) with its numbers, a step a line."""
    high, low = max(a, b), min(a, b)
    x = math.exp(low - high)
    return [
        f"{said(a)} ⊕ {_bracketed(b)} = {said(high)} + log1p(x), "
        f"x = exp({said(low)} − {_bracketed(high)}) = {said(x)}",
        f"= {said(high)} + {said(math.log1p(x))}",
        f"= {said(high + math.log1p(x), 12)}",
    ]
