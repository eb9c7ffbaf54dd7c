"""One column of a recursion as homework: what it is made of, read off a trace; not its answers.

What is given has more digits than elsewhere, so that its rounding never makes an answer wrong.
"""

from collections.abc import Sequence

from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis.notation import NOTATIONS, symbol_of
from crf.figures.words import join
from crf.steps import Part, Step, Trace
from pages.shared.course.exercises import TextTable
from pages.shared.figures.text import say
from pages.shared.figures.theme import decimals

MOST_ASKED, ENOUGH = 8, 5  # tags: all of them are asked for, or some of more
_DIGITS = 5  # significant digits of a potential
_DECIMALS = (1, 3)  # of a log-score, the fewest and the most


def columns(trace: Trace) -> list[int]:
    """The trace's columns in the order of computation."""
    return list(dict.fromkeys(step.column for step in trace.steps if step.kind == "cell"))


def cells(trace: Trace, column: int) -> list[Step]:
    """The steps that compute a column, tag by tag."""
    return [step for step in trace.steps if step.kind == "cell" and step.column == column]


def token_of(trace: Trace, column: int) -> str:
    """The token whose tags a column's rows name; with its number where its name occurs twice."""
    token = cells(trace, column)[0].token
    name = trace.tokens[token]
    return name if trace.tokens.count(name) == 1 else f"{name} ({token + 1})"


def asked(trace: Trace, column: int) -> list[int]:
    """The tags whose cells are asked for: all, or of many those with the token's largest emissions.

    >>> from pages.shared.course.problem import Problem
    >>> many = Problem.blank([f"T{s}" for s in range(9)], ["x"]).with_score("emissions", (0, 7), 1)
    >>> asked(many.trace(), 0)
    [0, 1, 2, 3, 7]
    """
    emissions = trace.emissions[cells(trace, column)[0].token]
    every = range(len(trace.tags))
    if len(every) <= MOST_ASKED:
        return list(every)
    return sorted(sorted(every, key=lambda row: -emissions[row])[:ENOUGH])


def exact(log_value: float, space: str, beside: Sequence[float] = ()) -> str:
    """A log-score, or its exponential, to be computed with: more digits than are shown elsewhere.

    It has as many decimals as the log-scores `beside` it.

    >>> exact(-0.5, "log"), exact(1 / 3, "log"), exact(-0.5, "probability")
    ('−0.5', '0.333', '0.60653')
    >>> exact(-0.5, "log", beside=[0.25])
    '−0.50'
    """
    if space == "probability":
        return format_potential(log_value, _DIGITS)
    return format_score(log_value, decimals((log_value, *beside), *_DECIMALS))


def given(trace: Trace, column: int, space: str) -> tuple[TextTable, ...]:
    """All numbers that a column is made of, as tables.

    One has a column for each tag: the neighbouring column of the recursion, emissions, start, end,
    as far as they are used. The other has the transitions, if they are used.
    """
    S = len(trace.tags)
    rows: dict[tuple[str, int], dict[int, float]] = {}
    matrix: dict[tuple[int, ...], float] = {}
    for part in (part for step in cells(trace, column) for part in _parts(step)):
        if part.role == "transition":
            matrix[part.at] = part.value
        else:
            *place, s = part.at
            rows.setdefault((part.role, place[0] if place else -1), {})[s] = part.value
    tables = []
    if rows:
        lines = []
        for key in sorted(rows, key=lambda key: key[0] != "previous"):
            values = [rows[key][s] for s in range(S)]
            numbers = (exact(value, space, values) for value in values)
            lines.append((_row_name(trace, *key, space), *numbers))
        tables.append(TextTable(say("column.given"), ("", *trace.tags), tuple(lines)))
    if matrix:
        whole = tuple(matrix.values())
        lines = tuple(
            (tag, *(exact(matrix[i, j], space, whole) for j in range(S)))
            for i, tag in enumerate(trace.tags)
        )
        heads = (say("column.from"), *trace.tags)
        tables.append(TextTable(say("column.transitions"), heads, lines))
    return tuple(tables)


def terms(trace: Trace, column: int, row: int, space: str) -> tuple[TextTable, str]:
    """The terms that meet in one cell, written out but not worked out; and what to do with them.

    >>> from pages.shared.course.problem import Problem
    >>> run = Problem.blank(["A", "B"], ["x", "y"]).with_score("start", 1, 2).trace()
    >>> table, todo = terms(run, 1, 0, "log")
    >>> [row[1] for row in table.rows], todo
    (['0.0 + 0.0', '2.0 + 0.0'], 'Take the log of the sum of their exponentials. Then add 0.0.')
    """
    step = cells(trace, column)[row]
    lines = tuple(
        (trace.tags[term.source] if term.source >= 0 else "", _written(term.parts, space))
        for term in step.terms
    )
    name = say("column.terms", tag=trace.tags[row])
    toward = say("column.to" if trace.algorithm == "backward" else "column.from")
    table = TextTable(name, (toward, say("column.term")), lines)
    do = "one" if len(lines) == 1 else "max" if trace.semiring == "max" else space
    then = [say(f"column.then-{space}", value=exact(part.value, space)) for part in step.added]
    return table, join(say(f"column.do-{do}"), *then)


def answer(trace: Trace, column: int, space: str) -> TextTable:
    """The column itself."""
    symbol, word = symbol_of(trace, NOTATIONS[space]), token_of(trace, column)
    name = say("column.cell", symbol=symbol, word=word)
    numbers = (NOTATIONS[space].number(value) for value in trace.table[column])
    return TextTable(say("column.answer"), ("", *trace.tags), ((name, *numbers),))


def _parts(step: Step) -> list[Part]:
    return [part for term in step.terms for part in term.parts] + list(step.added)


def _written(parts: Sequence[Part], space: str) -> str:
    """The product of a term, negative factors in brackets."""
    texts = [exact(part.value, space) for part in parts] or [exact(0.0, space)]
    return NOTATIONS[space].joint.join(f"({x})" if x[0] == "−" else x for x in texts)


def _row_name(trace: Trace, role: str, place: int, space: str) -> str:
    if role == "previous":
        symbol = symbol_of(trace, NOTATIONS[space])
        return say("column.previous", symbol=symbol, word=token_of(trace, place))
    return say(f"column.{role}", word=trace.tokens[max(place, 0)])
