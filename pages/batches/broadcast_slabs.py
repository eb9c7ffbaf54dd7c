"""Broadcasting as slabs: tensors of one size along an axis, stretched, added, and one axis summed.

[B, S, 1] + [1, S, S] + [B, 1, S]  →  [B, S, S]  →  over *from*  →  [B, S]
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from pages.batches.loop import Loop
from pages.shared.figures import theme

AXES = {1: "from", 2: "to", 0: "b"}  # what one may reduce over; the first is right


class Slab(NamedTuple):
    """A tensor that is added."""

    name: str  # as the code writes it
    role: str  # of its colour: "previous", "transition" or "emission"
    values: Tensor  # [B or 1, S or 1, S or 1]


class LoopStep(NamedTuple):
    """One step of the loop, before and after the reduction."""

    slabs: tuple[Slab, ...]  # what is added
    sums: Tensor  # [B, S, S], from × to
    reduced: Tensor  # the reduction over the chosen axis
    right: Tensor  # [B, S] the reduction over *from*


def columns(loop: Loop) -> list[int]:
    """The columns at which every row is past its first word, so that the step is the plain one."""
    L = loop.batch.shape[1]
    begun = [first for first in loop.begins if first >= 0]
    return list(range(max(begun) + 1, L)) if begun else []


def step(loop: Loop, t: int, axis: int = 1) -> LoopStep:
    """The step into column t.

    Args:
        loop: The recursion.
        t: One of `columns(loop)`.
        axis: A key of `AXES`; 1 is right.
    """
    p = loop.chain.potentials
    symbol = "delta" if loop.semiring == "max" else "alpha"
    slabs = (
        Slab(f"{symbol}[:, :, None]", "previous", loop.kept[t][:, :, None]),
        Slab("transitions[None]", "transition", p.transitions[None]),
        Slab("emissions[:, t][:, None]", "emission", p.emissions[:, t][:, None]),
    )
    sums = slabs[0].values + slabs[1].values + slabs[2].values
    reduce = torch.amax if loop.semiring == "max" else torch.logsumexp
    return LoopStep(slabs, sums, reduce(sums, dim=axis), reduce(sums, dim=1))


def drawing(
    found: LoopStep, axis: int, rows: Sequence[str], tags: Sequence[str], reduce: str
) -> dict:
    """A step as the component draws it: texts and colours, layer by layer.

    Args:
        found: From `step`.
        axis: That it was reduced over.
        rows: [B] names of the sentences.
        tags: [S] names.
        reduce: What the code calls the reduction: "logsumexp" or "max".
    """
    largest = _largest(found.sums, *(slab.values for slab in found.slabs))
    B, S = len(rows), len(tags)
    cell = lambda value: _cell(value, largest)  # noqa: E731
    layers = []
    for b, name in enumerate(rows):
        operands = [_grid(slab.values, b, cell) for slab in found.slabs]
        layers.append({"name": name, "operands": operands, "sum": _grid(found.sums, b, cell)})
    after, shape = AXES[axis], [S, S] if axis == 0 else [B, S]
    return {
        "label": "One step of the loop as slabs",
        "tags": list(tags),
        "axes": ["from", "to"],
        "names": [{"name": s.name, "role": s.role, "shape": _shape(s.values)} for s in found.slabs],
        "shape": _shape(found.sums),
        "layers": layers,
        "reduction": {
            "axis": after,
            "name": f"{reduce}(dim={axis})",
            "shape": "[" + ", ".join(map(str, shape)) + "]",
            "cells": [[cell(float(x)) for x in line] for line in found.reduced.tolist()],
            "right": [[theme.number(float(x)) for x in line] for line in found.right.tolist()],
        },
    }


def warm_up(left: Sequence[float], top: Sequence[float]) -> dict:
    """[n, 1] + [1, k] = [n, k], as the component draws it.

    >>> warm_up([10, 20], [1, 2])["layers"][0]["sum"][1][0][0]
    '21'
    """
    tall, wide = torch.tensor(left)[:, None], torch.tensor(top)[None]
    cell = lambda value: [theme.number(value, 0), ""]  # noqa: E731
    grids = [[[cell(float(x)) for x in line] for line in a.tolist()] for a in (tall, wide)]
    total = tall + wide
    return {
        "label": "Warm-up: a column and a row are added",
        "tags": [],
        "axes": ["i", "j"],
        "names": [
            {"name": "a", "role": "previous", "shape": _shape(tall)},
            {"name": "b", "role": "emission", "shape": _shape(wide)},
        ],
        "shape": _shape(total),
        "layers": [
            {
                "name": "",
                "operands": grids,
                "sum": [[cell(float(x)) for x in line] for line in total.tolist()],
            }
        ],
    }


def _grid(values: Tensor, b: int, cell: Any) -> list[list[list[str]]]:
    layer = values[b if len(values) > 1 else 0]
    return [[cell(float(x)) for x in line] for line in layer.tolist()]


def _cell(value: float, largest: float) -> list[str]:
    return [theme.number(value), theme.score_background(value, largest)]


def _largest(*tensors: Tensor) -> float:
    finite = [abs(x) for a in tensors for x in a.flatten().tolist() if abs(x) < float("inf")]
    return max(finite, default=1.0) or 1.0


def _shape(values: Tensor) -> str:
    return "[" + ", ".join(map(str, values.shape)) + "]"
