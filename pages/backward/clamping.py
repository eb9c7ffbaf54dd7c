"""Tags fixed by hand, and how every other marginal moves: arrows, sentences, the flow."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import streamlit as st
import torch

from crf.figures.flow import payload as flows
from crf.figures.flow.payload import Payload
from crf.figures.heat.payload import Probabilities
from crf.figures.trellis.narration import printable, quoted, tagged
from pages.backward import alpha_beta_meeting
from pages.backward.sections import both_ways
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.numbers import digits_that_give
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import prose
from pages.shared.figures.theme import log_probability, number, probability, table_probability
from pages.shared.ui import computed, fixed_tags, marginal_views
from pages.shared.ui.flow import flow
from pages.shared.ui.recursion import Pictures, Recursion

VISIBLE = 0.005  # a change of a probability that two decimals show
MOST_TOLD = 3


class Clamped(NamedTuple):
    """A chain with some tags fixed."""

    fixed: tuple[int, ...]  # [m] tag indices, −1 where free
    unary: list[list[float]]  # [m][S] probabilities, given the fixed tags
    log_z: float  # log of the sum over the paths that are left
    log_p: float  # log-probability of the fixed tags
    feasible: bool  # whether a path is left


def moved(now: Sequence[Sequence[float]], old: Sequence[Sequence[float]]) -> list[list[str]]:
    """The probabilities, each with an arrow if it has moved visibly.

    >>> moved([[0.9, 0.5]], [[0.2, 0.5]])
    [['▲ .90', '.50']]
    """
    return [
        [_arrow(p - q) + table_probability(p) for p, q in zip(*rows, strict=True)]
        for rows in zip(now, old, strict=True)
    ]


def _arrow(change: float) -> str:
    if abs(change) < VISIBLE:
        return ""
    return "▲ " if change > 0 else "▼ "


def impossible(problem: Problem, now: Clamped, log_z: float) -> str:
    """Why there is nothing to see, if so."""
    if log_z == -math.inf:
        return "No path is allowed here, with or without fixed tags."
    if now.feasible:
        return ""
    return (
        f"No allowed path has {named(problem, now)}: the probability of these tags together is 0. "
        "Nothing can be conditioned on what cannot happen; free one of them."
    )


def what_moved(problem: Problem, now: Clamped, before: Marginals) -> list[str]:
    """The probability of what is fixed, and what has moved most."""
    if all(s < 0 for s in now.fixed):
        t = max(range(before.m), key=lambda t: entropy(before.unary[t]))
        s = sorted(range(before.S), key=lambda s: -before.unary[t][s])[min(1, before.S - 1)]
        return [
            "Nothing is fixed: these are the marginals from above. Where it is least certain most "
            f"will move: try {tagged(problem, t, s)}."
        ]
    digits = digits_that_give(now.log_z, before.log_total)
    minus = number(before.log_total, digits)
    minus = f"− {minus}" if before.log_total >= 0 else f"+ {minus[1:]}"
    first = (
        f"p({named(problem, now)}) = exp(log Z of what is left − log Z) = "
        f"exp({number(now.log_z, digits)} {minus}) = {log_probability(now.log_p)}."
    )
    changes = sorted(
        (
            (abs(p - before.unary[t][s]), t, s)
            for t, row in enumerate(now.unary)
            for s, p in enumerate(row)
            if now.fixed[t] < 0
        ),
        key=lambda change: (-change[0], *change[1:]),
    )
    largest = [change for change in changes if change[0] >= VISIBLE][:MOST_TOLD]
    if not largest:
        return [first, "No other tag has moved visibly."]
    moves = "; ".join(
        f"{quoted(problem.tokens, t)} {printable(problem.tags[s])} "
        f"{probability(before.unary[t][s])} → {probability(now.unary[t][s])}"
        for _, t, s in largest
    )
    return [first, f"What has moved most: {moves}."]


def named(problem: Problem, now: Clamped) -> str:
    """What is fixed, token by token."""
    return ", ".join(tagged(problem, t, s) for t, s in enumerate(now.fixed) if s >= 0)


PAGE = "backward"
_FLOW, _HEAT = "backward.flow", "backward.heat"


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


@lru_cache(maxsize=16)
def clamp(problem: Problem, tags: tuple[int, ...]) -> Clamped:
    """The chain with these tags fixed."""
    chain = computed.summary(problem).chain
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
    """All paths at once, given the tags that are fixed, or as the meeting of α̂ and β."""
    held = fixed(problem)

    def hold(t: int, tag: str) -> None:
        if tag in problem.tags:
            toggle(shown, (problem.tags.index(tag), t))
            shown.changed.set(True)

    if "answers" in shown.view.hide:
        return lambda moved: {}
    view = marginal_views.switch(PAGE) if shown.asks else marginal_views.VIEW[PAGE].value
    with st.container(key="shows-flow"):
        if view == "meet":
            return alpha_beta_meeting.in_the_page(shown, problem)
        if view != "flow":
            marginal_views.draw(view, _heat_map(problem, held), key=_HEAT, on_choice=hold)
            return lambda moved: {_HEAT: marginal_views.heat_payload(_heat_map(moved, held))}
        if picture := _flow(problem, held):
            flow(picture, key=_FLOW, on_choice=hold, height=130)
    return lambda moved: {_FLOW: _flow(moved, held)}


def _heat_map(problem: Problem, held: tuple[int, ...]) -> Probabilities:
    is_held = {t: s for t, s in enumerate(held) if s >= 0}
    return marginal_views.heat_map(
        problem.tags, problem.tokens, clamp(problem, held).unary, is_held
    )


def _flow(problem: Problem, held: tuple[int, ...]) -> Payload | None:
    """None where no path is allowed."""
    chain = computed.summary(problem).chain
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
        how="Click a block to fix its tag, click it again to free it.",
    )


def section(shown: Recursion) -> None:
    """What the flow shows, and what the fixed tags do to it."""
    shown.say("flow")
    if "answers" in shown.view.hide:
        return
    problem, before = shown.problem, both_ways(shown.problem)
    now = clamp(problem, fixed(problem))
    if not any(s >= 0 for s in now.fixed):
        return
    st.button("Free all", key="backward.free", on_click=free_all, args=(shown,))
    if now.feasible:
        shown.say("fixed", p=log_probability(now.log_p))
        with shown.fold("What moved most?", key="moved") as is_open:
            if is_open:
                st.html(prose(*what_moved(problem, now, before)))
    else:
        st.warning(impossible(problem, now, before.log_total) or "")
