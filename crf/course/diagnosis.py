"""What went wrong in a column that a learner computed: the usual errors, each actually made.

Each fault of `crf.course.faults` is run on the column in question, from the right column before it;
the one that gives the learner's numbers is the diagnosis.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crf.conventions import Scores
from crf.course.faults import FAULTS, SPACES, faulty_column
from crf.course.numbers import format_magnitude, format_score, parse_number
from crf.course.problem import Problem, ProblemError
from crf.course.problem_checks import refuse, short
from crf.steps import Trace

TOLERANCE = 0.01  # nats; as a probability, 1 %

_OTHER_SPACE = {
    "log": "These are probabilities; the answer is wanted in log space. Take the log.",
    "probability": "These are logarithms; the answer is wanted as a probability. Take exp.",
}


class Verdict(NamedTuple):
    """What is to be said of one cell, or of the column.

    Attributes:
        row: The cell's tag; None for the column as a whole.
        right: Whether it is right.
        kind: "right", "empty", "unreadable", "unknown" or the name of a fault.
        message: What to tell the learner; it never contains the answer.
        others: Further faults that give the same numbers.
    """

    row: int | None
    right: bool
    kind: str
    message: str
    others: tuple[str, ...] = ()


def diagnose(
    problem: Problem, trace: Trace, column: int, answers: Sequence[str], space: str = "log"
) -> list[Verdict]:
    """Check one column, and name the usual error that its numbers come from.

    Args:
        problem: The problem.
        trace: A forward, backward or Viterbi trace of it: convention and semiring are read off it.
        column: Which column of the trace's table, from 0.
        answers: S texts, as typed.
        space: "log" or "probability", in which the answers are wanted.

    Returns:
        S verdicts, one for each cell, and one for the column as a whole. A number is right within
        `TOLERANCE`: 0.01 in log space, 1 % in probability space.

    Raises:
        ProblemError: There is no such column or space, or not one answer for each tag.

    Example:
        >>> problem = Problem.blank(["A", "B"], ["x", "y"]).with_score("start", 1, 2)
        >>> [v.kind for v in diagnose(problem, problem.trace(), 1, ["2.13", "2"])]
        ['right', 'max for sum', 'max for sum']
        >>> print(diagnose(problem, problem.trace(), 1, ["2", "2"])[-1].message)
        That is the largest term. Here all terms are summed: forward, not Viterbi.
    """
    S = len(problem.tags)
    if column not in range(trace.num_columns):
        raise refuse("column", f"0 to {trace.num_columns - 1}", short(column), "count from 0")
    if space not in SPACES:
        raise refuse("space", "'log' or 'probability'", short(space), "choose one of these")
    if len(answers) != S:
        raise refuse("answers", f"{S}, one for each tag", str(len(answers)), "give one for each")

    truth = trace.table[column]
    given = [_read(text, tag) for text, tag in zip(answers, problem.tags, strict=True)]
    wrong = [row for row in range(S) if not _same(given[row], truth[row], space)]
    faults = _Faults(problem, trace, column, space)
    cells = [
        faults.cell(row, given[row]) if row in wrong else Verdict(row, True, "right", "Right.")
        for row in range(S)
    ]
    return [*cells, faults.column(given, cells)]


Answer = float | ProblemError | None


def _read(text: str, tag: str) -> Answer:
    if not text.strip():
        return None
    try:
        return parse_number(text, tag)
    except ProblemError as error:
        return error


def _same(answer: Answer, log_value: float, space: str) -> bool:
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
        scores = Scores.of(problem.chain(), 0)
        self.columns = {
            fault: faulty_column(fault, scores, trace, column)
            for fault in FAULTS
            if space in fault.spaces and trace.semiring in fault.semirings
        }

    def _explanations(self, answers: Mapping[int, Answer]) -> list[tuple[str, str]]:
        """The faults that give these answers (by row) and not the right ones: names, messages."""
        found = [
            (fault.name, fault.message)
            for fault, values in self.columns.items()
            if all(_same(answer, values[row], self.space) for row, answer in answers.items())
        ]
        other = next(space for space in SPACES if space != self.space)
        if all(_same(answer, self.truth[row], other) for row, answer in answers.items()):
            found.append(("other space", _OTHER_SPACE[self.space]))
        return found

    def cell(self, row: int, answer: Answer) -> Verdict:
        """What is to be said of a cell that is not right."""
        if answer is None:
            return Verdict(row, False, "empty", "Still empty.")
        if isinstance(answer, ProblemError):
            return Verdict(row, False, "unreadable", str(answer))
        (kind, message), *others = [
            *self._explanations({row: answer}),
            ("unknown", f"Off by {self._distance(answer, self.truth[row])}."),
        ]
        return Verdict(row, False, kind, message, tuple(name for name, _ in others[:-1]))

    def column(self, given: list[Answer], cells: list[Verdict]) -> Verdict:
        """What is to be said of the column as a whole."""
        wrong = [row for row, verdict in enumerate(cells) if not verdict.right]
        if not wrong:
            return Verdict(None, True, "right", "All right.")
        answered = {row: x for row, x in enumerate(given) if isinstance(x, float)}
        off = {row: answered[row] for row in wrong if row in answered}
        if not off:
            names = ", ".join(self.tags[row] for row in wrong)
            return Verdict(None, False, cells[wrong[0]].kind, f"Not yet a number: {names}.")
        found = self._explanations(answered) or self._explanations(off)
        if found:
            return Verdict(None, False, *found[0], tuple(name for name, _ in found[1:]))
        worst = max(off, key=lambda row: self._size(off[row], self.truth[row]))
        by = self._distance(off[worst], self.truth[worst])
        message = f"{len(off)} of {len(cells)} cells are off, {self.tags[worst]} the most: by {by}."
        return Verdict(None, False, "unknown", message)

    def _size(self, answer: float, log_value: float) -> float:
        """How far off: in nats, or as a share of the right number."""
        if self.space == "log":
            return math.inf if -math.inf in (answer, log_value) else abs(answer - log_value)
        right = math.exp(min(log_value, 709.0))
        return abs(answer - right) / right if right else math.inf

    def _distance(self, answer: float, log_value: float) -> str:
        """The same in words, without a sign, so that the answer stays the learner's to find."""
        size = self._size(answer, log_value)
        if size == math.inf:
            amount = "an infinite amount" if self.space == "log" else "all of it"
            return f"{amount}: ask whether any way leads here"
        if self.space == "log":
            return format_score(size)
        return f"{format_magnitude(float(f'{100 * size:.2g}'))} % of the right number"
