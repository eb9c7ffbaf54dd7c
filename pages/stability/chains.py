"""A chain that grows: log Z in four ways and four number formats; and two ways to forbid.

    multiply   α̂_t(s) = ψ_t(s) Σ_s′ α̂_{t−1}(s′) ψ(s′, s),      Z = Σ_s α̂_m(s) ψ_end(s)
    scaled     the same, each column divided by its sum c_t;   log Z = Σ_t log c_t + log Σ …
    naive      log α̂_t(s) = e[t, s] + log Σ_s′ exp(log α̂_{t−1}(s′) + T[s′, s])
    log        the same with logsumexp, which subtracts the largest

α̂_t(s) is the α̂ of tag s at token t, its emission included; s′ is the tag before it, ψ = exp(score).
The three functions of that name are the textbook's. Sources: Rabiner (1989), section V.A, for the
scaling.
"""

import math
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from pages.shared.course.problem import Problem
from pages.stability.formats import gap, torch_dtype

STAND_IN = -10_000.0  # what published implementations use for "impossible"
OFF = 0.5  # nats: a log Z that is off by more is wrong


class FormatTables(NamedTuple):
    """A chain's log-scores as tensors of one format."""

    emissions: Tensor  # [L, S]
    transitions: Tensor  # [L-1, S, S]; matrix t-1 leads into token t
    start: Tensor  # [S]
    end: Tensor  # [S]

    def to(self, dtype: str) -> "FormatTables":
        """The same, rounded to a format."""
        return FormatTables(*(table.to(torch_dtype(dtype)) for table in self))

    def exp(self) -> "FormatTables":
        """The chain’s potentials."""
        return FormatTables(*(table.exp() for table in self))


def repeated(problem: Problem, tokens: int) -> FormatTables:
    """Scores of the problem's tokens over and over, in float64; start and end come once.

    Between two repeats stands the one transition matrix; where each step has a matrix of its own
    there is none for it, and all transitions score 0.
    """
    table = partial(torch.tensor, dtype=torch.float64)
    S, m = len(problem.tags), len(problem.tokens)
    steps = table(problem.transitions)
    if problem.per_step:
        steps = torch.cat([torch.zeros(1, S, S, dtype=torch.float64), steps.reshape(-1, S, S)])
    else:
        steps = steps.expand(m, S, S)
    places = torch.arange(tokens) % m
    emissions = table(problem.emissions)[places]
    return FormatTables(emissions, steps[places[1:]], table(problem.start), table(problem.end))


class Prefixes(NamedTuple):
    """A recursion's results for the first 1, 2 … L tokens."""

    alphas: Tensor  # [L, S] α̂ of each token, as the recursion has it
    log_z: Tensor  # [L] log Z if the chain ended there


def probability(tables: FormatTables) -> Prefixes:
    """α̂_t(s) = ψ_t(s) Σ_s′ α̂_{t−1}(s′) ψ(s′, s); axes [s′, s]."""
    emit, step, start, end = tables.exp()
    columns = [start * emit[0]]
    for t in range(1, len(emit)):
        columns.append(emit[t] * (columns[-1][:, None] * step[t - 1]).sum(0))
    alphas = torch.stack(columns)
    return Prefixes(alphas, (alphas * end).sum(1).log())


def scaled(tables: FormatTables) -> Prefixes:
    """The same; after each token α̂_t is divided by its sum c_t, whose log is kept."""
    emit, step, start, end = tables.exp()
    alpha, columns, log_scales = start * emit[0], [], []
    for t in range(len(emit)):
        if t > 0:
            alpha = emit[t] * (columns[-1][:, None] * step[t - 1]).sum(0)
        log_scales.append(alpha.sum().log())
        columns.append(alpha / alpha.sum())
    alphas = torch.stack(columns)
    return Prefixes(alphas, torch.stack(list(accumulate(log_scales))) + (alphas * end).sum(1).log())


def log_space(tables: FormatTables, logsumexp: Callable[..., Tensor] = torch.logsumexp) -> Prefixes:
    """log α̂_t(s) = e[t, s] + logsumexp_s′ [log α̂_{t−1}(s′) + T[s′, s]]; axes [s′, s]."""
    emit, step, start, end = tables
    columns = [start + emit[0]]
    for t in range(1, len(emit)):
        columns.append(emit[t] + logsumexp(columns[-1][:, None] + step[t - 1], 0))
    alphas = torch.stack(columns)
    return Prefixes(alphas, logsumexp(alphas + end, 1))


METHODS: dict[str, Callable[[FormatTables], Prefixes]] = {
    "multiply": probability,
    "scaled": scaled,
    "naive": lambda tables: log_space(tables, lambda q, dim: q.exp().sum(dim).log()),
    "log": log_space,
}


class FormatRun(NamedTuple):
    """One way to compute log Z, in one format, for every length up to L."""

    values: tuple[float, ...]  # [L] log Z of the first t tokens, in nats
    peaks: tuple[float, ...]  # [L] the largest cell of each column, as the way has it
    broke: int | None  # the first word, from 1, where there is no number and should be one
    wrong: int | None  # the first word, from 1, where log Z is off by more than `OFF`
    # the last tag’s cells that are empty though paths go through them: what scaling has lost
    lost: bool

    @property
    def stuck(self) -> bool:
        """Whether log Z no longer moves: a step is less than half of what numbers are apart."""
        return len(self.values) > 20 and len(set(self.values[-20:])) == 1


@lru_cache(maxsize=8)
def _reference(problem: Problem, tokens: int) -> tuple[FormatTables, Prefixes]:
    """The chain, and the reference for errors: log space in float64."""
    tables = repeated(problem, tokens)
    return tables, log_space(tables)


@lru_cache(maxsize=64)
def run(problem: Problem, method: str, dtype: str, tokens: int) -> FormatRun:
    """log Z of the problem's first 1, 2 … L tokens, over and over.

    Errors are measured against log space in float64.
    """
    tables, truth = _reference(problem, tokens)
    result = truth if (method, dtype) == ("log", "float64") else METHODS[method](tables.to(dtype))
    values, exact = result.log_z.tolist(), truth.log_z.tolist()
    gaps = [gap(value, right) for value, right in zip(values, exact, strict=True)]
    empty = result.alphas[-1] == (0 if method in ("multiply", "scaled") else -math.inf)
    return FormatRun(
        tuple(values),
        tuple(result.alphas.double().amax(1).tolist()),
        next((t + 1 for t, off in enumerate(gaps) if off == math.inf), None),
        next((t + 1 for t, off in enumerate(gaps) if off > OFF), None),
        bool((empty & (truth.alphas[-1] > -math.inf)).any()),
    )


@lru_cache(maxsize=4)
def powers(tokens: int, dtype: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A factor of .1 for each token: the products, and the sums of logs, as a format has them.

    >>> products, logs = powers(8, "float16")
    >>> products[7], logs[1]
    (0.0, -4.60546875)
    """
    tenth = torch.tensor(0.1, dtype=torch.float64)

    def each(log: bool) -> tuple[float, ...]:
        term = (tenth.log() if log else tenth).to(torch_dtype(dtype))
        step = torch.add if log else torch.mul
        return tuple(x.item() for x in accumulate([term] * tokens, step))

    return each(False), each(True)


def two_tracks(lag: float) -> Problem:
    """Two paths that never meet; the one that wins falls `lag` nats behind on the way.

    B loses lag / 2 at each of the first two tokens, A loses 2·lag / 3 at each of the last two. Once
    exp(−lag) is 0 the scaled recursion has forgotten B, and what it then returns, A's score, is
    lag / 3 too low: a plausible number, no inf, no nan. In log space B is kept.

    >>> round(two_tracks(120).chain().log_partition.item(), 6)
    -120.0
    """
    down, late, forbidden = -lag / 2, -2 * lag / 3, -math.inf
    return Problem(
        ("A", "B"),
        ("1", "2", "3", "4"),
        ((0.0, down), (0.0, down), (late, 0.0), (late, 0.0)),
        ((0.0, forbidden), (forbidden, 0.0)),
        (0.0, 0.0),
        (0.0, 0.0),
    )


# ---------------------------------------------------------------------- forbidden


def every_other_forbidden(stand_in: float = -math.inf) -> Problem:
    """Three words that allow A alone, and A may not follow A: no path is left.

    >>> every_other_forbidden().chain().feasible.item()
    False
    >>> every_other_forbidden(STAND_IN).chain().log_partition.item()
    -9998.0
    """
    return Problem(
        ("A", "B"),
        ("1", "2", "3"),
        ((1.0, stand_in),) * 3,
        ((stand_in, 0.0), (0.0, 0.0)),
        (0.0, 0.0),
        (0.0, 0.0),
    )


def handled_logsumexp(q: Tensor, dim: int) -> Tensor:
    """c + log Σ exp(q − c); of a row of −∞ it is −∞, and its gradient 0.

    There c is 0 and 1 stands in for the sum: no nan arises that would have to be hidden.
    """
    c = q.detach().amax(dim, keepdim=True)
    c = torch.where(c == -math.inf, 0.0, c)
    total = (q - c).exp().sum(dim)
    some = total > 0
    log_total = torch.where(some, total, 1.0).log() + c.squeeze(dim)
    return torch.where(some, log_total, -math.inf)


# what is written for forbidden: the score, and the logsumexp that meets it
WAYS: dict[str, tuple[float, Callable[..., Tensor]]] = {
    "stand-in": (STAND_IN, torch.logsumexp),
    "unhandled": (-math.inf, torch.logsumexp),
    "handled": (-math.inf, handled_logsumexp),
}


class Forbidding(NamedTuple):
    """log Z of a problem whose forbidden scores are replaced by something."""

    value: float  # log Z in nats, as computed
    gradient: tuple[tuple[float, ...], ...]  # [m][S] ∂ log Z / ∂ emission, as PyTorch finds it


@lru_cache(maxsize=32)
def forbid(problem: Problem, way: str, dtype: str) -> Forbidding:
    """log Z and its gradient, by `log_space` with something else written for the problem's −∞."""
    stand_in, logsumexp = WAYS[way]
    tables = repeated(problem, len(problem.tokens))
    replaced = FormatTables(*(torch.where(t == -math.inf, stand_in, t) for t in tables)).to(dtype)
    emissions = replaced.emissions.requires_grad_()
    log_z = logsumexp(log_space(replaced, logsumexp).alphas[-1] + replaced.end, 0)
    (gradient,) = torch.autograd.grad(log_z, emissions)
    return Forbidding(log_z.item(), tuple(map(tuple, gradient.tolist())))


def empty_row(way: str) -> tuple[float, tuple[float, ...]]:
    """logsumexp of a row of −∞ only, and its gradient, in float32: as written, PyTorch's, handled.

    >>> empty_row("handled")
    (-inf, (0.0, 0.0, 0.0))
    """
    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "written": lambda q: q.max() + (q - q.max()).exp().sum().log(),
        "torch": lambda q: torch.logsumexp(q, 0),
        "handled": lambda q: handled_logsumexp(q, 0),
    }
    q = torch.full((3,), -math.inf, requires_grad=True)
    value = functions[way](q)
    (gradient,) = torch.autograd.grad(value, q)
    return value.item(), tuple(gradient.tolist())
