"""The controls of the lesson: how the product is bracketed, sum or max."""

from pages.cost.tree import SHAPES, Order, is_order, shaped
from pages.cost.tree_picture import told
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.ui.controls import Flag, InvalidError, Value


def _checked(value: object) -> str:
    if isinstance(value, str) and len(value) <= 4 * LARGEST_TOKENS:
        parts = value.split(".")
        are_gaps = all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts)
        if value in SHAPES or (are_gaps and is_order(list(map(int, parts)), len(parts) + 1)):
            return value
    raise InvalidError(told("tree-words.expected", shapes=", ".join(SHAPES)))


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
