"""Behind "⋯" of Learning: the sections that draw runs until ‖∇‖ < ε, and the landscape."""

from functools import lru_cache

import pandas as pd
import streamlit as st

from pages.learning import descent
from pages.learning.corpus import corpus_of, settings_of
from pages.learning.descent import Descent, Place
from pages.learning.sentence import SENTENCE, followed_score, right_path, title_of
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.chart import BAR, look
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count
from pages.shared.ui.frame import note

EPSILONS = (0.1, 0.01, 0.001, 0.0001)
SHOWN = 25  # steps between two looks at the progress
LETTERS = {"e": "emissions", "t": "transitions", "s": "start", "z": "end"}
_landscape = lru_cache(maxsize=8)(descent.landscape)
_run = lru_cache(maxsize=8)(Descent)  # of what was learnt, and how; kept as far as it came


def climb(state: State, beat: Beat, text: LessonText) -> None:
    """Loss and ‖∇‖ of what is on screen, until ‖∇‖ < ε."""
    is_corpus = beat.name in ("corpus", "methods")
    path, rate = right_path(state), state.control("rate", SENTENCE)
    of = (corpus_of(state), settings_of(state)) if is_corpus else (state.problem, path, rate)
    st.html(text.html("climb-corpus" if is_corpus else "climb"))
    if not (is_corpus or path):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        epsilon = st.segmented_control(
            "ε", EPSILONS, default=0.01, required=True, format_func=lambda x: f"‖∇‖ < {x:g}"
        )
        starts = st.button(text.line("climb-words.run"), icon=":material/play_arrow:")
        st.button(text.line("climb-words.stop"), icon=":material/stop:")  # any press ends a run
    run = _run(of)
    if starts or not run.steps:
        _go(run, of, epsilon, is_corpus, text)
    if not run.steps:
        return
    loss, norm = run.steps[-1]
    reached = "reached" if norm < epsilon else "stopped"
    told = {"n": count(len(run.steps) - 1), "loss": f"{loss:.6g}", "norm": f"{norm:.3g}"}
    note(text.line(f"climb-words.{reached}", **told))
    names = (text.line("climb-words.loss"), "‖∇‖", text.line("climb-words.step"))
    colours = look(st.context.theme.type)
    places = st.columns(2, gap="large")
    frame = pd.DataFrame(run.steps, columns=list(names[:2])).rename_axis(names[2])
    st.dataframe(frame, width="content", height=220, key="climb.table")
    for place, figure, name in zip(
        places, descent.curves(run.steps, epsilon, colours, names), names, strict=False
    ):
        alt = text.line("climb-words.alt", name=name)
        place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"climb.{name}")


def _go(run: Descent, of: tuple, epsilon: float, is_corpus: bool, text: LessonText) -> None:
    """Take steps until the norm is below ε; a press of any button ends it, and what came stays."""
    steps = (descent.corpus_steps if is_corpus else descent.sentence_steps)(*of)
    bar, found = st.progress(0.0), []
    for n, step in enumerate(steps):
        found.append(step)
        run.steps = found
        if step[1] < epsilon or n >= descent.MOST:
            break
        if n % SHOWN == 0:
            bar.progress(
                min(1.0, epsilon / max(step[1], 1e-300)),
                text.line("climb-words.at", n=count(n), norm=f"{step[1]:.3g}"),
            )
    bar.empty()


def surface(state: State, _beat: Beat, text: LessonText) -> None:
    """The loss over two scores that one chooses, and the way down."""
    st.html(text.html("surface"))
    path, problem = right_path(state), state.problem
    if not path:
        return
    places = descent.entries(problem)
    usual = _usual(state, places)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = [
            st.selectbox(
                axis,
                places,
                index=places.index(usual[k]),
                format_func=lambda place: _title(problem, place),
                width=230,
            )
            for k, axis in enumerate("xy")
        ]
        view = st.segmented_control(
            text.line("climb-words.view"), ["contour", "3D"], default="contour", required=True
        )
    if chosen[0] == chosen[1]:
        return note(text.line("climb-words.two"))
    both = (chosen[0], chosen[1])
    found = _landscape(problem, tuple(path), both, state.control("rate", SENTENCE), 1e-3)
    names = tuple(_title(problem, place) for place in both)
    first, last = found.path[0], found.path[-1]
    told = {"n": count(len(found.path) - 1), "before": f"{first[2]:.4g}", "after": f"{last[2]:.4g}"}
    note(text.line("climb-words.way", **told))
    place = st.container()
    heads = [*names, text.line("climb-words.loss")]
    frame = pd.DataFrame(found.path, columns=heads).rename_axis(text.line("climb-words.step"))
    st.dataframe(frame, width="content", height=220, key="surface.table")
    figure = descent.surface(
        found, look(st.context.theme.type), (names[0], names[1]), is_flat=view == "contour"
    )
    alt = text.line("climb-words.surface-alt", x=names[0], y=names[1])
    place.plotly_chart(figure, theme=None, config=BAR, alt=alt, key=f"surface.{view}")
    return None


def _title(problem: Problem, place: Place) -> str:
    name, index = place
    letter = next(letter for letter, table in LETTERS.items() if table == name)
    return title_of(problem, (letter, index))


def _usual(state: State, places: list[Place]) -> tuple[Place, Place]:
    """The score that is followed as y, and the emission of the right tag at a word as x."""
    letter, index = followed_score(state)
    y = (LETTERS[letter], tuple(index))
    path = right_path(state)
    t = min(1, len(path) - 1)
    x = ("emissions", (t, path[t]))
    x = x if x in places and x != y else next(one for one in places if one != y)
    return x, y if y in places else next(one for one in places if one != x)
