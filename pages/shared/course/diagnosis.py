"""The mistake in a column that a learner computed, found by making each usual mistake.

Each mistake of `crf.lab.mistakes` is made in the column in question, from the right column before
it; the one that gives the learner's numbers is the diagnosis.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crf.figures.numbers import format_magnitude, format_score
from crf.figures.words import join
from crf.lab.mistakes import CATALOGUE, explanations, title
from crf.lab.reference import Reference, Scores
from crf.steps import Trace
from crf.steps.conventions import ChainScores, convention_of
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.course.typed_numbers import parse_number
from pages.shared.course.words import say

SPACES = ("log", "probability")
TOLERANCE = 0.01  # nats; as a potential, 1 %
_FUNCTIONS = {"forward": "forward", "backward": "backward", "viterbi": "deltas"}


class Diagnosis(NamedTuple):
    """The verdict on one cell, or on the whole column."""

    row: int | None  # the cell's tag; None for the column as a whole
    right: bool  # whether it is right; perhaps by luck, which the message says
    kind: str  # "right", "empty", "unreadable", "unknown" or the name of a fault
    message: str  # what to tell the learner; it never contains the answer
    about: str = ""  # a sentence on the mistake, for the learner


def diagnose(
    problem: Problem,
    trace: Trace,
    column: int,
    answers: Sequence[str],
    space: str = "log",
    rows: Sequence[int] | None = None,
) -> list[Diagnosis]:
    """A verdict for each of the rows of a column, and one for the column as a whole.

    Args:
        problem: The problem.
        trace: A forward, backward or Viterbi trace of it: convention and semiring are read off it.
        column: Which column of the trace's table, from 0.
        answers: A text for each of the rows, as typed.
        space: One of `SPACES`, in which the answers are wanted.
        rows: The tags that are asked for; all S by default.

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

    by_row = {row: _read(text, problem.tags[row]) for row, text in zip(rows, answers, strict=True)}
    faults = _faults(problem, trace, column, space)
    marking = _Marking(problem.tags, trace.table[column], space, faults)
    cells = [marking.cell(row, answer) for row, answer in by_row.items()]
    whole = marking.whole(by_row, cells)
    return [*(marking.by_luck(cell, whole.kind) for cell in cells), whole]


def mistaken_column(
    mistaken: type[Reference], chain: ChainScores, trace: Trace, column: int
) -> list[float]:
    """[S] one column of a trace with a mistake in it, from the right column before it.

    Empty where the mistake has no number.
    """
    leftwards = trace.algorithm == "backward"
    form = convention_of(trace)
    own, m, tags = form.own, chain.m, range(chain.S)
    t = column + form.first  # the column's token
    into = t + 1 if leftwards else t  # where its transitions lead
    matrix = chain.matrix(into) if 0 < into < m else []
    scores = Scores(chain.emissions, matrix, chain.start, chain.end, [0] * m, [True] * m)
    try:
        x = mistaken(scores)
        merge = x.best if trace.semiring == "max" else x.combine
        first, last = [x.first(s) for s in tags], [x.last(s) for s in tags]
        if leftwards:
            values = last if "end" in own else [0.0] * chain.S
            if t < m - 1:
                is_end = t + 2 == m and "end" not in own
                after = last if is_end else list(trace.table[column + 1])
                values = [merge(x.outgoing(after, t, s)) for s in tags]
            values = x.given_beta(t, values)
        else:
            values = before = first
            if column:
                before = list(trace.table[column - 1])
            if column and "emission" not in own:
                before = x.with_emission(t - 1, before)
            if t:
                values = [merge(x.incoming(before, s)) for s in tags]
            if t and "emission" in own:
                values = x.with_emission(t, values)
            if "end" in own and t == m - 1:
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
    if space == "probability" and answer < 0:
        return False
    if space == "probability":
        answer = math.log(answer) if answer else -math.inf
    if -math.inf in (answer, log_value):
        return answer == log_value
    return abs(answer - log_value) <= TOLERANCE * 1.0001  # so that 2.01 is within 0.01 of 2


class _Fault(NamedTuple):
    """A mistake, and the column that it leads to."""

    kind: str
    message: str
    column: Sequence[float]  # [S] log-values
    space: str  # in which the learner gives them

    def explains(self, answers: Mapping[int, ReadAnswer]) -> bool:
        """Whether this mistake gives these answers, row by row."""
        return all(_same(x, self.column[row], self.space) for row, x in answers.items())


def _faults(problem: Problem, trace: Trace, column: int, space: str) -> list[_Fault]:
    """The mistakes that give a different column from the right one."""
    truth, scores = trace.table[column], ChainScores.of(problem.chain(), 0)
    [other] = set(SPACES) - {space}
    faults = [_Fault("other space", say(f"diagnosis.{space}-wanted"), truth, other)]
    for name, mistake in CATALOGUE:
        values = mistaken_column(mistake, scores, trace, column)
        pairs = zip(values, truth, strict=False)
        if values and not all(_same(value, right, "log") for value, right in pairs):
            faults.append(_Fault(name, explanations()[name], values, space))
    return faults


class _Marking(NamedTuple):
    """The right column and the mistaken ones, with which a learner's answers are compared."""

    tags: Sequence[str]
    truth: Sequence[float]  # [S] log-values
    space: str  # of the answers
    faults: list[_Fault]

    def cell(self, row: int, answer: ReadAnswer) -> Diagnosis:
        if _same(answer, self.truth[row], self.space):
            return Diagnosis(row, True, "right", say("diagnosis.right"))
        if answer is None:
            return Diagnosis(row, False, "empty", say("diagnosis.empty"))
        if isinstance(answer, ProblemError):
            return Diagnosis(row, False, "unreadable", str(answer))
        for fault in self.faults:
            if fault.explains({row: answer}):
                return Diagnosis(row, False, fault.kind, fault.message)
        by, hint = self.distance(row, answer)
        return Diagnosis(row, False, "unknown", hint or say("diagnosis.off", by=by))

    def by_luck(self, cell: Diagnosis, kind: str) -> Diagnosis:
        """A right cell of a wrong column, with a remark if the mistake gives this number too."""
        truth = {cell.row or 0: self.truth[cell.row or 0]}
        named = [f._replace(space="log") for f in self.faults if f.kind == kind != "other space"]
        if cell.right and any(fault.explains(truth) for fault in named):
            return cell._replace(message=say("diagnosis.luck", kind=title(kind)))
        return cell

    def whole(self, by_row: Mapping[int, ReadAnswer], cells: Sequence[Diagnosis]) -> Diagnosis:
        """The verdict on the column as a whole."""
        wrong = [cell for cell in cells if not cell.right]
        if not wrong:
            return Diagnosis(None, True, "right", say("diagnosis.all-right"))
        answered = {row: x for row, x in by_row.items() if isinstance(x, float)}
        off = {cell.row: answered[cell.row] for cell in wrong if cell.row in answered}
        missing = [self.tags[cell.row or 0] for cell in wrong if cell.row not in answered]
        unread = say("diagnosis.unread", tags=", ".join(missing)) if missing else ""
        if not off:
            return Diagnosis(None, False, wrong[0].kind, unread)
        for some in (answered, off):
            for fault in self.faults:
                if fault.explains(some):
                    message = join(fault.message, unread)
                    return Diagnosis(None, False, fault.kind, message, fault.message)
        worst = max(off, key=lambda row: self.size(row, off[row]))
        by, hint = self.distance(worst, off[worst])
        case = f"{'some' if len(off) > 1 else 'one'}-{'hint' if hint else 'by'}"
        many = {"k": len(off), "n": len(cells), "tag": self.tags[worst]}
        verdict = say(f"diagnosis.{case}", **many, by=hint or by)
        return Diagnosis(None, False, "unknown", join(verdict, unread))

    def size(self, row: int, answer: float) -> float:
        """The distance from the right number: in nats, or as a share of it."""
        truth = self.truth[row]
        if self.space == "log":
            return math.inf if -math.inf in (answer, truth) else abs(answer - truth)
        right = math.exp(min(truth, 709.0))
        return abs(answer - right) / right if right else math.inf

    def distance(self, row: int, answer: float) -> tuple[str, str]:
        """The distance in words, without a sign; a hint if one of the two numbers is forbidden."""
        size, is_log = self.size(row, answer), self.space == "log"
        if self.truth[row] == -math.inf:
            return "", say("diagnosis.no-way")
        if answer == (-math.inf if is_log else 0):
            return "", say("diagnosis.ways", nothing="−∞" if is_log else "0")
        if is_log:
            return format_score(size), ""
        if not 100 * size < math.inf:  # the right number is beside it as good as 0
            return say("diagnosis.more"), ""
        return say("diagnosis.share", percent=format_magnitude(float(f"{100 * size:.2g}"))), ""
