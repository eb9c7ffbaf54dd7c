"""The small corpus: its text and settings, the run, what the run shows, the other methods."""

from dataclasses import replace

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from pages.learning import components, payloads, ways_figures
from pages.learning.components import Place
from pages.learning.corpus import PRESETS, Corpus, parse
from pages.learning.training import STARTS, CorpusSettings, Run
from pages.shared.course.numbers import counted, format_magnitude
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui.controls import Choice, Flag, Integer, InvalidError, Number, Text, Value
from pages.shared.ui.exports import Table
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

PRESET = Choice(
    "learning.preset", "fish", address="corpus",
    labels={name: preset.label for name, preset in PRESETS.items()},
)  # fmt: skip
TEXT = Text("learning.text", "", longest=100_000, address="text")  # "": the preset's
OPTIMISER = Choice(
    "learning.optimiser", "ascent", address="by",
    labels={
        "ascent": "Gradient ascent", "adam": "Adam", "lbfgs": "L-BFGS", "perceptron": "Perceptron",
    },
)  # fmt: skip
RATE = Number("learning.rate", 0.5, low=0.0, high=1e9, address="rate")
PENALTY = Number("learning.penalty", 0.0, low=0.0, high=100.0, address="lambda")
START = Choice(
    "learning.start", "zeros", address="start",
    labels=dict(zip(STARTS, ("Zeros", "Random A", "Random B"), strict=True)),
)  # fmt: skip
NEAR = 1e-3  # heights that a picture cannot tell apart, relative to their size
ITERATIONS = Integer("learning.iterations", 60, low=1, high=1000, address="n")
CONVERGE = Flag("learning.converge", False, address="converge")
TOLERANCE = 1e-3  # a gradient that is shorter counts as 0


def _place(value: object) -> Place:
    if isinstance(value, Place):
        return value
    raise InvalidError("One can have an iteration, a sentence and a weight, as in 12.0.words.1.2.")


def _read(text: str) -> Place:
    parts = text.split(".")
    numbers = [part for k, part in enumerate(parts) if k != 2]
    short = all(part.isascii() and part.isdigit() and len(part) < 5 for part in numbers)
    if len(parts) != 5 or not short or parts[2] not in ("words", "tags"):
        return _place(None)
    return Place(int(parts[0]), int(parts[1]), (parts[2], int(parts[3]), int(parts[4])))


PLACE = Value[Place](
    "learning.place", Place(0, 0, ("words", 1, 1)), address="at", checked=_place, reads=_read,
    writes=lambda at: ".".join(map(str, (at.iteration, at.sentence, *at.weight))),
)  # fmt: skip
CONTROLS = (PRESET, TEXT, OPTIMISER, RATE, PENALTY, START, ITERATIONS, CONVERGE, PLACE)


def settings() -> CorpusSettings:
    """How the run on screen is trained."""
    how = OPTIMISER.value, RATE.value, PENALTY.value, START.value
    if CONVERGE.value:
        return CorpusSettings(*how, int(ITERATIONS.high), tolerance=TOLERANCE)
    return CorpusSettings(*how, ITERATIONS.value)


def corpus() -> Corpus:
    """The corpus on screen.

    Raises:
        ProblemError: It cannot be used.
    """
    return parse(TEXT.value or PRESETS[PRESET.value].text)


def the_run() -> Run | None:
    """The run on screen, if there is one."""
    try:
        return payloads.run(corpus(), settings())
    except ProblemError:
        return None


@st.fragment
def section(lesson: Lesson) -> None:
    """The section; a fragment, so that playing and settings repaint nothing else."""
    lesson.say("corpus")
    if lesson.asks:
        _controls()
    try:
        found = corpus()
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        lesson.publish()
        return
    if found.unused:
        st.info(f"No word has the tag {theme.markdown(', '.join(found.unused))}.")
    run = payloads.run(found, settings())
    place = _fitting(PLACE.value, found, run)
    components.training(run, place, key="learning.training", on_place=PLACE.set)
    told(lesson, run)
    lesson.say("perceptron")
    _folds(lesson, run)
    lesson.publish()


def _controls() -> None:
    """Four in a row: what is learnt from, how fast, how firmly held; the rest in a popover."""
    counts = OPTIMISER.value == "perceptron"  # whole ones: no rate, no penalty
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        PRESET.widget("Corpus", shape="select", width=205, on_change=_fresh)
        RATE.widget("Learning rate η", step=0.1, format="%g", width=135, disabled=counts)
        PENALTY.widget(
            "Penalty λ", options=[0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0], width=165,
            disabled=counts,
        )  # fmt: skip
        with st.popover("Method, start, length, text", key="learning.more"):
            OPTIMISER.widget("Method", shape="select")
            START.widget("Start", shape="select")
            ITERATIONS.widget("Iterations", step=20, disabled=CONVERGE.value)
            CONVERGE.widget(f"Until ‖∇‖ < {TOLERANCE:g}")
            if not TEXT.value:
                _TYPED.set(PRESETS[PRESET.value].text)
            st.text_area(
                "The corpus: a sentence per line, each word with its tag", key=_TYPED.key,
                height=190, width=420, on_change=_typed, max_chars=TEXT.longest,
            )  # fmt: skip


_TYPED = SessionValue("learning.typed", "")


def _typed() -> None:
    typed = _TYPED.value
    TEXT.set("" if typed.strip() == PRESETS[PRESET.value].text else typed or " ")


def _fresh() -> None:
    """Another preset has been chosen: what was typed gives way to it."""
    TEXT.set("")
    PLACE.reset()


def _fitting(place: Place, corpus: Corpus, run: Run) -> Place:
    """The place, where this corpus and this run have it."""
    table, row, column = place.weight
    rows = len(corpus.words if table == "words" else corpus.tags)
    weight = (table, min(row, rows - 1), min(column, len(corpus.tags) - 1))
    iteration = min(place.iteration, run.iterations)
    return Place(iteration, min(place.sentence, len(corpus.sentences) - 1), weight)


# ---------------------------------------------------------------------- what the run shows


def told(lesson: Lesson, run: Run) -> None:
    """What there is to say of this run, and of no other."""
    total = run.nll.sum(1)
    if run.overflowed:
        st.warning(
            f"After iteration {run.iterations} the weights leave the range of float64, so the run "
            "ends there: choose a smaller η."
        )
    if run.settings.tolerance:
        lesson.say(
            "converged" if run.converged else "not-converged",
            tolerance=f"{run.settings.tolerance:g}", norm=_size(run.norms),
            iterations=counted(run.iterations, "iteration"),
        )  # fmt: skip
    lengths = run.weights.squared().sqrt()
    words = sum(map(len, run.corpus.sentences))
    wrong = int(run.wrong()[-1].sum())
    if kind(run) == "one-tag":
        lesson.say("one-tag")
    elif kind(run) == "swings":
        drawn = -run.objective
        rise = int(drawn.diff().argmax())
        lesson.say(
            "swings", low=format_magnitude(drawn[rise].item()),
            high=format_magnitude(drawn[rise + 1].item()),
        )  # fmt: skip
    elif kind(run) == "mistakes":
        steps = sum(table.diff(dim=0).abs().sum((1, 2)) for table in run.weights)
        moved = torch.as_tensor(steps).nonzero()
        lesson.say(
            "mistakes",
            iterations=counted(run.iterations, "iteration"),
            wrong=str(wrong),
            total=str(words),
            moved=f"It last moved in iteration {int(moved.max()) + 1}"
            if len(moved)
            else "It never moved",
        )
    elif kind(run) == "still":
        lesson.say("still", nll=_size(total), wrong=str(wrong), total=str(words))
    elif kind(run) == "held":
        lesson.say("held", penalty=f"{run.settings.penalty:g}", length=_size(lengths))
    elif kind(run) == "grows":
        lesson.say(
            "grows", length=_size(lengths), iterations=counted(run.iterations, "iteration"),
            sentences=counted(len(run.corpus.sentences), "sentence"),
        )  # fmt: skip
    else:
        lesson.say(
            "stuck", iterations=counted(run.iterations, "iteration"), nll=_size(total),
            wrong=str(wrong), total=str(words),
        )  # fmt: skip


def kind(run: Run) -> str:
    """What a run shows: "one-tag", "mistakes", "still", "swings", "held", "grows" or "stuck"."""
    objective = run.objective
    if len(run.corpus.tags) == 1:
        return "one-tag"
    if run.is_perceptron:
        return "mistakes"
    if run.settings.rate == 0:
        return "still"
    if run.settings.optimiser == "ascent" and (objective.diff() < -1e-6).any():
        return "swings"
    if run.settings.penalty:
        return "held"
    return "stuck" if run.wrong()[-1].any() or not _leads(run) else "grows"


def _leads(run: Run) -> bool:
    """Whether each sentence's best path scores more than its second in the end: so p can grow."""
    best = run.at([run.iterations]).topk(2).scores
    return bool((best[:, 0] - best[:, 1] > 1e-9).all())


def _size(values: Tensor) -> str:
    return format_magnitude(values[-1].item())


# ---------------------------------------------------------------------- what is not needed to go on


def _folds(lesson: Lesson, run: Run) -> None:
    with lesson.fold(
        "What do perceptron, softmax and HMM learn from it?", key="methods"
    ) as is_open:
        if is_open:
            if kind(run) == "swings":
                st.info("η is too large here: the CRF below is what its run ended with.")
            st.html(payloads.methods(run.corpus, run.settings))
            lesson.say("methods")
    if lesson.shows_everything("concave", "features"):
        with lesson.fold("Does it end at the same top from every start?", key="concave") as is_open:
            if is_open:
                _plane(lesson, run)
        with lesson.fold("What are features?", key="features") as is_open:
            if is_open:
                lesson.say("features")
    if lesson.asks:
        st.download_button(
            "This run as CSV", Table.of_frame(run.record).csv, "training-run.csv", "text/csv",
            on_click="ignore", key="learning.csv", type="tertiary", icon=":material/download:",
        )  # fmt: skip


def _reached(runs: list[Run]) -> str:
    """Whether runs from several starts have come to the same top."""
    if any(kind(run) == "swings" for run in runs):
        return "These runs do not climb steadily: η is too large for them. Try a smaller one."
    settings = runs[0].settings
    if settings.rate == 0:
        return "With η = 0 no run leaves its start."
    ends = [run.objective[-1].item() for run in runs]
    if max(ends) - min(ends) <= NEAR * max(1.0, abs(max(ends))):
        alike = len({_minus(-end) for end in ends}) == 1  # as they are written below
        nearly = "" if alike else "nearly "
        return f"From all three starts these runs end at {nearly}the same height."
    more = ["take more"] if settings.iterations < ITERATIONS.high else []
    more += ["choose L-BFGS"] if settings.optimiser != "lbfgs" else []
    return (
        f"After {counted(runs[0].iterations, 'iteration')} the three runs stand at different "
        f"heights{': ' if more else ''}{', or '.join(more)}."
    )


def _minus(height: float) -> str:
    """A height below 0, of any size."""
    return f"−{format_magnitude(height, 4)}" if height > 0 else "0"


def _plane(lesson: Lesson, run: Run) -> None:
    if run.is_perceptron:
        st.info("The perceptron climbs no objective. Choose another method.")
        return
    every = {START.labels[run.settings.start]: run}
    for start in STARTS:
        name = START.labels[start]
        every.setdefault(name, payloads.run(run.corpus, replace(run.settings, start=start)))
    lesson.say("concave", reached=_reached(list(every.values())))
    place = _fitting(PLACE.value, run.corpus, run)
    first = (place.weight[0], place.weight[1:])
    moved = {
        (table, at): abs((values[-1][at] - values[0][at]).item())
        for table, values in run.weights._asdict().items()
        for at in np.ndindex(*values.shape[1:])
        if (table, at) != first
    }
    others = {
        ways_figures.named(run, weight): weight
        for weight in sorted(moved, key=lambda weight: -moved[weight])
    }
    name = st.selectbox(
        f"{ways_figures.named(run, first)}, the weight chosen above, and", list(others), width=330,
        key="learning.second",
    )  # fmt: skip
    second = others.get(name) or next(iter(others.values()))
    tops = ", ".join(f"{name} {_minus(-each.objective[-1].item())}" for name, each in every.items())
    figure = ways_figures.valley(every, place.iteration, first, second)
    st.plotly_chart(figure, width="stretch", key="learning.plane", config={"displayModeBar": False})
    st.html(f'<p class="crf-note">Objective L at the end of each run: {tops}.</p>')
