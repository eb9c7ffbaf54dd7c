"""Three ways to the gradient of log p(path | x), and three wrong ones.

    closed       (observed − expected) · ∂scores/∂parameter, from the chain's marginals
    automatic    torch's differentiation, step by step through the forward recursion
    differences  [f(w + h) − f(w − h)] / 2h, one parameter at a time

With respect to a score log ψ, or to ψ itself: ∂f/∂ψ = (∂f/∂ log ψ) / ψ. A model is a function from
named tables of parameters to the scores of its chain; torch differentiates that function.

Source of the error of differences: Nocedal and Wright (2006), "Numerical optimization", section
8.1: truncation grows as h², rounding as 1/h.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from crf import LinearChain, recursions
from crf.potentials import Potentials
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem

Parameters = dict[str, Tensor]
Named = tuple[str, tuple[int, ...]]  # a parameter: its table and its index
STEPS = tuple(10.0 ** (-k / 2) for k in range(2, 29))  # 1e-1 … 1e-14
MOST = 64  # parameters that differences are taken of: each costs two chains
_CHUNK = 4_000_000  # numbers of one batch of transitions


class UsedScores(NamedTuple):
    """One number at each place where a chain uses a score: the score, or how often it is used."""

    emissions: Tensor  # [m, S]
    transitions: Tensor  # [m-1, S, S], one matrix per step
    start: Tensor  # [S] of the first tag
    end: Tensor  # [S] of the last tag


@dataclass(frozen=True, eq=False)  # a model is itself alone: it can be remembered by
class Model:
    """A model of one sequence, and the path whose probability is differentiated."""

    tags: tuple[str, ...]  # names
    tokens: tuple[str, ...]  # names
    path: tuple[int, ...]  # [m] tag indices
    tables: Parameters  # the parameters by name, float64
    scores: Callable[[Parameters], UsedScores]  # the scores that such tables make

    @property
    def has_potentials(self) -> bool:
        """Whether its parameters are log-potentials, so that ψ = exp(parameter)."""
        return "x" not in self.tables


@lru_cache(maxsize=8)
def of_problem(problem: Problem, path: tuple[int, ...]) -> Model:
    """The problem on screen: its scores are the parameters; one matrix is used at every step."""
    m, S = len(problem.tokens), len(problem.tags)

    def scores(given: Parameters) -> UsedScores:
        transitions = given["T"].expand(m - 1, S, S)
        return UsedScores(given["e"], transitions, given["start"], given["end"])

    emissions, transitions, start, end = problem.tables()
    tables = {"e": emissions, "T": transitions, "start": start, "end": end}
    return Model(problem.tags, problem.tokens, path, tables, scores)


@cache
def pair_potentials() -> Model:
    """The example of random tables for each step, with the random path drawn behind them."""
    return of_problem(EXAMPLES["pair-potentials"].problem, (0, 1, 4, 1, 3, 0, 0, 3, 3, 1))


def scalar_inputs(
    x: Sequence[float] = (1.0, -0.5, 2.0, 0.5),
    W: Sequence[float] = (0.8, -0.4, 0.1),
    P: Sequence[Sequence[float]] = ((0.5, -1.0, 0.2), (0.3, 0.4, -0.6), (-0.2, 0.7, 0.1)),
    start: Sequence[float] = (0.2, 0.0, -0.3),
    path: Sequence[int] = (0, 2, 1, 1),
) -> Model:
    """log ψ(s', s, t) = P[s', s] + W_s · x_t, and log ψ(*, s, 1) = start_s + W_s · x_1."""
    m, S = len(x), len(W)
    tables = {"x": x, "W": W, "P": P, "start": start}

    def scores(given: Parameters) -> UsedScores:
        emissions = given["x"][:, None] * given["W"]
        no_end = torch.zeros_like(given["start"])
        return UsedScores(emissions, given["P"].expand(m - 1, S, S), given["start"], no_end)

    return Model(
        tuple("01234567"[:S]), tuple(f"x{t + 1}" for t in range(m)), tuple(path),
        {name: torch.tensor(values, dtype=torch.float64) for name, values in tables.items()},
        scores,
    )  # fmt: skip


# ---------------------------------------------------------------------- observed − expected


def observed(model: Model) -> UsedScores:
    """1 at the scores that the path uses, 0 elsewhere: what is expected when it is certain."""
    return _counts(chain(model.scores(model.tables)).clamp(torch.tensor([list(model.path)])))


def expected(model: Model) -> UsedScores:
    """The probability of each tag at each token, and of each pair of tags at each step."""
    return _counts(chain(model.scores(model.tables)))


def chain(scores: UsedScores) -> LinearChain:
    """The distribution that scores define."""
    emissions, transitions, start, end = scores
    return LinearChain(emissions[None], transitions[None], start, end, backend="plain")


def _counts(of: LinearChain) -> UsedScores:
    used = of.expected_counts
    return UsedScores(used.emissions[0], used.transitions[0], used.start[0], used.end[0])


def uses(model: Model, entry: Named) -> list[tuple[str, tuple[int, ...], float]]:
    """Each place where a parameter is used: table, index, and what it is multiplied by there."""
    name, index = entry
    zero = torch.zeros_like(model.tables[name])
    unit = zero.clone()
    unit[index] = 1.0

    def moves(tables: Parameters) -> UsedScores:  # by a unit of the parameter
        one, other = (model.scores(tables | {name: table}) for table in (unit, zero))
        return UsedScores(*map(torch.sub, one, other))

    places = moves({n: torch.ones_like(table) for n, table in model.tables.items()})
    factors = moves(model.tables)
    return [
        (table, tuple(at), getattr(factors, table)[tuple(at)].item())
        for table, moved in places._asdict().items()
        for at in moved.nonzero().tolist()
    ]


# ---------------------------------------------------------------------- the three ways


def closed(model: Model, psi: bool = False, counts: UsedScores | None = None) -> Parameters:
    """Observed − expected, summed over the places where a parameter is used.

    Args:
        model: What is differentiated.
        psi: With respect to ψ, not to log ψ; a forbidden score has 0.
        counts: Expected counts other than the model's.
    """
    gathered = torch.func.vjp(model.scores, model.tables)[1]
    pushes = map(torch.sub, observed(model), counts or expected(model))
    (gradient,) = gathered(UsedScores(*pushes))
    if not psi:
        return gradient
    return {
        name: torch.where(model.tables[name] > -torch.inf, g / model.tables[name].exp(), 0.0)
        for name, g in gradient.items()
    }


def automatic(model: Model, psi: bool = False) -> Parameters:
    """Torch's automatic differentiation, through every step of the forward recursion."""
    leaves = {
        name: (table.exp() if psi else table).clone().requires_grad_()
        for name, table in model.tables.items()
    }
    log_p = log_probability(model, {n: (x.log() if psi else x)[None] for n, x in leaves.items()})
    found = torch.autograd.grad(log_p.sum(), list(leaves.values()), materialize_grads=True)
    return {
        name: torch.where(leaf > -torch.inf, g, 0.0)
        for (name, leaf), g in zip(leaves.items(), found, strict=True)
    }


def differences(
    model: Model,
    parameters: Sequence[Named],
    steps: Sequence[float],
    dtype: torch.dtype = torch.float64,
    psi: bool = False,
) -> Tensor:
    """Central differences of log p for each h in `steps`, computed in one number format.

    Returns:
        [len(steps), len(parameters)]; with `psi`, nan where ψ − h is not positive: there log p has
        no value.
    """
    moves = [(place, sign * h) for h, place, sign in product(steps, parameters, (1, -1))]
    size = max(1, _CHUNK // (len(model.tokens) * len(model.tags) ** 2))
    values = []
    for first in range(0, len(moves), size):
        chunk = moves[first : first + size]
        tables = {
            name: (table.exp() if psi else table).to(dtype).repeat(len(chunk), *[1] * table.dim())
            for name, table in model.tables.items()
        }
        for row, ((name, at), move) in enumerate(chunk):
            tables[name][(row, *at)] += move
        logs = {name: table.log() if psi else table for name, table in tables.items()}
        values.append(log_probability(model, logs))
    pairs = torch.cat(values).double().reshape(len(steps), len(parameters), 2)
    double_steps = 2 * torch.tensor(steps, dtype=torch.float64)[:, None]
    return (pairs[:, :, 0] - pairs[:, :, 1]) / double_steps


def log_probability(model: Model, tables: Parameters | None = None) -> Tensor:
    """log p(path | x) of P variants of the parameters, [P], by the recursion, in their dtype."""
    tables = tables or {name: table[None] for name, table in model.tables.items()}
    emissions, transitions, start, end = torch.vmap(model.scores)(tables)
    emissions = emissions.clone()
    emissions[:, 0] += start
    emissions[:, -1] += end
    zero = emissions.new_zeros(emissions.shape[2])
    mask = torch.ones(emissions.shape[:2], dtype=torch.bool)
    p = Potentials(emissions, transitions, zero, zero, mask)
    log_z = recursions.log_partition_from(p, recursions.forward(p))
    path, tokens = torch.tensor(model.path), torch.arange(len(model.path))
    score = emissions[:, tokens, path].sum(1)
    return score + transitions[:, tokens[:-1], path[:-1], path[1:]].sum(1) - log_z


# ---------------------------------------------------------------------- how far they are apart


def largest(model: Model, gradient: Parameters, most: int = MOST) -> list[Named]:
    """The parameters with the largest derivatives; forbidden scores are no parameters."""
    free = [
        (name, tuple(at))
        for name, table in model.tables.items()
        for at in (table > -torch.inf).nonzero().tolist()
    ]
    return sorted(free, key=lambda place: -abs(gradient[place[0]][place[1]].item()))[:most]


def errors(
    model: Model, parameters: Sequence[Named], steps: Sequence[float], dtype: torch.dtype, psi: bool
) -> list[float]:
    """For each h the largest |differences − closed form| over the parameters; nan: none is left."""
    right = closed(model, psi)
    exact = torch.stack([right[name][index] for name, index in parameters])
    off = (differences(model, parameters, steps, dtype, psi) - exact).abs()
    largest_off = off.nan_to_num(-1.0, torch.inf).amax(1)
    return torch.where(largest_off < 0, torch.nan, largest_off).tolist()


# ---------------------------------------------------------------------- wrong ones


def _one_step_too_many(model: Model) -> UsedScores:
    """The loop over pairs runs to m: the last tag goes on into padding as if that were a token."""
    s = model.scores(model.tables)
    S = len(model.tags)
    padding = torch.zeros_like(s.emissions[:1])
    last = s.transitions[-1:] if len(s.transitions) else padding[..., None].expand(-1, -1, S)
    longer = s._replace(
        emissions=torch.cat([s.emissions, padding]), transitions=torch.cat([s.transitions, last])
    )
    return expected(model)._replace(transitions=_counts(chain(longer)).transitions)


def _ends_forgotten(model: Model) -> UsedScores:
    """Start and end are in the path's score, but not in the recursions."""
    emissions, transitions, *ends = model.scores(model.tables)
    return _counts(chain(UsedScores(emissions, transitions, *map(torch.zeros_like, ends))))


def _normalised_by_row(model: Model) -> UsedScores:
    """p(next tag | tag), whose rows sum to 1, instead of p(tag, next tag)."""
    right = expected(model)
    rows = right.transitions.sum(-1, keepdim=True)
    return right._replace(transitions=right.transitions / torch.where(rows > 0, rows, 1.0))


FAULTS: dict[str, Callable[[Model], UsedScores]] = {
    "steps": _one_step_too_many,
    "ends": _ends_forgotten,
    "rows": _normalised_by_row,
}


def faulty(model: Model, fault: str) -> Parameters:
    """The closed form with a fault in its expected counts, one of `FAULTS`.

    A pair that is counted at a step that does not exist goes to the transition that is used there
    last; in a model with one table per step, to the last table.
    """
    counts, steps = FAULTS[fault](model), len(model.tokens) - 1
    transitions = counts.transitions[:steps].clone()
    transitions[-1:] += counts.transitions[steps:].sum(0)
    return closed(model, counts=counts._replace(transitions=transitions))


def alike(one: Parameters, other: Parameters) -> bool:
    """Whether two gradients have the same numbers, as far as the page shows them."""
    return all((one[table] - other[table]).abs().le(1e-6).all() for table in one)


def shows(model: Model, fault: str) -> bool:
    """Whether the fault changes the model's gradient."""
    return not alike(closed(model), faulty(model, fault))


def expected_pairs(model: Model, fault: str) -> float:
    """How many pairs are expected in all; m − 1 if nothing is wrong."""
    return FAULTS[fault](model).transitions.sum().item()
