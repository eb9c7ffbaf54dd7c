"""Label bias: the same scores normalised state by state (MEMM), as a whole (CRF), and as an HMM.

    MEMM    p(y|x) = ∏_t p(y_t | y_(t−1), x),   p(j | i, x) = exp(T[i, j] + e[t, j]) / Σ_j' …
    CRF     p(y|x) = exp(score(x, y)) / Σ_y' exp(score(x, y'))

In the MEMM what leaves a state adds up to what came in: a state with one successor passes all of it
on, and the token it reads has no say. Each of the three is a `Problem` again, so all probabilities
are those of its chain.

Sources: McCallum, Freitag and Pereira (2000), "Maximum entropy Markov models"; Lafferty, McCallum
and Pereira (2001), "Conditional random fields", section 2; Bottou (1991) for the name's origin.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import NEG_INF, Problem, Row

RIB_ROB = EXAMPLES["rib-rob"].problem
MIDDLE = 1  # the token that tells rib from rob
EVIDENCE = max(RIB_ROB.emissions[MIDDLE])  # what the letter scores in the example, in nats
LETTERS = ("o", "i")
WORDS = ("rib", "rob")


class _Computed(Problem):
    """A problem whose scores nobody typed: differences of large ones leave the range for typing."""

    def __post_init__(self) -> None:
        """There is nothing to refuse."""


def memm(problem: Problem) -> Problem:
    """The scores normalised state by state: transitions are log p(next | state, x).

    The end scores count at the last token. A state from which nothing goes on keeps −∞.
    """
    m = len(problem.tokens)

    def normalised(leads: Sequence[float], t: int) -> Row:
        ends = problem.end if t == m - 1 else (0.0,) * len(leads)
        return _normalised(map(sum, zip(leads, problem.emissions[t], ends, strict=True)))

    steps = tuple(tuple(normalised(row, t) for row in problem.matrix(t)) for t in range(1, m))
    zeros = problem.zeros()
    return _Computed(
        problem.tags,
        problem.tokens,
        zeros.emissions,
        steps or zeros.transitions,
        normalised(problem.start, 0),
        (0.0,) * len(problem.tags),
    )


def as_hmm(problem: Problem, others: Sequence[Problem]) -> Problem:
    """The same scores as an HMM: p(next | state) and p(read | state), each normalised.

    Over all that might be read, `others`, the problem among them, a state's emissions sum to 1.
    """
    emissions = [
        [
            score - _log_normaliser([other.emissions[t][s] for other in others])
            for s, score in enumerate(row)
        ]
        for t, row in enumerate(problem.emissions)
    ]
    transitions, start = map(_normalised, problem.matrix(1)), _normalised(problem.start)
    return Problem.of(
        problem.tags, problem.tokens, emissions, list(transitions), start, problem.end
    )


@lru_cache(maxsize=64)
def heard(letter: str, evidence: float = EVIDENCE) -> Problem:
    """The example with a letter read in the middle: the tag of its name scores the evidence.

    The other tags that had a score there get its negative, the rest keep 0.
    """
    row = zip(RIB_ROB.tags, RIB_ROB.emissions[MIDDLE], strict=True)
    return RIB_ROB.rename_token(MIDDLE, letter).with_scores(
        {
            ("emissions", (MIDDLE, s)): evidence if tag == letter else -evidence
            for s, (tag, score) in enumerate(row)
            if score != 0
        }
    )


@lru_cache(maxsize=64)
def probabilities(letter: str, word: str, evidence: float = EVIDENCE) -> tuple[float, float, float]:
    """The probability of "rib" or "rob" under MEMM, CRF and HMM, with a letter in the middle."""
    problem = heard(letter, evidence)
    hmm = as_hmm(problem, [heard(other, evidence) for other in LETTERS])
    memm_p, crf_p, hmm_p = (
        ChainSummary(one).marginal(0, f"r·{word}") for one in (memm(problem), problem, hmm)
    )
    return memm_p, crf_p, hmm_p


def _normalised(scores: Iterable[float]) -> Row:
    scores = tuple(scores)
    whole = _log_normaliser(scores)
    return tuple(score - whole for score in scores)


def _log_normaliser(values: Sequence[float]) -> float:
    """log Σ exp of log-scores; 0 if all are −∞, so that a forbidden row stays one."""
    total = log_sum(values)
    return 0.0 if total == NEG_INF else total
