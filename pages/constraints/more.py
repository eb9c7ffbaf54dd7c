"""What stands behind "⋯" of the lesson on constraints: the table, failures, code, exercise."""

import math
import random
from typing import Any

import streamlit as st
import torch

from crf import ChainCRF
from pages.constraints import rules as ruled
from pages.constraints.beats import held_of, prepared, rules_of, write_cells
from pages.constraints.rules import Rules
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, write
from pages.shared.figures import decoders
from pages.shared.figures.beat import Beat
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench, computed, question, textbook_code
from pages.shared.ui.cell_table import cell_table
from pages.shared.ui.question import Verdict
from pages.shared.ui.stage import look, reader, score_section, whose

LESSON = "constraints"
ILLEGAL = "bio"  # the example in which posterior decoding gives a path of probability 0
_PAINT = {
    True: "light-dark(#e1f0e7, #173a29)",
    False: "repeating-linear-gradient(45deg, transparent 0 4px, rgba(118, 118, 118, .35) 4px 5px)",
}  # of what is allowed, and of what is not


def _prepared(draw: look.Section) -> look.Section:
    return lambda state, beat, text: draw(prepared(state), beat, text)


def _order(state: State, **controls: str) -> None:
    """Have the stage show other values of controls."""
    values = {**state.controls, **controls}
    parts = write(State(state.base, state.given, controls=values))
    reader.order(LESSON, **{"with": parts.get("with", ""), "bet": "-"})


def _table(state: State, _beat: Beat, text: LessonText) -> None:
    """What may follow what, turned round by a click."""
    problem, rules = state.problem, rules_of(state)

    def turn(at: Cell) -> None:
        cell = (at[0] - 1 if at[0] else len(problem.tags), at[1])
        _order(state, flip=write_cells(rules.flipped ^ {cell}))

    st.html(text.html("table"))
    cell_table(table_data(problem, rules, text), key=f"{LESSON}.table", on_pick=turn)
    if rules.flipped:
        st.button(
            text.line("labels.usual"),
            key=f"{LESSON}.usual",
            on_click=lambda: _order(state, flip="none"),
        )


def table_data(problem: Problem, rules: Rules, text: LessonText) -> dict[str, Any]:
    """A heat map's data: from START and each tag to each tag and END."""
    allowed, S = rules.of(problem), len(problem.tags)
    names, columns = [*problem.tags, "START"], [*problem.tags, "END"]

    def cell(i: int, j: int) -> list[Any] | None:
        if (i, j) == (S, S):
            return None
        may = bool(
            allowed.start[j] if i == S else allowed.end[i] if j == S else allowed.transitions[i, j]
        )
        about = text.line(
            "labels.allowed" if may else "labels.forbidden", step=f"{names[i]} → {columns[j]}"
        )
        return ["✓" if may else "✕", _PAINT[may], "inherit", about, (i, j) in rules.flipped]

    rows = [
        {"name": names[i], "cells": [cell(i, j) for j in range(S + 1)], "sums": []}
        for i in (S, *range(S))
    ]
    label = text.line("labels.table")
    return {
        "label": label,
        "corner": "",
        "columns": columns,
        "rows": rows,
        "sums": [],
        "footer": [],
    }


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    """All cells of the scores with the rules in them."""
    bench.show(bench.OnBench(LESSON, held_of(state), hidden_from=bench.hides(state, beat)))


def _decoders(state: State, _beat: Beat, text: LessonText) -> None:
    """Four decoders on the scores with the rules in them, and whether the rules allow each."""
    problem, rules, held = state.problem, rules_of(state), held_of(state)
    st.html(text.html("decoders"))
    if not computed.summary(held).feasible:
        return
    paths = computed.decoded(held)
    about = [
        text.line(
            "labels.breaks"
            if ruled.broken(one.path, problem, rules)
            else "labels.by-scores"
            if one.score == -math.inf
            else "labels.obeys"
        )
        for one in paths
    ]
    st.html(decoders.path_table(problem, paths, text.line("labels.decoders"), about))
    blank = dict.fromkeys(("sentence", "tagger", "spaces", "edit", "fix", "step", "with"), "")
    st.button(
        text.line("labels.illegal"),
        key=f"{LESSON}.illegal",
        on_click=lambda: reader.order(LESSON, **blank, ex=ILLEGAL),
    )


def _failures(state: State, _beat: Beat, text: LessonText) -> None:
    """What the library says of a right path that the table forbids; −10000 in its place."""
    if message := refusal(state.problem, rules_of(state)):
        st.html(text.html("failures"))
        st.code(message, language=None, wrap_lines=True)
    st.html(text.html("instead"))
    st.code(invented(), language=None, wrap_lines=True)


def refusal(problem: Problem, rules: Rules) -> str | None:
    """The library's own words when it is trained on a path that the table forbids."""
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


def _count(state: State, _beat: Beat, text: LessonText) -> None:
    """Count the sequences that B, I, O allow."""
    length = 2 + random.Random(state.problem.tokens[0]).randrange(3)
    right = ruled.count(Problem.blank(("B", "I", "O"), ("x",) * length), Rules("names"))
    hints = {3**length: "all", 2**length: "without-i"}

    def judge(answer: float) -> Verdict:
        solution = text.line("count.solution", n=right)
        if answer == right:
            return Verdict(True, solution)
        return Verdict(False, text.line(f"count.{hints.get(int(answer), 'usual')}"), solution)

    question.number(text.line("count.asked", length=length), judge, key=f"{LESSON}.count.{length}")


def _code(state: State, _beat: Beat, _text: LessonText) -> None:
    textbook_code.body("bio", ruled.bio_answers(state.problem.tags))


def _scores(state: State, _beat: Beat, _text: LessonText) -> None:
    score_section.show(LESSON, state)


SECTIONS: look.Sections = {
    "numbers": {
        "heat-maps": _prepared(_numbers),
        "table": _prepared(_table),
        "decoders": _prepared(_decoders),
        "scores": _scores,
    },
    "why": {"failures": _prepared(_failures)},
    "code": {"step": _prepared(_code)},
    "keep": {"whose": whose.section(LESSON), "exercise": _prepared(_count)},
}
