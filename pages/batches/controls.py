"""The controls of the lesson: which sentences, sum or max, the axis, what is done to the batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.batches.batch import Batch, parse, presets
from pages.batches.faults import FAULTS
from pages.batches.operations import OPERATIONS
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.ui.controls import Choice, Flag, InvalidError, Value
from pages.shared.ui.state import SessionValue


def _rows(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidError("Write one sentence a line.")
    try:
        return value if not value else "\n".join(" ".join(row) for row in parse(value))
    except ProblemError as why:
        raise InvalidError(f"{str(why).capitalize()}.") from None


def _operations(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(one in OPERATIONS for one in value):
        return tuple(name for name in OPERATIONS if name in value)
    raise InvalidError(f"There are {', '.join(OPERATIONS)}.")


@dataclass(frozen=True)
class Attempts:
    """What a reader has done on one fault."""

    subject: str = ""  # the batch that it ran on
    line: int = -1  # the line marked when the code ran last; -1: it did not run
    guess: str = ""  # the guess that was judged, a key of `OUTCOMES`
    wrong: frozenset[int] = field(default_factory=frozenset)  # wrong lines so far
    given_up: bool = False  # whether the answer was asked for
    # whether the right line has been marked; it stays so when others are tried later
    found: bool = False


PRESET = Choice(
    "batches.preset",
    "ragged",
    address="batch",
    labels={name: title for name, (title, _) in presets(Problem.blank(["A"], ["x"])).items()},
)
ROWS = Value("batches.rows", "", address="rows", checked=_rows)  # "": the preset's
MAX = Flag("batches.max", False, address="max")
AXIS = Choice(
    "batches.axis",
    "1",
    address="axis",
    labels={"1": "from, dim 1", "2": "to, dim 2", "0": "b, dim 0"},
)
CHANGES: Value[tuple[str, ...]] = Value(
    "batches.changes",
    (),
    address="changes",
    checked=_operations,
    reads=lambda text: _operations(text.split("~")),
    writes="~".join,
)
MULTIPLY = Flag("batches.multiply", False, address="multiply")
BUG = Choice(
    "batches.bug",
    next(iter(FAULTS)),
    address="bug",
    labels={name: str(number) for number, name in enumerate(FAULTS, 1)},
)
WORK = SessionValue[Mapping[str, Attempts]]("batches.work", {})

CONTROLS = (PRESET, ROWS, MAX, AXIS, CHANGES, MULTIPLY, BUG)


def current(problem: Problem) -> Batch:
    """The batch on screen."""
    return Batch.of(problem, ROWS.value or presets(problem)[PRESET.value][1])
