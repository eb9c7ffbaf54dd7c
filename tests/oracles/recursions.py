"""Cells and totals of the recursions from their meaning, path by path; nothing of the project."""

import itertools
import math


def merge(scores, semiring):
    """log Σ exp, or max."""
    scores = list(scores)
    best = max(scores)
    if semiring == "max" or best == -math.inf:
        return best
    return best + math.log(math.fsum(math.exp(score - best) for score in scores))


def matrix(problem, t):
    per_step = problem.transitions and isinstance(problem.transitions[0][0], tuple)
    return problem.transitions[t - 1] if per_step else problem.transitions


def prefix_score(problem, tags):
    """start, emissions and transitions of a beginning."""
    total = problem.start[tags[0]]
    for t, s in enumerate(tags):
        total += problem.emissions[t][s] + (matrix(problem, t)[tags[t - 1]][s] if t else 0)
    return total


def cell(problem, convention, semiring, token, tag):
    """The cell of a token's tag: all prefixes that end there, as the convention writes them."""
    every = range(len(problem.tags))
    if convention == "message":
        return merge(
            (
                prefix_score(problem, tags) + matrix(problem, token)[tags[-1]][tag]
                for tags in itertools.product(every, repeat=token)
            ),
            semiring,
        )
    last = convention == "pair" and token == len(problem.tokens) - 1
    return merge(
        (
            prefix_score(problem, (*tags, tag)) + (problem.end[tag] if last else 0)
            for tags in itertools.product(every, repeat=token)
        ),
        semiring,
    )


def total(problem, semiring):
    """log Z, or the best score; by columns, so that long sentences are no trouble."""
    every = range(len(problem.tags))
    column = [problem.start[s] + problem.emissions[0][s] for s in every]
    for t in range(1, len(problem.tokens)):
        column = [
            merge((column[i] + matrix(problem, t)[i][s] for i in every), semiring)
            + problem.emissions[t][s]
            for s in every
        ]
    return merge((column[s] + problem.end[s] for s in every), semiring)


def best_paths(problem, k):
    """The k best paths with their scores, of equals the lower tags first."""
    every = itertools.product(range(len(problem.tags)), repeat=len(problem.tokens))
    scored = [(prefix_score(problem, y) + problem.end[y[-1]], y) for y in every]
    return sorted(scored, key=lambda pair: -pair[0])[:k]
