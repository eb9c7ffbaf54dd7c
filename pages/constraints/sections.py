"""The sections of the lesson "Constraints": the table and the flow, who obeys, partial labels."""

import math
import random
from typing import Any

import streamlit as st
import torch

from crf import ChainCRF
from crf.figures.flow import payload as flows
from crf.figures.numbers import format_log_probability, format_probability, format_score
from pages.constraints import rules as ruled
from pages.constraints.controls import APPLY, EXAMPLE, FLIPPED, OUT, SCHEME, current
from pages.constraints.rules import Rules
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, theme
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import LessonText, case
from pages.shared.ui import computed, frame, presenter_view, problem_bar, question
from pages.shared.ui.cell_table import cell_table
from pages.shared.ui.exports import Table
from pages.shared.ui.flow import flow
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.question import Verdict

FORBIDDEN_POSTERIOR = "bio"
_ROUNDING = 1e-12  # a smaller share is the rounding of log Z
_IN_SIGHT = 0.005  # a smaller share is less than a pixel of the flow
_PAINT = {
    True: "light-dark(#e1f0e7, #173a29)",
    False: "repeating-linear-gradient(45deg, transparent 0 4px, rgba(118, 118, 118, .35) 4px 5px)",
}  # of what is allowed, and of what is not


# ---------------------------------------------------------------------- the table and the flow


def table_and_flow(lesson: Lesson) -> None:
    """All readings, those that the table forbids cut; beside it the table itself.

    No fragment: whatever follows on the page depends on the table, and runs anew with it.
    """
    problem, rules = lesson.problem, current()
    picture, text = lesson.split()
    with picture:
        if lesson.asks:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                APPLY.widget(lesson.text.line("labels.apply"))
                if ruled.has_scheme(problem.tags):
                    SCHEME.widget(
                        lesson.text.line("labels.scheme"),
                        label_visibility="collapsed",
                        format_func=lambda scheme: _label(problem, scheme),
                        on_change=FLIPPED.reset,
                    )
        _flow(lesson, rules)
        if lesson.view.screen:
            _turns(lesson)
        if lesson.asks or lesson.view.screen:
            data = table_data(problem, rules)
            frame.note(data["label"])
            cell_table(data, key="constraints.table", on_pick=lambda at: _turn(problem, at))
    with text:
        _told(lesson, problem, rules)


def table_data(problem: Problem, rules: Rules) -> dict[str, Any]:
    """What may follow what, as a heat map's data: from START and each tag to each tag and END."""
    allowed, S, line = rules.of(problem), len(problem.tags), LessonText.of("constraints").line
    names, columns = [*problem.tags, "START"], [*problem.tags, "END"]

    def cell(i: int, j: int) -> list[Any] | None:
        if (i, j) == (S, S):
            return None
        may = bool(
            allowed.start[j] if i == S else allowed.end[i] if j == S else allowed.transitions[i, j]
        )
        step = f"{names[i]} → {columns[j]}"
        about = line("table.allowed" if may else "table.forbidden", step=step)
        return ["✓" if may else "✕", _PAINT[may], "inherit", about, (i, j) in rules.flipped]

    rows = [
        {"name": names[i], "cells": [cell(i, j) for j in range(S + 1)], "sums": []}
        for i in (S, *range(S))
    ]
    label = line("table.caption")
    return {
        "label": label, "corner": "", "columns": columns, "rows": rows, "sums": [], "footer": [],
    }  # fmt: skip


def _label(problem: Problem, scheme: str) -> str:
    """What a scheme is called for these tags."""
    if scheme == "all":
        return SCHEME.labels[scheme]
    names = {"bio": "B, I, O", "bioes": "B, I, O, E, S"}
    return names.get(ruled.scheme_of(problem.tags)) or ruled.trial(problem.tags).label


def _turns(lesson: Lesson) -> None:
    """What a presenter's keys press: the table is applied, and is not."""
    turn, line = presenter_view.turn, lesson.text.line
    if APPLY.value:
        turn("back", line("labels.without"), APPLY.reset, key="constraints.apply")
    else:
        turn("next", line("labels.apply"), lambda: APPLY.set(True), key="constraints.apply")


def _turn(problem: Problem, at: Cell) -> None:
    """Turn the cell of a row and column of the table, whose first row is START's."""
    FLIPPED.set(FLIPPED.value ^ {(at[0] - 1 if at[0] else len(problem.tags), at[1])})


def _flow(lesson: Lesson, rules: Rules) -> None:
    problem, line = lesson.problem, lesson.text.line
    held = ruled.constrained(problem, rules) if APPLY.value else problem
    summary = computed.summary(held)
    if not summary.feasible:
        st.warning(line("labels.nothing"))
        return
    ribbons, blocks = (set(), set()) if APPLY.value else ruled.cuts(problem, rules)
    flow(
        flows.of_chain(
            summary.chain,
            problem.tags,
            problem.tokens,
            path=computed.best_path(held),
            cut=ribbons,
            cut_blocks=blocks,
            label=line("labels.flow"),
        ),
        key="constraints.flow",
        height=194,
    )


def _told(lesson: Lesson, problem: Problem, rules: Rules) -> None:
    before, after = ruled.count(problem), ruled.count(problem, rules)
    lesson.say("idea")
    _rule(lesson, problem, rules)
    if not computed.summary(problem).feasible:
        lesson.say("no-path")
        return
    if after == before:
        _none_forbidden(lesson)
        return
    if ruled.does_nothing(problem, rules):
        lesson.say("already", forbidden=case("labels.sequences", n=before - after))
        return
    log_legal = ruled.log_legal(problem, rules)
    illegal = -math.expm1(log_legal)
    lesson.say(
        "counts",
        before=theme.count(before),
        after=theme.count(after),
        illegal=format_probability(illegal) if illegal > _ROUNDING else case("labels.tiny"),
    )
    paths = _best_paths(problem, rules)
    if paths is None:
        lesson.say("nothing-left")
        return
    if illegal > _IN_SIGHT and not APPLY.value:
        lesson.say("switch")
    free, held = paths
    ties = computed.summary(ruled.constrained(problem, rules)).ties
    name, facts = "best-same", {
        "held": decoders.names(problem, held.path) + ties,
        "p_held": format_log_probability(held.log_p),
        "p_before": format_log_probability(_log_p(problem, held.path)),
        "legal": format_log_probability(log_legal),
    }  # fmt: skip
    if free.path != held.path:
        name = "best"
        facts["free"] = decoders.names(problem, free.path) + computed.summary(problem).ties
        facts["p_free"] = format_log_probability(free.log_p)
    if not lesson.view.screen:
        lesson.say(name, **facts)
    elif APPLY.value:  # there it is what the presenter's key tells
        with st.container(key="told-constraints"):
            st.html(lesson.text.html(name, **facts))


def _none_forbidden(lesson: Lesson) -> None:
    """With one word only the rows and columns of START and END say something."""
    one = len(lesson.problem.tokens) == 1
    lesson.say("none-forbidden", what=case("labels.first-tag" if one else "labels.step"))


def _rule(lesson: Lesson, problem: Problem, rules: Rules) -> None:
    """What the table says, and where names have nothing to show, an example where they have."""
    has_names, kind = ruled.scheme_of(problem.tags) != "all", ruled.kind(problem.tags)
    if rules.scheme != "names":
        pass  # the table has no rule to tell of
    elif has_names and kind:
        lesson.say("names", kind=kind)
    elif has_names:
        lesson.say("chunks")
    elif len(problem.tokens) > 1 and ruled.has_scheme(problem.tags):
        lesson.say("trial", forbidden=ruled.trial(problem.tags).about)
    shows_names = has_names and not ruled.does_nothing(problem, Rules("names"))
    if lesson.asks and not shows_names:
        problem_bar.offer(EXAMPLE, key="constraints.example", primary=True)


def _best_paths(problem: Problem, rules: Rules) -> tuple[Decoded, Decoded] | None:
    """The best path without the table and with it; None where either chain allows nothing."""
    held = ruled.constrained(problem, rules)
    if not (computed.summary(problem).feasible and computed.summary(held).feasible):
        return None
    return computed.decoded(problem)[0], computed.decoded(held)[0]


def _log_p(problem: Problem, path: tuple[int, ...]) -> float:
    return min(computed.summary(problem).chain.log_prob(torch.tensor([path])).item(), 0.0)


# ---------------------------------------------------------------------- who obeys


def who_obeys(lesson: Lesson) -> None:
    """Each decoder’s path on the chain with the table, and whether the table allows it."""
    found = obedience(lesson.problem, current())
    if not found:
        return
    lesson.say("posterior")
    problem = lesson.problem
    line = lesson.text.line
    with lesson.results(line("labels.show")):
        about = [line(told) for told in found.values()]
        st.html(decoders.path_table(problem, [*found], line("labels.decoders"), about))
    if lesson.asks:
        forbidden = line("labels.illegal")
        problem_bar.offer(FORBIDDEN_POSTERIOR, key="constraints.illegal", helps=forbidden)


def obedience(problem: Problem, rules: Rules) -> dict[Decoded, str]:
    """The decoders on the constrained chain, each with the case that says whether it may be."""
    held = ruled.constrained(problem, rules)
    if not computed.summary(held).feasible:
        return {}
    by_scores = {True: "labels.by-scores", False: "labels.allowed"}  # which the table allows
    return {
        one: by_scores[one.score == -math.inf]
        if ruled.is_legal(one.path, problem, rules)
        else "labels.forbidden"
        for one in computed.decoded(held)
    }


def export_table(lesson: Lesson) -> Table:
    """The decoders’ paths, and whether the table allows them."""
    problem, rules = lesson.problem, current()
    return Table.of(lambda: decoders.path_rows(problem, [*obedience(problem, rules)]))


# ---------------------------------------------------------------------- partial labels


@st.fragment
def known_in_part(lesson: Lesson) -> None:
    """Tags ruled out by a click, on which nothing else depends; the probability of what is left."""
    problem = lesson.problem
    held = ruled.constrained(problem, current()) if APPLY.value else problem
    summary = computed.summary(held)
    if not summary.feasible:
        return
    lesson.say("partial")
    out = frozenset(
        (t, s) for t, s in OUT.value if t < len(problem.tokens) and s < len(problem.tags)
    )
    flow(
        flows.of_chain(
            summary.chain,
            problem.tags,
            problem.tokens,
            path=(),
            cut_blocks=out,
            label=lesson.text.line("labels.partial"),
        ),
        key="constraints.partial",
        height=170,
        on_choice=lambda t, tag: OUT.set(OUT.value ^ {(t, problem.tags.index(tag))}),
    )
    if lesson.asks:
        clear = lesson.text.line("labels.rule-nothing")
        st.button(clear, on_click=OUT.reset, key="constraints.clear")
    log_p = min(summary.chain.partial_log_prob(ruled.known(problem, out)).item(), 0.0)
    if log_p == -math.inf:
        lesson.say("partial-nothing")
    else:
        lesson.say(
            "partial-result", p=format_log_probability(log_p), loss=format_score(-log_p + 0.0)
        )
    lesson.publish()


# ---------------------------------------------------------------------- folds, questions


def when(lesson: Lesson) -> None:
    """The table at training or at decoding only: the same path, another probability."""
    if not computed.summary(lesson.problem).feasible:
        lesson.say("no-path")
        return
    if ruled.count(lesson.problem, current()) == ruled.count(lesson.problem):
        _none_forbidden(lesson)
        return
    paths = _best_paths(lesson.problem, current())
    if paths is None:
        lesson.say("nothing-left")
        return
    lesson.say("when")
    if ruled.does_nothing(lesson.problem, current()):
        lesson.say("when-already")
        return
    numbers = _log_p(lesson.problem, paths[1].path), paths[1].log_p
    before, after = map(format_log_probability, numbers)
    if before == after:
        lesson.say("when-alike", p_held=after)
    else:
        lesson.say("when-here", p_before=before, p_held=after)


def failures(lesson: Lesson) -> None:
    """What the library says of a right path that the table forbids; −10000 in its place."""
    if told := refusal(lesson.problem, current()):
        lesson.say("failures")
        st.code(told, language=None, wrap_lines=True)
    else:
        _none_forbidden(lesson)
    lesson.say("instead")
    st.code(invented(), language=None, wrap_lines=True)


def refusal(problem: Problem, rules: Rules) -> str | None:
    """The library’s own words when it is trained on a path that the table forbids."""
    allowed = rules.of(problem)
    S, m = len(problem.tags), len(problem.tokens)
    steps = (~allowed.transitions).nonzero().tolist() if m > 1 else []
    ends = (~(allowed.start & allowed.end)).nonzero().flatten().tolist()
    forbidden = [[i] + [j] * (m - 1) for i, j in steps] + [[s] * m for s in ends]
    if not forbidden:
        return None
    try:
        ChainCRF(S, constraints=allowed)(torch.zeros(1, m, S), torch.tensor(forbidden[:1]))
    except ValueError as error:
        return str(error)
    return None


def invented() -> str:
    """Two tokens, one tag, which may not follow itself: −∞ and −10000 side by side."""
    lines = []
    for forbidden, name in ((-math.inf, "-inf"), (-10000.0, "-10000")):
        model = ChainCRF(1)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.fill_(forbidden if parameter.dim() == 2 else 0.0)
            chain = model.chain(torch.zeros(1, 2, 1))
            tags = chain.viterbi().tags[0].tolist()
        lines.append(f"{name:>7}: log Z = {chain.log_partition.item():g}, best path {tags}")
    return "\n".join(lines)


def check_yourself(lesson: Lesson) -> None:
    """Count the sequences that B, I, O allow."""
    line = lesson.text.line
    st.header(line("count.head"), anchor=False)
    length = 2 + random.Random(lesson.problem.tokens[0]).randrange(3)
    right = ruled.count(Problem.blank(("B", "I", "O"), ("x",) * length), Rules("names"))
    hints = {3**length: "all", 2**length: "without-i"}

    def judge(answer: float) -> Verdict:
        solution = line("count.solution", n=right)
        if answer == right:
            return Verdict(True, solution)
        return Verdict(False, line(f"count.{hints.get(int(answer), 'usual')}"), solution)

    question.number(
        line("count.asked", length=length),
        judge,
        key=f"constraints.count.{length}",
        name=line("count.name"),
        helps="answers" not in lesson.view.hide,
    )
