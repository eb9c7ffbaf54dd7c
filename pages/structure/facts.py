"""What the lesson on structure says of a problem: facts for its text, all numbers computed."""

import math
from collections.abc import Sequence
from typing import Any

from crf.figures.numbers import format_magnitude, format_potential, format_score, told_apart
from crf.figures.trellis.narration import quoted
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import chooses_alone
from pages.shared.figures.text import Case, case
from pages.shared.figures.theme import count, percent, probability
from pages.structure.greedy import GreedyPath

Facts = dict[str, Any]


def mistake(problem: Problem, found: GreedyPath) -> tuple[str, Facts]:
    """Where a greedy decoder leaves the best path: a paragraph of the text and its facts."""
    name = case(f"manner.{found.decoder}")
    if found.mistake is None:
        facts = {"name": name, "best": case("found.tied" if found.tied else "found.best")}
        return ("sure", facts | {"why": _why_sure(problem)}) if found.must else ("lucky", facts)
    t, chosen, best = found.mistake
    seen, missed_seen = told_apart(chosen.seen, best.seen)
    facts = {
        "name": name,
        "word": quoted(problem.tokens, t),
        "chosen": problem.tags[chosen.tag],
        "level": case("found.level") if abs(chosen.seen - best.seen) < 1e-9 else "",
        "missed": problem.tags[best.tag],
        "seen": seen,
        "missed_seen": missed_seen,
    }
    if chosen.whole == -math.inf:
        return "dead-end", facts | {"why": _why_dead(problem, found, t)}
    whole, missed = told_apart(chosen.whole, best.whole)
    return "mistake", facts | {"whole": whole, "missed_whole": missed}


def _why_sure(problem: Problem) -> Case:
    """Why a greedy decoder cannot fail on a problem."""
    if len(problem.tags) == 1:
        return case("why.one-tag")
    if len(problem.tokens) == 1:
        return case("why.one-token")
    return case("why.alike" if chooses_alone(problem, "greedy") else "why.from-alike")


def _why_dead(problem: Problem, found: GreedyPath, t: int) -> Case:
    """Why no allowed path begins as a greedy decoder has begun: the score of −∞, if it has one."""
    s, before = found.path[t], found.path[t - 1]
    tag = problem.tags[s]
    if problem.emissions[t][s] == -math.inf:
        return case("why.emission")
    if t == 0 and problem.start[s] == -math.inf:
        return case("why.start", tag=tag)
    if t > 0 and problem.matrix(t)[before][s] == -math.inf:
        name = "why.step" if problem.per_step else "why.transition"
        return case(name, before=problem.tags[before], tag=tag)
    if t == len(problem.tokens) - 1:
        return case("why.end", tag=tag)
    return case("why.onward")


def cost(found: GreedyPath) -> tuple[str, Facts]:
    """How far a greedy path is behind in the end; after a mistake."""
    if found.score == -math.inf:
        return "cost-forbidden", {}
    gap = found.best_score - found.score
    share = format_potential(-gap)
    if share == "1":  # less, in truth
        return "cost", {"behind": format_magnitude(gap), "share": f"{math.exp(-gap):.9g}"}
    gives = (d for d in range(2, 9) if format_potential(-round(gap, d)) == share)
    return "cost", {"behind": format_score(gap, next(gives, 9)), "share": share}


def counting(problem: Problem) -> Facts:
    """How many paths there are, and how many numbers a greedy decoder looks at."""
    S, m = len(problem.tags), len(problem.tokens)
    product: str | Case = str(S)
    if m > 6:
        product = case("number.many", S=S, m=m, n=S**m)
    elif m > 1:
        product = f"{' · '.join([str(S)] * m)} = {count(S**m)}"
    size = case("number.size", S=S, m=m)
    return {"size": size, "product": product, "S": str(S), "m": str(m), "cells": count(S * m)}


def spread(probabilities: Sequence[float]) -> Case:
    """How the probability is spread over the allowed paths, given best first."""
    n, first = len(probabilities), probabilities[0]
    if n == 1:
        return case("spreads.one")
    level = sum(math.isclose(p, first, rel_tol=1e-9) for p in probabilities)
    if level == n:
        return case("spreads.level", n=n, p=probability(first))
    if probability(first) == "1":
        return case("spreads.best", rest=probability(math.fsum(probabilities[1:])))
    return case("spreads.first", level=level, p=probability(first), n=mass(probabilities))


def mass(probabilities: Sequence[float], share: float = 0.99) -> int:
    """How many of the paths, best first, hold this share of the probability."""
    total = 0.0
    for k, p in enumerate(probabilities, 1):
        total += p
        if total >= share - 1e-12:
            return k
    return len(probabilities)


def cumulative(share: float, *, last: bool = False) -> str:
    """How much of the probability a path has together with all before it.

    >>> [cumulative(share) for share in (0.64894, 0.99951, 1 - 1e-16)], cumulative(1, last=True)
    (['64.9 %', '> 99.9 %', '> 99.9 %'], '100 %')
    """
    if last:
        return "100 %"
    return "> 99.9 %" if share >= 0.9995 else percent(share)
