"""The sections of the lesson "Numerical stability" about one sum, log Σ exp(q)."""

import math
from collections.abc import Sequence

import streamlit as st

from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui.controls import Integer, Number
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import Kept
from pages.stability import exact, figures, number_formats, own_scores
from pages.stability import sum_figures as shown
from pages.stability import sums as stability
from pages.stability.number_formats import DTYPES, GOOD, limits
from pages.stability.own_scores import Scores
from pages.stability.step import number_format, steps
from pages.stability.verdicts import exactly, said
from pages.stability.worked import added, with_offset

SEEN = Kept[tuple]("stability.seen", ())  # the scores, and the guess or None
GUESS = Kept[Sequence[str]]("stability.guess", (), kind=list | tuple)
FORMAT = number_format("format")
LEFT = Number("stability.a", 0.0, low=-1e5, high=1e5)
RIGHT = Number("stability.b", -12.0, low=-1e5, high=1e5)


# ---------------------------------------------------------------------- what a format holds


def what_formats_hold(lesson: Lesson) -> None:
    """The four formats and where exp leaves them."""
    lesson.say("formats")
    found = [limits(dtype) for dtype in DTYPES]
    st.html(tables.text_table(shown.LIMITS, shown.limit_rows(found), "What each format holds"))


# ---------------------------------------------------------------------- one sum


@st.fragment
def one_sum(lesson: Lesson) -> None:
    """Any scores, three ways, four formats: guess, then see; then the choice of c."""
    lesson.say("sum")
    scores = own_scores.chooser(lesson.problem, lesson.view)
    lesson.publish()
    found = own_scores.sums(scores)
    if not _seen(scores, found):
        return
    grid, told = st.columns([3, 2], gap="large")
    grid.html(shown.sum_verdicts(found))
    if lesson.tells:
        told.html(prose(*(shown.why(found) or ["Nothing goes wrong with these scores."])))
    lesson.say("offset")
    _choice_of_c(lesson, scores)
    with lesson.fold("Every exponential, and the exact value") as is_open:
        if is_open:
            st.html(
                tables.beside(
                    tables.text_table(["", *DTYPES], shown.exp_rows(found), "exp of each score"),
                    prose(*_exact(scores, found)),
                )
            )


def _exact(scores: Scores, found: list[stability.LogSum]) -> list[str]:
    value = exact.exact_log_sum_exp(scores, digits=25)
    text = exactly(value)
    return [
        f"Exact, by decimal arithmetic with 25 digits: {text}. Errors are measured against it; "
        f"“right” means off by at most {number_formats.RIGHT:g} nats, a tenth of a percent.",
        *shown.nearest(found, float(value)),
    ]


def _seen(scores: Scores, found: list[stability.LogSum]) -> bool:
    """The guess, until the reader has committed to one or asked to see; what became of it."""
    naive = {x.dtype: x.kind not in GOOD for x in found if x.method == "naive"}
    if not SEEN.value:
        with st.form("stability.form"):
            st.pills(
                "In which formats does log Σ exp(q), computed as it is written, go wrong for these "
                "scores?",
                list(DTYPES),
                selection_mode="multi",
                key=GUESS.key,
            )
            with st.container(horizontal=True):
                st.form_submit_button("Commit, then see", on_click=_commit, args=(scores, True))
                st.form_submit_button("Just show me", on_click=_commit, args=(scores, False))
        return False
    asked, guess = SEEN.value
    if asked == scores and guess is not None:
        verdict(set(guess), {dtype for dtype, wrong in naive.items() if wrong})
    return True


def _commit(scores: Scores, guessed: bool) -> None:
    SEEN.set((scores, tuple(GUESS.value) if guessed else None))


def verdict(guess: set[str], right: set[str]) -> None:
    """Whether a guess of formats was right."""
    names = ", ".join(d for d in DTYPES if d in right) or "none"
    if guess == right:
        st.success(f"Right: {names}.", icon=":material/check:")
    else:
        st.error(f"Not right. It goes wrong in: {names}.", icon=":material/close:")


# ---------------------------------------------------------------------- the choice of c


def _choice_of_c(lesson: Lesson, scores: Scores) -> None:
    """The rule with the numbers on screen, for a c of the reader's choice."""
    if max(scores) == -math.inf:
        st.info("Every score is −∞: c = max q would be −∞, too, and −∞ − (−∞) is nan. See below.")
        return
    plot, line = st.columns([3, 2], gap="large")
    with line:
        if lesson.asks:
            FORMAT.widget("Number format")
        dtype = FORMAT.value
        away = _away(lesson, dtype)
        st.html(steps(shown.line(with_offset(scores, max(scores) + away, dtype))))
    plot.plotly_chart(
        figures.offset_plot(scores, dtype, chosen=max(scores) + away),
        key="stability.offsets",
        config={"displayModeBar": False},
        alt="The sum against c, with the regions where it is inf and where it is 0.",
    )


def _away(lesson: Lesson, dtype: str) -> int:
    """How far from the largest score the reader has moved c, in nats; a slider each format."""
    away = _AWAY[dtype]
    return away.widget("c − max q, in nats", shape="slider") if lesson.asks else away.value


def _reach(dtype: str) -> Integer:
    bound = limits(dtype)
    low, high = -math.ceil(1.2 * bound.overflow), math.ceil(-1.2 * bound.underflow)
    return Integer(f"stability.c.{dtype}", 0, low=low, high=high)


_AWAY = {dtype: _reach(dtype) for dtype in DTYPES}


# ---------------------------------------------------------------------- two at a time


@st.fragment
def two_at_a_time(lesson: Lesson) -> None:
    """log-add of two scores."""
    lesson.say("log-add")
    if lesson.asks:
        with st.container(horizontal=True, gap="medium"):
            LEFT.widget("a", step=1.0, format="%g", width=180)
            RIGHT.widget("b", step=1.0, format="%g", width=180)
    a, b = LEFT.value, RIGHT.value
    with lesson.results("Show the sum"):
        header, *rows = shown.add_rows([added(a, b, dtype) for dtype in DTYPES])
        texts = [[str(name), *(said(float(x)) for x in numbers)] for name, *numbers in rows]
        sums = tables.text_table([str(x) for x in header], texts, "Two scores added")
        st.html(tables.beside(sums, steps(shown.add_line(a, b))))
