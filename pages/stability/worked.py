"""One line of arithmetic at a time, with every number that came up, in a number format.

with_offset   c + log Σ exp(q − c), for any c
added         log(exp(a) + exp(b)), with log1p and without
inside        one cell of a forward recursion: what met in it, and what became of it
"""

import math
from typing import NamedTuple

import torch

from pages.shared.course.problem import Problem
from pages.stability.chains import FormatRun, FormatTables
from pages.stability.number_formats import gap, torch_dtype
from pages.stability.sums import exact_log_sum_exp, log_add


class OffsetSum(NamedTuple):
    """c + log Σ exp(q − c), computed in one format with a c of one's choice."""

    offset: float  # c as the format holds it
    scores: tuple[float, ...]  # q as the format holds it
    differences: tuple[float, ...]  # q − c
    exps: tuple[float, ...]  # their exponentials
    total: float  # the sum of these
    value: float  # c + log of the sum
    error: float  # |value − exact|; inf if there is no finite value though there should be


def with_offset(scores: tuple[float, ...], offset: float, dtype: str) -> OffsetSum:
    """log Σ exp(q) by way of any c.

    >>> with_offset((95.0, 90.0), 95.0, "float64").differences
    (0.0, -5.0)
    >>> with_offset((95.0, 90.0), 0.0, "float32").value
    inf
    """
    q = torch.tensor(scores, dtype=torch.float64).to(torch_dtype(dtype))
    c = torch.tensor(offset, dtype=torch.float64).to(torch_dtype(dtype))
    exps = (q - c).exp()
    total = exps.sum()
    value = (c + total.log()).item()
    return OffsetSum(
        c.item(), tuple(q.tolist()), tuple((q - c).tolist()), tuple(exps.tolist()), total.item(),
        value, gap(value, float(exact_log_sum_exp(scores))),
    )  # fmt: skip


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
    S, m = len(problem.tags), len(problem.tokens)
    every = range(tokens)
    transitions = problem.transitions
    if problem.per_step:
        seam = ((0.0,) * S,) * S
        transitions = tuple(problem.matrix(t % m) if t % m else seam for t in every[1:])
    return Problem(
        problem.tags, tuple(problem.tokens[t % m] for t in every),
        tuple(problem.emissions[t % m] for t in every), transitions, problem.start, problem.end,
    )  # fmt: skip
