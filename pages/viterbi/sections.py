"""The sections of the lesson "Viterbi" around its stepper."""

import math
from typing import Any

import streamlit as st

from pages.shared.course.problem import Problem
from pages.shared.figures import cost, decoders, tables
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import count, probability
from pages.shared.ui.exports import Table
from pages.shared.ui.frame import note
from pages.shared.ui.recursion import Recursion
from pages.shared.ui.stepper import At, PathOverlay
from pages.viterbi import backpointers, prefixes

LIT, MOST = "viterbi.lit", "viterbi.k"  # which of the best paths is lit; how many are listed
LARGEST_K, USUAL_K = 10, 5


# ---------------------------------------------------------------------- what is found


def best(shown: Recursion, k: int = LARGEST_K) -> list[Decoded]:
    """The k best paths, best first; none where no path is allowed."""
    found = shown.reading.chain.topk(k)
    paths = found.tags[0][found.valid[0]].tolist()
    scores = found.scores[0][found.valid[0]].tolist()
    log_z = shown.reading.log_z
    return [
        Decoded(f"{rank}.", "", tuple(path), score, min(score - log_z, 0.0))
        for rank, (path, score) in enumerate(zip(paths, scores, strict=True), 1)
    ]


def overlays(shown: Recursion) -> list[PathOverlay]:
    """Paths over the trellis: of the decoders, and the one of the best that is lit."""
    if not shown.reading.feasible or "answers" in shown.view.hide:
        return []
    names = shown.problem.tags
    viterbi, greedy, _, posterior = (
        [names[s] for s in one.path] for one in shown.decoded
    )  # fmt: skip
    drawn = [
        PathOverlay("Viterbi", "viterbi", viterbi),
        PathOverlay("Greedy", "greedy", greedy),
        PathOverlay("Posterior", "posterior", posterior),
    ]
    rank, paths = st.session_state.get(LIT), best(shown)
    if isinstance(rank, int) and 1 <= rank <= len(paths):
        tags = [names[s] for s in paths[rank - 1].path]
        drawn.append(PathOverlay(f"{ordinal(rank)} best", "kbest", tags))
    return drawn


def ordinal(n: int) -> str:
    """A rank in words.

    >>> [ordinal(n) for n in (1, 2, 3, 10)]
    ['1st', '2nd', '3rd', '10th']
    """
    return f"{n}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(n, 'th') }"


def export_tables(shown: Recursion) -> dict[str, Table]:
    """This lesson's own tables."""
    if not shown.reading.feasible:
        return {}
    problem, run = shown.problem, shown.trace_in("state", "max")

    def pointers() -> list[list[Any]]:
        body, _ = backpointers.rows(run, len(run.steps))
        return [["tag", *problem.tokens[1:]], *body]

    def best_prefixes() -> list[list[Any]]:
        found = prefixes.best_prefixes(run)
        header = ["", *problem.tokens, "score"]
        return [header, *prefixes.prefix_rows(problem, found)]

    return {
        "Backpointers": Table.of(pointers),
        "Best prefixes": Table.of(best_prefixes),
        "Best paths": Table.of(lambda: decoders.path_rows(problem, best(shown))),
        "Decoders": Table.of(lambda: decoders.path_rows(problem, shown.decoded)),
    }


# ---------------------------------------------------------------------- below the stepper


def pointers(shown: Recursion, at: At) -> None:
    """The matrix of backpointers, as far as it is filled and followed."""
    if "answers" in shown.view.hide or len(shown.problem.tokens) < 2:
        return
    if shown.semiring == "sum":
        note(
            "A sum keeps no backpointers: every way into a cell counts, and none is dropped. "
            "Switch to max to see them."
        )
        return
    st.html(backpointers.table(shown.trace, at.step - at.asked))
    note(
        "Backpointers κ, one for each cell: the tag before it on the best way there. Ringed: those "
        "that the way back has followed so far."
    )


def flips(shown: Recursion) -> None:
    """The best prefix after each token, where it changes its mind, and ties."""
    problem, run = shown.problem, shown.trace_in("state", "max")
    st.header("When the best prefix changes its mind", anchor=False)
    with shown.results("Show the best prefixes"):
        st.html(prefixes.prefix_table(problem, prefixes.best_prefixes(run)))
        if shown.tells:
            st.html(prose(*prefixes.flips_told(problem, run)))
            st.subheader("Ties", anchor=False)
            st.html(prose(*prefixes.ties_told(problem, run)))


def k_best(shown: Recursion) -> None:
    """The best paths; one of them can be lit in the trellis."""
    st.header("The best paths", anchor=False)
    with shown.results("Show the best paths"):
        with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
            k = st.slider(
                "How many", 1, LARGEST_K, USUAL_K, key=MOST, persist_state="session", width=220
            )
            paths = best(shown, k)
            st.segmented_control(
                "Light in the trellis above",
                range(1, len(paths) + 1),
                format_func=ordinal,
                key=LIT,
                persist_state="session",
                help="A broad band under the cells, drawn as far as the columns are computed.",
            )
        st.html(_best_table(shown.problem, paths))
        if shown.tells:
            share = _share(math.fsum(math.exp(path.log_p) for path in paths))
            share = "all" if share == "1" else share
            st.html(
                prose(
                    f"Together they have {share} of the probability. The "
                    "list comes from the same recursion, with the k best prefixes in each cell "
                    "instead of one."
                )
            )


def _share(total: float) -> str:
    """Probabilities added up; all paths together have 1, whatever rounding leaves."""
    return probability(1.0 if total > 1 - 1e-12 else total)


def _best_table(problem: Problem, paths: list[Decoded]) -> str:
    cumulative = 0.0
    rows = []
    for path in paths:
        cumulative += math.exp(path.log_p)
        numbers = [
            decoders.format_score(path.score),
            decoders.log_probability(path.log_p),
            _share(cumulative),
        ]
        rows.append(tables.Row(path.name, [problem.tags[s] for s in path.path], numbers))
    return tables.path_table(
        problem.tokens,
        rows,
        [problem.tags[s] for s in paths[0].path],
        ["score", "probability", "cumulative"],
        "The best paths, best first",
    )


def side_by_side(shown: Recursion) -> None:
    """Viterbi, both greedies and posterior decoding."""
    problem = shown.problem
    st.header("Four decoders", anchor=False)
    with shown.results("Show what they find"):
        found = shown.decoded
        viterbi, greedy, left_to_right, posterior = found
        st.html(decoders.path_table(problem, found, "Four decoders’ paths"))
        if shown.tells:
            marginals = shown.reading.chain.marginals[0].tolist()
            wrong = [decoders.went_wrong(problem, one, viterbi) for one in found[1:]]
            if left_to_right.path == greedy.path != viterbi.path:
                wrong[1] = f"{left_to_right.name} ends on the same path as {greedy.name}."
            wrong[1] += " " + decoders.greedy_step(problem, left_to_right, viterbi)
            wrong[2] += " " + decoders.posterior_step(problem, posterior, viterbi, marginals)
            if all(one.path == viterbi.path for one in found):
                wrong = [prefixes.agreement_told(shown.trace_in("state", "max"))]
            st.html(prose(*wrong))


def score_and_probability(shown: Recursion) -> None:
    """p = exp(score − log Z), for the best path."""
    st.header("Score and probability", anchor=False)
    with shown.results("Show the numbers"):
        st.html(decoders.standing(best(shown, 1)[0], shown.reading.log_z))
    if shown.tells:
        st.html(
            prose(
                "The score of the best path is a real number, not a confidence: add 1 to every "
                "emission of one token, and all scores rise by 1 while every probability stays. "
                "How sure the model is, only log Z can say, and that takes the sum over all paths. "
                "Viterbi alone does not need it: the best path is the same without."
            )
        )


def without_pointers(shown: Recursion) -> None:
    """The way back by computing each argmax again: time for memory."""
    problem, run = shown.problem, shown.trace_in("state", "max")
    S, m = len(problem.tags), len(problem.tokens)
    if m < 2:
        return
    st.header("Without backpointers", anchor=False)
    if shown.tells:
        cells = count(S * (m - 1))
        st.html(
            prose(
                f"The backpointers take {S} · {m - 1} = {cells} entries of memory. They can be "
                "done without: the columns δ are there, so on the way back the argmax into the one "
                f"cell that matters is computed again. That is {S} sums of two scores for each of "
                f"{m - 1} steps, {cells} in all. The code below does either: with backpointers, or "
                "with None in their place.",
                f"That is little beside the way forth. {cost.units(S, m, 'max')}",
            )
        )
    with shown.results("Show the way back"):
        rows = decoders.recomputed(problem, run)
        header = ["token", "δ + T into the next tag; at the end δ + end", "argmax"]
        st.html(tables.text_table(header, rows, "The way back, each argmax computed again"))
