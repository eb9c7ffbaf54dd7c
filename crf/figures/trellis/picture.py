"""The trellis as plain data: its tables, and what each step draws. Every number is a trace's.

`payload.py` makes a figure of these parts, and the lessons make their pictures of them.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...steps import Step, Term, Trace, plain_data
from ...steps.conventions import convention_of

FEW_TAGS, ROWS = 8, 6  # up to so many tags each has a row; of more, so many have one
SEEN = 0.05  # probability that a tag with a row has at some word


def shares(values: Sequence[float]) -> list[float]:
    """Each value's part of its column, exp(value) over the sum of all; 0 where nothing is."""
    top = max(values)
    if top == -math.inf:
        return [0.0] * len(values)
    weights = [math.exp(value - top) for value in values]
    whole = math.fsum(weights)
    return [weight / whole for weight in weights]


def leaders(column: Sequence[float]) -> list[float]:
    """1 for the largest value of a column, 0 for the others."""
    top = max(range(len(column)), key=column.__getitem__)
    return [float(s == top and value > -math.inf) for s, value in enumerate(column)]


def tables(trace: Trace) -> dict[str, Any]:
    """The cells of a trace by token, the levels in them, their order, and the backpointers.

    In message form one token has no column: its values are None.
    """
    S, L = len(trace.tags), len(trace.tokens)
    first, is_max = convention_of(trace).first, trace.semiring == "max"
    values: list[list[Any]] = [[None] * S for _ in range(L)]
    values[first : first + len(trace.table)] = trace.table
    fill = leaders if is_max else shares
    back = [[-1] * S for _ in range(L)] if is_max else []
    cells = [step for step in trace.steps if step.kind == "cell"]
    for cell in cells:
        if is_max and cell.backpointer is not None:
            back[cell.token][cell.row] = cell.backpointer
    return {
        "values": values,
        "shares": [[0.0] * S if None in column else fill(column) for column in values],
        "order": [[cell.token, cell.row] for cell in cells],
        "back": back,
    }


def choose(marginals: Sequence[Sequence[float]], *paths: Sequence[int]) -> list[int]:
    """The tags of a sentence that have a row, in their order; they are the same in every step.

    Args:
        marginals: [L][S] probabilities.
        paths: [L] tags each, all of which have a row.
    """
    largest = [max(column) for column in zip(*marginals, strict=True)]
    if len(largest) <= FEW_TAGS:
        return list(range(len(largest)))
    own = {tag for path in paths for tag in path}
    ranks = sorted(range(len(largest)), key=lambda s: (-largest[s], s))
    likely = [s for s in ranks if largest[s] >= SEEN and s not in own]
    kept = sorted(own | set(likely[: max(ROWS - len(own), 0)]))
    return kept or list(range(ROWS))  # where no path is allowed


def rows(trace: Trace, kept: Sequence[int]) -> dict[str, Any]:
    """The tags that have a row, and what the others have together.

    Args:
        trace: The recursion.
        kept: Tags that have a row, in their order.
    """
    if len(kept) == len(trace.tags):
        return {"rows": list(kept), "other": None}
    other = others(tables(trace)["values"], kept, is_max=trace.semiring == "max")
    return {"rows": list(kept), "other": other}


def others(
    values: Sequence[Sequence[Any]], kept: Sequence[int], *, is_max: bool = False
) -> dict[str, Any]:
    """What the tags without a row have together: their log-sums or maxima, and their shares.

    Args:
        values: [L][S] log-scores of cells; None in a column that is not there.
        kept: Tags that have a row.
        is_max: Whether a column is the best of its cells, not their sum.
    """
    folded = [s for s in range(len(values[0])) if s not in kept]
    merge = max if is_max else _log_sum
    return {
        "count": len(folded),
        "last": folded[-1],  # whose step is that of them all
        "values": [
            None if None in column else merge([column[s] for s in folded]) for column in values
        ],
        "shares": [
            math.fsum(shares(column)[s] for s in folded) if None not in column else 0.0
            for column in values
        ],
    }


def remainder(trace: Trace, number: int, kept: Sequence[int]) -> dict[str, Any] | None:
    """What a step has where the tags without a row are one: a sum of cells, or the best of them.

    Args:
        trace: The recursion.
        number: The step's.
        kept: Tags that have a row.

    Returns:
        What differs from `at_step`; None where the step's tag has a row.
    """
    step, S = trace.steps[number], len(trace.tags)
    if step.kind != "cell" or step.row in kept:
        return None
    first = number - step.row
    cells = [trace.steps[first + s] for s in range(S) if s not in kept]
    is_max = trace.semiring == "max"
    best = max(cells, key=lambda cell: cell.log_value)
    value = best.log_value if is_max else _log_sum([cell.log_value for cell in cells])
    ways: dict[int, list[float]] = {}
    for cell in cells:
        added = math.fsum(part.value for part in cell.added)
        for term in cell.terms:
            ways.setdefault(term.source, []).append(term.log_value + added)
    merge = max if is_max else _log_sum
    sums = {source: merge(values) for source, values in ways.items()}
    parts = leaders(list(sums.values())) if is_max else shares(list(sums.values()))
    last = first + max(cell.row for cell in cells)
    return plain_data(
        {
            "step": last,
            "shown": last + 1,
            "cell": [step.token, -1],
            "terms": [
                {"from": source, "score": None, "sum": sums[source], "share": share}
                | {"wins": is_max and share == 1}
                for source, share in zip(sums, parts, strict=True)
            ],
            "emission": None,
            "value": value,
            "ties": [],
            "lead": list(best.best_prefix or ()) if is_max else [],
            "was": None,
            "equation": [],
        }
    )


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def at_step(trace: Trace, number: int) -> dict[str, Any]:
    """What the picture has at a step, a number from 0 to the last."""
    step = trace.steps[number]
    cells = len(trace.tags) * trace.num_columns
    return plain_data(
        {
            "step": number,
            "of": len(trace.steps),
            "kind": step.kind,
            "cell": [step.token, step.row] if step.row >= 0 else None,
            "column": step.token,
            "terms": [_term(term) for term in step.terms],
            "emission": next((p.value for p in step.added if p.role == "emission"), None),
            "value": step.log_value,
            "ties": list(step.ties) if len(step.ties) > 1 else [],
            "shown": min(number + 1, cells),
            "lead": [],
            "was": None,
            "walked": list(step.best_prefix or ()) if step.kind == "backtrace" else [],
        }
    )


def _term(term: Term) -> dict[str, Any]:
    parts = {part.role: part.value for part in term.parts}
    score = next((parts[role] for role in ("transition", "start", "end") if role in parts), None)
    return {
        "from": term.source,
        "value": parts.get("previous"),
        "score": score,
        "emission": parts.get("emission"),
        "sum": term.log_value,
        "share": term.share,
        "wins": term.wins,
    }


def scores_read(step: Step) -> list[str]:
    """Which scores a step reads besides transitions, such as "emission:1:0" and "end:2"."""
    parts = [*step.added, *(part for term in step.terms for part in term.parts)]
    roles = ("emission", "start", "end")
    return sorted({":".join(map(str, (p.role, *p.at))) for p in parts if p.role in roles})


def stairs(trace: Trace, path: Sequence[int]) -> list[dict[str, Any]]:
    """The scores along a path, in the order in which they are added.

    Each has its kind, its score, its hook ("t:DET:NOUN"), and `at`: its place in words, with
    transitions between them.
    """
    tags, last = [trace.tags[s] for s in path], len(path) - 1
    steps: list[tuple[Any, ...]] = [("start", trace.start[path[0]], f"s:{tags[0]}", -0.5)]
    for t, s in enumerate(path):
        if t:
            own = trace.per_step_transitions
            matrix: Any = own[t - 1] if own else trace.transitions
            hook = f"t:{f'{t}:' if own else ''}{tags[t - 1]}:{tags[t]}"
            steps.append(("transition", matrix[path[t - 1]][s], hook, t - 0.5))
        steps.append(("emission", trace.emissions[t][s], f"e:{t}:{tags[t]}", t))
    steps.append(("end", trace.end[path[last]], f"z:{tags[last]}", last + 0.5))
    return [dict(zip(("kind", "score", "hook", "at"), step, strict=True)) for step in steps]


def on_path(trace: Trace, path: Sequence[int]) -> dict[str, Any]:
    """What the picture has of one path: its staircase, and the score up to each word."""
    steps = stairs(trace, path)
    _, *totals = accumulate((step["score"] for step in steps), initial=0.0)
    return {
        "step": 0,
        "of": 1,
        "kind": "path",
        "cell": None,
        "column": None,
        "terms": [],
        "path": list(path),
        "stairs": steps,
        "shown": 0,
        "score": totals[-1],
        # the score up to each word, its emission included
        "running": [
            total for total, step in zip(totals, steps, strict=True) if step["kind"] == "emission"
        ],
    }
