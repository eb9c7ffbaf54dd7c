"""What the lessons on a recursion share: its switches, formula, stepper, prose and export.

lesson = recursion.open_lesson(view, page="forward", semiring="sum")
recursion.step_by_step(lesson, follow)
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.course.brute_force import work
from pages.shared.course.problem import Problem
from pages.shared.figures import formulas, path_score
from pages.shared.figures.decoders import Decoded
from pages.shared.ui import (
    computed,
    exports,
    frame,
    lesson,
    options,
    practice,
    problem_bar,
    problem_state,
    teacher,
)
from pages.shared.ui.exports import Table
from pages.shared.ui.options import CONVENTION, SPACE
from pages.shared.ui.stepper import At, PathOverlay
from pages.shared.ui.view import View

if TYPE_CHECKING:
    from crf.steps import Trace

Below = Callable[["Recursion", At], None]  # draws what follows the step
_LATER = "What this step means stands here once it is guessed or shown."
Own = Callable[[Problem], Mapping[str, str]]  # a lesson's own part of its address


def _nothing(problem: Problem) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Recursion:
    """A lesson on one recursion: what is on screen, and how.

    Attributes:
        page: Its address, and part of its widgets' keys.
        view: How the page was opened.
        problem: The problem on screen.
        switches: Where the switches stand, by key.
        defaults: Where this lesson has them by default.
        backward: Whether its recursion runs from right to left.
        own: What else the lesson has in its address, at the moment of asking.
    """

    page: str
    view: View
    problem: Problem
    switches: Mapping[str, str] = field(hash=False)
    defaults: Mapping[str, str] = field(hash=False)
    backward: bool = False
    own: Own = field(default=_nothing, hash=False)

    @property
    def space(self) -> Any:
        """Log-scores or potentials."""
        return self.switches["space"]

    @property
    def semiring(self) -> str:
        """Sum or max."""
        return self.switches["semiring"]

    @property
    def trace(self) -> "Trace":
        """The recursion on screen."""
        return self.trace_in(self.switches["convention"])

    def trace_in(self, convention: str, semiring: str | None = None) -> "Trace":
        """The recursion in some convention; forward, max stands for Viterbi, with its way back."""
        semiring = semiring or self.semiring
        forward = "viterbi" if semiring == "max" else "forward"
        algorithm = "backward" if self.backward else forward
        return computed.trace(self.problem, algorithm, convention, semiring)

    @property
    def reading(self) -> Any:
        """What else one reads off the problem."""
        return computed.reading(self.problem)

    @property
    def decoded(self) -> list[Decoded]:
        """Viterbi’s path first, then the other decoders’; some path must be allowed."""
        return computed.decoded(self.problem)

    @property
    def tells(self) -> bool:
        """Whether the text is shown."""
        return "prose" not in self.view.hide

    def results(self, label: str) -> Any:
        """Where results stand: on the page, or, where answers are hidden, in a part to unfold."""
        return st.expander(label) if "answers" in self.view.hide else st.container()


def open_lesson(
    view: View,
    *,
    page: str,
    semiring: str,
    idea: str | Callable[["Trace", Any], str] = "",
    backward: bool = False,
    products_first: bool = False,
    own: Own = _nothing,
    usual: Mapping[str, str] | None = None,
) -> Recursion:
    """The idea, the formula, the problem's bar and the switches.

    Args:
        view: From `lesson.begin`.
        page: Its address.
        semiring: Where the switch between sum and max stands at first.
        idea: What the recursion does, in a few sentences; or what makes them of the trace
            on screen and the space of its numbers.
        backward: Whether its recursion runs from right to left.
        products_first: Whether the sum of products stands before its logs.
        own: What else is in its address; it may complain of what the address says.
        usual: Values of that which are left out of the address.
    """
    ways = options.of_page(options.SEMIRING, page)
    defaults = {CONVENTION.key: "state", SPACE.key: "log", ways.key: semiring, **(usual or {})}
    every = (CONVENTION, SPACE, ways)
    switches = {option.key: options.adopt(option, defaults[option.key]) for option in every}
    own(problem_state.current())  # whatever is wrong with the address is known now
    with st.container():  # so that what comes and goes in it moves nothing below
        frame.show_complaints()
        formula = st.container(key="head")
        problem = problem_bar.show(view)
    if "controls" not in view.hide:
        with st.container(horizontal=True, gap="medium"):
            for option in every:
                options.switch(option, defaults[option.key])
    opened = Recursion(page, view, problem, switches, defaults, backward, own)
    if idea and opened.tells:
        formula.html(
            path_score.prose(idea if isinstance(idea, str) else idea(opened.trace, opened.space))
        )
    if "equation" not in view.hide:
        normal = opened.space == "log" and opened.semiring == "sum" and view.size == "1"
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
    at = lesson.step_through(
        trace,
        key=f"{shown.page}.stepper",
        view=shown.view,
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
    if not shown.view.hide & {"controls", "answers"}:
        step, tables = at.step, tables or {}
        exports.show(trace, step, shown.space, key=shown.page, problem=problem, tables=tables)
        teacher.link_builder(shown.page, (step, len(trace.steps)), _address(shown), shown.defaults)


@st.fragment
def code(functions: Sequence[tuple[str, Callable]]) -> None:
    """The functions that computed it all, as they stand in their files; read when unfolded.

    Args:
        functions: What each does, in words, and the function.
    """
    part = st.expander("The code that ran", icon=":material/code:", key="code", on_change="rerun")
    if not part.open:
        return
    with part:
        for about, function in functions:
            st.markdown(f"{about}: `{function.__module__}.{function.__qualname__}`")
            st.code(inspect.getsource(function), language="python")


def _address(shown: Recursion) -> dict[str, str]:
    return {**shown.switches, **shown.own(shown.problem), **practice.query()}


def publish(shown: Recursion) -> None:
    """Put what has changed into the address, from a callback of the lesson's."""
    lesson.publish(_address(shown), shown.defaults)


def close(shown: Recursion, extra: Mapping[str, str] | None = None) -> None:
    """The last line of the page: the address."""
    own = shown.own(shown.problem)
    lesson.publish({**shown.switches, **own, **(extra or {})}, shown.defaults)
