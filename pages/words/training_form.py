"""Train with other settings or on other sentences, behind "⋯"; the picture shows how it goes."""

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
from pages.words import training_config, trainings
from pages.words.beats import OF_TRAINING
from pages.words.tagged_files import tagged_file
from pages.words.training_config import Data, TrainingConfig
from pages.words.trainings import QUEUE, FullError, Training


def _line(name: str) -> str:
    return LessonText.of("words").line(f"own-training.{name}")


DATA = Choice(
    "words.data", "pos", labels={"pos": "", "names": "", "own": ""},
    words=lambda name: _line(f"data-{name}"),
)  # fmt: skip
OUTPUT = Choice("words.output", "crf", labels={"crf": "CRF", "softmax": "Softmax"})
SIZE = Integer("words.size", 32, low=8, high=96)
EPOCHS = Integer("words.epochs", 10, low=1, high=30)
OPTIMISER = Choice("words.optimiser", "adam", labels={"adam": "Adam", "sgd": "SGD"})
_OWN_DATA = SessionValue[Data | None]("words.own_data", None, kind=Data)
_SAID = SessionValue("words.said", "")


def show(state: State, _beat: Beat, text: LessonText) -> None:
    """Settings, the button, and what came out of the training on screen."""
    st.html(text.html("train"))
    training = QUEUE.get(state.control("training", OF_TRAINING))
    busy = training is not None and training.is_active
    with st.container(horizontal=True, vertical_alignment="top"):
        DATA.widget(_line("data"), shape="select", disabled=busy, width=230)
        OUTPUT.widget(_line("output"), disabled=busy)
        SIZE.widget(_line("size"), shape="slider", disabled=busy, width=150)
        EPOCHS.widget(_line("epochs"), shape="slider", disabled=busy, width=150)
        OPTIMISER.widget(_line("optimiser"), disabled=busy)
    if state.control("encoder", OF_TRAINING) == "plain":
        st.html(text.html("plain"))
    _OWN_DATA.set(data := _sentences(text))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _line("train"), key="words.train", type="primary", icon=":material/play_arrow:",
            disabled=data is None or busy, on_click=_start, args=(state,),
        )  # fmt: skip
        if training is not None and training.is_active:
            st.button(_line("stop"), key="words.stop", on_click=QUEUE.stop, args=(training,))
        if data is not None:
            sizes = {"sentences": len(data.training), "dev": len(data.dev), "tags": len(data.tags)}
            st.html(text.html("data", name=data.name, **sizes))
    st.html(text.html("loss"))
    if message := _SAID.value:
        st.error(theme.markdown(message))
    if training is not None and not training.is_active:
        _came_out(state, training, text)


def _sentences(text: LessonText) -> Data | None:
    """The sentences to learn from; None as long as nothing is uploaded."""
    if DATA.value != "own":
        return training_config.bundled(DATA.value)
    if (file := tagged_file(text, "words.file")) is None:
        return None
    try:
        return training_config.of_file(file)
    except ProblemError as error:
        st.error(theme.markdown(f"{error}."))
        return None


def _start(state: State, training: Training | None = None) -> None:
    """Start a training with the current settings, or resume one; if that fails, say why."""
    _SAID.reset()
    encoder, batch, rate = (
        state.control(name, OF_TRAINING) for name in ("encoder", "batch", "rate")
    )
    try:
        if training is not None:
            QUEUE.go_on(training)
        elif (data := _OWN_DATA.value) is not None:
            asked = TrainingConfig(
                encoder, OUTPUT.value, SIZE.value, EPOCHS.value, float(rate), int(batch),
                OPTIMISER.value,
            )  # fmt: skip
            training = QUEUE.start(asked, data)
    except FullError as error:
        _SAID.set(str(error))
    if training is not None:
        changed = replace(state, controls={**state.controls, "training": training.key})
        reader.order("words", **{"beat": "train", "with": write(changed)["with"]})


def _came_out(state: State, training: Training, text: LessonText) -> None:
    """Show the trained tagger, which can be used like any other."""
    if training.state != trainings.DONE:
        st.button(
            _line("continue"), key="words.go-on", icon=":material/resume:", on_click=_start,
            args=(state, training), help=_line("go-on"),
        )  # fmt: skip
    if not (files := training.files):
        return
    try:
        _, data = training_config.read(training.folder)
        key = taggers.add_files(files, training.asked.name, (data.training, data.dev))
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
            _line("use"), icon=":material/arrow_forward:", type="primary",
            on_click=taggers.TAGGER.set, args=(key,),
        ):  # fmt: skip
            menu.go("start")
        st.download_button(
            _line("download"), _zipped(files), "tagger.zip", "application/zip",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip


@st.cache_data(show_spinner=False, max_entries=8)
def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
