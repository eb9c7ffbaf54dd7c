"""What stands behind "⋯" of the trellis about paths: all of them, decoders, probabilities, samples.

Each section is drawn when it is opened; some path must be allowed.
"""

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pandas as pd
import streamlit as st
import torch

from crf.figures.colours import tag_colours
from crf.figures.numbers import decimal, format_percent, format_score
from crf.figures.trellis.narration import printable
from crf.figures.words import join
from pages.shared.course import brute_force
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures import decoders, derivations
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR, ChartLine, line_chart, look
from pages.shared.figures.decoders import Decoded
from pages.shared.figures.tables import Rows
from pages.shared.figures.text import LessonText, prose
from pages.shared.figures.text import say as words
from pages.shared.figures.theme import log_probability, probability
from pages.shared.ui import bench, computed, exports
from pages.shared.ui.frame import note
from pages.shared.ui.stage import reader, whose
from pages.trellis import facts, picture

LESSON = "trellis"
FEW_PATHS, SAMPLES, SHOWN_TAGS = 64, 10_000, 6
MOST_ROWS = 10  # of a table that does not scroll
ILLEGAL = "bio"  # the example in which posterior decoding gives a path of probability 0
_TAUS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)


def say(text: LessonText, name: str, known: dict) -> None:
    """Draw a paragraph of the lesson's text; of `known` it takes what it has holes for."""
    st.html(text.html(name, **{hole: known[hole] for hole in text[name].holes}))


def both_ways(problem: Problem) -> Marginals:
    """The forward and the backward trace, and their product."""
    ways = (computed.trace(problem, way, "state", "sum") for way in ("forward", "backward"))
    return Marginals(*ways)


# ---------------------------------------------------------------------- paths


def every_path(state: State, _beat: Beat, text: LessonText) -> None:
    """All paths while there are few; else the k best."""
    problem, line = state.problem, text.line
    every = brute_force.count_paths(problem)
    k = min(every, FEW_PATHS)
    if every > FEW_PATHS:
        k = st.slider(line("labels.k"), 1, 10, 5, width=240)
    frame = bench.paths_frame(problem, k)
    st.dataframe(
        frame,
        height="content" if k <= MOST_ROWS else 400,
        hide_index=True,
        column_config=bench.columns(st.context.theme.type),
        alt=line("labels.paths"),
    )
    share = format_percent(frame["sum"].iloc[-1], 1)
    say(text, "paths", facts.of_problem(state) | {"share": share})
    gap = frame["score"].iloc[0] - brute_force.score(problem, tuple(picture.path_of(state)))
    if 1e-9 < gap < math.inf:
        times = probability(math.exp(-gap))
        st.html(text.html("behind", gap=format_score(gap), times=times))
    if every <= brute_force.LIMIT:
        st.download_button(
            line("labels.all-paths"),
            lambda: exports.rows_to_csv(_path_rows(problem)),
            "paths.csv",
            "text/csv",
            on_click="ignore",
            key=f"{LESSON}.paths",
        )


def _path_rows(problem: Problem) -> Rows:
    body = [[*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)]
    return [[*problem.tokens, "score", "probability", "cumulative"], *body]


def compared(state: State, _beat: Beat, text: LessonText) -> None:
    """Compare four decoders; show where the best prefix changes, and ties."""
    problem, results = state.problem, computed.decoded(state.problem)
    st.html(text.html("decoders"))
    frame = bench.decoders_frame(problem, results)
    st.dataframe(frame, height="content", alt=text.line("labels.decoders"))
    st.html(prose(*_went_wrong(problem, results)))
    means = [
        math.fsum(row[s] for row, s in zip(computed.marginals(problem), one.path, strict=True))
        for one in (results[-1], results[0])
    ]
    own, best = (decimal(f"{n:.2f}") for n in means)
    st.html(text.html("right-on-average", own=own, best=best, m=len(problem.tokens)))
    likeliest = results[-1]
    if likeliest.score == -math.inf:
        path = decoders.names(problem, likeliest.path)
        st.html(text.html("forbidden", path=path))
    elif problem != EXAMPLES[ILLEGAL].problem:
        st.button(
            text.line("labels.illegal"),
            key=f"{LESSON}.illegal",
            on_click=lambda: reader.order(LESSON, **whose.example_parts(ILLEGAL)),
        )
    words, rows = bench.heads(problem), []
    for t in range(len(problem.tokens)):
        led = picture.leading_prefix(state, t)["lead"]
        blank = [""] * (len(words) - len(led))
        rows.append([*(printable(problem.tags[s]) for s in led), *blank])
    changes = len(picture.numbers(problem).changes_of_mind)
    st.html(text.html("prefixes", n=changes) if changes else text.html("prefixes-same"))
    frame = pd.DataFrame(rows, pd.Index(words, name=text.line("labels.after")), words)
    st.dataframe(frame, height="content", alt=text.line("labels.prefixes"))
    if computed.summary(problem).has_ties:
        st.html(text.html("ties"))


def _went_wrong(problem: Problem, decoded: Sequence[Decoded]) -> list[str]:
    """Say where and why each other decoder leaves the best path, if it does."""
    viterbi, greedy, left_to_right, posterior = decoded
    alone, in_order, likeliest = (
        decoders.went_wrong(problem, one, viterbi) for one in (greedy, left_to_right, posterior)
    )
    if left_to_right.path == greedy.path != viterbi.path:
        in_order = words("against-viterbi.same", decoder=left_to_right.label, other=greedy.label)
    marginals = computed.marginals(problem)
    return [
        alone,
        join(in_order, decoders.greedy_step(problem, left_to_right, viterbi)),
        join(likeliest, decoders.posterior_step(problem, posterior, viterbi, marginals)),
    ]


# ---------------------------------------------------------------------- probabilities


def certainty(state: State, _beat: Beat, text: LessonText) -> None:
    """Entropies, and the table of two neighbours' tags."""
    problem = picture.clamped(state).problem
    both, line = both_ways(problem), text.line
    if state.fixed:
        left, whole = both.log_total, picture.numbers(state.problem).log_z
        values = {"left": format_score(left), "whole": format_score(whole)}
        st.html(text.html("fixed", p=log_probability(min(left - whole, 0.0)), **values))
    each = [entropy(column) for column in both.unary]
    chain = problem.chain().entropy.item()
    values = {
        "total": decimal(f"{math.fsum(each):.3f}"),
        "chain": decimal(f"{chain:.3f}"),
        "gap": decimal(f"{max(math.fsum(each) - chain, 0.0):.3f}"),
        "paths": decimal(f"{math.exp(chain):.2f}"),
    }
    st.html(text.html("entropy", **values))
    names, words = [line("labels.nats"), line("labels.choices")], bench.heads(problem)
    frame = pd.DataFrame([each, [math.exp(h) for h in each]], names, words)
    styled = frame.style.format(partial(format_score, digits=3))
    st.dataframe(styled, height="content", alt=line("labels.entropies"))
    if both.m < 2:
        return
    places = [f"{a} – {b}" for a, b in pairwise(words)]
    t = st.selectbox(
        line("labels.neighbours"),
        range(len(places)),
        format_func=places.__getitem__,
        width=320,
        key=f"{LESSON}.neighbours",
    )
    pairs = both.pairs(t)
    index = pd.Index([*problem.tags, "Σ"], name=f"{words[t]} ↓ {words[t + 1]} →")
    sums = [math.fsum(column) for column in zip(*pairs, strict=True)]
    frame = pd.DataFrame([*pairs, sums], index, problem.tags)
    styled = frame.style.format(partial(format_score, digits=4))
    caption = line("labels.pairs", left=words[t], right=words[t + 1])
    st.dataframe(styled, height="content", alt=caption)
    st.html(text.html("pairs", left=words[t], right=words[t + 1]))


def samples(state: State, _beat: Beat, text: LessonText) -> None:
    """How often each tag was drawn, and how far that is from the marginals."""
    problem, line = picture.clamped(state).problem, text.line
    chain, S = problem.chain(), len(problem.tags)
    label, help_ = line("labels.seed"), line("labels.seed-help")
    seed = st.number_input(label, 0, 999, 1, width=140, help=help_)
    paths = chain.sample(SAMPLES, torch.Generator().manual_seed(seed))[:, 0]
    rows = []
    variance = (chain.marginals[0] * (1 - chain.marginals[0])).mean()
    for n in (10, 100, 1_000, SAMPLES):
        counts = torch.stack([(paths[:n] == s).sum(0) for s in range(S)], dim=-1) / n
        off = (counts - chain.marginals[0]).square().mean().sqrt().item()
        expected = (variance / n).sqrt().item()
        rows.append((n, off, expected))
    shares = (torch.stack([(paths == s).sum(0) for s in range(S)]) / SAMPLES).tolist()
    caption = line("labels.drawn", n=decimal(f"{SAMPLES:,}"))
    note(caption)
    frame = pd.DataFrame(shares, problem.tags, bench.heads(problem))
    styled = frame.style.format(partial(format_score, digits=4))
    st.dataframe(styled, height="content", alt=caption)
    note(line("labels.distances"))
    heads = [line("labels.samples"), line("labels.distance"), line("labels.expected")]
    frame = pd.DataFrame(rows, columns=heads)
    st.dataframe(frame, hide_index=True, height="content", alt=line("labels.distances"))
    st.html(text.html("samples"))


def temperature(state: State, _beat: Beat, text: LessonText) -> None:
    """All scores divided by τ: from the sum to the maximum."""
    problem, (best, *_) = state.problem, computed.decoded(state.problem)
    for line in derivations.FORMULAS["temperature"]:
        st.latex(line)
    tau = st.select_slider("τ", _TAUS, 1.0, width=420, key=f"{LESSON}.tau")
    heated = computed.at_temperature(problem, tau)
    log_z = heated.log_partition.item()
    share = probability(min(math.exp(best.score / tau - log_z), 1.0))
    soft, hard = format_score(tau * log_z), format_score(best.score)
    st.html(text.html("temperature", tau=f"{tau:g}", p=share, soft=soft, hard=hard))
    words = bench.heads(problem)
    t = st.selectbox(
        text.line("labels.word"),
        range(len(words)),
        index=len(words) - 1,
        format_func=words.__getitem__,
        width=240,
    )
    rows = [computed.at_temperature(problem, each).marginals[0].tolist() for each in _TAUS]
    colours, tags = look(st.context.theme.type), problem.tags
    hues = tag_colours(tags)
    lines = [
        ChartLine(printable(tags[s]), _TAUS, [row[t][s] for row in rows], f"rgb({hues[tags[s]]})")
        for s in sorted(range(len(tags)), key=lambda s: -max(row[t][s] for row in rows))[
            :SHOWN_TAGS
        ]
    ]
    axes = "τ", text.line("labels.probability")
    figure = line_chart(lines, colours, axes, "x").add_vline(tau, line={"color": colours.ink})
    figure.update_xaxes(tickvals=_TAUS, ticktext=[f"{each:g}" for each in _TAUS])
    place = st.container()
    frame = pd.DataFrame(heated.marginals[0].tolist(), words, list(tags))
    frame.index.name = text.line("labels.at-tau", tau=f"{tau:g}")
    styled = frame.style.format(partial(format_score, digits=4))
    st.dataframe(styled, height="content", key=f"{LESSON}.heated")
    alt = text.line("labels.temperature-alt", word=words[t])
    place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"{LESSON}.temperature")
