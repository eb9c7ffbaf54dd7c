"""The end of the lesson "Numerical stability": check yourself, its controls and its tables."""

import itertools
import math
import random
import secrets

import streamlit as st

from crf.figures.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Rows
from pages.shared.ui import question
from pages.shared.ui.controls import Integer
from pages.shared.ui.exports import Table
from pages.shared.ui.question import Verdict
from pages.shared.ui.view import View
from pages.stability import forbidden, growing, own_scores
from pages.stability.chains import grow
from pages.stability.number_formats import DTYPES, Limits, limits, written
from pages.stability.sums import PairSum, log_sum, log_sums, pair_sum
from pages.stability.verdicts import say

_SEEDS = 10**6
SEED = Integer("stability.seed", 0, low=0, high=_SEEDS, address="ask")  # the same behind a link
CONTROLS = (
    SEED, growing.TOKENS, growing.CURVES, growing.LAG, growing.METHOD, growing.FORMAT,
    *own_scores.CONTROLS, forbidden.FORMAT, forbidden.WHICH,
)  # fmt: skip
_TOLERANCE = 0.005  # an answer to two decimals


def scores_of(seed: int) -> tuple[float, ...]:
    """Scores for a question: large, or very small, near the limit of one of the formats."""
    draw = random.Random(seed)
    bound = limits(draw.choice(DTYPES))
    at = bound.overflow if draw.random() < 0.5 else bound.underflow
    first = round(at * draw.uniform(0.7, 1.4))
    return tuple(float(first - draw.randrange(0, 4)) for _ in range(3))


def equal_scores(seed: int) -> tuple[float, int]:
    """A large score, and how often it stands in the sum."""
    draw = random.Random(seed)
    return float(draw.randrange(20, 200) * 10), draw.choice((2, 3, 4, 5, 8, 10))


@st.fragment
def check_yourself(view: View) -> None:
    """Two questions with numbers of their own."""
    st.header("Check yourself", anchor=False)
    seed, helps = SEED.value, "answers" not in view.hide
    left, right = st.columns(2)
    with left:
        _which_formats(seed, helps)
    with right:
        _by_hand(seed, helps)
    st.button(
        "New numbers", key="stability.new", icon=":material/casino:",
        on_click=lambda: SEED.set(secrets.randbelow(_SEEDS)),
    )  # fmt: skip


def _which_formats(seed: int, helps: bool) -> None:
    scores = scores_of(seed)
    found = [log_sum(scores, "naive", dtype) for dtype in DTYPES]
    right = frozenset(x.dtype for x in found if math.isinf(x.value))
    kind = "overflows" if max(scores) > 0 else "vanishes"
    solution = " ".join(f"{x.dtype}: {written(x.value)}. {say(x.sentence)}" for x in found)
    hint = say(f"ask.{kind}", largest=written(max(scores)))
    question.several(
        say("ask.formats", q=", ".join(map(written, scores))),
        DTYPES,
        lambda chosen: Verdict(chosen == right, "" if chosen == right else hint, solution),
        key=f"stability.formats.{seed}",
        helps=helps,
    )


def _by_hand(seed: int, helps: bool) -> None:
    score, times = equal_scores(seed)
    right = log_sum((score,) * times, "shifted", "float64").value
    facts = {"score": written(score), "times": times}
    solution = say("ask.solution", right=format_score(right), **facts)

    def judge(given: float) -> Verdict:
        close = abs(given - right) <= _TOLERANCE + 1e-9
        return Verdict(close, "" if close else say("ask.subtract"), solution)

    question.number(say("ask.by-hand", **facts), judge, key=f"stability.byhand.{seed}", helps=helps)


def tables(problem: Problem) -> dict[str, Table]:
    """Every table of the lesson by name, for files."""

    def chain() -> Rows:
        found, words = grow(problem, growing.length(problem)), problem.tokens
        header = ["tokens", "last token", *(f"{run.method} {run.dtype}" for run in found)]
        rows = enumerate(zip(*(run.values for run in found), strict=True))
        return [header, *([t + 1, words[t % len(words)], *values] for t, values in rows)]

    def forbidding() -> Rows:
        on_screen = forbidden.chosen(problem)
        cells = [f"{token}: {tag}" for token in on_screen.tokens for tag in on_screen.tags]
        rows = [
            [x.method, x.dtype, x.value, x.kind, *itertools.chain(*x.gradient)]
            for x in forbidden.compare(on_screen)
        ]
        return [["forbidden is", "format", "log Z", "verdict", *cells], *rows]

    every = {
        "Formats": lambda: [Limits._fields, *map(limits, DTYPES)],
        "One sum": lambda: [
            ["method", "format", "value", "error", "verdict", "words"],
            *([*x[:-1], say(x.sentence)] for x in log_sums(own_scores.SCORES.value)),
        ],
        "Two at a time": lambda: [
            ["format", *PairSum._fields],
            *([d, *pair_sum(own_scores.LEFT.value, own_scores.RIGHT.value, d)] for d in DTYPES),
        ],
        "Growing chain": chain,
        "Forbidden": forbidding,
        "Row of -inf": lambda: [
            ["format", "function", "value", "gradient"],
            *(
                [dtype, say(f"functions.{name}"), written(value), " ".join(map(written, gradient))]
                for dtype in DTYPES
                for name, (value, gradient) in forbidden.empty_row(dtype).items()
            ),
        ],
    }
    return {name: Table.of(rows) for name, rows in every.items()}
