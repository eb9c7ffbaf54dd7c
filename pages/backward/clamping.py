"""Fix any tags by hand, and see every other marginal move; in the lesson on marginals."""

import math
from functools import lru_cache

import streamlit as st

from pages.backward import clamped as figures
from pages.backward.cell_table import Cell, Probabilities, cell_table
from pages.backward.clamped import Clamped
from pages.backward.marginals import marginals
from pages.shared.course.problem import Problem
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import probability
from pages.shared.ui import computed, fixed_tags
from pages.shared.ui.frame import note
from pages.shared.ui.recursion import Recursion

PAGE = "backward"


def fixed(problem: Problem) -> tuple[int, ...]:
    """[m] The tags that are fixed, −1 where free."""
    held = fixed_tags.fixed(PAGE, problem)
    return tuple(held.get(t, fixed_tags.FREE) for t in range(len(problem.tokens)))


def toggle(shown: Recursion, cell: Cell) -> None:
    """Fix a tag, or free it if it was fixed."""
    s, t = cell
    is_fixed = fixed_tags.fixed(PAGE, shown.problem).get(t) == s
    fixed_tags.fix(PAGE, shown.problem, t, fixed_tags.FREE if is_fixed else s)
    shown.publish()


def free_all(shown: Recursion) -> None:
    """Fix nothing."""
    fixed_tags.free_all(PAGE, shown.problem)
    shown.publish()


@lru_cache(maxsize=64)
def clamp(problem: Problem, tags: tuple[int, ...]) -> Clamped:
    """The chain with these tags fixed."""
    import torch

    chain = computed.reading(problem).chain
    clamped = chain.clamp(torch.tensor([tags]))
    log_z = clamped.log_partition.item()
    return Clamped(
        tags,
        clamped.marginals[0].tolist(),
        log_z,
        min(log_z - chain.log_partition.item(), 0.0),
        log_z > -math.inf,
    )


def section(shown: Recursion) -> None:
    """The heat map in which tags are fixed."""
    st.header("Fix a tag, and all others move", anchor=False)
    if shown.tells:
        st.html(
            prose(
                "To fix tags is to forbid all paths that have others there: the tags are "
                "clamped, and one conditions on them. The sum over the paths that "
                "are left, divided by Z, is the probability of the fixed tags. Because "
                "information runs both ways along the chain, a tag fixed at one end is felt at the "
                "other."
            )
        )
    with shown.results("Fix tags"):
        _section(shown)


@st.fragment
def _section(shown: Recursion) -> None:
    problem, before = shown.problem, marginals(shown.problem)
    now = clamp(problem, fixed(problem))
    tags, tokens = problem.tags, problem.tokens
    by_tag = list(zip(*now.unary, strict=True))
    old = list(zip(*before.unary, strict=True))

    def about(i: int, j: int) -> str:
        state = "fixed, pick to free" if now.fixed[j] == i else "pick to fix"
        was = f", was {probability(old[i][j])}" if any(s >= 0 for s in now.fixed) else ""
        place = f"{figures.word(tokens, j)}, {tags[i]}"
        return f"{place}: {probability(by_tag[i][j])}{was}; {state}"

    cell_table(
        Probabilities(
            "Marginal probabilities given the fixed tags; pick a cell to fix its tag",
            tags,
            tokens,
            by_tag,
            about,
            {(s, t) for t, s in enumerate(now.fixed) if s >= 0},
            texts=figures.moved(by_tag, old),
        ),
        key="backward.clamped",
        on_pick=lambda cell: toggle(shown, cell),
    )
    note(
        "Pick a cell to fix its tag, pick it again to free it. ▲ and ▼: more or less probable than "
        "with nothing fixed."
    )
    if any(s >= 0 for s in now.fixed):
        if now.feasible:
            note(
                f"The map now shows p(· | {figures.named(problem, now)}): probabilities given "
                "what you fixed."
            )
        st.button("Free all", key="backward.free", on_click=free_all, args=(shown,))
    message = figures.impossible(problem, now, before.log_total)
    if message:
        st.warning(message)
    else:
        st.html(prose(*figures.told(problem, now, before)))
