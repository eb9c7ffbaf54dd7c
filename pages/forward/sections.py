"""The sections of the lesson "Forward" below its stepper."""

import math

import streamlit as st
import torch

from crf import LinearChain
from crf.figures.trellis.narration import quoted
from pages.shared.course import brute_force
from pages.shared.course.numbers import counted, format_magnitude
from pages.shared.course.problem import ProblemError
from pages.shared.figures import cost, tables
from pages.shared.figures.cost import Total
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import prose
from pages.shared.figures.theme import count, probability
from pages.shared.ui import computed, problem_state, question
from pages.shared.ui.exports import Table
from pages.shared.ui.recursion import Recursion


def export_tables(shown: Recursion) -> dict[str, Table]:
    """This lesson's own tables."""
    return {
        "Conventions": Table.of(lambda: _convention_rows(_totals(shown))),
        "Cost": Table.of(lambda: [_GROWTH, *_growth(shown)]),
    }


# ---------------------------------------------------------------------- why it is cheap

_GROWTH = ["tokens", "paths", "additions, path by path", "additions, recursion"]


def cheap(shown: Recursion) -> None:
    """The recursion against enumeration, in numbers."""
    S, m = len(shown.problem.tags), len(shown.problem.tokens)
    work = _growth(shown)[m - 1]
    if S == 1:
        shown.say("cheap-one")
        return
    act = "addition" if shown.semiring == "sum" else "comparison"
    shown.say(
        "cheap" if work.recursion < work.enumeration else "cheap-later",
        size=f"{counted(S, 'tag')} and {counted(m, 'token')}",
        tags=str(S),
        paths=count(brute_force.count_paths(shown.problem)),
        doing="adding them up" if shown.semiring == "sum" else "comparing them",
        enumeration=count(work.enumeration),
        acts=act if work.enumeration == 1 else f"{act}s",
        recursion=count(work.recursion),
    )
    if shown.tells:
        st.html(f'<div class="crf-prose crf-follow" data-work="{shown.key}"></div>')


def growth(shown: Recursion) -> None:
    """The two totals beside each other, the growing costs, the sum rearranged."""
    problem = shown.problem
    with shown.results("Show the two totals"):
        st.html(prose(*_against_enumeration(shown)))
    act = "additions" if shown.semiring == "sum" else "comparisons"
    header = [name.replace("additions", act) for name in _GROWTH]
    rows = cost.growth_rows(_growth(shown))
    here = {(len(problem.tokens) - 1, j) for j in range(1, 4)}
    st.html(tables.text_table(header, rows, "What it costs, by the number of tokens", here))
    if not shown.tells:
        return
    size = len(problem.tags), len(problem.tokens)
    st.html(
        prose(
            cost.gain_begins(len(problem.tags), shown.semiring), cost.units(*size, shown.semiring)
        )
    )
    if len(problem.tokens) > 1 and len(problem.tags) > 1:
        name = "sum" if shown.semiring == "sum" else "maximum"
        st.subheader(f"The {name}, rearranged", anchor=False)
        state = shown.trace_in("state")
        st.html(cost.rearranged(problem, state, values="answers" not in shown.view.hide))
        st.subheader("Nothing is computed twice", anchor=False)
        st.html(cost.memory(problem, shown.semiring))


def try_it(shown: Recursion) -> None:
    """A guess: what raising one score by 1 does to log Z."""
    problem = shown.problem
    if not shown.reading.feasible or "answers" in shown.view.hide:
        return
    shown.say("try")
    came = problem_state.origin().problem  # an edit of the scores asks nothing else
    alike = (came.tags, came.tokens) == (problem.tags, problem.tokens)
    marginals = (came if alike else problem).chain().marginals[0]
    t, s = divmod(int((marginals - 0.5).abs().argmin()), len(problem.tags))  # the least certain
    p = shown.reading.chain.marginals[0, t, s].item()
    right = _rises(shown.reading.chain, t, s)
    where = f"the emission of {quoted(problem.tokens, t)} as {problem.tags[s]}"
    if question.guess(
        f"You raise {where} by 1. By how much does log Z rise?",
        ["By exactly 1", "By less than 1", "Not at all"],
        right,
        key="forward.rise",
        subject=(problem.tags, problem.tokens),
    ):
        rise = format_magnitude(math.log1p(p * math.expm1(1)))
        if right != 1:
            shown.say("why-none" if right else "why-one", where=where)
        elif rise == "1":
            shown.say("why-nearly", where=where)
        else:
            shown.say("why-less", where=where, rise=rise, p=probability(p))


def _rises(chain: LinearChain, token: int, tag: int) -> int:
    """What an emission does to log Z: 0 as much as it rises, 1 less, 2 nothing.

    That is whether all allowed paths use it, or some, or none, however probable they are.
    """
    cells = torch.zeros(chain.marginals.shape, dtype=torch.bool)
    cells[0, token, tag] = True
    without, alone = cells.logical_not(), cells | (torch.arange(cells.shape[1]) != token)[:, None]
    if not chain.restrict(without).feasible[0]:
        return 0
    return 1 if chain.restrict(alone).feasible[0] else 2


def _growth(shown: Recursion) -> list[brute_force.Additions]:
    return cost.growth(len(shown.problem.tags), len(shown.problem.tokens))


def _against_enumeration(shown: Recursion) -> list[str]:
    """The total by brute force and by the recursion, and what each cost."""
    problem, trace = shown.problem, shown.trace
    number, name = brute_force.count_paths(problem), _total_name(shown)
    last = _growth(shown)[len(problem.tokens) - 1]
    what = "added up" if shown.semiring == "sum" else "compared"
    act = "addition" if shown.semiring == "sum" else "comparison"
    act += "" if last.enumeration == 1 else "s"
    work = (
        f"One by one that takes {count(last.enumeration)} {act}; the recursion took "
        f"{count(last.recursion)}."
    )
    try:
        paths = computed.paths(problem)
    except ProblemError:
        return [
            f"There are {count(number)} paths, more than the {count(brute_force.LIMIT)} that this "
            f"page lists. {work}"
        ]
    total = cost.enumerated(paths, shown.semiring)
    if not trace.feasible:
        none = "the one path" if number == 1 else f"all {count(number)} paths"
        return [
            f"None of the paths is allowed. Over {none} of the sentence {name} is "
            f"{cost.digits(total)}, and so says the recursion: both −∞, the same. {work}"
        ]
    gap = abs(total - trace.log_total)
    every = "The one path" if number == 1 else f"All {count(number)} paths"
    return [
        f"{every} of the sentence, listed and {what}: {name} = {cost.digits(total)}. The "
        f"recursion: {cost.digits(trace.log_total)}. Difference: {cost.shared(gap)}. {work}"
    ]


# ---------------------------------------------------------------------- conventions


def conventions(shown: Recursion) -> None:
    """The same total in three ways, with what rounding leaves between them."""
    shown.say("variants")
    with shown.results("Show the totals"):
        totals = _totals(shown)
        rows = [
            [t.convention, str(t.columns), count(t.cells), cost.digits(t.value), _residual(t)]
            for t in totals
        ]
        header = ["", "columns", "cells computed", _total_name(shown), "difference from state form"]
        st.html(tables.text_table(header, rows, "The total in three conventions"))
        if len(shown.problem.tokens) == 1:
            shown.say("variants-one")


def _totals(shown: Recursion) -> list[Total]:
    return cost.totals([shown.trace_in(form) for form in cost.CONVENTIONS])


def _convention_rows(totals: list[Total]) -> Rows:
    header: list[str | float] = ["convention", "columns", "cells", "total", "residual"]
    return [header, *(list(total) for total in totals)]


def _total_name(shown: Recursion) -> str:
    return "log Z" if shown.semiring == "sum" else "best score"


def _residual(total: Total) -> str:
    return "0" if total.residual == 0 else format_magnitude(total.residual)
