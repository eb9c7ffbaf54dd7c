"""The sections of the page "Tag a sentence" under its picture: each shows a part of the record."""

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st
from torch import Tensor

from crf.tagger.model_files import AnyTagger
from pages.shared.figures import tables, theme
from pages.shared.figures.analysis import Analysis
from pages.shared.figures.path_score import in_figures
from pages.shared.figures.text import case, prose
from pages.shared.ui import problem_bar, taggers, textbook_code
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.stepper import PathOverlay, TraceOptions, stepper
from pages.tag import facts, picture

Request = tuple[str, AnyTagger, tuple[str, ...], tuple[int, ...]]  # key, tagger, tokens, held tags


def impossible(lesson: Lesson, analysis: Analysis, wanted: tuple[int, ...]) -> None:
    """The tags set by hand that no sequence has, and why; nothing where all are held."""
    left_out = [
        facts.impossible(analysis, t, tag)
        for t, (tag, held) in enumerate(zip(wanted, analysis.fixed, strict=True))
        if tag != held
    ]
    if left_out:
        why = "; ".join(map(lesson.text.line, left_out))
        st.error(theme.markdown(lesson.text.line("message.left-out", why=why, n=len(left_out))))


def decoders(lesson: Lesson, analysis: Analysis) -> None:
    """What the picture is of, what the three lines under it are, and where they differ."""
    count = theme.count(analysis.num_sequences)
    them = case("which.held" if analysis.is_clamped else "which.all")
    lesson.say("no-crf" if _chooses_alone(analysis) else "crf", count=count, them=them)
    lesson.say("decoders", compared=facts.decoders(analysis))


def _chooses_alone(analysis: Analysis) -> bool:
    """Whether there are no transitions."""
    return not any(map(any, analysis.transitions))


def probability(lesson: Lesson, analysis: Analysis) -> None:
    """How probable the best sequence is, and why."""
    st.html(in_figures(lesson.text, facts.equation(analysis)))
    lesson.say("equation")


def best_sequences(lesson: Lesson, analysis: Analysis) -> None:
    """The best few sequences."""
    with lesson.fold(key="best") as is_open:
        if not is_open:
            return
        say = lesson.text.line
        rows = []
        for rank, path in enumerate(analysis.best, 1):
            numbers = [theme.log_probability(path.log_prob), theme.number(path.score)]
            rows.append(tables.PathRow(f"{rank}.", path.tags, numbers))
        names = [say("labels.probability"), say("labels.score")]
        reference, caption = analysis.viterbi.tags, say("labels.best-first")
        st.html(
            tables.path_table(analysis.tokens, rows, reference, names, caption, tags=analysis.tags)
        )
        lesson.say("best", ranks=facts.best_paths(analysis))


def trellis(lesson: Lesson, analysis: Analysis, asked: Request) -> None:
    """Viterbi step by step."""
    with lesson.fold(key="trellis") as is_open:
        if is_open:
            _trellis(lesson, analysis, asked)


@st.fragment
def _trellis(lesson: Lesson, analysis: Analysis, asked: Request) -> None:
    """A fragment, so that a step reported by the browser runs this alone."""
    trace = taggers.trace(*asked)
    if trace is None:
        lesson.say("too-long-to-step")
        return
    lesson.say("stepping-no-crf" if _chooses_alone(analysis) else "stepping")
    overlays = [
        PathOverlay(lesson.text.line(f"labels.{name}"), name, path.tags)
        for name, path in picture.decoders(analysis)
    ]
    stepper(trace, key="viterbi", options=TraceOptions(tuple(overlays)))


def ingredients(lesson: Lesson, analysis: Analysis, text: str, tagger: str) -> None:
    """Emissions, transitions, marginals, and the way to change them."""
    with lesson.fold(key="ingredients") as is_open:
        if is_open:
            _ingredients(lesson, analysis)
            problem_bar.offer_to_edit(text, tagger, key="tag.edit")


@st.fragment
def _ingredients(lesson: Lesson, analysis: Analysis) -> None:
    parts = {"emissions": _emissions, "transitions": _transitions, "marginals": _marginals}
    names = [lesson.text.line(f"labels.{name}") for name in parts]
    tabs = st.tabs(names, on_change="rerun", key="ingredients")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw(lesson, analysis)


def meanings(lesson: Lesson, tags: Sequence[str], tagger_key: str) -> None:
    """What the tags stand for, and what a shipped tagger looks at."""
    note = facts.tagger_note(tagger_key, taggers.metrics(tagger_key))
    if not note and not any(map(theme.tag_meaning, tags)):
        return
    with lesson.fold(key="meanings") as is_open:
        if is_open:
            meant = facts.tag_meanings(tags)
            st.html(meant + prose(lesson.text.sentence(note)) if note else meant)


def _emissions(lesson: Lesson, analysis: Analysis) -> None:
    lesson.say("emissions")
    if analysis.is_clamped:
        lesson.say("emissions-held")
    st.html(
        tables.score_table(
            analysis.tags, analysis.tokens, _by_tag(analysis.emissions),
            lesson.text.line("labels.emissions-table"), ringed=_ringed(analysis),
            digits=2,  # with fewer the two best are alike too often
        )
    )  # fmt: skip


def _transitions(lesson: Lesson, analysis: Analysis) -> None:
    tags, best, S = analysis.tags, analysis.viterbi.tags, len(analysis.tags)
    inner = [[*row, end] for row, end in zip(analysis.transitions, analysis.end, strict=True)]
    if _chooses_alone(analysis):
        lesson.say("no-transitions")
    else:
        first, second = next(pairwise(best), (tags[0], tags[-1]))
        lesson.say("transitions", first=first, second=second)
    path = [-1, *map(tags.index, best), S]  # row 0 is START, column S is END
    st.html(
        tables.score_table(
            ["START", *tags], [*tags, "END"], [[*analysis.start, None], *inner],
            lesson.text.line("labels.transitions-table"),
            ringed={(i + 1, j) for i, j in pairwise(path)},
            corner=lesson.text.line("labels.from-to"),
        )
    )  # fmt: skip


def _marginals(lesson: Lesson, analysis: Analysis) -> None:
    say = lesson.text.line
    footer = [
        (say("labels.sum"), [f"{total:.4f}" for total in analysis.column_sums]),
        (say("labels.entropy"), [theme.number(entropy) for entropy in analysis.entropies]),
    ]
    lesson.say("marginals", uncertainty=facts.uncertainty(analysis))
    if analysis.is_clamped:
        lesson.say("marginals-held")
    st.html(
        tables.probability_table(
            analysis.tags, analysis.tokens, _by_tag(analysis.marginals),
            say("labels.marginals-table"), footer, ringed=_ringed(analysis),
        )
    )  # fmt: skip


def _ringed(analysis: Analysis) -> set[tuple[int, int]]:
    """The cells of the best sequence."""
    return {(analysis.tags.index(tag), t) for t, tag in enumerate(analysis.viterbi.tags)}


def _by_tag(by_token: list[list[float]]) -> list[tuple[float, ...]]:
    """[L][S] → [S][L]."""
    return list(zip(*by_token, strict=True))


def code(lesson: Lesson, tagger: AnyTagger, tokens: tuple[str, ...]) -> None:
    """Viterbi's recursion in code, run on the tagger's scores."""

    def answers() -> tuple[Tensor, Tensor]:
        return textbook_code.of_chain("viterbi", tagger.chain([tokens], "plain"))()

    textbook_code.show(lesson, "viterbi", answers)  # the page's answer is a fragment already
