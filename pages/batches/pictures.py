"""The loop over a batch as the component draws it: texts, colours and a caption for each step."""

import math
from typing import Any

from pages.batches.loop import Loop
from pages.shared.figures import theme


def name(b: int) -> str:
    """What a row is called."""
    return f"row {b + 1}"


def drawing(loop: Loop) -> dict[str, Any]:
    """All steps of a recursion over a batch; the browser goes through them.

    Returns:
        Step 0 is the batch as it comes, step t + 1 computes column t; for max, steps L + 1 to 2L
        are the way back, from the last column to the first. Cells are pairs (text, background).
    """
    batch, best = loop.batch, loop.best
    emissions, columns = loop.chain.potentials.emissions.tolist(), loop.columns.tolist()
    kept, new = loop.kept.tolist(), loop.new.tolist()
    is_max = loop.semiring == "max"
    pointers = best.backpointers.tolist() if is_max else None  # pyright: ignore  (they are stored)
    paths = best.tags.tolist() if is_max else None
    B, L, _ = batch.shape
    scale, wide = _largest(emissions), _largest(columns)
    rows = []
    for b in range(B):
        rows.append(
            {
                "name": name(b),
                "words": [
                    w if m else "" for w, m in zip(batch.rows[b], batch.mask[b], strict=True)
                ],
                "mask": list(batch.mask[b]),
                "emissions": [[_cell(x, scale) for x in cells] for cells in emissions[b]],
                "kept": [[_cell(x, wide) for x in kept[t + 1][b]] for t in range(L)],
                "total": theme.number(loop.totals[b]),
                "totalAt": loop.ends[b] + 1,
                "pointers": pointers[b] if pointers else None,
                "path": paths[b] if paths else None,
                "end": loop.ends[b],
            }
        )
    where = [
        [
            {
                "old": [theme.number(x) for x in kept[t][b]],
                "new": [theme.number(x) for x in new[t][b]],
            }
            for b in range(B)
        ]
        for t in range(L)
    ]
    return {
        "label": "The batch, column by column",
        "tags": list(batch.model.tags),
        "symbol": "log δ" if is_max else "log α̂",
        "total": "best score" if is_max else "log Z",
        "rows": rows,
        "where": where,
        "captions": captions(loop),
    }


def captions(loop: Loop) -> list[str]:
    """What happens in each step, in a sentence or two."""
    L = loop.batch.shape[1]
    said = [_before(loop), *(_forward(loop, t) for t in range(L))]
    if loop.semiring == "max":
        said += [_way_back(loop, t) for t in reversed(range(L))]
    return said


def _before(loop: Loop) -> str:
    B, L, S = loop.batch.shape
    empty = [f" {_row(b)} has no word: its log Z is log 1 = 0." for b in _empty(loop)]
    return (
        f"The batch as it comes: emissions [B, L, S] = [{B}, {L}, {S}], for B sentences, at most L "
        "words long, and S tags. Hatched cells are padding: the mask is False there."
        f"{''.join(empty)}"
    )


def _forward(loop: Loop, t: int) -> str:
    said = [
        f" {_row(b)} {_masked(loop, b, t)}."
        for b, mask in enumerate(loop.batch.mask)
        if not mask[t]
    ]
    total = "best score" if loop.semiring == "max" else "log Z"
    ends = [
        f" {_row(b)} ends here: {total} = {theme.number(loop.totals[b])}."
        for b, end in enumerate(loop.ends)
        if end == t
    ]
    kept = said or [" Every row has a word here and takes its new column."]
    return f"Column {t + 1}, all rows at once.{''.join(kept)}{''.join(ends)}"


def _masked(loop: Loop, b: int, t: int) -> str:
    """Why the mask is False at t, and what the row does."""
    if loop.ends[b] < 0:
        return "has no word and keeps start"
    if t < loop.begins[b]:
        return "has not begun and keeps start"
    return f"has {'ended' if t > loop.ends[b] else 'a hole here'} and keeps its old column"


def _way_back(loop: Loop, t: int) -> str:
    tags, said = loop.batch.model.tags, []
    for b, end in enumerate(loop.ends):
        tag = int(loop.best.tags[b, t])
        if not loop.batch.mask[b][t]:
            what = "waits" if t > end else "passes over it" if t > loop.begins[b] else "is done"
            said.append(f" {_row(b)} has no word here and {what}.")
        elif tag < 0:
            said.append(f" {_row(b)} has no allowed path.")
        elif end == t:
            said.append(f" {_row(b)} starts here, with its own last tag, {tags[tag]}.")
    going = said or [" Each row goes to the tag that its backpointer names."]
    return f"The way back, column {t + 1}.{''.join(going)}"


def _empty(loop: Loop) -> list[int]:
    return [b for b, end in enumerate(loop.ends) if end < 0]


def _row(b: int) -> str:
    return name(b).capitalize()


def _cell(value: float, largest: float) -> list[str]:
    return [theme.number(value), theme.score_background(value, largest)]


def _largest(table: list) -> float:
    finite = [abs(x) for row in table for cells in row for x in cells if abs(x) < math.inf]
    return max(finite, default=1.0) or 1.0
