"""The paths of Viterbi and of other decoders, with the numbers that explain the differences.

Records of a problem go in, texts come out.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from crf.figures.languages import language
from crf.figures.numbers import format_score
from crf.figures.trellis.narration import printable, quoted
from pages.shared.course.problem import Problem
from pages.shared.figures.path_score import Path
from pages.shared.figures.text import in_a_list, say
from pages.shared.figures.theme import probability

MOST_DIFFERING = 6  # words that are named one by one


class Decoded(NamedTuple):
    """One decoder's path."""

    name: str  # of the decoder, as words.md has it; a rank
    path: Path  # a tag index for each token
    score: float  # the path's log-score
    log_p: float  # its log-probability

    @property
    def label(self) -> str:
        """The decoder's name, for readers."""
        return self.name if self.name.endswith(".") else say(f"decoder.{self.name}")

    @property
    def about(self) -> str:
        """How it decides, in a few words."""
        return say(f"decoder.{self.name}-about")


def names(problem: Problem, path: Sequence[int]) -> str:
    """Tags by name, with blanks between."""
    return " ".join(printable(problem.tags[s]) for s in path)


def listed(items: Sequence[str]) -> str:
    """Items with commas and "and", in the reader's language.

    >>> listed(["A"]), listed(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return in_a_list(items, language())


# ---------------------------------------------------------------------- side by side


def went_wrong(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Where a decoder leaves the best path, and what it gains and loses by that."""
    apart = _apart(other, best)
    if not apart:
        return say("against-viterbi.best", decoder=other.label)
    t = apart[0]
    facts = {
        "decoder": other.label,
        "tag": printable(problem.tags[other.path[t]]),
        "word": quoted(problem.tokens, t),
    }
    if _level(other, best):
        return say("against-viterbi.tie", **facts)
    if other.score == -math.inf:
        return say(
            "against-viterbi.forbidden-several" if len(apart) > 1 else "against-viterbi.forbidden",
            **facts,
        )
    gained = _emissions(problem, other.path) - _emissions(problem, best.path)
    lost = (best.score - other.score) + gained
    digits = digits_that_add_up(gained, -lost)
    parts = [
        say(
            "against-viterbi.instead",
            tag=_emitted(problem, t, other),
            best=_emitted(problem, t, best),
            word=quoted(problem.tokens, t),
        )
        for t in apart[:MOST_DIFFERING]
    ]
    if more := len(apart) - len(parts):
        parts.append(say("against-viterbi.others", n=more))
    return say(
        "against-viterbi.taken",
        decoder=other.label,
        words=listed(parts),
        gained=ahead_or_behind(gained, digits),
        lost=ahead_or_behind(-lost, digits),
        all=ahead_or_behind(gained - lost, digits),
    )


def digits_that_add_up(*parts: float) -> int:
    """Decimals, two to four, with which the parts as printed give the sum as printed.

    >>> digits_that_add_up(3.886, -16.634), digits_that_add_up(0.25, -1.5)
    (3, 2)
    """
    total = math.fsum(parts)
    for digits in (2, 3):
        off = math.fsum(round(part, digits) for part in parts) - round(total, digits)
        if abs(off) < 0.5 * 10**-digits:
            return digits
    return 4


def _level(other: Decoded, best: Decoded) -> bool:
    """Whether two paths have the same score, to within rounding."""
    return math.isclose(other.score, best.score, rel_tol=1e-9, abs_tol=1e-9)


def _emitted(problem: Problem, t: int, one: Decoded) -> str:
    tag = one.path[t]
    return f"{printable(problem.tags[tag])} ({format_score(problem.emissions[t][tag])})"


def _apart(other: Decoded, best: Decoded) -> list[int]:
    """The tokens that two paths tag differently."""
    return [t for t, (a, b) in enumerate(zip(other.path, best.path, strict=True)) if a != b]


def _emissions(problem: Problem, path: Path) -> float:
    return math.fsum(problem.emissions[t][s] for t, s in enumerate(path))


def ahead_or_behind(nats: float, digits: int = 2) -> str:
    if abs(nats) < 0.5 * 10**-digits:
        return say(
            "against-viterbi.level" if abs(nats) < 1e-9 else "against-viterbi.level-to",
            digits=digits,
        )
    return say(
        f"against-viterbi.{'ahead' if nats > 0 else 'behind'}", nats=format_score(abs(nats), digits)
    )


def greedy_step(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Why left to right took the wrong turn: the two sums that it compared there."""
    apart = _apart(other, best)
    if not apart or other.score == -math.inf or _level(other, best):
        return ""
    t = apart[0]
    row = problem.matrix(t)[other.path[t - 1]] if t else problem.start
    sums = [row[s] + problem.emissions[t][s] for s in (other.path[t], best.path[t])]
    first, second = (printable(problem.tags[s]) for s in (other.path[t], best.path[t]))
    return say(
        "against-viterbi.last" if t == len(best.path) - 1 else "against-viterbi.step",
        word=quoted(problem.tokens, t),
        source=printable(problem.tags[other.path[t - 1]]) if t else "START",
        first=first,
        score=format_score(sums[0]),
        second=second,
        other=format_score(sums[1]),
    )


def posterior_step(problem: Problem, other: Decoded, best: Decoded, marginals: Sequence) -> str:
    """Why posterior decoding differs: each tag the likeliest, the whole perhaps not allowed."""
    apart = _apart(other, best)
    if not apart:
        return ""
    t = apart[0]
    a, b = other.path[t], best.path[t]
    equal = math.isclose(marginals[t][a], marginals[t][b], rel_tol=1e-9)
    return say(
        "against-viterbi.equally" if equal else "against-viterbi.likelier",
        tag=printable(problem.tags[a]),
        other=printable(problem.tags[b]),
        word=quoted(problem.tokens, t),
        p=probability(marginals[t][a]),
        q=probability(marginals[t][b]),
    )
