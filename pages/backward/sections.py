"""The sections of the lesson "Backward and marginals": α · β, pairs, entropies, decoding."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import streamlit as st

from crf.figures.heat.payload import Probabilities, payload
from crf.figures.numbers import format_potential
from crf.figures.trellis.narration import printable, quoted, tagged
from crf.figures.trellis.notation import LOG, NOTATIONS, PROBABILITY, Space, symbol_of
from crf.figures.words import join
from crf.steps import Trace
from pages.backward import clamping, step_explanations
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, tables
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import prose
from pages.shared.figures.theme import log_probability, number, probability
from pages.shared.ui import computed, fixed_tags, frame, problem_state, question, stepper
from pages.shared.ui.cell_table import cell_table
from pages.shared.ui.controls import by_name
from pages.shared.ui.exports import Table
from pages.shared.ui.options import CONVENTION
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.state import SessionValue

_WRITTEN = 4  # terms in a line
ILLEGAL = "bio"  # the example whose posterior path is forbidden
PLACE = SessionValue("backward.place", 0)  # the first of two neighbours
PAIR = SessionValue[tuple]("backward.pair", ())  # their tags that are picked


@lru_cache(maxsize=8)
def both_ways(problem: Problem, convention: str = "state", semiring: str = "sum") -> Marginals:
    """What forward and backward say together."""
    forward = "forward" if semiring == "sum" else "viterbi"
    return Marginals(
        computed.trace(problem, forward, convention, semiring),
        computed.trace(problem, "backward", convention, semiring),
    )


def _on_screen(shown: Recursion) -> Marginals:
    return both_ways(shown.problem, CONVENTION.value, shown.semiring)


def follow(trace: Trace, step: int, space: Space, problem: Problem) -> list[str]:
    """What a step means, for `recursion.stepper`."""
    return step_explanations.follow(trace, step, space)


def products(problem: Problem, trace: Trace, space: Space) -> dict[str, Any]:
    """α · β of every tag of every token, as texts, for the stepper."""
    both = both_ways(problem, trace.convention, trace.semiring)
    products = {
        "heads": step_explanations.header(both, 0, space),
        "tags": [printable(tag) for tag in both.alpha.tags],
        "columns": [
            [step_explanations.product_row(both, t, s, space) for s in range(both.S)]
            for t in range(both.m)
        ],
        "shares": both.unary if trace.semiring == "sum" else [],
    }
    return {"products": products}


def meeting(shown: Recursion) -> None:
    """α · β of the token on screen; β as far as the reader has come."""
    alpha = symbol_of(_on_screen(shown).alpha, PROBABILITY).removeprefix("exp ")
    if shown.semiring == "sum":
        shown.say("meet", alpha=alpha)
    else:
        shown.say("meet-max", alpha=alpha, number=NOTATIONS[shown.space].word("result"))
    if CONVENTION.value == "message":
        shown.say("message")
    frame.html(f'<div class="crf-scroll" data-products="{shown.key}" tabindex="0"></div>')


def sums(shown: Recursion) -> None:
    """Every column adds up to Z, with what rounding leaves."""
    if "equation" not in shown.view.hide and shown.semiring == "sum":
        st.html(step_explanations.formula(CONVENTION.value))
    shown.say("sums" if shown.semiring == "sum" else "sums-max")
    with shown.results(shown.text.line("labels.show-sums")):
        table = step_explanations.sums_table(_on_screen(shown))
        st.html(f'<div class="crf-long-names">{table}</div>')


def derived(shown: Recursion) -> None:
    """β by the rearrangement that gives α, with the numbers of one cell."""
    shown.say("derive")
    trace = shown.trace_in("state", "sum")
    tokens, S = trace.tokens, len(trace.tags)
    step = next((k for k in trace.steps if k.kind == "cell" and k.token == len(tokens) - 2), None)
    if step is None or "answers" in shown.view.hide:
        return
    terms = [format_potential(term.log_value) for term in step.terms[:_WRITTEN]]
    shown.say(
        "derive-numbers", word=printable(tokens[step.token]), tag=printable(trace.tags[step.row]),
        terms=" + ".join(terms + ["…"] * (S > _WRITTEN)), value=format_potential(step.log_value),
    )  # fmt: skip


def pairwise(shown: Recursion) -> None:
    """p(y_t = a, y_(t+1) = b | x) of two neighbours."""
    with shown.results(shown.text.line("labels.show-pairs")):
        _pairwise(shown)


@st.fragment
def _pairwise(shown: Recursion) -> None:
    both, line = both_ways(shown.problem), shown.text.line
    tokens, tags = both.alpha.tokens, both.alpha.tags
    words = [quoted(tokens, t) for t in range(both.m)]
    neighbours = [line("labels.and", left=a, right=b) for a, b in itertools.pairwise(words)]
    t = by_name(line("labels.neighbours"), PLACE, neighbours, width=340)
    pairs, place = both.pairs(t), {"left": words[t], "right": words[t + 1]}
    every = [(a, b) for a in range(both.S) for b in range(both.S)]
    likeliest = max(every, key=lambda cell: pairs[cell[0]][cell[1]])
    a, b = PAIR.value if PAIR.value in every else likeliest
    columns = list(zip(*pairs, strict=True))
    table = Probabilities(
        line("labels.pair-table", **place), tags, tags, pairs,
        lambda i, j: f"{words[t]} {tags[i]}, {words[t + 1]} {tags[j]}: {probability(pairs[i][j])}",
        {(a, b)},
        sums=("Σ", [f"{math.fsum(row):.4f}" for row in pairs]),
        footer=[("Σ", [f"{math.fsum(column):.4f}" for column in columns])],
    )  # fmt: skip
    cell_table(payload(table), key="backward.pairs", on_pick=PAIR.set)
    finer = replace(LOG, number=lambda value: number(value, 3))  # to be checked by hand
    shown.say(
        "pairs", **place, a=tagged(both.alpha, t, a), b=tagged(both.alpha, t + 1, b),
        sum=finer.joined([*both.pair_factors(t, a, b), -both.log_total]),
        p=probability(pairs[a][b]),
    )  # fmt: skip
    given = [
        line("labels.given", word=words[t + 1], other=words[t], tag=tags[a]),
        line("labels.given", word=words[t], other=words[t + 1], tag=tags[b]),
    ]
    slices = [_normalised(pairs[a]), _normalised(columns[b])]
    st.html(tables.probability_table(given, tags, slices, line("labels.slices")))
    step_button(shown, t, a, "of-pair")


def _normalised(weights: Sequence[float]) -> list[float]:
    """Weights divided by their sum; all 0 if they are."""
    total = math.fsum(weights)
    return [weight / total if total else 0.0 for weight in weights]


def step_button(shown: Recursion, t: int, s: int, key: str) -> None:
    """A button to the step of the trellis that computes a cell, or the total if none does."""
    steps = shown.trace.steps
    at = next(
        k for k, step in enumerate(steps)
        if step.kind == "total" or (step.token, step.row) == (t, s)
    )  # fmt: skip
    if st.button(
        shown.text.line("labels.to-step", cell=tagged(shown.trace, t, s)),
        key=f"backward.{key}.{t}",
        on_click=stepper.go_to,
        args=(shown.key, at),
    ):
        st.rerun()  # the trellis may stand outside of a fragment


def uncertainty(shown: Recursion) -> None:
    """The entropy of each token and of the chain, after a guess."""
    both, line = both_ways(shown.problem), shown.text.line
    with shown.results(line("labels.show-entropies")):
        found = [entropy(column) for column in both.unary]
        most = [t for t, h in enumerate(found) if h >= max(found) - 1e-9]
        names = [quoted(both.alpha.tokens, t) for t in range(both.m)]
        is_fixed = bool(fixed_tags.fixed("backward", shown.problem))
        asks = both.m > 1 and len(most) == 1
        if asks and not question.guess(
            line("uncertain.question-fixed" if is_fixed else "uncertain.question"),
            names,
            most[0],
            key="backward.guess",
            subject=("least certain", problem_state.origin().label, both.m),
            why=line("uncertain.why", word=names[most[0]]),
        ):
            return
        table = step_explanations.entropy_table(both, set(most))
        st.html(f'<div class="crf-long-names">{table}</div>')
        if not shown.tells:
            return
        chain = shown.summary.chain.entropy.item()
        st.html(prose(*step_explanations.entropy_told(both, chain)))
        if max(found) < 1e-9:
            frame.note(line("uncertain.none"))
        elif len(most) > 1:
            frame.note(line("uncertain.alike"))


# ---------------------------------------------------------------------- posterior decoding


def posterior(shown: Recursion) -> None:
    """The likeliest tag of each token, against the best path."""
    problem, line = shown.problem, shown.text.line
    with shown.results(line("labels.show-paths")):
        found = best_and_likeliest(problem)
        st.html(decoders.path_table(problem, found, line("labels.both")))
        if shown.tells:
            st.html(prose(*_compared(shown, *found)))
    example = EXAMPLES[ILLEGAL]
    if problem != example.problem:
        st.button(
            line("labels.example", title=example.title),
            on_click=problem_state.use_example,
            args=(ILLEGAL,),
            key="backward.illegal",
            help=line("labels.example-help"),
        )


def best_and_likeliest(problem: Problem) -> list[Decoded]:
    """Viterbi’s path and the posterior one."""
    viterbi, *_, likeliest = computed.decoded(problem)
    return [viterbi, likeliest]


def _compared(shown: Recursion, best: Decoded, likeliest: Decoded) -> list[str]:
    problem, line, unary = shown.problem, shown.text.line, both_ways(shown.problem).unary
    right = [math.fsum(unary[t][s] for t, s in enumerate(d.path)) for d in (best, likeliest)]
    m = len(problem.tokens)
    aims = line("likeliest.aims", best=number(right[0]), own=number(right[1]), m=m)
    if likeliest.score == -math.inf:
        return [aims, line("likeliest.forbidden", path=decoders.names(problem, likeliest.path))]
    if likeliest.path == best.path:
        must = m == 1 or len(problem.tags) == 1
        return [aims, line("likeliest.must" if must else "likeliest.agree")]
    why = decoders.posterior_step(problem, likeliest, best, unary)
    if math.isclose(likeliest.score, best.score, abs_tol=1e-9):
        return [aims, join(line("likeliest.tie", score=number(best.score)), why)]
    p, p_best = log_probability(likeliest.log_p), log_probability(best.log_p)
    return [aims, join(line("likeliest.differ", p=p, p_best=p_best), why)]


# ---------------------------------------------------------------------- as files


def by_tag(problem: Problem, by_token: Sequence[Sequence[float]]) -> Rows:
    """A row for each tag, a column for each token."""
    body = zip(problem.tags, zip(*by_token, strict=True), strict=True)
    return [["tag", *problem.tokens], *([tag, *row] for tag, row in body)]


def export_tables(shown: Recursion) -> dict[str, Table]:
    """Exact numbers, by name; none but those of the columns where no path is allowed."""
    problem, line = shown.problem, shown.text.line

    def sums() -> Rows:
        found = _on_screen(shown)
        gaps = [found.residual(t) for t in range(found.m)]
        return [["", *problem.tokens], ["total", *found.column_totals], ["residual", *gaps]]

    def pairs() -> Rows:
        both, tags = both_ways(problem), problem.tags
        rows: list[list[str | float]] = [["first token", "from", "to", "probability"]]
        for t in range(both.m - 1):
            for a, row in enumerate(both.pairs(t)):
                rows += [[t + 1, tags[a], tags[b], p] for b, p in enumerate(row)]
        return rows

    def entropies() -> Rows:
        found = [entropy(column) for column in both_ways(problem).unary]
        chain = shown.summary.chain.entropy.item()
        return [["", *problem.tokens, "sequence"], ["nats", *found, chain]]

    makers: dict[str, Callable[[], Rows]] = {
        "column-sums": sums, "products": lambda: by_tag(problem, _on_screen(shown).products),
    }  # fmt: skip
    if shown.summary.feasible:
        makers |= {
            "marginals": lambda: by_tag(problem, both_ways(problem).unary),
            "pairs": pairs,
            "entropies": entropies,
            "fixed": lambda: by_tag(problem, clamping.clamped(problem).marginals[0].tolist()),
            "posterior": lambda: decoders.path_rows(problem, best_and_likeliest(problem)),
        }
    return {line(f"labels.{name}"): Table.of(make) for name, make in makers.items()}
