"""Practice: exercises with new numbers each time, the same by link.

The address carries an exercise as `ask=forward&n=7&of=small`; the first one of a page is left out.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared.course.exercises import LARGEST_SEED, SIZES, Exercise, kind_title, size_name
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.figures import tables, theme
from pages.shared.figures.text import prose
from pages.shared.ui import answers, state
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

KEYS = ("ask", "n", "of")
_EXERCISE = SessionValue[Exercise | None]("{}·exercise", None, kind=Exercise)
_VERDICT = SessionValue[answers.Checked | None]("{}·verdict", None, kind=answers.Checked)
_FIRST = 1  # the number of the exercise that a page starts with
_NEW = 1000  # new numbers are below it: short enough to be read out


def practice(
    kinds: Sequence[str],
    *,
    key: str,
    on_screen: Problem,
    use: Callable[[Problem], None],
    size: str = "small",
) -> None:
    """Draw the exercise on screen, and the controls that lead to others.

    Args:
        kinds: Those of `course.exercises.KINDS` that the page offers; the first is its own.
        key: Of its widgets.
        on_screen: The page's problem.
        use: Puts an exercise's problem on the page.
        size: Of the first exercise.
    """
    st.header(say("practice.title"), anchor=False)
    exercise = _current(kinds, key, size)
    _choose(exercise, kinds, key)
    with st.container(border=True):
        _ask(exercise, key)
    st.button(
        say("practice.open"),
        key=f"{key}·open",
        help=say("practice.open-help"),
        on_click=use,
        args=(exercise.problem,),
    )
    if on_screen == exercise.problem:
        note(say("practice.on-screen"))


def to_query(exercise: Exercise) -> dict[str, str]:
    """Values for an address; `from_query` reads them.

    >>> to_query(Exercise(7, "forward", "medium"))
    {'ask': 'forward', 'n': '7', 'of': 'medium'}
    """
    return dict(zip(KEYS, (exercise.kind, str(exercise.seed), exercise.size), strict=True))


def from_query(query: Mapping[str, str], kinds: Sequence[str], usual: str = "small") -> Exercise:
    """The exercise that an address asks for, or a ProblemError; else the page's first one."""
    kind, number, size = (query.get(key) for key in KEYS)
    is_number = number is None or (number.isascii() and number.isdigit() and len(number) <= 10)
    for name, text, expected, is_right in (
        ("ask", kind, " or ".join(kinds), kind is None or kind in kinds),
        ("n", number, f"0 to {LARGEST_SEED}", is_number),
        ("of", size, " or ".join(SIZES), size is None or size in SIZES),
    ):
        if not is_right:
            raise refuse(name, expected, short(text), "choose one of these")
    return Exercise(_FIRST if number is None else int(number), kind or kinds[0], size or usual)


def _current(kinds: Sequence[str], key: str, size: str) -> Exercise:
    """The page's exercise: the session's, at first the address's, else the page's own first."""
    exercise = _EXERCISE.at(key).value
    if exercise and exercise.kind in kinds:
        return exercise
    try:
        exercise = from_query(state.all_asked(), kinds, size)
    except ProblemError as error:
        exercise = Exercise(_FIRST, kinds[0], size)
        st.warning(theme.markdown(say("practice.unknown", why=error)))
    _EXERCISE.at(key).set(exercise)
    return exercise


def _choose(exercise: Exercise, kinds: Sequence[str], key: str) -> None:
    """Kind, size and number; a change is kept before the page is drawn again."""
    slot = _EXERCISE.at(key)

    def keep(exercise: Exercise) -> None:
        slot.set(exercise)

    def renew() -> None:
        keep(replace(exercise, seed=secrets.randbelow(_NEW)))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        # none has a key: another exercise than the one on screen is another widget
        kind = exercise.kind
        if len(kinds) > 1:
            label, at = say("practice.kind"), list(kinds).index(kind)
            kind = st.selectbox(label, kinds, at, format_func=kind_title, width=200)
        label, at = say("practice.size"), list(SIZES).index(exercise.size)
        size = st.selectbox(label, list(SIZES), at, format_func=size_title, width=230)
        label, help_ = say("practice.number"), say("practice.number-help")
        seed = st.number_input(label, 0, LARGEST_SEED, exercise.seed, width=160, help=help_)
        st.button(say("practice.new"), key=f"{key}·new", on_click=renew, icon=":material/casino:")
    if (chosen := Exercise(seed, kind, size)) != exercise:
        keep(chosen)
        st.rerun()


def size_title(size: str) -> str:
    """What a size of exercise is called, with its tags and tokens."""
    tags, tokens = SIZES[size]
    return say("practice.of-size", size=size_name(size), tags=tags, tokens=tokens)


@st.fragment
def _ask(exercise: Exercise, key: str) -> None:
    """The question, and under its numbers the answer."""
    question = exercise.question()
    with st.container(key=f"asks-{key}"):
        st.html(prose(question.text))
    st.html(tables.given_tables(question.tables, say("practice.scores")))
    slot = f"{key}·{exercise.kind}·{exercise.size}·{exercise.seed}"
    with st.container(key=f"asks-{key}-fields"):
        _answer(exercise, slot)


def _answer(exercise: Exercise, key: str) -> None:
    """Draw the fields, and the verdict on the answer."""
    note(answers.how_to_write(exercise))
    with st.form(f"{key}·form", border=False):
        typed, marks = fields(exercise, key)
        if st.form_submit_button(say("question.check")):
            _VERDICT.at(key).set(answers.check(exercise, typed))
        verdict = _VERDICT.at(key).value
        if verdict and verdict.cells:
            for row, place in enumerate(marks):
                place.html(answers.mark(verdict.cells, row))
    if not (verdict and verdict.tried):
        note(say("practice.after-a-try"))
    if verdict is None:
        return
    answers.show(verdict.right, verdict.message)
    if verdict.tried:
        with st.expander(say("practice.calculation")):
            st.code("\n".join(exercise.answer().lines), language=None, wrap_lines=True)


def fields(exercise: Exercise, key: str) -> tuple[list[str], list[Any]]:
    """Fields for an answer: what is typed, and, under a number’s, a place for each mark."""
    typed, marks = [], []
    with st.container(horizontal=True):
        for k, label in enumerate(exercise.question().wanted):  # these names need no escaping
            if exercise.kind == "viterbi":  # a mark at a tag would tell the other one
                chosen = st.selectbox(
                    label,
                    exercise.problem.tags,
                    index=None,
                    key=f"{key}·{k}",
                    width=150,
                    placeholder=say("practice.choose"),
                )
                typed.append(chosen or "")
                continue
            with st.container(width=190, gap=None):
                field = st.text_input(label, key=f"{key}·{k}", max_chars=60, autocomplete="off")
                typed.append(field)
                marks.append(st.empty())
    return typed, marks
