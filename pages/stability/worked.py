"""One line of arithmetic at a time, with every number that came up, in a number format.

added      log(exp(a) + exp(b)), with log1p and without
inside     one cell of a forward recursion: what met in it, and what became of it
"""

import math
from typing import NamedTuple

import torch

from pages.shared.course.problem import Problem
from pages.stability.chains import FormatRun, FormatTables, repeated
from pages.stability.number_formats import torch_dtype
from pages.stability.sums import exact_log_sum_exp, log_add


class Added(NamedTuple):
    """a ⊕ b = log(exp(a) + exp(b)) in one format, in three ways."""

    dtype: str  # the number format
    written: float  # log(exp(a) + exp(b)), as it is written
    with_log: float  # max + log(1 + exp(min − max))
    with_log1p: float  # max + log1p(exp(min − max))
    exact: float  # to the digits of a float64


def add_with_log(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """max + log(1 + exp(min − max)): where exp is small, 1 + exp is rounded to 1."""
    high, low = torch.maximum(a, b), torch.minimum(a, b)
    return high if low == -math.inf else high + torch.log(1 + torch.exp(low - high))


def added(a: float, b: float, dtype: str) -> Added:
    """Two scores added in log space.

    >>> two = added(0.0, -40.0, "float64")
    >>> two.with_log, two.with_log1p
    (0.0, 4.248354255291589e-18)
    """
    x, y = torch.tensor([a, b], dtype=torch.float64).to(torch_dtype(dtype))
    return Added(
        dtype, torch.log(x.exp() + y.exp()).item(), add_with_log(x, y).item(),
        log_add(x, y).item(), float(exact_log_sum_exp((a, b))),
    )  # fmt: skip


class Inside(NamedTuple):
    """One cell of a forward recursion as a format computed it."""

    before: tuple[float, ...]  # [S] the column before it, over s′; empty at the first token
    # [S] what each is multiplied with, ψ(s′, s), or what is added, T[s′, s]; empty, too
    steps: tuple[float, ...]
    terms: tuple[float, ...]  # [S] the products, or sums; at the first token the start alone
    total: float  # their sum, or logsumexp
    emission: float  # ψ_t(s), or e[t, s]
    raw: float  # total and emission together
    divisor: float  # what the column is divided by; 1 unless it is scaled
    value: float  # the cell


def inside(tables: FormatTables, run: FormatRun, token: int, tag: int) -> Inside:
    """What met in a cell of a run.

    Args:
        tables: What the run was made of, in float64.
        run: Of `pages.stability.chains.grow`.
        token: From 0.
        tag: The cell's.
    """
    held = tables.to(run.dtype)
    logs = run.method == "log"
    emission = held.emissions[token] if logs else held.emissions[token].exp()
    if token == 0:
        before = steps = torch.zeros(0)
        start = held.start if logs else held.start.exp()
        terms, total = start[tag : tag + 1], start
    else:
        before = torch.tensor(run.columns[token - 1], dtype=torch.float64).to(emission.dtype)
        matrix = held.transitions[token - 1] if logs else held.transitions[token - 1].exp()
        met = before[:, None] + matrix if logs else before[:, None] * matrix
        steps, terms = matrix[:, tag], met[:, tag]
        total = torch.logsumexp(met, 0) if logs else met.sum(0)
    raw = emission + total if logs else emission * total
    divisor = raw.sum() if run.method == "scaled" else torch.ones_like(raw[0])
    return Inside(
        tuple(before.tolist()), tuple(steps.tolist()), tuple(terms.tolist()), total[tag].item(),
        emission[tag].item(), raw[tag].item(), divisor.item(), (raw / divisor)[tag].item(),
    )  # fmt: skip


def lengthened(problem: Problem, tokens: int) -> Problem:
    """The problem whose scores `pages.stability.chains.repeated` has.

    Args:
        problem: m tokens.
        tokens: At most 60.

    >>> lengthened(Problem.blank(["A"], ["x", "y"]), 3).tokens
    ('x', 'y', 'x')
    """
    longer = repeated(problem, tokens)
    return Problem.of(
        problem.tags, [problem.tokens[t % len(problem.tokens)] for t in range(tokens)],
        longer.emissions.tolist(),
        longer.transitions.tolist() if problem.per_step else problem.transitions,
        problem.start, problem.end,
    )  # fmt: skip
