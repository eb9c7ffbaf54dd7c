"""Cells and totals of a problem's recursions, path by path, by the core's oracle."""

from tests.core.oracle import Row, merge

__all__ = ["best_paths", "cell", "matrix", "merge", "prefix_score", "row", "total"]


def _per_step(problem):
    return bool(problem.transitions) and isinstance(problem.transitions[0][0], tuple)


def row(problem):
    """The oracle of a problem's chain."""
    tables = problem.emissions, problem.transitions, problem.start, problem.end
    return Row(*tables, [True] * len(problem.tokens), per_step=_per_step(problem))


def matrix(problem, t):
    """The transitions into token t."""
    return problem.transitions[t - 1] if _per_step(problem) else problem.transitions


def prefix_score(problem, tags):
    """start, emissions and transitions of a beginning."""
    return sum(row(problem).inner(tags), problem.start[tags[0]])


def cell(problem, convention, semiring, token, tag):
    """The cell of a token's tag: all prefixes that end there, as the convention writes them."""
    column = token - (convention == "message")
    return merge(row(problem).merged("forward", convention, column, tag), semiring)


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
    scored = [(score, path) for path, score in row(problem).paths.items()]
    return sorted(scored, key=lambda pair: -pair[0])[:k]
