"""A problem's scores as frames of text that a reader edits, and what came out of that.

A cell holds text, so that −∞, -inf, a comma, a fraction or a minus sign of any kind can be typed
and pasted; it is read as everywhere else.
"""

from collections.abc import Mapping

import pandas as pd

from crf.figures.numbers import exact
from pages.shared.course.problem import EOS, ROOT, Problem
from pages.shared.course.typed_numbers import parse_score
from pages.shared.ui.words import say

ScorePlace = tuple[str, tuple[int, ...]]  # a table of the problem, and an index of it


def written(score: float) -> str:
    """A score with all its digits, as a reader writes it: −0.5, −∞."""
    return exact(score).replace("-inf", "−∞").replace("-", "−")


def places(problem: Problem, step: int = 1) -> dict[str, list[list[ScorePlace]]]:
    """Which score stands in which cell of each frame.

    `step`: where each step has a matrix of its own, the one into token number `step`.
    """
    S, m = range(len(problem.tags)), range(len(problem.tokens))
    before = (step - 1,) if problem.per_step else ()
    found: dict[str, list[list[ScorePlace]]] = {
        "emissions": [[("emissions", (t, s)) for s in S] for t in m],
        "transitions": [[("transitions", (*before, i, j)) for j in S] for i in S],
        "ends": [[(name, (s,)) for s in S] for name in ("start", "end")],
    }
    if problem.per_step and not problem.transitions:
        del found["transitions"]  # of one token there is no step
    return found


def frames(problem: Problem, heads: list[str], step: int = 1) -> dict[str, pd.DataFrame]:
    """The frames: words, tags, or start and end by tags."""
    rows = {"emissions": heads, "transitions": list(problem.tags), "ends": ["start", "end"]}
    return {
        name: pd.DataFrame(
            [[written(problem.score_at(*place)) for place in row] for row in cells],
            pd.Index(rows[name], name=say(f"tables.{name}-rows")),
            list(problem.tags),
        )
        for name, cells in places(problem, step).items()
    }


def read(
    problem: Problem, edited: Mapping[str, pd.DataFrame], step: int = 1
) -> dict[ScorePlace, float]:
    """The scores that were changed.

    Raises:
        ProblemError: A cell holds no score; the message names it.
    """
    found: dict[ScorePlace, float] = {}
    for name, cells in places(problem, step).items():
        for row, texts in zip(cells, edited[name].to_numpy().tolist(), strict=True):
            for place, text in zip(row, texts, strict=True):
                typed, old = str(text or "").strip(), problem.score_at(*place)
                if typed != written(old):
                    value = parse_score(typed.replace("−inf", "-inf"), title(problem, place))
                    if value != old:
                        found[place] = value
    return found


def title(problem: Problem, place: ScorePlace) -> str:
    """A score in words: "man, VERB", "NOUN → VERB"."""
    (table, index), tags = place, problem.tags
    if table == "emissions":
        return f"{problem.tokens[index[0]]}, {tags[index[1]]}"
    if table != "transitions":
        return f"{table.upper()}, {tags[index[0]]}"
    return f"{tags[index[-2]]} → {tags[index[-1]]}"


def folded(problem: Problem, step: int = 1) -> pd.DataFrame:
    """The (S+2) × (S+2) matrix with start and end as a row and a column, as text."""
    names = [ROOT, *problem.tags, EOS]
    return pd.DataFrame([[written(x) for x in row] for row in problem.folded(step)], names, names)
