"""Verdicts of the lesson on numerical stability: a number, a sign and a word, the error.

✓ right (in green), ✓ as near as the format gets, ≈ digits lost, ✗ wrong: the verdicts of
`pages.stability.number_formats.judge`. A row is a way to compute, a column a number format.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables
from pages.shared.figures.text import Items, LessonText, Told, case
from pages.stability.chains import FormatRun
from pages.stability.number_formats import DTYPES, GOOD, RIGHT, magnitude, spacing, written
from pages.stability.sums import LogSum

_SIGNS = {"right": "✓", "forbidden": "✓", "near": "✓", "inexact": "≈"}
SUMS = {"naive": "As written", "shifted": "Largest subtracted", "pairwise": "Two at a time"}
CHAINS = {"probability": "Probability space", "scaled": "Scaled", "log": "Log space"}
REFERENCE = ("log", "float64")  # what errors are measured against


def say(what: Told | str, /, **facts: Any) -> str:
    """Sentences of the lesson’s tables of cases, as plain text."""
    return LessonText.of("stability").line(what, **facts)


def table(
    found: Sequence[Any], ways: Mapping[str, str], about: Callable[[Any], str], caption: str
) -> str:
    """A row for each way to compute, a column for each number format.

    Args:
        found: Records with a `method`, a `dtype`, a `value` and its `kind`, by method and format.
        ways: The rows' names by method.
        about: Returns the remark under a record; "" for none.
        caption: A case of the table `captions`.
    """
    heads = [f'<th scope="col">{dtype}</th>' for dtype in DTYPES]
    body = []
    for method, name in ways.items():
        cells = "".join(_cell(x, about(x)) for x in found if x.method == method)
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    caption = say(f"captions.{caption}")
    return tables.framed("crf-grid crf-verdicts", caption, "", heads, body)


def _cell(found: Any, about: str) -> str:
    kind, sign = found.kind, _SIGNS.get(found.kind, "✗")
    colour = {"✓": " crf-right", "✗": " crf-wrong"}.get(sign, "") if kind != "near" else ""
    named = kind in ("inexact", "forbidden", "lost", "near")
    facts = {"dtype": found.dtype} if kind == "near" else {}
    word = say(f"mark.{kind}", **facts) if named else kind
    remark = f'<span class="crf-about">{escape(about)}</span>' if about else ""
    return (
        f'<td class="crf-cell"><b>{escape(written(found.value))}</b>'
        f'<span class="crf-about{colour}">{sign} {escape(word)}</span>{remark}</td>'
    )


def steps(lines: Sequence[str]) -> str:
    """A calculation, a step a line."""
    drawn = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div class="crf-formula crf-recursion crf-steps">{drawn}</div>'


def off_by(error: float) -> str:
    """An error in words; nothing where there is no number."""
    return "" if math.isinf(error) else say("mark.off", off=magnitude(error))


def together(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """Sentences of (words, way, format); each once, with all the places where it holds."""
    places: dict[str, dict[str, list[str]]] = {}
    for words, way, dtype in found:
        places.setdefault(words, {}).setdefault(way, []).append(dtype)

    def place(way: str, dtypes: list[str]) -> str:
        every = len(dtypes) == len(DTYPES)
        return f"{way}, {say('mark.every') if every else say('mark.some', all=Items(dtypes))}"

    return [
        f"{'; '.join(place(way, dtypes) for way, dtypes in by_way.items())}. {words}"
        for words, by_way in places.items()
    ]


# ---------------------------------------------------------------------- one sum


def sum_verdicts(found: Sequence[LogSum]) -> str:
    """log Σ exp(q): three ways in four formats."""
    return table(found, SUMS, lambda x: off_by(x.error), "sum")


def sum_words(found: Sequence[LogSum]) -> list[str]:
    """What went wrong, in sentences, those of the same cause together."""
    wrong = [(say(x.sentence), SUMS[x.method], x.dtype) for x in found if x.kind not in GOOD]
    return together(wrong) or [say("sums.fine")]


# ---------------------------------------------------------------------- a chain


def find(runs: Sequence[FormatRun], method: str, dtype: str) -> FormatRun:
    """The run of a method in a format."""
    return next(run for run in runs if (run.method, run.dtype) == (method, dtype))


def chain_verdicts(runs: Sequence[FormatRun], caption: str) -> str:
    """log Z of a chain: three ways in four formats, and from which token on it is useless."""

    def about(run: FormatRun) -> str:
        if run.errors[-1] == math.inf and run.useless:
            then_nan = run.useless.kind == "overflow" and math.isnan(run.value)
            return say("mark.from-nan" if then_nan else "mark.from", token=run.useless.token + 1)
        if (run.method, run.dtype) == REFERENCE:
            return say("mark.reference")
        return off_by(run.errors[-1])

    return table(runs, CHAINS, about, caption)


def chain_words(runs: Sequence[FormatRun]) -> list[str]:
    """What went wrong and where: for each way one paragraph on breaks, one on rounding."""
    found: list[Told] = []
    for method, way in CHAINS.items():
        own = [r for r in runs if r.method == method]
        broken = [(r, r.useless if r.errors[-1] == math.inf else r.broke) for r in own]
        broken = [(r, b) for r, b in broken if b and r.kind not in (*GOOD, "inexact")]
        for kind in dict.fromkeys(b.kind for _, b in broken):
            (first, why), *others = [(r, b) for r, b in broken if b.kind == kind]
            sentences = [case("chain.broken", way=way, dtype=first.dtype, why=why.sentence)]
            if others:
                places = [case("chain.place", dtype=r.dtype, token=b.token + 1) for r, b in others]
                sentences.append(case("chain.also", places=Items(places)))
            if (kind, method) == ("overflow", "probability") and math.isnan(first.value):
                sentences.append(case("chain.nan"))
            found.append(sentences)
        rounded = [
            case("chain.first", token=r.kinds.index("inexact") + 1, dtype=r.dtype)
            for r in own
            if r.kind == "inexact"
        ]
        if rounded:
            found.append(case("chain.rounding", way=way, off=f"{RIGHT:g}", places=Items(rounded)))
    return list(map(say, found))


def apart(value: float, formats: Iterable[str]) -> Items:
    """How far two neighbouring numbers of each format are apart near a value."""
    return Items(
        [case("chain.step", apart=written(spacing(value, d), 2), dtype=d) for d in formats]
    )


def chain_spacing(runs: Sequence[FormatRun]) -> list[str]:
    """Why log space loses digits, too: how far apart numbers of the size of log Z are."""
    value = find(runs, *REFERENCE).value
    if not math.isfinite(value) or abs(value) < 1:
        return []
    kept = [r.dtype for r in runs if r.method == "log" and math.isfinite(r.value)]
    name = "spacing" if len(kept) == len(DTYPES) else "spacing-range"
    steps = apart(value, [dtype for dtype in kept if dtype != "float64"])
    return [say(f"chain.{name}", value=written(value, 4), steps=steps)]
