"""What the lessons on a recursion share: its switches, formula, stepper, prose and export.

shown = recursion.open_lesson("forward", idea=lead)
recursion.step_by_step(shown, follow)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from crf.steps import Trace
from pages.shared.course.brute_force import work
from pages.shared.figures import formulas, path_score
from pages.shared.ui import computed, exports, options
from pages.shared.ui.controls import Choice
from pages.shared.ui.exports import Table
from pages.shared.ui.lesson import Lesson, Own
from pages.shared.ui.options import CONVENTION, SPACE
from pages.shared.ui.stepper import At, PathOverlay
from pages.shared.ui.stepping import step_through

Below = Callable[["Recursion", At], None]  # draws what follows the step
_LATER = "What this step means stands here once it is guessed or shown."


@dataclass(frozen=True)
class Recursion(Lesson):
    """A lesson on one recursion.

    Attributes:
        backward: Whether its recursion runs from right to left.
    """

    backward: bool = False

    @property
    def ways(self) -> Choice:
        """The switch between sum and max, which each lesson has for itself."""
        return options.SEMIRING[self.name]

    @property
    def space(self) -> Any:
        """Log-scores or potentials."""
        return SPACE.value

    @property
    def semiring(self) -> str:
        """Sum or max."""
        return self.ways.value

    @property
    def trace(self) -> Trace:
        """The recursion on screen."""
        return self.trace_in(CONVENTION.value)

    def trace_in(self, convention: str, semiring: str | None = None) -> Trace:
        """The recursion in some convention; forward, max stands for Viterbi, with its way back."""
        semiring = semiring or self.semiring
        forward = "viterbi" if semiring == "max" else "forward"
        algorithm = "backward" if self.backward else forward
        return computed.trace(self.problem, algorithm, convention, semiring)


def open_lesson(
    name: str,
    *,
    idea: str | Callable[[Trace, Any], str] = "",
    backward: bool = False,
    products_first: bool = False,
    own: Own | None = None,
) -> Recursion:
    """The idea, the formula, the problem's bar and the switches.

    Args:
        name: Its folder and address.
        idea: What the recursion does, in a few sentences; or what makes them of the trace
            on screen and the space of its numbers.
        backward: Whether its recursion runs from right to left.
        products_first: Whether the sum of products stands before its logs.
        own: What else is in its address; it may complain of what the address says.
    """
    every = (CONVENTION, SPACE, options.SEMIRING[name])
    more = {} if own is None else {"own": own}
    opened = Recursion.open(name, controls=every, backward=backward, **more)
    with st.container():  # so that what comes and goes in it moves nothing below
        formula = st.container(key="head")
        opened.bar()
    if opened.asks:
        with st.container(horizontal=True, gap="medium"):
            for control in every:
                options.switch(control)
    if idea and opened.tells:
        formula.html(
            path_score.prose(idea if isinstance(idea, str) else idea(opened.trace, opened.space))
        )
    if "equation" not in opened.view.hide:
        normal = opened.space == "log" and opened.semiring == "sum" and opened.view.size == "1"
        both = products_first and normal
        formula.html(
            formulas.products_and_logs(opened.trace)
            if both
            else formulas.recursion(opened.trace, opened.space)
        )
    return opened


@st.fragment
def step_by_step(
    shown: Recursion,
    follow: Callable[["Trace", int, Any, Any], list[str]],
    *,
    paths: Sequence[PathOverlay] = (),
    below: Below | None = None,
    tables: Mapping[str, Table] | None = None,
) -> None:
    """The stepper and what follows its step; a fragment, so that a step reruns this alone.

    Args:
        shown: The lesson.
        follow: (trace, step, space, marginals) → paragraphs on the step.
        paths: Drawn over the trellis.
        below: Draws more that follows the step.
        tables: The lesson's own tables, for export.
    """
    problem, trace = shown.problem, shown.trace
    at = step_through(
        shown,
        trace,
        key=f"{shown.name}.stepper",
        space=shown.space,
        matrices=True,
        predict=shown.view.guess,
        enumeration=tuple(work(len(problem.tags), len(problem.tokens))),
        paths=tuple(paths),
    )
    if shown.tells and "answers" not in shown.view.hide:
        marginals = shown.reading.chain.marginals[0].tolist()
        told = f'<p class="crf-note">{_LATER}</p>'
        if not at.asked:
            told = path_score.prose(*follow(trace, at.step, shown.space, marginals))
        st.html(f'<div class="crf-follow">{told}</div>')
    if below is not None:
        below(shown, at)
    shown.publish()
    if not shown.view.hide & {"controls", "answers"}:
        step, tables = at.step, tables or {}
        exports.show(trace, step, shown.space, key=shown.name, problem=problem, tables=tables)
        shown.teacher((step, len(trace.steps)))
