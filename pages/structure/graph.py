"""The factor graph of the lesson "Why structure": fix tags, and see what becomes independent."""

from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, tables
from pages.shared.figures.path_score import prose
from pages.shared.ui import exports
from pages.shared.ui.fixed_tags import FREE, Fixed, fix, fixed, free_all
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.structure import factor_graph, independence_prose
from pages.structure.figures import formula_html
from pages.structure.graph_component import graph
from pages.structure.graph_figures import drawing
from pages.structure.sections import MODEL, PAGE, SEES

if TYPE_CHECKING:
    from pages.structure.independence import Independence, Pair

_ABOUT = {
    "crf": "Circles are variables, squares are factors. A line says that a factor depends on a "
    "variable, and nothing else is said: there are no arrows, for a factor is no probability of "
    "one thing given another. It is the exponential of a score: ψ of an emission or a transition, "
    "σ and ε, at the ends, of the start and end scores. The product of all factors, divided by Z, "
    "is p(y | x). Words are shaded, because they are given.",
    "memm": "Arrows lead to what each conditional probability is about. A MEMM (maximum-entropy "
    "Markov model) is a chain of classifiers: each chooses the next tag, given the tag before it "
    "and the words, and each is normalised for itself.",
    "hmm": "Arrows lead to what each conditional probability is about. An HMM tells a story of how "
    "tags and words came about: each tag after the one before it, each word from its own tag. "
    "Words come from one tag only, so features of the whole sentence have no place in the story.",
}
_SEES = {
    ("crf", "token"): "Each emission sees its own word and nothing else, so all that the words "
    "before and after have to say must come through the neighbouring tags.",
    ("crf", "sentence"): "Each emission may look at the whole sentence. The words are given and "
    "never predicted, so this costs nothing: the chain of tags stays a chain. It is why a BiLSTM, "
    "a network that reads the sentence in both directions, can compute the emissions of a CRF.",
    ("memm", "token"): "Each classifier sees its own word and nothing else. Whatever words come "
    "later, the probabilities of all that may follow a tag sum to 1, so later words cannot change "
    "the probability of earlier tags.",
    ("memm", "sentence"): "Each classifier may look at the whole sentence, so a later word can "
    "change an earlier choice: through that choice’s features. What comes after the choice still "
    "cannot, for each state passes on exactly as much probability as came in. What that does is "
    "the subject of the next section.",
}


@lru_cache(maxsize=32)
def _given(problem: Problem, held: tuple[tuple[int, int], ...]) -> "Independence":
    from pages.structure.independence import given

    return given(problem, dict(held))


def given(problem: Problem, held: Fixed) -> "Independence":
    """What is left of the chain; computed once for each."""
    return _given(problem, tuple(sorted(held.items())))


def switches(shown: Lesson) -> None:
    """Which graph is drawn."""
    if "controls" in shown.view.hide:
        return
    with st.container(horizontal=True, gap="medium"):
        MODEL.widget(
            "Graph of",
            help="Which model’s graph is drawn. The numbers are those of the CRF on screen.",
        )
        if MODEL.value != "hmm":
            SEES.widget(
                "An emission sees",
                help="What the factor between a tag and the input may look at.",
            )


def section(shown: Lesson) -> None:
    """The graph, what a click does to it, and the numbers."""
    problem = shown.problem
    st.header("The model as a graph", anchor=False)
    switches(shown)
    model, sees = MODEL.value, SEES.value
    described = factor_graph.graph(problem, model, sees)
    if model != "crf":
        note(
            f"Only the graph is the {model.upper()}’s: the probabilities at its nodes, and below, "
            "stay those of the CRF on screen."
        )
    if shown.tells:
        st.html(prose(_ABOUT[model]))
        if model != "hmm":
            st.html(prose(_SEES[model, described.sees]))
    st.html(f'<p class="crf-prose crf-formula">{formula_html(described.formula)}</p>')
    if model == "crf" and not any((*problem.start, *problem.end)):
        note("Here the start and end scores are 0, so σ = ε = exp(0) = 1.")
    held = fixed(PAGE, problem)
    before, now = given(problem, {}), given(problem, held)
    picture = drawing(described, problem, held, now.pieces, before.marginals, now.marginals)
    picture["hint"] = (
        "Point at a node, or go there with Tab and the arrow keys, to see its values. Click a "
        "tag’s circle, or press Enter, to fix it."
    )

    def toggle(t: int) -> None:
        row = now.marginals[t]
        fix(PAGE, problem, t, FREE if t in held else row.index(max(row)))

    graph(picture, key="structure.graph", tokens=len(problem.tokens), on_click=toggle)
    _fixed_tags(problem, held)
    _what_follows(shown, before, now)


def _fixed_tags(problem: Problem, held: Fixed) -> None:
    """A menu for each fixed tag."""
    if not held:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for t, s in held.items():
            slot = f"structure.fix.{t}"
            st.session_state[slot] = s
            st.selectbox(
                f"Tag of {decoders.word(problem, t)}",
                [*range(len(problem.tags)), FREE],
                format_func=lambda k: "free" if k == FREE else problem.tags[k],
                key=slot,
                on_change=lambda t=t, slot=slot: fix(PAGE, problem, t, st.session_state[slot]),
                width=170,
            )
        st.button("Free all", on_click=free_all, args=(PAGE, problem), key="structure.free")


def _what_follows(shown: Lesson, before: "Independence", now: "Independence") -> None:
    """Independence, in numbers."""
    problem = shown.problem
    if not shown.reading.feasible:
        st.info("No path is allowed here, so there are no probabilities to compare.")
        return
    if len(problem.tokens) < 2:
        note("With one token there is no chain to split.")
        return
    st.subheader("What depends on what?", anchor=False)
    if shown.tells:
        st.html(prose(*_told(problem, before, now)))
    if now.fixed and now.probability == 0:
        return
    with shown.results("Show the numbers"):
        header, rows, ringed = independence_prose.dependence_rows(problem, before, now)
        table = tables.text_table(header, rows, "Dependence of each pair of tags", ringed)
        st.html(f'<div class="crf-fit">{table}</div>')
        is_part = len(header) < len(problem.tokens)
        note(
            "For each pair of tags, the largest difference between p(both) and the product of "
            "their probabilities, over all values" + ("; before → now. " if now.fixed else ". ")
            + "0: independent." + (" Ringed: cut apart by what is fixed." if ringed else "")
            + (" The pairs of all tokens are in the export." if is_part else "")
        )  # fmt: skip


def _told(problem: Problem, before: "Independence", now: "Independence") -> list[str]:
    if not now.fixed:
        middle = len(problem.tokens) // 2
        ask = (
            f"Guess: if you were told the tag of {decoders.word(problem, middle)}, would the tags "
            "left of it still say anything about those right of it? Then click its circle."
            if len(problem.tokens) > 2
            else "Click a circle to fix its tag."
        )
        return [
            "A tag is directly tied to its two neighbours and to the words. Through the neighbours "
            "it also depends on all other tags, as a rule the less the farther away they are.",
            ask,
        ]
    if now.probability == 0:
        names = independence_prose.fixed_names(problem, now)
        return [f"You fixed {names}. No allowed path has that, so there is nothing to compute."]
    told = [independence_prose.split(problem, now)]
    old = {pair[:2]: pair for pair in before.pairs}
    for separated, tell in (
        (True, independence_prose.cut_apart),
        (False, independence_prose.still_tied),
    ):
        pairs = [old[pair[:2]] for pair in now.pairs if pair.separated == separated]
        if pairs:
            pair = max(pairs, key=lambda pair: pair.dependence)
            told.append(tell(problem, _event(problem, pair, now)))
    gaps = [pair.dependence for pair in now.pairs if pair.separated]
    if gaps:
        told.append(independence_prose.why(max(gaps)))
    return told


def _event(problem: Problem, before: "Pair", now: "Independence") -> independence_prose.Event:
    """The two tags that were farthest from independent, and how they are now."""
    from pages.structure.independence import joint_probability

    (a, b), (i, j) = before[:2], before.at
    return independence_prose.Event(
        (a, i),
        (b, j),
        (before.joint, before.product),
        (
            joint_probability(problem, now.fixed, {a: i, b: j}),
            now.marginals[a][i] * now.marginals[b][j],
        ),
    )


def export_table(shown: Lesson) -> exports.Table:
    """Every pair's dependence, exact."""
    problem = shown.problem

    def rows() -> exports.Rows:
        found = given(problem, fixed(PAGE, problem))
        body = [
            [problem.tokens[p.first], problem.tokens[p.second], p.dependence, p.information]
            for p in found.pairs
        ]
        return [["first", "second", "largest difference", "mutual information in nats"], *body]

    return exports.Table.of(rows)
