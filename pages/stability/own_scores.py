"""The section on log Σ exp(q): the scores q, their sum in every way and format, the choice of c.

Scores are presets, or kept as typed, so that "log 0.4" stays what it says; what cannot be read is
answered by a message, and the last scores that could be read stay on screen.
"""

import math
from collections.abc import Sequence

import streamlit as st

from pages.shared.course.numbers import exact, parse_score
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import tables, theme
from pages.shared.figures.text import prose
from pages.shared.ui import computed
from pages.shared.ui.controls import Integer, Number, Value
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import InvalidError, SessionValue
from pages.shared.ui.view import View
from pages.stability import figures, number_formats, verdicts
from pages.stability.number_formats import DTYPES, GOOD, limits
from pages.stability.step import number_format, steps
from pages.stability.sums import LogSum, exact_log_sum_exp, log_sums, with_offset
from pages.stability.verdicts import exactly, said
from pages.stability.worked import Added, added

OwnScores = tuple[float, ...]

MOST = 20  # as many as a problem has tags
PRESETS: dict[str, tuple[str, str]] = {
    "No overflow": ("1, 2, 3", "Every format can hold exp of these."),
    "float32 overflows": ("95, 90, 88", "As a chain of some twenty tokens has them."),
    "float64 overflows": ("800, 799, 650", "A long chain of large scores."),
    "All vanish": ("-1000, -1001, -1002", "A long chain of small probabilities."),
    "One forbidden": ("0.5, -inf, 2", "One of the ways is forbidden."),
    "All forbidden": ("-inf, -inf, -inf", "Every way is forbidden."),
    "Score too large": ("70000, 1", "The score itself is more than float16 holds."),
}  # fmt: skip
FIRST = "float32 overflows"


def current() -> OwnScores:
    """The scores on screen, moved as the slider says."""
    return tuple(q + SHIFT.value for q in SCORES.value)


def read(text: str) -> OwnScores:
    """Scores with commas or semicolons between them.

    >>> read("95, 2/4; -inf")
    (95.0, 0.5, -inf)

    Raises:
        ProblemError: One of them is no score, or there are none, or too many.
    """
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST:
        raise ProblemError(
            f"scores: expected 1 to {MOST} numbers with commas between them, got {len(parts)}"
        )
    return tuple(parse_score(part, f"score {k}") for k, part in enumerate(parts, 1))


def _checked(value: object) -> OwnScores:
    if isinstance(value, tuple) and 1 <= len(value) <= MOST:
        if all(isinstance(q, float) and -math.inf <= q < math.inf for q in value):
            return value
    raise InvalidError(f"One can have 1 to {MOST} scores.")


def _linked(text: str) -> OwnScores:
    try:
        return read(text.replace("~", ","))
    except ProblemError as error:
        raise InvalidError(f"{error}.") from None


SCORES = Value[OwnScores](
    "stability.kept", read(PRESETS[FIRST][0]), address="q", checked=_checked, reads=_linked,
    writes=lambda scores: "~".join(map(exact, scores)),
)  # fmt: skip
TYPED = SessionValue[str | None]("stability.scores", None, kind=str)
# how many nats all scores are moved by
SHIFT = Integer("stability.shift", 0, low=-1200, high=1200, address="shift")


def chooser(problem: Problem, view: View) -> OwnScores:
    """Presets, the field and the slider; returns the scores on screen."""
    TYPED.begin(lambda: ", ".join(map(exact, SCORES.value)))
    if "controls" in view.hide:
        _say(current())
        return current()
    with st.container(horizontal=True, gap="small"):
        for name, (text, about) in PRESETS.items():
            st.button(name, key=f"stability.preset.{name}", help=about, on_click=_use, args=(text,))
        last = last_column(problem)
        st.button(
            "From the problem",
            key="stability.preset.problem",
            help="log α of the last token, plus end, of the problem on screen.",
            on_click=_use,
            args=(", ".join(map(exact, last)),),
        )
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.text_input(
            "Scores q",
            key=TYPED.key,
            max_chars=400,
            autocomplete="off",
            help="Write -inf for a forbidden one; 2/3, log 0.4 and 1e3 can be read, too.",
            width=380,
            persist_state="session",
        )
        SHIFT.widget("Added to every score", shape="slider", width=380)
    try:
        SCORES.set(read(TYPED.value or ""))
    except ProblemError as error:
        kept = ", ".join(map(exact, SCORES.value))
        st.warning(theme.markdown(f"{error}. These scores are used until then: {kept}."))
    scores = current()
    if SHIFT.value:
        _say(scores)
    return scores


def _say(scores: OwnScores) -> None:
    note(f"q = {', '.join(map(exact, scores))}".replace("-inf", "−∞").replace("-", "−"))


def last_column(problem: Problem) -> OwnScores:
    """The terms of log Z: log α of the last token, plus end."""
    alphas = computed.summary(problem).chain.log_alphas[0, -1].tolist()
    return tuple(
        round(a + end, 4) if a + end > -math.inf else -math.inf
        for a, end in zip(alphas, problem.end, strict=True)
    )


def _use(text: str) -> None:
    TYPED.set(text)
    SHIFT.reset()


# ---------------------------------------------------------------------- the sections


SEEN = SessionValue[tuple]("stability.seen", ())  # the scores, and the guess or None
GUESS = SessionValue[Sequence[str]]("stability.guess", (), kind=list | tuple)
FORMAT = number_format("format")
LEFT = Number("stability.a", 0.0, low=-1e5, high=1e5, address="left")
RIGHT = Number("stability.b", -12.0, low=-1e5, high=1e5, address="right")
CONTROLS = (SCORES, SHIFT, FORMAT, LEFT, RIGHT)


# ---------------------------------------------------------------------- what a format holds


def what_formats_hold(lesson: Lesson) -> None:
    """The four formats and where exp leaves them."""
    lesson.say("formats")
    rows = list(map(verdicts.limit_texts, DTYPES))
    st.html(tables.text_table(verdicts.LIMITS, rows, "What each format holds"))


# ---------------------------------------------------------------------- one sum


@st.fragment
def one_sum(lesson: Lesson) -> None:
    """Any scores, three ways, four formats: guess, then see; then the choice of c."""
    lesson.say("sum")
    scores = chooser(lesson.problem, lesson.view)
    lesson.publish()
    found = log_sums(scores)
    if not _seen(scores, found):
        return
    grid, told = st.columns([3, 2], gap="large")
    grid.html(verdicts.sum_verdicts(found))
    if lesson.tells:
        told.html(prose(*verdicts.why(found)))
    lesson.say("offset")
    _choice_of_c(lesson, scores)
    with lesson.fold("What is each exponential, exactly?", key="exact") as is_open:
        if is_open:
            st.html(
                tables.beside(
                    tables.text_table(["", *DTYPES], verdicts.exp_rows(found), "exp of each score"),
                    prose(*_exact(scores, found)),
                )
            )


def _exact(scores: OwnScores, found: list[LogSum]) -> list[str]:
    value = exact_log_sum_exp(scores, digits=25)
    off = f"{number_formats.RIGHT:g}"
    return [
        verdicts.told("sums.exact", value=exactly(value), off=off),
        *verdicts.nearest(found, float(value)),
    ]


def _seen(scores: OwnScores, found: list[LogSum]) -> bool:
    """The guess, until the reader has committed to one or asked to see; what became of it."""
    naive = {x.dtype: x.kind not in GOOD for x in found if x.method == "naive"}
    if not SEEN.value:
        with st.form("stability.form"):
            st.pills(
                "In which formats, if any, does log Σ exp(q), as written, go wrong for these "
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


def _commit(scores: OwnScores, guessed: bool) -> None:
    SEEN.set((scores, tuple(GUESS.value) if guessed else None))


def verdict(guess: set[str], right: set[str]) -> None:
    """Whether a guess of formats was right."""
    names = ", ".join(d for d in DTYPES if d in right) or "none"
    if guess == right:
        st.success(f"Right: {names}.", icon=":material/check:")
    else:
        st.error(f"Not right. It goes wrong in: {names}.", icon=":material/close:")


# ---------------------------------------------------------------------- the choice of c


def _choice_of_c(lesson: Lesson, scores: OwnScores) -> None:
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
        st.html(steps(verdicts.line(with_offset(scores, max(scores) + away, dtype))))
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
    lesson.publish()
    lesson.say("log-add")
    if lesson.asks:
        with st.container(horizontal=True, gap="medium"):
            LEFT.widget("a", step=1.0, format="%g", width=180)
            RIGHT.widget("b", step=1.0, format="%g", width=180)
    with lesson.results("Show the sum"):
        header, *rows = verdicts.add_rows(sums_of_two())
        texts = [[str(name), *(said(float(x)) for x in numbers)] for name, *numbers in rows]
        sums = tables.text_table([str(x) for x in header], texts, "Two scores added")
        st.html(tables.beside(sums, steps(verdicts.add_line(LEFT.value, RIGHT.value))))


def sums_of_two() -> list[Added]:
    """The two scores on screen, added in every format."""
    return [added(LEFT.value, RIGHT.value, dtype) for dtype in DTYPES]
