"""What stands behind "⋯": one short section for each question, one of them a form to train."""

import inspect
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
import torch

from crf.figures.numbers import decimal, format_probability, format_score
from crf.tagger import Sentence, Tagger
from pages.shared.course import textbook
from pages.shared.course.problem import ProblemError
from pages.shared.course.right_to_left import escape
from pages.shared.course.state import State, write
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.figures import tables, theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu, taggers, textbook_code
from pages.shared.ui.controls import Choice, Integer
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.stage import look, reader, take
from pages.shared.ui.state import SessionValue
from pages.words import judging, name_errors, pictures
from pages.words.beats import BEATS, OF_TRAINING, judged, token_of
from pages.words.runs import DONE, QUEUE, FullError, Training
from pages.words.training import MOST_BYTES, Data, TaggedUpload, TrainingConfig, bundled, read_job

LESSON = "words"
MOST_JUDGED, SHOWN = 500, 5  # sentences
SHOWN_WORDS = 12  # of a file's first sentence
_TAGGER = taggers.TaggerChoice("words.tagger", "bilstm")
_ADDED = SessionValue("words.added", "")  # the key of a tagger that was just uploaded
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


def _table(text: LessonText, heads: str, rows: list[list[str]], caption: str, **holes: str) -> None:
    columns = [text.line(f"labels.{name}") for name in heads.split()]
    st.html(tables.text_table(columns, rows, text.line(f"labels.{caption}", **holes)))


# ---------------------------------------------------------------------- the network


def _tagger(state: State, _beat: Beat, text: LessonText) -> None:
    """Which tagger reads; a place for the reader's own."""

    def read(tagger: str, **parts: str) -> None:
        taggers.TAGGER.set(tagger)
        sentence = state.base.sentence or " ".join(state.problem.tokens)
        reader.order(LESSON, ex="", sentence=sentence, tagger=tagger, fix="", edit="", **parts)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if state.given.source in taggers.choices():
            _TAGGER.set(state.given.source)
        _TAGGER.widget(text.line("labels.tagger"), on_change=lambda: read(_TAGGER.value), width=320)
        taggers.SPACES.widget(
            text.line("labels.spaces"),
            on_change=lambda: read(_TAGGER.value, spaces=f"{taggers.SPACES.value:d}"),
        )
        with st.popover(text.line("labels.own"), icon=":material/upload:"):
            your_own("words.own", _ADDED, trains=False)
    if added := _ADDED.take():
        read(added)
        st.rerun()
    if not pictures.opened(state)[2]:
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
    key, tagger, _ = pictures.opened(state)
    words, token = state.problem.tokens, state.problem.tokens[token_of(state)]
    st.html(text.html("one-place"))
    st.code(inspect.getsource(run), language="python")
    with torch.no_grad():
        loss, score, tags = run(tagger, list(words))
    names = " ".join(tagger.tags[k] for k in tags[0].tolist())
    rows = [[format_score(loss.item(), 4), format_score(score.item(), 4), names]]
    _table(text, "loss score tags", rows, "came-out")
    if indices := pictures.indices(tagger, token):
        st.html(text.html("looked-up", word=token, unknown=pictures.UNKNOWN))
        rows = [
            [what, part, str(n) if n != pictures.UNKNOWN else text.line("labels.unknown", n=n)]
            for what, part, n in indices
        ]
        _table(text, "what text number", rows, "looked-up", word=token)

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


# ---------------------------------------------------------------------- a file of one's own

_FILE = SessionValue[TaggedUpload | None]("{}·tagged", None, kind=TaggedUpload)
_COLUMN, _FAULT = SessionValue("{}·column·{}", ""), SessionValue("{}·fault", "")


def _tagged_file(
    text: LessonText, key: str, place: str = "", tagger: str = ""
) -> TaggedUpload | None:
    """A place for tagged sentences, a menu of their columns, and the first one as it is read.

    The file is kept by the key and read for the tags of a tagger; `place` tells two places for it
    apart.
    """
    reader = taggers.get(tagger) if tagger else None
    tags = reader.tags if reader else ()
    tokeniser = getattr(reader, "tokeniser", "unicode")
    upload, fault, column = _FILE.at(key), _FAULT.at(key), _COLUMN.at(key, place)

    def use(content: bytes, name: str, label: str = "") -> None:
        fault.reset()
        upload.set(TaggedUpload.read(content, name, label, tags, tokeniser))

    def choose() -> None:
        if (file := upload.value) is not None:
            try:
                use(file.content, file.name, column.value)
            except ProblemError as error:
                fault.set(f"{error}.")

    expected = text.plain("tagged-file")
    loader(text.line("own-training.own"), expected, f"{key}.{place}", use, most=MOST_BYTES)
    if (file := upload.value) is None:
        return None
    if len(file.columns) > 2:
        names = {one.name: f"{one.name}: {', '.join(one.examples)}" for one in file.columns}
        column.set(file.label)
        st.selectbox(
            text.line("own-training.column"),
            list(names),
            key=column.key,
            on_change=choose,
            format_func=lambda name: theme.shorten(names.get(name) or name, 60),
        )
    if fault.value:
        st.error(theme.markdown(fault.value))
    pairs = [f"{w}/{t}" for w, t in zip(*file.sentences[0][:2], strict=True)]
    pairs[SHOWN_WORDS:] = ["…"] if len(pairs) > SHOWN_WORDS else []
    st.html(text.html("first-sentence", file=file.name, pairs=" ".join(pairs)))
    if file.notes:
        note(". ".join(file.notes) + ".")
    return file


# ---------------------------------------------------------------------- a training

DATA = Choice(
    "words.data",
    "pos",
    labels={"pos": "", "names": "", "own": ""},
    words=lambda name: LessonText.of(LESSON).line(f"own-training.data-{name}"),
)
OUTPUT = Choice("words.output", "crf", labels={"crf": "CRF", "softmax": "Softmax"})
SIZE = Integer("words.size", 32, low=8, high=96)
EPOCHS = Integer("words.epochs", 10, low=1, high=30)
OPTIMISER = Choice("words.optimiser", "adam", labels={"adam": "Adam", "sgd": "SGD"})
_DATA = SessionValue[Data | None]("words.own_data", None, kind=Data)
_REFUSAL = SessionValue("words.refusal", "")


def _train(state: State, _beat: Beat, text: LessonText) -> None:
    """Settings, the button, and what came out of the training on screen."""
    st.html(text.html("train"))
    training = QUEUE.get(state.control("training", OF_TRAINING))
    busy = training is not None and training.is_active
    with st.container(horizontal=True, vertical_alignment="top"):
        DATA.widget(text.line("own-training.data"), shape="select", disabled=busy, width=230)
        OUTPUT.widget(text.line("own-training.output"), disabled=busy)
        SIZE.widget(text.line("own-training.size"), shape="slider", disabled=busy, width=150)
        EPOCHS.widget(text.line("own-training.epochs"), shape="slider", disabled=busy, width=150)
        OPTIMISER.widget(text.line("own-training.optimiser"), disabled=busy)
    if state.control("encoder", OF_TRAINING) == "plain":
        st.html(text.html("plain"))
    data = None  # as long as nothing is uploaded
    try:
        if DATA.value != "own":
            data = bundled(DATA.value)
        elif file := _tagged_file(text, "words.file"):
            data = file.data()
    except ProblemError as error:
        st.error(theme.markdown(f"{error}."))
    _DATA.set(data)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            text.line("own-training.train"),
            key="words.train",
            type="primary",
            icon=":material/play_arrow:",
            disabled=data is None or busy,
            on_click=_start,
            args=(state,),
        )
        if training is not None and busy:
            stop = text.line("own-training.stop")
            st.button(stop, key="words.stop", on_click=QUEUE.stop, args=(training,))
        if data is not None:
            sizes = {"sentences": len(data.training), "dev": len(data.dev), "tags": len(data.tags)}
            st.html(text.html("data", name=data.name, **sizes))
    st.html(text.html("loss"))
    if message := _REFUSAL.value:
        st.error(theme.markdown(message))
    if training is not None and not training.is_active:
        _came_out(state, training, text)


def _start(state: State, training: Training | None = None) -> None:
    """Start a training with the current settings, or resume one; if that fails, say why."""
    _REFUSAL.reset()
    try:
        if training is not None:
            QUEUE.go_on(training)
        elif (data := _DATA.value) is not None:
            names = ("encoder", "batch", "rate")
            encoder, batch, rate = (state.control(name, OF_TRAINING) for name in names)
            config = TrainingConfig(
                encoder,
                OUTPUT.value,
                SIZE.value,
                EPOCHS.value,
                float(rate),
                int(batch),
                OPTIMISER.value,
            )
            training = QUEUE.start(config, data)
    except FullError as error:
        _REFUSAL.set(str(error))
    if training is not None:
        changed = replace(state, controls={**state.controls, "training": training.key})
        reader.order(LESSON, **{"beat": "train", "with": write(changed)["with"]})


def _came_out(state: State, training: Training, text: LessonText) -> None:
    """Show the trained tagger, which can be used like any other."""
    if training.state != DONE:
        st.button(
            text.line("own-training.continue"),
            key="words.go-on",
            icon=":material/resume:",
            on_click=_start,
            args=(state, training),
            help=text.line("own-training.go-on"),
        )
    if not (files := training.files):
        return

    def zipped() -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return packed.getvalue()

    try:
        _, data = read_job(training.folder)
        key = taggers.add_files(files, training.config.name, (data.training, data.dev))
    except ModelRefusedError as error:
        st.error(theme.markdown(str(error)))
        return
    card = taggers.metrics(key) or {}
    if "span_f1" in card:
        f1, invalid = theme.percent(card["span_f1"]), card["invalid_tags"]
        st.html(text.html("came-out-names", f1=f1, invalid=invalid))
    elif "accuracy" in card:
        accuracy, whole = (theme.percent(card[n]) for n in ("accuracy", "sentence_accuracy"))
        st.html(text.html("came-out", accuracy=accuracy, sentences=whole))
    with st.container(horizontal=True):
        if st.button(
            text.line("own-training.use"),
            icon=":material/arrow_forward:",
            type="primary",
            on_click=taggers.TAGGER.set,
            args=(key,),
        ):
            menu.go("start")
        st.download_button(
            text.line("own-training.download"),
            zipped,
            "tagger.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


# ---------------------------------------------------------------------- how good, where it errs


def _shares(of: Mapping[str, Any], **holes: str) -> dict[str, str]:
    """Shares of a card as text."""
    shares = {hole: of.get(name) for hole, name in holes.items()}
    return {hole: "none" if x is None else theme.percent(x) for hole, x in shares.items()}


def _well(state: State, _beat: Beat, text: LessonText) -> None:
    """The card’s figures, and the training log."""
    if (card := taggers.metrics(judged(state))) is None:
        st.html(text.html("no-figures"))
        return
    tokens = decimal(f"{card['tokens']:,}")
    if "span_f1" in card:
        shares = _shares(card, f1="span_f1", precision="span_precision", recall="span_recall")
        broken = card["invalid_tags"]
        st.html(text.html("figures-names", tokens=tokens, invalid=broken, **shares))
        greedy = card["spans"]["greedy"]
        shares = _shares(greedy, greedy="span_f1")
        st.html(text.html("figures-names-greedy", invalid=greedy["invalid_tags"], **shares))
    else:
        holes = {"accuracy": "accuracy", "sentences": "sentence_accuracy"}
        all_holes = holes | {"unknown": "unknown_word_accuracy"}
        st.html(text.html("figures", tokens=tokens, **_shares(card, **all_holes)))
        st.html(text.html("figures-greedy", **_shares(card["decoders"]["greedy"], **holes)))
        if twin := card.get("softmax"):
            st.html(text.html("twin", **_shares(twin, **all_holes)))
    if "sureness" in card:
        st.html(text.html("columns"))
    if log := card.get("training", {}).get("history"):
        st.html(text.html("trained"))
        st.dataframe(pd.DataFrame(log), hide_index=True, width="content")


def _measured(state: State, fold: str, text: LessonText) -> Sequence[judging.Measured]:
    """Sentences to judge the tagger by: those that it came with, else the reader's own."""
    return judging.measured(judged(state), _sentences(state, fold, text))


def _sentences(state: State, fold: str, text: LessonText) -> tuple[Sentence, ...]:
    """Sentences with right tags: the reader's, else those that the tagger came with."""
    key = judged(state)
    if usual := judging.judged_by(key):
        with st.popover(text.line("labels.judge-own"), icon=":material/upload:"):
            file = _tagged_file(text, f"words.judge.{key}", fold, key)
    else:
        st.html(text.html("judge-by", tagger=taggers.name_of(key)))
        file = _tagged_file(text, f"words.judge.{key}", fold, key)
    if file is None:
        return usual
    if not {t for one in file.sentences for t in one.tags} & set(taggers.get(key).tags):
        st.html(text.html("other-tags", file=file.name))
        return ()
    if len(file.sentences) > MOST_JUDGED:
        st.html(text.html("judged-first", most=MOST_JUDGED, all=len(file.sentences)))
    return file.sentences[:MOST_JUDGED]


def _calibration(state: State, _beat: Beat, text: LessonText) -> None:
    """How sure it is of words, and how often it is right."""
    if not (sentences := _measured(state, "calibration", text)):
        return
    bins = judging.calibration(sentences)
    ece, count = judging.calibration_error(bins), sum(one.words for one in bins)
    st.html(text.html("calibration", words=decimal(f"{count:,}"), ece=format_probability(ece)))
    texts = ((f"{one.sure:.2f}", f"{one.right:.2f}", f"{one.words:,}") for one in bins)
    rows = [[decimal(number) for number in row] for row in texts]
    _table(text, "sure right words", rows, "calibration")


def _transitions(state: State, _beat: Beat, text: LessonText) -> None:
    """The learnt transitions, the most disliked first."""
    key = judged(state)
    tagger, data = taggers.get(key), taggers.data_of(key)
    sentences = judging.sample("training", tagger.tags) if data is None else tuple(data[0])
    weights = tagger.chain([state.problem.tokens]).potentials.transitions.tolist()
    st.html(text.html("disliked", sentences=len(sentences)))
    lowest = judging.disliked(weights, tagger.tags, sentences)
    rows = [[name, format_score(weight), str(times)] for name, weight, times in lowest]
    _table(text, "transition weight times", rows, "lowest")


def _mistakes(state: State, _beat: Beat, text: LessonText) -> None:
    """The whole confusion matrix; the shortest sentences with a mistake."""
    key = judged(state)
    if (card := taggers.metrics(key)) is not None:
        st.html(text.html("confusion"))
        st.plotly_chart(
            _heat_map(judging.confusions(card, taggers.get(key).tags, most=1000)),
            key="words.confusion",
            alt=text.line("labels.confusion"),
            config={"displayModeBar": False},
        )
    if not (given := _sentences(state, "mistakes", text)):
        return
    sentences, fewest = judging.measured(key, given), judging.FEWEST_WORDS
    mistakes = [one for one in sentences if len(one.words) >= fewest and one.wrong()]
    holes = {"most": SHOWN, "fewest": fewest} if mistakes else {}
    name_errors.show(key, given, text)
    st.html(text.html("errors" if mistakes else "no-mistake", **holes))
    for k, one in enumerate(mistakes[:SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(_wrong(one, text))
            order = {"sentence": " ".join(one.words), "tagger": key, "spaces": "1"}
            order |= {"beat": "network", "ex": "", "fix": "", "edit": ""}
            st.button(
                text.line("labels.open"),
                key=f"words.error.{k}",
                on_click=reader.order,
                args=(LESSON,),
                kwargs=order,
            )


def _heat_map(table: judging.Confusions) -> go.Figure:
    """The confusions, without the diagonal."""
    off = [[0 if a == b else n for b, n in enumerate(row)] for a, row in enumerate(table.counts)]
    figure = go.Figure().add_heatmap(
        z=off,
        x=table.tags,
        y=table.tags,
        colorscale="Blues",
        xgap=1,
        ygap=1,
        hovertemplate="%{y} → %{x}: %{z}<extra></extra>",
    )
    return figure.update_layout(
        xaxis_tickangle=-60,
        yaxis_autorange="reversed",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=460,
        margin={"l": 60, "r": 40, "t": 10, "b": 60},
    )


def _wrong(one: judging.Measured, text: LessonText) -> str:
    """A sentence with its wrong words marked, and what is wrong with each."""
    places = one.wrong()
    words = [f"<b>{escape(w)}</b>" if t in places else escape(w) for t, w in enumerate(one.words)]
    mistakes = [
        text.line(
            "labels.wrong",
            word=one.words[t],
            right=one.right[t],
            given=one.found[t],
            p=format_probability(one.sure[t]),
        )
        for t in places
    ]
    return f'<p class="crf-note">{" ".join(words)}<br>{escape("; ".join(mistakes))}</p>'


def _batches(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("batches"))


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, BEATS, beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {
        "calibration": _adopted(_calibration),
        "mistakes": _adopted(_mistakes),
        "transitions": _adopted(_transitions),
        "well": _adopted(_well),
    },
    "why": {"batches": _batches},
    "code": {"step": _adopted(_code), "library": _reading},
    "keep": {"tagger": _adopted(_tagger), "train": _adopted(_train), "link": _take},
}
