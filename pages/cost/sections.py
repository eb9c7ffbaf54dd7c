"""The parts of the lesson: growth, the tree, the crossover, two spaces, a question."""

import math
from collections.abc import Callable
from itertools import chain
from typing import TypeVar

import streamlit as st

from crf.figures.numbers import counted
from pages.cost import crossover, spaces, tree_picture
from pages.cost.tree import (
    SHAPES,
    Order,
    Tree,
    is_order,
    moved,
    multiplied,
    sequential_cost,
    shaped,
    tree_cost,
)
from pages.cost.tree_picture import say
from pages.shared.course import measuring
from pages.shared.course.examples import DEFAULT
from pages.shared.course.measuring import duration
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.figures import growth, tables, theme
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import case
from pages.shared.ui import client_values, drawing, problem_bar, question
from pages.shared.ui.client_values import clamp_step
from pages.shared.ui.component import component
from pages.shared.ui.controls import Flag, InvalidError, Value
from pages.shared.ui.exports import Table
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.question import Verdict

_TREE = component("product_tree", "pages/cost/product_tree", triggers=["move"])
T = TypeVar("T")
_PLAIN_CHART = {"displayModeBar": False}


def _checked(value: object) -> str:
    if isinstance(value, str) and len(value) <= 4 * LARGEST_TOKENS:
        parts = value.split(".")
        are_gaps = all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts)
        if value in SHAPES or (are_gaps and is_order(list(map(int, parts)), len(parts) + 1)):
            return value
    raise InvalidError(say("tree-words.expected", shapes=", ".join(SHAPES)))


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


def growing(lesson: Lesson) -> None:
    """|S|^m and m·|S|² in seconds of this machine."""
    S, m = len(lesson.problem.tags), len(lesson.problem.tokens)
    found = growth.growth(S)
    picture, text = lesson.split()
    with picture:
        drawing.draw(growth.drawing(found, S, m), key="cost.growth")
    with text:
        if S == 1:
            lesson.say("growth-one")
        else:
            lesson.say("growth", tags=S, **found.facts())
            lesson.say("why", square=S * S, tags=S)


@st.fragment
def tree(lesson: Lesson) -> None:
    """The product of matrices, with brackets to drag."""
    problem, is_max = lesson.problem, MAX.value
    S, m = len(problem.tags), len(problem.tokens)
    picture, text = lesson.split("tree")
    with picture:
        if lesson.asks:
            with st.container(horizontal=True, vertical_alignment="center"):
                for name, title in SHAPES.items() if m > 2 else ():
                    key, choose = f"cost.shape.{name}", TREE.set
                    st.button(title, key=key, on_click=choose, args=(name,))
                is_max = MAX.widget("max")
        found = multiplied(problem, order(m), "max" if is_max else "sum")
        symbol = "best score" if is_max else "log Z"
        _component(lesson, found, symbol)
    with text:
        lesson.say("tree", plus="max" if is_max else "logsumexp")
        if m > 2:
            lesson.say("price", total=symbol, tags=S)
        else:
            lesson.say("no-brackets", words=counted(m, "word"), tags=S)
        one, many = sequential_cost(m, S), tree_cost(found, S)
        rows = [
            [name, str(cost.rounds), theme.count(cost.operations)]
            for name, cost in (("one after the other", one), ("this tree", many))
        ]
        st.html(tables.text_table(["", "rounds", "products"], rows, "Depth and work"))
    lesson.publish()


def _component(lesson: Lesson, found: Tree, symbol: str) -> None:
    """Draw the tree; take over which node is looked at, and which bracket was moved."""
    problem = lesson.problem
    last = len(found.nodes) - 1

    def on_move() -> None:
        if step := checked_move(client_values.state("cost.product", "move"), len(problem.tokens)):
            keep(moved(order(len(problem.tokens)), step[0], up=step[1]))

    asked = client_values.state("cost.product", "node")
    inner = [k for k, node in enumerate(found.nodes) if node.children and node.first]
    chosen = clamp_step(asked, last, default=inner[0] if inner else last)
    _TREE(
        key="cost.product",
        data=tree_picture.drawing(problem, found, chosen, symbol),
        on_node_change=lambda: None,
        on_move_change=on_move,
    )


def checked_move(said: object, m: int) -> tuple[int, bool] | None:
    """Which bracket the browser says was moved, and whether up; None for anything else.

    >>> checked_move([1, True], 5), checked_move([4, True], 5), checked_move("[0, 1]", 5)
    ((1, True), None, None)
    """
    match said:
        case [gap, bool(up)] if type(gap) is int and 0 <= gap < m - 1:
            return gap, up
    return None


@st.fragment
def crossing(lesson: Lesson) -> None:
    """Scan, plain code and kernels, measured when asked for."""
    lesson.say("crossover")
    if not question.guess(
        say("ask.where"),
        [say(f"ask.{answer}") for answer in ("everywhere", "long", "wide", "nowhere")],
        right=1,
        key="cost.crossover-guess",
        subject="crossover",
        why=say("ask.starts"),
    ):
        return
    times = crossover.measured
    _measured("all", "cost.measure", times, crossover.times)
    if not times:
        return
    wins, sizes = crossover.wins(times, "plain")
    kernel_wins, kernel_sizes = crossover.wins(times, "kernels")
    kernels = case("measuring.no-kernels")
    if kernel_sizes:
        kernels = case("measuring.kernels", wins=kernel_wins, sizes=kernel_sizes)
    lesson.say("crossover-seen", wins=wins, sizes=sizes, kernels=kernels)
    columns = st.columns(2 if kernel_sizes else 1)
    for column, way in zip(columns, ("plain", "kernels"), strict=False):
        with column:
            drawn = crossover.figure(times, way)
            st.plotly_chart(drawn, key=f"cost.crossover.{way}", config=_PLAIN_CHART)
    if sizes < len(crossover.LENGTHS) * len(crossover.TAGS):
        note(say("measuring.empty"))


def _measured(asks: str, key: str, kept: list[T], measure: Callable[[], list[T]]) -> None:
    """A button that measures anew; not while another measurement is running."""
    if st.button(say(f"measuring.{asks}"), key=key) and not measuring.renew(kept, measure):
        note(say("measuring.busy"))


@st.fragment
def two_spaces(lesson: Lesson) -> None:
    """Log space and scaled space: what a step costs, what each loses."""
    lesson.say("spaces")
    _measured("step", "cost.step", spaces.measured, spaces.times)
    if spaces.measured:
        header = ["tags", *(say(f"measuring.{name}") for name in ("logs", "scaled")), "ratio"]
        rows = [
            [str(S), duration(in_logs), duration(scaled), f"{in_logs / scaled:.2g}"]
            for S, in_logs, scaled in spaces.measured
        ]
        st.html(tables.text_table(header, rows, say("measuring.rows", rows=spaces.ROWS)))
    lesson.say("spaces-lost")
    header = ["scores ×", "log Z, float64", "log space", "right", "scaled space", "right"]
    rows = []
    for found in spaces.results(lesson.problem):
        row = [str(found.factor), _number(found.exact)]
        for value in (found.in_logs, found.scaled):
            row += [_number(value), "✓" if spaces.good(value, found.exact) else "✗"]
        rows.append(row)
    st.html(tables.text_table(header, rows, say("measuring.spaces")))
    if "✗" not in chain.from_iterable(rows):
        lesson.say("spaces-kept")
        problem_bar.offer(DEFAULT, key="cost.example")


def _number(value: float) -> str:
    return theme.number(value) if abs(value) < 1e7 or math.isinf(value) else f"{value:.3e}"


def check(lesson: Lesson) -> None:
    """One question with numbers of its own."""
    lesson.say("check-yourself")
    m, S = 64, 8
    rounds, products = int(math.log2(m)), (m - 1) * S**3
    hints: dict[float, str] = {m - 1: "steps", rounds + 1: "before", products: "work"}

    def judge(given: float) -> Verdict:
        if given == rounds:
            return Verdict(True, say("check.right", products=products))
        hint = say(f"check.{hints.get(given, 'halves')}")
        return Verdict(False, hint, say("check.solution", rounds=rounds))

    question.number(
        say("check.question", m=m, S=S), judge, key="cost.check", name="rounds",
        helps="answers" not in lesson.view.hide,
    )  # fmt: skip


def exports(lesson: Lesson) -> dict[str, Table]:
    """The tree's products, and what was measured."""
    problem = lesson.problem

    def products() -> Rows:
        semiring = "max" if MAX.value else "sum"
        found = multiplied(problem, order(len(problem.tokens)), semiring)
        names = [f"{a}→{b}" for a in problem.tags for b in problem.tags]
        rows = [
            [node.first + 1, node.last + 1, node.height, *node.matrix.flatten().tolist()]
            for node in found.nodes
        ]
        return [["first", "last", "round", *names], *rows]

    def times() -> Rows:
        return [["tokens", "tags", "way", "seconds"], *crossover.measured]

    return {"Products of the tree": Table.of(products), "Scan and recursion": Table.of(times)}
