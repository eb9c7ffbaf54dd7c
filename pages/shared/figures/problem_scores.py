"""All scores of a problem, to be read: emissions, and transitions with start and end around them.

Data in, HTML out.
"""

from collections.abc import Sequence

from crf.figures.trellis.narration import quoted
from pages.shared.course.direction import escape
from pages.shared.course.problem import NEG_INF, Problem
from pages.shared.figures import tables


def emissions(problem: Problem) -> str:
    """Emission scores, tags by tokens."""
    by_tag = [list(row) for row in zip(*problem.emissions, strict=True)]
    return titled(
        "Emissions: how well each tag fits each word",
        tables.score_table(
            problem.tags,
            problem.tokens,
            by_tag,
            "Emission scores, tags by words",
            digits=_digits(by_tag),
        ),
    )


def transitions(problem: Problem) -> list[str]:
    """Transition scores, with start and end; with a matrix for each step, one table for each."""
    last = len(problem.tokens) - 1
    if not last:
        return [_table(problem, 1, "Start and end; one token has no transitions", inner=False)]
    if not problem.per_step:
        return [_table(problem, 1, "Transitions, from row to column")]
    return [
        _table(
            problem,
            t,
            f"Transitions from {quoted(problem.tokens, t - 1)}, row, "
            f"to {quoted(problem.tokens, t)}, column",
            start=t == 1,
            end=t == last,
        )
        for t in range(1, last + 1)
    ]


def _table(
    problem: Problem,
    t: int,
    title: str,
    *,
    start: bool = True,
    end: bool = True,
    inner: bool = True,
) -> str:
    rows: list[list[float | None]] = []
    if start:
        rows.append([*problem.start, *([None] * end)])
    for i in range(len(problem.tags)):
        scores = problem.matrix(t)[i] if inner else [None] * len(problem.tags)
        rows.append([*scores, *([problem.end[i]] * end)])
    return titled(
        title,
        tables.score_table(
            ["START"] * start + [*problem.tags],
            [*problem.tags, *(["END"] * end)],
            rows,
            title,
            corner="from ↓ to →",
            digits=_digits(rows),
        ),
    )


def titled(title: str, table: str) -> str:
    """A table under its title."""
    return f'<p class="crf-note">{escape(title)}</p>{table}'


def _digits(rows: Sequence[Sequence[float | None]]) -> int:
    """One decimal if that is all there is, else two."""
    finite = [value for row in rows for value in row if value is not None and value != NEG_INF]
    return 1 if all(abs(round(value, 1) - value) < 1e-9 for value in finite) else 2
