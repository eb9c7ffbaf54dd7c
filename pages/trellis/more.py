"""What stands behind "⋯" of the trellis: one short section for each question, most important first.

Each is drawn when it is opened, for the state and the beat on screen.
"""

import inspect
import math
from collections.abc import Callable
from itertools import pairwise

import streamlit as st
import torch

from crf import decoding, recursions, scoring
from crf.figures.numbers import format_magnitude, format_percent, format_score
from crf.figures.trellis.narration import printable
from crf.figures.trellis.notation import NOTATIONS
from pages.shared.course import brute_force, latex
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures import decoders, derivations, formulas, tables
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count, log_probability, probability
from pages.shared.ui import (
    computed,
    exports,
    frame,
    options,
    practice,
    score_tables,
    textbook_code,
)
from pages.shared.ui.controls import Integer, Number, by_name
from pages.shared.ui.stage import reader, score_section, take
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View
from pages.trellis import facts, picture
from pages.trellis.beats import BEATS, step_of

LESSON = "trellis"
FEW_PATHS, SAMPLES = 64, 10_000
ILLEGAL = "bio"  # the example in which posterior decoding gives a path of probability 0
_MOST = Integer("trellis.k", 5, low=1, high=10)
_TAU = Number("trellis.tau", 1.0, low=0.05, high=20)
_TAUS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
_SEED = Integer("trellis.seed", 1, low=0, high=999)
_FOLDED = SessionValue("trellis.folded", False)
_NEIGHBOURS = SessionValue("trellis.neighbours", 0)
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
    "learn": ("gradient", "nll"),
    "done": ("score", "cost", "nll"),
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
_FORWARD = ("forward", recursions.forward, "new =")
KINDS = {  # mode → exercises, its own first
    "path": ("path-score", "log-z", "viterbi"),
    "add": ("forward", "log-z", "path-score"),
    "best": ("viterbi", "path-score", "forward"),
    "both": ("backward", "marginal", "log-z"),
}


def show(state: State, beat: Beat) -> None:
    """Draw the sections for the state and the beat on screen."""
    text = LessonText.of(LESSON)
    frame.show_complaints()
    feasible = picture.numbers(state.problem).forward.feasible
    for name, draw in SECTIONS.items():
        if name in OF_PATHS and not feasible:
            continue
        part = st.expander(
            text.line(f"folds.{name}"), key=f"{LESSON}.more.{name}", on_change="rerun"
        )
        if part.open:
            with part:
                draw(state, beat, text)


def _scored(state: State, beat: Beat) -> Problem:
    return picture.scored(state, beat.mode)


def _step(state: State, beat: Beat) -> int:
    """The step of the mode's trace that is on screen; that of the last beat's picture in `meet`."""
    number = step_of(beat, state)
    if beat.name == "meet":
        L, S = len(state.problem.tokens), len(state.problem.tags)
        return (L - number) * S - 1
    if beat.name in ("regroup", "bet", "path", "count", "learn", "done"):
        return len(picture.trace_of(state, beat.mode).steps) - 1
    return number


def _say(text: LessonText, name: str, known: dict) -> None:
    st.html(text.html(name, **{hole: known[hole] for hole in text[name].holes}))


# ---------------------------------------------------------------------- derivation, notation, code


def _derivation(state: State, beat: Beat, text: LessonText) -> None:
    problem, trace = _scored(state, beat), picture.trace_of(state, beat.mode)
    number = _step(state, beat)
    step = trace.steps[number]
    t, s = max(step.token, 0), max(step.row, 0)
    known = facts.of_problem(state) | {
        "word": problem.tokens[t], "tag": problem.tags[s], "S": len(problem.tags),
        "m": len(problem.tokens),
    }  # fmt: skip
    for topic in DERIVATIONS[beat.name]:
        _say(text, f"derive-{topic}", known)
        for line in derivations.equations(topic, problem.tokens, t):
            st.latex(line)
        if topic in ("alpha", "delta", "beta"):
            st.html(text.html("derive-numbers"))
            st.latex(latex.step_equation(trace, number))
        elif topic == "total":
            _totals(problem, text)
        elif topic == "pointers" and len(problem.tokens) > 1:
            _pointers(state, text)


def _totals(problem: Problem, text: LessonText) -> None:
    """log Z from every column, and what rounding leaves."""
    both = _both(problem)
    rows = [
        ["log Σ α̂ β", *(format_score(total, 6) for total in both.column_totals)],
        [text.line("labels.off"), *(format_magnitude(both.residual(t)) for t in range(both.m))],
    ]
    heads = ["", *map(printable, problem.tokens)]
    st.html(tables.text_table(heads, rows, text.line("labels.totals")))


def _both(problem: Problem, form: str = "state") -> Marginals:
    forward, backward = (
        computed.trace(problem, way, form, "sum") for way in ("forward", "backward")
    )
    return Marginals(forward, backward)


def _pointers(state: State, text: LessonText) -> None:
    """Each column's backpointers, and the way back that does without them."""
    found, tags = picture.numbers(state.problem).viterbi, state.problem.tags
    S, words = len(tags), [printable(token) for token in found.tokens]
    cells = [step for step in found.steps if step.kind == "cell"]
    path = found.best_path or ()
    rows = [
        [tag, *("–" if (p := cells[t * S + s].backpointer) is None else printable(tags[p])
                for t in range(1, len(words)))]
        for s, tag in enumerate(map(printable, tags))
    ]  # fmt: skip
    kept = {(path[t], t) for t in range(1, len(path))}
    st.html(tables.text_table(["κ", *words[1:]], rows, text.line("labels.pointers"), kept))
    total = next(step for step in found.steps if step.kind == "total")
    back = []
    for t in reversed(range(len(path))):
        step = total if t == len(path) - 1 else cells[(t + 1) * S + path[t + 1]]
        sums = [f"{printable(tags[k.source])} {format_score(k.log_value)}" for k in step.terms]
        back.append([words[t], ", ".join(sums), printable(tags[path[t]])])
    heads = [text.line("labels.word"), text.line("labels.compared"), "argmax"]
    st.html(tables.text_table(heads, back, text.line("labels.way-back")))


def _textbook(state: State, beat: Beat, text: LessonText) -> None:
    """This recursion in another textbook's form, with the numbers on screen."""
    problem = _scored(state, beat)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form, space = options.switch(options.CONVENTION), options.switch(options.SPACE)
        st.toggle(text.line("labels.folded"), key=_FOLDED.key, persist_state="session")
    algorithm = {"best": "viterbi", "both": "backward"}.get(beat.mode, "forward")
    semiring = "max" if beat.mode == "best" else "sum"
    trace = computed.trace(problem, algorithm, form, semiring)
    notation = NOTATIONS["probability" if space == "probability" else "log"]
    token = picture.trace_of(state, beat.mode).steps[_step(state, beat)].token
    st.html(text.html(f"form-{form}"))
    st.html(formulas.recursion(trace, notation.space))
    for line in filter(None, derivations.nested(algorithm, form, problem.tokens, token)):
        st.latex(line)
    if beat.mode == "both":
        for line in derivations.MARGINALS[form]:
            st.latex(line)
    rows = exports.trellis_rows(trace)
    written = [[str(tag), *(notation.number(float(x)) for x in row)] for tag, *row in rows[1:]]
    if trace.num_columns:
        heads = list(map(str, rows[0]))
        st.html(tables.text_table(heads, written, text.line("labels.cells")))
    totals = []
    for each in ("state", "message", "pair"):
        other = computed.trace(problem, algorithm, each, semiring)
        name = options.CONVENTION.label(each)
        totals.append([name, str(other.num_columns), format_score(other.log_total, 6)])
    heads = ["", text.line("labels.columns"), text.line("labels.log-total")]
    st.html(tables.text_table(heads, totals, text.line("labels.three")))
    if _FOLDED.value:
        score_tables.folded(problem, LESSON)


def _code(state: State, beat: Beat, text: LessonText) -> None:
    """The lines that ran, and beside them the textbook's."""
    name, ours, made = CODE.get(beat.name, _FORWARD)
    kind = picture.trace_of(state, beat.mode).steps[_step(state, beat)].kind
    problem = _scored(state, beat)
    runs = not problem.per_step and problem.chain().feasible.item()
    st.html(text.html("code"))
    left, right = st.columns(2)
    with left:
        st.html(textbook_code.marked(source(ours), made))
    with right:
        answers = textbook_code.of_chain(name, problem.chain()) if runs else None
        textbook_code.body(name, answers, now=kind)


def source(function: Callable) -> list[str]:
    """The lines of a function of the library, without its docstring."""
    lines = inspect.getsource(function).splitlines()
    quotes = [k for k, line in enumerate(lines) if '"""' in line]
    return [
        *lines[: quotes[0]],
        *lines[quotes[1 if lines[quotes[0]].count('"""') < 2 else 0] + 1 :],
    ]


# ---------------------------------------------------------------------- scores and tables


def _scores(state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("scores"))
    score_section.show(LESSON, state)


def _this_step(state: State, beat: Beat, text: LessonText) -> None:
    """The step's terms, and every table to take away."""
    trace, number = picture.trace_of(state, beat.mode), _step(state, beat)
    head, *body = exports.term_rows(trace, trace.steps[number])
    rows = [[str(cell) if isinstance(cell, str) else format_score(cell) for cell in row]
            for row in body]  # fmt: skip
    if rows:
        st.html(tables.text_table(list(map(str, head)), rows, text.line("labels.terms")))
    exports.of_step({}, LESSON, state.problem, trace, number, "log")


def _as_code(state: State, _beat: Beat, _text: LessonText) -> None:
    exports.code(state.problem, LESSON)


# ---------------------------------------------------------------------- paths


def _paths(state: State, _beat: Beat, text: LessonText) -> None:
    """All paths while there are few; else the k best."""
    problem, line = state.problem, text.line
    every = brute_force.count_paths(problem)
    k = min(every, FEW_PATHS)
    if every > FEW_PATHS:
        k = _MOST.widget(line("labels.k"), shape="slider", width=240)
    found = computed.summary(problem).chain.topk(k)
    log_z = picture.numbers(problem).forward.log_total
    scores: list[float] = found.scores[0].tolist()
    rows: list[tables.PathRow] = []
    whole = 0.0
    for rank, (path, score) in enumerate(zip(found.tags[0].tolist(), scores, strict=True), 1):
        if score > -math.inf:
            whole += math.exp(score - log_z)
            numbers = [format_score(score), log_probability(min(score - log_z, 0.0)),
                       probability(min(whole, 1.0))]  # fmt: skip
            rows.append(tables.PathRow(f"{rank}.", [problem.tags[s] for s in path], numbers))
    heads = [line(f"labels.{name}") for name in ("score", "probability", "cumulative")]
    best, caption = rows[0].tags, line("labels.paths")
    st.html(tables.path_table(problem.tokens, rows, best, heads, caption, tags=problem.tags))
    _say(text, "paths", facts.of_problem(state) | {"share": format_percent(min(whole, 1.0), 1)})
    chosen = picture.path_of(state)
    gap = scores[0] - brute_force.score(problem, tuple(chosen))
    if 1e-9 < gap < math.inf:
        times = probability(math.exp(-gap))
        st.html(text.html("behind", gap=format_score(gap), times=times))
    if every <= brute_force.LIMIT:
        st.download_button(
            line("labels.all-paths"), lambda: exports.rows_to_csv(_every_path(problem)),
            "paths.csv", "text/csv", on_click="ignore", key=f"{LESSON}.paths",
        )  # fmt: skip


def _every_path(problem: Problem) -> tables.Rows:
    body = [[*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)]
    return [[*problem.tokens, "score", "probability", "cumulative"], *body]


def _decoders(state: State, _beat: Beat, text: LessonText) -> None:
    """Four decoders beside each other; where the best prefix changes; ties."""
    problem, found = state.problem, computed.decoded(state.problem)
    st.html(text.html("decoders"))
    st.html(decoders.path_table(problem, found, text.line("labels.decoders")))
    likeliest = found[-1]
    if likeliest.score == -math.inf:
        path = decoders.names(problem, likeliest.path)
        st.html(text.html("forbidden", path=path))
    elif problem != EXAMPLES[ILLEGAL].problem:
        st.button(
            text.line("labels.illegal"), key=f"{LESSON}.illegal",
            on_click=lambda: reader.order(LESSON, **_example(ILLEGAL)),
        )  # fmt: skip
    rows = []
    for t in range(len(problem.tokens)):
        led = picture.leading_prefix(state, t)
        blank = [""] * (len(problem.tokens) - len(led))
        rows.append([printable(problem.tokens[t]), *(printable(problem.tags[s]) for s in led),
                     *blank])  # fmt: skip
    changes = picture.changes_of_mind(state)
    st.html(text.html("prefixes", n=len(changes)))
    heads = [text.line("labels.after"), *map(printable, problem.tokens)]
    st.html(tables.text_table(heads, rows, text.line("labels.prefixes"), words=True))
    if computed.summary(problem).has_ties:
        st.html(text.html("ties"))


def _example(name: str) -> dict[str, str]:
    blank = ("sentence", "tagger", "spaces", "edit", "fix", "path", "bet", "step")
    return dict.fromkeys((*blank, "t", "w", "e", "a", "p", "s", "z"), "") | {"ex": name}


# ---------------------------------------------------------------------- probabilities


def _certainty(state: State, _beat: Beat, text: LessonText) -> None:
    """Entropies, and the table of two neighbours' tags."""
    problem = picture.scored(state, "both")
    both, line = _both(problem), text.line
    each = [entropy(column) for column in both.unary]
    chain = problem.chain().entropy.item()
    rows = [[line("labels.nats"), *(f"{h:.3f}" for h in each)],
            [line("labels.choices"), *(f"{math.exp(h):.2f}" for h in each)]]  # fmt: skip
    heads = ["", *map(printable, problem.tokens)]
    st.html(tables.text_table(heads, rows, line("labels.entropies")))
    known = {
        "total": f"{math.fsum(each):.3f}", "chain": f"{chain:.3f}",
        "gap": f"{max(math.fsum(each) - chain, 0.0):.3f}", "paths": f"{math.exp(chain):.2f}",
    }  # fmt: skip
    st.html(text.html("entropy", **known))
    if both.m < 2:
        return
    words = [printable(token) for token in problem.tokens]
    places = [f"{a} – {b}" for a, b in pairwise(words)]
    t = by_name(line("labels.neighbours"), _NEIGHBOURS, places, width=320)
    pairs = both.pairs(t)
    sums = [("Σ", [f"{math.fsum(column):.4f}" for column in zip(*pairs, strict=True)])]
    caption = line("labels.pairs", left=words[t], right=words[t + 1])
    st.html(tables.probability_table(problem.tags, problem.tags, pairs, caption, sums))
    st.html(text.html("pairs", left=words[t], right=words[t + 1]))


def _samples(state: State, _beat: Beat, text: LessonText) -> None:
    """How often each tag was drawn, and how far that is from the marginals."""
    problem, line = picture.scored(state, "both"), text.line
    chain, S = problem.chain(), len(problem.tags)
    seed = _SEED.widget(line("labels.seed"), width=140, help=line("labels.seed-help"))
    drawn = chain.sample(SAMPLES, torch.Generator().manual_seed(seed))[:, 0]
    rows = []
    variance = (chain.marginals[0] * (1 - chain.marginals[0])).mean()
    for n in (10, 100, 1_000, SAMPLES):
        counts = torch.stack([(drawn[:n] == s).sum(0) for s in range(S)], dim=-1) / n
        off = (counts - chain.marginals[0]).square().mean().sqrt().item()
        expected = (variance / n).sqrt().item()
        rows.append([f"{n:,}", probability(off), probability(expected)])
    shares = (torch.stack([(drawn == s).sum(0) for s in range(S)]) / SAMPLES).tolist()
    caption = line("labels.drawn", n=f"{SAMPLES:,}")
    st.html(tables.probability_table(problem.tags, problem.tokens, shares, caption))
    heads = [line("labels.samples"), line("labels.distance"), line("labels.expected")]
    st.html(tables.text_table(heads, rows, line("labels.distances")))
    st.html(text.html("samples"))


def _temperature(state: State, _beat: Beat, text: LessonText) -> None:
    """All scores divided by τ: from the sum to the maximum."""
    problem, (best, *_) = state.problem, computed.decoded(state.problem)
    for line in derivations.FORMULAS["temperature"]:
        st.latex(line)
    tau = _TAU.widget("τ", options=_TAUS, width=420)
    heated = computed.at_temperature(problem, tau)
    log_z = heated.log_partition.item()
    share = probability(min(math.exp(best.score / tau - log_z), 1.0))
    soft, hard = format_score(tau * log_z), format_score(best.score)
    st.html(text.html("temperature", tau=f"{tau:g}", p=share, soft=soft, hard=hard))
    marginals = list(zip(*heated.marginals[0].tolist(), strict=True))
    caption = text.line("labels.at-tau", tau=f"{tau:g}")
    st.html(tables.probability_table(problem.tags, problem.tokens, marginals, caption))


# ---------------------------------------------------------------------- cost, questions, exercises


def _cost(state: State, _beat: Beat, text: LessonText) -> None:
    S, m = len(state.problem.tags), len(state.problem.tokens)
    every = brute_force.additions(S, max(m, 50))
    sizes = sorted({*range(1, min(m, 10) + 1), m, 10, 20, 50})
    rows = [[count(k) for k in every[n - 1]] for n in sizes]
    heads = [text.line(f"labels.{name}") for name in ("words", "count", "one-by-one", "recursion")]
    st.html(tables.text_table(heads, rows, text.line("labels.cost")))
    _say(text, "cost", {"S": S, "m": m, "cells": f"{S * m:,}", "steps": f"{m * S * S:,}"})


def _questions(state: State, _beat: Beat, text: LessonText) -> None:
    best = computed.decoded(state.problem)[0]
    known = facts.of_problem(state) | {"p": log_probability(best.log_p)}
    _say(text, "questions", known)


def _exercises(_state: State, beat: Beat, _text: LessonText) -> None:
    practice.practice(KINDS[beat.mode], key=f"{LESSON}.{beat.mode}", view=View())


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS = {
    "derivation": _derivation,
    "code": _code,
    "textbook": _textbook,
    "scores": _scores,
    "step": _this_step,
    "exercises": _exercises,
    "paths": _paths,
    "decoders": _decoders,
    "certainty": _certainty,
    "samples": _samples,
    "temperature": _temperature,
    "cost": _cost,
    "questions": _questions,
    "as-code": _as_code,
    "take": _take,
}
OF_PATHS = {
    "paths", "decoders", "certainty", "samples", "temperature", "questions", "as-code",
}  # fmt: skip
