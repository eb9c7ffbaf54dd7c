"""The lesson's first part: which sentences are in the batch, and its loop, column by column."""

from functools import lru_cache
from typing import Any

import streamlit as st

from crf.figures.languages import language
from pages.batches import controls, pictures
from pages.batches.batch import MOST_ROWS, PAD, Batch, presets, say
from pages.batches.loop import Loop
from pages.shared.figures import theme
from pages.shared.ui import problem_state, question
from pages.shared.ui import view as views
from pages.shared.ui.client_values import clamp_step
from pages.shared.ui.component import component
from pages.shared.ui.controls import InvalidError
from pages.shared.ui.frame import code_line, note
from pages.shared.ui.lesson import Lesson

_COMPONENT = component("batch_loop", "pages/batches/batch_loop")


@lru_cache(maxsize=16)
def loop_of(batch: Batch, is_max: bool) -> Loop:
    """The recursion over a batch, computed once."""
    return Loop(batch, is_max)


@lru_cache(maxsize=8)
def _drawing(loop: Loop, language: str) -> dict[str, Any]:
    return pictures.drawing(loop)


def section(lesson: Lesson) -> tuple[Loop, int]:
    """Draw it; returns the recursion on screen and the step that the reader has come to."""
    picture, text = lesson.split()
    with picture:
        if lesson.asks:
            with st.container(horizontal=True, vertical_alignment="center"):
                _sentences(lesson)
                controls.MAX.widget(say("loop-words.max"))
        loop = loop_of(controls.current(lesson.problem), controls.MAX.value)
        step = _stepper(lesson, loop)
    with text:
        _words(lesson, loop)
    lesson.say("ended")
    options = [say(f"guess.{option}") for option in ("jump", "discard", "add")]
    if question.guess(say("guess.question"), options, 1, key="batches.if", subject="if"):
        lesson.say("no-if")
    return loop, step


def _stepper(lesson: Lesson, loop: Loop) -> int:
    """The component; the step it says, checked."""
    columns = zip(*loop.batch.mask, strict=True)
    # where a row first keeps its old column: after its end, or in a gap
    beginning = next((t for t, column in enumerate(columns, 1) if not all(column)), 1)
    views.BEGINNING.at(lesson.name).set(beginning)
    first = beginning if lesson.first_step is None else lesson.first_step
    start = min(lesson.reached.begin(lambda: first), loop.last)
    drawn, sent = _drawing(loop, language()), hash(loop.batch) % 2**31
    result = _COMPONENT(
        key="batches.loop", data={"drawing": drawn, "step": start, "sent": sent},
        on_step_change=lambda: None,
    )  # fmt: skip
    step = clamp_step(result.get("step"), loop.last, default=start)
    lesson.reached.set(step)
    return step


def _words(lesson: Lesson, loop: Loop) -> None:
    batch = loop.batch
    if lesson.tells and batch.unknown:
        names = ", ".join(f"‘{theme.shorten(word)}’" for word in batch.unknown)
        lesson.say("unknown", words=names)
    if batch.model.per_step and batch.model.transitions:
        lesson.say("per-step")
    lesson.say("loop")
    if lesson.tells:
        code_line("column = torch.where(mask[:, t, None], new, column)")
    if not any(batch.lengths):
        lesson.say("nothing")
    allowed = loop.chain.feasible.tolist()
    if not all(allowed):
        lesson.say("infeasible" if any(allowed) else "all-infeasible", total=loop.total_name)
    if loop.is_max:
        lesson.say("max")


# ---------------------------------------------------------------------- which sentences


def _sentences(lesson: Lesson) -> None:
    batch = controls.current(lesson.problem)
    with st.popover("Sentences"):
        with st.container(horizontal=True):
            for name, (title, _) in presets(lesson.problem).items():
                st.button(title, key=f"batches.use.{name}", on_click=_preset, args=(name,))
        with st.form("batches.form", border=False):
            helps = say("sentences.help", pad=PAD)
            typed = st.text_area(say("sentences.area"), batch.text, help=helps)
            if st.form_submit_button("Use these"):
                _use(typed)
        if len(batch.rows) < MOST_ROWS:
            st.button(say("sentences.add"), on_click=_add, args=(batch,))
        with st.container(horizontal=True):
            for b, length in enumerate(batch.lengths):
                st.button(
                    say("sentences.take", row=b + 1), key=f"batches.take.{b}", on_click=_take,
                    args=(batch, b), disabled=not length,
                )  # fmt: skip
        note(say("sentences.scores"))


def _preset(name: str) -> None:
    controls.ROWS.reset()
    controls.PRESET.set(name)


def _use(typed: str) -> None:
    try:
        controls.ROWS.set(typed)
    except InvalidError as why:
        st.warning(theme.markdown(str(why)))
    else:
        st.rerun()


def _add(batch: Batch) -> None:
    words = " ".join("-".join(token.split()) for token in batch.model.tokens)
    controls.ROWS.set(f"{batch.text}\n{words}")


def _take(batch: Batch, row: int) -> None:
    controls.ROWS.set(batch.text)
    problem_state.use_other(batch.problem(row), say("sentences.row", row=row + 1))
