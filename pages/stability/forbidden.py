"""Forbidden: −10000 or −∞? What each does to log Z and to its gradient, in four number formats.

A score of −10000 is a number like others. A path that uses it has a probability, a gradient flows
through it, and next to it small scores lose their digits. −∞ is none of that, but
−∞ − (−∞) = nan, and a recursion has to expect it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from pages.shared.course.problem import Problem
from pages.stability.chains import Tables, log_space, repeated
from pages.stability.number_formats import DTYPES, RIGHT, gap, judge, torch_dtype

STAND_IN = -10_000.0  # what published implementations use for "impossible"


class Forbidding(NamedTuple):
    """log Z of a problem whose forbidden scores are replaced by something.

    Attributes:
        dtype: The number format.
        stand_in: What is written for forbidden: −10000, or −inf.
        handled: Whether rows of −∞ were expected.
        log_partition: log Z in nats, as computed.
        error: |log Z − exact|, exact in float64 with −∞.
        marginals: [m][S] ∂ log Z / ∂ emission, by automatic differentiation.
        column_sums: [m] sums of these; 1 if they are the marginals of a chain with a path.
        gradient_error: The largest |∂ − exact|; inf if one is nan.
        kind: The worse of the verdicts of `number_formats.judge` on log Z and on the
            gradient's worst entry, a probability and so judged like a score of 1; "vanished" is
            there a path, yet log Z is −∞.
        words: The verdict in a sentence.
    """

    dtype: str
    stand_in: float
    handled: bool
    log_partition: float
    error: float
    marginals: tuple[tuple[float, ...], ...]
    column_sums: tuple[float, ...]
    gradient_error: float
    kind: str
    words: str


class EmptyRow(NamedTuple):
    """logsumexp of a row of −∞ only: its value and its gradient, by three functions.

    Attributes:
        dtype: The number format.
        written: c + log Σ exp(q − c): nan, and nan in every entry.
        library: `torch.logsumexp`: the value is −∞; see what its gradient is.
        handled: The same with c = 0 where max q = −∞: −∞, and 0 in every entry.
    """

    dtype: str
    written: tuple[float, tuple[float, ...]]
    library: tuple[float, tuple[float, ...]]
    handled: tuple[float, tuple[float, ...]]


def written_logsumexp(q: Tensor, dim: int) -> Tensor:
    """c + log Σ exp(q − c): right unless all are −∞."""
    c = q.amax(dim, keepdim=True)
    return c.squeeze(dim) + (q - c).exp().sum(dim).log()


def handled_logsumexp(q: Tensor, dim: int) -> Tensor:
    """The same; a row of −∞ is −∞, and its gradient 0: no nan arises that would have to be hidden.

    Where all is −∞, c is 0 and 1 stands in for the sum, so that log sees no 0.
    """
    c = q.detach().amax(dim, keepdim=True)
    c = torch.where(c == -math.inf, 0.0, c)
    total = (q - c).exp().sum(dim)
    some = total > 0
    log_total = torch.where(some, total, 1.0).log() + c.squeeze(dim)
    return torch.where(some, log_total, -math.inf)


def forbid(problem: Problem, stand_in: float, dtype: str, handled: bool = False) -> Forbidding:
    """log Z and its gradient, with `stand_in` written wherever the problem has −∞.

    The recursion is `log_space` of `pages.stability.chains`, differentiated by PyTorch.

    Args:
        problem: With some forbidden scores.
        stand_in: −10000, −inf, or another number.
        dtype: One of `DTYPES`.
        handled: Whether rows of −∞ are expected (`handled_logsumexp`) or not (`torch.logsumexp`).

    Returns:
        The numbers and the verdict.
    """
    chain = problem.chain()
    log_z, marginals = chain.log_partition.item(), chain.marginals[0]
    tables = repeated(problem, len(problem.tokens))
    replaced = Tables(*(torch.where(t == -math.inf, stand_in, t) for t in tables)).to(dtype)
    value, gradient = _differentiate(replaced, handled_logsumexp if handled else torch.logsumexp)
    off = (gradient.double() - marginals).abs().nan_to_num(math.inf)
    kind = _kind(value, log_z, off.max().item(), dtype)
    return Forbidding(
        dtype, stand_in, handled, value, gap(value, log_z), tuple(map(tuple, gradient.tolist())),
        tuple(gradient.double().sum(1).tolist()), off.max().item(), kind, _words(kind, dtype),
    )  # fmt: skip


def compare(problem: Problem) -> list[Forbidding]:
    """−10000, −∞ unhandled, and −∞ handled, each in every format."""
    ways = ((STAND_IN, False), (-math.inf, False), (-math.inf, True))
    return [forbid(problem, x, dtype, handled) for x, handled in ways for dtype in DTYPES]


def empty_row(dtype: str, size: int = 3) -> EmptyRow:
    """A row of −∞ only, in one format."""
    found = []
    for function in (written_logsumexp, torch.logsumexp, handled_logsumexp):
        q = torch.full((size,), -math.inf, dtype=torch_dtype(dtype), requires_grad=True)
        value = function(q, 0)
        (gradient,) = torch.autograd.grad(value, q)
        found.append((value.item(), tuple(gradient.tolist())))
    return EmptyRow(dtype, *found)


def every_other_forbidden(tokens: int) -> Problem:
    """Each token allows A alone, and A may not follow A: no path is left, whatever the length ≥ 2.

    Written with −10000, of any two neighbours at least one costs that much.
    """
    forbidden = -math.inf
    return Problem(
        ("A", "B"), tuple(str(t + 1) for t in range(tokens)), ((0.5, forbidden),) * tokens,
        ((forbidden, 0.0), (0.0, 0.0)), (0.0, 0.0), (0.0, 0.0),
    )  # fmt: skip


def _differentiate(tables: Tables, logsumexp: Callable[..., Tensor]) -> tuple[float, Tensor]:
    emissions = tables.emissions.clone().requires_grad_()
    *_, (_, log_z) = log_space(tables._replace(emissions=emissions), logsumexp)
    (gradient,) = torch.autograd.grad(log_z, emissions)
    return log_z.item(), gradient


def _kind(value: float, exact: float, off: float, dtype: str) -> str:
    if math.isnan(value) or math.isinf(off):
        return "nan"
    kind, of_gradient = judge(value, exact, dtype), judge(1 + off, 1.0, dtype)
    if kind == "underflow":
        return "vanished"
    if kind == "right" or (kind == "near" and of_gradient == "inexact"):
        return of_gradient
    return kind


def _words(kind: str, dtype: str) -> str:
    return {
        "right": f"Right: log Z and its gradient are off by at most {RIGHT:g}.",
        "near": f"As near as {dtype} gets: its numbers are no nearer to each other.",
        "overflow": f"log Z is more than {dtype} can hold.",
        "inexact": f"A number, but not the right one: digits were lost in {dtype}.",
        "nan": "nan: −∞ − (−∞) was computed on the way, in the value or in its gradient.",
        "forbidden": "−∞: no path is allowed, and log Z says so; no gradient flows.",
        "invented": "No path is allowed, yet log Z is finite, and the gradient calls the forbidden "
        "paths probable.",
        "vanished": f"There is a path, yet log Z is −∞: its score is below what {dtype} holds.",
    }[kind]
