"""The sections of the lesson "Forward" below its stepper."""

import math

import streamlit as st
import torch

from crf.figures.trellis.narration import quoted
from pages.shared.course import brute_force
from pages.shared.course.numbers import format_magnitude
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.figures import cost, tables
from pages.shared.figures.cost import Total
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import Case, case, prose
from pages.shared.figures.theme import count, probability
from pages.shared.ui import computed, problem_state, question
from pages.shared.ui.exports import Table
from pages.shared.ui.recursion import Recursion


def export_tables(shown: Recursion) -> dict[str, Table]:
    """This lesson's own tables."""
    return {
        shown.text.line("labels.conventions"): Table.of(lambda: _convention_rows(_totals(shown))),
        shown.text.line("labels.cost"): Table.of(lambda: [_growth_heads(shown), *_growth(shown)]),
    }


# ---------------------------------------------------------------------- why it is cheap

_GROWTH = ["tokens", "paths", "one-by-one", "recursion"]


def cheap(shown: Recursion) -> None:
    """The recursion against enumeration, in numbers."""
    S, m = len(shown.problem.tags), len(shown.problem.tokens)
    work = _growth(shown)[m - 1]
    if S == 1:
        shown.say("cheap-one")
        return
    shown.say(
        "cheap" if work.recursion < work.enumeration else "cheap-later",
        size=case("number.size", tags=S, tokens=m),
        tags=str(S),
        paths=count(brute_force.count_paths(shown.problem)),
        doing=case(f"number.doing-{shown.semiring}"),
        enumeration=case(f"number.acts-{shown.semiring}", n=work.enumeration),
        recursion=count(work.recursion),
    )
    if shown.tells:
        st.html(f'<div class="crf-prose crf-follow" data-work="{shown.key}"></div>')


def growth(shown: Recursion) -> None:
    """The two totals beside each other, the growing costs, the sum rearranged."""
    problem = shown.problem
    say = shown.text.line
    with shown.results(say("labels.show-both")):
        st.html(prose(shown.text.sentence(_against_enumeration(shown))))
    rows = cost.growth_rows(_growth(shown))
    here = {(len(problem.tokens) - 1, j) for j in range(1, 4)}
    st.html(tables.text_table(_growth_heads(shown), rows, say("labels.costs"), here))
    if not shown.tells:
        return
    size = len(problem.tags), len(problem.tokens)
    st.html(
        prose(
            cost.gain_begins(len(problem.tags), shown.semiring), cost.units(*size, shown.semiring)
        )
    )
    if len(problem.tokens) > 1 and len(problem.tags) > 1:
        st.subheader(say(f"labels.rearranged-{shown.semiring}"), anchor=False)
        state = shown.trace_in("state")
        st.html(cost.rearranged(problem, state, values="answers" not in shown.view.hide))
        st.subheader(say("labels.once"), anchor=False)
        st.html(cost.memory(problem, shown.semiring))


def try_it(shown: Recursion) -> None:
    """A guess: what raising one score by 1 does to log Z."""
    problem = shown.problem
    if not shown.summary.feasible or "answers" in shown.view.hide:
        return
    shown.say("try")
    came = problem_state.origin().problem  # an edit of the scores asks nothing else
    alike = (came.tags, came.tokens) == (problem.tags, problem.tokens)
    marginals = torch.tensor(computed.marginals(came if alike else problem))
    t, s = divmod(int((marginals - 0.5).abs().argmin()), len(problem.tags))  # the least certain
    p = shown.summary.chain.marginals[0, t, s].item()
    right = _rises(problem, t, s)
    where = case("try-it.where", word=quoted(problem.tokens, t), tag=problem.tags[s])
    say = shown.text.line
    if question.guess(
        say("try-it.question", where=where),
        [say(f"try-it.{name}") for name in ("exactly", "less", "none")],
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


@computed.once(maxsize=16)
def _rises(problem: Problem, token: int, tag: int) -> int:
    """What an emission does to log Z: 0 as much as it rises, 1 less, 2 nothing.

    That is whether all allowed paths use it, or some, or none, however probable they are.
    """
    chain = computed.summary(problem).chain
    cells = torch.zeros(chain.marginals.shape, dtype=torch.bool)
    cells[0, token, tag] = True
    without, alone = cells.logical_not(), cells | (torch.arange(cells.shape[1]) != token)[:, None]
    if not chain.restrict(without).feasible[0]:
        return 0
    return 1 if chain.restrict(alone).feasible[0] else 2


def _growth(shown: Recursion) -> list[brute_force.Additions]:
    return cost.growth(len(shown.problem.tags), len(shown.problem.tokens))


def _growth_heads(shown: Recursion) -> list[str]:
    found = [f"labels.{name}" for name in _GROWTH[:2]]
    found += [f"labels.{name}-{shown.semiring}" for name in _GROWTH[2:]]
    return [*map(shown.text.line, found)]


def _against_enumeration(shown: Recursion) -> list[Case]:
    """The total by brute force and by the recursion, and what each cost."""
    problem, trace, total_name = shown.problem, shown.trace, _total_name(shown)
    n, last = brute_force.count_paths(problem), _growth(shown)[len(problem.tokens) - 1]
    acts = case(f"number.acts-{shown.semiring}", n=last.enumeration)
    work = case("totals.work", enumeration=acts, recursion=count(last.recursion))
    try:
        paths = computed.paths(problem)
    except ProblemError:
        return [case("totals.too-many", n=n, most=brute_force.LIMIT), work]
    total = cost.digits(cost.enumerated(paths, shown.semiring))
    if not trace.feasible:
        name = "totals.none-one" if n == 1 else "totals.none"
        return [case(name, n=n, name=total_name, total=total), work]
    gap = abs(cost.enumerated(paths, shown.semiring) - trace.log_total)
    name = f"totals.{'one' if n == 1 else 'all'}-{shown.semiring}"
    found = {"recursion": cost.digits(trace.log_total), "gap": cost.shared(gap)}
    return [case(name, n=n, name=total_name, total=total, **found), work]


# ---------------------------------------------------------------------- conventions


def conventions(shown: Recursion) -> None:
    """The same total in three ways, with what rounding leaves between them."""
    shown.say("variants")
    say = shown.text.line
    with shown.results(say("labels.show")):
        totals = _totals(shown)
        rows = [
            [
                say(f"labels.{t.convention.lower()}"),
                str(t.columns),
                count(t.cells),
                cost.digits(t.value),
                _residual(t),
            ]
            for t in totals
        ]
        header = [say(f"labels.{name}") for name in ("columns", "cells", "difference")]
        header = ["", *header[:2], say(_total_name(shown)), header[2]]
        st.html(tables.text_table(header, rows, say("labels.three")))
        if len(shown.problem.tokens) == 1:
            shown.say("variants-one")


def _totals(shown: Recursion) -> list[Total]:
    return cost.totals([shown.trace_in(form) for form in cost.CONVENTIONS])


def _convention_rows(totals: list[Total]) -> Rows:
    header: list[str | float] = ["convention", "columns", "cells", "total", "residual"]
    return [header, *(list(total) for total in totals)]


def _total_name(shown: Recursion) -> Case:
    return case(f"number.total-{shown.semiring}")


def _residual(total: Total) -> str:
    return "0" if total.residual == 0 else format_magnitude(total.residual)
