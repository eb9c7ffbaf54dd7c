"""What stands behind "⋯" of Numerical stability: scores of one's own, scaling, gradients, code."""

import math
import random

import pandas as pd
import streamlit as st

from crf.figures.numbers import decimal, format_score
from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_score
from pages.shared.figures import theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR, ChartLine, line_chart
from pages.shared.figures.chart import look as look_of
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench, question, textbook_code
from pages.shared.ui.question import Verdict
from pages.shared.ui.stage import look, take, whose
from pages.stability import formats
from pages.stability.beats import BEATS
from pages.stability.chains import (
    METHODS,
    STAND_IN,
    WAYS,
    empty_row,
    every_other_forbidden,
    forbid,
    run,
    two_tracks,
)
from pages.stability.formats import DTYPES, limits, log_sum, magnitude, spacing, written

LESSON = "stability"
MOST, WORDS = 20, 300  # scores, and words of a sentence that is repeated
FIRST = "95, 90, 88"
_TOLERANCE = 0.005  # an answer to two decimals


def read(typed: str) -> tuple[float, ...]:
    """Scores with commas or semicolons between them.

    >>> read("95, 2/4; -inf")
    (95.0, 0.5, -inf)

    Raises:
        ProblemError: One of them is no score, or there are none, or too many.
    """
    parts = [part for part in typed.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST:
        raise ProblemError(
            LessonText.of(LESSON).line("labels.number", most=str(MOST), got=str(len(parts)))
        )
    return tuple(parse_score(part, f"score {k}") for k, part in enumerate(parts, 1))


def _own(_state: State, _beat: Beat, text: LessonText) -> None:
    """log Σ exp of any scores, in each way and format: what comes out, and why."""
    st.html(text.html("own"))
    typed = st.text_input(
        text.line("labels.scores"),
        FIRST,
        key=f"{LESSON}.scores",
        max_chars=400,
        autocomplete="off",
        width=380,
        help=text.line("labels.scores-help"),
    )
    try:
        scores = read(typed or "")
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        return
    rows = []
    for method in formats.METHODS:
        for dtype in DTYPES:
            result = log_sum(scores, method, dtype)
            name = text.line(f"labels.{method}")
            rows.append([name, dtype, written(result.value), text.line(result.sentence)])
    heads = [text.line(f"labels.{name}") for name in ("way", "format", "value", "verdict")]
    frame = pd.DataFrame(rows, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.own"))
    exact = formats.exactly(formats.exact_log_sum_exp(scores, digits=25))
    st.html(text.html("exact", value=decimal(exact)))


def _formats(_state: State, _beat: Beat, text: LessonText) -> None:
    """The four formats and where exp leaves them."""
    st.html(text.html("formats"))
    rows = [
        [magnitude(largest, 3), *map(format_score, ends), f"1\xa0+\xa0{magnitude(epsilon)}"]
        for _, *ends, epsilon, largest in map(limits, DTYPES)
    ]
    heads = [text.line(f"labels.{name}") for name in ("largest", "inf", "fades", "zero", "next")]
    frame = pd.DataFrame(rows, list(DTYPES), heads)
    st.dataframe(frame, height="content", alt=text.line("labels.formats"))


def _errors(state: State, _beat: Beat, text: LessonText) -> None:
    """How far log Z is off in each format, by the number of words: the sentence again and again."""
    way = st.segmented_control(
        text.line("labels.way"),
        tuple(METHODS),
        default="log",
        required=True,
        format_func=lambda name: text.line(f"labels.{name}"),
    )
    st.html(text.html("errors"))
    exact = run(state.problem, "log", "float64", WORDS).values
    gaps = {
        dtype: [abs(value - right) for value, right in zip(one.values, exact, strict=True)]
        for dtype in DTYPES
        if (way, dtype) != ("log", "float64")
        for one in [run(state.problem, way, dtype, WORDS)]
    }
    colours, words = look_of(st.context.theme.type), range(1, WORDS + 1)
    inks = (colours.ink, colours.blue, colours.grey, colours.ink)
    lines = [
        ChartLine(name, words, [x if math.isfinite(x) else 0.0 for x in gap], ink)
        for ink, (name, gap) in zip(inks, gaps.items(), strict=False)
    ]
    place = st.container()
    axes = text.line("labels.words"), text.line("labels.off-by")
    frame = pd.DataFrame(gaps, index=pd.Index(words, name=axes[0]))
    st.dataframe(frame.style.format("{:.3g}"), height=260, key=f"{LESSON}.errors")
    figure = line_chart(lines, colours, axes, "y")
    alt = text.line("labels.errors-alt")
    place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"{LESSON}.chart")


def _scaled(_state: State, _beat: Beat, text: LessonText) -> None:
    """Scaling forgets a path that log space keeps."""
    st.html(text.html("scaled"))
    label = text.line("labels.lag")  # nats
    lag = st.slider(label, 6, 1200, 120, step=6, width=380, key=f"{LESSON}.lag")
    problem = two_tracks(float(lag))
    runs = {method: run(problem, method, "float32", 4) for method in ("scaled", "log")}
    rows = [[written(value, 6) for value in one.values] for one in runs.values()]
    names = [text.line(f"labels.{method}") for method in runs]
    frame = pd.DataFrame(rows, names, [text.line("labels.after", n=str(n)) for n in range(1, 5)])
    st.dataframe(frame, height="content", alt=text.line("labels.tracks"))
    name = "scaled-lost" if runs["scaled"].lost else "scaled-kept"
    facts = {"lag": str(lag), "limit": format_score(limits("float32").underflow)}
    st.html(
        text.html(
            name,
            **facts,
            scaled=written(runs["scaled"].values[-1], 6),
            log=written(runs["log"].values[-1], 6),
        )
    )


def _gradient(_state: State, _beat: Beat, text: LessonText) -> None:
    """The gradient of log Z where no path is left: −10000, −∞, and −∞ with its row handled."""
    apart = {d: written(spacing(STAND_IN, d), 2) for d in ("float16", "bfloat16")}
    st.html(text.html("gradient", **apart))
    problem = every_other_forbidden()
    rows = []
    for way in WAYS:
        for dtype in DTYPES:
            result = forbid(problem, way, dtype)
            cells = [written(column[s], 3) for column in result.gradient for s in (0, 1)]
            rows.append([text.line(f"labels.{way}"), dtype, written(result.value, 6), *cells])
    cells = [f"{token}, {tag}" for token in problem.tokens for tag in problem.tags]
    heads = [text.line("labels.forbidden"), text.line("labels.format"), "log Z", *cells]
    frame = pd.DataFrame(rows, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.gradient"))


def _empty(_state: State, _beat: Beat, text: LessonText) -> None:
    """A row of −∞ only."""
    st.html(text.html("empty"))
    rows = []
    for way in ("written", "torch", "handled"):
        value, gradient = empty_row(way)
        rows.append(
            [text.line(f"labels.row-{way}"), written(value), ", ".join(map(written, gradient))]
        )
    heads = ["logsumexp(−∞, −∞, −∞)", *(text.line(f"labels.{x}") for x in ("value", "slope"))]
    frame = pd.DataFrame(rows, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.empty"))
    st.html(text.html("handled"))


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    bench.show(bench.OnBench(LESSON, state.problem, hidden_from=bench.hides(state, beat)))


def _code(_state: State, _beat: Beat, text: LessonText) -> None:
    """The textbook's logsumexp, and two at a time in a line."""
    textbook_code.body("logsumexp")
    st.html(text.html("log-add"))
    st.code("a_plus_b = max(a, b) + log1p(exp(min(a, b) - max(a, b)))", language="python")


def equal_scores(seed: int) -> tuple[float, int]:
    """A large score, and how often it stands in the sum.

    >>> equal_scores(1)
    (540.0, 8)
    """
    draw = random.Random(seed)
    return float(draw.randrange(20, 200) * 10), draw.choice((2, 3, 4, 5, 8, 10))


def _exercise(_state: State, _beat: Beat, text: LessonText) -> None:
    """log Σ exp by hand, with new numbers each time."""
    seed = st.number_input(text.line("labels.again"), 0, 999, 1, width=220)
    score, times = equal_scores(seed)
    right = score + math.log(times)
    facts = {"score": written(score), "times": str(times)}
    solution = text.line("exercise.solution", right=format_score(right), **facts)

    def judge(answer: float) -> Verdict:
        close = abs(answer - right) <= _TOLERANCE + 1e-9
        return Verdict(close, "" if close else text.line("exercise.hint"), solution)

    question.number(text.line("exercise.question", **facts), judge, key=f"{LESSON}.hand.{seed}")


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers, "own": _own, "errors": _errors, "formats": _formats},
    "why": {"scaled": _scaled, "gradient": _gradient, "empty": _empty},
    "code": {"step": _code},
    "keep": {"whose": whose.section(LESSON), "exercise": _exercise, "link": _take},
}
