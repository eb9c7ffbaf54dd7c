"""What one may do to a batch without changing a result, and what looks alike and changes it.

rearranged(batch, ("shuffled", "left"))      the batch, its rows' order, its padding's content
"""

import math
from collections.abc import Collection
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.batches.batch import PAD, Batch, Words
from pages.shared.course.problem_checks import LARGEST_TOKENS

OPERATIONS = {
    "shuffled": "Shuffle the rows",
    "right": "Pad on the right",
    "left": "Pad on the left",
    "middle": "Pad in the middle",
    "nan": "nan in the padding",
    "forbidden": "−∞ in the padding",
}
GROWTH = 2  # cells that padding grows by


class Arranged(NamedTuple):
    """A batch that was rearranged."""

    batch: Batch  # the new batch
    order: tuple[int, ...]  # [B]: which row of the old batch each row is
    # what the padded cells' emissions hold, in turn from column to column
    padding: tuple[float, ...]


def rearranged(batch: Batch, operations: Collection[str]) -> Arranged:
    r"""The batch with some of `OPERATIONS` done to it.

    >>> from pages.shared.course.problem import Problem
    >>> batch = Batch.of(Problem.blank(["A"], ["x"]), "x y z\nx")
    >>> rearranged(batch, ("left", "shuffled")).batch.text
    '_ _ x\n_ _ x y z'
    """
    rows = list(batch.rows)
    for operation, pad in (("right", _right), ("left", _left), ("middle", _middle)):
        if operation in operations and len(rows[0]) + GROWTH <= LARGEST_TOKENS:
            rows = [pad(row) for row in rows]
    order = tuple(range(len(rows)))
    if "shuffled" in operations:
        order = (*order[1:], order[0])
    arranged = Batch(batch.model, tuple(rows[b] for b in order))
    fills = {"nan": math.nan, "forbidden": -math.inf}
    padding = tuple(fill for name, fill in fills.items() if name in operations)
    return Arranged(arranged, order, padding or (0.0,))


_MORE = (PAD,) * GROWTH


def _right(row: Words) -> Words:
    return (*row, *_MORE)


def _left(row: Words) -> Words:
    return (*_MORE, *row)


def _middle(row: Words) -> Words:
    """After the first half of its words."""
    words = [t for t, word in enumerate(row) if word != PAD]
    at = words[(len(words) - 1) // 2] + 1 if words else len(row) // 2
    return (*row[:at], *_MORE, *row[at:])


class Results(NamedTuple):
    """What comes out for each sentence, in the old batch's order."""

    log_z: tuple[float, ...]  # [B] nats
    # [B] best paths, as tag indices; none where the code multiplies: it finds log Z
    paths: tuple[tuple[int, ...], ...]


def results(arranged: Arranged, *, multiplied: bool = False) -> Results:
    """log Z and the best paths of a rearranged batch, in the order of the one it came from.

    Args:
        arranged: From `rearranged`.
        multiplied: Multiply by the mask, as code that cannot work does, instead of selecting.
    """
    tensors = arranged.batch.tensors(*arranged.padding)
    place = {old: new for new, old in enumerate(arranged.order)}
    rows = [place[b] for b in range(len(place))]
    if multiplied:
        found = log_z_multiplied(*tensors)
        return Results(tuple(found[b].item() for b in rows), ())
    chain = LinearChain(*tensors, backend="plain")
    tags = [tuple(s for s in row if s >= 0) for row in chain.viterbi().tags.tolist()]
    log_z = chain.log_partition
    return Results(tuple(log_z[b].item() for b in rows), tuple(tags[b] for b in rows))


def log_z_multiplied(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> Tensor:
    """log Z [B] by a loop that multiplies with the mask where it should select with it."""
    on = mask.to(emissions.dtype)[:, :, None]
    alpha, begun = start.expand(len(mask), -1), on[:, 0] * 0
    for t in range(mask.shape[1]):
        arriving = torch.logsumexp(alpha[:, :, None] + transitions, dim=1)
        new = torch.where(begun > 0, arriving, start) + emissions[:, t]
        alpha = on[:, t] * new + (1 - on[:, t]) * alpha  # should be where(mask, new, alpha)
        begun = torch.maximum(begun, on[:, t])
    total = torch.logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), total, torch.where(total.isnan(), total, 0.0))
