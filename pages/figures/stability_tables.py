"""Tables and lines of the lesson on numerical stability: data in, HTML or rows for a file out.

A verdict is a sign and a word: ✓ right, ≈ digits lost, ✗ wrong.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from crf.course.numbers import format_magnitude, format_power, format_score
from crf.course.problem import Problem
from crf.course.stability import DTYPES, METHODS, Limits, LogSum
from crf.course.stability_chains import Run
from crf.course.stability_forbidden import EmptyRow, Forbidding
from crf.course.stability_worked import Added, Inside, Line

Rows = list[list[str | float]]

SUMS = {"naive": "as written", "shifted": "largest subtracted", "pairwise": "two at a time"}
CHAINS = {"probability": "Probability space", "scaled": "Scaled", "log": "Log space"}
OFF = 0.01  # nats: from here on a log Z is called off; Z is then wrong by one percent
_SIGNS = {"right": "✓", "forbidden": "✓", "inexact": "≈", "lost": "≈"}
_NAMES = {"inexact": "digits lost", "forbidden": "right: −∞", "lost": "paths lost"}
_MOST_TERMS = 6  # in a line


class Mark(NamedTuple):
    """What stands in a cell of a table of verdicts.

    Attributes:
        value: The number.
        kind: "right", "inexact", "overflow", "nan" …
        about: A remark under it.
    """

    value: str
    kind: str
    about: str = ""


def said(value: float, digits: int = 7) -> str:
    """A result; where it is no number, the word for it.

    >>> [said(x) for x in (1.5, -0.0, 6.7e-6, math.inf, -math.inf, math.nan)]
    ['1.5', '0', '6.7 × 10⁻⁶', 'inf', '−inf', 'nan']
    """
    if not math.isfinite(value):
        return f"{value}".replace("-", "−")
    if value != 0 and not 1e-4 <= abs(value) < 10**digits:
        mantissa, power = format_power(abs(value), digits).split(" × ")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{'−' if value < 0 else ''}{mantissa} × {power}"
    return f"{value:.{digits}g}".replace("-", "−") if value else "0"


def off_by(error: float) -> str:
    """An error in words.

    >>> [off_by(e) for e in (0.0, 3.14e-7, 0.5, math.inf)]
    ['off by 0', 'off by 3.1 × 10⁻⁷', 'off by 0.5', '']
    """
    return "" if math.isinf(error) else f"off by {format_magnitude(error, 2)}"


def verdicts(rows: Sequence[tuple[str, Sequence[Mark]]], caption: str, corner: str = "") -> str:
    """A row for each way to compute, a column for each number format."""
    head = "".join(f'<th scope="col">{dtype}</th>' for dtype in DTYPES)
    body = []
    for name, marks in rows:
        cells = "".join(map(_cell, marks))
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return (
        f'<div class="crf-scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f'<table class="crf-grid crf-verdicts"><caption class="crf-hidden">{escape(caption)}'
        f"</caption><thead><tr><td>{escape(corner)}</td>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(mark: Mark) -> str:
    sign = _SIGNS.get(mark.kind, "✗")
    colour = {"✓": " crf-right", "✗": " crf-wrong"}.get(sign, "")
    word = _NAMES.get(mark.kind, mark.kind)
    about = f'<span class="crf-about">{escape(mark.about)}</span>' if mark.about else ""
    return (
        f'<td class="crf-cell"><b>{escape(mark.value)}</b>'
        f'<span class="crf-about{colour}">{sign} {escape(word)}</span>{about}</td>'
    )


# ---------------------------------------------------------------------- formats


def limit_rows(found: Sequence[Limits]) -> list[list[str]]:
    """A row for each format: what it holds."""
    return [
        [
            bound.dtype, format_magnitude(bound.largest), format_score(bound.overflow),
            format_score(bound.fades), format_score(bound.underflow),
            format_magnitude(bound.epsilon, 2),
        ]
        for bound in found
    ]  # fmt: skip


LIMITS = [
    "", "largest number", "exp is inf above", "exp loses digits below", "exp is 0 below",
    "next after 1: 1 +",
]  # fmt: skip


# ---------------------------------------------------------------------- one sum


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
    named: dict[str, list[str]] = {}
    for x in found:
        if x.kind not in ("right", "forbidden"):
            named.setdefault(x.words, []).append(f"{SUMS[x.method]}, {x.dtype}")
    return [f"{'; '.join(places)}. {words}" for words, places in named.items()]


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
    written = [f"exp({said(q)} − {_bracketed(found.offset)})" for q in found.scores]
    held = [said(e, 4) for e in found.exps]
    return [
        f"{c} + log({_sum(written)})",
        f"= {c} + log({_sum(held)})",
        f"= {c} + log {said(found.total, 6)}",
        f"= {c} {_plus(math.log(found.total) if found.total else -math.inf)}",
        f"= {said(found.value)}",
    ]


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
    header: list[str | float] = [
        "", "log(exp a + exp b)", "max + log(1 + exp(min − max))",
        "max + log1p(exp(min − max))", "exact",
    ]  # fmt: skip
    return [header, *([x.dtype, x.written, x.with_log, x.with_log1p, x.exact] for x in found)]


# ---------------------------------------------------------------------- chains


def chain_kind(run: Run) -> str:
    """The verdict on a run's last value."""
    if run.errors[-1] == math.inf:
        return run.useless.kind if run.useless else "nan"
    if run.errors[-1] > OFF:
        return "lost" if run.broke else "inexact"
    return "forbidden" if run.values[-1] == -math.inf else "right"


def chain_verdicts(runs: Sequence[Run]) -> str:
    """log Z of a chain: three ways in four formats, and from which token on it is useless."""
    rows = []
    for method, name in CHAINS.items():
        marks = []
        for run in (r for r in runs if r.method == method):
            kind = chain_kind(run)
            about = off_by(run.errors[-1])
            if run.errors[-1] == math.inf and run.useless:
                about = f"from token {run.useless.token + 1} on"
            marks.append(Mark(said(run.values[-1]), kind, about))
        rows.append((name, marks))
    return verdicts(rows, "log Z of the chain in three ways and four number formats")


def chain_words(runs: Sequence[Run]) -> list[str]:
    """What went wrong and where, a sentence each."""
    told = []
    for run in runs:
        place = f"{CHAINS[run.method]}, {run.dtype}"
        if run.useless and run.errors[-1] == math.inf:
            told.append(f"{place}. {run.useless.words}")
        elif run.broke and run.errors[-1] > OFF:
            told.append(f"{place}. {run.broke.words}")
        elif (t := run.first_off(OFF)) is not None and run.errors[-1] > OFF:
            told.append(
                f"{place}. Rounding adds up: from token {t + 1} on it was off by more than "
                f"{OFF:g} nats."
            )
    return told


def chain_rows(runs: Sequence[Run], problem: Problem) -> Rows:
    """log Z of every length in every way, for a file."""
    header: list[str | float] = ["tokens", "last token"]
    header += [f"{run.method} {run.dtype}" for run in runs]
    m = len(problem.tokens)
    lengths = range(len(runs[0].values))
    return [
        header,
        *([t + 1, problem.tokens[t % m], *(r.values[t] for r in runs)] for t in lengths),
    ]


# ---------------------------------------------------------------------- one step of a chain


def inside_rows(
    found: Inside, tags: Sequence[str], method: str
) -> tuple[list[str], list[list[str]]]:
    """The terms that met in a cell: header and a row for each tag before it."""
    if method == "log":
        header = ["from", "log α before", "T", "sum"]
    else:
        header = ["from", "α before", "ψ", "product"]
    columns = zip(tags, found.before, found.steps, found.terms, strict=False)
    return header, [[tag, *(said(x, 4) for x in numbers)] for tag, *numbers in columns]


def inside_line(found: Inside, method: str) -> str:
    """The rest of the step, with its numbers."""
    total, emission, raw, value = (
        said(x, 4) for x in (found.total, found.emission, found.raw, found.value)
    )
    what = "start" if not found.before else "logsumexp" if method == "log" else "sum"
    if method == "log":
        return f"{what} {total}, plus the emission {emission}: log α = {value}"
    told = f"{what} {total}, times the emission’s ψ, {emission}: {raw}"
    if method == "scaled":
        return f"{told}; divided by the column’s sum, {said(found.divisor, 4)}: {value}"
    return f"{told} = α"


# ---------------------------------------------------------------------- forbidden

WAYS = {
    (False, False): "−10000",
    (True, False): "−∞, nothing handled",
    (True, True): "−∞, handled",
}


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
    """The verdicts in sentences, those of the same cause together."""
    named: dict[str, list[str]] = {}
    for x in found:
        if x.kind not in ("right", "forbidden"):
            named.setdefault(x.words.replace(x.dtype, "this format"), []).append(
                f"{way(x)}, {x.dtype}"
            )
    return [f"{'; '.join(places)}. {words}" for words, places in named.items()]


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
    return [*rows, ["sum", *(said(total, 3) for total in found.column_sums)]]


def empty_rows(found: EmptyRow) -> list[list[str]]:
    """Value and gradient of a row of −∞ only, by three functions."""
    named = {
        "c + log Σ exp(q − c), as written": found.written,
        "torch.logsumexp": found.library,
        "handled": found.handled,
    }
    return [
        [name, said(value), ", ".join(said(g) for g in gradient)]
        for name, (value, gradient) in named.items()
    ]
