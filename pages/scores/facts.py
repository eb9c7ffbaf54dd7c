"""The facts of a path among all: its rank, counts, and rows that need not sum to 1."""

import math
import random
from collections import Counter
from itertools import pairwise
from typing import Any

from crf.figures.numbers import (
    format_log_probability,
    format_magnitude,
    format_potential,
    format_score,
)
from pages.shared.course import brute_force
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import Decoded, names
from pages.shared.figures.path_score import Standing
from pages.shared.figures.paths import Path
from pages.shared.figures.text import Case, case

CLEARLY = 0.2  # nats
HARDLY = 0.02  # nats: with two decimals a factor would look like another
SAME = 1e-9  # two counts, to within rounding


def behind(place: Standing) -> Case:
    """The odds against the best path."""
    if place.score == -math.inf:
        return case("behind.forbidden")
    gap = place.best - place.score
    if gap < 1e-9:
        return case("behind.none")
    if gap < HARDLY:
        return case("behind.hardly", gap=format_magnitude(gap))
    return case("behind.times", gap=format_score(gap), times=format_potential(gap))


def paths(problem: Problem) -> Case:
    """How many there are."""
    return case("number.paths", n=brute_force.count_paths(problem))


def rank(problem: Problem, path: Path, listed: list[brute_force.ScoredPath] | None) -> Case:
    """The path's place by score, if the paths are few enough to be listed."""
    count = paths(problem)
    if listed is None:
        return case("ranks.too-many", paths=count)
    own = brute_force.score(problem, path)
    ties = sum(other.score == own or abs(other.score - own) <= SAME for other in listed) - 1
    place = sum(other.score >= own - SAME for other in listed) - ties
    if ties:
        return case("ranks.shared", place=place, paths=count, ties=ties)
    return case("ranks.alone", place=place, paths=count)


def one_way(problem: Problem, path: Path) -> dict[str, str] | None:
    """A transition of the path whose reverse has another score."""
    for t, (i, j) in enumerate(pairwise(path), 1):
        there, back = problem.matrix(t)[i][j], problem.matrix(t)[j][i]
        if there != back:
            scores = {"there": format_score(there), "back": format_score(back)}
            return {"a": problem.tags[i], "b": problem.tags[j], **scores}
    return None


def unlike_an_hmm(problem: Problem, first: int) -> dict[str, Any] | None:
    """A row of transitions that no HMM has; `first` if that one will do.

    Its exponentials do not sum to 1, neither without END nor with it.
    """
    if len(problem.tokens) < 2:
        return None

    def is_one(log_total: float) -> bool:
        return abs(math.expm1(min(log_total, 1.0))) <= 0.005

    for i in (first, *range(len(problem.tags))):
        row = problem.matrix(1)[i]
        total = log_sum(row)
        if not is_one(total) and not is_one(log_sum([*row, problem.end[i]])):
            name = "number.row-first" if problem.per_step else "number.row"
            return {"row": case(name, tag=problem.tags[i]), "total": format_potential(total)}
    return None


def forbids(problem: Problem) -> bool:
    """Whether any score of the problem is −∞."""
    tables = [problem.matrix(t) for t in range(1, len(problem.tokens))]
    rows = [problem.start, problem.end, *problem.emissions, *(row for T in tables for row in T)]
    return any(score == -math.inf for row in rows for score in row)


def feature(problem: Problem, path: Path) -> list[Case]:
    """One factor of the path as the exponential of a weight times a feature, in numbers."""
    if len(path) < 2:
        return []
    used, weights = Counter(pairwise(path)), problem.matrix(1)
    i, j = next((pair for pair in used if weights[pair[0]][pair[1]]), (path[0], path[1]))
    weight, factor = format_score(weights[i][j]), format_potential(weights[i][j])
    facts = {"weight": weight, "factor": factor, "times": times("times", used[i, j])}
    return [case("features.used", a=problem.tags[i], b=problem.tags[j], **facts)]


def questions(
    problem: Problem, best: Decoded, others: list[Decoded], summary: ChainSummary
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The three questions that one asks of a model, answered for this problem: two, and the last.

    One of the other decoders' paths plays the right one. The last has no weight where there is
    nothing to learn.
    """
    right = next((o for o in others if o.path != best.path and o.log_p > -math.inf), best)
    used, S = Counter(pairwise(right.path)), len(problem.tags)
    p = summary.chain.marginals[0].tolist()
    weight, observed, expected = "", 0, 0.0
    if len(right.path) > 1 and not problem.per_step:  # else no transition is used at two steps
        pairs = summary.chain.pair_marginals[0].sum(0).tolist()
        gaps = {(i, j): used[i, j] - pairs[i][j] for i in range(S) for j in range(S)}
        i, j = max(gaps, key=lambda pair: abs(gaps[pair]))
        weight = f"T[{problem.tags[i]}, {problem.tags[j]}]"
        observed, expected = used[i, j], pairs[i][j]
    if abs(observed - expected) < SAME:  # then an emission, the one that is expected least
        t = min(range(len(p)), key=lambda t: p[t][right.path[t]])
        weight = f"e[{problem.tokens[t]}, {problem.tags[right.path[t]]}]"
        observed, expected = 1, p[t][right.path[t]]
    path = names(problem, best.path)
    answers: dict[str, Any] = {
        "p_best": format_log_probability(min(best.score - summary.log_z, 0.0)),
        "best": case("features.tied", path=path) if summary.has_ties else path,
        "score": format_score(best.score),
    }
    loss = format_score(abs(right.log_p))
    learning: dict[str, Any] = {"other": names(problem, right.path), "loss": loss}
    if abs(observed - expected) >= SAME:
        learning |= {
            "weight": weight,
            "way": case("features.up" if observed > expected else "features.down"),
            "observed": times("uses", observed),
            "expected": format_magnitude(expected),
        }
    return answers, learning


def times(table: str, n: int) -> Case:
    """A count in words.

    >>> [times("uses", n).name for n in range(3)], times("times", 3)
    (['uses.never', 'uses.once', 'uses.twice'], Case(name='times.more', facts={'n': 3}))
    """
    return case(f"{table}.{('never', 'once', 'twice')[n]}") if n < 3 else case(f"{table}.more", n=n)


def two_paths(problem: Problem, seed: int, best: Path) -> tuple[Path, Path] | None:
    """Two paths that differ in one tag, with clearly different scores; None if none are found.

    So most of the sum is the same, and few numbers decide, however many tags there are. Neither is
    the best path, which the page shows as such; they are near it, if there are such two. The
    emissions alone mislead, if such a pair is found in a few hundred tries: transitions decide.
    """
    draw = random.Random(seed)
    S, m = len(problem.tags), len(problem.tokens)
    found = None
    for k in range(600):
        path, t = [draw.randrange(S) for _ in range(m)], draw.randrange(m)
        if best and k < 300:
            changed = draw.randrange(m)
            path = [*best[:changed], path[changed], *best[changed + 1 :]]
        pair = (tuple(path), (*path[:t], draw.randrange(S), *path[t + 1 :]))
        a, b = (brute_force.score(problem, path) for path in pair)
        if best in pair or max(a, b) == -math.inf or abs(a - b) <= CLEARLY:
            continue
        found = found or pair
        emitted = problem.emissions[t][pair[0][t]] - problem.emissions[t][pair[1][t]]
        if emitted * (a - b) < 0:
            return pair
    return found
