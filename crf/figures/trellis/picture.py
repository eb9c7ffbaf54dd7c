"""The trellis as plain data: its tables, and what each step draws. Every number is a trace's.

`payload.py` makes a figure of these parts, and the lessons make their pictures of them.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...steps import Step, Term, Trace, plain_data
from ...steps.conventions import convention_of

FEW_TAGS, ROWS = 8, 6  # up to so many tags each has a row; of more, these and the current one


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


def rows(trace: Trace, ranks: Sequence[int], *on_screen: int) -> dict[str, Any]:
    """The tags that have a row, and what the others have together.

    Their number stays the same from step to step, so that no row moves: a tag on screen that does
    not matter takes the place of the last one that does.

    Args:
        trace: The recursion.
        ranks: S tag indices, the most important first.
        on_screen: Tags that have a row in any case.
    """
    S = len(trace.tags)
    if S <= FEW_TAGS:
        return {"rows": list(range(S)), "other": None}
    rest = [s for s in ranks if s not in on_screen]
    own = {*on_screen, *rest[: ROWS - len(set(on_screen))]}
    merge = max if trace.semiring == "max" else _log_sum
    drawn = tables(trace)
    folded = [s for s in range(S) if s not in own]
    other = {
        "count": len(folded),
        "values": [
            None if None in column else merge([column[s] for s in folded])
            for column in drawn["values"]
        ],
        "shares": [
            math.fsum(shares(column)[s] for s in folded) if None not in column else 0.0
            for column in drawn["values"]
        ],
    }
    return {"rows": sorted(own), "other": other}


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
