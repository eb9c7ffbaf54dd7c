"""For the lecturer: a pasted list of codes, who answered what, and which codes are genuine."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.course import homework
from pages.shared.course.homework import HandedIn
from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_files import rows_to_csv
from pages.shared.course.words import words_of
from pages.shared.figures import theme
from pages.shared.figures.tables import text_table
from pages.shared.ui import answers
from pages.shared.ui.frame import note

say = words_of(Path(__file__).parent)
HEAD = ("Name", "Sheet", "Handed in (UTC)", "Right", "Code")


def show(below: DeltaGenerator) -> None:
    """Paste and check; the table stands below, where it has all the width."""
    st.header(say("check.head"), anchor=False)
    token = st.text_input(say("check.token"), key="homework.token", max_chars=60, width=320)
    pasted = st.text_area(say("check.codes"), key="homework.codes", height=160)
    note(say("check.about"))
    if not st.button(say("check.check"), type="primary", key="homework.check"):
        return
    try:
        codes = homework.codes_in(pasted)
        if not token.strip():
            raise ProblemError(say("check.no-token"))
    except ProblemError as error:
        st.warning(theme.markdown(f"{error}."))
        return
    head, rows = table(codes, token)
    genuine = sum(row[4].startswith("genuine") for row in rows)
    st.markdown(say("check.genuine", k=genuine, n=len(rows)))
    with below:
        named = [(name or "?", *row) for name, *row in rows]
        st.html(f'<div class="crf-codes">{text_table(head, named, "Codes")}</div>')
        st.download_button(
            "As CSV", rows_to_csv([head, *rows]), "homework.csv", "text/csv", on_click="ignore",
            key="homework.csv",
        )  # fmt: skip


def table(codes: list[str], token: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A head, and a row for each code: who, when, how much is right, and every answer."""
    read: list[tuple[HandedIn | None, str]] = []
    seen: Counter[str] = Counter()
    for code in codes:
        try:
            work = homework.read(code, token)
        except ProblemError as error:
            read.append((None, str(error)))
            continue
        seen[who := work.name.casefold()] += 1
        read.append((work, say("check.again", n=seen[who]) if seen[who] > 1 else "genuine"))
    most = max((len(work.answers) for work, _ in read if work), default=0)
    head = (*HEAD, *(f"{n}." for n in range(1, most + 1)))
    return head, [_row(work, said, most) for work, said in read]


def _row(work: HandedIn | None, said: str, most: int) -> tuple[str, ...]:
    if work is None:
        return ("", "", "", "", said, *[""] * most)
    marks, right = [], 0
    for exercise, typed in zip(work.sheet.exercises(work.variant), work.answers, strict=True):
        fits = len(typed) == len(exercise.question().wanted)
        if not fits or not any(text.strip() for text in typed):
            marks.append("–")
            continue
        try:
            found = answers.check(exercise, typed)
        except ValueError:  # a tag that there is not
            found = answers.Checked(False, "")
        right += found.right
        marks.append(_marked(found, typed))
    when = datetime.fromtimestamp(work.time, UTC).strftime("%Y-%m-%d %H:%M")
    sheet, share = f"{work.variant} (seed {work.sheet.seed})", f"{right} of {len(marks)}"
    return (work.name, sheet, when, share, said, *marks, *[""] * (most - len(marks)))


def _marked(found: answers.Checked, typed: Sequence[str]) -> str:
    """What was typed, with a sign: of a column for each cell, of what is unfinished none."""
    texts = [text.strip() or "?" for text in typed]
    if not found.tried:
        return f"– {' '.join(texts)}"
    if found.cells and not found.right:
        signs = ("✓" if cell.right else "✗" for cell in found.cells)
        return " ".join(f"{sign} {text}" for sign, text in zip(signs, texts, strict=False))
    return f"{'✓' if found.right else '✗'} {' '.join(texts)}"
