"""The controls of the lesson: which sentences, sum or max, the axis, what is done to the batch."""

from pages.batches.batch import OPERATIONS, Batch, parse, presets, say
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.ui.controls import Choice, Flag, InvalidError, Value


def _rows(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidError(say("sentences.lines"))
    try:
        return value and "\n".join(map(" ".join, parse(value)))
    except ProblemError as why:
        raise InvalidError(f"{str(why).capitalize()}.") from None


def _operations(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(one in OPERATIONS for one in value):
        return tuple(name for name in OPERATIONS if name in value)
    raise InvalidError(f"There are {', '.join(OPERATIONS)}.")


PRESET = Choice(
    "batches.preset", "ragged", address="batch",
    labels={name: title for name, (title, _) in presets(Problem.blank(["A"], ["x"])).items()},
)  # fmt: skip
ROWS = Value("batches.rows", "", address="rows", checked=_rows)  # "": the preset's
MAX = Flag("batches.max", False, address="max")
AXIS = Choice(
    "batches.axis", "1", address="axis",
    labels={"1": "from, dim 1", "2": "to, dim 2", "0": "b, dim 0"},
)  # fmt: skip
CHANGES: Value[tuple[str, ...]] = Value(
    "batches.changes", (), address="changes", checked=_operations,
    reads=lambda text: _operations(text.split("~")), writes="~".join,
)  # fmt: skip
MULTIPLY = Flag("batches.multiply", False, address="multiply")
CONTROLS = (PRESET, ROWS, MAX, AXIS, CHANGES, MULTIPLY)


def current(problem: Problem) -> Batch:
    """The batch on screen."""
    return Batch.of(problem, ROWS.value or presets(problem)[PRESET.value][1])
