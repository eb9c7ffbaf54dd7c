"""What stands behind "⋯" of the lesson: one short section for each question."""

import inspect
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
import torch

from crf.figures.numbers import decimal, format_probability, format_score
from crf.tagger import Sentence, Tagger
from pages.shared.course import textbook
from pages.shared.course.right_to_left import escape
from pages.shared.course.state import State
from pages.shared.figures import tables, theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers, textbook_code
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.stage import reader, take
from pages.shared.ui.state import SessionValue
from pages.words import judging, network, training_form
from pages.words.beats import BEATS, choice_of, token_of
from pages.words.tagged_files import tagged_file

LESSON = "words"
MOST_JUDGED, SHOWN = 500, 5  # sentences
_TAGGER = taggers.TaggerChoice("words.tagger", "bilstm")
_ADDED = SessionValue("words.added", "")  # the key of a tagger that was just uploaded
_SHARES = ("accuracy", "sentence_accuracy", "unknown_word_accuracy")
# a textbook implementation's names, ours, and the note of text.md on the two
READING = (
    ("forward_belief_propagation", "crf.recursions.forward", "start"),
    ("score_sentence", "LinearChain.score", "numerator"),
    ("viterbi_decode", "LinearChain.viterbi, ChainCRF.decode", ""),
    ("negative_log_likelihood", "ChainCRF.forward", "loss"),
    ("log_transitions, (S+2)²", "transitions, start, end", "bordered"),
    ("vocabulary", "crf.tagger.features.Vocabulary", "padding"),
    ("word embedding, BiLSTM, linear", "crf.tagger.model.Encoder, Tagger.projection", ""),
)


def show(state: State, beat: Beat) -> None:
    """Draw the sections of the beat on screen."""
    if state.given.source.startswith(taggers.OWN):
        taggers.adopt(state.given.source)
    names = (*OF_BEAT[beat.name], "take")
    reader.folds(LESSON, {name: SECTIONS[name] for name in names}, state, beat)


def _sentence(state: State) -> str:
    return state.base.sentence or " ".join(state.problem.tokens)


# ---------------------------------------------------------------------- the network


def _tagger(state: State, _beat: Beat, text: LessonText) -> None:
    """Which tagger reads; a place for the reader's own."""

    def read(**parts: str) -> None:
        taggers.TAGGER.set(parts["tagger"])
        reader.order(LESSON, ex="", sentence=_sentence(state), fix="", edit="", **parts)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if state.given.source in taggers.choices():
            _TAGGER.set(state.given.source)
        _TAGGER.widget(
            text.line("labels.tagger"), on_change=lambda: read(tagger=_TAGGER.value), width=320
        )
        taggers.SPACES.widget(
            text.line("labels.spaces"),
            on_change=lambda: read(
                tagger=_TAGGER.value, spaces="1" if taggers.SPACES.value else "0"
            ),
        )
        with st.popover(text.line("labels.own"), icon=":material/upload:"):
            your_own("words.own", _ADDED, trains=False)
    if added := _ADDED.take():
        read(tagger=added)
        st.rerun()
    if not network.opened(state)[2]:
        st.html(text.html("not-opened", tagger=taggers.name_of(state.given.source)))
    st.html(text.html("tagger"))


def run(tagger: Tagger, words: list[str]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tagger(x) → loss, score, tags of one sentence."""
    x = tagger.features([words])  # indices: 0 is <PAD>, 1 is <UNK>
    H = tagger(x)  # [1, L, S] emissions
    best = tagger.chain([words]).viterbi()
    loss = tagger.crf(H, best.tags, x.mask)  # −log p(tags | words)
    return loss, best.scores, best.tags


def _code(state: State, _beat: Beat, text: LessonText) -> None:
    """The tagger in one place, what it looks up, and the network as a textbook writes it."""
    key, tagger, _ = network.opened(state)
    words, token = state.problem.tokens, state.problem.tokens[token_of(state)]
    st.html(text.html("one-place"))
    st.code(inspect.getsource(run), language="python")
    with torch.no_grad():
        loss, score, tags = run(tagger, list(words))
    names = " ".join(tagger.tags[k] for k in tags[0].tolist())
    rows = [[format_score(loss.item(), 4), format_score(score.item(), 4), names]]
    heads = [text.line(f"labels.{name}") for name in ("loss", "score", "tags")]
    st.html(tables.text_table(heads, rows, text.line("labels.came-out")))
    if found := network.indices(tagger, token):
        st.html(text.html("looked-up", word=token, unknown=network.UNKNOWN))
        rows = [
            [what, part, str(n) if n != network.UNKNOWN else text.line("labels.unknown", n=n)]
            for what, part, n in found
        ]
        heads = [text.line(f"labels.{name}") for name in ("what", "text", "number")]
        st.html(tables.text_table(heads, rows, text.line("labels.looked-up", word=token)))

    def answers() -> tuple[torch.Tensor, torch.Tensor]:
        layers = network.read(key, words)
        with torch.no_grad():
            out = textbook.network(layers.vectors, tagger.encoder.lstm, tagger.projection)
        return out, layers.emissions

    st.html(text.html("network-code"))
    textbook_code.body("network", answers)


def names(text: LessonText) -> pd.DataFrame:
    """The textbook implementation’s names and ours."""
    rows = [(theirs, ours, note and text.line(f"reading.{note}")) for theirs, ours, note in READING]
    heads = [text.line(f"reading.{name}") for name in ("theirs", "ours", "note")]
    return pd.DataFrame(rows, columns=heads)


def _reading(_state: State, _beat: Beat, text: LessonText) -> None:
    st.dataframe(names(text), hide_index=True, width="stretch")


# ---------------------------------------------------------------------- how good


def _judged(state: State, beat: Beat) -> str:
    """The key of the tagger that the beat speaks of."""
    if beat.name in ("good", "errs"):
        return judging.tagger_of(state, choice_of(state))
    return network.opened(state)[0]


def _batches(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("batches"))


def _shares(of: Mapping[str, Any], **holes: str) -> dict[str, str]:
    """Shares of a card as text."""
    found = {hole: of.get(name) for hole, name in holes.items()}
    return {hole: "none" if x is None else theme.percent(x) for hole, x in found.items()}


def _well(state: State, beat: Beat, text: LessonText) -> None:
    """The card’s figures, and the training log."""
    card = taggers.metrics(_judged(state, beat))
    if card is None:
        st.html(text.html("no-figures"))
        return
    greedy = card["decoders"]["greedy"]
    if "span_f1" in card:
        known = _shares(card, f1="span_f1", precision="span_precision", recall="span_recall")
        known |= {"tokens": decimal(f"{card['tokens']:,}"), "invalid": card["invalid_tags"]}
        st.html(text.html("figures-names", **known))
        greedy = card["spans"]["greedy"]
        shares = _shares(greedy, greedy="span_f1") | {"invalid": greedy["invalid_tags"]}
        st.html(text.html("figures-names-greedy", **shares))
    else:
        holes = dict(zip(("accuracy", "sentences", "unknown"), _SHARES, strict=True))
        known = _shares(card, **holes)
        st.html(text.html("figures", tokens=decimal(f"{card['tokens']:,}"), **known))
        del holes["unknown"]
        st.html(text.html("figures-greedy", **_shares(greedy, **holes)))
        if twin := card.get("softmax"):
            st.html(text.html("twin", **_shares(twin, **holes, unknown=_SHARES[2])))
    if "sureness" in card:
        st.html(text.html("columns"))
    if log := card.get("training", {}).get("history"):
        st.html(text.html("trained"))
        st.dataframe(pd.DataFrame(log), hide_index=True, width="content")


def _by_sentences(state: State, beat: Beat, text: LessonText) -> tuple[Sentence, ...]:
    """Sentences to judge the tagger by: those that it came with, else the reader's own."""
    key = _judged(state, beat)
    if found := judging.judged_by(key):
        return found[:MOST_JUDGED]
    st.html(text.html("judge-by", tagger=taggers.name_of(key)))
    file = tagged_file(text, f"words.judge.{key}", place=beat.name, tags=taggers.get(key).tags)
    if file is None:
        return ()
    if not {t for one in file.sentences for t in one.tags} & set(taggers.get(key).tags):
        st.html(text.html("other-tags", file=file.name))
        return ()
    if len(file.sentences) > MOST_JUDGED:
        st.html(text.html("judged-first", most=MOST_JUDGED, all=len(file.sentences)))
    return file.sentences[:MOST_JUDGED]


def _calibration(state: State, beat: Beat, text: LessonText) -> None:
    """How sure it is of words, and how often it is right."""
    if not (sentences := _by_sentences(state, beat, text)):
        return
    bins = judging.calibration(judging.measured(_judged(state, beat), sentences))
    ece, count = judging.calibration_error(bins), sum(one.words for one in bins)
    st.html(text.html("calibration", words=decimal(f"{count:,}"), ece=format_probability(ece)))
    rows = [
        [decimal(f"{b.sure:.2f}"), decimal(f"{b.right:.2f}"), decimal(f"{b.words:,}")] for b in bins
    ]
    heads = [text.line(f"labels.{name}") for name in ("sure", "right", "words")]
    st.html(tables.text_table(heads, rows, text.line("labels.calibration")))


def _transitions(state: State, beat: Beat, text: LessonText) -> None:
    """The learnt transitions, the most disliked first."""
    tagger = taggers.get(_judged(state, beat))
    assert isinstance(tagger, Tagger)
    key = _judged(state, beat)
    data = taggers.data_of(key)
    learnt = judging.sample("training", tagger.tags) if data is None else tuple(data[0])
    may = tagger.crf.constraints.transitions
    weights = tagger.crf.transitions.masked_fill(~may, -torch.inf).tolist()
    st.html(text.html("disliked", sentences=len(learnt)))
    rows = [
        [name, format_score(weight), str(times)]
        for name, weight, times in judging.disliked(weights, tagger.tags, learnt)
    ]
    heads = [text.line(f"labels.{name}") for name in ("transition", "weight", "times")]
    st.html(tables.text_table(heads, rows, text.line("labels.lowest")))


# ---------------------------------------------------------------------- mistakes


def _mistakes(state: State, beat: Beat, text: LessonText) -> None:
    """The whole confusion matrix; the shortest sentences with a mistake."""
    key = _judged(state, beat)
    if (card := taggers.metrics(key)) is not None:
        st.html(text.html("confusion"))
        figure = mistaken(judging.confusions(card, taggers.get(key).tags, most=1000))
        st.plotly_chart(
            figure, key="words.confusion", alt=text.line("labels.confusion"),
            config={"displayModeBar": False},
        )  # fmt: skip
    if not (sentences := _by_sentences(state, beat, text)):
        return
    judged = judging.measured(key, sentences)
    found = [one for one in judged if len(one.words) >= judging.FEWEST_WORDS and one.wrong()]
    st.html(
        text.html("errors", most=SHOWN, fewest=judging.FEWEST_WORDS)
        if found
        else text.html("no-mistake")
    )
    for k, one in enumerate(found[:SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(_wrong(one, text))
            st.button(
                text.line("labels.open"), key=f"words.error.{k}", on_click=_open, args=(one, key)
            )


def mistaken(table: judging.Confusions) -> go.Figure:
    """The confusions as a heat map, without the diagonal."""
    off = [[0 if a == b else n for b, n in enumerate(row)] for a, row in enumerate(table.counts)]
    figure = go.Figure()
    figure.add_heatmap(
        z=off, x=table.tags, y=table.tags, colorscale="Blues", xgap=1, ygap=1,
        hovertemplate="%{y} → %{x}: %{z}<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(tickangle=-60)
    figure.update_yaxes(autorange="reversed")
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=460,
        margin={"l": 60, "r": 40, "t": 10, "b": 60},
    )  # fmt: skip


def _wrong(one: judging.Measured, text: LessonText) -> str:
    """A sentence with its wrong words marked, and what is wrong with each."""
    places = one.wrong()
    words = " ".join(
        f"<b>{escape(word)}</b>" if t in places else escape(word)
        for t, word in enumerate(one.words)
    )
    told = [
        text.line("labels.wrong", word=one.words[t], right=one.right[t], given=one.found[t],
                  p=format_probability(one.sure[t]))
        for t in places
    ]  # fmt: skip
    return f'<p class="crf-note">{words}<br>{escape("; ".join(told))}</p>'


def _open(one: judging.Measured, key: str) -> None:
    """Take a sentence into the picture."""
    sentence = " ".join(one.words)
    reader.order(
        LESSON, ex="", sentence=sentence, tagger=key, spaces="1", fix="", edit="", beat="network"
    )


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: dict[str, reader.Section] = {
    "tagger": _tagger,
    "code": _code,
    "reading": _reading,
    "train": training_form.show,
    "batches": _batches,
    "well": _well,
    "calibration": _calibration,
    "transitions": _transitions,
    "mistakes": _mistakes,
    "take": _take,
}
OF_BEAT = {
    "network": ("tagger", "code", "reading", "train"),
    "replace": ("tagger", "code", "reading"),
    "train": ("train", "tagger"),
    "batches": ("batches", "train"),
    "good": ("well", "calibration", "transitions"),
    "errs": ("mistakes", "calibration", "transitions", "well"),
}
