"""A question to the class: one of some options, or a column of a recursion to compute."""

import tomllib
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from crf.strict_json import read_json, write_json
from pages.shared.course.classroom.store import MOST_TEXT
from pages.shared.course.diagnosis import diagnose
from pages.shared.course.exercises import TextTable
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.course.problem_links import from_query, to_query
from pages.shared.course.typed_numbers import parse_number

LONGEST = 300  # characters of a question, an option, a remark
LONGEST_ANSWER = 60  # characters of a number that is typed
MOST_OPTIONS = 20


@dataclass(frozen=True)
class Column:
    """Which column of which recursion is to be computed."""

    problem: dict[str, str]  # as in a link
    algorithm: str  # of the trace, as the two that follow
    convention: str
    semiring: str
    space: str  # "log" or "probability"
    column: int  # of the trace's table
    rows: tuple[int, ...]  # the tags that are asked for


@dataclass(frozen=True)
class Ballot:
    """A question, in plain text.

    Raises:
        ProblemError: A part is too long, or there are too few or too many options.
    """

    question: str  # what is asked
    options: tuple[str, ...]  # what there is to choose from; of a column, what each field is called
    # the right option's index; None if no option is right, or it is a column
    right: int | None = None
    why: str = ""  # said when it is revealed
    key: str = ""  # of the widget that asks it in a lesson; "": asked from nowhere in particular
    column: Column | None = field(default=None, hash=False)  # if a column is to be computed
    given: tuple[TextTable, ...] = ()  # the numbers from which an option is worked out

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        fewest, number = 1 if self.column else 2, len(self.options)
        if not fewest <= number <= MOST_OPTIONS:
            raise refuse("options", f"{fewest} to {MOST_OPTIONS}", str(number), "write one a line")
        for part, text in (("question", self.question), *(("option", o) for o in self.options)):
            if not text.strip() or len(text) > LONGEST:
                raise refuse(part, f"1 to {LONGEST} characters", short(text), "change it")

    @classmethod
    def of_column(
        cls, question: str, fields: list[str], key: str, problem: Problem, **where: Any
    ) -> Self:
        """A column to compute, of `fields` by their names; `where`: the rest of `Column`.

        Raises:
            ProblemError: The problem is too large to be sent around.
        """
        return cls(question, tuple(fields), None, "", key, Column(to_query(problem), **where))

    def to_text(self) -> str:
        """For the store; `from_text` takes it back."""
        return write_json(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What `to_text` wrote.

        Raises:
            ProblemError: It is something else.
        """
        try:
            data = read_json(text, MOST_TEXT)
            column = data.pop("column")
            if column is not None:
                column = Column(**column | {"rows": tuple(column["rows"])})
            given = tuple(
                TextTable(title, tuple(head), tuple(map(tuple, rows)))
                for title, head, rows in data.pop("given", ())
            )
            return cls(**data, column=column, given=given)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise refuse("question", "one that was asked here", short(text), "ask again") from None

    def check(self, said: object) -> str:
        """An answer as text for the store: an option's index; of a column, a text for each field.

        Raises:
            ProblemError: It is no answer to this question, or a field is not a number.
        """
        if self.column is None:
            if type(said) is not int or said not in range(len(self.options)):
                raise refuse("answer", "one of the options", short(said), "choose one")
            return write_json(said)
        texts = list(said) if isinstance(said, list | tuple) else []
        fits = all(isinstance(text, str) and len(text) <= LONGEST_ANSWER for text in texts)
        if len(texts) != len(self.options) or not fits or not "".join(texts).strip():
            raise refuse("answer", "a number in each field", short(said), "fill them in")
        for option, text in zip(self.options, texts, strict=True):
            if text.strip():
                parse_number(text, option)
        return write_json({"typed": texts} | self.judged(texts)._asdict())

    def judged(self, typed: list[str]) -> "Judged":
        """What is to be said of a column."""
        assert self.column is not None
        at = self.column
        *cells, whole = diagnose(*traced(self), at.column, typed, at.space, at.rows)
        kind = "right" if whole.right else whole.kind
        return Judged(kind, whole.about or whole.message, tuple(cell.right for cell in cells))

    def is_of(self, problem: Problem, trace: Any) -> bool:
        """Whether a column of just this trace is asked for."""
        column = self.column
        if column is None or (column.algorithm, column.convention, column.semiring) != (
            trace.algorithm, trace.convention, trace.semiring,
        ):  # fmt: skip
            return False
        try:
            return to_query(problem) == column.problem
        except ProblemError:
            return False

    @property
    def truth(self) -> tuple[float, ...]:
        """The right numbers of a column, as log-values, for the fields in order."""
        assert self.column is not None
        table = traced(self)[1].table[self.column.column]
        return tuple(table[row] for row in self.column.rows)


class Judged(NamedTuple):
    """A column that a student has computed."""

    kind: str  # "right", or what `diagnosis` calls the fault
    message: str  # what is to be said of it
    cells: tuple[bool, ...]  # which cells are right


@lru_cache(maxsize=8)
def traced(ballot: Ballot) -> tuple[Problem, Any]:
    """The problem and the trace whose column is asked for.

    Raises:
        ProblemError: What was sent around is none.
    """
    at = ballot.column
    assert at is not None
    try:
        problem = from_query(at.problem)
        how = {"convention": at.convention, "semiring": at.semiring}
        return problem, problem.trace(at.algorithm, **how)
    except ValueError as error:
        raise ProblemError(str(error)) from None


def quiz() -> list[Ballot]:
    """Five questions for the end of a lecture, from quiz.toml.

    >>> [ballot.options[ballot.right] for ballot in quiz()][:2]
    ['390,625', 'four times']
    """
    written = tomllib.loads(Path(__file__).with_name("quiz.toml").read_text(encoding="utf-8"))
    return [Ballot(**one, key=f"quiz.{k}") for k, one in enumerate(written["questions"], start=1)]
