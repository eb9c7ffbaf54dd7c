"""What the lesson on structure says of a problem: facts for its text, all numbers computed."""

import math
from collections.abc import Sequence

from pages.shared.course.numbers import format_potential, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.narration import quoted
from pages.shared.figures.theme import count, percent, probability
from pages.structure.greedy import GreedyPath

MANNER = {"greedy": "Word by word", "left_to_right": "Left to right"}


def mistake(problem: Problem, found: GreedyPath) -> tuple[str, dict[str, str]]:
    """Where a greedy decoder leaves the best path: a paragraph of the text and its facts."""
    name = MANNER[found.decoder]
    if found.mistake is None:
        return "lucky", {"name": name}
    t, chosen, best, options = found.mistake
    facts = {
        "name": name,
        "word": quoted(problem.tokens, t),
        "taken": problem.tags[chosen],
        "missed": problem.tags[best],
        "seen": format_score(options[chosen].seen),
        "missed_seen": format_score(options[best].seen),
    }
    if options[chosen].whole == -math.inf:
        return "dead-end", facts
    wholes = {"whole": options[chosen].whole, "missed_whole": options[best].whole}
    return "mistake", facts | {key: format_score(value) for key, value in wholes.items()}


def cost(found: GreedyPath) -> tuple[str, dict[str, str]]:
    """How far a greedy path is behind in the end; after a mistake."""
    if found.score == -math.inf:
        return "cost-forbidden", {}
    gap = found.best_score - found.score
    share = format_potential(-gap)
    gives = (d for d in range(2, 9) if format_potential(-round(gap, d)) == share)
    return "cost", {"behind": format_score(gap, next(gives, 9)), "share": share}


def product_of_tags(problem: Problem) -> str:
    """S · S · … = S^m."""
    S, m = len(problem.tags), len(problem.tokens)
    if m == 1:
        return str(S)
    factors = " · ".join([str(S)] * m) if m <= 6 else f"{S} · {S} · … · {S} ({m} factors)"
    return f"{factors} = {count(S**m)}"


def mass(probabilities: Sequence[float], share: float = 0.99) -> int:
    """How many of the paths, best first, hold this share of the probability."""
    total = 0.0
    for k, p in enumerate(probabilities, 1):
        total += p
        if total >= share - 1e-12:
            return k
    return len(probabilities)


def spread(probabilities: Sequence[float]) -> str:
    """How the probability is spread over the allowed paths, given best first."""
    most, best = mass(probabilities), probability(probabilities[0])
    if len(probabilities) == 1:
        return "Only one path is allowed, and it has all of the probability."
    if most == 1:
        return f"The best path has {best} of the probability, and all others share the rest."
    first = "all" if most == len(probabilities) else f"the first {count(most)}"
    return f"The best path has {best} of the probability; {first} together have 99 % of it."


def forbidden(how_many: int) -> str:
    """What is to be said of the paths that are not listed because they cannot be."""
    if not how_many:
        return ""
    are = "One more path is" if how_many == 1 else f"{count(how_many)} more paths are"
    return f"{are} forbidden: a score of −∞ on the way, so probability 0."


def cumulative(share: float) -> str:
    """How much of the probability a path has together with all before it.

    >>> [cumulative(share) for share in (0.64617, 0.99951, 1 - 1e-16)]
    ['64.6 %', '> 99.9 %', '100 %']
    """
    if share > 1 - 1e-12:
        return "100 %"
    return "> 99.9 %" if share >= 0.9995 else percent(share)


def faster(num_tags: int) -> str:
    """What a faster machine would change."""
    if num_tags == 1:
        return ""
    more = round(math.log(1000) / math.log(num_tags))
    words = "word" if more == 1 else "words"
    return f"On a machine a thousand times as fast, sentences could be only {more} {words} longer."
