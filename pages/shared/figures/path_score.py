"""The score of a path in parts: its terms with a running total, and what an answer missed."""

import math
from itertools import pairwise
from typing import NamedTuple

from pages.shared.course.problem import Problem
from pages.shared.figures.text import say

Path = tuple[int, ...]
TOLERANCE = 0.005  # nats; the exercises' numbers have one decimal


class Summand(NamedTuple):
    """One summand of a path's score."""

    role: str  # its table: "start", "emission", "transition" or "end"
    read: str  # its entry, as all figures name it: "emission:0:2"
    what: str  # which entry, in words
    value: float  # log-score
    running: float  # the sum so far, this one included


def terms(problem: Problem, path: Path) -> list[Summand]:
    """The terms of a path's score, from START to END: 2 m + 1 terms for m tokens."""
    tags, first, last = problem.tags, path[0], path[-1]
    entries = [("start", f"start:{first}", f"start[{tags[first]}]", problem.start[first])]
    for t, s in enumerate(path):
        if t:
            a = path[t - 1]
            what = f"T[{tags[a]}, {tags[s]}]"
            entries.append(("transition", f"transition:{a}:{s}", what, problem.matrix(t)[a][s]))
        what = f"e[{problem.tokens[t]}, {tags[s]}]"
        entries.append(("emission", f"emission:{t}:{s}", what, problem.emissions[t][s]))
    entries.append(("end", f"end:{last}", f"end[{tags[last]}]", problem.end[last]))
    values = [value for *_, value in entries]
    return [Summand(*entry, math.fsum(values[: k + 1])) for k, entry in enumerate(entries)]


def diagnose(problem: Problem, path: Path, answer: float) -> str:
    """Guess what went wrong in a learner's score of a path, without giving the answer away."""
    steps = [(problem.matrix(t), *step) for t, step in enumerate(pairwise(path), 1)]
    right = [matrix[a][b] for matrix, a, b in steps]
    emissions = [problem.emissions[t][s] for t, s in enumerate(path)]
    start, end = problem.start[path[0]], problem.end[path[-1]]
    every = [start, end, *emissions, *right]
    faults = {
        "transposed": [start, end, *emissions, *(matrix[b][a] for matrix, a, b in steps)],
        "start": [end, *emissions, *right],
        "end": [start, *emissions, *right],
        "ends": [*emissions, *right],
        "transitions": [start, end, *emissions],
        "emissions": [start, end, *right],
        "product": [math.prod(every)],
    }
    if answer > 0 and abs(math.log(answer) - math.fsum(every)) < TOLERANCE:
        return say("fault.potential")
    names = (name for name, terms in faults.items() if abs(math.fsum(terms) - answer) < TOLERANCE)
    return say(f"fault.{next(names, 'unknown')}")
