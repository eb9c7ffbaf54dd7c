"""The loop over a batch as the component draws it: texts, colours and a caption for each step."""

import math
from collections.abc import Iterable
from typing import Any

from pages.batches.batch import say
from pages.batches.loop import Loop
from pages.shared.figures import theme
from pages.shared.figures.text import Case, case


def cell(value: float, largest: float) -> list[str]:
    """A number and its colour."""
    return [theme.number(value), theme.score_background(value, largest)]


def largest_of(values: Iterable[float]) -> float:
    """The largest absolute value; what all colours are measured by."""
    return max((abs(x) for x in values if abs(x) < math.inf), default=1.0) or 1.0


def drawing(loop: Loop) -> dict[str, Any]:
    """All steps of a recursion over a batch; the browser goes through them.

    Returns:
        Step 0 is the batch as it comes, step t + 1 computes column t; for max, steps L + 1 to 2L
        are the way back, from the last column to the first. Cells are pairs (text, background).
    """
    batch, best = loop.batch, loop.best
    pointers = best.backpointers if loop.is_max else None
    emissions, kept, new = loop.chain.potentials.emissions, loop.kept, loop.new
    scale = largest_of(emissions.flatten().tolist())
    wide = largest_of(loop.columns.flatten().tolist())
    rows = [
        {
            "name": batch.names[b],
            "words": [w if m else "" for w, m in zip(words, mask, strict=True)],
            "mask": list(mask),
            "emissions": [[cell(x, scale) for x in column] for column in emissions[b].tolist()],
            "kept": [[cell(x, wide) for x in column] for column in kept[1:, b].tolist()],
            "total": theme.number(loop.totals[b]),
            "totalAt": loop.ends[b] + 1,
            "pointers": None if pointers is None else pointers[b].tolist(),
            "path": best.tags[b].tolist() if loop.is_max else None,
            "end": loop.ends[b],
        }
        for b, (words, mask) in enumerate(zip(batch.rows, batch.mask, strict=True))
    ]
    where = [
        [
            {"old": list(map(theme.number, old)), "new": list(map(theme.number, computed))}
            for old, computed in zip(before, after, strict=True)
        ]
        for before, after in zip(kept[:-1].tolist(), new.tolist(), strict=True)
    ]
    return {
        "label": say("captions.label"),
        "tags": list(batch.model.tags),
        "symbol": "log δ" if loop.is_max else "log α̂",
        "total": loop.total_name,
        "rows": rows,
        "where": where,
        "captions": list(map(say, captions(loop))),
    }


def captions(loop: Loop) -> list[list[Case]]:
    """What happens in each step."""
    B, L, S = loop.batch.shape
    empty = [case("captions.empty", row=_row(b)) for b, end in enumerate(loop.ends) if end < 0]
    steps = [[case("captions.before", B=B, L=L, S=S), *empty]]
    steps += [_forward(loop, t) for t in range(L)]
    return steps + [_way_back(loop, t) for t in reversed(range(L)) if loop.is_max]


def _forward(loop: Loop, t: int) -> list[Case]:
    keeps, ends = [], []
    for b, (mask, begins, end) in enumerate(
        zip(loop.batch.mask, loop.begins, loop.ends, strict=True)
    ):
        if not mask[t]:
            why = "none" if end < 0 else "early" if t < begins else "ended" if t > end else "hole"
            keeps.append(case(f"captions.{why}", row=_row(b)))
        if end == t:
            total = theme.number(loop.totals[b])
            ends.append(case("captions.ends", row=_row(b), name=loop.total_name, total=total))
    return [case("captions.column", t=t + 1), *(keeps or [case("captions.all")]), *ends]


def _way_back(loop: Loop, t: int) -> list[Case]:
    tags, found = loop.batch.model.tags, []
    for b, end in enumerate(loop.ends):
        tag = int(loop.best.tags[b, t])
        if not loop.batch.mask[b][t]:
            what = "waits" if t > end else "passes" if t > loop.begins[b] else "done"
            found.append(case(f"captions.{what}", row=_row(b)))
        elif tag < 0:
            found.append(case("captions.infeasible", row=_row(b)))
        elif end == t:
            found.append(case("captions.starts", row=_row(b), tag=tags[tag]))
    return [case("captions.back", t=t + 1), *(found or [case("captions.follows")])]


def _row(b: int) -> str:
    return f"Row {b + 1}"
