"""The sections of the lesson "Numerical stability" about whole chains."""

from functools import lru_cache

import streamlit as st

from pages.shared.course.numbers import format_score, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import Case, prose
from pages.shared.ui import client_values, problem_state
from pages.shared.ui.controls import Choice, Integer
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.stability import figures, step, verdicts
from pages.stability.chains import FormatRun, grow, peaks, repeated, two_tracks
from pages.stability.figures import number_line
from pages.stability.number_formats import limits
from pages.stability.step import find, number_format
from pages.stability.sums import exact_log_partition
from pages.stability.verdicts import exactly, said, told

LONGEST = 500  # a token has two factors: of the longest chain a thousand
TOKENS = Integer("stability.tokens", 40, address="len", low=1, high=LONGEST)
LINE, CHART = "stability.line", "stability.chart"
CURVES = Choice(
    "stability.curves", "probability", address="curves",
    labels={**verdicts.CHAINS, "all": "All three"},
)  # fmt: skip
_MOST_ENTRIES = 100_000  # of all transition matrices together
_MOST_EXACT = 400  # m·S²: decimal arithmetic takes some milliseconds


@lru_cache(maxsize=8)
def _up_to(problem: Problem, tokens: int) -> tuple[FormatRun, ...]:
    return tuple(grow(repeated(problem, tokens)))


@lru_cache(maxsize=8)
def runs(problem: Problem, tokens: int) -> tuple[FormatRun, ...]:
    """log Z of every length up to this one, in each way and format.

    A shorter chain is the beginning of a longer one, so that nothing is computed anew until the
    chain is twice as long.
    """
    enough = TOKENS.default
    while enough < tokens:
        enough *= 2
    enough = max(tokens, min(longest(problem), enough))
    return tuple(run.beginning(tokens) for run in _up_to(problem, enough))


@lru_cache(maxsize=8)
def line(problem: Problem) -> tuple[float, ...]:
    """The largest log α̂ of each token of the longest chain."""
    return peaks(repeated(problem, longest(problem)))


@lru_cache(maxsize=16)
def exact(problem: Problem) -> str | None:
    """log Z by decimal arithmetic, as text; None if that would take long."""
    if len(problem.tokens) * len(problem.tags) ** 2 > _MOST_EXACT:
        return None
    return exactly(exact_log_partition(problem, digits=25))


# ---------------------------------------------------------------------- the length


def longest(problem: Problem) -> int:
    """Of how many tokens the chain can be: some hundred, or fewer where there are many tags."""
    m, S = len(problem.tokens), len(problem.tags)
    return max(m, min(LONGEST, _MOST_ENTRIES // S**2))


def length(problem: Problem) -> int:
    """The length on screen."""
    return min(TOKENS.value, longest(problem))


# ---------------------------------------------------------------------- a chain that grows


@st.fragment
def growing(lesson: Lesson) -> None:
    """The number line, log Z in three ways and four formats at the marked token, what broke."""
    problem = lesson.problem
    picture, text = lesson.split()
    with picture:
        tokens = number_line(problem, line(problem), length(problem), key=LINE)
        if tokens != TOKENS.value:
            TOKENS.set(tokens)
        found = runs(problem, tokens)
        with lesson.results("Show log Z"):
            st.html(verdicts.chain_verdicts(found))
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
    """More on the same chain: every error, the spacing of numbers, one step opened."""
    lesson.publish()
    problem = lesson.problem
    found = runs(problem, length(problem))
    with lesson.results("Show log Z"):
        if lesson.tells:
            more = verdicts.chain_words(found)[2:]
            st.html(prose(*more, *verdicts.chain_spacing(found), *_reference(problem)))
        _curves(lesson, problem, found)
        step.look_inside(lesson.view, problem, found)


def _curves(lesson: Lesson, problem: Problem, found: tuple[FormatRun, ...]) -> None:
    """The errors by length, of one way or of all."""
    if lesson.asks:
        CURVES.widget("Curves of")
    drawn = [run for run in found if CURVES.value in (run.method, "all")]
    st.plotly_chart(
        figures.error_curves(drawn, problem.tokens),
        key=CHART,
        on_select=lambda: _picked(drawn),
        selection_mode="points",
        config={"displayModeBar": False},
        alt="Error of log Z against the length of the chain, for each way and format.",
    )
    note(
        "A click on a curve opens that step below. An error of 0 is drawn at the bottom. From a "
        "cross on, the area has the format’s colour: there it gives no number."
    )


def _reference(problem: Problem) -> list[str]:
    value = exact(problem)
    if value is None:
        return []
    held = runs(problem, len(problem.tokens))
    by_float = f"{step.find(held, *verdicts.REFERENCE).values[-1]!r}".replace("-", "−")
    return [told("chain.reference", exact=value, float64=by_float)]


def _picked(drawn: list[FormatRun]) -> None:
    """A click on a point of the plot: look inside that step."""
    point = next(iter(client_values.points(CHART)), {})
    curve, x = point.get("curve_number"), point.get("x")
    if not isinstance(x, (int, float)) or not 1 <= x <= len(drawn[0].values):
        return
    step.TOKEN.set(int(x))
    if isinstance(curve, int) and 0 <= curve < len(drawn):
        step.METHOD.set(drawn[curve].method)
        step.FORMAT.set(drawn[curve].dtype)


# ---------------------------------------------------------------------- where a scale does not help


LAG = Integer("stability.lag", 120, low=6, high=1200, address="lag")  # nats
FORMAT = number_format("lagformat")


@st.fragment
def two_paths(lesson: Lesson) -> None:
    """Scaling forgets a path that log space keeps."""
    lesson.publish()
    lesson.say("lost")
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            LAG.widget("B falls behind by, in nats", shape="slider", step=6, width=380)
            FORMAT.widget("Number format")
    lag, dtype = LAG.value, FORMAT.value
    problem = two_tracks(float(lag))
    found = _up_to(problem, len(problem.tokens))
    by_scale, by_log = (find(found, method, dtype) for method in ("scaled", "log"))
    with lesson.results("Show what is kept"):
        header = ["token", "scaled: A", "scaled: B", "log α̂: A", "log α̂: B"]
        rows = [
            [problem.tokens[t], *(said(x, 4) for x in (*by_scale.columns[t], *by_log.columns[t]))]
            for t in range(len(problem.tokens))
        ]
        tracks = tables.text_table(header, rows, f"Both paths, token by token, in {dtype}")
        st.html(tables.beside(verdicts.chain_verdicts(found, "the two paths"), tracks))
        if lesson.tells:
            st.html(prose(*_lost(by_scale, by_log, dtype, lag)))
    if lesson.asks and st.button("Put this problem on screen"):
        problem_state.use_other(problem, f"two paths, {lag} nats apart")
        st.rerun()


def _lost(by_scale: FormatRun, by_log: FormatRun, dtype: str, lag: int) -> list[str]:
    bound = limits(dtype)
    facts: dict[str, str | Case] = {
        "dtype": dtype,
        "lag": str(lag),
        "limit": format_score(bound.underflow),
    }
    if by_scale.broke:
        facts["why"] = by_scale.broke.told
    return [
        told(
            "two-paths.scores", winner=format_score(-float(lag)), other=format_score(-4 * lag / 3),
            dtype=dtype, log=said(by_log.values[-1]), scaled=said(by_scale.values[-1]),
        ),
        told(f"two-paths.{'lost' if by_scale.broke else 'kept'}", **facts),
    ]  # fmt: skip
