"""What the beats draw of a batch, as plain JSON: cells, bands, slabs, terms, code."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from crf.figures.flow.payload import Payload
from crf.figures.numbers import format_score
from pages.batches.batch import PAD, Arranged, Batch, Loop, loop_of, rearranged, results
from pages.batches.faults import Comparison, FaultyCode, RowResult, alphas, compare, on_screen
from pages.shared.course.problem import Problem

MOST_CELLS = 16  # of one column, all rows together
MOST_SLAB = 5  # tags of a slab
DIGITS = 9  # decimals of numbers that must not change
BUG_COLUMNS = 5  # words of a row whose cells are drawn

TagGroups = Sequence[Sequence[int]]  # tags that share a row of cells; only the last may be several


def numbers(x: Any) -> Any:
    """A tensor, nested lists or a number as JSON can hold them; None stays."""
    if isinstance(x, Tensor):
        x = x.tolist()
    if isinstance(x, list | tuple):
        return [numbers(one) for one in x]
    if x is None:
        return None
    if math.isnan(x):
        return "nan"
    return float(f"{x:.9g}") if abs(x) < math.inf else "inf" if x > 0 else "-inf"


@lru_cache(maxsize=32)
def likeliest(batch: Batch, most: int) -> tuple[int, ...]:
    """The tags with the largest marginal anywhere, `most` of them, in the usual order."""
    S = batch.shape[2]
    largest = loop_of(batch).chain.marginals.amax((0, 1)).tolist()
    return tuple(sorted(sorted(range(S), key=lambda s: -largest[s])[:most]))


def groups_of(batch: Batch) -> tuple[tuple[int, ...], ...]:
    """One row of cells for each tag; where there are too many, the last row is the rest."""
    B, _, S = batch.shape
    most = MOST_CELLS // B
    if most >= S:
        return tuple((s,) for s in range(S))
    top = likeliest(batch, most - 1)
    return (*((s,) for s in top), tuple(s for s in range(S) if s not in top))


def folded(x: Tensor, groups: TagGroups, dim: int, is_max: bool) -> Tensor:
    """An axis of tags as an axis of groups."""
    each = (x.index_select(dim, torch.tensor(group)) for group in groups)
    merged = (part.amax(dim) if is_max else part.logsumexp(dim) for part in each)
    return torch.stack(list(merged), dim=dim)


def _shares(x: Tensor, dim: int, is_max: bool) -> Tensor:
    """Each number's share of an axis; of max, 1 for the largest; 0 for what is forbidden."""
    top = x.amax(dim, keepdim=True)
    if is_max:
        return ((x == top) & (x > -math.inf)).double()
    return torch.exp(x - x.logsumexp(dim, keepdim=True)).nan_to_num(0.0)


def rows_of(batch: Batch) -> list[Payload]:
    """Each row's words; "" where it has none."""
    return [{"words": ["" if w == PAD else w for w in row]} for row in batch.rows]


# ---------------------------------------------------------------------- the loop, the way back


def grid(batch: Batch, is_max: bool) -> Payload:
    """All cells that the loop holds, [B][L][K], with their shares of the column, and the totals."""
    loop, groups = loop_of(batch, is_max), groups_of(batch)
    values = folded(loop.kept[1:], groups, 2, is_max).transpose(0, 1)
    payload = {
        "tags": [batch.model.tags[group[0]] if len(group) == 1 else "" for group in groups],
        "rows": rows_of(batch),
        "values": numbers(values),
        "shares": numbers(_shares(values, 2, is_max)),
        "totals": numbers(loop.totals),
        "ends": list(loop.ends),
        "begins": list(loop.begins),
        "max": is_max,
    }
    if is_max:
        place = {s: k for k, group in enumerate(groups) for s in group}
        best = loop.best
        assert best.log_deltas is not None
        assert best.backpointers is not None
        best_in = [
            [[max(group, key=column.__getitem__) for group in groups] for column in row]
            for row in best.log_deltas.tolist()
        ]
        payload["pointers"] = [
            [
                [place.get(pointers[s], -1) for s in cells]
                for pointers, cells in zip(*row, strict=True)
            ]
            for row in zip(best.backpointers.tolist(), best_in, strict=True)
        ]
        payload["path"] = [[place.get(s, -1) for s in row] for row in best.tags.tolist()]
    return payload


def kinds(loop: Loop, t: int) -> list[str]:
    """What the step into column t does in each row: "mix", "keep", or "start" at its first word."""
    return [
        "keep" if not mask[t] else "start" if t == begins else "mix"
        for mask, begins in zip(loop.batch.mask, loop.begins, strict=True)
    ]


def bands(batch: Batch, t: int) -> list[Payload]:
    """The step into column t, row by row: what it does, and each way's share of a cell."""
    loop, groups = loop_of(batch), groups_of(batch)
    each = folded(folded(loop.step_sum(t), groups, 1, False), groups, 2, False)
    shares = _shares(each, 1, False).tolist()
    return [
        {
            "kind": kind,
            "shares": [[round(x, 4) for x in line] for line in shares[b]]
            if kind == "mix"
            else None,
        }
        for b, kind in enumerate(kinds(loop, t))
    ]


# ---------------------------------------------------------------------- what changes nothing


def arranged(batch: Batch, changes: Sequence[str]) -> Payload:
    """The rearranged batch, each word with its place in the old one, and log Z before and now."""
    now = rearranged(batch, changes)
    before, after = results(rearranged(batch, ())), results(now)
    return {
        "lines": [_line(now, b) for b in range(len(now.order))],
        "before": [format_score(x, DIGITS) for x in before.log_z],
        "after": [format_score(x, DIGITS) for x in after.log_z],
        "same": [
            before.log_z[b] == after.log_z[b] and before.paths[b] == after.paths[b]
            for b in range(len(before.log_z))
        ],
    }


def _line(now: Arranged, b: int) -> Payload:
    padding, met, cells = now.padding, 0, []
    for t, word in enumerate(now.batch.rows[b]):
        fill = format_score(padding[t % len(padding)], 0) if word == PAD else ""
        cells.append({"word": "" if word == PAD else word, "fill": fill, "id": met})
        met += word != PAD
    return {"row": now.order[b], "cells": cells}


# ---------------------------------------------------------------------- shapes


def slabs(batch: Batch, t: int) -> Payload:
    """The three tensors of the step into column t, their sum, and the sum reduced over *from*."""
    loop, tags = loop_of(batch), torch.tensor(likeliest(batch, MOST_SLAB))
    p = loop.chain.potentials
    every = loop.step_sum(t)
    return {
        "tags": [batch.model.tags[s] for s in tags.tolist()],
        "all": batch.shape[2],
        "rows": rows_of(batch),
        "alpha": numbers(loop.kept[t][:, tags]),
        "transitions": numbers(p.transitions[tags][:, tags]),
        "emission": numbers(p.emissions[:, t][:, tags]),
        "sum": numbers(every[:, tags][:, :, tags]),
        "reduced": numbers(every.logsumexp(1)[:, tags]),
    }


# ---------------------------------------------------------------------- the score


def terms(batch: Batch) -> Payload:
    """Each row's best path, all scores that the code reads, and the score after each column."""
    loop = loop_of(batch, True)
    counted, matrix = loop.counted_terms(), loop.chain.potentials.transitions.tolist()
    so_far = []
    for b in range(batch.shape[0]):
        total, sums = 0.0, []
        for t in range(batch.shape[1]):
            total += math.fsum(table[b][t] or 0.0 for table in counted)
            sums.append(numbers(total))
        so_far.append(sums)
    tags = loop.best.tags.clamp(min=0).tolist()
    steps = [[None, *(matrix[i][j] for i, j in pairwise(row))] for row in tags]  # also of padding
    scores = counted._replace(
        transitions=[
            [
                x if x is not None else None if t == begins else step
                for t, (x, step) in enumerate(zip(*row, strict=True))
            ]
            for begins, *row in zip(loop.begins, counted.transitions, steps, strict=True)
        ]
    )
    return {
        "rows": rows_of(batch),
        "path": [[batch.model.tags[s] for s in row] for row in tags],
        **{name: numbers(table) for name, table in scores._asdict().items()},
        "begins": list(loop.begins),
        "ends": list(loop.ends),
        "so_far": so_far,
    }


# ---------------------------------------------------------------------- the bug


@lru_cache(maxsize=32)
def trial(fault: FaultyCode, batch: Batch) -> tuple[Batch, tuple[Comparison, ...]]:
    """The batch on which a fault shows, and what comes out: the one on screen, if it does there."""
    example = on_screen(batch)
    if fault.forbids and len(example.model.tags) > 1:
        model = example.model
        start = (*model.start[:-1], -math.inf)
        forbidden = Problem(
            model.tags, model.tokens, model.emissions, batch.transitions, start, model.end
        )
        example = on_screen(Batch(forbidden, example.rows))
    rows = compare(fault, example)
    if all(row.same for row in rows):
        example = fault.smallest
        rows = compare(fault, example)
    return example, tuple(rows)


def forbidden_first(example: Batch, batch: Batch) -> str:
    """The tag that may not be first in a fault's example, although the batch on screen allows it.

    "" if there is none, as for most faults.
    """
    tags, start = batch.model.tags, batch.model.start
    allowed = {tag for tag, score in zip(tags, start, strict=True) if score > -math.inf}
    model = example.model
    forbidden = [t for t, score in zip(model.tags, model.start, strict=True) if score == -math.inf]
    return next((tag for tag in forbidden if tag in allowed or tag not in tags), "")


def wrong_row(batch: Batch, found: Sequence[Comparison]) -> int:
    """The shortest row of several words that comes out wrong; else the first that does."""
    wrong = [b for b, row in enumerate(found) if not row.same]
    return min(wrong, key=lambda b: (batch.lengths[b] < 2, batch.lengths[b], b))


def bug(fault: FaultyCode, batch: Batch) -> Payload:
    """The code, its result in each row beside the right one, and the cells of one row of both."""
    example, rows = trial(fault, batch)
    b = wrong_row(example, rows)
    words, tags = example.words(b)[-BUG_COLUMNS:], list(likeliest(example, MOST_SLAB))
    columns, m, cells = alphas(fault, example), example.lengths[b], None
    if columns:
        got, right = torch.stack(columns)[:, b], loop_of(example).kept[1:, b]
        wrong = (~got.isclose(right, equal_nan=True)).any(1).nonzero().flatten().tolist()
        end = max(m, *(t + 1 for t in wrong[:1]))  # mistakes in the padding show too
        part = slice(max(end - BUG_COLUMNS, 0), end)
        words = ["" if word == PAD else word for word in example.rows[b][part]]
        cells = {
            "tags": [example.model.tags[s] for s in tags],
            "got": numbers(got[part][:, tags]),
            "right": numbers(right[part][:, tags]),
        }
    return {
        "name": fault.name,
        "lines": list(fault.lines),
        "row": b,
        "words": list(words),
        "cells": cells,
        "results": [
            {
                "words": list(example.words(k)),
                "got": _result(row.got, example),
                "right": _result(row.right, example),
                "same": row.same,
            }
            for k, row in enumerate(rows)
        ],
        "premise": f"START → {tag}  −∞" if (tag := forbidden_first(example, batch)) else "",
        "mended": fault.mended.partition(" = ")[2],
    }


def _result(result: RowResult, batch: Batch) -> str:
    if isinstance(result, tuple):
        return " ".join(batch.model.tags[s] for s in result) or "–"
    return "nan" if math.isnan(result) else format_score(result)
