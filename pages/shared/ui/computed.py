"""Results that lessons need from a problem, computed once and kept over reruns.

A class that is led to a new stop asks for it all at the same moment: one run computes, the others
wait for it. torch takes a second to import and the first paint does not wait for it: nothing here
needs it until it is called.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock, RLock
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from crf.steps import Trace
from pages.shared.course.brute_force import ScoredPath, enumerate_paths
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import Decoded

if TYPE_CHECKING:
    from crf.chain import LinearChain
    from crf.core.results import ViterbiResult

T = TypeVar("T")
P = ParamSpec("P")


def once(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Like `lru_cache`, but if several threads ask for a value at once, only one computes it.

    Who asks for something else does not wait.
    """

    def decorate(compute: Callable[P, T]) -> Callable[P, T]:
        # where each result is kept, none yet or one; who computes it holds the lock
        places = lru_cache(maxsize)(lambda *_, **__: (RLock(), []))
        finding = Lock()

        @wraps(compute)
        def ask(*args: P.args, **kwargs: P.kwargs) -> T:
            with finding:
                lock, results = places(*args, **kwargs)  # pyright: ignore[reportArgumentType]
            with lock:
                if not results:
                    results.append(compute(*args, **kwargs))
                return results[0]

        return ask

    return decorate


class IdentityKey(Generic[T]):
    """A record that is compared by identity instead of by value, for use as a cache's key."""

    def __init__(self, record: T) -> None:
        self.record = record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.record is other.record

    def __hash__(self) -> int:
        return id(self.record)


@once(maxsize=16)
def summary(problem: Problem) -> ChainSummary:
    """The problem's `ChainSummary`: decoders, probabilities, log Z."""
    return ChainSummary(problem)


@once(maxsize=16)
def at_temperature(problem: Problem, tau: float) -> "LinearChain":
    """The problem's chain with all scores divided by τ; see `ChainSummary.at_temperature`."""
    return summary(problem).at_temperature(tau)


@once(maxsize=8)  # of 17 tags and 40 tokens, some 10 MB each
def trace(problem: Problem, algorithm: str, convention: str, semiring: str) -> Trace:
    """One recursion, step by step."""
    from crf import trace as traces

    return traces.trace(
        summary(problem).chain,
        algorithm=algorithm,
        convention=convention,
        semiring=semiring,
        tags=problem.tags,
        tokens=problem.tokens,
    )


@once(maxsize=16)
def marginals(problem: Problem) -> list[list[float]]:
    """[m][S] p(y_t = s | x)."""
    return summary(problem).chain.marginals[0].tolist()


@once(maxsize=16)
def _viterbi(problem: Problem) -> "ViterbiResult":
    return summary(problem).chain.viterbi()


@once(maxsize=16)
def best_path(problem: Problem) -> tuple[int, ...]:
    """The best path's tags; () if none is allowed."""
    return tuple(tag for tag in _viterbi(problem).tags[0].tolist() if tag >= 0)


@once(maxsize=16)
def decoded(problem: Problem) -> list[Decoded]:
    """Viterbi’s path first, then the other decoders’; some path must be allowed."""
    chain = summary(problem).chain
    decodings = {
        "viterbi": _viterbi(problem).tags,
        "greedy": chain.greedy(),
        "left-to-right": chain.greedy_left_to_right(),
        "posterior": chain.posterior_decode(),
    }
    log_p = {name: min(chain.log_prob(tags).item(), 0.0) for name, tags in decodings.items()}
    return [
        Decoded(name, tuple(tags[0].tolist()), chain.score(tags).item(), log_p[name])
        for name, tags in decodings.items()
    ]


@once(maxsize=4)
def paths(problem: Problem) -> list[ScoredPath]:
    """Every path, best first; a ProblemError, where there are too many to list."""
    return enumerate_paths(problem)
