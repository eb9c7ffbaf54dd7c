"""Tables of a problem's scores: emissions, and transitions with start and end around them."""

from collections.abc import Sequence

from crf.figures.trellis.narration import quoted
from pages.shared.course.problem import Problem
from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables, theme
from pages.shared.figures.text import say

ScoresOrNone = Sequence[float | None]


def emissions(problem: Problem) -> str:
    """Emission scores, tags by tokens, as HTML."""
    by_tag = list(zip(*problem.emissions, strict=True))
    return _titled(say("score-table.emissions"), problem.tags, problem.tokens, by_tag)


def transitions(problem: Problem) -> list[str]:
    """Transition scores, with start and end; with a matrix for each step, one table for each."""
    last, S = len(problem.tokens) - 1, len(problem.tags)
    if not last:
        return [_table(problem, say("score-table.one-token"), [[None] * S] * S)]
    if not problem.per_step:
        return [_table(problem, say("score-table.transitions"), problem.matrix(1))]
    words = [quoted(problem.tokens, t) for t in range(last + 1)]
    return [
        _table(
            problem,
            say("score-table.step", left=words[t - 1], right=words[t]),
            problem.matrix(t),
            start=t == 1,
            end=t == last,
        )
        for t in range(1, last + 1)
    ]


def _table(
    problem: Problem,
    title: str,
    matrix: Sequence[ScoresOrNone],
    *,
    start: bool = True,
    end: bool = True,
) -> str:
    rows: list[ScoresOrNone] = [[*problem.start, *([None] * end)]] if start else []
    rows += [[*row, *([problem.end[i]] * end)] for i, row in enumerate(matrix)]
    names = ["START"] * start + [*problem.tags], [*problem.tags, *(["END"] * end)]
    return _titled(title, *names, rows, corner=say("path.from-to"))


def _titled(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    scores: Sequence[ScoresOrNone],
    corner: str = "",
) -> str:
    """A table of numbers under its title, with one decimal if that is exact, else two."""
    digits = theme.decimals(x for row in scores for x in row if x is not None)
    table = tables.score_table(rows, columns, scores, title, corner=corner, digits=digits)
    return titled(title, table)


def titled(title: str, table: str) -> str:
    """A table under its title."""
    return f'<p class="crf-note">{escape(title)}</p>{table}'
