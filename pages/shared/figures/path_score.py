"""The score of a path in parts: its terms with a running total, what it counts, how it compares.

Pure functions, data in, texts and HTML out; what comes from the outside is escaped here.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pages.shared.course.exercises import TextTable
from pages.shared.course.problem import Problem
from pages.shared.course.right_to_left import escape
from pages.shared.figures import theme
from pages.shared.figures.text import Case, LessonText, say

Path = tuple[int, ...]
TOLERANCE = 0.005  # nats; the exercises' numbers have one decimal


class Summand(NamedTuple):
    """One summand of a path's score."""

    role: str  # its table: "start", "emission", "transition" or "end"
    read: str  # its entry, as all figures name it: "emission:0:2"
    what: str  # which entry, in words
    value: float  # log-score
    running: float  # the sum so far, this one included


def terms(problem: Problem, path: Path) -> list[Summand]:
    """What a path's score is the sum of, from START to END; 2 m + 1 terms for m tokens."""
    tags, tokens = problem.tags, problem.tokens
    entries = [("start", f"start:{path[0]}", f"start[{tags[path[0]]}]", problem.start[path[0]])]
    for t, s in enumerate(path):
        if t:
            before = path[t - 1]
            value = problem.matrix(t)[before][s]
            what = f"T[{tags[before]}, {tags[s]}]"
            entries.append(("transition", f"transition:{before}:{s}", what, value))
        what = f"e[{tokens[t]}, {tags[s]}]"
        entries.append(("emission", f"emission:{t}:{s}", what, problem.emissions[t][s]))
    last = path[-1]
    entries.append(("end", f"end:{last}", f"end[{tags[last]}]", problem.end[last]))
    values = [value for *_, value in entries]
    return [Summand(*entry, math.fsum(values[: k + 1])) for k, entry in enumerate(entries)]


def summand(value: float, digits: int = 2) -> str:
    """A score after a plus or minus sign: a negative one in brackets.

    >>> summand(-1.5), summand(2.0)
    ('(−1.50)', '2.00')
    """
    text = theme.number(value, digits)
    return f"({text})" if text.startswith("−") else text


def formula(*, per_step: bool = False) -> str:
    """The score of a path as a formula, its symbols in the colours of their tables.

    Args:
        per_step: Whether each step has a table of transitions of its own.
    """

    def symbol(role: str, text: str) -> str:
        return f'<span class="crf-role-{role}">{text}</span>'

    y, after = "<i>y<sub>t</sub></i>", "<i>y<sub>t</sub></i>₊₁"
    return (
        '<p class="crf-prose crf-formula">score(<i>x</i>, <i>y</i>) = '
        + symbol("x", "start[<i>y</i>₁]")
        + " + Σ<sub><i>t</i></sub> "
        + symbol("e", f"e[<i>t</i>, {y}]")
        + " + Σ<sub><i>t</i></sub> "
        + symbol("t", f"{'T<sub><i>t</i></sub>' if per_step else 'T'}[{y}, {after}]")
        + " + "
        + symbol("x", "end[<i>y<sub>m</sub></i>]")
        + "<br><i>p</i>(<i>y</i> | <i>x</i>) = exp(score(<i>x</i>, <i>y</i>) − log <i>Z</i>)</p>"
    )


class Standing(NamedTuple):
    """How a path stands among all."""

    score: float  # its log-score
    log_z: float  # log Z of the chain; −∞ if no path is allowed
    best: float  # the best path's score
    log_p: float  # its log-probability, score − log Z


class BigNumber(NamedTuple):
    """A large number of an equation."""

    before: str  # signs in front of it
    number: str  # the number
    after: str  # signs behind it
    told: Case  # what it is: a case of the lesson's text


def in_figures(text: LessonText, figures: Sequence[BigNumber]) -> str:
    """An equation in large figures, below each what it is."""
    cells = "".join(
        f'<div><span class="crf-big"><i>{one.before}</i>{one.number}<i>{one.after}</i></span>'
        f'<span class="crf-about">{text.sentence(one.told)}</span></div>'
        for one in figures
    )
    return f'<div class="crf-sum">{cells}</div>'


def counts_table(problem: Problem, path: Path) -> str:
    """How often the path uses each transition, start and end: its feature counts, as a table."""
    used = Counter(pairwise(path))
    tags = problem.tags

    def cell(n: int) -> str:
        return f'<td class="crf-cell{" crf-ring" if n else ""}">{n:d}</td>'

    head = "".join(f'<th scope="col">{escape(tag)}</th>' for tag in (*tags, "END"))
    start = "".join(cell(s == path[0]) for s in range(len(tags)))
    rows = [f'<tr><th scope="row">START</th>{start}<td class="crf-none"></td></tr>']
    for i, tag in enumerate(tags):
        cells = "".join(cell(used[i, j]) for j in range(len(tags)))
        rows.append(f'<tr><th scope="row">{escape(tag)}</th>{cells}{cell(i == path[-1])}</tr>')
    return (
        '<div class="crf-scroll" tabindex="0" role="region" aria-label="{}">'
        '<table class="crf-grid"><caption class="crf-hidden">{}</caption><thead><tr><td>{}</td>'
        .format(say("path.counts"), say("path.uses"), say("path.from-to"))
        + f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )  # fmt: skip


def diagnose(problem: Problem, path: Path, answer: float) -> str:
    """What may have gone wrong with a learner's score of a path; it does not give the answer."""
    matrices = range(1, len(problem.tokens))
    transposed = [problem.matrix(t)[s][path[t - 1]] for t, s in enumerate(path) if t]
    right = [problem.matrix(t)[path[t - 1]][path[t]] for t in matrices]
    emissions = [problem.emissions[t][s] for t, s in enumerate(path)]
    start, end = problem.start[path[0]], problem.end[path[-1]]
    faults = {
        "transposed": (math.fsum([start, end, *emissions, *transposed])),
        "start": math.fsum([end, *emissions, *right]),
        "end": math.fsum([start, *emissions, *right]),
        "ends": math.fsum([*emissions, *right]),
        "transitions": math.fsum([start, end, *emissions]),
        "emissions": math.fsum([start, end, *right]),
        "product": math.prod([start, end, *emissions, *right]),
    }
    score = math.fsum([start, end, *emissions, *right])
    if answer > 0 and abs(math.log(answer) - score) < TOLERANCE:
        return say("fault.potential")
    for name, value in faults.items():
        if abs(value - answer) < TOLERANCE:
            return say(f"fault.{name}")
    return say("fault.unknown")


def exercise_tables(tables: Sequence[TextTable]) -> str:
    """An exercise's tables, side by side."""

    def row(cells: Sequence[str]) -> str:
        name, *numbers = (escape(cell) for cell in cells)
        return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{n}</td>" for n in numbers)}</tr>'

    drawn = []
    for table in tables:
        corner, *names = map(escape, table.header)
        head = f"<td>{corner}</td>" + "".join(f'<th scope="col">{name}</th>' for name in names)
        body = "".join(map(row, table.rows))
        drawn.append(
            f'<table class="crf-grid"><caption class="crf-note">{escape(table.title)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
    return f'<div class="crf-tables">{"".join(drawn)}</div>'


def given_tables(tables: Sequence[TextTable], name: str) -> str:
    """The same in a region that scrolls sideways where it is narrow.

    Args:
        tables: The tables.
        name: What the region is called by screen readers.
    """
    return (
        f'<div class="crf-scroll crf-given" role="region" tabindex="0" aria-label="{escape(name)}">'
        f"{exercise_tables(tables)}</div>"
    )
