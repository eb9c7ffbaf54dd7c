"""The sections of the lesson "Backward and marginals" on α · β, the heat maps and entropies."""

from functools import lru_cache
from typing import Any

import streamlit as st

from crf.figures.trellis.narration import printable, quoted
from crf.figures.trellis.notation import NOTATIONS, Space
from crf.steps import Trace
from pages.backward import step_explanations
from pages.shared.course.marginals import Marginals
from pages.shared.course.numbers import format_potential
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import prose
from pages.shared.figures.theme import probability
from pages.shared.ui import computed, fixed_tags, menu, problem_state, question, stepper
from pages.shared.ui.cell_table import Probabilities, cell_table
from pages.shared.ui.controls import by_name
from pages.shared.ui.frame import note
from pages.shared.ui.options import CONVENTION
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.state import SessionValue

CELL, PAIR = (
    SessionValue[tuple]("backward.cell", ()),
    SessionValue[tuple]("backward.pair", ()),
)  # what is picked
_WRITTEN = 4  # terms in a line
PLACE = SessionValue("backward.place", 0)  # the first of two neighbours


@lru_cache(maxsize=8)
def both_ways(problem: Problem, convention: str = "state", semiring: str = "sum") -> Marginals:
    """What forward and backward say together."""
    forward = "forward" if semiring == "sum" else "viterbi"
    return Marginals(
        computed.trace(problem, forward, convention, semiring),
        computed.trace(problem, "backward", convention, semiring),
    )


def follow(trace: Trace, step: int, space: Space, problem: Problem) -> list[str]:
    """What a step means, for `recursion.stepper`."""
    total = both_ways(problem, trace.convention, trace.semiring).log_total
    return step_explanations.follow(trace, step, space, total)


def products(problem: Problem, trace: Trace, space: Space) -> dict[str, Any]:
    """α · β of every tag of every token, as texts, for the stepper."""
    both = both_ways(problem, trace.convention, trace.semiring)
    products = {
        "heads": step_explanations.header(both, 0, space),
        "tags": [printable(tag) for tag in both.alpha.tags],
        "columns": [
            [step_explanations.product_row(both, t, s, space) for s in range(both.S)]
            for t in range(both.m)
        ],
        "shares": both.unary if trace.semiring == "sum" else [],
    }
    return {"products": products}


def meeting(shown: Recursion) -> None:
    """α · β of the token on screen; β as far as the reader has come."""
    alpha = step_explanations.alpha(CONVENTION.value, shown.semiring)
    if shown.semiring == "sum":
        shown.say("meet", alpha=alpha)
    else:
        shown.say("meet-max", alpha=alpha, number=NOTATIONS[shown.space].word("result"))
    if CONVENTION.value == "message":
        shown.say("message")
    st.html(f'<div class="crf-scroll" data-products="{shown.key}" tabindex="0"></div>')


def between(shown: Recursion) -> None:
    """Why two messages need the emission between them, with the numbers of one cell."""
    state = both_ways(shown.problem, "state", shown.semiring)
    message = both_ways(shown.problem, "message", shown.semiring)
    t = state.m // 2
    s = max(range(state.S), key=lambda s: state.product(t, s))
    if shown.tells and "answers" not in shown.view.hide:
        st.html(prose(step_explanations.emission_between(state, message, t, s, shown.space)))


def sums(shown: Recursion) -> None:
    """Every column adds up to Z, with what rounding leaves."""
    both = both_ways(shown.problem, CONVENTION.value, shown.semiring)
    if "equation" not in shown.view.hide and shown.semiring == "sum":
        st.html(step_explanations.formula(CONVENTION.value))
    shown.say("sums" if shown.semiring == "sum" else "sums-max")
    with shown.results("Show the sums"):
        st.html(wrapped(step_explanations.sums_table(both)))


def derived(shown: Recursion) -> None:
    """β by the rearrangement that gives α, with the numbers of one cell."""
    shown.say("derive")
    trace = shown.trace_in("state", "sum")
    tokens, S = trace.tokens, len(trace.tags)
    step = next((k for k in trace.steps if k.kind == "cell" and k.token == len(tokens) - 2), None)
    if step is None or "answers" in shown.view.hide:
        return
    terms = [format_potential(term.log_value) for term in step.terms[:_WRITTEN]]
    shown.say(
        "derive-numbers", word=printable(tokens[step.token]), tag=printable(trace.tags[step.row]),
        terms=" + ".join(terms + ["…"] * (S > _WRITTEN)), value=format_potential(step.log_value),
    )  # fmt: skip


def wrapped(table: str) -> str:
    """A table whose long row names break into lines where there is little room."""
    return f'<div class="crf-long-names">{table}</div>'


# ---------------------------------------------------------------------- heat maps


def unary(shown: Recursion) -> None:
    """p(y_t = s | x) of every tag of every token; a cell opens."""
    with shown.results("Show the marginals"):
        _unary(shown)


@st.fragment
def _unary(shown: Recursion) -> None:
    both = both_ways(shown.problem)
    tokens, tags = both.alpha.tokens, both.alpha.tags
    middle = both.m // 2
    likeliest = max(range(both.S), key=both.unary[middle].__getitem__)
    t, s = _picked(CELL.value, both.m, both.S, (middle, likeliest))
    by_tag = list(zip(*both.unary, strict=True))
    cell_table(
        Probabilities(
            "Marginal probabilities, tags by tokens; pick a cell to open it",
            tags,
            tokens,
            by_tag,
            lambda i, j: f"{quoted(tokens, j)}, {tags[i]}: {probability(by_tag[i][j])}",
            {(s, t)},
            footer=[("sum", [f"{sum(column):.4f}" for column in both.unary])],
        ),
        key="backward.unary",
        on_pick=lambda cell: CELL.set((cell[1], cell[0])),
    )
    _always_state(shown)
    shown.say("unary")
    st.html(step_explanations.column_table(both, t, "log", both.S, s, "picked cell"))
    st.html(prose(step_explanations.cell_told(both, t, s)))
    neighbours = step_explanations.neighbours_table(both, t, s)
    if neighbours and shown.summary.feasible:
        st.html(wrapped(neighbours))
        note(
            "What its neighbours are once this tag is known: a row, or a column, of the next table "
            "divided by its sum."
        )
    alpha = step_explanations.alpha(CONVENTION.value)
    with st.container(horizontal=True):
        at = ("backward.stepper", _step_of(shown.trace, t, s))
        if st.button(
            "Show its β in the trellis", key="backward.to-beta", on_click=stepper.go_to, args=at
        ):
            st.rerun()  # the trellis stands outside of the fragment
        if st.button(f"Show its {alpha} in the lesson Forward", key="backward.to-alpha"):
            forward = computed.trace(shown.problem, "forward", CONVENTION.value, "sum")
            stepper.go_to("forward.stepper", _step_of(forward, t, s))
            menu.go("forward")


def _always_state(shown: Recursion) -> None:
    """That the convention on screen changes the recursion alone."""
    convention = CONVENTION.value
    if convention != "state" or shown.semiring == "max":
        above = f"is in {convention} form" if convention != "state" else "takes maxima"
        if convention != "state" and shown.semiring == "max":
            above += " and takes maxima"
        note(
            f"The trellis {above}. The table below is computed in state form, with sums: "
            "p = α̂ · β / Z, where α̂ is forward’s cell with the token’s own emission in it. The "
            "probabilities are the same in every form."
        )


def _step_of(trace, t: int, s: int) -> int:
    """The step that computes a cell; where the token has no column, the total."""
    found = (
        k
        for k, step in enumerate(trace.steps)
        if step.kind == "total" or (step.token, step.row) == (t, s)
    )
    return next(found)


def _picked(kept: tuple, first: int, second: int, usual: Cell) -> Cell:
    """What is picked, if this problem has it."""
    return kept if kept and kept[0] < first and kept[1] < second else usual


def pairwise(shown: Recursion) -> None:
    """p(y_t = a, y_(t+1) = b | x) of two neighbours; a cell opens."""
    with shown.results("Show the pairs"):
        _pairwise(shown)


@st.fragment
def _pairwise(shown: Recursion) -> None:
    both = both_ways(shown.problem)
    tokens, tags = both.alpha.tokens, both.alpha.tags
    neighbours = [f"{quoted(tokens, t)} and {quoted(tokens, t + 1)}" for t in range(both.m - 1)]
    t = by_name("Neighbours", PLACE, neighbours, width=340)
    pairs = both.pairs(t)
    every = [(a, b) for a in range(both.S) for b in range(both.S)]
    likeliest = max(every, key=lambda cell: pairs[cell[0]][cell[1]])
    a, b = _picked(PAIR.value, both.S, both.S, likeliest)
    left, right = quoted(tokens, t), quoted(tokens, t + 1)
    cell_table(
        Probabilities(
            f"Probabilities of the tags of {left} and {right} together; pick a cell to open it",
            tags,
            tags,
            pairs,
            lambda i, j: f"{left} {tags[i]}, {right} {tags[j]}: {probability(pairs[i][j])}",
            {(a, b)},
            sums=("sum", [f"{sum(row):.4f}" for row in pairs]),
            footer=[("sum", [f"{sum(column):.4f}" for column in zip(*pairs, strict=True)])],
            corner="from ↓ to →",
        ),
        key="backward.pairs",
        on_pick=PAIR.set,
    )
    shown.say("pairs", left=left, right=right)
    st.html(prose(step_explanations.pair_told(both, t, a, b)))
    if shown.summary.feasible:
        st.html(wrapped(step_explanations.pair_slices_table(both, t, a, b)))
    at = ("backward.stepper", _step_of(shown.trace, t, a))
    if st.button(
        "Show this step in the trellis", key="backward.to-pair", on_click=stepper.go_to, args=at
    ):
        st.rerun()  # the trellis stands outside of the fragment


# ---------------------------------------------------------------------- entropies


def uncertainty(shown: Recursion) -> None:
    """The entropy of each token and of the chain, after a guess."""
    both = both_ways(shown.problem)
    with shown.results("Show the entropies"):
        found = step_explanations.entropies(both.unary)
        most = [t for t, entropy in enumerate(found) if entropy >= max(found) - 1e-9]
        right = most[0]
        names = [quoted(both.alpha.tokens, t) for t in range(both.m)]
        is_held = bool(fixed_tags.fixed("backward", shown.problem))
        where = "With no tag fixed: " if is_held else "In the flow: "
        if (
            both.m > 1
            and len(most) == 1
            and not question.guess(
                f"{where}which token’s tag is least certain?",
                names,
                right,
                key="backward.guess",
                subject=("least certain", problem_state.origin().label, both.m),
                why=f"{names[right]} has the largest entropy.",
            )
        ):
            return
        header = ["", *map(printable, both.alpha.tokens)]
        caption = "Entropy of each token’s tag"
        mark = {(0, t + 1) for t in most}
        rows = step_explanations.entropy_rows(both.unary)
        st.html(wrapped(tables.text_table(header, rows, caption, mark)))
        if shown.tells:
            chain = shown.summary.chain.entropy.item()
            st.html(prose(*step_explanations.entropy_told(both, chain)))
            if max(found) < 1e-9:
                one = shown.summary.has_one_path
                why = "only one path is allowed" if one else "to nine digits it is one path"
                note(f"No token is uncertain here: {why}.")
            elif len(most) > 1:
                note("The framed tokens are the least certain, all of them alike.")
