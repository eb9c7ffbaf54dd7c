"""What stands behind "⋯" of the lesson on constraints: the table, failures, code, exercise."""

import math
import random
from itertools import product

import pandas as pd
import streamlit as st
import torch

from crf import ChainCRF
from pages.constraints import rules as ruled
from pages.constraints.beats import held_of, prepared, rules_of, write_cells
from pages.constraints.rules import Cell, Rules
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, write
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench, computed, question, textbook_code
from pages.shared.ui.question import Verdict
from pages.shared.ui.stage import look, reader, score_section, whose

LESSON = "constraints"
ILLEGAL = "bio"  # the example in which posterior decoding gives a path of probability 0


def _prepared(draw: look.Section) -> look.Section:
    return lambda state, beat, text: draw(prepared(state), beat, text)


def _order(state: State, **controls: str) -> None:
    """Have the stage show other values of controls."""
    values = {**state.controls, **controls}
    parts = write(State(state.base, state.given, controls=values))
    reader.order(LESSON, **{"with": parts.get("with", ""), "bet": "-"})


def _table(state: State, _beat: Beat, text: LessonText) -> None:
    """What may follow what; a click on a cell changes it."""
    problem, rules = state.problem, rules_of(state)
    st.html(text.html("table"))
    frame = table_frame(problem, rules)
    frame.index.name = text.line("labels.from-to")
    # other rules are another table
    key, alt = f"{LESSON}.table.{hash((problem.tags, rules))}", text.line("labels.table")
    edited = st.data_editor(frame, height="content", disabled=["_index"], key=key, alt=alt)
    if turned := turned_in(frame, edited):
        _order(state, flip=write_cells(rules.flipped ^ turned))
        st.rerun()
    if rules.flipped:
        st.button(
            text.line("labels.usual"),
            key=f"{LESSON}.usual",
            on_click=lambda: _order(state, flip="none"),
        )


def table_frame(problem: Problem, rules: Rules) -> pd.DataFrame:
    """Which steps are allowed: from START and each tag to each tag and END."""
    allowed = rules.of(problem)
    first = [*allowed.start.tolist(), None]
    rows = torch.cat([allowed.transitions, allowed.end[:, None]], dim=1).tolist()
    return pd.DataFrame([first, *rows], ["START", *problem.tags], [*problem.tags, "END"])


def turned_in(frame: pd.DataFrame, edited: pd.DataFrame) -> frozenset[Cell]:
    """The rules that differ; from START to END there is none."""
    S = len(frame) - 1
    places = product(range(S + 1), repeat=2)
    changed = {(i, j) for i, j in places if frame.iat[i, j] != edited.iat[i, j]} - {(0, S)}
    return frozenset((i - 1 if i else S, j) for i, j in changed)


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
    frame = bench.decoders_frame(problem, paths, about)
    st.dataframe(frame, height="content", alt=text.line("labels.decoders"))
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
