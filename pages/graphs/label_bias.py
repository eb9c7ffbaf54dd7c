"""Label bias: the same scores normalised state by state (MEMM), as a whole (CRF), and as an HMM.

    MEMM    p(y|x) = ∏_t p(y_t | y_(t−1), x),   p(j | i, x) = exp(T[i, j] + e[t, j]) / Σ_j' …
    CRF     p(y|x) = exp(score(x, y)) / Σ_y' exp(score(x, y'))

In the MEMM what leaves a state adds up to what came in: a state with one successor passes all of it
on, and the token it reads has no say. Each of the three is a `Problem` again, so all probabilities
are those of its chain.

Sources: McCallum, Freitag and Pereira (2000), "Maximum entropy Markov models"; Lafferty, McCallum
and Pereira (2001), "Conditional random fields", section 2; Bottou (1991) for the name's origin.
"""

from collections.abc import Sequence
from functools import cache, lru_cache

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import NEG_INF, Problem, Row
from pages.shared.figures.tables import Rows
from pages.shared.figures.theme import log_probability

MIDDLE = 1  # the token that tells rib from rob
LETTERS = ("o", "i")


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
        scores = [sum(parts) for parts in zip(leads, problem.emissions[t], ends, strict=True)]
        whole = _log_normaliser(scores)
        return tuple(score - whole for score in scores)

    steps = tuple(tuple(normalised(row, t) for row in problem.matrix(t)) for t in range(1, m))
    zeros = problem.zeros()
    return _Computed(
        problem.tags, problem.tokens, zeros.emissions,
        steps or zeros.transitions, normalised(problem.start, 0), (0.0,) * len(problem.tags),
    )  # fmt: skip


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
    return Problem.of(problem.tags, problem.tokens, emissions, transitions, start, problem.end)


@lru_cache(maxsize=64)
def heard(letter: str, evidence: float | None = None) -> Problem:
    """The example rib or rob with a letter read in the middle; None: the example's evidence."""
    example = EXAMPLES["rib-rob"].problem
    usual = max(example.emissions[MIDDLE])
    return hear(example, MIDDLE, letter, usual if evidence is None else evidence)


@lru_cache(maxsize=64)
def probabilities(letter: str, word: str, evidence: float | None = None) -> tuple[float, ...]:
    """A word's probability under MEMM, CRF and HMM.

    Args:
        letter: What is read in the middle.
        word: "rib" or "rob".
        evidence: The emission of the right state, in nats; None for the example's.
    """
    problem = heard(letter, evidence)
    hmm = as_hmm(problem, [heard(other, evidence) for other in LETTERS])
    state = f"r·{word}"
    return tuple(ChainSummary(model).marginal(0, state) for model in (memm(problem), problem, hmm))


@lru_cache(maxsize=64)
def reads(model: Problem) -> tuple[str, float]:
    """The word that a model reads in the example rib or rob, and its probability."""
    summary = ChainSummary(model)
    p, word = max((summary.marginal(0, f"r·{word}"), word) for word in ("rib", "rob"))
    return word, p


@cache
def prior(word: str) -> float:
    """A word's probability before its middle letter is read."""
    return ChainSummary(memm(heard("o"))).marginal(0, f"r·{word}")


def on_screen(problem: Problem, crf: ChainSummary) -> dict[str, str]:
    """Any problem's best path as a MEMM and as a CRF, with their probabilities.

    What leads nowhere is lost to a MEMM: its paths may sum to less than 1.
    """
    steps = ChainSummary(memm(problem))
    return {
        "memm": " ".join(steps.viterbi) + steps.ties,
        "memm_p": log_probability(min(steps.score(steps.viterbi), 0.0)),
        "crf": " ".join(crf.viterbi) + crf.ties,
        "crf_p": log_probability(min(crf.score(crf.viterbi) - crf.log_z, 0.0)),
    }


def rows() -> Rows:
    """Both words under the three models, for either letter."""
    found = [
        [f"r{letter}b", word, *probabilities(letter, word)]
        for letter in LETTERS
        for word in ("rib", "rob")
    ]
    return [["read", "word", "MEMM", "CRF", "HMM"], *found]


def _log_normaliser(values: Sequence[float]) -> float:
    """log Σ exp of log-scores; 0 if all are −∞, so that a forbidden row stays one."""
    total = log_sum(values)
    return 0.0 if total == NEG_INF else total
