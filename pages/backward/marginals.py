"""The sections of the lesson "Backward and marginals" on α · β, the heat maps and entropies."""

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from pages.backward import marginal_figures as figures
from pages.backward import prose as backward_prose
from pages.backward.cell_table import Cell, Probabilities, cell_table
from pages.backward.prose import word
from pages.shared.course.marginals import Marginals
from pages.shared.course.problem import Problem
from pages.shared.figures import cost, tables
from pages.shared.figures.narration import printable
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import probability
from pages.shared.ui import computed, menu, problem_state, question, stepping
from pages.shared.ui.frame import note
from pages.shared.ui.options import CONVENTION
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.stepper import At

CELL, PAIR, PLACE = "backward.cell", "backward.pair", "backward.place"  # what is picked


@lru_cache(maxsize=32)
def marginals(problem: Problem, convention: str = "state", semiring: str = "sum") -> Marginals:
    """What forward and backward say together."""
    forward = "forward" if semiring == "sum" else "viterbi"
    return Marginals(
        computed.trace(problem, forward, convention, semiring),
        computed.trace(problem, "backward", convention, semiring),
    )


def follower(shown: Recursion) -> Callable[..., list[str]]:
    """The prose that follows the step, for `recursion.step_by_step`."""
    total = marginals(shown.problem, CONVENTION.value, shown.semiring).log_total
    return lambda trace, step, space, _: backward_prose.follow(trace, step, space, total)


def column(shown: Recursion, at: At) -> None:
    """α · β of the token on screen; β as far as the reader has come."""
    if "answers" in shown.view.hide:
        return
    convention = CONVENTION.value
    both = marginals(shown.problem, convention, shown.semiring)
    step = shown.trace.steps[at.step]
    is_cell = step.kind == "cell"
    t = step.token if is_cell else 0
    known = (step.row if is_cell else 0) if at.asked else step.row + 1 if is_cell else both.S
    st.html(figures.column_table(both, t, shown.space, known, step.row if is_cell else None))
    if not shown.tells:
        return
    what = "all paths" if shown.semiring == "sum" else "the best path"
    note(
        f"{figures.joined(both, t, shown.space)} for {word(both.alpha.tokens, t)}: {what} through "
        "each tag, from START to END. The table follows the step; a tag’s β is open until it is "
        "computed."
    )
    if convention != "pair" and not at.asked:
        s = step.row if is_cell else max(range(both.S), key=lambda s: both.product(t, s))
        forms = (marginals(shown.problem, form, shown.semiring) for form in ("state", "message"))
        st.html(prose(backward_prose.emission_between(*forms, t, s, shown.space)))


def sums(shown: Recursion) -> None:
    """Every column adds up to Z, with what rounding leaves."""
    convention = CONVENTION.value
    both = marginals(shown.problem, convention, shown.semiring)
    held = "all paths" if shown.semiring == "sum" else "the best path"
    st.header(f"Every column holds {held}", anchor=False)
    if "equation" not in shown.view.hide and shown.semiring == "sum":
        st.html(figures.formula(convention))
    if shown.tells:
        st.html(
            prose(
                "Every path goes through exactly one tag of a token. So the products "
                f"{figures.product(convention)} of any column add up to Z, the same number in "
                f"each. {_divided(convention, shown.reading.feasible)}"
            )
            if shown.semiring == "sum"
            else prose(
                "Every path goes through exactly one tag of a token, the best one, too. So the "
                "largest number of any column belongs to the best path, and is the same in each."
            )
        )
    with shown.results("Show the sums"):
        header = ["", *map(printable, both.alpha.tokens)]
        caption = "The total of each column, and its residual"
        st.html(wrapped(tables.text_table(header, figures.sums_rows(both), caption)))


def _divided(convention: str, feasible: bool) -> str:
    if not feasible:
        return (
            "Here no path is allowed, so every product is 0, and Z, too. Divided by Z it would be "
            "0/0, which is no number: no tag has a probability."
        )
    alpha = figures.alpha(convention)
    return (
        f"Divided by it they are probabilities, and only then: neither {alpha} nor β alone is "
        f"one. {alpha} has not seen what follows, β not what came before."
    )


def wrapped(table: str) -> str:
    """A table whose long row names break into lines where there is little room."""
    return f'<div class="crf-long-names">{table}</div>'


# ---------------------------------------------------------------------- heat maps


def unary(shown: Recursion) -> None:
    """p(y_t = s | x) of every tag of every token; a cell opens."""
    st.header("Marginals: how probable is each tag?", anchor=False)
    with shown.results("Show the marginals"):
        _unary(shown)


@st.fragment
def _unary(shown: Recursion) -> None:
    both = marginals(shown.problem)
    tokens, tags = both.alpha.tokens, both.alpha.tags
    middle = both.m // 2
    likeliest = max(range(both.S), key=both.unary[middle].__getitem__)
    t, s = _picked(CELL, both.m, both.S, (middle, likeliest))
    by_tag = list(zip(*both.unary, strict=True))
    cell_table(
        Probabilities(
            "Marginal probabilities, tags by tokens; pick a cell to open it",
            tags,
            tokens,
            by_tag,
            lambda i, j: f"{word(tokens, j)}, {tags[i]}: {probability(by_tag[i][j])}",
            {(s, t)},
            footer=[("sum", [f"{sum(column):.4f}" for column in both.unary])],
        ),
        key="backward.unary",
        on_pick=lambda cell: st.session_state.__setitem__(CELL, (cell[1], cell[0])),
    )
    gap = _against_the_core(shown, both)
    _always_state(shown)
    note(
        "Pick a cell, by mouse or with the arrow keys and Enter, to see what it is made of. "
        "Computed a second time, by the program that trains taggers: the largest difference is "
        f"{gap}."
    )
    st.html(figures.column_table(both, t, "log", both.S, s, "picked cell"))
    st.html(prose(figures.cell_told(both, t, s)))
    neighbours = figures.neighbours_table(both, t, s)
    if neighbours and shown.reading.feasible:
        st.html(wrapped(neighbours))
        note(
            "What its neighbours are once this tag is known: a row, or a column, of the next table "
            "divided by its sum."
        )
    alpha = figures.alpha(CONVENTION.value)
    with st.container(horizontal=True):
        if st.button("Show its β in the stepper above", key="backward.to-beta"):
            stepping.go_to("backward.stepper", _step_of(shown.trace, t, s))
            st.rerun()
        if st.button(f"Show its {alpha} in the lesson Forward", key="backward.to-alpha"):
            forward = computed.trace(shown.problem, "forward", CONVENTION.value, "sum")
            stepping.go_to("forward.stepper", _step_of(forward, t, s))
            menu.go("forward")


def _always_state(shown: Recursion) -> None:
    """That the convention on screen changes the recursion alone."""
    convention = CONVENTION.value
    if convention != "state" or shown.semiring == "max":
        above = f"is in {convention} form" if convention != "state" else "takes maxima"
        if convention != "state" and shown.semiring == "max":
            above += " and takes maxima"
        note(
            f"The trellis above {above}. From here on all is computed in state form, with sums: "
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


def _against_the_core(shown: Recursion, both: Marginals) -> str:
    core = shown.reading.chain.marginals[0].tolist()
    pairs = zip(core, both.unary, strict=True)
    return cost.shared(max(abs(p - q) for row in pairs for p, q in zip(*row, strict=True)))


def _picked(slot: str, first: int, second: int, usual: Cell) -> Cell:
    """What is picked, if this problem has it."""
    kept = st.session_state.get(slot)
    if isinstance(kept, tuple) and kept[0] < first and kept[1] < second:
        return kept
    return usual


def pairwise(shown: Recursion) -> None:
    """p(y_t = a, y_(t+1) = b | x) of two neighbours; a cell opens."""
    if len(shown.problem.tokens) < 2:
        return
    st.header("Two neighbours at once", anchor=False)
    with shown.results("Show the pairs"):
        _pairwise(shown)


@st.fragment
def _pairwise(shown: Recursion) -> None:
    both = marginals(shown.problem)
    tokens, tags = both.alpha.tokens, both.alpha.tags
    places = range(both.m - 1)
    if st.session_state.get(PLACE) not in places:
        st.session_state[PLACE] = 0
    t = st.selectbox(
        "Neighbours",
        places,
        format_func=lambda t: f"{word(tokens, t)} and {word(tokens, t + 1)}",
        key=PLACE,
        persist_state="session",
        width=340,
    )
    pairs = both.pairs(t)
    every = [(a, b) for a in range(both.S) for b in range(both.S)]
    likeliest = max(every, key=lambda cell: pairs[cell[0]][cell[1]])
    a, b = _picked(PAIR, both.S, both.S, likeliest)
    left, right = word(tokens, t), word(tokens, t + 1)
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
        on_pick=lambda cell: st.session_state.__setitem__(PAIR, cell),
    )
    note(
        f"Rows: the tag of {left}; columns: that of {right}. Summed over a row or a column it is "
        "the tag’s own marginal; largest difference from the table above: "
        f"{cost.shared(figures.pair_residual(both, t))}."
    )
    st.html(prose(figures.pair_told(both, t, a, b)))
    if shown.reading.feasible:
        st.html(wrapped(figures.pair_slices_table(both, t, a, b)))
    if st.button("Show this step in the stepper above", key="backward.to-pair"):
        stepping.go_to("backward.stepper", _step_of(shown.trace, t, a))
        st.rerun()


# ---------------------------------------------------------------------- entropies


def uncertainty(shown: Recursion) -> None:
    """The entropy of each token and of the chain, after a guess."""
    both = marginals(shown.problem)
    st.header("How uncertain is it?", anchor=False)
    with shown.results("Show the entropies"):
        found = figures.entropies(both.unary)
        right = max(range(both.m), key=found.__getitem__)
        names = [word(both.alpha.tokens, t) for t in range(both.m)]
        if both.m > 1 and not question.guess(
            "Read the heat map: which token’s tag is least certain?",
            names,
            right,
            key="backward.guess",
            subject=("least certain", problem_state.origin().label, both.m),
            why=f"{names[right]} has the largest entropy.",
        ):
            return
        header = ["", *map(printable, both.alpha.tokens)]
        caption = "Entropy of each token’s tag"
        mark = {(0, right + 1)}
        rows = figures.entropy_rows(both.unary)
        st.html(wrapped(tables.text_table(header, rows, caption, mark)))
        if shown.tells:
            chain = shown.reading.chain.entropy.item()
            st.html(prose(*figures.entropy_told(both, chain)))
