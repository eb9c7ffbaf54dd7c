"""Three ways to the gradient of log p(path | x), and three wrong ones.

    closed       observed − expected, from the chain's marginals (forward and backward recursion)
    automatic    torch's differentiation, step by step through the forward recursion
    differences  [f(w + h) − f(w − h)] / 2h, one parameter at a time

With respect to a score log ψ, or to ψ itself: ∂f/∂ψ = (∂f/∂ log ψ) / ψ.

Source of the error of differences: Nocedal and Wright (2006), "Numerical optimization", section
8.1: truncation grows as h², rounding as 1/h.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from crf import LinearChain, recursions
from crf.potentials import Potentials
from pages.learning.gradient_models import Index, InputModel, Model, Parameters, Use, VariantScores

Named = tuple[str, Index]
STEPS = tuple(10.0 ** (-k / 2) for k in range(2, 29))  # 1e-1 … 1e-14
MOST = 64  # parameters that differences are taken of: each costs two chains
_CHUNK = 4_000_000  # numbers of one batch of transitions


def has_potentials(model: Model) -> bool:
    """Whether its parameters are log-potentials, so that ψ = exp(parameter) makes sense."""
    return not isinstance(model, InputModel)


# ---------------------------------------------------------------------- observed − expected


def residuals(model: Model) -> VariantScores:
    """Observed − expected at every place where a score is used, with a first axis of one."""
    return _minus(observed(model), expected(model))


def observed(model: Model) -> VariantScores:
    """1 at the scores that the path uses, 0 elsewhere: what is expected when it is certain."""
    return _counts(_chain(model).clamp(torch.tensor([list(model.path)])))


def expected(model: Model) -> VariantScores:
    """The probability of each tag at each token, and of each pair of tags at each step."""
    return _counts(_chain(model))


def _chain(model: Model) -> LinearChain:
    scores = model.scores({name: table[None] for name, table in model.tables.items()})
    return LinearChain(
        scores.emissions, scores.transitions, scores.start[0], scores.end[0], backend="plain"
    )


def _counts(chain: LinearChain) -> VariantScores:
    used = chain.expected_counts
    return VariantScores(used.emissions, used.transitions, used.start, used.end)


def _minus(a: VariantScores, b: VariantScores) -> VariantScores:
    return VariantScores(*(x - y for x, y in zip(a, b, strict=True)))


def at(scores: VariantScores, use: Use) -> float:
    """The number at one place."""
    return getattr(scores, use.table)[0][use.at].item()


def gathered(model: Model, counts: VariantScores) -> Parameters:
    """For each parameter the sum of factor · count over the places where it is used."""
    values = {name: table[0].tolist() for name, table in counts._asdict().items()}

    def total(name: str, index: Index) -> float:
        return sum(use.factor * _in(values[use.table], use.at) for use in model.uses(name, index))

    tables = {name: torch.zeros_like(table) for name, table in model.tables.items()}
    for name, index in model.parameters():
        tables[name][index] = total(name, index)
    return tables


def _in(table: Any, index: Index) -> float:
    for k in index:
        table = table[k]
    return table


# ---------------------------------------------------------------------- the three ways


def closed(model: Model, psi: bool = False) -> Parameters:
    """Observed − expected, summed over the places where a parameter is used.

    Args:
        model: What is differentiated.
        psi: With respect to ψ, not to log ψ.

    Returns:
        A table for each of the model's; a forbidden score has 0.
    """
    return _per_psi(model, gathered(model, residuals(model)), psi)


def _per_psi(model: Model, gradient: Parameters, psi: bool) -> Parameters:
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
    logs = {name: leaf.log() if psi else leaf for name, leaf in leaves.items()}
    log_p = log_probability(model, {name: table[None] for name, table in logs.items()})
    found = torch.autograd.grad(log_p.sum(), list(leaves.values()), allow_unused=True)
    return {
        name: torch.zeros_like(leaf) if g is None else torch.where(leaf > -torch.inf, g, 0.0)
        for (name, leaf), g in zip(leaves.items(), found, strict=True)
    }


def differences(
    model: Model,
    parameters: Sequence[Named],
    steps: Sequence[float],
    dtype: torch.dtype = torch.float64,
    psi: bool = False,
) -> Tensor:
    """Central differences of log p, everything computed in one number format.

    Args:
        model: What is differentiated.
        parameters: With respect to these.
        steps: The h.
        dtype: float64 or float32.
        psi: Move ψ by h, not log ψ.

    Returns:
        [len(steps), len(parameters)]; nan where ψ − h is not positive: log p has no value there.
    """
    moves = [(k, sign * h) for h in steps for k in range(len(parameters)) for sign in (1, -1)]
    m, S = len(model.tokens), len(model.tags)
    size = max(1, _CHUNK // (m * S * S))
    values = []
    for first in range(0, len(moves), size):
        chunk = moves[first : first + size]
        tables = {
            name: (table.exp() if psi else table).to(dtype).repeat(len(chunk), *[1] * table.dim())
            for name, table in model.tables.items()
        }
        for name, table in tables.items():
            rows = [(r, k, move) for r, (k, move) in enumerate(chunk) if parameters[k][0] == name]
            for r, k, move in rows:
                table[(r, *parameters[k][1])] += move
        logs = {name: table.log() if psi else table for name, table in tables.items()}
        values.append(log_probability(model, logs))
    pairs = torch.cat(values).double().reshape(len(steps), len(parameters), 2)
    double_steps = 2 * torch.tensor(steps, dtype=torch.float64)[:, None]
    return (pairs[:, :, 0] - pairs[:, :, 1]) / double_steps


def log_probability(model: Model, tables: Parameters) -> Tensor:
    """log p(path | x) of P variants of the model, [P], by the recursion itself, in their dtype."""
    emissions, transitions, start, end = model.scores(tables)
    first, last = _edges(emissions, start, end)
    emissions = emissions + first + last
    S = emissions.shape[2]
    zero = emissions.new_zeros(S)
    mask = torch.ones(emissions.shape[:2], dtype=torch.bool)
    p = Potentials(emissions, transitions, zero, zero, mask)
    log_z = recursions.log_partition_from(p, recursions.forward(p))
    path = torch.tensor(model.path)
    tokens = torch.arange(len(path))
    score = emissions[:, tokens, path].sum(1)
    score = score + transitions[:, tokens[:-1], path[:-1], path[1:]].sum(1)
    return score - log_z


def _edges(emissions: Tensor, start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """Start and end as additions to the first and to the last emission."""
    m = emissions.shape[1]
    is_first, is_last = (torch.zeros(m, 1, dtype=emissions.dtype) for _ in range(2))
    is_first[0] = is_last[-1] = 1.0
    return (
        torch.where(is_first > 0, start[:, None], 0.0),
        torch.where(is_last > 0, end[:, None], 0.0),
    )


# ---------------------------------------------------------------------- how far they are apart


def largest(model: Model, gradient: Parameters, most: int = MOST) -> list[Named]:
    """The parameters with the largest derivatives; forbidden scores are no parameters."""
    free = [(n, k) for n, k in model.parameters() if model.tables[n][k] > -torch.inf]
    return sorted(free, key=lambda place: -abs(gradient[place[0]][place[1]].item()))[:most]


def errors(
    model: Model, parameters: Sequence[Named], steps: Sequence[float], dtype: torch.dtype, psi: bool
) -> list[float]:
    """For each h the largest |differences − closed form| over the parameters; nan: none is left."""
    right = closed(model, psi)
    exact = torch.tensor(
        [right[name][index].item() for name, index in parameters], dtype=torch.float64
    )
    off = (differences(model, parameters, steps, dtype, psi) - exact).abs()
    return [row[~row.isnan()].max().item() if not row.isnan().all() else torch.nan for row in off]


# ---------------------------------------------------------------------- wrong ones


def _one_step_too_many(model: Model) -> VariantScores:
    """The loop over pairs runs to m: the last tag goes on into padding as if that were a token."""
    right = expected(model)
    emissions, transitions, start, end = model.scores(
        {name: table[None] for name, table in model.tables.items()}
    )
    padding = torch.zeros_like(emissions[:, :1])
    last = (
        transitions[:, -1:]
        if transitions.shape[1]
        else padding[..., None].expand(-1, -1, -1, emissions.shape[2])
    )
    longer = LinearChain(
        torch.cat([emissions, padding], 1), torch.cat([transitions, last], 1), start[0], end[0],
        backend="plain",
    )  # fmt: skip
    return right._replace(transitions=longer.pair_marginals)


def _ends_forgotten(model: Model) -> VariantScores:
    """Start and end are in the path's score, but not in the recursions."""
    emissions, transitions, start, _ = model.scores(
        {name: table[None] for name, table in model.tables.items()}
    )
    nothing = torch.zeros_like(start[0])
    return _counts(LinearChain(emissions, transitions, nothing, nothing, backend="plain"))


def _normalised_by_row(model: Model) -> VariantScores:
    """p(next tag | tag), whose rows sum to 1, in the place of p(tag, next tag)."""
    right = expected(model)
    rows = right.transitions.sum(-1, keepdim=True)
    return right._replace(transitions=right.transitions / torch.where(rows > 0, rows, 1.0))


FAULTS: dict[str, Callable[[Model], VariantScores]] = {
    "steps": _one_step_too_many,
    "ends": _ends_forgotten,
    "rows": _normalised_by_row,
}


def faulty(model: Model, fault: str, psi: bool = False) -> Parameters:
    """The closed form with a fault in its expected counts, one of `FAULTS`.

    A pair that is counted at a step that does not exist goes to the transition that is used there
    last; in a model with one table per step, to the last table.
    """
    wrong = FAULTS[fault](model)
    extra = wrong.transitions[:, len(model.tokens) - 1 :]
    counts = wrong._replace(transitions=wrong.transitions[:, : len(model.tokens) - 1].clone())
    if extra.shape[1] and counts.transitions.shape[1]:
        counts.transitions[:, -1] += extra[:, 0]
    return _per_psi(model, gathered(model, _minus(observed(model), counts)), psi)


def alike(one: Parameters, other: Parameters) -> bool:
    """Whether two gradients have the same numbers, as far as the page shows them."""
    return all((one[table] - other[table]).abs().le(1e-6).all() for table in one)


def shows(model: Model, fault: str) -> bool:
    """Whether the fault changes the model's gradient."""
    return not alike(closed(model), faulty(model, fault))


def expected_pairs(model: Model, fault: str = "") -> float:
    """How many pairs are expected in all; m − 1 if nothing is wrong."""
    return (FAULTS[fault] if fault else expected)(model).transitions.sum().item()
