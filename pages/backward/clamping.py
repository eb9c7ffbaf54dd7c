"""Fix any tags by hand, and see every other marginal move; in the lesson on marginals."""

import math
from functools import lru_cache

import streamlit as st
import torch

from pages.backward import clamped as figures
from pages.backward.cell_table import Cell
from pages.backward.clamped import Clamped
from pages.backward.marginals import marginals
from pages.shared.course.problem import Problem
from pages.shared.figures import flow as flows
from pages.shared.figures.narration import printable
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import log_probability
from pages.shared.ui import computed, fixed_tags
from pages.shared.ui.flow import flow
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.stepper import At

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


def flow_of_paths(shown: Recursion, problem: Problem, at: At) -> None:
    """All paths at once, given the tags that are fixed; a click on a block fixes its tag."""
    if "answers" in shown.view.hide:
        return
    held = {t: s for t, s in enumerate(fixed(problem)) if s >= 0}
    chain = computed.reading(problem).chain
    if held:
        chain = chain.clamp(torch.tensor([fixed(problem)]))
    if not chain.feasible[0]:
        return

    def hold(t: int, tag: str) -> None:
        if tag in problem.tags:
            toggle(shown, (problem.tags.index(tag), t))
            st.session_state[f"{shown.key}·changed"] = True

    picture = flows.of_chain(
        chain,
        [printable(tag) for tag in problem.tags],
        [printable(token) for token in problem.tokens],
        held=held,
        label="All paths at once; width is probability",
        hint="Click a block to fix its tag, click it again to free it.",
    )
    with st.container(key="shows-flow"):
        flow(picture, key="backward.flow", on_choice=hold, height=170)


def told(shown: Recursion) -> None:
    """What the flow shows, and what the fixed tags do to it."""
    shown.say("flow")
    if "answers" in shown.view.hide:
        return
    problem, before = shown.problem, marginals(shown.problem)
    now = clamp(problem, fixed(problem))
    if not any(s >= 0 for s in now.fixed):
        return
    st.button("Free all", key="backward.free", on_click=free_all, args=(shown,))
    if now.feasible:
        shown.say("fixed", p=log_probability(now.log_p))
        with shown.fold("What moved", key="moved") as is_open:
            if is_open:
                st.html(prose(*figures.told(problem, now, before)))
    else:
        st.warning(figures.impossible(problem, now, before.log_total) or "")
