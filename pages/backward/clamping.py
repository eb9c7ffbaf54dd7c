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
from pages.shared.figures.flow import Payload
from pages.shared.figures.narration import printable
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import log_probability
from pages.shared.ui import computed, fixed_tags
from pages.shared.ui.flow import flow
from pages.shared.ui.recursion import Pictures, Recursion

PAGE = "backward"
_FLOW = "backward.flow"


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


def flow_of_paths(shown: Recursion, problem: Problem) -> Pictures:
    """All paths at once, given the tags that are fixed; a click on a block fixes its tag."""
    held = fixed(problem)

    def hold(t: int, tag: str) -> None:
        if tag in problem.tags:
            toggle(shown, (problem.tags.index(tag), t))
            shown.changed.set(True)

    if "answers" in shown.view.hide:
        return lambda moved: {}
    if picture := _flow(problem, held):
        with st.container(key="shows-flow"):
            flow(picture, key=_FLOW, on_choice=hold, height=170)
    return lambda moved: {_FLOW: _flow(moved, held)}


def _flow(problem: Problem, held: tuple[int, ...]) -> Payload | None:
    """None where no path is allowed."""
    chain = computed.reading(problem).chain
    is_held = {t: s for t, s in enumerate(held) if s >= 0}
    if is_held:
        chain = chain.clamp(torch.tensor([held]))
    if not chain.feasible[0]:
        return None
    return flows.of_chain(
        chain,
        [printable(tag) for tag in problem.tags],
        [printable(token) for token in problem.tokens],
        held=is_held,
        label="All paths at once; width is probability",
        hint="Click a block to fix its tag, click it again to free it.",
    )


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
