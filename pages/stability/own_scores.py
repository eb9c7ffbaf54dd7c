"""The sections on log Σ exp(q): the scores q, their sum in every way and format, the choice of c.

Scores are presets, or kept as typed, so that "log 0.4" stays what it says; what cannot be read is
answered by a message, and the last scores that could be read stay on screen.
"""

import math

import streamlit as st

from crf.figures.numbers import exact, format_score
from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_score
from pages.shared.figures import tables, theme
from pages.shared.figures.text import prose
from pages.shared.ui import computed, question
from pages.shared.ui.controls import Choice, Integer, Number, Value
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import InvalidError, SessionValue
from pages.stability import figures, verdicts
from pages.stability.number_formats import (
    DTYPES,
    GOOD,
    exactly,
    limits,
    magnitude,
    score_text,
    written,
)
from pages.stability.number_formats import RIGHT as CLOSE
from pages.stability.sums import OffsetSum, exact_log_sum_exp, log_sums, pair_sum, with_offset
from pages.stability.verdicts import say

OwnScores = tuple[float, ...]

MOST = 20  # as many as a problem has tags
PRESETS = {
    "No overflow": "1, 2, 3",
    "float32 overflows": "95, 90, 88",
    "float64 overflows": "800, 799, 650",
    "All vanish": "-1000, -1001, -1002",
    "One forbidden": "0.5, -inf, 2",
    "All forbidden": "-inf, -inf, -inf",
    "Score too large": "70000, 1",
}


def read(text: str) -> OwnScores:
    """Scores with commas or semicolons between them.

    >>> read("95, 2/4; -inf")
    (95.0, 0.5, -inf)

    Raises:
        ProblemError: One of them is no score, or there are none, or too many.
    """
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST:
        raise ProblemError(say("scores.number", most=MOST, got=len(parts)))
    return tuple(parse_score(part, f"score {k}") for k, part in enumerate(parts, 1))


def _checked(value: object) -> OwnScores:
    if isinstance(value, tuple) and 1 <= len(value) <= MOST:
        if all(isinstance(q, float) and q < math.inf for q in value):
            return value
    raise InvalidError(say("scores.many", most=MOST))


def _linked(text: str) -> OwnScores:
    try:
        return read(text.replace("~", ","))
    except ProblemError as error:
        raise InvalidError(f"{error}.") from None


SCORES = Value[OwnScores](
    "stability.kept", read(PRESETS["float32 overflows"]), address="q", checked=_checked,
    reads=_linked, writes=lambda scores: "~".join(map(exact, scores)),
)  # fmt: skip
TYPED = SessionValue[str | None]("stability.scores", None, kind=str)
LEFT = Number("stability.a", 0.0, low=-1e5, high=1e5, address="left")
RIGHT = Number("stability.b", -12.0, low=-1e5, high=1e5, address="right")
# in which the reader chooses c, and c − max q, in nats: as far as the sum is inf and as it is 0
FORMAT = Choice("stability.format", "float32", address="format", labels={d: d for d in DTYPES})
AWAY = {
    bound.dtype: Integer(
        f"stability.c.{bound.dtype}", 0,
        low=-math.ceil(1.2 * bound.overflow), high=math.ceil(-1.2 * bound.underflow),
    )
    for bound in map(limits, DTYPES)
}  # fmt: skip
CONTROLS = (SCORES, FORMAT, LEFT, RIGHT)


# ---------------------------------------------------------------------- one sum


@st.fragment
def one_sum(lesson: Lesson) -> None:
    """Any scores, three ways, four formats: guess, then see; then the choice of c."""
    lesson.say("sum")
    scores = _chooser(lesson)
    lesson.publish()
    found = log_sums(scores)
    wrong = [x.dtype for x in found if x.method == "naive" and x.kind not in GOOD]
    if not question.guess(
        say("ask.guess"),
        list(map(str, range(len(DTYPES) + 1))),
        len(wrong),
        key="stability.guess",
        subject="formats",
        why=f"{', '.join(wrong)}." if wrong else "",
    ):
        return
    grid, words = st.columns([3, 2], gap="large")
    grid.html(verdicts.sum_verdicts(found))
    if lesson.tells:
        exact_sum = exactly(exact_log_sum_exp(scores, digits=25))
        said = say("sums.exact", value=exact_sum, off=f"{CLOSE:g}")
        words.html(prose(*verdicts.sum_words(found), said))
    lesson.say("offset")
    _choice_of_c(lesson, scores)


def _chooser(lesson: Lesson) -> OwnScores:
    """Presets and the field; returns the scores on screen."""
    TYPED.begin(lambda: ", ".join(map(exact, SCORES.value)))
    if not lesson.asks:
        note(f"q = {', '.join(map(score_text, SCORES.value))}")
        return SCORES.value
    with st.container(horizontal=True, gap="small"):
        for name, text in PRESETS.items():
            st.button(name, key=f"stability.preset.{name}", on_click=TYPED.set, args=(text,))
        last = ", ".join(map(exact, _last_column(lesson)))
        st.button("From the problem", key="stability.from", on_click=TYPED.set, args=(last,),
                  help=say("scores.last"))  # fmt: skip
    st.text_input(
        "Scores q", key=TYPED.key, max_chars=400, autocomplete="off", width=380,
        help=say("scores.help"), persist_state="session",
    )  # fmt: skip
    try:
        SCORES.set(read(TYPED.value or ""))
    except ProblemError as error:
        kept = ", ".join(map(exact, SCORES.value))
        st.warning(theme.markdown(say("scores.kept", error=str(error), kept=kept)))
    return SCORES.value


def _last_column(lesson: Lesson) -> OwnScores:
    """The terms of log Z: log α of the last token, plus end."""
    alphas = computed.summary(lesson.problem).chain.log_alphas[0, -1].tolist()
    return tuple(round(a + end, 4) for a, end in zip(alphas, lesson.problem.end, strict=True))


def _choice_of_c(lesson: Lesson, scores: OwnScores) -> None:
    """The rule with the numbers on screen, for a c of the reader's choice."""
    if max(scores) == -math.inf:
        st.info(say("offsets.none"))
        return
    plot, line = st.columns([3, 2], gap="large")
    with line:
        if lesson.asks:
            FORMAT.widget(say("offsets.format"))
        dtype = FORMAT.value
        if lesson.asks:
            AWAY[dtype].widget(say("offsets.away"), shape="slider")
        c = max(scores) + AWAY[dtype].value
        st.html(verdicts.steps(offset_steps(with_offset(scores, c, dtype))))
    plot.plotly_chart(
        figures.offset_plot(scores, c, dtype),
        key="stability.offsets",
        config={"displayModeBar": False},
        alt=say("offsets.alt", dtype=dtype),
    )


def offset_steps(found: OffsetSum) -> list[str]:
    """c + log Σ exp(q − c) with its numbers, a step a line."""
    c = written(found.offset)
    exps = [f"exp({score_text(q)} − {_bracketed(found.offset)})" for q in found.scores]
    log = math.log(found.total) if found.total else -math.inf
    return [
        f"log Σ exp(q) = {c} + log({_sum(exps)})",
        f"= {c} + log({_sum([written(e, 4) for e in found.exps])})",
        f"= {c} + log {written(found.total, 6)}",
        f"= {c} {'−' if log < 0 else '+'} {written(abs(log), 6)}",
        f"= {written(found.value)}",
    ]


def _sum(terms: list[str]) -> str:
    """The terms with plus signs, some left out where there are many."""
    return " + ".join(terms if len(terms) <= 6 else [*terms[:4], "…", terms[-1]])


def _bracketed(value: float) -> str:
    return f"({written(value)})" if value < 0 else written(value)


# ---------------------------------------------------------------------- in folds


def what_formats_hold(lesson: Lesson) -> None:
    """The four formats and where exp leaves them."""
    lesson.say("formats")
    rows = [
        [dtype, magnitude(largest, 3), *map(format_score, ends), f"1\xa0+\xa0{magnitude(epsilon)}"]
        for dtype, *ends, epsilon, largest in map(limits, DTYPES)
    ]
    columns = ("largest", "inf", "fades", "zero", "next")
    header = ["", *(say(f"limits.{name}") for name in columns)]
    st.html(tables.text_table(header, rows, say("captions.formats")))


@st.fragment
def two_at_a_time(lesson: Lesson) -> None:
    """log-add of two scores."""
    lesson.publish()
    lesson.say("log-add")
    if lesson.asks:
        with st.container(horizontal=True, gap="medium"):
            LEFT.widget("a", step=1.0, format="%g", width=180)
            RIGHT.widget("b", step=1.0, format="%g", width=180)
    a, b = LEFT.value, RIGHT.value
    with lesson.results("Show the sum"):
        header = ["", "as written", "with log(1 + x)", "with log1p(x)", "exact"]
        rows = [[dtype, *map(written, pair_sum(a, b, dtype))] for dtype in DTYPES]
        sums = tables.text_table(header, rows, say("captions.pair"))
        st.html(tables.beside(sums, verdicts.steps(pair_steps(a, b))))


def pair_steps(a: float, b: float) -> list[str]:
    """max + log1p(exp(min − max)) with its numbers, a step a line."""
    high, low = max(a, b), min(a, b)
    x = math.exp(low - high)
    return [
        f"{written(a)} ⊕ {_bracketed(b)} = {written(high)} + log1p(x), "
        f"x = exp({written(low)} − {_bracketed(high)}) = {written(x)}",
        f"= {written(high)} + {written(math.log1p(x))}",
        f"= {written(high + math.log1p(x), 12)}",
    ]
