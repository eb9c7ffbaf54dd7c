"""The controls of the lesson "Constraints": the table, its turned cells, what is ruled out."""

from pages.constraints.rules import Rules
from pages.shared.course.examples import DEFAULT
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import LessonText
from pages.shared.ui import problem_state
from pages.shared.ui.controls import Choice, Flag, InvalidError, Value
from pages.shared.ui.state import SessionValue, all_asked, goes_with

EXAMPLE = "paris-hilton"
MOST_CELLS = 200  # that can be turned round, or ruled out


def _cells(value: object) -> frozenset[Cell]:
    """Cells of a table as they may come from anywhere."""
    if isinstance(value, frozenset) and len(value) <= MOST_CELLS:
        if all(
            isinstance(cell, tuple) and [type(k) for k in cell] == [int, int] and min(cell) >= 0
            for cell in value
        ):
            return value
    raise InvalidError(LessonText.of("constraints").line("labels.cells"))


def _read_cells(text: str) -> frozenset[Cell]:
    found = set()
    for pair in filter(None, text.split("~")):
        i, _, j = pair.partition(".")
        if not (i.isascii() and i.isdigit() and j.isascii() and j.isdigit() and len(pair) < 8):
            return _cells(None)  # which it is not
        found.add((int(i), int(j)))
    return _cells(frozenset(found))


def _write_cells(cells: frozenset[Cell]) -> str:
    return "~".join(f"{i}.{j}" for i, j in sorted(cells))


def _cells_control(name: str, address: str) -> Value[frozenset[Cell]]:
    return Value(
        f"constraints.{name}",
        frozenset(),
        address=address,
        checked=_cells,
        reads=_read_cells,
        writes=_write_cells,
    )


APPLY = Flag("constraints.apply", False, address="table")

SCHEME = Choice(
    "constraints.scheme",
    "names",
    address="scheme",
    labels={"names": "B, I, O", "all": "All allowed"},  # the first is called after the tags
)
FLIPPED = _cells_control("flipped", "flip")
OUT = _cells_control("out", "out")
CONTROLS = (APPLY, SCHEME, FLIPPED, OUT)
_BEGUN = SessionValue("constraints.begun", False)


def query(problem: Problem) -> dict[str, str]:
    """The example that the other lessons begin with: this one begins with another."""
    origin = problem_state.origin()
    return {"ex": DEFAULT} if origin.query == {"ex": DEFAULT} and problem == origin.problem else {}


def first_example() -> None:
    """Begin with names, where a table helps, unless a reader or a link has chosen."""
    if _BEGUN.value:
        return
    _BEGUN.set(True)
    asked = {*problem_state.ADDRESS_KEYS, *(control.address for control in CONTROLS)}
    if query(problem_state.current()) and not asked & all_asked().keys():
        problem_state.use_example(EXAMPLE)


def begin(problem: Problem) -> None:
    """What was turned round, or ruled out, goes with its tags and its sentence."""
    goes_with((problem.tags, problem.tokens), OUT)
    goes_with(problem.tags, FLIPPED)


def current() -> Rules:
    """The rules on screen."""
    return Rules(SCHEME.value, FLIPPED.value)
