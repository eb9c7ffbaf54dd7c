"""What the lesson on structure says of a problem: facts for its text, all numbers computed."""

import math
from collections.abc import Sequence

from crf.figures.trellis.narration import quoted
from pages.shared.course.numbers import (
    counted,
    format_magnitude,
    format_potential,
    format_score,
    told_apart,
)
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import chooses_alone
from pages.shared.figures.theme import count, percent, probability
from pages.structure.greedy import GreedyPath

MANNER = {"greedy": "Word by word", "left_to_right": "Left to right"}


def mistake(problem: Problem, found: GreedyPath) -> tuple[str, dict[str, str]]:
    """Where a greedy decoder leaves the best path: a paragraph of the text and its facts."""
    name = MANNER[found.decoder]
    if found.mistake is None:
        best = "one of the best paths" if found.tied else "the best path"
        if found.must:
            return "sure", {"name": name, "best": best, "why": _why_sure(problem, found)}
        return "lucky", {"name": name, "best": best}
    t, chosen, best, options = found.mistake
    gap = abs(options[chosen].seen - options[best].seen)
    level = ", the first of equals" if gap == 0 else ", as rounding has it" if gap < 1e-9 else ""
    facts = {
        "name": name,
        "word": quoted(problem.tokens, t),
        "chosen": problem.tags[chosen],
        "level": level,
        "missed": problem.tags[best],
    }
    facts["seen"], facts["missed_seen"] = told_apart(options[chosen].seen, options[best].seen)
    if options[chosen].whole == -math.inf:
        return "dead-end", facts | {"why": _why_dead(problem, found, t)}
    whole, missed = told_apart(options[chosen].whole, options[best].whole)
    return "mistake", facts | {"whole": whole, "missed_whole": missed}


def _why_sure(problem: Problem, found: GreedyPath) -> str:
    """Why a greedy decoder cannot fail on a problem."""
    S, m = len(problem.tags), len(problem.tokens)
    if S == 1:
        return "with one tag there is only one path"
    rest = "so the best tag of each word is in a best path"
    if m == 1:
        unseen = "end" if found.decoder == "left_to_right" else "start and end"
        return f"there is no transition, and the {unseen} scores are the same for all tags"
    if chooses_alone(problem, "greedy"):
        return f"transitions, start and end scores are the same for all tags, {rest}"
    return (
        "a transition scores the same from whatever tag it comes, and the end scores are the same "
        f"for all tags, {rest}"
    )


def _why_dead(problem: Problem, found: GreedyPath, t: int) -> str:
    """Why no allowed path begins as a greedy decoder has begun: the score of −∞, if it has one."""
    tags, tag = problem.tags, found.path[t]
    before = found.path[t - 1]
    if problem.emissions[t][tag] == -math.inf:
        return "its emission is −∞: the tag is forbidden there"
    if t == 0 and problem.start[tag] == -math.inf:
        return f"start[{tags[tag]}] = −∞: no path may begin with {tags[tag]}"
    if t > 0 and problem.matrix(t)[before][tag] == -math.inf:
        place = " at this step" if problem.per_step else ""
        entry = f"T[{tags[before]}, {tags[tag]}]"
        return f"{entry} = −∞: {tags[tag]} may not follow {tags[before]}{place}"
    if t == len(problem.tokens) - 1:
        return f"end[{tags[tag]}] = −∞: no path may end with {tags[tag]}"
    return "no allowed path goes on from there"


def cost(found: GreedyPath) -> tuple[str, dict[str, str]]:
    """How far a greedy path is behind in the end; after a mistake."""
    if found.score == -math.inf:
        return "cost-forbidden", {}
    gap = found.best_score - found.score
    share = format_potential(-gap)
    if share == "1":  # less, in truth
        return "cost", {"behind": format_magnitude(gap), "share": f"{math.exp(-gap):.9g}"}
    gives = (d for d in range(2, 9) if format_potential(-round(gap, d)) == share)
    return "cost", {"behind": format_score(gap, next(gives, 9)), "share": share}


def counting(problem: Problem) -> dict[str, str]:
    """How many paths there are, and how many numbers a greedy decoder looks at."""
    S, m = len(problem.tags), len(problem.tokens)
    one = S == 1
    return {
        "tags": counted(S, "tag"),
        "tokens": counted(m, "token"),
        "are": "is" if one else "are",
        "product": product_of_tags(problem),
        "paths": "path" if one else "paths",
        "only": "only " if S * m < S**m else "",
        "S": str(S),
        "m": str(m),
        "cells": count(S * m),
        "numbers": "number" if S * m == 1 else "numbers",
    }


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
    n, first = len(probabilities), probabilities[0]
    if n == 1:
        return "Only one path is allowed, and it has all of the probability."
    level = sum(math.isclose(p, first, rel_tol=1e-9) for p in probabilities)
    if level == n:
        return f"All {count(n)} allowed paths tie, each with {probability(first)}."
    most, rest = mass(probabilities), math.fsum(probabilities[1:])
    if most == 1:
        if probability(first) == "1":
            return f"The best path has all of the probability but {probability(rest)}."
        others = "the other has" if n == 2 else "all others share"
        return f"The best path has {probability(first)} of the probability, and {others} the rest."
    best = "The best path has" if level == 1 else f"Each of the {count(level)} best paths has"
    many = f"the first {count(most)} together have 99 %"
    many = f"it takes all {count(n)} allowed paths to have 99 %" if most == n else many
    return f"{best} {probability(first)} of the probability; {many}."


def forbidden(how_many: int) -> str:
    """What is to be said of the paths that are not listed because they cannot be."""
    if not how_many:
        return ""
    are = "One more path is" if how_many == 1 else f"{count(how_many)} more paths are"
    return f"{are} forbidden: a score of −∞ on the way, so probability 0."


def cumulative(share: float, *, last: bool = False) -> str:
    """How much of the probability a path has together with all before it.

    Args:
        share: As a number.
        last: Whether no allowed path is left.

    >>> [cumulative(share) for share in (0.64617, 0.99951, 1 - 1e-16)], cumulative(1, last=True)
    (['64.6 %', '> 99.9 %', '> 99.9 %'], '100 %')
    """
    if last:
        return "100 %"
    return "> 99.9 %" if share >= 0.9995 else percent(share)
