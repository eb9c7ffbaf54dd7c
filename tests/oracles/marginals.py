"""Backward cells, marginals and entropies from their meaning, path by path; nothing of the project.

A path's weight is exp of its score; everything is a sum of weights over the paths that fit.
"""

import itertools
import math

from tests.oracles.paths import path_score
from tests.oracles.recursions import matrix, merge


def every_path(problem):
    """All paths with their scores."""
    paths = itertools.product(range(len(problem.tags)), repeat=len(problem.tokens))
    return [(tags, path_score(problem, tags)) for tags in paths]


def total(problem, semiring="sum", paths=None):
    """log Z, or the best score; of the paths that fit, if these are given."""
    scores = [score for _, score in (every_path(problem) if paths is None else paths)]
    return merge(scores, semiring) if scores else -math.inf


def beta(problem, convention, semiring, token, tag):
    """The cell of a token's tag: all suffixes that go on from it, the emission not counted."""
    every, last = range(len(problem.tags)), len(problem.tokens) - 1
    if convention == "pair" and token == last:
        return 0.0
    suffixes = itertools.product(every, repeat=last - token)
    return merge((_suffix_score(problem, token, (tag, *rest)) for rest in suffixes), semiring)


def _suffix_score(problem, token, tags):
    score = problem.end[tags[-1]]
    for k in range(1, len(tags)):
        t = token + k
        score += matrix(problem, t)[tags[k - 1]][tags[k]] + problem.emissions[t][tags[k]]
    return score


def probability(problem, fits, given=lambda tags: True):
    """p(the tags fit | what is given); 0 where nothing is possible."""
    among = [(tags, score) for tags, score in every_path(problem) if given(tags)]
    whole = total(problem, paths=among)
    part = total(problem, paths=[pair for pair in among if fits(pair[0])])
    return 0.0 if part == -math.inf else math.exp(part - whole)


def unary(problem, given=lambda tags: True):
    """[m][S] marginals."""
    S, m = len(problem.tags), len(problem.tokens)
    return [
        [probability(problem, lambda y, t=t, s=s: y[t] == s, given) for s in range(S)]
        for t in range(m)
    ]


def pairs(problem, t):
    """[S][S] marginals of tokens t and t + 1."""
    every = range(len(problem.tags))
    return [
        [probability(problem, lambda y, a=a, b=b: y[t : t + 2] == (a, b)) for b in every]
        for a in every
    ]


def entropy(problem):
    """Of the whole sequence, in nats."""
    paths = every_path(problem)
    whole = total(problem, paths=paths)
    logs = [score - whole for _, score in paths if score > -math.inf]
    return -math.fsum(math.exp(log_p) * log_p for log_p in logs)
