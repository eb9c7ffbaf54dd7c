"""What went wrong in a column that a learner computed: the usual errors, each actually made.

Each mistake of `crf.lab.mistakes` is made in the column in question, from the right column before
it; the one that gives the learner's numbers is the diagnosis.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crf.conventions import ChainScores
from crf.lab.mistakes import CATALOGUE, explanations
from crf.lab.reference import Reference, Scores
from crf.steps import Trace
from pages.shared.course.numbers import format_magnitude, format_score, parse_number
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short

SPACES = ("log", "probability")
TOLERANCE = 0.01  # nats; as a potential, 1 %
_FUNCTIONS = {"forward": "forward", "backward": "backward", "viterbi": "deltas"}
_SWAPPED = {"sum": "max for sum", "max": "sum for max"}

_OTHER_SPACE = {
    "log": "These are potentials; the answer is wanted as log-scores. Take the log.",
    "probability": "These are log-scores; the answer is wanted as potentials. Take exp.",
}


class Diagnosis(NamedTuple):
    """What is to be said of one cell, or of the column."""

    row: int | None  # the cell's tag; None for the column as a whole
    # whether it is right; in a wrong column perhaps only because the column's fault happens to give
    # the same number there, which the message then says
    right: bool
    kind: str  # "right", "empty", "unreadable", "unknown" or the name of a fault
    message: str  # what to tell the learner; it never contains the answer
    others: tuple[str, ...] = ()  # further faults that give the same numbers
    # what is said of a fault to whoever makes it, with nothing of this one's answers
    about: str = ""


def diagnose(
    problem: Problem,
    trace: Trace,
    column: int,
    answers: Sequence[str],
    space: str = "log",
    rows: Sequence[int] | None = None,
) -> list[Diagnosis]:
    """Check one column, and name the usual error that its numbers come from.

    Args:
        problem: The problem.
        trace: A forward, backward or Viterbi trace of it: convention and semiring are read off it.
        column: Which column of the trace's table, from 0.
        answers: A text for each of the rows, as typed.
        space: "log" or "probability", in which the answers are wanted.
        rows: The tags that are asked for; all S by default.

    Returns:
        A verdict for each of the rows, and one for the column as a whole. A number is right within
        `TOLERANCE`: 0.01 in log space, 1 % in probability space.

    Raises:
        ProblemError: There is no such column or space, or not one answer for each tag asked for.

    Example:
        >>> problem = Problem.blank(["A", "B"], ["x", "y"]).with_score("start", 1, 2)
        >>> [v.kind for v in diagnose(problem, problem.trace(), 1, ["2.13", "2"])]
        ['right', 'max for sum', 'max for sum']
        >>> print(diagnose(problem, problem.trace(), 1, ["2", "2"])[-1].message.split(".")[0])
        This takes the largest term
    """
    rows = range(len(problem.tags)) if rows is None else rows
    if column not in range(trace.num_columns):
        raise refuse("column", f"0 to {trace.num_columns - 1}", short(column), "count from 0")
    if space not in SPACES:
        raise refuse("space", "'log' or 'probability'", short(space), "choose one of these")
    if len(answers) != len(rows):
        raise refuse(
            "answers", f"{len(rows)}, one for each tag", str(len(answers)), "give one for each"
        )

    truth = trace.table[column]
    given = {row: _read(text, problem.tags[row]) for row, text in zip(rows, answers, strict=True)}
    wrong = [row for row in rows if not _same(given[row], truth[row], space)]
    faults = _Faults(problem, trace, column, space)
    cells = [
        faults.cell(row, given[row]) if row in wrong else Diagnosis(row, True, "right", "Right.")
        for row in rows
    ]
    whole = faults.column(given, cells)
    return [*(faults.by_luck(cell, whole.kind) for cell in cells), whole]


def telling_column(problem: Problem, trace: Trace, order: Sequence[int]) -> int:
    """The column to begin with: where nobody takes a maximum for a sum unnoticed.

    Args:
        problem: The problem.
        trace: As for `diagnose`.
        order: The trace's columns in the order of computation.

    Returns:
        The first column after the first one in which each cell differs between sum and maximum by
        more than `TOLERANCE`; the second of all where there is none, the only one if it is alone.

    Example:
        >>> problem = Problem.blank(["A", "B"], "xyz").with_score("emissions", (0, 0), 9)
        >>> telling_column(problem, problem.trace(), [0, 1, 2])
        2
    """
    scores = ChainScores.of(problem.chain(), 0)
    other = dict(reversed(CATALOGUE))[_SWAPPED[trace.semiring]]
    for column in order[1:]:
        confused = mistaken_column(other, scores, trace, column)
        pairs = zip(confused, trace.table[column], strict=True)
        if not any(_same(value, right, "log") for value, right in pairs):
            return column
    return order[:2][-1]


def mistaken_column(
    mistaken: type[Reference], chain: ChainScores, trace: Trace, column: int
) -> list[float]:
    """Return one column of a recursion with a mistake in it, from the right column before it.

    Args:
        mistaken: The mistake, of `crf.lab.mistakes`.
        chain: The chain's scores.
        trace: A trace of that chain, for the convention, the semiring and the other columns.
        column: Which column.

    Returns:
        S log-values; none where the mistake has no number.
    """
    leftwards, form = trace.algorithm == "backward", trace.convention
    t = column + 1 if form == "message" and not leftwards else column  # the column's token
    into = (t + 1 if leftwards else t) if chain.per_step else 1  # where its transitions lead
    m, tags = chain.m, range(chain.S)
    matrix = next(iter(chain.matrices[max(into, 1) - 1 :]), [])
    scores = Scores(chain.emissions, matrix, chain.start, chain.end, [0] * m, [True] * m)
    try:
        x = mistaken(scores)
        merge = x.best if trace.semiring == "max" else x.combine
        first, last = [x.first(s) for s in tags], [x.last(s) for s in tags]
        if leftwards and t == m - 1:
            values = [0.0] * chain.S if form == "pair" else last
        elif leftwards:
            is_end = t + 2 == m and form != "state"
            after = last if is_end else list(trace.table[column + 1])
            values = [merge(x.outgoing(after, t, s)) for s in tags]
        elif t == 0:
            values = first
        elif form == "message":
            before = x.with_emission(t - 1, list(trace.table[column - 1])) if column else first
            values = [merge(x.incoming(before, s)) for s in tags]
        else:
            before = list(trace.table[column - 1])
            values = x.with_emission(t, [merge(x.incoming(before, s)) for s in tags])
        if leftwards:
            values = x.given_beta(t, values)
        elif form == "pair" and t == m - 1:
            values = [value + end for value, end in zip(values, last, strict=True)]
        return x.finish(_FUNCTIONS[trace.algorithm], [values])[0]
    except (ArithmeticError, ValueError, IndexError):
        return []


ReadAnswer = float | ProblemError | None


def _read(text: str, tag: str) -> ReadAnswer:
    if not text.strip():
        return None
    try:
        return parse_number(text, tag)
    except ProblemError as error:
        return error


def _same(answer: ReadAnswer, log_value: float, space: str) -> bool:
    """Whether an answer stands for a log-value; the tolerance is the same in both spaces."""
    if not isinstance(answer, float) or math.isnan(log_value):
        return False
    if space == "probability":
        if answer < 0:
            return False
        answer = math.log(answer) if answer > 0 else -math.inf
    if -math.inf in (answer, log_value):
        return answer == log_value
    return abs(answer - log_value) <= TOLERANCE * 1.0001  # so that 2.01 is within 0.01 of 2


class _Faults:
    """The columns that the usual errors lead to, compared with the learner's."""

    def __init__(self, problem: Problem, trace: Trace, column: int, space: str) -> None:
        self.tags, self.space, self.truth = problem.tags, space, trace.table[column]
        scores = ChainScores.of(problem.chain(), 0)
        columns = [(name, mistaken_column(x, scores, trace, column)) for name, x in CATALOGUE]
        self.columns = [
            (name, values)
            for name, values in columns
            if values
            and not all(_same(*pair, "log") for pair in zip(values, self.truth, strict=True))
        ]

    def _explanations(self, answers: Mapping[int, ReadAnswer]) -> dict[str, str]:
        """The mistakes that give these answers (by row) and not the right ones: names, messages."""
        found = {}
        other = next(space for space in SPACES if space != self.space)
        if all(_same(answer, self.truth[row], other) for row, answer in answers.items()):
            found["other space"] = _OTHER_SPACE[self.space]
        for name, values in self.columns:
            if all(_same(answer, values[row], self.space) for row, answer in answers.items()):
                found.setdefault(name, explanations()[name])
        return found

    def cell(self, row: int, answer: ReadAnswer) -> Diagnosis:
        """What is to be said of a cell that is not right."""
        if answer is None:
            return Diagnosis(row, False, "empty", "Still empty.")
        if isinstance(answer, ProblemError):
            return Diagnosis(row, False, "unreadable", str(answer))
        by, hint = self._distance(answer, self.truth[row])
        (kind, message), *others = [
            *self._explanations({row: answer}).items(),
            ("unknown", hint or f"Off by {by}."),
        ]
        return Diagnosis(row, False, kind, message, tuple(name for name, _ in others[:-1]))

    def by_luck(self, cell: Diagnosis, kind: str) -> Diagnosis:
        """A right cell of a wrong column, with a word on it if the column's fault hits it, too."""
        row = cell.row or 0
        lucky = any(
            name == kind and _same(values[row], self.truth[row], "log")
            for name, values in self.columns
        )
        if not cell.right or not lucky:
            return cell
        return cell._replace(message=f"Right, but so it would be with the error “{kind}”.")

    def column(self, given: Mapping[int, ReadAnswer], cells: list[Diagnosis]) -> Diagnosis:
        """What is to be said of the column as a whole."""
        faulty = {verdict.row: verdict for verdict in cells if not verdict.right}
        wrong = [row for row in given if row in faulty]
        if not wrong:
            return Diagnosis(None, True, "right", "All right.")
        answered = {row: x for row, x in given.items() if isinstance(x, float)}
        off = {row: answered[row] for row in wrong if row in answered}
        missing = [self.tags[row] for row in wrong if row not in answered]
        unread = f"Not yet a number: {', '.join(missing)}."
        if not off:
            return Diagnosis(None, False, faulty[wrong[0]].kind, unread)
        rest = f" {unread}" if missing else ""
        found = self._explanations(answered) or self._explanations(off)
        if found:
            (kind, message), *others = found.items()
            names = tuple(name for name, _ in others)
            return Diagnosis(None, False, kind, message + rest, names, message)
        worst = max(off, key=lambda row: self._size(off[row], self.truth[row]))
        by, hint = self._distance(off[worst], self.truth[worst])
        if len(off) == 1:
            message = f"1 of {len(cells)} cells is off, {self.tags[worst]}"
        else:
            message = f"{len(off)} of {len(cells)} cells are off, {self.tags[worst]} the most"
        message += f". {hint}" if hint else f", by {by}."
        return Diagnosis(None, False, "unknown", message + rest)

    def _size(self, answer: float, log_value: float) -> float:
        """How far off: in nats, or as a share of the right number."""
        if self.space == "log":
            return math.inf if -math.inf in (answer, log_value) else abs(answer - log_value)
        right = math.exp(min(log_value, 709.0))
        return abs(answer - right) / right if right else math.inf

    def _distance(self, answer: float, log_value: float) -> tuple[str, str]:
        """The same in words, without a sign, so that the answer stays the learner's to find.

        Returns:
            The distance, and a question or hint in its place where one of the two is forbidden.
        """
        size = self._size(answer, log_value)
        nothing = "−∞" if self.space == "log" else "0"
        if log_value == -math.inf:
            return "", "Ask whether any way leads here."
        if answer == (-math.inf if self.space == "log" else 0):
            return "", f"Ways do lead here: {nothing} would say there is none."
        if self.space == "log":
            return format_score(size), ""
        if not 100 * size < math.inf:  # the right number is beside it as good as 0
            return "more than all of it", ""
        return f"{format_magnitude(float(f'{100 * size:.2g}'))} % of the right number", ""
