"""What stands behind "⋯": one short section for each question, one of them a form to train."""

import inspect
from dataclasses import replace

import pandas as pd
import streamlit as st
import torch

from crf.figures.numbers import format_score
from crf.tagger import Tagger
from pages.shared.course import textbook
from pages.shared.course.state import State, write
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench, computed, taggers, textbook_code
from pages.shared.ui.stage import look, reader, take, whose
from pages.words import judge_sections, pictures, train_section
from pages.words.beats import BEATS, token_of

LESSON = "words"
# a textbook implementation's names, ours, and the note of text.md on the two
READING = (
    ("forward_belief_propagation", "crf.core.recursions.forward", "start"),
    ("score_sentence", "LinearChain.score", "numerator"),
    ("viterbi_decode", "LinearChain.viterbi, ChainCRF.decode", ""),
    ("negative_log_likelihood", "ChainCRF.forward", "loss"),
    ("log_transitions, (S+2)²", "transitions, start, end", "bordered"),
    ("vocabulary", "crf.tagger.features.Vocabulary", "padding"),
    ("word embedding, BiLSTM, linear", "crf.tagger.model.Encoder, Tagger.projection", ""),
)


def _adopted(draw: look.Section) -> look.Section:
    """A section for which the reader's own tagger is there."""

    def drawn(state: State, beat: Beat, text: LessonText) -> None:
        if state.given.source.startswith(taggers.OWN):
            taggers.adopt(state.given.source)
        draw(state, beat, text)

    return drawn


# ---------------------------------------------------------------------- the network


def _whose(state: State, _beat: Beat, text: LessonText) -> None:
    """Which tagger reads; a place for the reader's own."""
    if not pictures.opened(state)[2]:
        st.html(text.html("not-opened", tagger=taggers.name_of(state.given.source)))
    st.html(text.html("tagger"))
    whose.show(LESSON, state, trains=False)


def run(tagger: Tagger, words: list[str]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tagger(x) → loss, score, tags of one sentence."""
    x = tagger.features([words])  # indices: 0 is <PAD>, 1 is <UNK>
    H = tagger(x)  # [1, L, S] emissions
    best = tagger.chain([words]).viterbi()
    loss = tagger.crf(H, best.tags, x.mask)  # −log p(tags | words)
    return loss, best.scores, best.tags


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    """All cells; a click on one makes its word the one that is spoken of."""

    def go(_quantity: str, t: int, _s: int) -> None:
        parts = write(replace(state, controls={**state.controls, "word": t}))
        reader.order(LESSON, beat="network", **{"with": parts.get("with", "")})

    at = (token_of(state), computed.best_path(state.problem)[token_of(state)])
    hidden = bench.hides(state, beat)
    bench.show(bench.OnBench(LESSON, state.problem, at=at, hidden_from=hidden, goes=go))


def _code(state: State, _beat: Beat, text: LessonText) -> None:
    """The tagger in one place, what it looks up, and the network as a textbook writes it."""
    key, tagger, _ = pictures.opened(state)
    words, token = state.problem.tokens, state.problem.tokens[token_of(state)]
    st.html(text.html("one-place"))
    st.code(inspect.getsource(run), language="python")
    with torch.no_grad():
        loss, score, tags = run(tagger, list(words))
    names = " ".join(tagger.tags[k] for k in tags[0].tolist())
    rows = [[format_score(loss.item(), 4), format_score(score.item(), 4), names]]
    judge_sections.text_table(text, "loss score tags", rows, "came-out")
    if indices := pictures.indices(tagger, token):
        st.html(text.html("looked-up", word=token, unknown=pictures.UNKNOWN))
        rows = [
            [what, part, str(n) if n != pictures.UNKNOWN else text.line("labels.unknown", n=n)]
            for what, part, n in indices
        ]
        judge_sections.text_table(text, "what text number", rows, "looked-up", word=token)

    def answers() -> tuple[torch.Tensor, torch.Tensor]:
        layers = pictures.layers_of(key, words)
        with torch.no_grad():
            out = textbook.network(layers.vectors, tagger.encoder.lstm, tagger.projection)
        return out, layers.emissions

    st.html(text.html("network-code"))
    textbook_code.body("network", answers)


def _reading(_state: State, _beat: Beat, text: LessonText) -> None:
    """The textbook implementation’s names and ours."""
    rows = [(theirs, ours, note and text.line(f"reading.{note}")) for theirs, ours, note in READING]
    heads = [text.line(f"reading.{name}") for name in ("theirs", "ours", "note")]
    st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, width="stretch")


def _batches(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("batches"))


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {
        "heat-maps": _adopted(_numbers),
        "calibration": _adopted(judge_sections.calibration),
        "mistakes": _adopted(judge_sections.mistakes),
        "transitions": _adopted(judge_sections.transitions),
        "well": _adopted(judge_sections.well),
    },
    "why": {"batches": _batches},
    "code": {"step": _adopted(_code), "library": _reading},
    "keep": {"whose": _adopted(_whose), "train": _adopted(train_section.train), "link": _take},
}
