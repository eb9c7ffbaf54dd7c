"""What stands behind "⋯" of the trellis: one short section for each question, most important first.

Each is drawn when it is opened, for the state and the beat on screen.
"""

import inspect
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pandas as pd
import streamlit as st

from crf.core import decoding, recursions, scoring
from crf.figures.numbers import decimal, format_magnitude, format_potential, format_score
from crf.figures.trellis.narration import printable
from crf.steps.conventions import FORMS, convention_of
from pages.shared.course import brute_force, latex
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, changed
from pages.shared.figures import derivations, formulas
from pages.shared.figures.beat import TOLD, Beat, step_of, waits
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count, log_probability
from pages.shared.ui import (
    bench,
    computed,
    exports,
    implement,
    practice,
    textbook_code,
)
from pages.shared.ui.frame import note
from pages.shared.ui.stage import look, reader, score_section, take, whose
from pages.trellis import facts, picture, readings
from pages.trellis.beats import BEATS
from pages.trellis.notation import notation_of
from pages.trellis.readings import LESSON, both_ways, say

DERIVATIONS = {  # beat → topics; each is a paragraph `derive-…`, and equations
    "bet": ("greedy",),
    "path": ("score", "linear", "nll"),
    "count": ("cost",),
    "regroup": ("distribute",),
    "add": ("alpha", "logs-forward", "cost"),
    "column": ("alpha", "logs-forward"),
    "logz": ("total", "rise", "nll"),
    "best": ("viterbi", "delta"),
    "mind": ("delta",),
    "back": ("pointers", "without-pointers"),
    "both": ("beta", "logs-backward", "total"),
    "meet": ("marginal", "total"),
    "textbook": ("alpha",),
    "learn": ("gradient", "nll"),
}
CODE = {  # beat → the textbook's function, the library's, and the line of it that makes a cell
    "bet": ("left_to_right", decoding.greedy_left_to_right, "tag ="),
    "path": ("path_score", scoring.score_terms, "return"),
    "count": ("path_score", scoring.path_scores, "return"),
    "best": ("viterbi", decoding.viterbi_forward, "new ="),
    "mind": ("viterbi", decoding.viterbi_forward, "new ="),
    "back": ("viterbi_without_pointers", decoding.backtrace, "previous ="),
    "both": ("backward", recursions.backward, "leaving ="),
    "meet": ("gradient", recursions.pair_marginals_at, "joint ="),
    "learn": ("gradient", recursions.pair_marginals_at, "joint ="),
}
GOES = {"backward": "both", "best": "best", "pointers": "best", "marginals": "meet"}  # else: add
IN_FORM = {  # a textbook's function in another form; what has none is the same there
    ("forward", "message"): "forward_message",
    ("forward", "pair"): "forward_pair",
    ("backward", "pair"): "backward_pair",
}
STEPPED = {  # by kinds of steps
    "forward",
    "backward",
    "viterbi",
    "viterbi_without_pointers",
    *IN_FORM.values(),
}
CHOICES = {"form": FORMS, "scale": ("log", "potential"), "ends": ("start", "root")}
_FORWARD = ("forward", recursions.forward, "new =")
KINDS = {  # mode → exercises, its own first
    "path": ("path-score", "log-z", "viterbi"),
    "add": ("forward", "log-z", "path-score"),
    "best": ("viterbi", "path-score", "forward"),
    "both": ("backward", "marginal", "log-z"),
}


def _prepared(draw: look.Section) -> look.Section:
    """A section that sees fixed tags as scores, as the beat does."""
    return lambda state, beat, text: draw(beat.prepare(state), beat, text)


def _of_paths(draw: look.Section) -> look.Section:
    """A section about paths, where there are some."""

    def drawn(state: State, beat: Beat, text: LessonText) -> None:
        if picture.numbers(state.problem).feasible:
            draw(state, beat, text)
        else:
            st.html(text.html("no-path"))

    return drawn


def _step(state: State, beat: Beat) -> int:
    """The step of the mode's trace that is on screen; that of the last beat's picture in `meet`.

    Where no path is allowed, no backpointer is followed, and the trace ends before.
    """
    number, last = step_of(beat, state), len(picture.trace_of(state, beat.mode).steps) - 1
    if beat.name in ("regroup", "bet", "path", "count", "learn", "textbook"):
        return last
    if beat.name == "meet":
        number = (len(state.problem.tokens) - number) * len(state.problem.tags) - 1
    return picture.index_of(state, beat.mode, number)


# ---------------------------------------------------------------------- derivation, notation, code


def _derivation(state: State, beat: Beat, text: LessonText) -> None:
    problem, trace = state.problem, picture.trace_of(state, beat.mode)
    number, form, rooted = _step(state, beat), state.form, state.ends == "root"
    step = trace.steps[number]
    t, s = max(step.token, 0), max(step.row, 0)
    values = facts.of_problem(state) | {
        "word": problem.word(t),
        "tag": problem.tags[s],
        "S": len(problem.tags),
        "m": len(problem.tokens),
    }
    for topic in DERIVATIONS[beat.name]:
        own = f"derive-{topic}-{form}"
        say(text, own if own in text.paragraphs else f"derive-{topic}", values)
        for line in derivations.equations(topic, problem.tokens, t, form, rooted=rooted):
            st.latex(line)
        if topic in ("alpha", "delta", "beta"):
            st.html(text.html("derive-numbers"))
            for space in latex.SPACES:
                st.latex(latex.step_equation(trace, number, space))
        elif topic == "linear":
            _counts(state, text)
        elif topic == "total":
            _totals(problem, text)
        elif topic == "pointers" and len(problem.tokens) > 1:
            _pointers(state, text)


def _counts(state: State, text: LessonText) -> None:
    """How often the lit path uses each transition, and the factor of one of them."""
    problem, path = state.problem, tuple(picture.path_of(state))
    if len(path) < 2:
        return
    if problem.per_step:
        st.html(text.html("derive-linear-steps"))
        return
    S, uses = len(problem.tags), Counter(pairwise((-1, *path, len(problem.tags))))
    counts = [[uses[i, j] for j in range(S + 1)] for i in range(-1, S)]
    frame = pd.DataFrame(counts, ["START", *problem.tags], [*problem.tags, "END"])
    frame.index.name = text.line("labels.from-to")
    st.dataframe(frame, height="content", alt=text.line("labels.uses"))
    uses = Counter(pairwise(path))
    i, j = next((pair for pair in uses if problem.matrix(1)[pair[0]][pair[1]]), (path[0], path[1]))
    weight = problem.matrix(1)[i][j]
    tags = {"a": problem.tags[i], "b": problem.tags[j]}
    scores = {"weight": format_score(weight), "factor": format_potential(weight)}
    st.html(text.html("derive-feature", **tags, **scores, n=uses[i, j]))


def _totals(problem: Problem, text: LessonText) -> None:
    """log Z from every column, and what rounding leaves."""
    both = both_ways(problem)
    rows = [
        [format_score(total, 6) for total in both.column_totals],
        [format_magnitude(both.residual(t)) for t in range(both.m)],
    ]
    frame = pd.DataFrame(rows, ["log Σ α̂ β", text.line("labels.off")], bench.heads(problem))
    st.dataframe(frame, height="content", alt=text.line("labels.totals"))


def _pointers(state: State, text: LessonText) -> None:
    """Each column's backpointers, and the way back that does without them."""
    trace, tags = picture.numbers(state.problem).viterbi, state.problem.tags
    words, path = bench.heads(state.problem), trace.best_path or ()
    columns = picture.columns(trace)
    rows = [
        [
            ("● " if path[t : t + 1] == (s,) else "")
            + ("–" if (p := column[s].backpointer) is None else printable(tags[p]))
            for t, column in enumerate(columns[1:], 1)
        ]
        for s in range(len(tags))
    ]
    note(text.line("labels.pointers"))
    frame = pd.DataFrame(rows, pd.Index(tags, name="κ"), words[1:])
    st.dataframe(frame, height="content", alt=text.line("labels.pointers"))
    total = next(step for step in trace.steps if step.kind == "total")
    back = []
    for t in reversed(range(len(path))):
        step = total if t == len(path) - 1 else columns[t + 1][path[t + 1]]
        sums = [f"{printable(tags[k.source])} {format_score(k.log_value)}" for k in step.terms]
        back.append([words[t], ", ".join(sums), printable(tags[path[t]])])
    heads = [text.line("labels.word"), text.line("labels.compared"), "argmax"]
    note(text.line("labels.way-back"))
    frame = pd.DataFrame(back, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.way-back"))


def _textbook(state: State, beat: Beat, text: LessonText) -> None:
    """This recursion in another textbook's form, with the numbers on screen."""
    state = picture.clamped(state)
    problem, form = state.problem, state.form
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for part, choices in CHOICES.items():
            _switch(state, part, choices, text)
    algorithm = {"best": "viterbi", "both": "backward"}.get(beat.mode, "forward")
    semiring = "max" if beat.mode == "best" else "sum"
    trace = computed.trace(problem, algorithm, form, semiring)
    notation = notation_of(state)
    token = picture.trace_of(state, beat.mode).steps[_step(state, beat)].token
    st.html(text.html(f"form-{form}"))
    st.html(formulas.recursion(trace, notation))
    nested = derivations.nested(algorithm, form, problem.tokens, token, rooted=notation.rooted)
    for line in filter(None, nested):
        st.latex(line)
    if beat.mode == "both":
        for line in derivations.MARGINALS[form]:
            st.latex(line)
    if trace.num_columns:
        columns = [[notation.number(x) for x in column] for column in trace.table]
        words = bench.heads(problem)[convention_of(trace).tokens]
        frame = pd.DataFrame(dict(zip(words, columns, strict=True)), trace.tags)
        st.dataframe(frame, height="content", alt=text.line("labels.cells"))
    totals = []
    for each in FORMS:
        other = computed.trace(problem, algorithm, each, semiring)
        totals.append(
            [text.line(f"choices.{each}"), str(other.num_columns), format_score(other.log_total, 6)]
        )
    note(text.line("labels.three"))
    heads = ["", text.line("labels.columns"), text.line("labels.log-total")]
    frame = pd.DataFrame(totals, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.three"))
    if notation.rooted:
        score_section.folded(problem)


def _switch(state: State, part: str, choices: Sequence[str], text: LessonText) -> None:
    """Buttons for a part of the notation: the picture changes with it."""
    for choice in choices:
        st.button(
            text.line(f"choices.{choice}"),
            key=f"{LESSON}.{part}.{choice}",
            type="primary" if getattr(state, part) == choice else "secondary",
            on_click=partial(reader.order, LESSON, **{part: choice}),
        )


def _code(state: State, beat: Beat, text: LessonText) -> None:
    """The lines that ran, and beside them the textbook's."""
    name, ours, line = CODE.get(beat.name, _FORWARD)
    name = IN_FORM.get((name, state.form)) or name
    kind = picture.trace_of(state, beat.mode).steps[_step(state, beat)].kind
    problem = state.problem
    runs = not problem.per_step and problem.chain().feasible.item()
    st.html(text.html("code"))
    left, right = st.columns(2)
    with left:
        docstring = r'^ *""".*?"""\n'
        source = re.sub(docstring, "", inspect.getsource(ours), count=1, flags=re.S | re.M)
        st.html(textbook_code.marked(source.splitlines(), line))
    with right:
        answers = textbook_code.of_chain(name, problem.chain()) if runs else None
        textbook_code.body(name, answers, now=kind if name in STEPPED else "")


# ---------------------------------------------------------------------- scores and tables


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    """All cells, and the pairs on the step's edge; a click takes the stage to a cell."""
    number, S = step_of(beat, state), len(state.problem.tags)
    step = picture.trace_of(state, beat.mode).steps[_step(state, beat)]
    at = (step.token, step.row) if step.kind == "cell" else None
    asked = waits(beat.bet(state, number) if beat.bet else None, state)
    hidden_from = (number // S if beat.name in ("column", "mind") else 0) if asked else None
    way = partial(go, state)
    form, scale = state.form, state.scale
    bench.show(bench.OnBench(LESSON, state.problem, form, scale, at, hidden_from, way))


def go(state: State, quantity: str, t: int, s: int) -> None:
    """Take the stage to a cell, in the beat that draws the quantity."""
    beat, S, L = GOES.get(quantity, "add"), len(state.problem.tags), len(state.problem.tokens)
    step = {"both": (L - 1 - t) * S + s, "meet": t}.get(beat, t * S + s)
    reader.order(LESSON, beat=beat, step=str(step), bet=TOLD if beat == "meet" else "")


def _scores(state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("scores"))
    score_section.show(LESSON, state)


def _this_step(state: State, beat: Beat, text: LessonText) -> None:
    """The step's terms, and every table to take away."""
    trace, number = picture.trace_of(state, beat.mode), _step(state, beat)
    notation = notation_of(state)
    (corner, *heads), *body = exports.term_rows(trace, trace.steps[number], notation)
    if body:
        index = pd.Index([tag for tag, *_ in body], name=str(corner))
        frame = pd.DataFrame([row for _, *row in body], index, list(map(str, heads)))
        styled = frame.style.format(format_score)
        st.dataframe(styled, height="content", alt=text.line("labels.terms"))
    if beat.mode == "add" and (prefixes := trace.steps[number].prefixes):
        st.html(text.html("prefixes-merged", n=prefixes))
    exports.of_step(LESSON, state.problem, trace, number, notation)


def _as_code(state: State, _beat: Beat, _text: LessonText) -> None:
    exports.code(state.problem, LESSON)


# ---------------------------------------------------------------------- cost, questions, exercises


def _cost(state: State, _beat: Beat, text: LessonText) -> None:
    S, m = len(state.problem.tags), len(state.problem.tokens)
    every = brute_force.additions(S, max(m, 50))
    sizes = sorted({*range(1, min(m, 10) + 1), m, 10, 20, 50})
    cells, steps = decimal(f"{S * m:,}"), decimal(f"{(m - 1) * S * S:,}")
    say(text, "cost", {"S": S, "m": m, "cells": cells, "steps": steps})
    heads = [text.line(f"labels.{name}") for name in ("words", "count", "one-by-one", "recursion")]
    frame = pd.DataFrame([every[n - 1] for n in sizes], columns=heads, dtype=float)
    styled = frame.style.format(lambda n: count(int(n)))
    st.dataframe(styled, hide_index=True, height="content", alt=text.line("labels.cost"))


def _questions(state: State, _beat: Beat, text: LessonText) -> None:
    best = computed.decoded(state.problem)[0]
    say(text, "questions", facts.of_problem(state) | {"p": log_probability(best.log_p)})


def _exercises(state: State, beat: Beat, _text: LessonText) -> None:
    practice.practice(
        KINDS[beat.mode],
        key=f"{LESSON}.{beat.mode}",
        on_screen=state.problem,
        use=lambda problem: reader.order(LESSON, **changed(state, problem)),
    )


def _implement(_state: State, beat: Beat, _text: LessonText) -> None:
    implement.body(implement.FUNCTIONS[beat.mode], f"{LESSON}.{beat.mode}")


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {
        "heat-maps": _prepared(_of_paths(_numbers)),
        "tables": _prepared(_this_step),
        "scores": _scores,
        "paths": _prepared(_of_paths(readings.every_path)),
        "decoders": _prepared(_of_paths(readings.compared)),
        "certainty": _of_paths(readings.certainty),
        "temperature": _prepared(_of_paths(readings.temperature)),
    },
    "why": {
        "derivation": _prepared(_derivation),
        "textbook": _textbook,
        "cost": _prepared(_cost),
        "problems": _prepared(_of_paths(_questions)),
    },
    "code": {"step": _prepared(_code), "scores-as-code": _prepared(_of_paths(_as_code))},
    "keep": {
        "whose": whose.section(LESSON),
        "exercise": _exercises,
        "check": _prepared(_implement),
        "samples": _prepared(_of_paths(readings.samples)),
        "link": _take,
    },
}
