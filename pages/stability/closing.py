"""The end of the lesson "Numerical stability": check yourself, its controls and its tables."""

import math
import random
import secrets
from collections.abc import Callable

import streamlit as st

from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Rows
from pages.shared.ui import question
from pages.shared.ui.controls import Integer
from pages.shared.ui.exports import Table
from pages.shared.ui.question import Verdict
from pages.shared.ui.view import View
from pages.stability import forbidden, growing, own_scores, step, verdicts
from pages.stability.number_formats import DTYPES, limits
from pages.stability.sums import log_sum, log_sums
from pages.stability.verdicts import said

_SEEDS = 10**6
SEED = Integer("stability.seed", 0, low=0, high=_SEEDS, address="ask")  # the same behind a link
CONTROLS = (
    SEED, growing.TOKENS, growing.CURVES, growing.LAG, growing.FORMAT, step.METHOD, step.FORMAT,
    *own_scores.CONTROLS, forbidden.FORMAT, forbidden.WHICH,
)  # fmt: skip
_TOLERANCE = 0.005  # an answer to two decimals


# ---------------------------------------------------------------------- check yourself


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
    seed = SEED.value
    helps = "answers" not in view.hide
    left, right = st.columns(2)
    with left:
        _which_formats(seed, helps)
    with right:
        _by_hand(seed, helps)
    st.button(
        "New numbers", key="stability.new", on_click=lambda: SEED.set(_drawn()),
        icon=":material/casino:",
    )  # fmt: skip


def _drawn() -> int:
    return secrets.randbelow(_SEEDS)


def _which_formats(seed: int, helps: bool) -> None:
    scores = scores_of(seed)
    found = [log_sum(scores, "naive", dtype) for dtype in DTYPES]
    right = frozenset(x.dtype for x in found if math.isinf(x.value))
    limit = "exp is inf above" if max(scores) > 0 else "exp is 0 below"
    solution = " ".join(f"{x.dtype}: {said(x.value)}. {verdicts.told(x.told)}" for x in found)

    def judge(chosen: frozenset[str]) -> Verdict:
        hint = (
            f"Compare the largest score, {said(max(scores))}, with “{limit}” in the fold “What "
            "each format holds” below."
        )
        if max(scores) > 0:
            hint += " Where each exp can be held, their sum may still be too large."
        return Verdict(True, "", solution) if chosen == right else Verdict(False, hint, solution)

    question.several(
        f"q = {', '.join(map(said, scores))}. In which formats, if any, is log Σ exp(q), as "
        "written, inf or −inf?",
        list(DTYPES),
        judge,
        key=f"stability.formats.{seed}",
        helps=helps,
    )


def _by_hand(seed: int, helps: bool) -> None:
    score, times = equal_scores(seed)
    right = log_sum((score,) * times, "shifted", "float64").value
    solution = (
        f"c = {said(score)}, and {times} times exp(0) is {times}: log Σ exp(q) = "
        f"{said(score)} + log {times} = {format_score(right)}."
    )

    def judge(given: float) -> Verdict:
        if abs(given - right) <= _TOLERANCE + 1e-9:
            return Verdict(True, "", solution)
        hint = "Subtract the largest score first: what is exp(q − c) of each?"
        return Verdict(False, hint, solution)

    question.number(
        f"{times} scores meet, each {said(score)}. What is log Σ exp(q), to two decimals? You "
        "need no computer for the exponentials.",
        judge,
        key=f"stability.byhand.{seed}",
        helps=helps,
    )


# ---------------------------------------------------------------------- export


def tables(problem: Problem) -> dict[str, Table]:
    """Every table of the lesson by name."""
    on_screen = forbidden.chosen(problem)
    every: dict[str, Callable[[], Rows]] = {
        "Formats": lambda: [verdicts.LIMITS, *map(verdicts.limit_numbers, DTYPES)],
        "One sum": lambda: verdicts.sum_rows(log_sums(own_scores.current())),
        "Two at a time": lambda: verdicts.add_rows(own_scores.sums_of_two()),
        "Growing chain": lambda: verdicts.chain_rows(
            growing.runs(problem, growing.length(problem)), problem
        ),
        "Forbidden": lambda: forbidden.forbidden_rows(forbidden.compared(on_screen), on_screen),
        "Row of -inf": forbidden.empty_rows,
    }
    return {name: Table.of(rows) for name, rows in every.items()}
