"""What the lessons ask of a problem, computed once and kept: the same object on every rerun.

torch takes a second to import and the first paint does not wait for it: nothing here needs it
until it is called.
"""

from functools import lru_cache

from crf.steps import Trace
from pages.shared.course.brute_force import ScoredPath, enumerate_paths
from pages.shared.course.problem import Problem
from pages.shared.course.reading import Reading
from pages.shared.figures.decoders import Decoded


@lru_cache(maxsize=64)
def reading(problem: Problem) -> Reading:
    """What one reads off its chain: decoders, probabilities, log Z."""
    return Reading(problem)


@lru_cache(maxsize=24)  # of 17 tags and 40 tokens, some 10 MB each
def trace(problem: Problem, algorithm: str, convention: str, semiring: str) -> Trace:
    """One recursion, step by step."""
    from crf import trace as traces

    return traces.trace(
        reading(problem).chain,
        algorithm=algorithm,
        convention=convention,
        semiring=semiring,
        tags=problem.tags,
        tokens=problem.tokens,
    )


@lru_cache(maxsize=64)
def marginals(problem: Problem) -> list[list[float]]:
    """[m][S] p(y_t = s | x)."""
    return reading(problem).chain.marginals[0].tolist()


@lru_cache(maxsize=64)
def best_path(problem: Problem) -> tuple[int, ...]:
    """The best path's tags; () if none is allowed."""
    return tuple(tag for tag in reading(problem).chain.viterbi().tags[0].tolist() if tag >= 0)


@lru_cache(maxsize=64)
def decoded(problem: Problem) -> list[Decoded]:
    """Viterbi’s path first, then the other decoders’; some path must be allowed."""
    chain = reading(problem).chain
    found = (
        ("Viterbi", "best path as a whole", chain.viterbi().tags),
        ("Greedy", "best emission of each token", chain.greedy()),
        ("Left to right", "best step from the tag just chosen", chain.greedy_left_to_right()),
        ("Posterior", "likeliest tag of each token", chain.posterior_decode()),
    )
    return [
        Decoded(
            name,
            about,
            tuple(tags[0].tolist()),
            chain.score(tags).item(),
            min(chain.log_prob(tags).item(), 0.0),
        )
        for name, about, tags in found
    ]


@lru_cache(maxsize=8)
def paths(problem: Problem) -> list[ScoredPath]:
    """Every path, best first.

    Raises:
        ProblemError: There are too many to list.
    """
    return enumerate_paths(problem)
