"""Find the bug: click the wrong line of a code, guess what comes out, see it beside the right."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from crf.figures.numbers import counted, format_magnitude
from pages.batches.batch import PAD, Batch, say
from pages.batches.faults import FAULTS, Compared, FaultyCode, RowResult, compare, on_screen
from pages.shared.figures import tables, theme
from pages.shared.ui import question
from pages.shared.ui.client_values import genuine, index
from pages.shared.ui.component import component
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import code_line, note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

_CODE = component("marked_code", "pages/batches/marked_code")
TRIES = 2  # wrong lines; after one more the answer is told
BUG = Choice(
    "batches.bug", next(iter(FAULTS)), address="bug",
    labels={name: str(number) for number, name in enumerate(FAULTS, 1)},
)  # fmt: skip
# the lines that the reader has clicked, by the fault's name
TRIED = SessionValue[Mapping[str, tuple[int, ...]]]("batches.tried", {})


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
    fault, tried = FAULTS[name], TRIED.value.get(name, ())
    wrong = {*tried} - {fault.line}
    given_up = len(wrong) > TRIES and "answers" not in lesson.view.hide
    solved = bool(tried) and (tried[-1] == fault.line or given_up)
    with text:
        answers = bool(tried) and _guess(fault, shown)
    with picture:
        line = _code(fault, tried, solved and answers)
        if line is not None and (line,) != tried[-1:]:
            TRIED.set({**TRIED.value, name: (*tried, line)})
            st.rerun()  # the code above shows whether it is the line
        if answers:
            _results(lesson, fault, shown, solved)
    if tried and not answers:
        return
    with text:
        if tried and tried[-1] == fault.line:
            verdict = say("bugs-words.found", line=fault.line + 1, why=fault.words("why"))
            st.success(theme.markdown(verdict), icon=":material/check:")
        elif tried:
            verdict = line_verdict(fault, tried[-1], len(wrong))
            st.error(theme.markdown(verdict), icon=":material/close:")
            if given_up:
                note(say("bugs-words.answer", line=fault.line + 1, why=fault.words("why")))
        found = sum(FAULTS[one].line in lines for one, lines in TRIED.value.items())
        note(say("bugs-words.count", found=found, all=len(FAULTS)))
    lesson.publish()


def _guess(fault: FaultyCode, batch: Batch) -> bool:
    """What comes out for the first row that goes wrong, else for the last; whether it was asked."""
    compared = compare(fault, batch)
    row = next((b for b, one in enumerate(compared) if not one.same), len(compared) - 1)
    words = counted(batch.lengths[row], "word")
    return question.guess(
        say("outcomes.question", result=fault.words("result"), row=row + 1, words=words),
        [say(f"outcomes.{name}") for name in fault.outcomes],
        fault.outcomes.index(compared[row].outcome),
        key=f"batches.outcome.{fault.name}",
        subject=batch.text,
    )


def _code(fault: FaultyCode, tried: Sequence[int], solved: bool) -> int | None:
    """The code; the line that was clicked last."""
    st.markdown(f"**{BUG.labels[fault.name]}. {fault.words('title')}**")
    marked, found = tried[-1] if tried else None, fault.line if solved else None
    result = _CODE(
        key=f"batches.code.{fault.name}", on_line_change=lambda: None,
        data={"lines": list(fault.lines), "marked": marked, "found": found},
    )  # fmt: skip
    return genuine(result.get("line"), index(len(fault.lines)))


def line_verdict(fault: FaultyCode, line: int, wrong: int) -> str:
    """What is said of a line that is not the wrong one; the more is tried, the more is said."""
    source = fault.lines[line]
    innocent = next((k for k, part in enumerate(fault.innocent, 1) if part in source), 0)
    said = [fault.words(f"innocent-{innocent}")] if innocent else []
    if not said or wrong >= TRIES:
        said.append(fault.words(f"hint-{min(wrong, TRIES)}"))
    return say("bugs-words.wrong", line=line + 1, why=" ".join(said))


def _results(lesson: Lesson, fault: FaultyCode, batch: Batch, solved: bool) -> None:
    """The results side by side; once the line is known, the right one and the smallest batch."""
    result, compared = fault.words("result"), compare(fault, batch)
    st.html(_beside(say("bugs-words.above", result=result), batch, compared))
    if not solved:
        return
    note(say("bugs-words.mended"))
    code_line(fault.mended)
    if all(row.same for row in compared):
        lesson.say("by-luck")
    note(say("bugs-words.forbids" if fault.forbids else "bugs-words.reveals"))
    caption = say("bugs-words.smallest", result=result)
    st.html(_beside(caption, fault.smallest, compare(fault, fault.smallest)))


def _beside(caption: str, batch: Batch, compared: list[Compared]) -> str:
    """The results of the code beside the right ones."""
    rows = []
    for name, words, row in zip(batch.names, batch.rows, compared, strict=True):
        sentence = " ".join("pad" if w == PAD else theme.shorten(w, 9) for w in words)
        found = [_text(row.got, batch), _text(row.right, batch), "✓" if row.same else "✗"]
        rows.append([name, sentence, *found])
    header = ["", "words", "this code", "right", "same"]
    return f'<div class="crf-fit">{tables.text_table(header, rows, caption)}</div>'


def _text(result: RowResult, batch: Batch) -> str:
    if isinstance(result, tuple):
        return " ".join(batch.model.tags[s] for s in result) or "–"
    if math.isnan(result):
        return "nan"
    return format_magnitude(result) if 1e6 <= result < math.inf else theme.number(result)
