"""Behind "⋯": train a tagger here, with settings and sentences of one's own."""

import io
import zipfile
from dataclasses import replace

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State, write
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.figures import theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu, taggers
from pages.shared.ui.controls import Choice, Integer
from pages.shared.ui.stage import reader
from pages.shared.ui.state import SessionValue
from pages.words.beats import OF_TRAINING
from pages.words.runs import DONE, QUEUE, FullError, Training
from pages.words.tagged_file import tagged_file
from pages.words.training import Data, TrainingConfig, bundled, read_job

LESSON = "words"
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


def train(state: State, _beat: Beat, text: LessonText) -> None:
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
        elif file := tagged_file(text, "words.file"):
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
