"""Scores and log Z by enumeration with plain floats; shares no code with the project."""

import itertools
import re

from tests.oracles.recursions import merge, prefix_score


def path_score(problem, path):
    """The score of a path: its log-score."""
    return prefix_score(problem, path) + problem.end[path[-1]]


def log_partition(problem):
    """log Σ exp over all paths; −∞ if none is allowed."""
    every = itertools.product(range(len(problem.tags)), repeat=len(problem.tokens))
    return merge((path_score(problem, path) for path in every), "sum")


def printed(value):
    """A pattern for a number with two decimals or more, all of them right."""
    ways = (f"{value:.{digits}f}".replace("-", "−") for digits in range(2, 10))
    return re.compile(rf"(?<![\d.])(?:{'|'.join(map(re.escape, ways))})(?!\d)")
