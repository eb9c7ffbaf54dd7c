"""The problems that an implementation is tried on, from two tags and two tokens upwards."""

import random
from typing import Any, NamedTuple

from .homework import arguments_of
from .reference import NEG_INF, Reference, Scores, transposed


class Rung(NamedTuple):
    """One test problem of the ladder."""

    name: str  # what it tries
    rows: list[Scores]  # a row of a batch each; one, unless padding or holes are tried
    only: tuple[str, ...] = ()  # the functions that it is for; (): all
    # Functions that it is not for. Gradients are left out where automatic differentiation has no
    # answer (an unused table, a sum of nothing) or takes long.
    but_not: tuple[str, ...] = ()
    autograd: bool = False  # whether gradients are asked of torch instead
    tolerance: float = 1e-4  # how far apart numbers may be that count as equal

    @property
    def batched(self) -> bool:
        """Whether it needs a mask."""
        return len(self.rows) > 1 or not all(self.rows[0].mask)

    def arguments(self, function: str, batched: bool, *, to_from: bool = False) -> dict[str, Any]:
        """The arguments of a call by name, as lists; `to_from`: with transitions [to][from]."""
        names, rows = arguments_of(function, batched), self.rows
        arguments = {name: getattr(rows[0], name) for name in names}
        if batched:
            for name in {"emissions", "tags", "mask"} & arguments.keys():
                arguments[name] = [getattr(row, name) for row in rows]
        if to_from:
            arguments["transitions"] = transposed(arguments["transitions"])
        return arguments


def _random_rows(seed: int, masks: list[list[bool]], S: int, *, ends: bool = True) -> list[Scores]:
    """Rows with the same transitions; scores of two decimals from −2 to 2."""
    draw = random.Random(seed)

    def row() -> list[float]:
        return [round(draw.uniform(-2.0, 2.0), 2) for _ in range(S)]

    transitions = [row() for _ in range(S)]
    start, end = (row(), row()) if ends else ([0.0] * S, [0.0] * S)
    rows = []
    for mask in masks:
        emissions = [row() for _ in mask]
        tags = [draw.randrange(S) if on else 0 for on in mask]
        rows.append(Scores(emissions, transitions, start, end, tags, mask))
    return rows


def _forbidden(unreachable: bool) -> Scores:
    """A row with some transitions −∞; `unreachable`: no path has the second tag."""
    row = _random_rows(5, [[True] * 5], 3)[0]
    row.transitions[0][2] = row.transitions[2][1] = NEG_INF
    if unreachable:
        for values in row.transitions:
            values[1] = NEG_INF
        row.transitions[1][:] = [NEG_INF] * 3  # and nothing leads on from it
        row.emissions[0][1] = row.emissions[3][2] = NEG_INF
    return row._replace(tags=Reference(row).viterbi())


def ladder() -> list[Rung]:
    """Return the rungs in order."""
    on, off = True, False
    nothing = [0.0] * 3
    small = Scores(
        emissions=[[1.0, 2.0], [5.0, 7.0]],
        transitions=[[0.0, 1.0], [3.0, -1.0]],
        start=[0.0, 0.0],
        end=[0.0, 0.0],
        tags=[1, 0],
        mask=[on, on],
    )
    one = Scores(  # without start, or without end, another tag is best
        emissions=[[0.2, 0.0, 0.0]],
        transitions=[[0.0, 1.0, 2.0]] * 3,
        start=[1.5, 0.0, 1.0],
        end=[0.0, 1.6, 1.0],
        tags=[2],
        mask=[on],
    )
    tied = Scores([nothing] * 4, [nothing] * 3, nothing, nothing, [0, 1, 2, 0], [on] * 4)
    low = _random_rows(17, [[on] * 25], 3)[0]  # log-scores of about −40 a token: α ends at −1,000
    low = low._replace(emissions=[[x - 40.0 for x in row] for row in low.emissions])
    padded = [[on] * 6, [on] * 4 + [off] * 2, [on] + [off] * 5]
    long, automatic = _random_rows(6, [[on] * 2000], 3), _random_rows(9, [[on] * 4], 3)
    no_gradients = ("gradients",)
    return [
        Rung("two tags, two tokens", [small]),
        Rung("random scores", _random_rows(14, [[on] * 9], 4, ends=False)),
        Rung("start and end scores", _random_rows(303, [[on] * 9], 4)),
        Rung("one token", [one], but_not=no_gradients),
        Rung("forbidden transitions (−∞)", [_forbidden(False)]),
        Rung("a tag out of reach (−∞)", [_forbidden(True)], but_not=no_gradients),
        Rung("ties", [tied], only=("viterbi",)),
        Rung("low scores", [low]),
        Rung("2,000 tokens", long, but_not=no_gradients, tolerance=1e-2),
        Rung("padding", _random_rows(72, padded, 3)),
        Rung("holes in the mask", _random_rows(14, [[on, on, off, on, off, on], [on] * 6], 3)),
        Rung("automatic differentiation", automatic, only=("nll",), autograd=True),
    ]


DIFFERENCES = Rung("differences of your own nll", _random_rows(2, [[True] * 3], 2), tolerance=2e-3)
"""On which the gradients are compared with those differences."""
