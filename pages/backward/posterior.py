"""Posterior decoding beside Viterbi: the best parts need not make the best whole."""

import math
from itertools import pairwise

import streamlit as st

from pages.backward.sections import both_ways
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.text import prose
from pages.shared.figures.theme import log_probability, number
from pages.shared.ui import computed, problem_state
from pages.shared.ui.recursion import Recursion

ILLEGAL = "bio"  # the example whose posterior path is forbidden


def decoded(problem: Problem) -> list[Decoded]:
    """Viterbi’s path and the posterior one."""
    viterbi, *_, likeliest = computed.decoded(problem)
    return [viterbi, likeliest]


def posterior(shown: Recursion) -> None:
    """The likeliest tag of each token, against the best path."""
    problem = shown.problem
    with shown.results("Show the two paths"):
        best, likeliest = decoded(problem)
        st.html(decoders.path_table(problem, [best, likeliest], "Viterbi and posterior decoding"))
        if shown.tells:
            st.html(prose(*_compared(problem, best, likeliest)))
    if problem != EXAMPLES[ILLEGAL].problem:
        st.button(
            f"See the example “{EXAMPLES[ILLEGAL].title}”",
            on_click=problem_state.use_example,
            args=(ILLEGAL,),
            key="backward.illegal",
            help="There posterior decoding returns a sequence that is not allowed.",
        )


def _compared(problem: Problem, best: Decoded, likeliest: Decoded) -> list[str]:
    unary = both_ways(problem).unary
    expected = [math.fsum(unary[t][s] for t, s in enumerate(d.path)) for d in (best, likeliest)]
    m = len(problem.tokens)
    told = [
        "Posterior decoding takes the likeliest tag of each token. That maximises how many tags "
        f"are right on average: {number(expected[1])} of {m}; Viterbi’s path has "
        f"{number(expected[0])}. Viterbi maximises the chance that all are right."
    ]
    if likeliest.score == -math.inf:
        return [
            *told,
            f"Here the likeliest tags, {decoders.names(problem, likeliest.path)}, make a sequence "
            f"of probability 0: it uses a score of −∞. {_chunks(problem, likeliest)}Each of its "
            "tags is the likeliest over all paths, but no allowed path has them together.",
        ]
    if likeliest.path == best.path:
        if m == 1 or len(problem.tags) == 1:
            return [*told, "With one token, or one tag, the two always agree."]
        return [*told, "Here the two agree. On other scores they need not: see the example."]
    if math.isclose(likeliest.score, best.score, abs_tol=1e-9):
        return [
            *told,
            f"Here they differ, and yet have the same score, {number(best.score)}: a tie, in which "
            "Viterbi takes the lowest index. "
            + decoders.posterior_step(problem, likeliest, best, unary),
        ]
    return [
        *told,
        f"Here they differ: the likeliest tags together have probability "
        f"{log_probability(likeliest.log_p)}, the best path {log_probability(best.log_p)}. "
        + decoders.posterior_step(problem, likeliest, best, unary),
    ]


def _chunks(problem: Problem, path: Decoded) -> str:
    """What the tags mean, if they mark chunks and that is why the path is forbidden."""
    tags = [problem.tags[s] for s in path.path]
    if set(problem.tags) != {"B", "I", "O"} or ("O", "I") not in pairwise(tags):
        return ""
    return "(B begins a chunk, I is inside one, O is outside; I after O continues nothing.) "
