"""Scores behind "⋯" as two tables: typed, pasted from a spreadsheet, filled, loaded, saved.

The picture changes when the reader applies what was typed; until then the section says what would
come of it. Whatever changes the scores is an order to the stage.
"""

import secrets
from collections.abc import Callable
from functools import partial

import streamlit as st

from crf.figures.numbers import format_score
from crf.figures.trellis.narration import printable
from pages.shared.course.problem import EOS, ROOT, Problem, ProblemError
from pages.shared.course.problem_files import CSV_TABLES, from_csv, from_json, to_csv, to_json
from pages.shared.course.state import State, changed
from pages.shared.figures import theme
from pages.shared.ui import bench, computed, score_tables
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.score_tables import ScorePlace, written
from pages.shared.ui.stage import reader
from pages.shared.ui.state import SessionValue, complain
from pages.shared.ui.words import say

MOST_SEED, LONGEST = 10**6, 100_000
CHIPS = 12  # changes that are listed
_TIMES = SessionValue("scores.times", 0)  # how often what was typed has been applied or undone
Put = Callable[[Callable[[], Problem]], None]


def show(lesson: str, state: State) -> None:
    """Draw the tables of scores for a lesson's state."""

    def put(make: Callable[[], Problem]) -> None:
        try:
            reader.order(lesson, **changed(state, make()))
            _TIMES.set(_TIMES.value + 1)
        except ProblemError as error:
            complain(f"{error}.")

    problem = state.problem
    _edited(problem, put)
    _fills(problem, put)
    _others(lesson, problem, put)


def _edited(problem: Problem, put: Put) -> None:
    """Both tables, and what would come of the changes in them."""
    step = 1
    if problem.per_step and len(problem.tokens) > 1:
        words = bench.heads(problem)
        step = st.selectbox(
            say("tables.step"),
            range(1, len(words)),
            format_func=lambda t: f"{words[t - 1]} → {words[t]}",
            width=260,
        )
    frames = score_tables.frames(problem, bench.heads(problem), step)
    left, right = st.columns(2, gap="large")
    edited = {}
    for name, frame in frames.items():
        with left if name == "emissions" else right:
            if name != "ends":
                ink = "green" if name == "emissions" else "violet"
                st.markdown(f":{ink}[**{say(f'tables.{name}')}**] {say(f'tables.{name}-axes')}")
            columns = {
                tag: st.column_config.TextColumn(printable(tag), alignment="right", max_chars=60)
                for tag in frame.columns
            }
            # other scores than those on screen are another table
            key = f"scores.{name}.{_TIMES.value}.{hash((problem, step))}"
            edited[name] = st.data_editor(
                frame, key=key, column_config=columns, disabled=["_index"], height="content"
            )
    try:
        changes = score_tables.read(problem, edited, step)
    except ProblemError as error:
        st.warning(theme.markdown(f"{error}."))
        return
    if changes:
        _pending(problem, changes, put)


def _pending(problem: Problem, changes: dict[ScorePlace, float], put: Put) -> None:
    """What the changes would do, each of them, and the buttons."""
    after = problem.with_scores(changes)
    a, b, c, buttons = st.columns([2, 2, 4, 3])
    before, then = (computed.summary(one) for one in (problem, after))
    quiet = partial(st.metric, delta_color="off", delta_arrow="off")
    with a:
        quiet("log Z", format_score(then.log_z), say("tables.was", x=format_score(before.log_z)))
    if then.feasible:
        best = [_best(one) if computed.summary(one).feasible else "–" for one in (problem, after)]
        was = say("tables.was", x=best[0]) if best[0] != best[1] else None
        with b:
            quiet(say("tables.p-best"), _p(after), say("tables.was", x=_p(problem)))
        with c:
            quiet(say("tables.best"), best[1], was)
    chips = [
        f"{printable(score_tables.title(problem, place))} "
        f"{written(problem.score_at(*place))} → {written(value)}"
        for place, value in changes.items()
    ]
    chips[CHIPS:] = [f"+ {len(chips) - CHIPS}"] if len(chips) > CHIPS else []
    st.markdown(" ".join(f":gray-badge[{theme.markdown(chip)}]" for chip in chips))
    with buttons:
        label = say("tables.apply", n=len(changes))
        st.button(label, type="primary", on_click=put, args=(lambda: after,), width="stretch")
        undo = partial(_TIMES.set, _TIMES.value + 1)
        st.button(say("tables.undo"), on_click=undo, width="stretch")


def _best(problem: Problem) -> str:
    return problem.named(computed.best_path(problem))


def _p(problem: Problem) -> str:
    if not computed.summary(problem).feasible:
        return "–"
    return theme.log_probability(computed.decoded(problem)[0].log_p)


def _fills(problem: Problem, put: Put) -> None:
    """Buttons for other scores: zeros, symmetric, random; a matrix for each step, or one."""
    seed = secrets.randbelow(MOST_SEED)
    fills = {"zero": problem.zeros, "symmetric": problem.symmetric}
    fills |= {"random": lambda: problem.random(seed)}
    fills |= {"one-step" if problem.per_step else "steps": partial(_other_form, problem)}
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, fill in fills.items():
            st.button(
                say(f"tables.{name}"), help=say(f"tables.{name}-help"), on_click=put, args=(fill,)
            )
        is_folded = st.toggle(
            say("tables.folded", root=ROOT, eos=EOS), help=say("tables.folded-help")
        )
    if is_folded:
        folded(problem)


def _other_form(problem: Problem) -> Problem:
    if not problem.per_step:
        return problem.per_step_form()
    try:
        return problem.homogeneous_form()
    except ProblemError as error:
        raise ProblemError(say("tables.steps-differ", why=error)) from None


def folded(problem: Problem) -> None:
    """Show the (S+2) × (S+2) matrix read-only."""
    note(say("tables.folded-note", n=len(problem.tags) + 2, root=ROOT, eos=EOS))
    st.dataframe(score_tables.folded(problem), height="content", key="scores.folded")


def _others(lesson: str, problem: Problem, put: Put) -> None:
    """Blank scores, pasted ones, files."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(say("bar.words"), placeholder="she can fish", width=240)
        tags = st.text_input(say("bar.tags"), placeholder="N V AUX", width=240)
        begins = st.button(say("bar.begin"))
    label, help_ = say("scores.paste"), say("scores.paste-help")
    pasted = st.text_area(label, height=100, help=help_, max_chars=LONGEST)
    uses = st.button(say("scores.use"))
    if begins or uses:
        put(lambda: read(problem, pasted) if uses else _blank(tags, words))
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = {f"{table}.csv": partial(to_csv, problem, table) for table in CSV_TABLES}
        for name, make in {"problem.json": partial(to_json, problem), **kinds}.items():
            st.download_button(
                name,
                make,
                name,
                on_click="ignore",
                icon=":material/download:",
                key=f"scores.{name}",
            )
    loader(
        say("bar.load"),
        say("bar.expected"),
        f"{lesson}.file",
        lambda content, _name: put(lambda: read(problem, content.decode("utf-8", "replace"))),
    )


def _blank(tags: str, words: str) -> Problem:
    return Problem.blank(tags.split(), words.split())


def read(problem: Problem, text: str) -> Problem:
    """The scores of a text: a problem as JSON, or one of a problem's tables as CSV.

    Raises:
        ProblemError: It is neither; the message says what was expected.
    """
    if text.lstrip().startswith("{"):
        return from_json(text)
    corner = text.lstrip().partition(",")[0].strip()
    table = {"token": "emissions", "score": "start_end"}.get(corner, "transitions")
    return from_csv(problem, table, text)
