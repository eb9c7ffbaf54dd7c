"""Posterior decoding beside Viterbi, and samples: the last sections of the lesson on marginals."""

import math
from functools import lru_cache

import streamlit as st
from torch import Tensor

from pages.backward import sample_figures as figures
from pages.backward import samples as sampling
from pages.backward.marginals import marginals
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders, tables
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.path_score import prose
from pages.shared.figures.theme import log_probability, number, probability
from pages.shared.ui import computed, problem_state, received
from pages.shared.ui.controls import Integer, RefusedError, Value
from pages.shared.ui.frame import note
from pages.shared.ui.recursion import Recursion

ILLEGAL = "bio"  # the example whose posterior path is forbidden
LISTED = 5


def _size(value: object) -> int:
    if type(value) is int and value in figures.SIZES:
        return value
    raise RefusedError(f"One can have {', '.join(map(str, figures.SIZES))}.")


def _read_size(text: str) -> int:
    return _size(int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None)


SIZE = Value("backward.n", 100, address="samples", checked=_size, reads=_read_size)
SEED = Integer("backward.seed", 1, address="seed", high=999)


# ---------------------------------------------------------------------- posterior decoding


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
    unary = marginals(problem).unary
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
            f"of probability 0: it uses a score of −∞. {_chunks(problem)}Each of its tags is the "
            "likeliest over all paths, but no allowed path has them together.",
        ]
    if likeliest.path == best.path:
        return [*told, "Here the two agree. They need not: see the example."]
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


def _chunks(problem: Problem) -> str:
    """What the tags mean, if they mark chunks."""
    if set(problem.tags) != {"B", "I", "O"}:
        return ""
    return "(B begins a chunk, I is inside one, O is outside; I after O continues nothing.) "


# ---------------------------------------------------------------------- samples


@lru_cache(maxsize=8)
def samples(problem: Problem, seed: int) -> Tensor:
    """As many as are ever shown; n of them are the first n."""
    return sampling.draw(computed.reading(problem).chain, seed)


@lru_cache(maxsize=8)
def _distances(problem: Problem, seed: int) -> list[float]:
    return sampling.distances(samples(problem, seed), marginals(problem).unary, figures.SIZES)


def sampled(shown: Recursion) -> None:
    """Paths drawn at random, each as often as it is probable."""
    shown.say("samples")
    with shown.results("Draw samples"):
        _sampled(shown)


@st.fragment
def _sampled(shown: Recursion) -> None:
    problem = shown.problem
    n = SIZE.value
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        n = st.select_slider(
            "Samples", figures.SIZES, key=SIZE.key, persist_state="session", width=360,
            format_func=lambda n: f"{n:,}", on_change=shown.publish,
        )  # fmt: skip
        seed = SEED.widget(
            "Seed", width=140, help="The same seed draws the same samples, for everyone.",
            on_change=shown.publish,
        )  # fmt: skip
    unary, drawn = marginals(problem).unary, samples(problem, seed)[:n]
    counted = sampling.frequencies(drawn, len(problem.tags))
    gaps = [max(abs(f - p) for f, p in zip(*rows, strict=True))
            for rows in zip(counted, unary, strict=True)]  # fmt: skip
    by_tag = list(zip(*counted, strict=True))
    st.html(
        tables.probability_table(
            problem.tags,
            problem.tokens,
            by_tag,
            f"How often each tag was drawn in {n:,} samples",
            [("off by up to", [f"{gap:.3f}" for gap in gaps])],
            texts=[[f"{round(n * share):,}" for share in row] for row in by_tag],
        )
    )
    note("Below: the largest distance of the frequencies to the marginals.")
    found = _distances(problem, seed)
    expected = [sampling.expected_distance(unary, size) for size in figures.SIZES]
    k = figures.SIZES.index(n)
    if expected[k] > 1e-12:
        st.plotly_chart(
            figures.curve(found, expected, n),
            key="backward.curve",
            width=760,
            on_select=lambda: _choose_size(shown),
            selection_mode="points",
            config={"displayModeBar": False},
        )
        st.html(
            prose(
                f"With {n:,} {'sample' if n == 1 else 'samples'} the frequencies are off by "
                f"{probability(found[k])} (root mean square over all cells), where "
                f"√(mean of p(1 − p) / n) = {probability(expected[k])} is expected. Pick a point "
                "of the curve to draw as many."
            )
        )
        if min(found) < figures.floor(expected):
            note("Points below the axis are drawn at its bottom; point at one to read its value.")
    else:
        note("Only one path has any probability here: every sample is that path.")
    st.html(_most_drawn(problem, drawn))


def _choose_size(shown: Recursion) -> None:
    """Show as many samples as the point has that was picked in the curve."""
    known = received.one_of(figures.SIZES)
    picked = (received.genuine(p.get("x"), known) for p in received.points("backward.curve"))
    sizes = [size for size in picked if size is not None]
    if sizes:
        SIZE.set(sizes[0])
        shown.publish()


def path_rows(problem: Problem, drawn: Tensor) -> list[tuple[sampling.Drawn, float]]:
    """The paths drawn most often, each with its log-probability."""
    import torch

    chain = computed.reading(problem).chain
    most = sampling.most_frequent(drawn, LISTED)
    return [(one, min(chain.log_prob(torch.tensor([one.tags])).item(), 0.0)) for one in most]


def _most_drawn(problem: Problem, drawn: Tensor) -> str:
    n, most = len(drawn), path_rows(problem, drawn)
    rows = [
        tables.Row(
            f"{k}.",
            [problem.tags[s] for s in one.tags],
            [f"{one.times:,}", probability(one.times / n), log_probability(log_p)],
        )
        for k, (one, log_p) in enumerate(most, 1)
    ]
    best = [problem.tags[s] for s in decoded(problem)[0].path]
    return tables.path_table(
        problem.tokens,
        rows,
        best,
        ["times", "frequency", "probability"],
        "The paths drawn most often; ≠ marks what differs from the best path",
    )
