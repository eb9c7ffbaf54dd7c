"""The small corpus: its text and settings, the run, what the run shows, the other methods."""

import re
from dataclasses import replace
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st
import torch
from torch import Tensor

from crf.figures.numbers import format_magnitude
from crf.figures.words import save_words
from pages.learning import methods, payloads, plane
from pages.learning.corpus import PRESETS, Corpus, parse, preset_text, text
from pages.learning.training import STARTS, CorpusSettings, Run
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.figures.text import Case, case
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.component_data import pack, zipped
from pages.shared.ui.controls import Choice, Flag, Integer, InvalidError, Number, Text, Value
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

PRESET = Choice(
    "learning.preset", "fish", address="corpus", labels=dict.fromkeys(PRESETS, ""),
    words=lambda name: text().title(f"corpus-{name}"),
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
ITERATIONS = Integer("learning.iterations", 60, low=1, high=1000, address="n")
CONVERGE = Flag("learning.converge", False, address="converge")
TOLERANCE = 1e-3  # a gradient that is shorter counts as 0
NEAR = 1e-3  # heights that a picture cannot tell apart, relative to their size
_TYPED = SessionValue("learning.typed", "")
_TRAINING = component(
    "training", "pages/learning/training_run", styles=["crf/figures/gradient/heat.css"]
)


class Place(NamedTuple):
    """Where a reader of a training run is."""

    iteration: int  # from 0
    sentence: int  # whose flow is shown
    weight: tuple[str, int, int]  # which weight is chosen: "words" or "tags", row, column


def _place(value: object) -> Place:
    if isinstance(value, Place):
        return value
    raise InvalidError(text().line("notes.place"))


def _read(typed: str) -> Place:
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}\.(words|tags)\.[0-9]{1,4}\.[0-9]{1,4}", typed):
        return _place(None)
    iteration, sentence, table, row, column = typed.split(".")
    return Place(int(iteration), int(sentence), (table, int(row), int(column)))


PLACE = Value[Place](
    "learning.place", Place(0, 0, ("words", 1, 1)), address="at", checked=_place, reads=_read,
    writes=lambda at: ".".join(map(str, (at.iteration, at.sentence, *at.weight))),
)  # fmt: skip
CONTROLS = (PRESET, TEXT, OPTIMISER, RATE, PENALTY, START, ITERATIONS, CONVERGE, PLACE)


def settings() -> CorpusSettings:
    """How the run on screen is trained."""
    n, tolerance = (ITERATIONS.high, TOLERANCE) if CONVERGE.value else (ITERATIONS.value, 0.0)
    how = OPTIMISER.value, RATE.value, PENALTY.value, START.value
    return CorpusSettings(*how, n, tolerance=tolerance)


def corpus() -> Corpus:
    """The corpus on screen.

    Raises:
        ProblemError: It cannot be used.
    """
    return parse(TEXT.value or preset_text(PRESET.value))


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
        _controls(lesson)
    try:
        found = corpus()
    except ProblemError as error:
        st.warning(theme.markdown(str(error)))
        lesson.publish()
        return
    run = payloads.run(found, settings())
    _drawn(lesson, run, key="learning.training")
    if run.overflowed:
        st.warning(lesson.text.line("notes.overflow", n=run.iterations))
    lesson.say("run-told", told=told(run))
    lesson.say("perceptron")
    _folds(lesson, run)
    lesson.publish()


def _controls(lesson: Lesson) -> None:
    """Four in a row: what is learnt from, how fast, how firmly held; the rest in a popover."""
    say = lesson.text.line
    counts = OPTIMISER.value == "perceptron"  # whole ones: no rate, no penalty
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        PRESET.widget("Corpus", shape="select", width=205, on_change=_fresh)
        RATE.widget("Learning rate η", step=0.1, format="%g", width=135, disabled=counts)
        PENALTY.widget(
            "Penalty λ", options=[0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0], width=165,
            disabled=counts,
        )  # fmt: skip
        with st.popover(say("notes.more"), key="learning.more"):
            OPTIMISER.widget("Method", shape="select")
            START.widget("Start", shape="select")
            ITERATIONS.widget("Iterations", step=20, disabled=CONVERGE.value)
            CONVERGE.widget(f"Until ‖∇‖ < {TOLERANCE:g}")
            if not TEXT.value:
                _TYPED.set(preset_text(PRESET.value))
            st.text_area(
                say("notes.typed"), key=_TYPED.key, height=190, width=420, on_change=_typed,
                max_chars=TEXT.longest,
            )  # fmt: skip


def _typed() -> None:
    typed = _TYPED.value
    TEXT.set("" if typed.strip() == preset_text(PRESET.value) else typed or " ")


def _fresh() -> None:
    """Another preset has been chosen: what was typed gives way to it."""
    TEXT.set("")
    PLACE.reset()


def _drawn(lesson: Lesson, run: Run, *, key: str) -> None:
    """The run as the component plays it."""

    def moved() -> None:
        try:
            PLACE.set(_fitting(_read(str(client_values.state(key, "place"))), run))
        except InvalidError:
            pass  # no script of ours says that

    begins = lesson.text.line(f"starts.{'zeros' if run.settings.start == 'zeros' else 'random'}")
    place = _fitting(PLACE.value, run)._asdict() | {"begins": begins}
    data = pack(
        payloads.packed(run.corpus, run.settings), zipped({"place": place, "save": save_words()})
    )
    _TRAINING(key=key, data=data, on_place_change=moved)


def _fitting(place: Place, run: Run) -> Place:
    """The nearest place that this run has."""
    corpus, (table, row, column) = run.corpus, place.weight
    rows = len(corpus.words if table == "words" else corpus.tags)
    weight = (table, min(row, rows - 1), min(column, len(corpus.tags) - 1))
    iteration = min(place.iteration, run.iterations)
    return Place(iteration, min(place.sentence, len(corpus.sentences) - 1), weight)


# ---------------------------------------------------------------------- what the run shows


def told(run: Run) -> list[Case]:
    """What there is to say of this run, and of no other."""
    if not run.settings.tolerance:
        return [shown_by(run)]
    name = "run.converged" if run.converged else "run.not-converged"
    facts = {"tolerance": f"{run.settings.tolerance:g}", "norm": _size(run.norms)}
    return [case(name, n=run.iterations, **facts), shown_by(run)]


def shown_by(run: Run) -> Case:
    """What a run shows."""
    n, λ = run.iterations, run.settings.penalty
    wrong = {"wrong": int(run.wrong[-1].sum()), "total": sum(map(len, run.corpus.sentences))}
    length = _size(run.weights.squared().sqrt())
    if len(run.corpus.tags) == 1:
        return case("run.one-tag")
    if run.settings.is_perceptron:
        moves = torch.stack([table.diff(dim=0).abs().sum((1, 2)) for table in run.weights]).sum(0)
        last = int(moves.nonzero().max()) + 1 if moves.any() else 0
        return case("run.mistakes", n=n, last=last, **wrong)
    if run.settings.rate == 0:
        return case("run.still", nll=_size(run.nll.sum(1)), **wrong)
    if is_swinging(run):
        drawn = -run.objective
        rise = int(drawn.diff().argmax())
        low, high = (format_magnitude(drawn[k].item()) for k in (rise, rise + 1))
        return case("run.swings", low=low, high=high)
    if λ:
        return case("run.held", penalty=f"{λ:g}", length=length)
    best = run.at([n]).topk(2).scores
    if wrong["wrong"] or not (best[:, 0] - best[:, 1] > 1e-9).all():  # so p cannot grow
        return case("run.stuck", n=n, nll=_size(run.nll.sum(1)), **wrong)
    return case("run.grows", length=length, n=n, sentences=len(run.corpus.sentences))


def is_swinging(run: Run) -> bool:
    """Whether gradient ascent goes down on its way, because η is too large."""
    return run.settings.optimiser == "ascent" and bool((run.objective.diff() < -1e-6).any())


def _size(values: Tensor) -> str:
    return format_magnitude(values[-1].item())


# ---------------------------------------------------------------------- what is not needed to go on


def _folds(lesson: Lesson, run: Run) -> None:
    with lesson.fold(key="methods") as is_open:
        if is_open:
            if is_swinging(run):
                st.info(lesson.text.line("notes.too-large"))
            found = methods.methods(run.corpus, run.settings, payloads.run)
            st.html(methods.table(run.corpus, found))
            lesson.say("methods")
    if lesson.shows_everything("concave", "features"):
        with lesson.fold(key="concave") as is_open:
            if is_open:
                _starts(lesson, run)
        with lesson.fold(key="features") as is_open:
            if is_open:
                lesson.say("features")


def _starts(lesson: Lesson, run: Run) -> None:
    """How runs from all three starts move through two weights, and whether their ends are one."""
    if run.settings.is_perceptron:
        st.info(lesson.text.line("notes.no-objective"))
        return
    starts = dict.fromkeys((run.settings.start, *STARTS))
    runs = {
        START.labels[s]: payloads.run(run.corpus, replace(run.settings, start=s)) for s in starts
    }
    ends = {name: each.objective[-1].item() for name, each in runs.items()}
    apart = max(ends.values()) - min(ends.values())
    if any(map(is_swinging, runs.values())):
        reached = case("reached.swings")
    elif apart <= NEAR * max(1.0, *map(abs, ends.values())):
        reached = case("reached.same")
    else:
        reached = case("reached.apart", n=run.iterations)
    lesson.say("concave", reached=reached)
    place = _fitting(PLACE.value, run)
    first = (place.weight[0], place.weight[1:])
    others = {plane.named(run, weight): weight for weight in plane.most_moved(run, first)}
    label = lesson.text.line("plane.second", weight=plane.named(run, first))
    name = st.selectbox(label, list(others), width=330, key="learning.second")
    second = others.get(name) or next(iter(others.values()))
    figure = plain(plane.valley(runs, place.iteration, first, second), 380)
    st.plotly_chart(figure, width="stretch", key="learning.plane", config={"displayModeBar": False})
    tops = (f"{s} {'−' if end else ''}{format_magnitude(-end, 4)}" for s, end in ends.items())
    lesson.say("tops", tops=", ".join(tops))


def plain(figure: go.Figure, height: int) -> go.Figure:
    """A figure in the manner of this page."""
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(gridcolor="rgba(118,118,118,.25)", zeroline=False)
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=height,
        margin={"l": 60, "r": 10, "t": 34, "b": 45}, legend={"orientation": "h", "y": -0.28},
    )  # fmt: skip
