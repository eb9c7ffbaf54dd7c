"""log Z of a growing chain: verdicts, what broke and where, and the numbers inside a step."""

import math
from collections.abc import Sequence

from pages.shared.course.problem import Problem
from pages.stability import number_formats
from pages.stability.chains import Run
from pages.stability.number_formats import DTYPES, GOOD
from pages.stability.verdicts import Mark, Rows, listed, off_by, said, verdicts
from pages.stability.worked import Inside

CHAINS = {"probability": "Probability space", "scaled": "Scaled", "log": "Log space"}
REFERENCE = ("log", "float64")  # what errors are measured against


def chain_verdicts(runs: Sequence[Run], what: str = "the chain") -> str:
    """log Z of a chain: three ways in four formats, and from which token on it is useless."""
    rows = []
    for method, name in CHAINS.items():
        marks = []
        for run in (r for r in runs if r.method == method):
            about = off_by(run.errors[-1])
            if run.errors[-1] == math.inf and run.useless:
                about = f"from token {run.useless.token + 1} on"
            elif (run.method, run.dtype) == REFERENCE:
                about = "the reference"
            marks.append(Mark(said(run.values[-1]), run.kinds[-1], about))
        rows.append((name, marks))
    return verdicts(rows, f"log Z of {what} in three ways and four number formats")


def chain_words(runs: Sequence[Run]) -> list[str]:
    """What went wrong and where: for each way one paragraph on breaks, one on rounding."""
    told = []
    for method, name in CHAINS.items():
        own = [r for r in runs if r.method == method]
        broken = [(r, r.useless if r.errors[-1] == math.inf else r.broke) for r in own]
        broken = [(r, b) for r, b in broken if b and r.kinds[-1] not in (*GOOD, "inexact")]
        for kind in dict.fromkeys(b.kind for _, b in broken):
            (first, why), *others = [(r, b) for r, b in broken if b.kind == kind]
            also = [f"{r.dtype} at token {b.token + 1}" for r, b in others]
            also = [f"So it goes in {listed(also)}."] if also else []
            told.append(" ".join([f"{name}, {first.dtype}. {why.words}", *also]))
        rounded = [
            f"token {r.kinds.index('inexact') + 1} in {r.dtype}"
            for r in own
            if r.kinds[-1] == "inexact"
        ]
        if rounded:
            told.append(f"{name}: rounding adds up. log Z first loses digits at {listed(rounded)}.")
    return told


def spacing(runs: Sequence[Run]) -> list[str]:
    """Why log space loses digits, too: how far apart numbers of the size of log Z are."""
    value = next(r for r in runs if (r.method, r.dtype) == REFERENCE).values[-1]
    if not math.isfinite(value) or abs(value) < 1:
        return []
    steps = [f"{said(number_formats.spacing(value, d), 2)} in {d}" for d in DTYPES[:3]]
    return [
        "Log space keeps every score in range. It cannot restore precision that the format "
        f"lacks: near log Z = {said(value, 4)} two neighbouring numbers are {listed(steps)} "
        "apart, and each token rounds to one of them."
    ]


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
    told = f"{what} {total}, times the emission’s ψ, {emission}: {raw}"
    if method == "scaled":
        return f"{told}; divided by the column’s sum, {said(found.divisor, 4)}: {value}"
    return f"{told} = α̂"
