"""Models whose gradient is computed in three ways: named tables of numbers that become scores.

Every score of a chain is a sum of coefficient · parameter. So the derivative of log p with respect
to a parameter is a sum over the places where it is used, of coefficient · (observed − expected);
`uses` names these places, and everything else follows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from pages.shared.course.problem import Problem

Index = tuple[int, ...]
Parameters = dict[str, Tensor]


class VariantScores(NamedTuple):
    """What a chain is made of; P is any number of variants of the model, in one batch.

    Attributes:
        emissions: [P, m, S] log-scores.
        transitions: [P, m-1, S, S] log-scores, one matrix per step.
        start: [P, S] log-scores of the first tag.
        end: [P, S] log-scores of the last tag.
    """

    emissions: Tensor
    transitions: Tensor
    start: Tensor
    end: Tensor


class Use(NamedTuple):
    """One place where a parameter is used.

    Attributes:
        table: A field of `VariantScores`.
        at: Index into it, without P.
        factor: What the parameter is multiplied by there.
    """

    table: str
    at: Index
    factor: float = 1.0


@dataclass(frozen=True, eq=False)  # a model is itself alone: it can be remembered by
class Model:
    """A model of one sequence, and the path whose probability is differentiated.

    Attributes:
        tags: Names.
        tokens: Names.
        path: [m] tag indices.
        tables: The parameters by name, float64.
    """

    tags: tuple[str, ...]
    tokens: tuple[str, ...]
    path: tuple[int, ...]
    tables: Parameters

    def scores(self, tables: Parameters) -> VariantScores:
        """The scores that parameters [P, …] make."""
        raise NotImplementedError

    def uses(self, table: str, at: Index) -> list[Use]:
        """Every place where a parameter is used."""
        raise NotImplementedError

    def parameters(self) -> Iterator[tuple[str, Index]]:
        """Every parameter: its table and its index."""
        for name, table in self.tables.items():
            yield from ((name, at) for at in product(*map(range, table.shape)))

    def with_tables(self, tables: Parameters) -> Self:
        """The same model with other parameters."""
        return replace(self, tables=tables)


class ScoreModel(Model):
    """The parameters are the scores: emissions, transitions (one matrix, or one a step), ends."""

    @classmethod
    def of(cls, problem: Problem, path: Sequence[int]) -> "ScoreModel":
        """The problem on screen."""
        m, S = len(problem.tokens), len(problem.tags)
        transitions = torch.tensor(problem.transitions, dtype=torch.float64)
        tables = {
            "emissions": torch.tensor(problem.emissions, dtype=torch.float64),
            "transitions": transitions.reshape(m - 1, S, S) if problem.per_step else transitions,
            "start": torch.tensor(problem.start, dtype=torch.float64),
            "end": torch.tensor(problem.end, dtype=torch.float64),
        }
        return cls(problem.tags, problem.tokens, tuple(path), tables)

    def scores(self, tables: Parameters) -> VariantScores:
        """The parameters themselves; one matrix is used at every step."""
        P, m, S = tables["emissions"].shape
        transitions = tables["transitions"]
        if transitions.dim() == 3:
            transitions = transitions[:, None].expand(P, m - 1, S, S)
        return VariantScores(tables["emissions"], transitions, tables["start"], tables["end"])

    def uses(self, table: str, at: Index) -> list[Use]:
        """Once, but a shared transition at every step."""
        if table == "transitions" and len(at) == 2:
            return [Use(table, (t, *at)) for t in range(len(self.tokens) - 1)]
        return [Use(table, at)]


class PairModel(Model):
    """log ψ(s', s, t) as one table per step, `pairs`, and `start`, which is log ψ(*, s, 1)."""

    def scores(self, tables: Parameters) -> VariantScores:
        """No emissions, and no end: ψ(s', s, t) has it all."""
        P, steps, S, _ = tables["pairs"].shape
        nothing = tables["start"].new_zeros(P, steps + 1, S)
        return VariantScores(nothing, tables["pairs"], tables["start"], nothing[:, 0])

    def uses(self, table: str, at: Index) -> list[Use]:
        """Each parameter once."""
        return [Use("transitions" if table == "pairs" else table, at)]


class InputModel(Model):
    """log ψ(s', s, t) = P[s', s] + W_s · x_t, and log ψ(*, s, 1) = start_s + W_s · x_1."""

    def scores(self, tables: Parameters) -> VariantScores:
        """Emissions W_s · x_t; the same P at every step."""
        x, W, pairs, start = (tables[name] for name in ("x", "W", "P", "start"))
        count, m, S = len(x), x.shape[1], W.shape[1]
        transitions = pairs[:, None].expand(count, m - 1, S, S)
        return VariantScores(
            x[:, :, None] * W[:, None, :], transitions, start, torch.zeros_like(start)
        )

    def uses(self, table: str, at: Index) -> list[Use]:
        """W_s at every token, x_t at every tag, P at every step, start once."""
        x, W = self.tables["x"].tolist(), self.tables["W"].tolist()
        if table == "W":
            return [Use("emissions", (t, *at), x[t]) for t in range(len(x))]
        if table == "x":
            return [Use("emissions", (*at, s), W[s]) for s in range(len(W))]
        if table == "P":
            return [Use("transitions", (t, *at)) for t in range(len(x) - 1)]
        return [Use("start", at)]


@cache
def pair_potentials() -> PairModel:
    """Ten steps of random log ψ(s', s, t) in [0, 1) over five tags, and a random path.

    Source: numpy's legacy generator with seed 1111, in the order log ψ, path.
    """
    V, m = 5, 10
    draw = np.random.RandomState(1111)
    log_psi = torch.tensor(draw.random_sample([m, V, V]))
    path = tuple(int(tag) for tag in draw.choice(V, m))
    return PairModel(
        tuple("01234"), tuple(str(t + 1) for t in range(m)), path,
        {"pairs": log_psi[1:], "start": log_psi[0, 0]},
    )  # fmt: skip


def scalar_inputs(
    x: Sequence[float] = (1.0, -0.5, 2.0, 0.5),
    W: Sequence[float] = (0.8, -0.4, 0.1),
    P: Sequence[Sequence[float]] = ((0.5, -1.0, 0.2), (0.3, 0.4, -0.6), (-0.2, 0.7, 0.1)),
    start: Sequence[float] = (0.2, 0.0, -0.3),
    path: Sequence[int] = (0, 2, 1, 1),
) -> InputModel:
    """A number x_t per token and a weight W_s per tag."""
    tables = {"x": x, "W": W, "P": P, "start": start}
    return InputModel(
        tuple("ABCDEFGH"[: len(W)]), tuple(f"x{t + 1}" for t in range(len(x))), tuple(path),
        {name: torch.tensor(values, dtype=torch.float64) for name, values in tables.items()},
    )  # fmt: skip
