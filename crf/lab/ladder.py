"""The problems that an implementation is tried on, from two tags and two tokens upwards."""

import random
from typing import Any, NamedTuple

from .reference import NEG_INF, Reference, Scores, ScoreTable


class Rung(NamedTuple):
    """One problem of the ladder."""

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
        """The arguments of a call by name, as lists.

        Args:
            function: Which function is called.
            batched: Whether it takes a batch and a mask.
            to_from: Whether the transitions are given as [to][from].
        """
        one = self.rows[0]
        transitions = [list(row) for row in zip(*one.transitions, strict=True)]
        own: dict[str, Any] = {
            "emissions": [row.emissions for row in self.rows],
            "tags": [row.tags for row in self.rows],
            "mask": [row.mask for row in self.rows],
        }
        if not batched:
            own = {name: values[0] for name, values in own.items() if name != "mask"}
        if function not in ("score", "nll", "gradients"):
            del own["tags"]
        mask = {"mask": own.pop("mask")} if batched else {}
        shared = {
            "transitions": transitions if to_from else one.transitions,
            "start": one.start,
            "end": one.end,
        }
        return own | shared | mask


def _random_rows(
    seed: int, lengths: list[list[bool]], S: int, *, ends: bool = True, spread: float = 2.0
) -> list[Scores]:
    """Rows with the same transitions; scores of two decimals from −spread to spread."""
    draw = random.Random(seed)

    def row() -> list[float]:
        return [round(draw.uniform(-spread, spread), 2) for _ in range(S)]

    transitions = [row() for _ in range(S)]
    start, end = (row(), row()) if ends else ([0.0] * S, [0.0] * S)
    rows = []
    for mask in lengths:
        emissions = [row() for _ in mask]
        tags = [draw.randrange(S) if on else 0 for on in mask]
        rows.append(Scores(emissions, transitions, start, end, tags, mask))
    return rows


def _forbidden(unreachable: bool) -> Scores:
    """Some transitions and emissions are −∞.

    Args:
        unreachable: Whether the second tag cannot be reached at all; else all tags can, everywhere.
    """
    row = _random_rows(5, [[True] * 5], 3)[0]
    transitions = [list(values) for values in row.transitions]
    transitions[0][2] = transitions[2][1] = NEG_INF
    emissions = [list(values) for values in row.emissions]
    if unreachable:
        transitions = [[values[0], NEG_INF, values[2]] for values in transitions]
        transitions[1] = [NEG_INF] * 3  # and nothing leads on from it
        emissions[0][1] = emissions[3][2] = NEG_INF
    forbidden = row._replace(transitions=transitions, emissions=emissions)
    return forbidden._replace(tags=Reference(forbidden).viterbi())


def ladder() -> list[Rung]:
    """Return the rungs in order."""
    on, off = True, False
    small = Scores(
        [[1.0, 2.0], [5.0, 7.0]],
        [[0.0, 1.0], [3.0, -1.0]],
        [0.0, 0.0],
        [0.0, 0.0],
        [1, 0],
        [on, on],
    )
    ties: ScoreTable = [[0.0] * 3 for _ in range(4)]
    tied = Scores(ties, [[0.0] * 3] * 3, [0.0] * 3, [0.0] * 3, [0, 1, 2, 0], [on] * 4)
    one = small._replace(  # its best tag is another one without start, and without end
        emissions=[[0.2, 0.0, 0.0]], transitions=[[0.0, 1.0, 2.0]] * 3,
        start=[1.5, 0.0, 1.0], end=[0.0, 1.6, 1.0], tags=[2], mask=[on],
    )  # fmt: skip
    return [
        Rung("two tags, two tokens", [small]),
        Rung("random scores", _random_rows(14, [[on] * 9], 4, ends=False)),
        Rung("start and end scores", _random_rows(303, [[on] * 9], 4)),
        Rung("one token", [one], but_not=("gradients",)),
        Rung("forbidden transitions (−∞)", [_forbidden(False)]),
        Rung("a tag out of reach (−∞)", [_forbidden(True)], but_not=("gradients",)),
        Rung("ties", [tied], only=("viterbi",)),
        Rung(
            "2,000 tokens",
            _random_rows(6, [[on] * 2000], 3),
            but_not=("gradients",),
            tolerance=1e-2,
        ),
        Rung("padding", _random_rows(72, [[on] * 6, [on] * 4 + [off] * 2, [on] + [off] * 5], 3)),
        Rung("holes in the mask", _random_rows(14, [[on, on, off, on, off, on], [on] * 6], 3)),
        Rung(
            "automatic differentiation",
            _random_rows(9, [[on] * 4], 3),
            only=("nll",),
            autograd=True,
        ),
    ]


DIFFERENCES = Rung("differences of your own nll", _random_rows(2, [[True] * 3], 2), tolerance=2e-3)
"""On which the gradients are compared with those differences."""
