"""Sheets A and B of one seed, to print or as LaTeX; the page's address is their link."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from crf.lab import FUNCTIONS
from pages.shared.course import exercise_sheet
from pages.shared.course.exercise_sheet import VARIANTS, Sheet
from pages.shared.course.exercises import KINDS, LARGEST_SEED, SIZES, kind_title
from pages.shared.course.problem import ProblemError
from pages.shared.course.words import words_of
from pages.shared.figures import theme
from pages.shared.ui import frame, implement, language, state
from pages.shared.ui.controls import Choice, Integer, Value
from pages.shared.ui.practice import size_title
from pages.shared.ui.state import InvalidError

say = words_of(Path(__file__).parent)


def _some_of(names: Collection[str], name: str, default: tuple[str, ...]) -> Value:
    """A control whose value are some of these names, in the order chosen."""

    def checked(value: object) -> tuple[str, ...]:
        if isinstance(value, (list, tuple)) and all(one in names for one in value):
            return tuple(dict.fromkeys(value))
        raise InvalidError(f"There are {', '.join(names)}.")

    return Value(
        f"homework.{name}",
        default,
        address=name,
        checked=checked,
        reads=lambda text: checked(text.split("~") if text else ()),
        writes="~".join,
    )


_SEED = Integer("homework.seed", 1, low=0, high=LARGEST_SEED, address="seed")
_COUNT = Integer("homework.count", 6, low=1, high=exercise_sheet.MOST, address="count")
_SIZE = Choice(
    "homework.size", "small", labels=dict.fromkeys(SIZES, ""), words=size_title, address="of"
)
_KINDS = _some_of(KINDS, "kinds", KINDS)
_PROGRAM = _some_of(FUNCTIONS, "program", ())


def show() -> None:
    """Choose what is on the sheets; take them away; the address follows."""
    complaints = st.container()
    _sheets()
    state.publish(
        _SEED.query() | _COUNT.query() | _SIZE.query() | _KINDS.query() | _PROGRAM.query()
    )
    with complaints:
        frame.show_complaints()


def _sheets() -> None:
    frame.note(say("sheets.about"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = _SEED.widget(say("sheets.seed"), width=150)
        count = _COUNT.widget(say("sheets.count"), width=130)
        size = _SIZE.widget(say("sheets.size"), shape="select", width=230)
    for value, name, choices, title in (
        (_KINDS, "kinds", KINDS, kind_title),
        (_PROGRAM, "functions", FUNCTIONS, str),
    ):
        names = st.pills(
            say(f"sheets.{name}"),
            list(choices),
            selection_mode="multi",
            default=value.value,
            format_func=title,
            key=f"{value.key}.pills",
            wrap=True,
        )
        value.set(tuple(names))
    try:
        sheet = Sheet(seed, _KINDS.value, size, count)
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        return
    task = implement.task(_PROGRAM.value)
    forms = (say("sheets.print"), "html", "text/html"), ("LaTeX", "tex", "text/x-tex")
    for variant in VARIANTS:
        title = say("sheets.title", variant=variant)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{say('sheets.sheet', variant=variant)}**", width=80)
            for label, form, mime in forms:
                st.download_button(
                    label,
                    language.bound(partial(_paper, sheet, variant, title, task, form)),
                    f"crf-sheet-{seed}-{variant}.{form}",
                    mime,
                    on_click="ignore",
                    key=f"homework.{variant}.{form}",
                )


def _paper(sheet: Sheet, variant: str, *how: Any) -> str:
    """The document, made when it is asked for; how it is made goes to `exercise_sheet.sheet`."""
    return exercise_sheet.sheet(sheet.exercises(variant), *how)
