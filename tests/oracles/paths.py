"""Scores and log Z by enumeration with plain floats; shares no code with the project."""

import itertools
import math
import re


def path_score(problem, path):
    """The score of a path: its log-score."""
    total = problem.start[path[0]] + problem.end[path[-1]]
    for t, s in enumerate(path):
        total += problem.emissions[t][s]
        if t:
            per_step = isinstance(problem.transitions[0][0], tuple)
            matrix = problem.transitions[t - 1] if per_step else problem.transitions
            total += matrix[path[t - 1]][s]
    return total


def log_partition(problem):
    """log Σ exp over all paths; −∞ if none is allowed."""
    every = itertools.product(range(len(problem.tags)), repeat=len(problem.tokens))
    scores = [path_score(problem, path) for path in every]
    best = max(scores)
    if best == -math.inf:
        return best
    return best + math.log(math.fsum(math.exp(score - best) for score in scores))


def printed(value):
    """A pattern for a number with two decimals or more, all of them right."""
    ways = (f"{value:.{digits}f}".replace("-", "−") for digits in range(2, 10))
    return re.compile(rf"(?<![\d.])(?:{'|'.join(map(re.escape, ways))})(?!\d)")
