"""Tags fixed by hand: the flow, heat map or table of the marginals given them, and what is said."""

import streamlit as st
import torch

from crf.chain import LinearChain
from crf.figures.flow import payload as flows
from crf.figures.flow.payload import Payload
from crf.figures.heat.payload import Probabilities
from crf.figures.numbers import digits_that_give
from crf.figures.trellis.narration import printable, tagged
from pages.backward import alpha_beta_meeting
from pages.shared.course.problem import Problem
from pages.shared.figures.path_score import summand
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import log_probability, number
from pages.shared.ui import computed, fixed_tags, marginal_views
from pages.shared.ui.flow import flow
from pages.shared.ui.recursion import Pictures, Recursion

PAGE = "backward"
_FLOW, _HEAT = "backward.flow", "backward.heat"


def clamped(problem: Problem) -> LinearChain:
    """The problem's chain with the tags that the reader has fixed."""
    return _clamp(problem, fixed_tags.fixed(PAGE, problem))


def _clamp(problem: Problem, fixed: fixed_tags.Fixed) -> LinearChain:
    chain = computed.summary(problem).chain
    tags = [fixed.get(t, fixed_tags.FREE) for t in range(len(problem.tokens))]
    return chain.clamp(torch.tensor([tags])) if fixed else chain


def view_of_paths(shown: Recursion, problem: Problem) -> Pictures:
    """The marginals given the tags that are fixed, or the meeting of α̂ and β."""
    fixed = fixed_tags.fixed(PAGE, problem)

    def hold(t: int, tag: str) -> None:
        if tag in problem.tags:
            s = problem.tags.index(tag)
            fixed_tags.fix(PAGE, problem, t, fixed_tags.FREE if fixed.get(t) == s else s)
            shown.publish()
            shown.changed.set(True)

    if "answers" in shown.view.hide:
        return lambda moved: {}
    view = marginal_views.switch(PAGE) if shown.asks else marginal_views.VIEW[PAGE].value
    with st.container(key="shows-flow"):
        if view == "meet":
            return alpha_beta_meeting.in_the_page(shown, problem)
        if view != "flow":
            marginal_views.draw(view, _heat_map(problem, fixed), key=_HEAT, on_choice=hold)
            return lambda moved: {_HEAT: marginal_views.heat_payload(_heat_map(moved, fixed))}
        if picture := _flow(problem, fixed):
            flow(picture, key=_FLOW, on_choice=hold, height=alpha_beta_meeting.HEIGHT)
    return lambda moved: {_FLOW: _flow(moved, fixed)}


def _heat_map(problem: Problem, fixed: fixed_tags.Fixed) -> Probabilities:
    marginals = _clamp(problem, fixed).marginals[0].tolist()
    return marginal_views.heat_map(problem.tags, problem.tokens, marginals, fixed)


def _flow(problem: Problem, fixed: fixed_tags.Fixed) -> Payload | None:
    """None where no path is allowed."""
    chain, line = _clamp(problem, fixed), LessonText.of(PAGE).line
    if not chain.feasible[0]:
        return None
    return flows.of_chain(
        chain,
        [printable(tag) for tag in problem.tags],
        [printable(token) for token in problem.tokens],
        held=fixed,
        label=line("labels.flow"),
        how=line("labels.fix"),
    )


def section(shown: Recursion) -> None:
    """What the flow shows, and how probable the fixed tags are together."""
    shown.say("flow")
    problem, line = shown.problem, shown.text.line
    fixed = fixed_tags.fixed(PAGE, problem)
    if "answers" in shown.view.hide or not fixed:
        return

    def free_all() -> None:
        fixed_tags.free_all(PAGE, problem)
        shown.publish()

    st.button(line("labels.free"), key="backward.free", on_click=free_all)
    chain, whole = clamped(problem), shown.summary.log_z
    if not chain.feasible[0]:
        tags = ", ".join(tagged(problem, t, s) for t, s in fixed.items())
        st.warning(line("impossible.fixed", tags=tags))
        return
    left = chain.log_partition.item()
    digits = digits_that_give(left, whole)
    shown.say(
        "fixed", p=log_probability(min(left - whole, 0.0)), left=number(left, digits),
        whole=summand(whole, digits),
    )  # fmt: skip
