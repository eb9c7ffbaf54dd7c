"""Broadcasting as slabs: tensors of one size along an axis, stretched, added, and one axis summed.

[B, S, 1] + [1, S, S] + [B, 1, S]  →  [B, S, S]  →  over *from*  →  [B, S]
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from pages.batches import controls, pictures
from pages.batches.batch import say
from pages.batches.loop import Loop
from pages.shared.figures import theme
from pages.shared.ui import question
from pages.shared.ui.component import component
from pages.shared.ui.lesson import Lesson

_SLABS = component("broadcast_slabs", "pages/batches/broadcast_slabs")
AXES = {1: "from", 2: "to", 0: "b"}  # what one may reduce over; the first is right


class Slab(NamedTuple):
    """A tensor that is added."""

    name: str  # as the code writes it
    role: str  # of its colour: "previous", "transition" or "emission"
    values: Tensor  # [B or 1, S or 1, S or 1]


def columns(loop: Loop) -> list[int]:
    """The columns at which every row is past its first word, so that the step is the plain one."""
    begun = [first for first in loop.begins if first >= 0]
    return list(range(max(begun) + 1, loop.batch.shape[1])) if begun else []


def slabs(loop: Loop, t: int) -> list[Slab]:
    """What the step into column t, one of `columns`, adds."""
    p, symbol = loop.chain.potentials, "delta" if loop.is_max else "alpha"
    return [
        Slab(f"{symbol}[:, :, None]", "previous", loop.kept[t][:, :, None]),
        Slab("transitions[None]", "transition", p.transitions[None]),
        Slab("emissions[:, t][:, None]", "emission", p.emissions[:, t][:, None]),
    ]


def reduced(loop: Loop, t: int, axis: int = 1) -> Tensor:
    """The slabs' sum, reduced over an axis, a key of `AXES`; [B, S] over *from*, which is right."""
    reduce = torch.amax if loop.is_max else torch.logsumexp
    return reduce(_total(slabs(loop, t)), dim=axis)


def _total(added: Sequence[Slab]) -> Tensor:
    return sum((slab.values for slab in added[1:]), added[0].values)


def drawing(loop: Loop, t: int, axis: int | None) -> dict[str, Any]:
    """The step into column t as the component draws it, reduced over an axis; None: not yet."""
    added = slabs(loop, t)
    tensors = [_total(added), *(slab.values for slab in added)]
    largest = pictures.largest_of(x for one in tensors for x in one.flatten().tolist())

    def cell(value: float) -> list[str]:
        return pictures.cell(value, largest)

    drawn = {
        "label": say("slabs-words.label"),
        "hint": say("slabs-words.hint"),
        "tags": list(loop.batch.model.tags),
        "axes": ["from", "to"],
        **_layers(added, loop.batch.names, cell),
    }
    if axis is not None:
        found = reduced(loop, t, axis)
        drawn["reduction"] = {
            "axis": AXES[axis],
            "name": f"{'max' if loop.is_max else 'logsumexp'}(dim={axis})",
            "shape": _shape(found),
            "cells": [[cell(x) for x in line] for line in found.tolist()],
            "right": [list(map(theme.number, line)) for line in reduced(loop, t).tolist()],
        }
    return drawn


def warm_up() -> dict[str, Any]:
    """[2, 1] + [1, 2] = [2, 2], as the component draws it."""
    added = [
        Slab("a", "previous", torch.tensor([[[10.0], [20.0]]])),
        Slab("b", "emission", torch.tensor([[[1.0, 2.0]]])),
    ]
    return {
        "label": say("slabs-words.warm-up"),
        "hint": say("slabs-words.point"),
        "tags": [],
        "axes": ["i", "j"],
        **_layers(added, [""], lambda value: [theme.number(value, 0), ""], axes=2),
    }


def _layers(
    added: Sequence[Slab], rows: Sequence[str], cell: Callable[[float], list[str]], axes: int = 3
) -> dict[str, Any]:
    """The tensors that are added, and their sum, layer by layer."""
    total = _total(added)

    def grid(values: Tensor, b: int) -> list[list[list[str]]]:
        return [[cell(x) for x in line] for line in values[b if len(values) > 1 else 0].tolist()]

    return {
        "names": [{"name": s.name, "role": s.role, "shape": _shape(s.values, axes)} for s in added],
        "shape": _shape(total, axes),
        "layers": [
            {"name": row, "operands": [grid(s.values, b) for s in added], "sum": grid(total, b)}
            for b, row in enumerate(rows)
        ],
    }


def _shape(values: Tensor, axes: int = 3) -> str:
    return str(list(values.shape[-axes:]))


def section(lesson: Lesson, loop: Loop, step: int) -> None:
    """A warm-up, then one step as slabs, and the axis that is reduced."""
    picture, text = lesson.split("warm-up")
    with text:
        lesson.say("warm-up")
    with picture:
        _SLABS(key="batches.warm-up", data=warm_up())
    usable = columns(loop)
    if not usable:
        lesson.say("one-word")
        return
    t = min(max(step - 1, usable[0]), usable[-1])
    lesson.say("slabs", t=t + 1, cell="δ" if loop.is_max else "α̂")
    options, axis = [say(f"axes.{name}") for name in AXES.values()], None
    if question.guess(
        say("axes.question"), options, right=0, key="batches.axis-guess", subject="axis",
        tells=(controls.AXIS.address,),
    ):  # fmt: skip
        axis = int(controls.AXIS.widget("Reduce over")) if lesson.asks else 1
        lesson.say(f"axis-{AXES[axis]}", reduction="maximum" if loop.is_max else "sum")
    _SLABS(key="batches.slabs", data=drawing(loop, t, axis))
