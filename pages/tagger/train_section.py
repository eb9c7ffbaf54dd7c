"""Train one now: the settings, how it goes, and what came out, a tagger like any other."""

import io
import zipfile

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.uploaded_models import ModelRefusedError
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu, taggers
from pages.shared.ui.controls import Choice, Integer, InvalidError, Number, Value
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import FOLD as FOLDED
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.shared.ui.taggers import TAGGER, TRAIN_FIRST
from pages.tagger import minibatches, runs, training_config, trainings
from pages.tagger.tagged_files import tagged_file
from pages.tagger.training_config import Data, TrainingConfig
from pages.tagger.trainings import QUEUE, FullError, Training


def _line(name: str, **facts: int | str) -> str:
    return LessonText.of("tagger").line(f"own-training.{name}", **facts)


DATA = Choice(
    "tagger.data", "pos", address="data", labels={"pos": "", "names": "", "own": ""},
    words=lambda name: _line(f"data-{name}"),
)  # fmt: skip
ENCODER = Choice(
    "tagger.encoder", "local", address="encoder",
    labels={"local": "Local", "bilstm": "BiLSTM", "plain": "Plain"},
)  # fmt: skip
OUTPUT = Choice(
    "tagger.output", "crf", address="output", labels={"crf": "CRF", "softmax": "Softmax"}
)
SIZE = Integer("tagger.size", 32, address="width", low=8, high=96)
EPOCHS = Integer("tagger.epochs", 10, address="epochs", low=1, high=30)
RATE = Number("tagger.rate", 0.01, address="rate", low=1e-4, high=0.3)
BATCH = Choice(
    "tagger.batch", "16", address="batch",
    labels={"1": "1", "4": "4", "16": "16", "64": "64", "0": "All"},
)  # fmt: skip
OPTIMISER = Choice(
    "tagger.optimiser", "adam", address="optimiser", labels={"adam": "Adam", "sgd": "SGD"}
)
_RATES = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]


def _key(value: object) -> str:
    if isinstance(value, str) and (not value or QUEUE.get(value)):
        return value
    raise InvalidError(_line("gone"))


TRAINING = Value[str]("tagger.training", "", address="training", checked=_key)
_OWN_DATA = SessionValue[Data | None]("tagger.own_data", None, kind=Data)
_SAID = SessionValue("tagger.said", "")
_DRAWN = SessionValue("{}·shown", "")  # the state of a training when it was drawn last
CONTROLS = (
    DATA, ENCODER, OUTPUT, SIZE, EPOCHS, RATE, BATCH, OPTIMISER, TRAINING, TRAIN_FIRST,
)  # fmt: skip


def train_one(lesson: Lesson) -> None:
    """The whole part."""
    if TRAINING.value or TRAIN_FIRST.value:  # a page that is loaded again shows its training
        FOLDED.at("tagger", "train").begin(lambda: True)
    with lesson.fold(key="train", icon=":material/model_training:") as is_open:
        if not is_open:
            return
        lesson.say("train-one")
        training = QUEUE.get(TRAINING.value)
        is_active = training is not None and training.is_active
        if lesson.asks:
            _settings(lesson, is_active)
        if message := _SAID.value:
            st.error(theme.markdown(message))
        if training is not None:
            st.fragment(_going, run_every=1.0 if is_active else None)(lesson)
            if not training.is_active:
                _came_out(lesson, training)


def _settings(lesson: Lesson, is_active: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="top"):  # labels at one height
        DATA.widget("Sentences", shape="select", disabled=is_active, width=230)
        ENCODER.widget("Encoder", disabled=is_active)
        OUTPUT.widget("On top", disabled=is_active)
        SIZE.widget("Size", shape="slider", disabled=is_active, width=150)
        EPOCHS.widget("Epochs", shape="slider", disabled=is_active, width=150)
        BATCH.widget("Batch size", disabled=is_active)
        OPTIMISER.widget("Optimiser", disabled=is_active)
        RATE.widget("Learning rate", options=_RATES, disabled=is_active, width=150)
    if ENCODER.value == "plain":
        lesson.say("plain")
    data = _sentences(lesson)
    _OWN_DATA.set(data)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Train", key="tagger.train", type="primary", icon=":material/play_arrow:",
            disabled=data is None or is_active, on_click=_start,
        )  # fmt: skip
        if data is not None:
            sizes = {"sentences": len(data.training), "dev": len(data.dev), "tags": len(data.tags)}
            lesson.say("data", name=data.name, **sizes)
    with lesson.fold(key="batches") as is_open:
        if is_open:
            _why_batches(lesson)


def _why_batches(lesson: Lesson) -> None:
    """What the chosen batch size does to a gradient and to the loss."""
    every = minibatches.SENTENCES
    size = int(BATCH.value) or every
    said = lesson.text.line
    names = {name: said(f"minibatches.{name}") for name in ("gradient", "losses", "seen", "all")}
    names["batch"] = said("minibatches.batch", size=size)
    figure = runs.plain(minibatches.picture(size, names), 330)
    figure.update_layout(legend={"y": -0.25, "yanchor": "top"})
    runs.chart(figure, "batches", said("minibatches.label"))
    lesson.say("batches")
    if size == every:
        lesson.say("batches-whole", sentences=every)
    else:
        noise = theme.percent(minibatches.noise(size))
        lesson.say("batches-noise", sentences=every, size=size, noise=noise)


def _sentences(lesson: Lesson) -> Data | None:
    """What is learnt from; None as long as nothing is uploaded."""
    if DATA.value != "own":
        return training_config.bundled(DATA.value)
    if (file := tagged_file(lesson, "tagger.file")) is None:
        return None
    try:
        return training_config.of_file(file)
    except ProblemError as error:
        st.error(theme.markdown(f"{error}."))
        return None


def _start(training: Training | None = None) -> None:
    """Start a training as it is set now, or go on with this one; say why that cannot be."""
    _SAID.reset()
    try:
        if training is not None:
            QUEUE.go_on(training)
        elif (data := _OWN_DATA.value) is not None:
            asked = TrainingConfig(
                ENCODER.value, OUTPUT.value, SIZE.value, EPOCHS.value, RATE.value,
                int(BATCH.value), OPTIMISER.value,
            )  # fmt: skip
            TRAINING.set(QUEUE.start(asked, data).key)
    except FullError as error:
        _SAID.set(str(error))


# ---------------------------------------------------------------------- how it goes


def _going(lesson: Lesson) -> None:
    """Painted every second while it runs; once it has ended, the page says what came out."""
    training = QUEUE.get(TRAINING.value)
    if training is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(training.share, 1.0), _told(training), width="stretch")
        if training.is_active:
            st.button("Stop", key="tagger.stop", icon=":material/stop:", on_click=QUEUE.stop,
                      args=(training,))  # fmt: skip
    if training.batches or training.epochs:
        figure = runs.curves(training.epochs, training.asked.epochs, training.batches)
        runs.chart(figure, "progress", lesson.text.line("charts.curves"), width=760)
        lesson.say("curves")
    drawn = _DRAWN.at(training.key)
    before = drawn.value
    drawn.set(training.state)
    if before in (trainings.WAITING, trainings.RUNNING) and not training.is_active:
        st.rerun()
    lesson.publish()


def _told(training: Training) -> str:
    """How far it is, in a sentence."""
    done, last = len(training.epochs), training.asked.epochs
    if training.state == trainings.WAITING and (before := QUEUE.before(training)):
        return _line("waits", before=before)
    if training.state == trainings.RUNNING and (left := training.seconds_left) is not None:
        time = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        return _line("running", epoch=done + 1, last=last, time=time)
    if training.is_active:
        return _line("begins")
    why = {"why": training.message} if training.state == trainings.FAILED else {}
    return _line(training.state, done=done, last=last, **why)


# ---------------------------------------------------------------------- what came out


def _came_out(lesson: Lesson, training: Training) -> None:
    files = training.files
    if training.state != trainings.DONE:
        st.button(
            "Go on", key="tagger.go-on", icon=":material/resume:", on_click=_start,
            args=(training,), help=_line("go-on"),
        )  # fmt: skip
    if not files:
        if training.state != trainings.FAILED:
            note(_line("nothing"))
        return
    try:
        _, data = training_config.read(training.folder)
        key = taggers.add_files(files, training.asked.name, (data.training, data.dev))
    except ModelRefusedError as error:
        st.error(theme.markdown(str(error)))
        return
    figures = taggers.metrics(key) or {}
    if "span_f1" in figures:
        f1, invalid = theme.percent(figures["span_f1"]), figures["invalid_tags"]
        lesson.say("came-out-names", f1=f1, invalid=invalid)
    elif "accuracy" in figures:
        accuracy, whole = (theme.percent(figures[n]) for n in ("accuracy", "sentence_accuracy"))
        lesson.say("came-out", accuracy=accuracy, sentences=whole)
    choose = {"on_click": TAGGER.set, "args": (key,)}
    with st.container(horizontal=True):
        st.button(
            _line("look"), icon=":material/visibility:", disabled=TAGGER.value == key, **choose
        )
        if st.button(_line("use"), icon=":material/arrow_forward:", type="primary", **choose):
            menu.go("start")
        st.download_button(
            "Download", _zipped(files), "tagger.zip", "application/zip",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip


@st.cache_data(show_spinner=False, max_entries=8)
def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
