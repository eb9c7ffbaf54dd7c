"""The best prefix after each token, where it changes its mind, and ties, from a max trace.

Records of a problem and its max trace in state form go in; texts, rows and HTML come out.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from crf.figures.trellis.flips import flips, leaders
from crf.figures.trellis.narration import printable, quoted
from crf.figures.words import join
from crf.steps import Trace
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.decoders import Path, chooses_alone, listed, names
from pages.shared.figures.text import LessonText


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
    m, line = len(problem.tokens), LessonText.of("viterbi").line
    return [
        [
            line("mind.after", word=quoted(problem.tokens, p.token)),
            *(printable(problem.tags[s]) for s in p.path),
            *[""] * (m - len(p.path)),
            p.score,
        ]
        for p in prefixes
    ]


def prefix_table(problem: Problem, prefixes: Sequence[Prefix]) -> str:
    """The best prefixes, one under the other; a tag that was changed is ringed."""
    line = LessonText.of("viterbi").line
    header = ["", *map(printable, problem.tokens), line("mind.score")]
    changed = {
        (i, 1 + t)
        for i, (old, new) in enumerate(pairwise(prefixes), 1)
        for t, (a, b) in enumerate(zip(old.path, new.path, strict=False))
        if a != b
    }
    caption = line("mind.caption")
    rows = [
        [*map(str, row[:-1]), format_score(p.score)]
        for row, p in zip(prefix_rows(problem, prefixes), prefixes, strict=True)
    ]
    return tables.text_table(header, rows, caption, changed, words=True)


def flips_told(problem: Problem, trace: Trace) -> list[str]:
    """Every change of mind in words, from a max trace in state form."""
    told, line = [], LessonText.of("viterbi").line
    for flip in flips(trace):
        step = trace.steps[flip.step]
        changed = [t for t, (a, b) in enumerate(zip(flip.old, flip.new, strict=False)) if a != b]
        old, new = (_ending(problem, path, changed[0]) for path in (flip.old, flip.new))
        words = [quoted(problem.tokens, t) for t in changed[:3]]
        if len(changed) > 3:
            words.append(line("mind.more", n=len(changed) - 3))
        facts = {"old": old, "new": new, "words": listed(words), "n": len(changed)}
        if step.kind == "total":
            told.append(line("mind.end", **facts))
        else:
            before, here = (quoted(problem.tokens, step.token - k) for k in (1, 0))
            told.append(line("mind.changed", before=before, here=here, **facts))
    return [*told, line("mind.why")] if told else [line("mind.never")]


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
    if best >= 2:
        name = "tied"
    elif len(problem.tags) == 1:
        name = "one-tag"
    else:
        name = "must" if chooses_alone(problem, "greedy") else "by-chance"
    line = LessonText.of("viterbi").line
    return line(f"agree.{name}", n=best) if name == "tied" else line(f"agree.{name}")


def _is_shared(column: Sequence[float]) -> bool:
    """Whether two cells of a column have its best score, to within rounding."""
    best, second = sorted(column)[-1:-3:-1] if len(column) > 1 else (column[0], -math.inf)
    return best > -math.inf and math.isclose(best, second, rel_tol=1e-9, abs_tol=1e-9)


def ties_told(problem: Problem, trace: Trace, most: int = 3) -> list[str]:
    """Where two ways into a cell are equally good, and what is done then."""
    tied = [
        step for step in trace.steps if len(step.ties) > 1 and step.kind in ("cell", "total")
    ]  # fmt: skip
    line = LessonText.of("viterbi").line
    if not tied:
        even = [t for t, column in enumerate(trace.table) if _is_shared(column)]
        words = listed([quoted(problem.tokens, t) for t in even]) if even else ""
        return [line("tie.even", words=words) if even else line("tie.none")]
    path = trace.best_path or ()
    tied.sort(key=lambda step: step.kind == "cell" and path[step.token] != step.row)
    told = []
    for step in tied[:most]:
        facts = {
            "tags": listed([printable(problem.tags[s]) for s in step.ties]),
            "score": format_score(step.maximum),
        }
        if step.kind == "total":
            told.append(line("tie.end", **facts))
            continue
        name = "tie.best" if path[step.token] == step.row else "tie.cell"
        tag, word = printable(problem.tags[step.row]), quoted(problem.tokens, step.token)
        told.append(line(name, **facts, tag=tag, word=word))
    if len(tied) > most:
        told[-1] = join(told[-1], line("tie.more", n=len(tied) - most))
    return [*told, join(line("tie.first"), line("tie.paths", n=number_of_best(trace)))]
