"""The controls of the lesson: how the product is bracketed, sum or max."""

from pages.cost.tree import SHAPES, Order, is_order, shaped
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.ui.controls import Flag, InvalidError, Value

_EXPECTED = f"There are {', '.join(SHAPES)}, or the gaps in the order of merging, as 0.2.1.3."


def _checked(value: object) -> str:
    if not isinstance(value, str) or len(value) > 4 * LARGEST_TOKENS:
        raise InvalidError(_EXPECTED)
    if value not in SHAPES:
        parts = value.split(".")
        if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
            raise InvalidError(_EXPECTED)
        if not is_order([int(part) for part in parts], len(parts) + 1):
            raise InvalidError(_EXPECTED)
    return value


TREE = Value("cost.tree", "balanced", address="tree", checked=_checked)
MAX = Flag("cost.max", False, address="max")
CONTROLS = (TREE, MAX)


def order(m: int) -> Order:
    """The order of merging on screen; balanced, if the one asked for is for another length."""
    value = TREE.value
    if value in SHAPES:
        return shaped(value, m)
    gaps = tuple(int(part) for part in value.split("."))
    return gaps if len(gaps) == m - 1 else shaped("balanced", m)


def keep(gaps: Order) -> None:
    """Show this order from now on."""
    name = next((name for name in SHAPES if shaped(name, len(gaps) + 1) == gaps), "")
    TREE.set(name or ".".join(map(str, gaps)))
