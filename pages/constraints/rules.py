"""What may follow what: a scheme, changed cell by cell, and what it does to a problem.

A rule is a cell (i, j): from tag i to tag j. Row S is the start of the sentence, column S its end.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from torch import Tensor

from crf import Constraints, LinearChain
from pages.shared.course.problem import Problem

Cell = tuple[int, int]  # from, to; or a word and a tag


def scheme_of(tags: Sequence[str]) -> str:
    """The scheme that tags are named after: "bioes", "bio", or "all" where they follow none."""
    letters = {tag[:1] for tag in tags}
    if "B" not in letters or not all(re.match("[BIOES]$|[BIES]-", tag) for tag in tags):
        return "all"
    return "bioes" if letters & {"E", "S"} else "bio"


def kind(tags: Sequence[str]) -> str:
    """What the tags of a scheme say after B or I, persons' names first; "" where they say nothing.

    >>> kind(["B-LOC", "I-LOC", "O"]), kind(["B", "I", "O"])
    ('-LOC', '')
    """
    return next((tag[1:] for tag in ("I-PER", *tags) if tag in tags and tag[:2] == "I-"), "")


@lru_cache(maxsize=16)
def table(tags: tuple[str, ...], scheme: str, flipped: frozenset[Cell]) -> Constraints:
    """The rules, those in `flipped` turned round, as far as these exist.

    Scheme "names" reads the tags' prefixes; "all" allows everything.
    """
    S = len(tags)
    rules, own = Constraints.none(S), scheme_of(tags)
    if scheme != "all" and own != "all":
        labels = [tag if "-" in tag or tag == "O" else f"{tag}-name" for tag in tags]
        rules = Constraints.of(labels, own.upper())
    transitions, start, end = rules.transitions.clone(), rules.start.clone(), rules.end.clone()
    for i, j in flipped:
        if i < S and j < S:
            transitions[i, j] = ~transitions[i, j]
        elif i == S and j < S:
            start[j] = ~start[j]
        elif j == S and i < S:
            end[i] = ~end[i]
    return Constraints.table(transitions, start, end)


@lru_cache(maxsize=16)
def constrained(problem: Problem, rules: "Rules") -> Problem:
    """The problem with −∞ wherever its rules forbid."""
    free = problem.chain().potentials
    scores = rules.of(problem).apply(free.emissions, free.transitions, free.start, free.end)
    chain = LinearChain(*scores, backend="plain")
    return Problem.from_chain(chain, problem.tags, problem.tokens)


def does_nothing(problem: Problem, rules: "Rules") -> bool:
    """Whether the scores already have a −∞ in each sequence that the rules forbid, if any."""
    return _possible(constrained(problem, rules)) == _possible(problem)


def _possible(problem: Problem) -> int:
    """How many sequences have no −∞ in their scores."""

    def may(table: Sequence) -> list:
        return [may(row) if isinstance(row, Sequence) else row > -math.inf for row in table]

    matrices = [may(problem.matrix(t)) for t in range(1, len(problem.tokens))]
    return _ways(may(problem.start), may(problem.end), matrices, may(problem.emissions))


def _ways(
    start: Sequence[bool],
    end: Sequence[bool],
    steps: Sequence[Sequence[Sequence[bool]]],
    tokens: Sequence[Sequence[bool]],
) -> int:
    """How many tag sequences are allowed: the forward recursion over whole numbers.

    Args:
        start: [S] which tags the first token may have.
        end: [S] which tags the last token may have.
        steps: [m - 1][S][S] which tag may follow which.
        tokens: [m][S] which tags each token may have.
    """
    every = range(len(start))
    ways = [int(start[s] and tokens[0][s]) for s in every]
    for moves, here in zip(steps, tokens[1:], strict=True):
        ways = [sum(ways[i] for i in every if moves[i][j]) if here[j] else 0 for j in every]
    return sum(ways[s] for s in every if end[s])


class Rules(NamedTuple):
    """A scheme and the cells that were turned round."""

    scheme: str
    flipped: frozenset[Cell] = frozenset()

    def of(self, problem: Problem) -> Constraints:
        """The table for a problem's tags."""
        return table(problem.tags, self.scheme, self.flipped)


# ---------------------------------------------------------------------- what they do


def count(problem: Problem, rules: Rules | None = None) -> int:
    """How many tag sequences there are, exactly; with rules, how many they allow.

    Scores do not enter.

    >>> count(Problem.blank(["B", "I", "O"], ["x", "y", "z"]), Rules("names"))
    13
    """
    S, m = len(problem.tags), len(problem.tokens)
    if rules is None:
        return S**m
    allowed = rules.of(problem)
    moves, start, end = (x.tolist() for x in (allowed.transitions, allowed.start, allowed.end))
    return _ways(start, end, [moves] * (m - 1), [[True] * S] * m)


def broken(path: Sequence[int], problem: Problem, rules: Rules) -> list[int]:
    """Where a sequence breaks a rule: the tokens of the wrong steps' right ends; L is the end."""
    allowed, m = rules.of(problem), len(path)
    steps = [t for t in range(1, m) if not allowed.transitions[path[t - 1], path[t]]]
    starts = [] if allowed.start[path[0]] else [0]
    return starts + steps + ([] if allowed.end[path[-1]] else [m])


def mass(problem: Problem, part: Problem) -> "Mass":
    """What all sequences of a problem hold, and what those hold that a part of it allows.

    Args:
        problem: All sequences.
        part: The same scores with −∞ wherever a sequence is not in the part.
    """
    whole, kept = problem.chain(), part.chain()
    log_share = (kept.log_partition - whole.log_partition).item() if whole.feasible else -math.inf
    share = math.exp(min(log_share, 0.0))
    return Mass(
        share,
        whole.log_partition.item(),
        kept.log_partition.item(),
        whole.marginals[0],
        kept.marginals[0] * share,
        whole.pair_marginals[0],
        kept.pair_marginals[0] * share,
    )


class Mass(NamedTuple):
    """Probabilities, all of the whole problem's."""

    share: float  # of the part
    log_z: float
    log_z_part: float
    blocks: Tensor  # [L, S]
    kept: Tensor  # [L, S] of the part
    ribbons: Tensor  # [L - 1, S, S]
    kept_ribbons: Tensor  # [L - 1, S, S]


# ---------------------------------------------------------------------- what is known in part


def without(problem: Problem, ruled_out: frozenset[Cell]) -> Problem:
    """The problem with −∞ for the tags that cannot be."""
    inside = [(t, s) for t, s in ruled_out if t < len(problem.tokens) and s < len(problem.tags)]
    return problem.with_scores({("emissions", place): -math.inf for place in inside})


def bio_answers(tags: Sequence[str]) -> Callable[[], tuple[Tensor, Tensor]] | None:
    """The rules of BIO by the textbook's code and by the library; None for other tags."""
    if scheme_of(tags) != "bio":
        return None

    def answers() -> tuple[Tensor, Tensor]:
        from pages.shared.course import textbook

        return textbook.bio(tags), Constraints.bio(tags).transitions

    return answers
