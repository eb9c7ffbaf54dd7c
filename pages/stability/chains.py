"""A chain that grows: log Z in probability space, scaled and in log space, in four number formats.

    probability   α̂_t(s) = ψ_t(s) Σ_s′ α̂_{t−1}(s′) ψ(s′, s),      Z = Σ_s α̂_m(s) ψ_end(s)
    scaled        the same, each column divided by its sum c_t;   log Z = Σ_t log c_t + log Σ …
    log space     log α̂_t(s) = e[t, s] + logsumexp_s′ [log α̂_{t−1}(s′) + T[s′, s]]

α̂_t(s) is the α̂ of tag s at token t, its emission included; s′ is the tag before it, ψ = exp(score).

The three functions of that name are the textbook's; `grow` runs each and says, for every length,
how far off it is, and where it broke. Sources: Rabiner (1989), section V.A, for the scaling.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from crf.figures.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.text import Case, case
from pages.stability.number_formats import DTYPES, gap, judge, limits, torch_dtype


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


class Break(NamedTuple):
    """Where a recursion first went wrong."""

    token: int  # the token whose column it is, from 0; token % m is the one of the problem
    # "overflow" (inf), "underflow" (the whole column is 0), "nan", or "lost" (a cell is 0 or −∞,
    # yet paths go through it)
    kind: str
    sentence: Case  # the same in a sentence


class FormatRun(NamedTuple):
    """One way to compute log Z, in one format, for every length up to L."""

    method: str  # one of `METHODS`
    dtype: str  # the format's name
    values: tuple[float, ...]  # [L] log Z of the first t tokens, in nats
    # [L] |value − float64 log space|; inf where it is inf or nan and should not be
    errors: tuple[float, ...]
    # [L] verdicts of `number_formats.judge`; after a break the kind of break
    kinds: tuple[str, ...]
    # [L][S] α̂ as computed: log α̂ in log space; relative to the column's sum if scaled
    columns: tuple[tuple[float, ...], ...]
    broke: Break | None  # the first failure of all
    useless: Break | None  # the first failure after which the value is inf, −inf or nan

    @property
    def value(self) -> float:
        """log Z of all L tokens."""
        return self.values[-1]

    @property
    def kind(self) -> str:
        """The verdict on it."""
        return self.kinds[-1]


def repeated(problem: Problem, tokens: int) -> FormatTables:
    """Scores of the problem's tokens over and over, in float64; start and end come once.

    Between two repeats stands the one transition matrix; where each step has a matrix of its own
    there is none for it, and all transitions score 0.
    """
    S, m = len(problem.tags), len(problem.tokens)
    seam = ((0.0,) * S,) * S if problem.per_step else problem.matrix(1)
    matrices = [problem.matrix(t % m) if t % m else seam for t in range(1, tokens)]
    emissions = [problem.emissions[t % m] for t in range(tokens)]
    tables = (emissions, matrices, problem.start, problem.end)
    found = FormatTables(*(torch.tensor(table, dtype=torch.float64) for table in tables))
    return found._replace(transitions=found.transitions.reshape(tokens - 1, S, S))


class Prefixes(NamedTuple):
    """What a recursion finds of the first 1, 2 … L tokens."""

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


METHODS: dict[str, Callable[..., Prefixes]] = {
    "probability": probability,
    "scaled": scaled,
    "log": log_space,
}


@lru_cache(maxsize=16)
def grow(problem: Problem, tokens: int) -> tuple[FormatRun, ...]:
    """log Z of the problem's first 1, 2 … L tokens, over and over: each method in each format.

    Errors are measured against float64 log space.
    """
    tables = repeated(problem, tokens)
    exact = log_space(tables)
    return tuple(_run(tables, exact, method, dtype) for method in METHODS for dtype in DTYPES)


def _run(tables: FormatTables, known: Prefixes, method: str, dtype: str) -> FormatRun:
    computed = known
    if (method, dtype) != ("log", "float64"):
        computed = METHODS[method](tables.to(dtype))
    columns, alive = computed.alphas.double(), known.alphas > -math.inf
    values, exact = computed.log_z.tolist(), known.log_z.tolist()
    failures = _failures(columns, alive, -math.inf if method == "log" else 0.0)
    broke = _first(failures, method, dtype)
    useless = _first([kind if kind != "lost" else "" for kind in failures], method, dtype)
    kinds = []
    for t, (value, right) in enumerate(zip(values, exact, strict=True)):
        kind = judge(value, right, dtype)
        if useless and useless.token <= t and gap(value, right) == math.inf:
            kind = useless.kind
        elif kind == "inexact" and broke and broke.token <= t:
            kind = "lost"
        kinds.append(kind)
    return FormatRun(
        method, dtype, tuple(values), tuple(map(gap, values, exact)), tuple(kinds),
        tuple(map(tuple, columns.tolist())), broke, useless,
    )  # fmt: skip


def _failures(columns: Tensor, alive: Tensor, nothing: float) -> list[str]:
    """[L] what is wrong with each column, "" for nothing; tags that no path reaches are empty."""
    empty = (columns == nothing) & alive
    holds = {
        "overflow": (columns == math.inf).any(1),
        "nan": columns.isnan().any(1),
        "underflow": alive.any(1) & (empty == alive).all(1),
        "lost": empty.any(1),
        "": torch.ones(len(columns), dtype=torch.bool),
    }
    first = torch.stack(list(holds.values())).int().argmax(0)
    return [list(holds)[k] for k in first.tolist()]


def _first(failures: Sequence[str], method: str, dtype: str) -> Break | None:
    """The first failure, and its sentence."""
    token, kind = next(((t, kind) for t, kind in enumerate(failures) if kind), (0, ""))
    if not kind:
        return None
    name, facts = kind, {"token": str(token + 1), "dtype": dtype}
    if method == "log":
        name = f"log-{kind if kind in ('nan', 'overflow') else 'lowest'}"
    elif kind in ("overflow", "underflow"):
        facts["limit"] = format_score(getattr(limits(dtype), kind))
    return Break(token, kind, case(f"break.{name}", **facts))


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
        ("A", "B"), ("1", "2", "3", "4"),
        ((0.0, down), (0.0, down), (late, 0.0), (late, 0.0)),
        ((0.0, forbidden), (forbidden, 0.0)), (0.0, 0.0), (0.0, 0.0),
    )  # fmt: skip
