"""Label bias: the same scores normalised state by state (MEMM) and as a whole (CRF).

    MEMM    p(y|x) = ∏_t p(y_t | y_(t−1), x),   p(j | i, x) = exp(T(i, j) + e(t, j)) / Σ_j' …
    CRF     p(y|x) = exp(score(x, y)) / Σ_y' exp(score(x, y'))

In the MEMM what leaves a state adds up to what came in: a state with one successor passes all of it
on, and the token it reads has no say.

Sources: McCallum, Freitag and Pereira (2000), "Maximum entropy Markov models"; Lafferty, McCallum
and Pereira (2001), "Conditional random fields", section 2; Bottou (1991) for the name's origin.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pages.shared.course.brute_force import Path, enumerate_paths
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import Problem


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


def hear(problem: Problem, token: int, letter: str, evidence: float) -> Problem:
    """The problem when another letter is read at one token.

    Args:
        problem: Some of whose tags are named after letters, as in the example rib or rob.
        token: Where it is read, from 0.
        letter: What is read.
        evidence: The score of the tag of that name there. The other tags that had a score there
            get its negative, the rest keep 0.
    """
    row = [
        0.0 if score == 0 else evidence if tag == letter else -evidence
        for tag, score in zip(problem.tags, problem.emissions[token], strict=True)
    ]
    changed = problem.rename_token(token, letter)
    for s, score in enumerate(row):
        changed = changed.with_score("emissions", (token, s), score)
    return changed


def as_hmm(problem: Problem, others: Sequence[Problem]) -> Problem:
    """The same scores as an HMM: p(next | state) and p(read | state), each normalised.

    Args:
        problem: What is read.
        others: All that might be read, the problem among them: over these a state's emissions
            sum to 1.

    Returns:
        Log-probabilities. `compare` finds p(y | x) of the HMM in its column `crf`: an HMM is a CRF
        whose factors happen to be probabilities.
    """
    emissions = [
        [
            score - _log_normaliser([other.emissions[t][s] for other in others])
            for s, score in enumerate(row)
        ]
        for t, row in enumerate(problem.emissions)
    ]
    transitions = [[score - _log_normaliser(row) for score in row] for row in problem.matrix(1)]
    start = [score - _log_normaliser(problem.start) for score in problem.start]
    return Problem(problem.tags, problem.tokens, emissions, transitions, start, problem.end)  # pyright: ignore


def _log_normaliser(values: Sequence[float]) -> float:
    """log Σ exp of log-scores; 0 if all are −∞, so that a forbidden row stays one."""
    total = log_sum(values)
    return 0.0 if total == -math.inf else total
