"""What the lessons on a recursion share: the stepper with its scores, its switches, its export."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from crf.figures.numbers import format_score
from crf.figures.trellis.notation import NOTATIONS, Space, symbol_of
from crf.steps import Trace
from pages.shared.course.brute_force import additions
from pages.shared.course.problem import Problem
from pages.shared.figures import formulas, recursion_prose
from pages.shared.figures.decoders import names
from pages.shared.figures.text import say as figure_words
from pages.shared.figures.theme import probability
from pages.shared.ui import (
    ask_class,
    computed,
    exports,
    frame,
    implement,
    language,
    options,
    pinned,
    practice,
    preview_endpoint,
    problem_bar,
    problem_state,
)
from pages.shared.ui.computed import IdentityKey
from pages.shared.ui.controls import Choice, Control
from pages.shared.ui.exports import Table
from pages.shared.ui.fill_column import fill_column
from pages.shared.ui.lesson import Container, Lesson, Own
from pages.shared.ui.options import CONVENTION, SPACE
from pages.shared.ui.score_editor import Exchange
from pages.shared.ui.score_tables import whole_tables
from pages.shared.ui.show_everything import EVERYTHING
from pages.shared.ui.state import SessionValue
from pages.shared.ui.stepper import Display, PathOverlay, TraceOptions, go_to, reached, step_through
from pages.shared.ui.view import FIRST_PICTURE
from pages.shared.ui.words import say

Follow = Callable[[Trace, int, Space, Problem], list[str]]
Paths = Callable[[Problem], Sequence[PathOverlay]]
Beside = Callable[[Problem, Trace, Space], Mapping[str, Any]]
Pictures = Callable[[Problem], Mapping[str, Any]]
_EXERCISES = ("fill", "practice")  # of a lesson, beside its pictures
_PRACTICE = {  # kinds of exercises that a lesson offers, and the size of its first
    "forward": (("forward", "log-z"), "small"),
    "backward": (("backward", "marginal"), "small"),
    "viterbi": (("viterbi", "path-score"), "medium"),
}
_TEXTBOOK = {"sum": "forward", "max": "viterbi"}  # from left to right
_CHANGED = SessionValue("{}.stepper·changed", False)  # whether the picture changed its subject
_WHOLE = SessionValue("{}.stepper·whole", False)  # whether the whole page is being drawn


@dataclass(frozen=True)
class Recursion(Lesson):
    """A lesson on one recursion."""

    backward: bool = False  # whether its recursion runs from right to left

    @property
    def switches(self) -> tuple[Choice, Choice, Choice]:
        """Convention and numbers, which all share, and the ways, which each lesson has itself."""
        return CONVENTION, SPACE, options.SEMIRING[self.name]

    @property
    def space(self) -> Any:
        """Log-scores or potentials."""
        return SPACE.value

    @property
    def semiring(self) -> str:
        """Sum or max."""
        return options.SEMIRING[self.name].value

    @property
    def is_bare(self) -> bool:
        """Whether it is shown without text and controls, as on a projector: the picture alone."""
        here = self.view.screen in ("", FIRST_PICTURE, *_EXERCISES)
        return not self.tells and not self.asks and here

    @property
    def key(self) -> str:
        """Of its stepper."""
        return f"{self.name}.stepper"

    @property
    def changed(self) -> SessionValue[bool]:
        """Whether its picture has changed what the rest of the page is about."""
        return _CHANGED.at(self.name)

    @property
    def trace(self) -> Trace:
        """The recursion on screen."""
        return self.trace_in(CONVENTION.value)

    def trace_in(self, convention: str, semiring: str | None = None) -> Trace:
        """The recursion in some convention; forward, max stands for Viterbi, with its way back."""
        semiring = semiring or self.semiring
        algorithm = "backward" if self.backward else _TEXTBOOK[semiring]
        return computed.trace(self.problem, algorithm, convention, semiring)

    def split(self, part: str = "") -> tuple[Container, Container]:
        """The picture beside the text; where there is no text, it takes all the width."""
        return (nullcontext(), nullcontext()) if self.is_bare else super().split(part)


def open_lesson(
    name: str,
    *,
    backward: bool = False,
    controls: Sequence[Control[Any]] = (),
    own: Own = lambda problem: {},
) -> Recursion:
    """The first lines of its page: what the address says, and the problem's bar.

    `controls`: those in its address beside convention, numbers and ways.
    `own`: what else is in its address; it may complain of what the address says.
    """
    opened = Recursion.open(
        name,
        controls=(CONVENTION, SPACE, options.SEMIRING[name], *controls),
        backward=backward,
        own=lambda problem: pinned.query(problem) | dict(own(problem)),
    )
    problem_bar.show(opened.view, editor=False)  # they are changed beside the trellis
    return opened


# ---------------------------------------------------------------------- the picture


def stepper(
    shown: Recursion,
    follow: Follow,
    *,
    paths: Paths = lambda problem: (),
    beside: Beside = lambda problem, trace, space: {},
    below: Callable[[Recursion, Problem], Pictures] = lambda shown, problem: lambda moved: {},
    counts: bool = False,
) -> None:
    """The trellis with its scores; a fragment, which after an edit has the whole page drawn.

    Where the reader steps, and how the scores look while one moves, goes by `live`: nothing is run.

    `follow`: (trace, step, space, problem) → paragraphs on what the step means.
    `paths`: drawn over the trellis of a problem; asks no session.
    `beside`: what else the browser gets with the scores of a problem, where answers are shown;
    asks no session.
    `below`: draws what moves with the scores, and returns how it looks for any problem: payloads
    by the components' keys, without asking a session.
    `counts`: whether a line compares the work with that of listing all prefixes.
    """
    shown.changed.take()
    _WHOLE.at(shown.name).set(True)
    _picture(shown, partial(_Scene, shown, follow, paths, beside, counts), below)


@st.fragment
def _picture(
    shown: Recursion,
    scene_of: Callable[..., "_Scene"],
    below: Callable[[Recursion, Problem], Pictures],
) -> None:
    # Streamlit copies all places around a fragment, and those around them, at each run: without
    # text the picture has its place in it.
    bare = st.container(key=f"picture-{shown.name}") if shown.is_bare else nullcontext()
    with bare:
        if shown.changed.take():
            st.rerun()  # the rest of the page follows
        problem, trace = shown.problem, shown.trace
        exchange = Exchange.of(problem, shown.key)
        form = trace.algorithm, trace.convention, trace.semiring
        scene = scene_of(form, shown.space, exchange, pinned.current(problem))
        commands = {
            "undo": problem_state.undo,
            "redo": problem_state.redo,
            "pin": lambda: pinned.pin(shown.problem),
            "unpin": lambda: pinned.pin(None),
        }

        def edited(message: object) -> None:
            if exchange.receive(message, problem_state.change, commands):
                shown.changed.set(True)

        hide = ("legend",) if shown.asks and not EVERYTHING.value else ()
        step_through(
            shown,
            trace,
            key=shown.key,
            options=scene.trace_options(problem),
            display=Display(shown.view.guess, hide),
            beside=scene.around(problem) | {"votes": ask_class.votes(problem, trace)},
            on_edits=edited,
        )
        pictures = below(shown, problem)
        preview_endpoint.offer(shown.key).draw = language.bound(
            lambda message: scene.moved(message, pictures)
        )
        if not _WHOLE.at(shown.name).take():  # else the page does at its end
            shown.publish()


@dataclass(frozen=True)
class _Scene:
    """How the trellis of any problem is drawn: asks no session."""

    shown: Recursion  # the lesson, of which no property is asked that asks the session
    follow: Follow  # as `stepper` has it, and so the next three
    paths: Paths
    beside: Beside
    counts: bool
    form: tuple[str, str, str]  # algorithm, convention and semiring
    space: Space  # log-scores or potentials
    exchange: Exchange  # of the tables of scores
    pinned: Problem | None  # the problem to compare with

    def trace_options(self, problem: Problem, only: int | None = None) -> TraceOptions:
        """What is told of the trace, and drawn over it; of a score that moves, at that step."""
        algorithm, convention, _ = self.form
        algorithm = "backward" if algorithm == "backward" else "viterbi"
        means: tuple[tuple[str, ...], ...] = ()
        if self.shown.tells and self.shown.answers:
            means = _means(problem, self.form, self.space, self.follow, only, language.current())
        best = None
        if self.shown.answers and only is None:  # one points at nothing while one drags
            best = computed.trace(problem, algorithm, convention, "max")
        size = len(problem.tags), len(problem.tokens)
        return TraceOptions(
            tuple(self.paths(problem)) if self.shown.answers else (),
            self.space,
            IdentityKey(best),
            means,
            tuple(additions(*size)) if self.counts else None,
        )

    def around(self, problem: Problem, *, moves: bool = False) -> dict[str, Any]:
        """The tables of scores, how the distribution stands, and what else the lesson has."""
        found: dict[str, Any] = {"scores": None, "standing": None}
        if self.shown.asks:
            found["scores"] = self.exchange.data(self.shown.key, self.pinned, problem)
        if self.shown.answers:
            found["standing"] = self._standing(problem) | {"moved": moves}
            found |= self.beside(problem, computed.trace(problem, *self.form), self.space)
        return found

    def moved(self, message: object, pictures: Pictures) -> dict[str, Any] | None:
        """All that moves with a score, for the browser; None if the message is none."""
        problem = self.exchange.moved(message)
        at = message.get("at") if isinstance(message, dict) else None
        if problem is None or not self.shown.asks:
            return None
        drawn = self.trace_options(problem, at if isinstance(at, int) else 0)
        return {
            "trace": drawn.payload(computed.trace(problem, *self.form), asks=True),
            "beside": self.around(problem, moves=True) | {"votes": None},
            "pictures": pictures(problem),
        }

    def _standing(self, problem: Problem) -> dict[str, Any]:
        """The best path, its probability and log Z, beside the same of the pinned scores."""
        facts, was = _facts(problem, language.current()), None
        if self.pinned is not None:
            trace, best = computed.trace(self.pinned, *self.form), computed.best_path(self.pinned)
            number = NOTATIONS[self.space].number
            tokens = [step.token for step in trace.steps if step.kind == "cell" and step.row == 0]
            was = {
                "was": _facts(self.pinned, language.current()),
                "labels": [[number(value) for value in column] for column in trace.table],
                "path": [best[token] for token in sorted(tokens)] if best else [],
            }
        return facts | {"pinned": was}


def forwards(trace: Trace, step: int, space: Space, problem: Problem) -> list[str]:
    """What a step of a recursion that runs forward means."""
    return recursion_prose.follow(trace, step, space, computed.marginals(problem))


@lru_cache(maxsize=8)
def _means(
    problem: Problem,
    form: tuple[str, str, str],
    space: Space,
    follow: Follow,
    only: int | None,
    speak: str,
) -> tuple[tuple[str, ...], ...]:
    """What each step means, in paragraphs; or that of one step alone."""
    trace = computed.trace(problem, *form)
    return tuple(
        tuple(follow(trace, k, space, problem)) if only in (None, k) else ()
        for k in range(len(trace.steps))
    )


@lru_cache(maxsize=16)  # asked for at every step
def _facts(problem: Problem, speak: str) -> dict[str, str]:
    summary, best = computed.summary(problem), computed.best_path(problem)
    path = names(problem, best) or say("stepper.no-path")
    p = probability(summary.p(tuple(problem.tags[tag] for tag in best))) if best else "–"
    return {"path": path, "p": p, "logZ": format_score(summary.log_z)}


# ---------------------------------------------------------------------- the text beside it


def opening(shown: Recursion, forms: Mapping[str, str], **facts: str) -> None:
    """The first paragraph, which says what a cell holds: in the form that is on screen.

    `forms`: paragraphs by form: by the ways where these are switched ("max-message", else
    "max"), by the convention where not; "" is for all others.
    """
    convention, space, is_log = CONVENTION.value, NOTATIONS[shown.space], shown.space == "log"
    ways = options.SEMIRING[shown.name]
    asked = (convention,) if ways.is_usual else (f"{ways.value}-{convention}", ways.value)
    name = next((forms[form] for form in asked if form in forms), forms[""])
    best = figure_words(f"best.{'log' if is_log else 'potential'}")
    every = facts | {
        "cell": symbol_of(shown.trace, space),
        "join": say("recursion.add" if is_log else "recursion.multiply"),
        "number": space.word("result"),
        "total": space.whole if shown.semiring == "sum" else best,
    }
    shown.say(name, **{hole: every[hole] for hole in shown.text[name].holes})


def formula(shown: Recursion) -> None:
    """The recursion in symbols, in the form that is on screen."""
    if "equation" not in shown.view.hide:
        frame.html(formulas.recursion(shown.trace, shown.space))


def end_if_bare(shown: Recursion) -> None:
    """Without text and controls the page ends after its picture, or what a class is to work out."""
    if not shown.is_bare:
        shown.has(*_EXERCISES)
        return
    if shown.view.screen in _EXERCISES:
        with shown.picture(shown.view.screen):
            exercise(shown, shown.view.screen)
    shown.close()
    st.stop()


def exercise(shown: Recursion, name: str) -> None:
    """What the reader works out: a column of the problem on screen ("fill"), or "practice"."""
    how: dict[str, Any] = {"key": f"{shown.name}.{name}", "view": shown.view}
    if name == "practice":
        kinds, size = _PRACTICE[shown.name]
        practice.practice(kinds, size=size, **how)
    else:
        wait = None if shown.is_bare else partial(go_to, shown.key)
        fill_column(shown.problem, shown.trace, shown.space, wait=wait, **how)


def exercises(shown: Recursion) -> None:
    """Both exercises, each in a part to unfold."""
    for name in _EXERCISES:
        is_asked = name == "practice" and bool(practice.query())
        with shown.fold(key=name, expanded=is_asked) as is_open:
            if is_open:
                exercise(shown, name)


def this_step(shown: Recursion) -> None:
    """Where the stepper puts what its step means."""
    if shown.tells and shown.answers:
        shown.say("step")
        frame.html(f'<div class="crf-prose crf-follow" data-means="{shown.key}"></div>')


def variants(shown: Recursion, tell: Callable[[], None]) -> None:
    """Convention, numbers as, ways: the textbooks' variants, in a part to unfold."""
    with shown.fold(key="variants", expanded=not is_usual(shown)) as is_open:
        if not is_open:
            return
        for control in shown.switches if shown.asks else ():
            options.switch(control)
        tell()


def is_usual(shown: Recursion) -> bool:
    """Whether none of them is switched."""
    return all(control.is_usual for control in shown.switches)


def whole(shown: Recursion) -> None:
    """A part to unfold: fills, steps, files, which change whole tables at once."""
    if shown.asks:
        with shown.fold(say("recursion.whole"), key="whole") as is_open:
            if is_open:
                whole_tables(shown.problem, "editor", problem_state.change)


def foot(shown: Recursion, tables: Mapping[str, Table]) -> None:
    """The lesson's export, its code, and the teacher's link."""
    if shown.asks and shown.has_more:
        if shown.answers:
            _export(shown, tables)
        shown.code("backward" if shown.backward else _TEXTBOOK[shown.semiring], stepper=shown.key)
        implement.show(shown.name)
        shown.teacher((reached(shown, shown.trace, key=shown.key), len(shown.trace.steps)))


@st.fragment
def _export(shown: Recursion, tables: Mapping[str, Table]) -> None:
    exports.show(
        tables, key=shown.name, problem=shown.problem, trace=shown.trace,
        step=reached(shown, shown.trace, key=shown.key), space=shown.space,
    )  # fmt: skip
