"""Label bias: the same scores normalised state by state (MEMM) and as a whole (CRF).

    MEMM    p(y|x) = ∏_t p(y_t | y_(t−1), x),   p(j | i, x) = exp(T(i, j) + e(t, j)) / Σ_j' …
    CRF     p(y|x) = exp(score(x, y)) / Σ_y' exp(score(x, y'))

In the MEMM what leaves a state adds up to what came in: a state with one successor passes all of it
on, and the token it reads has no say.

Sources: McCallum, Freitag and Pereira (2000), "Maximum entropy Markov models"; Lafferty, McCallum
and Pereira (2001), "Conditional random fields", section 2; Bottou (1991) for the name's origin.
"""

import math
from typing import NamedTuple

from crf.course.brute_force import Path, enumerate_paths
from crf.course.problem import Problem


class Choice(NamedTuple):
    """Where a state leads at one token.

    Attributes:
        token: The token that is read, from 0.
        state: The state before it; None at the first token.
        probabilities: [S] p(next | state, x); all 0 if no tag may follow.
        successors: How many are not forbidden; where it is 1 the token has no say.
    """

    token: int
    state: int | None
    probabilities: tuple[float, ...]
    successors: int


class Comparison(NamedTuple):
    """One path under both models.

    Attributes:
        tags: m tag indices.
        score: The log-score of the path.
        memm: Its probability, a product of m local probabilities.
        factors: These m probabilities.
        crf: Its probability, normalised over all paths.
    """

    tags: tuple[int, ...]
    score: float
    memm: float
    factors: tuple[float, ...]
    crf: float


def local_tables(problem: Problem) -> list[Choice]:
    """The MEMM's tables: for every token and state before it, where that state leads.

    The end scores count at the last token.
    """
    S, m = len(problem.tags), len(problem.tokens)
    tables = [_choice(problem, 0, None, problem.start)]
    for t in range(1, m):
        tables += [_choice(problem, t, i, problem.matrix(t)[i]) for i in range(S)]
    return tables


def compare(problem: Problem) -> list[Comparison]:
    """Every allowed path under both models, the CRF's best first.

    Raises:
        ProblemError: There are too many paths to list.
    """
    tables = {(c.token, c.state): c.probabilities for c in local_tables(problem)}
    return [
        _comparison(path, tables) for path in enumerate_paths(problem) if path.score > -math.inf
    ]


def _comparison(path: Path, tables: dict) -> Comparison:
    before = (None, *path.tags[:-1])
    factors = tuple(tables[t, i][j] for t, (i, j) in enumerate(zip(before, path.tags, strict=True)))
    return Comparison(path.tags, path.score, math.prod(factors), factors, path.probability)


def _choice(problem: Problem, t: int, state: int | None, leads: tuple[float, ...]) -> Choice:
    last = t == len(problem.tokens) - 1
    scores = [
        lead + emission + (stop if last else 0.0)
        for lead, emission, stop in zip(leads, problem.emissions[t], problem.end, strict=True)
    ]
    best = max(scores)
    if best == -math.inf:
        return Choice(t, state, (0.0,) * len(scores), 0)
    weights = [math.exp(score - best) for score in scores]
    whole = math.fsum(weights)
    return Choice(t, state, tuple(w / whole for w in weights), sum(s > -math.inf for s in scores))
