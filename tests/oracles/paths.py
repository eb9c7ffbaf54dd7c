"""Scores of paths and log Z by enumeration, and numbers as pages print them."""

import re

from tests.oracles.recursions import row


def path_score(problem, path):
    """The score of a path: its log-score."""
    return row(problem).score(path)


def log_partition(problem):
    """log Σ exp over all paths; −∞ if none is allowed."""
    return row(problem).log_partition


def printed(value):
    """A pattern for a number with two decimals or more, all of them right."""
    ways = (f"{value:.{digits}f}".replace("-", "−") for digits in range(2, 10))
    return re.compile(rf"(?<![\d.])(?:{'|'.join(map(re.escape, ways))})(?!\d)")
