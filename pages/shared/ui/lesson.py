"""The frame of every lesson: how it opens, its words, its parts, its foot, its address."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.text import LessonText
from pages.shared.ui import (
    computed,
    exports,
    frame,
    implement,
    presenter_view,
    problem_bar,
    problem_state,
    show_everything,
    state,
    teacher,
    textbook_code,
)
from pages.shared.ui import view as views
from pages.shared.ui.controls import Control
from pages.shared.ui.exports import Table
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View
from pages.shared.ui.words import say

Own = Callable[[Problem], Mapping[str, str]]
Reached = tuple[int, int]  # where the reader is, from 0, and how many there are
Container = AbstractContextManager[Any]  # where one draws
_FIRST = SessionValue("lesson.first", "")  # where the session began: its address alone has a step
_TRELLIS = SessionValue("{}.trellis", False)  # whether it has one, with all its parts
FOLD = SessionValue("{}.fold.{}", False)  # whether a part is open
_PICTURES = SessionValue[dict[str, None]]("{}.pictures", {})
_SPLITS = SessionValue[dict[str, int]]("{}.splits", {})  # a part -> its row, counted from 1


def _nothing(problem: Problem) -> Mapping[str, str]:
    return {}


def _shown(part: str) -> property:
    """Make the property of a lesson that tells whether it shows this part, of `view.PARTS`."""
    return property(lambda lesson: part not in lesson.view.hide)


@dataclass(frozen=True)
class Lesson:
    """What a page knows of itself."""

    name: str  # its folder and address
    view: View  # what is hidden, and how large it is
    controls: tuple[Control[Any], ...] = ()  # those that stand in its address
    # what else does, at the moment of asking; what is as usual is left out
    own: Own = field(default=_nothing, hash=False)
    also: tuple[str, ...] = ()  # what else can be hidden, beside controls, text and answers

    @classmethod
    def open(
        cls, name: str, *, controls: Sequence[Control[Any]] = (), own: Own = _nothing, **more: Any
    ) -> Self:
        """The first line of a page: takes over what its address says, and says what is wrong there.

        `own`: what else does; it may complain of what the address says.
        """
        problem = problem_state.current()
        view = views.current()
        _FIRST.begin(lambda: name)
        lesson = cls(name, view, (*controls, show_everything.EVERYTHING), own, **more)
        for control in lesson.controls:
            _ = control.value
        own(problem)
        with st.container():  # a message must not move what follows, or it would be made anew
            frame.show_complaints()
        views.dress(view, name)
        presenter_view.fit(view)
        views.offer_all(view)
        return lesson

    # ------------------------------------------------------------------ what it is about

    @property
    def problem(self) -> Problem:
        """The problem on screen."""
        return problem_state.current()

    @property
    def summary(self) -> Any:
        """What one reads off the problem: its chain, log Z, whether any path is allowed."""
        return computed.summary(self.problem)

    @property
    def decoded(self) -> list[Decoded]:
        """Viterbi’s path first, then the other decoders’; some path must be allowed."""
        return computed.decoded(self.problem)

    tells = _shown("prose")
    asks = _shown("controls")
    answers = _shown("answers")
    has_more = _shown(views.MORE)

    @property
    def reached(self) -> SessionValue[int]:
        """The step that its reader has come to."""
        return views.REACHED.at(self.name)

    @property
    def parts(self) -> frozenset[str]:
        """What can be hidden here, of `view.PARTS`: with a trellis all of it."""
        usual = {"controls", "prose", "answers", views.MORE, *self.also}
        return frozenset(views.PARTS if self.trellis.value else usual)

    @property
    def trellis(self) -> SessionValue[bool]:
        """Whether it has one."""
        return _TRELLIS.at(self.name)

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of its pictures, as they have been drawn."""
        return tuple(_PICTURES.at(self.name).value)

    def has(self, *pictures: str) -> None:
        """Remember that it has pictures of these names."""
        _PICTURES.at(self.name).begin(dict).update(dict.fromkeys(pictures))

    # ------------------------------------------------------------------ what it draws

    def bar(self, *, beside: bool = False) -> None:
        """The bar of the shared problem, and its scores while they are edited.

        Args:
            beside: Whether these come beside the picture instead: `editor` draws them there.
        """
        problem_bar.show(self.view)
        if not beside:
            self.editor()
        elif problem_bar.is_edited(self.view):  # on a phone there is no room beside the picture
            st.html(f'<a class="crf-stacked" href="#crf-scores">{say("bar.below")}</a>')

    def editor(self) -> None:
        """The scores of the shared problem, while they are edited."""
        problem_bar.edit(self.view)

    def split(self, part: str = "") -> tuple[Container, Container]:
        """Where the picture and where the text stands.

        From 1100 pixels on they stand side by side and the picture stays while the text goes by;
        on less the picture stands above the text.
        """
        key = f"{self.name}-{part}" if part else self.name
        self.has(part or views.FIRST_PICTURE)
        splits = _SPLITS.at(self.name).begin(dict)
        number = splits.setdefault(part, len(splits) + 1)  # the style sheet knows four
        row = st.container(horizontal=True, gap="large", key=f"split-{number}")
        return row.container(key=f"picture-{key}"), row.container(key=f"text-{key}")

    def picture(self, part: str) -> DeltaGenerator:
        """Where a picture stands that has all the width: a lecture can show it alone."""
        self.has(part)
        return st.container(key=f"picture-{self.name}-{part}")

    def say(self, paragraph: str, /, **facts: Any) -> None:
        """A paragraph of the lesson's text.md, its holes filled; hidden with the text."""
        if self.tells:
            frame.html(self.text.html(paragraph, **facts))

    @property
    def text(self) -> LessonText:
        """The words of the lesson."""
        return LessonText.of(self.name)

    @contextmanager
    def fold(self, label: str = "", *, key: str | None = None, **how: Any) -> Iterator[bool]:
        """A part to unfold; what is in it is made when it is open.

        `label`: what it is called; "": what the table `folds` of its text says under the key.
        """
        slot = FOLD.at(self.name, key or label)
        if not (self.has_more or slot.value or how.get("expanded")):
            yield False
            return
        label = label or self.text.line(f"folds.{key}")
        part = st.expander(label, key=slot.key, on_change="rerun", **how)
        with part:
            yield bool(part.open)

    def folds(self, parts: Iterable[tuple[str, str, Callable[[Self], None]]]) -> None:
        """Several parts to unfold: the key of each, what it is called, what it shows."""
        for key, label, show in parts:
            with self.fold(label, key=key) as is_open:
                if is_open:
                    show(self)

    def shows_everything(self, *folds: str, asked: bool = False) -> bool:
        """The switch at the end of a first reading, and whether what is behind it is shown."""
        if self.asks and self.has_more:
            show_everything.switch()
        return asked or self.is_everything_shown(*folds)

    def is_everything_shown(self, *folds: str) -> bool:
        """Whether it is switched on, or one of the parts behind it is open, by their keys."""
        is_on = self.asks and self.has_more and show_everything.EVERYTHING.value
        return is_on or any(FOLD.at(self.name, fold).value for fold in folds)

    def results(self, label: str) -> DeltaGenerator:
        """Where results stand: on the page, or, where answers are hidden, in a part to unfold."""
        return st.container() if self.answers else st.expander(label)

    def foot(
        self,
        tables: Mapping[str, Table] | None = None,
        *,
        code: str = "",
        at: Reached | None = None,
    ) -> None:
        """What a lesson ends with: its tables, what it is about in code, the teacher's link."""
        if self.asks and self.has_more:
            exports.show(tables or {}, key=self.name, problem=self.problem)
            if code:
                self.code(code)
            implement.show(self.name)
            self.teacher(at)

    def code(self, name: str, **how: Any) -> None:
        """A function of `textbook` in a part to unfold, run on the problem or as `answers` say."""
        if not self.problem.per_step and self.summary.feasible:
            how.setdefault("answers", textbook_code.of_chain(name, self.summary.chain))
        st.fragment(textbook_code.show)(self, name, **how)

    def teacher(self, at: Reached | None = None) -> None:
        """The button that makes a link to exactly what is on screen."""
        teacher.link_builder(self.name, at, self.query(), parts=self.parts, pictures=self.pictures)

    # ------------------------------------------------------------------ its address

    def query(self) -> dict[str, str]:
        """The lesson's part of the address, beside the problem and the view."""
        of_controls = {k: v for control in self.controls for k, v in control.query().items()}
        return of_controls | dict(self.own(self.problem))

    def publish(self) -> None:
        """Put the problem, the controls that are not as usual, and the view into the address.

        A problem that is too large for a link stays out of it; the bar says so.
        """
        view = views.current()._replace(step=views.step_in_address(self.name))
        state.publish((problem_state.address() or {}) | self.query() | view.query())

    close = publish  # the last line of a page
