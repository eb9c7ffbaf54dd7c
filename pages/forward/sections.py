"""The sections of the lesson "Forward" below its stepper."""

import math
from itertools import product

import streamlit as st
import torch
from markupsafe import Markup

from crf.figures.numbers import format_magnitude, format_potential, format_score
from crf.figures.trellis.narration import printable, quoted
from pages.shared.course import brute_force
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.right_to_left import escape
from pages.shared.figures import tables
from pages.shared.figures.formulas import symbol
from pages.shared.figures.text import Case, case, prose
from pages.shared.figures.theme import count, probability
from pages.shared.ui import computed, frame, problem_state, question
from pages.shared.ui.exports import Table
from pages.shared.ui.recursion import Recursion

_LONGER = (10, 20, 50)  # tokens; how the costs go on
_WRITTEN = 4  # tags that fit a line
_DIGITS = 6  # of totals, so that they can be compared


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
        frame.html(f'<div class="crf-prose crf-follow" data-work="{shown.key}"></div>')


def growth(shown: Recursion) -> None:
    """The two totals beside each other, the growing costs, the sum rearranged."""
    problem, say = shown.problem, shown.text.line
    S, m = len(problem.tags), len(problem.tokens)
    with shown.results(say("labels.show-both")):
        st.html(prose(shown.text.sentence(_against_enumeration(shown))))
    rows = [[count(n) for n in row] for row in _growth(shown)]
    here = {(m - 1, j) for j in range(1, 4)}
    st.html(tables.text_table(_growth_heads(shown), rows, say("labels.costs"), here))
    if shown.tells and m > 1 and S > 1:
        st.subheader(say(f"labels.rearranged-{shown.semiring}"), anchor=False)
        _rearranged(shown)
        st.subheader(say("labels.once"), anchor=False)
        shown.say("once", tags=str(S), tokens=str(m), cells=count(S * m), paths=count(S**m))


def _rearranged(shown: Recursion) -> None:
    """The sum over the tags of the first two tokens, before and after factors are pulled out."""
    trace, S = shown.trace_in("state"), len(shown.problem.tags)
    tags = [printable(tag) for tag in trace.tags]
    few, more = tags[:_WRITTEN], ["…"] * (S > _WRITTEN)
    is_sum = shown.semiring == "sum"
    joint, name, take = (" + ", "α̂", "") if is_sum else (", ", "exp δ", "max")

    def written(*factors: tuple[str, str]) -> str:
        return " ".join(symbol(role, escape(text)) for role, text in factors)

    ways = [
        written(("x", f"σ({a})"), ("e", f"ψ₁({a})"), ("t", f"ψ({a}, {b})"), ("e", f"ψ₂({b})"))
        for a, b in product(few, few)
    ]
    cells = [step for step in trace.steps if step.kind == "cell" and step.column == 1]
    groups = []
    for row, tag in enumerate(few[:2]):
        ends = [written(("p", f"{name}₁({a})"), ("t", f"ψ({a}, {tag})")) for a in few]
        line = f"{written(('p', f'{name}₂({tag})'))} = {take}[ {joint.join([*ends, *more])} ] · "
        line += written(("e", f"ψ₂({tag})"))
        if "answers" not in shown.view.hide:
            line += f" = <b>{format_potential(cells[row].log_value)}</b>"
        groups.append(f"<br>{line}")
    shown.say(
        f"rearranged-{shown.semiring}", tags=str(S), n=count(S**2), tag=few[0],
        first=quoted(trace.tokens, 0), second=quoted(trace.tokens, 1),
        listed=Markup(joint.join([*ways[:3], "…"])), groups=Markup("".join(groups)),
    )  # fmt: skip


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
    """Both costs for 1, 2 … m tokens, and for some longer sentences."""
    m = len(shown.problem.tokens)
    every = brute_force.additions(len(shown.problem.tags), max(m, *_LONGER))
    return [every[n - 1] for n in (*range(1, m + 1), *(n for n in _LONGER if n > m))]


def _growth_heads(shown: Recursion) -> list[str]:
    ways = [f"{way}-{shown.semiring}" for way in ("one-by-one", "recursion")]
    return [shown.text.line(f"labels.{name}") for name in ("tokens", "paths", *ways)]


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
    scores = [path.score for path in paths]
    listed = log_sum(scores) if shown.semiring == "sum" else max(scores)
    total = format_score(listed, _DIGITS)
    if not trace.feasible:
        name = "totals.none-one" if n == 1 else "totals.none"
        return [case(name, n=n, name=total_name, total=total), work]
    name = f"totals.{'one' if n == 1 else 'all'}-{shown.semiring}"
    gap = format_magnitude(abs(listed - trace.log_total))
    found = {"recursion": format_score(trace.log_total, _DIGITS), "gap": gap}
    return [case(name, n=n, name=total_name, total=total, **found), work]


# ---------------------------------------------------------------------- conventions


def conventions(shown: Recursion) -> None:
    """The same total in three ways, with what rounding leaves between them."""
    shown.say("variants")
    say = shown.text.line
    with shown.results(say("labels.show")):
        rows = [
            [
                say(f"labels.{form}"),
                str(columns),
                count(cells),
                format_score(total, _DIGITS),
                format_magnitude(abs(gap)) if gap else "0",
            ]
            for form, columns, cells, total, gap in _totals(shown)
        ]
        st.html(tables.text_table(["", *_total_heads(shown)], rows, say("labels.three")))
        if len(shown.problem.tokens) == 1:
            shown.say("variants-one")


def _total_name(shown: Recursion) -> Case:
    return case(f"number.total-{shown.semiring}")


def _totals(shown: Recursion) -> list[tuple[str, int, int, float, float]]:
    """Of each convention its columns, its cells, its total, how far this is from state form's."""
    first = shown.trace_in("state").log_total
    found = []
    for form in ("state", "message", "pair"):
        trace = shown.trace_in(form)
        cells = sum(step.kind != "backtrace" for step in trace.steps)
        gap = 0.0 if trace.log_total == first else trace.log_total - first
        found.append((form, trace.num_columns, cells, trace.log_total, gap))
    return found


def _total_heads(shown: Recursion) -> list[str]:
    say = shown.text.line
    names = say("labels.columns"), say("labels.cells"), say(_total_name(shown))
    return [*names, say("labels.difference")]


def export_tables(shown: Recursion) -> dict[str, Table]:
    """This lesson's own tables; numbers are exact."""
    say = shown.text.line
    return {
        say("labels.conventions"): Table.of(lambda: [["", *_total_heads(shown)], *_totals(shown)]),
        say("labels.cost"): Table.of(lambda: [_growth_heads(shown), *_growth(shown)]),
    }
