"""Practice: exercises with new numbers each time, the same by link, and on paper.

    practice(("forward", "log-z"), key="forward.practice", view=view)
    lesson.publish(switches | practice.query(), defaults)

The address carries an exercise as `ask=forward&n=7&of=small`; the first one of a page is left out.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.shared.course import exercise_sheet
from pages.shared.course.exercises import KINDS, LARGEST_SEED, SIZES, Exercise
from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.figures import path_score, theme
from pages.shared.figures.text import prose
from pages.shared.ui import answers, presenter_view, problem_state, state
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View

KEYS = ("ask", "n", "of")
_SHOWN = SessionValue[dict[str, str]]("practice.shown", {})  # what `query` returns
_EXERCISE = SessionValue[Exercise | None]("{}·exercise", None, kind=Exercise)
_VERDICT = SessionValue[answers.Checked | None]("{}·verdict", None, kind=answers.Checked)
_FIELDS = {
    "kind": SessionValue("{}·kind", ""),
    "size": SessionValue("{}·size", ""),
    "seed": SessionValue("{}·seed", 0),
}
_FIRST = 1  # the number of the exercise that a page starts with
_NEW = 1000  # new numbers are below it: short enough to be read out


def practice(kinds: Sequence[str], *, key: str, view: View, size: str = "small") -> None:
    """Draw the exercise on screen, the way to others, and the sheet.

    Args:
        kinds: Those of `course.exercises.KINDS` that the page offers; the first is its own.
        key: Of the widgets.
        view: The page's; "answers" in what it hides leaves out the calculation and the sheet.
        size: A key of `SIZES`: of the exercise that the page starts with.
    """
    st.header("Practice", anchor=False)
    exercise = _current(kinds, key, size)
    _choose(exercise, kinds, key, only_new=bool(view.screen))
    first = Exercise(_FIRST, kinds[0], size)
    _SHOWN.set({} if exercise == first else to_query(exercise))
    helps = "answers" not in view.hide
    with st.container(border=True):
        _ask(exercise, f"{key}·{exercise.kind}·{exercise.size}·{exercise.seed}", view)
    if view.screen:  # a class can neither open nor print it there
        return
    with st.container(horizontal=True):
        st.button(
            "Open this problem in the lesson",
            key=f"{key}·open",
            on_click=problem_state.use_other,
            args=(exercise.problem, f"the exercise “{exercise.question().title}”"),
            help="Its scores become the problem on screen; undo brings back the one before.",
        )
        if helps:
            with st.popover("A sheet to print"):
                _sheet(kinds, key)
    if problem_state.current() == exercise.problem:
        note("This problem is on screen now, at the top of this page. Undo brings back yours.")


def query() -> dict[str, str]:
    """The exercise's part of the address: what `practice` has drawn, before that what is asked."""
    if _SHOWN.is_set:
        return _SHOWN.value
    return {key: text for key, text in state.all_asked().items() if key in KEYS}


def to_query(exercise: Exercise) -> dict[str, str]:
    """Values for an address; `from_query` reads them.

    >>> to_query(Exercise(7, "forward", "medium"))
    {'ask': 'forward', 'n': '7', 'of': 'medium'}
    """
    return dict(zip(KEYS, (exercise.kind, str(exercise.seed), exercise.size), strict=True))


def from_query(query: Mapping[str, str], kinds: Sequence[str], usual: str = "small") -> Exercise:
    """The exercise that an address asks for; what is left out is as in the page's first one.

    Args:
        query: The address's values.
        kinds: Those that the page offers.
        usual: The size of the page's first one.

    Raises:
        ProblemError: There is no such exercise, or not on this page.
    """
    kind, number, size = (query.get(key) for key in KEYS)
    if kind is not None and kind not in kinds:
        raise refuse("ask", " or ".join(kinds), short(kind), "choose one of these")
    if number is not None and not (number.isascii() and number.isdigit() and len(number) <= 10):
        raise refuse("n", f"0 to {LARGEST_SEED}", short(number), "choose one of these")
    if size is not None and size not in SIZES:
        raise refuse("of", " or ".join(SIZES), short(size), "choose one of these")
    return Exercise(_FIRST if number is None else int(number), kind or kinds[0], size or usual)


def _current(kinds: Sequence[str], key: str, size: str) -> Exercise:
    """The page's exercise: the session's, at first the address's, else the page's own first."""
    kept = _EXERCISE.at(key).value
    if kept and kept.kind in kinds:
        return kept
    try:
        exercise = from_query(state.all_asked(), kinds, size)
    except ProblemError as error:
        exercise = Exercise(_FIRST, kinds[0], size)
        st.warning(theme.markdown(f"The address asks for an exercise that is not here. {error}."))
    _EXERCISE.at(key).set(exercise)
    return exercise


def _choose(exercise: Exercise, kinds: Sequence[str], key: str, *, only_new: bool) -> None:
    """Kind, size and number; a change is kept before the page is drawn again."""
    fields: dict[str, SessionValue[Any]] = {name: field.at(key) for name, field in _FIELDS.items()}
    for name, field in fields.items():
        field.set(getattr(exercise, name))

    def keep() -> None:
        try:
            made = Exercise(**{name: field.value for name, field in fields.items()})
            _EXERCISE.at(key).set(made)
        except ProblemError as error:
            problem_state.complain(str(error))

    def renew() -> None:
        fields["seed"].set(secrets.randbelow(_NEW))
        keep()

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not only_new:
            _which(kinds, fields, keep)
        st.button("New numbers", key=f"{key}·new", on_click=renew, icon=":material/casino:")


def _which(
    kinds: Sequence[str], fields: Mapping[str, SessionValue[Any]], keep: Callable[[], None]
) -> None:
    """Fields for kind, size and number."""
    if len(kinds) > 1:
        st.selectbox(
            "Exercise", kinds, format_func=KINDS.__getitem__, key=fields["kind"].key,
            on_change=keep, width=200,
        )  # fmt: skip
    st.selectbox(
        "Size", list(SIZES), format_func=_size, key=fields["size"].key, on_change=keep, width=230
    )
    st.number_input(
        "Number", 0, LARGEST_SEED, key=fields["seed"].key, on_change=keep, width=160,
        help="The same number gives the same exercise, to everyone.",
    )  # fmt: skip


def _size(size: str) -> str:
    tags, tokens = SIZES[size]
    return f"{size}: {tags} tags, {tokens} tokens"


@st.fragment
def _ask(exercise: Exercise, key: str, view: View) -> None:
    """The question, the fields, and what is to be said of the answer."""
    helps = "answers" not in view.hide
    question = exercise.question()
    st.html(prose(question.text))
    st.html(path_score.given_tables(question.tables, "The exercise’s scores"))
    if presenter_view.answers(
        view, key
    ):  # in the place of the fields: a class reads it from the last row
        _calculation(exercise)
        return
    note(answers.how_to_write(exercise))
    lines = len(exercise.answer().lines) if view.screen else 0
    with presenter_view.room(view, key, lines), st.form(f"{key}·form", border=False):
        typed, marks = fields(exercise, key)
        if st.form_submit_button("Check"):
            _VERDICT.at(key).set(answers.check(exercise, typed))
        verdict = _VERDICT.at(key).value
        if verdict and verdict.cells:
            for row, place in enumerate(marks):
                place.html(answers.mark(verdict.cells, row))
    if helps and not view.screen and not (verdict and verdict.tried):
        note("After a try the calculation can be shown here.")
    if verdict is None:
        return
    if verdict.right:
        st.success(theme.markdown(verdict.message), icon=":material/check:")
    else:
        st.error(theme.markdown(verdict.message), icon=":material/close:")
    if helps and verdict.tried and not view.screen:
        with st.expander("Show the calculation"):
            _calculation(exercise)


def _calculation(exercise: Exercise) -> None:
    st.code("\n".join(exercise.answer().lines), language=None, wrap_lines=True)


def fields(exercise: Exercise, key: str) -> tuple[list[str], list[Any]]:
    """Fields for an answer: what is typed, and, under a number’s, a place for each mark."""
    typed, marks = [], []
    with st.container(horizontal=True):
        for k, wanted in enumerate(exercise.question().wanted):
            label, slot = wanted, f"{key}·{k}"  # an exercise's names need no escaping
            if exercise.kind == "viterbi":  # a mark at a tag would tell the other one
                tags = list(exercise.problem.tags)
                chosen = st.selectbox(
                    label, tags, index=None, key=slot, width=150, placeholder="Choose"
                )
                typed.append(chosen or "")
                continue
            with st.container(width=190, gap=None):
                typed.append(st.text_input(label, key=slot, max_chars=60, autocomplete="off"))
                marks.append(st.empty())
    return typed, marks


def _sheet(kinds: Sequence[str], key: str) -> None:
    """Several exercises as a page to print, with their key on a page of its own."""
    chosen = st.multiselect(
        "Exercises",
        list(KINDS),
        default=list(kinds),
        format_func=KINDS.__getitem__,
        key=f"{key}·kinds",
    )
    size = st.selectbox("Their size", list(SIZES), format_func=_size, key=f"{key}·of")
    count = st.slider("How many", 1, exercise_sheet.MOST, 6, key=f"{key}·count")
    first = st.number_input("First number", 0, LARGEST_SEED - count, 1, key=f"{key}·first")
    st.download_button(
        "Download the sheet with its key",
        lambda: sheet_of(chosen, size, count, first),
        sheet_name(chosen, size, count, first),
        "text/html",
        disabled=not chosen,
        on_click="ignore",
        key=f"{key}·sheet",
    )
    note("A page to open in a browser and print. The key is on a page of its own.")


def sheet_name(kinds: Sequence[str], size: str, count: int, first: int) -> str:
    """The name of a sheet's file: what is in it.

    >>> sheet_name(["forward", "log-z"], "small", 6, 1)
    'crf-exercises-forward-log-z-small-1-to-6.html'
    """
    which = "-".join(kinds) if len(kinds) <= 2 else "mixed"
    return f"crf-exercises-{which}-{size}-{first}-to-{first + count - 1}.html"


def sheet_of(kinds: Sequence[str], size: str, count: int, first: int) -> str:
    """A sheet of `count` exercises numbered from `first`, the kinds in turn."""
    return exercise_sheet.sheet(
        [Exercise(first + k, kinds[k % len(kinds)], size) for k in range(count)]
    )
