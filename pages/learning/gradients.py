"""Three ways to the gradient of log p(path | x), and a wrong one.

    closed       (observed − expected) · ∂scores/∂parameter, from the chain's marginals
    automatic    torch's differentiation, step by step through the forward recursion
    differences  [f(w + h) − f(w − h)] / 2h, one parameter at a time

A model is a function from named tables of parameters to the scores of its chain; torch
differentiates that function.

Source of the error of differences: Nocedal and Wright (2006), "Numerical optimization", section
8.1: truncation grows as h², rounding as 1/h.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import torch
from torch import Tensor

from crf import LinearChain, recursions
from crf.potentials import Potentials
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem

Parameters = dict[str, Tensor]
Named = tuple[str, tuple[int, ...]]  # a parameter: its table and its index
UsedScores = tuple[Tensor, Tensor, Tensor, Tensor]  # [m, S], [m-1, S, S], [S], [S]: start and end
STEPS = tuple(10.0 ** (-k / 2) for k in range(2, 29))  # 1e-1 … 1e-14
MOST = 64  # parameters that differences are taken of: each costs two chains
_CHUNK = 4_000_000  # numbers of one batch of transitions


@dataclass(frozen=True, eq=False)  # a model is itself alone: it can be remembered by
class Model:
    """A model of one sequence, and the path whose probability is differentiated."""

    tags: tuple[str, ...]  # names
    tokens: tuple[str, ...]  # names
    path: tuple[int, ...]  # [m] tag indices
    tables: Parameters  # the parameters by name, float64
    scores: Callable[[Parameters], UsedScores]  # the scores that such tables make


def of_problem(problem: Problem, path: Sequence[int]) -> Model:
    """The problem on screen: its scores are the parameters; one matrix is used at every step."""
    m, S = len(problem.tokens), len(problem.tags)
    named = {"e": "emissions", "T": "transitions", "start": "start", "end": "end"}
    tables = {
        n: torch.tensor(getattr(problem, field), dtype=torch.float64) for n, field in named.items()
    }
    if problem.per_step:
        tables["T"] = tables["T"].reshape(m - 1, S, S)

    def scores(given: Parameters) -> UsedScores:
        return given["e"], given["T"].expand(m - 1, S, S), given["start"], given["end"]

    return Model(problem.tags, problem.tokens, tuple(path), tables, scores)


@cache
def pair_potentials() -> Model:
    """The example of random tables for each step, with the random path drawn behind them."""
    return of_problem(EXAMPLES["pair-potentials"].problem, (0, 1, 4, 1, 3, 0, 0, 3, 3, 1))


@cache
def seeded_inputs() -> Model:
    """log ψ(s', s, t) = P[s', s] + W_s · x_t, and log ψ(*, s, 1) = start_s + W_s · x_1.

    Five tags and seven tokens with random numbers in [0, 1), and a random path.
    Source: numpy's legacy generator with seed 1111, in the order path, x, W, P, start.
    """
    S, m = 5, 7
    draw = np.random.RandomState(1111)
    path = tuple(draw.choice(S, m).tolist())
    sizes = {"x": (m,), "W": (S,), "P": (S, S), "start": (S,)}
    tables = {name: torch.tensor(draw.random_sample(size)) for name, size in sizes.items()}

    def scores(given: Parameters) -> UsedScores:
        emissions = given["x"][:, None] * given["W"]
        return emissions, given["P"].expand(m - 1, S, S), given["start"], emissions.new_zeros(S)

    return Model(tuple("ABCDE"), tuple(f"x{t + 1}" for t in range(m)), path, tables, scores)


# ---------------------------------------------------------------------- the three ways


def closed(model: Model, one_step_too_many: bool = False) -> Parameters:
    """Observed − expected, summed over the places where a parameter is used.

    Args:
        model: What is differentiated.
        one_step_too_many: A fault: the pairs of the last step are counted up to m, not m − 1.

    Returns:
        A table for each of the model's; a forbidden score has 0.
    """
    scores = model.scores(model.tables)
    chain = LinearChain(scores[0][None], scores[1][None], scores[2], scores[3], backend="plain")
    observed = _used(chain.clamp(torch.tensor([model.path])))
    counts = [seen - expects for seen, expects in zip(observed, _used(chain), strict=True)]
    if one_step_too_many:  # the last tag goes on into padding, by the last transitions
        goes_on = scores[1][-1].softmax(-1).nan_to_num(0.0)
        counts[1][-1] -= chain.marginals[0, -1][:, None] * goes_on
    return torch.func.vjp(model.scores, model.tables)[1](tuple(counts))[0]


def _used(chain: LinearChain) -> UsedScores:
    """How often each score is used, on average."""
    used = chain.expected_counts
    return used.emissions[0], used.transitions[0], used.start[0], used.end[0]


def automatic(model: Model) -> Parameters:
    """Torch's automatic differentiation, through every step of the forward recursion."""
    leaves = {name: table.clone().requires_grad_() for name, table in model.tables.items()}
    log_p = log_probability(model, {name: leaf[None] for name, leaf in leaves.items()})
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
) -> Tensor:
    """Central differences of log p, everything computed in one number format.

    Args:
        model: What is differentiated.
        parameters: With respect to these.
        steps: The h.
        dtype: float64 or float32.

    Returns:
        [len(steps), len(parameters)].
    """
    moves = [(place, sign * h) for h, place, sign in product(steps, parameters, (1, -1))]
    size = max(1, _CHUNK // (len(model.tokens) * len(model.tags) ** 2))
    values = []
    for first in range(0, len(moves), size):
        chunk = moves[first : first + size]
        tables = {
            name: table.to(dtype).repeat(len(chunk), *[1] * table.dim())
            for name, table in model.tables.items()
        }
        for row, ((name, at), move) in enumerate(chunk):
            tables[name][(row, *at)] += move
        values.append(log_probability(model, tables))
    pairs = torch.cat(values).double().reshape(len(steps), len(parameters), 2)
    double_steps = 2 * torch.tensor(steps, dtype=torch.float64)[:, None]
    return (pairs[:, :, 0] - pairs[:, :, 1]) / double_steps


def log_probability(model: Model, tables: Parameters) -> Tensor:
    """log p(path | x) of P variants of the parameters, [P], by the recursion, in their dtype."""
    emissions, transitions, start, end = torch.vmap(model.scores)(tables)
    emissions = emissions.clone()
    emissions[:, 0] += start
    emissions[:, -1] += end
    zero = emissions.new_zeros(emissions.shape[2])
    mask = torch.ones(emissions.shape[:2], dtype=torch.bool)
    p = Potentials(emissions, transitions, zero, zero, mask)
    log_z = recursions.log_partition_from(p, recursions.forward(p))
    path = torch.tensor(model.path)
    tokens = torch.arange(len(path))
    score = emissions[:, tokens, path].sum(1)
    return score + transitions[:, tokens[:-1], path[:-1], path[1:]].sum(1) - log_z


def largest(model: Model, gradient: Parameters) -> list[Named]:
    """The `MOST` parameters with the largest derivatives; forbidden scores are no parameters."""
    free = [
        (name, tuple(at))
        for name, table in model.tables.items()
        for at in (table > -torch.inf).nonzero().tolist()
    ]
    return sorted(free, key=lambda place: -abs(gradient[place[0]][place[1]].item()))[:MOST]


def errors(
    model: Model, parameters: Sequence[Named], steps: Sequence[float], dtype: torch.dtype
) -> list[float]:
    """For each h the largest |differences − closed form| over the parameters."""
    right = closed(model)
    exact = torch.stack([right[name][index] for name, index in parameters])
    return (differences(model, parameters, steps, dtype) - exact).abs().amax(1).tolist()
