"""Train one now: the settings, how it goes, and what came out, a tagger like any other."""

import io
import zipfile

import streamlit as st

from pages.shared.course.model_files import ModelRefusedError
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui import menu, taggers
from pages.shared.ui.controls import Choice, Integer, InvalidError, Number, Value
from pages.shared.ui.drawing import draw
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import FOLD as FOLDED
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.shared.ui.taggers import TAGGER, TRAIN_FIRST
from pages.tagger import minibatches, progress, training_config, trainings
from pages.tagger.tagged_files import tagged_file
from pages.tagger.training_config import Data, TrainingConfig
from pages.tagger.trainings import QUEUE, FullError, Training

FOLD = "Train one now"
DATA = Choice(
    "tagger.data",
    "pos",
    address="data",
    labels={"pos": "Sample: parts of speech", "names": "Sample: names", "own": "A file of mine"},
)
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
_DRAWN_WORDS = ("label", "gradient", "losses", "seen", "all")
_RATES = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]


def _key(value: object) -> str:
    if isinstance(value, str) and (not value or QUEUE.get(value)):
        return value
    raise InvalidError("This server has no such training, or has it no longer. Start a new one.")


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
        FOLDED.at("tagger", FOLD).begin(lambda: True)
    with lesson.fold(FOLD, icon=":material/model_training:") as is_open:
        if not is_open:
            return
        lesson.say("train")
        training = QUEUE.get(TRAINING.value)
        if lesson.asks:
            _settings(disabled=training is not None and training.is_active)
            if ENCODER.value == "plain":
                lesson.say("plain")
            data = _sentences(lesson)
            _OWN_DATA.set(data)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    "Train",
                    key="tagger.train",
                    type="primary",
                    icon=":material/play_arrow:",
                    disabled=data is None or (training is not None and training.is_active),
                    on_click=_start,
                )
                if data is not None:
                    lesson.say(
                        "data", name=data.name, sentences=f"{len(data.training):,}",
                        dev=f"{len(data.dev):,}", tags=len(data.tags),
                    )  # fmt: skip
            _why_batches(lesson)
        if message := _SAID.value:
            st.error(theme.markdown(message))
        if training is not None:
            st.fragment(_going, run_every=1.0 if training.is_active else None)(lesson)
            if not training.is_active:
                _came_out(lesson, training)


def _settings(*, disabled: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="top"):  # labels at one height
        DATA.widget("Sentences", shape="select", disabled=disabled, width=230)
        ENCODER.widget("Encoder", disabled=disabled)
        OUTPUT.widget("On top", disabled=disabled)
        SIZE.widget("Size", shape="slider", disabled=disabled, width=150)
        EPOCHS.widget("Epochs", shape="slider", disabled=disabled, width=150)
        BATCH.widget("Batch size", disabled=disabled)
        OPTIMISER.widget("Optimiser", disabled=disabled)
        RATE.widget("Learning rate", options=_RATES, disabled=disabled, width=150)


def _why_batches(lesson: Lesson) -> None:
    """What the chosen batch size does to a gradient and to the loss."""
    with lesson.fold("Why minibatches?", key="batches") as is_open:
        if not is_open:
            return
        size = int(BATCH.value) or minibatches.SENTENCES
        names = {part: lesson.text.plain(f"batches-{part}") for part in _DRAWN_WORDS}
        names["batch"] = lesson.text.title("batches-batch", size=str(size))
        draw(minibatches.picture(size, names), key="tagger.batches")
        noise = minibatches.draws(size).noise
        is_all = size == minibatches.SENTENCES
        lesson.say("batches")
        lesson.say(
            "batches-whole" if is_all else "batches-noise", sentences=str(minibatches.SENTENCES),
            **({} if is_all else {"size": str(size), "noise": theme.percent(noise)}),
        )  # fmt: skip


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


def _start() -> None:
    asked = TrainingConfig(
        ENCODER.value, OUTPUT.value, SIZE.value, EPOCHS.value, RATE.value, int(BATCH.value),
        OPTIMISER.value,
    )  # fmt: skip
    data = _OWN_DATA.value
    _SAID.reset()
    if data is None:
        return
    try:
        TRAINING.set(QUEUE.start(asked, data).key)
    except FullError as error:
        _SAID.set(str(error))


def _go_on(training: Training) -> None:
    try:
        QUEUE.go_on(training)
    except FullError as error:
        _SAID.set(str(error))


# ---------------------------------------------------------------------- how it goes


def _going(lesson: Lesson) -> None:
    """Painted every second while it runs; once it has ended, the page says what came out."""
    training = QUEUE.get(TRAINING.value)
    if training is None:
        return
    drawn = _DRAWN.at(training.key)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(training.share, 1.0), _told(training), width="stretch")
        if training.is_active:
            st.button("Stop", key="tagger.stop", icon=":material/stop:", on_click=_stop)
    if training.losses or training.epochs:
        last = training.wanted.epochs
        with st.container(width=760):
            drawing = progress.progress(training.losses, training.epochs, last, training.batches)
            draw(drawing, key="tagger.progress")
            lesson.say("curves")
    before = drawn.value
    drawn.set(training.state)
    if before in (trainings.WAITING, trainings.RUNNING) and not training.is_active:
        st.rerun()
    lesson.publish()


def _stop() -> None:
    if (training := QUEUE.get(TRAINING.value)) is not None:
        QUEUE.stop(training)


def _told(training: Training) -> str:
    """How far it is, in a sentence."""
    epochs = f"{len(training.epochs)} of {training.wanted.epochs} epochs"
    if training.state == trainings.WAITING:
        if before := QUEUE.before(training):
            others = "another training" if before == 1 else f"{before} other trainings"
            return f"This server trains one at a time. Yours begins after {others}."
        return "It begins …"
    if training.state == trainings.RUNNING:
        left = training.seconds_left
        if left is None:
            return "It begins …"
        time = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        return f"Epoch {len(training.epochs) + 1} of {training.wanted.epochs} · {time} left"
    return {
        trainings.DONE: f"Done: {epochs}.",
        trainings.STOPPED: f"Stopped after {epochs}.",
        trainings.LATE: f"The time limit of a training is over, after {epochs}.",
        trainings.FAILED: f"{training.message} {epochs} are kept.",
    }[training.state]


# ---------------------------------------------------------------------- what came out


def _came_out(lesson: Lesson, training: Training) -> None:
    files = training.files
    if not training.is_whole:
        st.button(
            "Go on",
            key="tagger.go-on",
            icon=":material/resume:",
            on_click=_go_on,
            args=(training,),
            help="From the end of the last whole epoch.",
        )
    if not files:
        if training.state != trainings.FAILED:
            note("It was stopped within the first epoch: there is no tagger yet.")
        return
    try:
        _, data = training_config.read(training.folder)
        key = taggers.add_files(files, training.wanted.name, (data.training, data.dev))
    except ModelRefusedError as error:
        st.error(theme.markdown(str(error)))
        return
    figures = taggers.metrics(key) or {}
    if "span_f1" in figures:
        lesson.say(
            "came-out-names", f1=theme.percent(figures["span_f1"]), invalid=figures["invalid_tags"]
        )
    elif "accuracy" in figures:
        lesson.say(
            "came-out",
            accuracy=theme.percent(figures["accuracy"]),
            sentences=theme.percent(figures["sentence_accuracy"]),
        )
    with st.container(horizontal=True):
        st.button(
            "Look into it, above",
            icon=":material/visibility:",
            on_click=TAGGER.set,
            args=(key,),
            disabled=TAGGER.value == key,
        )
        if st.button(
            "Tag a sentence with it",
            icon=":material/arrow_forward:",
            type="primary",
            on_click=TAGGER.set,
            args=(key,),
        ):
            menu.go("start")
        st.download_button(
            "Download",
            _zipped(files),
            "tagger.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


@st.cache_data(show_spinner=False, max_entries=8)
def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
