"""The sections of the lesson "Numerical stability" about whole chains."""

from functools import lru_cache

import streamlit as st

from crf.figures.numbers import format_score, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import prose
from pages.shared.ui import problem_state
from pages.shared.ui.controls import Choice, Integer
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.stability import figures, step, verdicts
from pages.stability.chains import FormatRun, grow, log_space, repeated, two_tracks
from pages.stability.number_formats import exactly, limits, written
from pages.stability.sums import exact_log_partition
from pages.stability.verdicts import find, told

LONGEST = 500  # a token has two factors: of the longest chain a thousand
TOKENS = Integer("stability.tokens", 40, address="len", low=1, high=LONGEST)
LAG = Integer("stability.lag", 120, low=6, high=1200, address="lag")  # nats
CURVES = Choice(
    "stability.curves", "probability", address="curves",
    labels={**verdicts.CHAINS, "all": "All three"},
)  # fmt: skip
_MOST_ENTRIES = 100_000  # of all transition matrices together
_MOST_EXACT = 400  # m·S²: decimal arithmetic takes some milliseconds


@lru_cache(maxsize=8)
def peaks(problem: Problem) -> tuple[float, ...]:
    """The largest log α̂ of each token of the longest chain."""
    return tuple(log_space(repeated(problem, longest(problem))).alphas.amax(1).tolist())


def longest(problem: Problem) -> int:
    """Of how many tokens the chain can be: some hundred, or fewer where there are many tags."""
    return max(len(problem.tokens), min(LONGEST, _MOST_ENTRIES // len(problem.tags) ** 2))


def length(problem: Problem) -> int:
    """The length on screen."""
    return min(TOKENS.value, longest(problem))


@st.fragment
def growing(lesson: Lesson) -> None:
    """The number line, log Z in three ways and four formats at the marked token, what broke."""
    problem = lesson.problem
    picture, text = lesson.split()
    with picture:
        tokens = figures.number_line(problem, peaks(problem), length(problem), key="stability.line")
        if tokens != TOKENS.value:
            TOKENS.set(tokens)
        found = grow(problem, tokens)
        with lesson.results("Show log Z"):
            st.html(verdicts.chain_verdicts(found, "chain"))
    with text:
        bound = limits("float32")
        lesson.say(
            "range",
            thousand=power_of_ten(-1000),
            over=format_score(bound.overflow),
            under=format_score(bound.underflow),
        )
        if tokens > len(problem.tokens) and (problem.per_step or len(problem.tokens) == 1):
            lesson.say("per-step" if problem.per_step else "one-token")
        lesson.say("ways")
        with lesson.results("Show what went wrong"):
            if lesson.tells:
                st.html(prose(*(verdicts.chain_words(found)[:2] or [told("chain.fine")])))
    lesson.publish()


@st.fragment
def closer(lesson: Lesson) -> None:
    """More on the same chain: what else went wrong, every error, one step from the inside."""
    lesson.publish()
    problem = lesson.problem
    found = grow(problem, length(problem))
    words = verdicts.chain_words(found)[2:]
    more = [*words, *verdicts.chain_spacing(found), *_reference(problem)]
    if more and lesson.tells:
        with lesson.results("Show log Z"):
            st.html(prose(*more))
    if lesson.asks:
        CURVES.widget("Curves of")
    drawn = [run for run in found if CURVES.value in (run.method, "all")]
    st.plotly_chart(
        figures.error_curves(drawn, problem.tokens),
        key=step.CHART,
        on_select=lambda: step.picked(drawn),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=told("curves.alt"),
    )
    note(told("curves.note"))
    with lesson.results(told("inside.title")):
        step.look_inside(lesson, found)


def _reference(problem: Problem) -> list[str]:
    """log Z by decimal arithmetic beside float64's; nothing if that would take long."""
    m = len(problem.tokens)
    if m * len(problem.tags) ** 2 > _MOST_EXACT:
        return []
    by_float = repr(find(grow(problem, m), *verdicts.REFERENCE).value).replace("-", "−")
    exact = exactly(exact_log_partition(problem))
    return [told("chain.reference", exact=exact, float64=by_float)]


@st.fragment
def two_paths(lesson: Lesson) -> None:
    """Scaling forgets a path that log space keeps."""
    lesson.publish()
    lesson.say("lost")
    if lesson.asks:
        LAG.widget(told("two-paths.lag"), shape="slider", step=6, width=380)
    problem = two_tracks(float(LAG.value))
    found = grow(problem, len(problem.tokens))
    by_scale, by_log = (find(found, method, "float32") for method in ("scaled", "log"))
    with lesson.results("Show what is kept"):
        header = ["token", "scaled: A", "scaled: B", "log α̂: A", "log α̂: B"]
        columns = zip(problem.tokens, by_scale.columns, by_log.columns, strict=True)
        rows = [[token, *(written(x, 4) for x in (*a, *b))] for token, a, b in columns]
        tracks = tables.text_table(header, rows, told("captions.tracks"))
        st.html(tables.beside(verdicts.chain_verdicts(found, "two-paths"), tracks))
        if lesson.tells:
            st.html(prose(*_lost(by_scale, by_log)))
    if lesson.asks and st.button(told("two-paths.put")):
        problem_state.use_other(problem, told("two-paths.label", lag=LAG.value))
        st.rerun()


def _lost(by_scale: FormatRun, by_log: FormatRun) -> list[str]:
    lag, broke = LAG.value, by_scale.broke
    facts = {"lag": str(lag), "limit": format_score(limits("float32").underflow)}
    scores = told(
        "two-paths.scores", winner=format_score(-float(lag)), other=format_score(-4 * lag / 3),
        log=written(by_log.value), scaled=written(by_scale.value),
    )  # fmt: skip
    if broke:
        return [scores, told("two-paths.lost", why=broke.told, **facts)]
    return [scores, told("two-paths.kept", **facts)]
