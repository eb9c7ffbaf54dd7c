"""What Viterbi finds and what other decoders find, with the numbers that tell them apart.

Records of a problem and its max trace in state form go in; texts, rows and HTML come out.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crf.course.numbers import format_score
from crf.course.problem import Problem
from pages.figures import path_score, tables
from pages.figures.flips import flips
from pages.figures.narration import printable
from pages.figures.prose import digits_to_tell_apart
from pages.figures.theme import count, log_probability, probability

if TYPE_CHECKING:
    from crf.steps import Step, Trace

Path = tuple[int, ...]


class Decoded(NamedTuple):
    """One decoder's path.

    Attributes:
        name: Of the decoder.
        about: How it chooses, in a few words.
        path: A tag index for each token.
        score: The path's log-score.
        log_p: Its log-probability.
    """

    name: str
    about: str
    path: Path
    score: float
    log_p: float


def names(problem: Problem, path: Sequence[int]) -> str:
    """Tags by name, with blanks between."""
    return " ".join(printable(problem.tags[s]) for s in path)


def listed(items: Sequence[str]) -> str:
    """Items with commas and "and".

    >>> listed(["A"]), listed(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last


def word(problem: Problem, t: int) -> str:
    """A token in quotes; one that occurs twice is told apart by its place."""
    token = printable(problem.tokens[t])
    place = f"token {t + 1} " if problem.tokens.count(problem.tokens[t]) > 1 else ""
    return f"{place}‘{token}’"


# ---------------------------------------------------------------------- side by side


def path_table(problem: Problem, found: Sequence[Decoded], caption: str) -> str:
    """Paths under their words with score and probability; what differs from the first is marked."""
    rows = [
        tables.Row(
            one.name,
            [problem.tags[s] for s in one.path],
            [format_score(one.score), log_probability(one.log_p)],
            one.about,
        )
        for one in found
    ]
    best = [problem.tags[s] for s in found[0].path]
    return tables.path_table(problem.tokens, rows, best, ["score", "probability"], caption)


def path_rows(problem: Problem, found: Sequence[Decoded]) -> list[list[str | float]]:
    """The same as rows for a file."""
    header: list[str | float] = ["", "score", "probability", *problem.tokens]
    body = [
        [one.name, one.score, math.exp(one.log_p), *(problem.tags[s] for s in one.path)]
        for one in found
    ]
    return [header, *body]


def went_wrong(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Where a decoder leaves the best path, and what it gains and loses by that."""
    t = _parting(other, best)
    if t is None:
        return f"{other.name} finds the best path here."
    here = f"{other.name} takes {printable(problem.tags[other.path[t]])} for {word(problem, t)}"
    if other.score == best.score:
        return f"{here}, on a path with the same score: a tie."
    gained = _emissions(problem, other.path) - _emissions(problem, best.path)
    if other.score == -math.inf:
        return f"{here}, and so on: its path uses a score of −∞. It is forbidden, probability 0."
    lost = (best.score - other.score) + gained
    return (
        f"{here}, the best path has {printable(problem.tags[best.path[t]])}. In emissions it is "
        f"{_more(gained)}, in transitions, start and end {_more(-lost)}: {_more(gained - lost)} "
        "in all."
    )


def _parting(other: Decoded, best: Decoded) -> int | None:
    """The first token that they tag differently."""
    pairs = enumerate(zip(other.path, best.path, strict=True))
    return next((t for t, (a, b) in pairs if a != b), None)


def _emissions(problem: Problem, path: Path) -> float:
    return math.fsum(problem.emissions[t][s] for t, s in enumerate(path))


def _more(nats: float) -> str:
    if abs(nats) < 0.005:
        return "level"
    return f"{format_score(abs(nats))} {'ahead' if nats > 0 else 'behind'}"


def greedy_step(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Why left to right took the wrong turn: the two sums that it compared there."""
    t = _parting(other, best)
    if t is None or other.score == -math.inf:
        return ""
    row = problem.matrix(t)[other.path[t - 1]] if t else problem.start
    sums = [row[s] + problem.emissions[t][s] for s in (other.path[t], best.path[t])]
    source = printable(problem.tags[other.path[t - 1]]) if t else "START"
    tags = [printable(problem.tags[s]) for s in (other.path[t], best.path[t])]
    return (
        f"At {word(problem, t)} it compared, coming from {source}, {tags[0]} with "
        f"{format_score(sums[0])} and {tags[1]} with {format_score(sums[1])}; what follows it "
        "could not see, and it never takes a choice back."
    )


def posterior_step(problem: Problem, other: Decoded, best: Decoded, marginals: Sequence) -> str:
    """Why posterior decoding differs: each tag the likeliest, the whole perhaps not allowed."""
    t = _parting(other, best)
    if t is None:
        return ""
    a, b = other.path[t], best.path[t]
    return (
        f"Over all paths {printable(problem.tags[a])} is the likelier tag of {word(problem, t)}, "
        f"{probability(marginals[t][a])} against {probability(marginals[t][b])}. It chooses each "
        "tag for itself and never asks whether they go together."
    )


def standing(best: Decoded, log_z: float) -> str:
    """p = exp(score − log Z), with as many digits as tell the two apart."""
    digits = digits_to_tell_apart(best.score, log_z)
    place = path_score.Standing(best.score, log_z, best.score, best.log_p)
    return path_score.standing_html(place, digits)


# ---------------------------------------------------------------------- prefixes


class Prefix(NamedTuple):
    """The best prefix after a token.

    Attributes:
        token: Its last token.
        path: Its tags.
        score: δ of its last cell.
        kept: How many of its tags it shares with the best prefix before it.
    """

    token: int
    path: Path
    score: float
    kept: int


def best_prefixes(trace: "Trace") -> list[Prefix]:
    """The best prefix after each token, from a max trace in state form; of equals the first."""
    found: list[Prefix] = []
    for column in range(trace.num_columns):
        values = trace.table[column]
        row = values.index(max(values))
        step = _cells(trace)[column, row]
        if step.best_prefix is None:
            break
        before = found[-1].path if found else ()
        kept = 0
        for old, new in zip(before, step.best_prefix, strict=False):
            if old != new:
                break
            kept += 1
        found.append(Prefix(column, step.best_prefix, step.log_value, kept))
    return found


def prefix_rows(problem: Problem, prefixes: Sequence[Prefix]) -> list[list[str]]:
    """After which token, the tags of the best prefix with blanks for the rest, its score."""
    m = len(problem.tokens)
    return [
        [
            f"after {word(problem, p.token)}",
            *(printable(problem.tags[s]) for s in p.path),
            *[""] * (m - len(p.path)),
            format_score(p.score),
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
    return tables.text_table(header, prefix_rows(problem, prefixes), caption, changed, words=True)


def flips_told(problem: Problem, trace: "Trace") -> list[str]:
    """Every change of mind in words, from a max trace in state form."""
    told = []
    for flip in flips(trace):
        step = trace.steps[flip.step]
        changed = [t for t, (a, b) in enumerate(zip(flip.old, flip.new, strict=False)) if a != b]
        old, new = (_ending(problem, path, changed[0]) for path in (flip.old, flip.new))
        more = [f"{len(changed) - 3} more"] if len(changed) > 3 else []
        many = listed([*(word(problem, t) for t in changed[:3]), *more])
        verb = "changes its tag" if len(changed) == 1 else "change their tags"
        if step.kind == "total":
            when = f"After the last token the best prefix was {old}"
            then = f"with the end scores {new} is best"
        else:
            when = f"After {word(problem, step.token - 1)} the best prefix was "
            when += old
            then = f"after {word(problem, step.token)} it is {new}"
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


def _cells(trace: "Trace") -> "dict[tuple[int, int], Step]":
    return {(step.column, step.row): step for step in trace.steps if step.kind == "cell"}


# ---------------------------------------------------------------------- ties


def number_of_best(trace: "Trace") -> int:
    """How many paths attain the best score, counted along the ties of a state-form max trace."""
    counts: dict[tuple[int, int], int] = {}
    for step in trace.steps:
        before = [counts.get((step.column - 1, row), 0) for row in step.ties if row >= 0]
        if step.kind == "cell":
            counts[step.column, step.row] = sum(before) if step.column else 1
        elif step.kind == "total":
            return sum(before)
    return 0


def ties_told(problem: Problem, trace: "Trace", most: int = 3) -> list[str]:
    """Where two ways into a cell are equally good, and what is done then."""
    tied = [
        step for step in trace.steps if len(step.ties) > 1 and step.kind in ("cell", "total")
    ]  # fmt: skip
    if not tied:
        return ["There is no tie here: every argmax has one answer."]
    path = trace.best_path or ()
    tied.sort(key=lambda step: step.kind == "cell" and path[step.token] != step.row)
    told = []
    for step in tied[:most]:
        tags = listed([printable(problem.tags[s]) for s in step.ties])
        where = "at the end" if step.kind == "total" else (
            f"on the way into {printable(problem.tags[step.row])} at {word(problem, step.token)}"
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
        f"The one with the lowest index is taken, so that the answer is always the same. {many} "
        "the best score.",
    ]


# ---------------------------------------------------------------------- without backpointers


def recomputed(problem: Problem, trace: "Trace") -> list[list[str]]:
    """The way back without stored pointers: at each token the sums compared again, from δ.

    Args:
        problem: The problem.
        trace: Its max trace in state form.

    Returns:
        Rows from the last token to the first: the token, the sums, the tag found.
    """
    cells, path = _cells(trace), trace.best_path or ()
    total = next(step for step in trace.steps if step.kind == "total")
    rows = []
    for t in reversed(range(len(path))):
        step = total if t == len(path) - 1 else cells[t + 1, path[t + 1]]
        sums = [
            f"{printable(problem.tags[term.source])} {format_score(term.log_value)}"
            for term in step.terms
        ]
        rows.append([word(problem, t), ", ".join(sums), printable(problem.tags[path[t]])])
    return rows
