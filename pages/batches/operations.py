"""What one may do to a batch without changing a result, and what looks alike and changes it.

rearranged(batch, ("shuffled", "left"))      the batch, its rows' order, its padding's content
"""

import math
from collections.abc import Collection
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.batches import controls
from pages.batches.batch import OPERATIONS, PAD, Batch, Words, say
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables, theme
from pages.shared.ui.lesson import Lesson

_MORE = (PAD, PAD)  # what padding grows by
_DIGITS = 9  # decimals of what must not change


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
    for operation, place in {"right": len, "left": lambda row: 0, "middle": _middle}.items():
        if operation in operations and len(rows[0]) + len(_MORE) <= LARGEST_TOKENS:
            rows = [(*row[: place(row)], *_MORE, *row[place(row) :]) for row in rows]
    order = tuple(range(len(rows)))
    if "shuffled" in operations:
        order = (*order[1:], order[0])
    arranged = Batch(batch.model, tuple(rows[b] for b in order))
    fills = {"nan": math.nan, "forbidden": -math.inf}
    padding = tuple(fill for name, fill in fills.items() if name in operations)
    return Arranged(arranged, order, padding or (0.0,))


def _middle(row: Words) -> int:
    """Where the first half of a row's words ends."""
    words = [t for t, word in enumerate(row) if word != PAD]
    return words[(len(words) - 1) // 2] + 1 if words else len(row) // 2


class Results(NamedTuple):
    """What comes out for each sentence, in the old batch's order."""

    log_z: tuple[float, ...]  # [B] nats
    # [B] best paths, as tag indices; none where the code multiplies: it finds log Z
    paths: tuple[tuple[int, ...], ...]


def results(arranged: Arranged, *, multiplied: bool = False) -> Results:
    """log Z and the best paths of a rearranged batch, in the order of the one it came from.

    If `multiplied`, by the mask as a factor, as code that cannot work does, instead of selecting.
    """
    tensors = arranged.batch.tensors(*arranged.padding)
    rows = sorted(range(len(arranged.order)), key=arranged.order.__getitem__)
    if multiplied:
        return Results(tuple(log_z_multiplied(*tensors)[rows].tolist()), ())
    chain = LinearChain(*tensors, backend="plain")
    paths = chain.viterbi().tags[rows].tolist()
    tags = tuple(tuple(s for s in path if s >= 0) for path in paths)
    return Results(tuple(chain.log_partition[rows].tolist()), tags)


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


# ---------------------------------------------------------------------- the section


@st.fragment
def section(lesson: Lesson, batch: Batch) -> None:
    """Rows shuffled, padding anywhere and with anything in it; and the mask multiplied."""
    picture, text = lesson.split("same")
    with text:
        lesson.say("same")
        if lesson.asks:
            done = st.pills(
                "Change the batch", OPERATIONS, selection_mode="multi",
                format_func=lambda name: say(f"operations.{name}"),
                default=controls.CHANGES.value, key="batches.changes.pills",
            )  # fmt: skip
            controls.CHANGES.set(tuple(done))
            controls.MULTIPLY.widget(say("operations.multiply"))
        if controls.MULTIPLY.value:
            lesson.say("multiplied")
    arranged = rearranged(batch, controls.CHANGES.value)
    with picture:
        st.html(_array(arranged))
        st.html(_comparison(batch, arranged))
    lesson.publish()


def _array(arranged: Arranged) -> str:
    """The padded array as it now is, row by row, and what the padding holds."""
    held = [_number(x, 0) for x in arranged.padding]
    lines = []
    for row, old in zip(arranged.batch.rows, arranged.order, strict=True):
        cells = "".join(
            f'<td class="crf-forbidden">{held[t % len(held)]}</td>'
            if word == PAD
            else f'<td class="crf-cell">{escape(theme.shorten(word, 10))}</td>'
            for t, word in enumerate(row)
        )
        lines.append(f'<tr><th scope="row">row {old + 1}</th>{cells}</tr>')
    return (
        '<div class="crf-scroll" data-figure="array" tabindex="0" role="region" '
        f'aria-label="{say("operations.array")}"><table class="crf-grid"><tbody>'
        f"{''.join(lines)}</tbody></table></div>"
    )


def _comparison(batch: Batch, arranged: Arranged) -> str:
    """log Z before and after, and the best paths."""
    before = results(rearranged(batch, ()))
    after = results(arranged, multiplied=controls.MULTIPLY.value)
    rows = []
    for b, name in enumerate(batch.names):
        old, new = (_number(one.log_z[b], _DIGITS) for one in (before, after))
        row = [name, old, new, "the same" if old == new else "changed"]
        if after.paths:
            tags = " ".join(batch.model.tags[s] for s in after.paths[b])
            row.append(theme.shorten(tags, 48) or "–")
        rows.append(row)
    header = ["", "log Z before", "log Z now", "is"] + ["best path now"] * bool(after.paths)
    table = tables.text_table(header, rows, say("operations.table"))
    return f'<div class="crf-fit">{table}</div>'


def _number(x: float, digits: int) -> str:
    return "nan" if math.isnan(x) else theme.number(x, digits)
