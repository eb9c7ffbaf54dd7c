"""Backward cells, marginals and entropies from their meaning, path by path."""

import math

from tests.oracles.recursions import merge, row


def every_path(problem):
    """All paths with their scores."""
    return list(row(problem).paths.items())


def total(problem, semiring="sum", paths=None):
    """log Z, or the best score; of the paths that fit, if these are given."""
    return merge(
        [score for _, score in (every_path(problem) if paths is None else paths)], semiring
    )


def beta(problem, convention, semiring, token, tag):
    """The cell of a token's tag: all suffixes that go on from it, the emission not counted."""
    return merge(row(problem).merged("backward", convention, token, tag), semiring)


def probability(problem, fits, given=lambda tags: True):
    """p(the tags fit | what is given); 0 where nothing is possible."""
    among = [(tags, score) for tags, score in every_path(problem) if given(tags)]
    part = total(problem, paths=[pair for pair in among if fits(pair[0])])
    return 0.0 if part == -math.inf else math.exp(part - total(problem, paths=among))


def unary(problem, given=lambda tags: True):
    """[m][S] marginals."""
    S, m = len(problem.tags), len(problem.tokens)
    return [
        [probability(problem, lambda y, t=t, s=s: y[t] == s, given) for s in range(S)]
        for t in range(m)
    ]


def pairs(problem, t):
    """[S][S] marginals of tokens t and t + 1."""
    return row(problem).pair_marginals[t]


def entropy(problem):
    """Of the whole sequence, in nats."""
    return row(problem).entropy
