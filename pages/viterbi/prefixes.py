"""The best prefix after each token, where it changes its mind, and ties, from a max trace.

Records of a problem and its max trace in state form go in; texts, rows and HTML come out.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from crf.figures.trellis.flips import flips, leaders
from crf.figures.trellis.narration import printable, quoted
from crf.steps import Trace
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.decoders import Path, chooses_alone, listed, names
from pages.shared.figures.theme import count


class Prefix(NamedTuple):
    """The best prefix after a token."""

    token: int  # its last token
    path: Path  # its tags
    score: float  # δ of its last cell
    kept: int  # how many of its tags it shares with the best prefix before it


def best_prefixes(trace: Trace) -> list[Prefix]:
    """The best prefix after each token, from a max trace in state form."""
    found: list[Prefix] = []
    for column, (_, path) in enumerate(leaders(trace)[: trace.num_columns]):
        if not path:
            break
        before = found[-1].path if found else ()
        kept = 0
        for old, new in zip(before, path, strict=False):
            if old != new:
                break
            kept += 1
        found.append(Prefix(column, path, max(trace.table[column]), kept))
    return found


def prefix_rows(problem: Problem, prefixes: Sequence[Prefix]) -> list[list[str | float]]:
    """After which token, the tags of the best prefix with blanks for the rest, its score."""
    m = len(problem.tokens)
    return [
        [
            f"after {quoted(problem.tokens, p.token)}",
            *(printable(problem.tags[s]) for s in p.path),
            *[""] * (m - len(p.path)),
            p.score,
        ]
        for p in prefixes
    ]


def prefix_table(problem: Problem, prefixes: Sequence[Prefix]) -> str:
    """The best prefixes, one under the other; a tag that was changed is ringed."""
    header = ["", *map(printable, problem.tokens), "score δ"]
    changed = {
        (i, 1 + t)
        for i, (old, new) in enumerate(pairwise(prefixes), 1)
        for t, (a, b) in enumerate(zip(old.path, new.path, strict=False))
        if a != b
    }
    caption = "The best prefix after each token; ringed: a tag that was changed"
    rows = [
        [*map(str, row[:-1]), format_score(p.score)]
        for row, p in zip(prefix_rows(problem, prefixes), prefixes, strict=True)
    ]
    return tables.text_table(header, rows, caption, changed, words=True)


def flips_told(problem: Problem, trace: Trace) -> list[str]:
    """Every change of mind in words, from a max trace in state form."""
    told = []
    for flip in flips(trace):
        step = trace.steps[flip.step]
        changed = [t for t, (a, b) in enumerate(zip(flip.old, flip.new, strict=False)) if a != b]
        old, new = (_ending(problem, path, changed[0]) for path in (flip.old, flip.new))
        more = [f"{len(changed) - 3} more"] if len(changed) > 3 else []
        many = listed([*(quoted(problem.tokens, t) for t in changed[:3]), *more])
        verb = "changes its tag" if len(changed) == 1 else "change their tags"
        if step.kind == "total":
            when = f"After the last token the best prefix was {old}"
            then = f"with the end scores {new} is best"
        else:
            when = f"After {quoted(problem.tokens, step.token - 1)} the best prefix was "
            when += old
            then = f"after {quoted(problem.tokens, step.token)} it is {new}"
        told.append(f"{when}; {then}: {many} {verb}.")
    if not told:
        return [
            "Here the best prefix never changes its mind: each one continues the one before it."
        ]
    return [
        *told,
        "No cell was wrong: each kept the best way to itself. That is why the cells of a column "
        "are all kept, and not only the best one.",
    ]


def _ending(problem: Problem, path: Path, changed: int, most: int = 8) -> str:
    """A prefix by name; of a long one what comes before the change is left out."""
    start = max(changed - 1, 0) if len(path) > most else 0
    return ("… " if start else "") + names(problem, path[start:])


# ---------------------------------------------------------------------- ties


def number_of_best(trace: Trace) -> int:
    """How many paths attain the best score, counted along the ties of a state-form max trace."""
    counts: dict[tuple[int, int], int] = {}
    for step in trace.steps:
        before = [counts.get((step.column - 1, row), 0) for row in step.ties if row >= 0]
        if step.kind == "cell":
            counts[step.column, step.row] = sum(before) if step.column else 1
        elif step.kind == "total":
            return sum(before)
    return 0


def agreement_told(problem: Problem, trace: Trace) -> str:
    """What to say where all decoders find the same path."""
    best = number_of_best(trace)
    if best < 2 and len(problem.tags) == 1:
        return "All four agree: with one tag there is only one path."
    if best < 2 and chooses_alone(problem, "greedy"):
        return (
            "All four agree, and they must: transitions, start and end scores are the same for all "
            "tags, so only the emissions decide."
        )
    if best < 2:
        return "All four agree on these scores. Nothing says that they must."
    return (
        f"All four agree on these scores, but only by how ties are settled: {count(best)} paths "
        "share the best score."
    )


def _is_shared(column: Sequence[float]) -> bool:
    """Whether two cells of a column have its best score, to within rounding."""
    best, second = sorted(column)[-1:-3:-1] if len(column) > 1 else (column[0], -math.inf)
    return best > -math.inf and math.isclose(best, second, rel_tol=1e-9, abs_tol=1e-9)


def ties_told(problem: Problem, trace: Trace, most: int = 3) -> list[str]:
    """Where two ways into a cell are equally good, and what is done then."""
    tied = [
        step for step in trace.steps if len(step.ties) > 1 and step.kind in ("cell", "total")
    ]  # fmt: skip
    if not tied:
        said = "No two ways into a cell are tied: every argmax has one answer"
        even = [t for t, column in enumerate(trace.table) if _is_shared(column)]
        if not even:
            return [f"{said}."]
        words = listed([quoted(problem.tokens, t) for t in even])
        return [
            f"{said}. But at {words} prefixes that end in different tags share the best score; "
            "one of them is shown."
        ]
    path = trace.best_path or ()
    tied.sort(key=lambda step: step.kind == "cell" and path[step.token] != step.row)
    told = []
    for step in tied[:most]:
        tags = listed([printable(problem.tags[s]) for s in step.ties])
        where = "at the end" if step.kind == "total" else (
            f"on the way into {printable(problem.tags[step.row])} "
            f"at {quoted(problem.tokens, step.token)}"
        )  # fmt: skip
        on_it = step.kind == "total" or path[step.token] == step.row
        told.append(
            f"{'On the best path ' if on_it else ''}{tags} tie {where} with "
            f"{format_score(step.maximum)}."
        )
    more = len(tied) - most
    rest = f" So it goes at {more} more {'cell' if more == 1 else 'cells'}." if more > 0 else ""
    best = number_of_best(trace)
    many = "One path has" if best == 1 else f"{count(best)} paths share"
    told[-1] += rest
    return [
        *told,
        "Of those that are equal to the last bit the one with the lowest index is taken, so that "
        f"the answer is always the same. {many} the best score.",
    ]
