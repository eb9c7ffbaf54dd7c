"""The best prefix after each token, changes of mind, ties and backpointers, from a max trace.

Records of a problem and its max trace in state form go in; texts, rows and HTML come out.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from crf.figures.numbers import format_score
from crf.figures.trellis.flips import flips, leaders
from crf.figures.trellis.narration import printable, quoted
from crf.figures.words import join
from crf.steps import Trace
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.decoders import Path, chooses_alone, listed, names
from pages.shared.figures.text import LessonText

NEVER = "–"


class Prefix(NamedTuple):
    """The best prefix after a token."""

    token: int  # its last token
    path: Path  # its tags
    score: float  # δ of its last cell


def best_prefixes(trace: Trace) -> list[Prefix]:
    """The best prefix after each token, from a max trace in state form."""
    found = [path for _, path in leaders(trace)[: trace.num_columns]]
    while found and not found[-1]:  # no path goes on
        found.pop()
    return [Prefix(t, path, max(trace.table[t])) for t, path in enumerate(found)]


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
    best, line = number_of_best(trace), LessonText.of("viterbi").line
    if best >= 2:
        return line("agree.tied", n=best)
    if len(problem.tags) == 1:
        return line("agree.one-tag")
    return line(f"agree.{'must' if chooses_alone(problem, 'greedy') else 'by-chance'}")


def ties_told(trace: Trace) -> list[str]:
    """Whether two ways into a cell are equally good, and what is done then."""
    line = LessonText.of("viterbi").line
    if not any(len(step.ties) > 1 and step.kind != "backtrace" for step in trace.steps):
        return [line("tie.none")]
    return [join(line("tie.first"), line("tie.paths", n=number_of_best(trace)))]


# ---------------------------------------------------------------------- backpointers


def pointer_rows(trace: Trace) -> tuple[list[list[str]], set[tuple[int, int]]]:
    """The backpointers of a Viterbi trace by name, and the places of those that it follows.

    A row for each tag: its name, then the tag that its pointer names at each token but the first.
    """
    named = [[printable(tag), *[NEVER] * (len(trace.tokens) - 1)] for tag in trace.tags]
    followed = set()
    for step in trace.steps:
        if step.kind == "cell" and step.token > 0 and step.backpointer is not None:
            named[step.row][step.token] = printable(trace.tags[step.backpointer])
        elif step.kind == "backtrace" and step.from_row is not None:
            followed.add((step.from_row, step.token + 1))
    return named, followed


def pointer_table(trace: Trace) -> str:
    """The same as HTML."""
    body, followed = pointer_rows(trace)
    header = ["κ", *(printable(token) for token in trace.tokens[1:])]
    caption = LessonText.of("viterbi").line("labels.pointers")
    return tables.text_table(header, body, caption, followed, words=True)


def way_back(problem: Problem, trace: Trace) -> list[list[str]]:
    """The way back without backpointers: each token, the sums compared again, the tag found."""
    path = trace.best_path or ()
    into = {(step.token, step.row): step for step in trace.steps if step.kind == "cell"}
    total = next(step for step in trace.steps if step.kind == "total")
    rows = []
    for t in reversed(range(len(path))):
        step = total if t == len(path) - 1 else into[t + 1, path[t + 1]]
        sums = [
            f"{printable(problem.tags[term.source])} {format_score(term.log_value)}"
            for term in step.terms
        ]
        rows.append([quoted(problem.tokens, t), ", ".join(sums), printable(problem.tags[path[t]])])
    return rows
