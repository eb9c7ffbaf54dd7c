"""The sections of the page "Tag a sentence": each shows one part of the record, top to bottom."""

import inspect
from itertools import pairwise

import streamlit as st

from pages.shared.figures import tables, theme
from pages.shared.figures.analysis import Analysis, Path, analyse
from pages.shared.ui import taggers
from pages.shared.ui.frame import note
from pages.shared.ui.stepper import PathOverlay, stepper
from pages.tag import prose


def probability(analysis: Analysis) -> None:
    """How probable the sequence is, and what the tags set by hand have to do with it."""
    if analysis.is_clamped:
        st.html(prose.by_hand(analysis))
    else:
        note(
            "Each word with its tag in the best sequence, and that tag’s probability. Pick another "
            "tag from a word’s menu to set it by hand. Dotted: a word not in the training data."
        )
    meanings = prose.tag_meanings(analysis.tags)
    if meanings:
        with st.expander("What the tags mean"):
            st.html(meanings)
    st.html(prose.equation(analysis))
    note(
        "A score is not a probability: it is a sum that can be any number. Only its distance to "
        "log Z says how probable the sequence is."
    )


def decoders(analysis: Analysis, tagger_key: str) -> None:
    """Greedy, Viterbi, posterior."""
    st.header("Three ways to choose", anchor=False)
    named = (
        ("Greedy", "best emission of each word", analysis.greedy),
        ("Viterbi", "best sequence", analysis.viterbi),
        ("Posterior", "most probable tag of each word, all sequences weighed", analysis.posterior),
    )
    rows = [
        tables.Row(name, path.tags, [theme.log_probability(path.log_prob)], about)
        for name, about, path in named
    ]
    st.html(
        tables.path_table(
            analysis.tokens,
            rows,
            reference=analysis.viterbi.tags,
            number_names=["probability"],
            caption="Three decoders’ tags, word by word",
        )
        + prose.decoders(analysis)
        + prose.tagger_note(tagger_key, taggers.metrics(tagger_key))
    )


def best_sequences(analysis: Analysis) -> None:
    """The best few sequences."""
    given = " with your tags" if analysis.is_clamped else ""
    st.subheader(f"The best sequences{given}", anchor=False)

    def numbers(path: Path) -> list[str]:
        return [theme.log_probability(path.log_prob), theme.number(path.score)]

    rows = [
        tables.Row(f"{rank}.", path.tags, numbers(path))
        for rank, path in enumerate(analysis.best, 1)
    ]
    st.html(
        tables.path_table(
            analysis.tokens,
            rows,
            reference=analysis.viterbi.tags,
            number_names=["probability", "score"],
            caption="The best sequences, best first",
        )
        + prose.best_paths(analysis)
    )


@st.fragment
def trellis(analysis: Analysis) -> None:
    """Viterbi step by step; a fragment, so that a step reported by the browser runs this alone."""
    st.header("How Viterbi finds it", anchor=False)
    st.html(
        '<p class="crf-prose">Column by column, each cell keeps the best way to reach its tag: the '
        "best earlier cell, plus the transition from it, plus the word’s emission. From the last "
        "column the kept arrows lead back. A cell’s value, δ, is the score of a beginning, not a "
        "confidence. Distances between scores are in nats: 1 nat is a factor of e in probability."
        "</p>"
    )
    if analysis.trace is None:
        st.info("With so many tags and words the steps are too many to draw. Try fewer words.")
        return
    # first the whole trellis, filled; the way back from there
    total = next(k for k, step in enumerate(analysis.trace.steps) if step.kind == "total")
    stepper(
        analysis.trace,
        key="viterbi",
        initial_step=total,
        paths=(
            PathOverlay("Viterbi", "viterbi", analysis.viterbi.tags),
            PathOverlay("Greedy", "greedy", analysis.greedy.tags),
            PathOverlay("Posterior", "posterior", analysis.posterior.tags),
        ),
    )


@st.fragment
def ingredients(analysis: Analysis) -> None:
    """Emissions, transitions, marginals; only the open tab is built."""
    st.header("What it is made of", anchor=False)
    names = ["Emission scores", "Transition scores", "Marginal probabilities"]
    for tab, draw in zip(
        st.tabs(names, on_change="rerun", key="ingredients"),
        (_emissions, _transitions, _marginals),
        strict=True,
    ):
        if tab.open:
            with tab:
                st.html(draw(analysis))


def _emissions(analysis: Analysis) -> str:
    about = prose.EMISSIONS + (prose.EMISSIONS_BY_HAND if analysis.is_clamped else "")
    return about + tables.score_table(
        analysis.tags,
        analysis.tokens,
        _by_tag(analysis.emissions),
        "Emission scores, tags by words",
        ringed={(s, t) for t, s in enumerate(_indices(analysis.viterbi, analysis))},
    )


def _transitions(analysis: Analysis) -> str:
    path, S = _indices(analysis.viterbi, analysis), len(analysis.tags)
    inner = [[*row, end] for row, end in zip(analysis.transitions, analysis.end, strict=True)]
    steps = {(i + 1, j) for i, j in pairwise(path)}  # row 0 is START, column S is END
    return prose.TRANSITIONS + tables.score_table(
        ["START", *analysis.tags],
        [*analysis.tags, "END"],
        [[*analysis.start, None], *inner],
        "Transition scores, from row to column",
        ringed=steps | {(0, path[0]), (path[-1] + 1, S)},
        corner="from ↓ to →",
    )


def _marginals(analysis: Analysis) -> str:
    footer = [
        ("sum", [f"{total:.4f}" for total in analysis.column_sums]),
        ("entropy (nats)", [theme.number(entropy) for entropy in analysis.entropies]),
    ]
    table = tables.probability_table(
        analysis.tags,
        analysis.tokens,
        _by_tag(analysis.marginals),
        "Marginal probabilities, tags by words",
        footer,
        ringed={(s, t) for t, s in enumerate(_indices(analysis.viterbi, analysis))},
    )
    about = prose.MARGINALS + (prose.MARGINALS_BY_HAND if analysis.is_clamped else "")
    return about + table + prose.uncertainty(analysis)


def _by_tag(by_token: list[list[float]]) -> list[tuple[float, ...]]:
    """[L][S] → [S][L]."""
    return list(zip(*by_token, strict=True))


def _indices(path: Path, analysis: Analysis) -> list[int]:
    index = {tag: s for s, tag in enumerate(analysis.tags)}
    return [index[tag] for tag in path.tags]


def code() -> None:
    """The functions that computed all this."""
    from crf import decoding, recursions

    with st.expander("The code that ran", icon=":material/code:"):
        for about, function in (
            ("Everything on this page, asked of one chain", analyse),
            ("Viterbi, left to right", decoding.viterbi_forward),
            ("and the way back", decoding.backtrace),
            (
                "The same recursion with log-sum-exp, for log Z and the marginals",
                recursions.forward,
            ),
        ):
            st.markdown(f"{about}: `{function.__module__}.{function.__name__}`")
            st.code(inspect.getsource(function), language="python")
