"""The sections of the lesson "Numerical stability" about whole chains, and one step of them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import streamlit as st
import torch

from crf.figures.numbers import format_potential, format_score, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.figures import tables
from pages.shared.figures.text import prose
from pages.shared.figures.theme import shorten
from pages.shared.ui import client_values, menu, problem_state
from pages.shared.ui.controls import Choice, Integer
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.stability import figures, verdicts
from pages.stability.chains import FormatRun, FormatTables, grow, log_space, repeated, two_tracks
from pages.stability.number_formats import DTYPES, exactly, limits, written
from pages.stability.sums import exact_log_partition
from pages.stability.verdicts import find, say

LONGEST = 500  # a token has two factors: of the longest chain a thousand
TOKENS = Integer("stability.tokens", 40, address="len", low=1, high=LONGEST)
LAG = Integer("stability.lag", 120, low=6, high=1200, address="lag")  # nats
CURVES = Choice(
    "stability.curves", "probability", address="curves",
    labels={**verdicts.CHAINS, "all": "All three"},
)  # fmt: skip
CHART = "stability.chart"
TOKEN = SessionValue[int | None]("stability.token", None, kind=int)  # from 1, as its field has it
TAG = SessionValue("stability.tag", "")
METHOD = Choice("stability.method", "probability", address="method", labels=verdicts.CHAINS)
FORMAT = Choice("stability.format2", "float32", address="format2", labels={d: d for d in DTYPES})
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
                st.html(prose(*(verdicts.chain_words(found)[:2] or [say("chain.fine")])))
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
        key=CHART,
        on_select=lambda: picked(drawn),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=say("curves.alt"),
    )
    note(say("curves.note"))
    with lesson.results(say("inside.title")):
        look_inside(lesson, found)


def _reference(problem: Problem) -> list[str]:
    """log Z by decimal arithmetic beside float64's; nothing if that would take long."""
    m = len(problem.tokens)
    if m * len(problem.tags) ** 2 > _MOST_EXACT:
        return []
    by_float = repr(find(grow(problem, m), *verdicts.REFERENCE).value).replace("-", "−")
    exact = exactly(exact_log_partition(problem))
    return [say("chain.reference", exact=exact, float64=by_float)]


@st.fragment
def two_paths(lesson: Lesson) -> None:
    """Scaling forgets a path that log space keeps."""
    lesson.publish()
    lesson.say("lost")
    if lesson.asks:
        LAG.widget(say("two-paths.lag"), shape="slider", step=6, width=380)
    problem = two_tracks(float(LAG.value))
    found = grow(problem, len(problem.tokens))
    by_scale, by_log = (find(found, method, "float32") for method in ("scaled", "log"))
    with lesson.results("Show what is kept"):
        header = ["token", "scaled: A", "scaled: B", "log α̂: A", "log α̂: B"]
        columns = zip(problem.tokens, by_scale.columns, by_log.columns, strict=True)
        rows = [[token, *(written(x, 4) for x in (*a, *b))] for token, a, b in columns]
        tracks = tables.text_table(header, rows, say("captions.tracks"))
        st.html(tables.beside(verdicts.chain_verdicts(found, "two-paths"), tracks))
        if lesson.tells:
            st.html(prose(*_lost(by_scale, by_log)))
    if lesson.asks and st.button(say("two-paths.put")):
        problem_state.use_other(problem, say("two-paths.label", lag=LAG.value))
        st.rerun()


def _lost(by_scale: FormatRun, by_log: FormatRun) -> list[str]:
    lag, broke = LAG.value, by_scale.broke
    facts = {"lag": str(lag), "limit": format_score(limits("float32").underflow)}
    scores = say(
        "two-paths.scores", winner=format_score(-float(lag)), other=format_score(-4 * lag / 3),
        log=written(by_log.value), scaled=written(by_scale.value),
    )  # fmt: skip
    if broke:
        return [scores, say("two-paths.lost", why=broke.sentence, **facts)]
    return [scores, say("two-paths.kept", **facts)]


# ---------------------------------------------------------------------- one step from the inside


class Inside(NamedTuple):
    """One cell of a forward recursion as a format computed it."""

    # from each tag before it, none at the first token: its cell; what that is multiplied with,
    # ψ(s′, s), or what is added, T[s′, s]; the product or sum
    terms: list[list[float]]
    # by the holes of its sentence: "total" of the terms, at the first token the start; "emission";
    # if scaled the "raw" cell and the "divisor", the column's sum; "value", the cell
    numbers: dict[str, float]


def inside(given: FormatTables, run: FormatRun, token: int, tag: int) -> Inside:
    """What met in a cell of a run; token from 0, `given` in float64."""
    logs = run.method == "log"
    tables = given.to(run.dtype)
    tables = tables if logs else tables.exp()
    terms, total = torch.zeros(0, 3), tables.start
    if token:
        before = torch.tensor(run.columns[token - 1], dtype=torch.float64).to(total.dtype)[:, None]
        matrix = tables.transitions[token - 1]
        met = before + matrix if logs else before * matrix
        total = torch.logsumexp(met, 0) if logs else met.sum(0)
        terms = torch.stack([before.expand_as(matrix), matrix, met], -1)[:, tag]
    emission = tables.emissions[token]
    value = emission + total if logs else emission * total
    numbers = {"total": total, "emission": emission}
    if run.method == "scaled":
        numbers |= {"raw": value, "divisor": value.sum().expand_as(value)}
        value = value / value.sum()
    numbers["value"] = value
    return Inside(terms.tolist(), {name: x[tag].item() for name, x in numbers.items()})


def lengthened(problem: Problem, tokens: int) -> Problem:
    """The problem whose scores `pages.stability.chains.repeated` has, of at most 60 tokens."""
    emissions, transitions, *ends = (table.tolist() for table in repeated(problem, tokens))
    words = [problem.tokens[t % len(problem.tokens)] for t in range(tokens)]
    steps = transitions if problem.per_step else problem.transitions
    return Problem.of(problem.tags, words, emissions, steps, *ends)


def token(lesson: Lesson) -> int:
    """The token that is looked into, from 0."""
    kept = TOKEN.value
    return (lesson.view.step or 0) if kept is None else kept - 1


def picked(drawn: Sequence[FormatRun]) -> None:
    """Look inside the step of the curves' point that was clicked."""
    point = next(iter(client_values.points(CHART)), {})
    curve, x = point.get("curve_number"), point.get("x")
    if not isinstance(x, (int, float)) or not 1 <= x <= len(drawn[0].values):
        return
    TOKEN.set(int(x))
    if isinstance(curve, int) and 0 <= curve < len(drawn):
        METHOD.set(drawn[curve].method)
        FORMAT.set(drawn[curve].dtype)


def look_inside(lesson: Lesson, found: tuple[FormatRun, ...]) -> None:
    """One cell of one run, with what met in it; at first the largest where the run broke."""
    problem, most = lesson.problem, len(found[0].values)
    st.subheader(say("inside.title"), anchor=False)
    run = find(found, METHOD.value, FORMAT.value)
    first = lesson.view.step or (run.broke.token if run.broke else 0)
    TOKEN.set(min(max(1, TOKEN.begin(lambda: first + 1) or 1), most))
    if TAG.value not in problem.tags:
        column = run.columns[(TOKEN.value or 1) - 1]
        TAG.set(problem.tags[column.index(max(column))])
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            run = find(found, METHOD.widget("Way"), FORMAT.widget("Format"))
            st.number_input("Token", 1, most, key=TOKEN.key, width=140, persist_state="session")
            st.selectbox("Tag", problem.tags, key=TAG.key, width=140, persist_state="session")
    t, s = token(lesson), problem.tags.index(TAG.value)
    word = shorten(problem.tokens[t % len(problem.tokens)])
    note(say("inside.cell", token=t + 1, word=word, tag=problem.tags[s]))
    exact = find(found, *verdicts.REFERENCE).columns[t][s]
    alpha = format_potential(exact).replace(" ", "\xa0")
    words = [say("inside.exact", log=written(exact), alpha=alpha)]
    if run.broke and run.broke.token == t:
        words.insert(0, say(run.broke.sentence))
    cell = inside(repeated(problem, t + 1), run, t, s)
    calculated = verdicts.steps([inside_line(cell, run.method)])
    met = inside_table(cell, problem, run.method) if t else ""
    st.html(tables.beside(met, calculated + (prose(*words) if lesson.tells else "")))
    if lesson.asks:
        _to_forward(problem, t, s)


def inside_table(found: Inside, problem: Problem, method: str) -> str:
    """The terms that met in a cell, a row for each tag before it."""
    names = ("log α̂ before", "T", "sum") if method == "log" else ("α̂ before", "ψ", "product")
    pairs = zip(problem.tags, found.terms, strict=True)
    rows = [[tag, *(written(x, 4) for x in numbers)] for tag, numbers in pairs]
    return tables.text_table(["from", *names], rows, say("inside.met"))


def inside_line(found: Inside, method: str) -> str:
    """The rest of the step, with its numbers."""
    what = "start" if not found.terms else "logsumexp" if method == "log" else "sum"
    texts = {name: written(x, 4) for name, x in found.numbers.items()}
    return say(f"inside.{method}", what=what, **texts)


def _to_forward(problem: Problem, t: int, s: int) -> None:
    """The way to this very step in the lesson on the forward recursion."""
    m = len(problem.tokens)
    repeats = -(-(t + 1) // m)
    if repeats * m > LARGEST_TOKENS:
        return
    if repeats > 1:
        note(say("inside.repeats"))
    if not st.button(say("inside.forward"), icon=":material/arrow_forward:"):
        return
    if repeats > 1:
        label = say("inside.label", label=problem_state.origin().label, repeats=repeats)
        problem_state.use_other(lengthened(problem, repeats * m), label)
    scores = problem_state.address()
    if scores is not None:  # else no address can carry them
        menu.go("forward", scores | {"step": str(t * len(problem.tags) + s)})
