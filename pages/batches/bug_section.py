"""Find the bug: mark a line, guess what comes out, run it beside the right one."""

import math
from dataclasses import replace

import streamlit as st

from pages.batches.batch import PAD, Batch
from pages.batches.controls import BUG, WORK, Attempts
from pages.batches.faults import (
    FAULTS,
    OUTCOMES,
    Compared,
    FaultyCode,
    RowResult,
    asked,
    compare,
    on_screen,
    smallest,
)
from pages.shared.course.numbers import counted, format_magnitude
from pages.shared.figures import tables, theme
from pages.shared.ui.component import component
from pages.shared.ui.frame import code_line, note
from pages.shared.ui.lesson import Lesson

_CODE = component("marked_code", "pages/batches/marked_code")
TRIES = 2
_RIGHT, _WRONG = ":material/check:", ":material/close:"


@st.fragment
def section(lesson: Lesson, batch: Batch) -> None:
    """Seven faults, one at a time."""
    picture, text = lesson.split("bugs")
    shown = on_screen(batch)
    with text:
        lesson.say("bugs")
        left_out = len(batch.rows) - len(shown.rows)
        if shown.model != batch.model:
            lesson.say("made-up")
        elif left_out:
            lesson.say("left-out", rows=str(left_out))
        name = BUG.widget("Which", label_visibility="collapsed") if lesson.asks else BUG.value
    fault, work = FAULTS[name], _work(name, shown)
    compared = compare(fault, shown)
    with picture:
        marked = _code(name, fault, work)
    with text:
        _ask(name, fault, work, shown, compared, marked)
        work = _work(name, shown)
        if work.line >= 0:
            _verdicts(lesson, name, fault, work, compared)
        done = sum(one.found for one in WORK.value.values())
        note(f"Found so far: {done} of {len(FAULTS)}.")
    with picture:
        if work.line >= 0:
            _results(lesson, name, fault, work, shown, compared)
    lesson.publish()


def _work(name: str, batch: Batch) -> Attempts:
    work = WORK.value.get(name, Attempts())
    return work if work.subject in ("", batch.text) else replace(work, guess="", subject="")


def _keep(name: str, work: Attempts) -> None:
    WORK.set({**WORK.value, name: work})


def _code(name: str, fault: FaultyCode, work: Attempts) -> int:
    """The code; the line that is marked, −1 for none."""
    st.markdown(f"**{BUG.labels[name]}. {fault.told('title')}**")
    solved = _solved(fault, work)
    result = _CODE(
        key=f"batches.code.{name}",
        data={
            "lines": list(fault.lines),
            "marked": work.line if work.line >= 0 else None,
            "found": fault.line if solved else None,
        },
        on_line_change=lambda: None,
    )
    return checked_line(result.get("line"), len(fault.lines))


def checked_line(said: object, number: int) -> int:
    """The line that the browser says is marked; −1 for anything else.

    >>> [checked_line(said, 9) for said in (3, 9, -2, True, "3", None, 2.0)]
    [3, -1, -1, -1, -1, -1, -1]
    """
    return said if type(said) is int and 0 <= said < number else -1


def _solved(fault: FaultyCode, work: Attempts) -> bool:
    return work.line == fault.line or work.given_up


def _ask(
    name: str,
    fault: FaultyCode,
    work: Attempts,
    batch: Batch,
    compared: list[Compared],
    marked: int,
) -> None:
    row = asked(compared).row
    words = counted(batch.lengths[row], "word")
    with st.form(f"batches.bug.{name}", border=False):
        guess = st.radio(
            f"{fault.told('result')}, row {row + 1} ({words}): what comes out?",
            fault.guesses,
            index=None,
            format_func=OUTCOMES.get,
            key=f"batches.guess.{name}",
        )
        if not st.form_submit_button("Run it"):
            return
    guess = work.guess or guess
    if marked < 0 or guess is None:
        st.info("Mark a line in the code, and choose what comes out. Then it runs.")
        return
    wrong = work.wrong if marked == fault.line else work.wrong | {marked}
    found = work.found or (marked == fault.line and not work.given_up)
    _keep(name, Attempts(batch.text, marked, guess, wrong, work.given_up, found))
    st.rerun()  # the code above shows whether it is the line


def _verdicts(
    lesson: Lesson, name: str, fault: FaultyCode, work: Attempts, compared: list[Compared]
) -> None:
    """What is said of the line and of the guess; after some wrong lines the answer on request."""
    if work.line == fault.line:
        st.success(theme.markdown(f"Line {work.line + 1} it is. {fault.told('why')}"), icon=_RIGHT)
    else:
        st.error(theme.markdown(line_verdict(fault, work)), icon=_WRONG)
    row = asked(compared)
    if work.guess == row.outcome:
        st.success(f"You guessed right: {OUTCOMES[row.outcome]}.", icon=_RIGHT)
    elif work.guess:
        said = f"You guessed {OUTCOMES[work.guess]}. It is {OUTCOMES[row.outcome]}"
        st.warning(theme.markdown(f"{said}, in row {row.row + 1}."), icon=_WRONG)
    if work.given_up and work.line != fault.line:
        note(f"It is line {fault.line + 1}. {fault.told('why')}")
    elif work.line != fault.line and len(work.wrong) >= TRIES and "answers" not in lesson.view.hide:
        answered = (name, replace(work, given_up=True))
        st.button("Show the line", key=f"batches.show.{name}", on_click=_keep, args=answered)


def _results(
    lesson: Lesson,
    name: str,
    fault: FaultyCode,
    work: Attempts,
    batch: Batch,
    compared: list[Compared],
) -> None:
    """The results side by side; once the line is known, the right one and the smallest batch."""
    st.html(_beside(f"{fault.told('result')}, on the batch above", batch, compared))
    if not _solved(fault, work):
        return
    note("The line, set right:")
    code_line(fault.mended)
    if all(row.outcome == "luck" for row in compared):
        lesson.say("by-luck")
    found_on = smallest(name)
    forbids = ", with a tag that is forbidden at the start" if found_on.forbids else ""
    note(f"The smallest batch that reveals it{forbids}:")
    caption = f"{fault.told('result')}, on the smallest batch"
    st.html(_beside(caption, found_on.batch, found_on.compared))


def line_verdict(fault: FaultyCode, work: Attempts) -> str:
    """What is said of a line that is not the wrong one; the more is tried, the more is said."""
    line = fault.lines[work.line]
    innocent = next((k for k, part in enumerate(fault.innocent, 1) if part in line), 0)
    why = fault.told(f"innocent-{innocent}") if innocent else ""
    hint = fault.told(f"hint-{min(len(work.wrong), TRIES)}") if work.wrong else ""
    said = why if why and len(work.wrong) < TRIES else f"{why} {hint}".strip()
    return f"Not line {work.line + 1}. {said}"


def _beside(caption: str, batch: Batch, compared: list[Compared]) -> str:
    """The results of the code beside the right ones."""
    rows = [
        [
            f"row {row.row + 1}",
            " ".join("pad" if w == PAD else theme.shorten(w, 9) for w in batch.rows[row.row]),
            _text(row.got, batch),
            _text(row.right, batch),
            "✓" if row.outcome == "luck" else "✗",
        ]
        for row in compared
    ]
    header = ["", "words", "this code", "right", "same"]
    return f'<div class="crf-fit">{tables.text_table(header, rows, caption)}</div>'


def _text(result: RowResult, batch: Batch) -> str:
    if isinstance(result, tuple):
        return " ".join(batch.model.tags[s] for s in result) or "–"
    if result != result:
        return "nan"
    huge = 1e6 <= result < math.inf
    return format_magnitude(result) if huge else theme.number(result)
