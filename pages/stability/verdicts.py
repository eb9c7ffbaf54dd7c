"""Verdicts of the lesson on numerical stability: a number, a sign and a word, the error.

✓ right (in green), ✓ as near as the format gets, ≈ digits lost, ✗ wrong: the verdicts of
`pages.stability.number_formats.judge`. A row is a way to compute, a column a number format.
One sum and a whole chain have tables and sentences beside them.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pages.shared.contents import PAGES
from pages.shared.course.direction import escape
from pages.shared.course.numbers import format_magnitude, format_power, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import listed
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import Items, LessonText, Told, case
from pages.stability import number_formats
from pages.stability.chains import FormatRun
from pages.stability.number_formats import DTYPES, GOOD, limits, spacing
from pages.stability.sums import METHODS, LogSum, OffsetSum
from pages.stability.worked import Added, Inside

_SIGNS = {"right": "✓", "forbidden": "✓", "near": "✓", "inexact": "≈"}
_NAMES = {"inexact": "digits lost", "forbidden": "right: −∞", "lost": "paths lost"}


class Mark(NamedTuple):
    """What stands in a cell of a table of verdicts."""

    value: str  # the number
    kind: str  # "right", "inexact", "overflow", "nan" …
    about: str = ""  # a remark under it


def said(value: float, digits: int = 7) -> str:
    r"""A result; where it is no number, the word for it.

    >>> [said(x) for x in (1.5, -0.0, math.inf, -math.inf, math.nan)]
    ['1.5', '0', 'inf', '−inf', 'nan']
    >>> said(-6.7e-6).replace("\xa0", " ")
    '−6.7 × 10⁻⁶'
    """
    if not math.isfinite(value):
        return f"{value}".replace("-", "−")
    if value != 0 and not 1e-4 <= abs(value) < 10**digits:
        mantissa, power = format_power(abs(value), digits).split(" × ")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return unbroken(f"{'−' if value < 0 else ''}{mantissa} × {power}")
    return f"{value:.{digits}g}".replace("-", "−") if value else "0"


def exactly(value: Decimal) -> str:
    r"""Every digit of an exact value, in the style of the others.

    >>> exactly(Decimal("-1.5195E-17")).replace("\xa0", " "), exactly(Decimal("-Infinity"))
    ('−1.5195 × 10⁻¹⁷', '−∞')
    """
    if value == -math.inf:
        return "−∞"
    mantissa, _, power = f"{value}".replace("-", "−").partition("E")
    raised = power.lstrip("+").translate(str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return unbroken(f"{mantissa} × 10{raised}") if power else mantissa


def told(what: Told | str, /, **facts: Any) -> str:
    """Sentences of the lesson’s tables of cases, as plain text."""
    return LessonText.load(PAGES / "stability" / "text.md").line(what, **facts)


def unbroken(number: str) -> str:
    """A number that stays on one line."""
    return number.replace(" ", "\xa0")


def off_by(error: float) -> str:
    """An error in words.

    >>> [off_by(e) for e in (0.0, 0.5, math.inf)]
    ['off by 0', 'off by 0.5', '']
    """
    return "" if math.isinf(error) else f"off by {unbroken(format_magnitude(error, 2))}"


def verdicts(rows: Sequence[tuple[str, Sequence[Mark]]], caption: str, corner: str = "") -> str:
    """A row for each way to compute, a column for each number format."""
    head = "".join(f'<th scope="col">{dtype}</th>' for dtype in DTYPES)
    body = []
    for name, marks in rows:
        cells = "".join(map(_cell, marks, DTYPES))
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return (
        f'<div class="crf-scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f'<table class="crf-grid crf-verdicts"><caption class="crf-hidden">{escape(caption)}'
        f"</caption><thead><tr><td>{escape(corner)}</td>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(mark: Mark, dtype: str) -> str:
    sign = _SIGNS.get(mark.kind, "✗")
    colour = {"✓": " crf-right", "✗": " crf-wrong"}.get(sign, "") if mark.kind != "near" else ""
    word = f"as near as {dtype} gets" if mark.kind == "near" else _NAMES.get(mark.kind, mark.kind)
    about = f'<span class="crf-about">{escape(mark.about)}</span>' if mark.about else ""
    return (
        f'<td class="crf-cell"><b>{escape(mark.value)}</b>'
        f'<span class="crf-about{colour}">{sign} {escape(word)}</span>{about}</td>'
    )


def together(found: Sequence[tuple[str, str, str]]) -> list[str]:
    """Sentences of (words, way, format); each once, with all the places where it holds.

    >>> together([("Bad.", "Log", "float16"), ("Bad.", "Log", "float32")])
    ['Log, float16 and float32. Bad.']
    """
    places: dict[str, dict[str, list[str]]] = {}
    for words, way, dtype in found:
        places.setdefault(words, {}).setdefault(way, []).append(dtype)
    return [
        f"{'; '.join(f'{way}, {_formats(dtypes)}' for way, dtypes in by_way.items())}. {words}"
        for words, by_way in places.items()
    ]


def _formats(dtypes: list[str]) -> str:
    return "every format" if len(dtypes) == len(DTYPES) else listed(dtypes)


# ---------------------------------------------------------------------- one sum


SUMS = {"naive": "As written", "shifted": "Largest subtracted", "pairwise": "Two at a time"}
_MOST_TERMS = 6  # in a line


LIMITS = [
    "", "largest number", "exp is inf above", "exp loses digits below", "exp is 0 below",
    "next number after 1",
]  # fmt: skip


def limit_numbers(dtype: str) -> list[str | float]:
    """A format and its limits, as `LIMITS` names them."""
    bound = limits(dtype)
    return [
        dtype, bound.largest, bound.overflow, bound.fades, bound.underflow, 1 + bound.epsilon
    ]  # fmt: skip


def limit_texts(dtype: str) -> list[str]:
    """The same as the page writes them."""
    bound = limits(dtype)
    return [
        dtype, unbroken(format_magnitude(bound.largest)),
        *map(format_score, (bound.overflow, bound.fades, bound.underflow)),
        unbroken(f"1 + {format_magnitude(bound.epsilon, 2)}"),
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
    wrong = [(told(x.told), SUMS[x.method], x.dtype) for x in found if x.kind not in GOOD]
    return together(wrong) or [told("sums.fine")]


def nearest(found: Sequence[LogSum], exact: float) -> list[str]:
    """Why a format gets no nearer; nothing if none of the values is merely near."""
    near = list(dict.fromkeys(x.dtype for x in found if x.kind == "near"))
    if not near:
        return []
    return [told("sums.nearest", value=said(exact, 4), steps=apart(exact, near))]


def apart(value: float, formats: Sequence[str]) -> Items:
    """How far two neighbouring numbers of each format are apart near a value."""
    return Items(
        [case("chain.step", apart=said(spacing(value, dtype), 2), dtype=dtype) for dtype in formats]
    )


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
                " ".join(map(str, x.underflowed)), told(x.told),
            ]
            for x in found
        ),
    ]  # fmt: skip


def line(found: OffsetSum) -> list[str]:
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


# ---------------------------------------------------------------------- a chain


CHAINS = {"probability": "Probability space", "scaled": "Scaled", "log": "Log space"}
REFERENCE = ("log", "float64")  # what errors are measured against


def chain_verdicts(runs: Sequence[FormatRun], what: str = "the chain") -> str:
    """log Z of a chain: three ways in four formats, and from which token on it is useless."""
    rows = []
    for method, name in CHAINS.items():
        marks = []
        for run in (r for r in runs if r.method == method):
            about = off_by(run.errors[-1])
            if run.errors[-1] == math.inf and run.useless:
                about = f"from token {run.useless.token + 1} on"
                about += ", then nan" * (
                    run.useless.kind == "overflow" and math.isnan(run.values[-1])
                )
            elif (run.method, run.dtype) == REFERENCE:
                about = "the reference"
            marks.append(Mark(said(run.values[-1]), run.kinds[-1], about))
        rows.append((name, marks))
    return verdicts(rows, f"log Z of {what} in three ways and four number formats")


def chain_words(runs: Sequence[FormatRun]) -> list[str]:
    """What went wrong and where: for each way one paragraph on breaks, one on rounding."""
    found: list[Told] = []
    for method, way in CHAINS.items():
        own = [r for r in runs if r.method == method]
        broken = [(r, r.useless if r.errors[-1] == math.inf else r.broke) for r in own]
        broken = [(r, b) for r, b in broken if b and r.kinds[-1] not in (*GOOD, "inexact")]
        for kind in dict.fromkeys(b.kind for _, b in broken):
            (first, why), *others = [(r, b) for r, b in broken if b.kind == kind]
            sentences = [case("chain.broken", way=way, dtype=first.dtype, why=why.told)]
            if others:
                places = [case("chain.place", dtype=r.dtype, token=b.token + 1) for r, b in others]
                sentences.append(case("chain.also", places=Items(places)))
            if (kind, method) == ("overflow", "probability") and math.isnan(first.values[-1]):
                sentences.append(case("chain.nan"))
            found.append(sentences)
        rounded = [
            case("chain.first", token=r.kinds.index("inexact") + 1, dtype=r.dtype)
            for r in own
            if r.kinds[-1] == "inexact"
        ]
        if rounded:
            off = f"{number_formats.RIGHT:g}"
            found.append(case("chain.rounding", way=way, off=off, places=Items(rounded)))
    return list(map(told, found))


def chain_spacing(runs: Sequence[FormatRun]) -> list[str]:
    """Why log space loses digits, too: how far apart numbers of the size of log Z are."""
    value = next(r for r in runs if (r.method, r.dtype) == REFERENCE).values[-1]
    if not math.isfinite(value) or abs(value) < 1:
        return []
    kept = [r.dtype for r in runs if r.method == "log" and math.isfinite(r.values[-1])]
    steps = apart(value, [dtype for dtype in DTYPES[:3] if dtype in kept])
    name = "chain.spacing" if len(kept) == len(DTYPES) else "chain.spacing-range"
    return [told(name, value=said(value, 4), steps=steps)]


def chain_rows(runs: Sequence[FormatRun], problem: Problem) -> Rows:
    """log Z of every length in every way, for a file."""
    header: list[str | float] = ["tokens", "last token"]
    header += [f"{run.method} {run.dtype}" for run in runs]
    m = len(problem.tokens)
    lengths = range(len(runs[0].values))
    return [
        header,
        *([t + 1, problem.tokens[t % m], *(r.values[t] for r in runs)] for t in lengths),
    ]


def inside_rows(
    found: Inside, tags: Sequence[str], method: str
) -> tuple[list[str], list[list[str]]]:
    """The terms that met in a cell: header and a row for each tag before it."""
    if method == "log":
        header = ["from", "log α̂ before", "T", "sum"]
    else:
        header = ["from", "α̂ before", "ψ", "product"]
    columns = zip(tags, found.before, found.steps, found.terms, strict=False)
    return header, [[tag, *(said(x, 4) for x in numbers)] for tag, *numbers in columns]


def inside_line(found: Inside, method: str) -> str:
    """The rest of the step, with its numbers."""
    total, emission, raw, value = (
        said(x, 4) for x in (found.total, found.emission, found.raw, found.value)
    )
    what = "start" if not found.before else "logsumexp" if method == "log" else "sum"
    if method == "log":
        return f"{what} {total}, plus the emission {emission}: log α̂ = {value}"
    product = f"{what} {total}, times the emission’s ψ, {emission}: {raw}"
    if method == "scaled":
        return f"{product}; divided by the column’s sum, {said(found.divisor, 4)}: {value}"
    return f"{product} = α̂"
