"""Behind "⋯": train a tagger here, with settings and sentences of one's own."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State, write
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.figures import theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu, taggers
from pages.shared.ui.stage import reader
from pages.shared.ui.state import complain
from pages.words.beats import OF_TRAINING
from pages.words.runs import DONE, QUEUE, FullError, Training
from pages.words.tagged_file import tagged_file
from pages.words.training import Data, TrainingConfig, bundled, read_job

LESSON = "words"
DATA, OUTPUTS = ("pos", "names", "own"), {"crf": "CRF", "softmax": "Softmax"}
OPTIMISERS = {"adam": "Adam", "sgd": "SGD"}


def train(state: State, _beat: Beat, text: LessonText) -> None:
    """Settings, the button, and what came out of the training on screen."""
    st.html(text.html("train"))
    training = QUEUE.get(state.control("training", OF_TRAINING))
    busy = training is not None and training.is_active
    with st.container(horizontal=True, vertical_alignment="top"):
        source = st.selectbox(
            text.line("own-training.data"),
            DATA,
            format_func=lambda name: text.line(f"own-training.data-{name}"),
            key="words.data",
            disabled=busy,
            width=230,
        )
        output = _choice(text.line("own-training.output"), OUTPUTS, busy)
        label = text.line("own-training.size")
        size = st.slider(label, 8, 96, 32, key="words.size", disabled=busy, width=150)
        label = text.line("own-training.epochs")
        epochs = st.slider(label, 1, 30, 10, key="words.epochs", disabled=busy, width=150)
        optimiser = _choice(text.line("own-training.optimiser"), OPTIMISERS, busy)
    if state.control("encoder", OF_TRAINING) == "plain":
        st.html(text.html("plain"))
    data = None  # as long as nothing is uploaded
    try:
        if source != "own":
            data = bundled(source)
        elif file := tagged_file(text, "words.file"):
            data = file.data()
    except ProblemError as error:
        st.error(theme.markdown(f"{error}."))
    encoder, batch, rate = (state.control(n, OF_TRAINING) for n in ("encoder", "batch", "rate"))
    config = TrainingConfig(encoder, output, size, epochs, float(rate), int(batch), optimiser)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            text.line("own-training.train"),
            key="words.train",
            type="primary",
            icon=":material/play_arrow:",
            disabled=data is None or busy,
            on_click=_start,
            args=(state, config, data),
        )
        if training is not None and busy:
            stop = text.line("own-training.stop")
            st.button(stop, key="words.stop", on_click=QUEUE.stop, args=(training,))
        if data is not None:
            sizes = {"sentences": len(data.training), "dev": len(data.dev), "tags": len(data.tags)}
            st.html(text.html("data", name=data.name, **sizes))
    st.html(text.html("loss"))
    if training is not None and not training.is_active:
        _came_out(state, training, text)


def _choice(label: str, names: Mapping[str, str], busy: bool) -> str:
    return st.segmented_control(
        label,
        list(names),
        default=next(iter(names)),
        required=True,
        format_func=names.__getitem__,
        disabled=busy,
    )


def _start(state: State, config: TrainingConfig, data: Data) -> None:
    """Start a training; if that fails, say why."""
    try:
        training = QUEUE.start(config, data)
    except FullError as error:
        return complain(str(error))
    return _watch(state, training)


def _go_on(state: State, training: Training) -> None:
    """Resume a training; if that fails, say why."""
    try:
        QUEUE.go_on(training)
    except FullError as error:
        complain(str(error))
    _watch(state, training)


def _watch(state: State, training: Training) -> None:
    """Have the stage show a training."""
    changed = replace(state, controls={**state.controls, "training": training.key})
    reader.order(LESSON, **{"beat": "train", "with": write(changed)["with"]})


def _came_out(state: State, training: Training, text: LessonText) -> None:
    """Show the trained tagger, which can be used like any other."""
    if training.state != DONE:
        st.button(
            text.line("own-training.continue"),
            key="words.go-on",
            icon=":material/resume:",
            on_click=_go_on,
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
