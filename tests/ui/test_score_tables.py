"""Scores as two tables: what a reader may type, and what comes of it."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import ProblemError
from pages.shared.ui import score_tables
from pages.shared.ui.stage.view import state_of
from tests.apps import benched, of_stage, press

PROBLEM = EXAMPLES["old-man"].problem
FORMS = {"one table": PROBLEM, "one for each step": PROBLEM.per_step_form()}


def edited(problem, name, row, column, text, step=1):
    frames = score_tables.frames(problem, list(problem.tokens), step)
    frames[name].iloc[row, column] = text
    return score_tables.read(problem, frames, step)


@pytest.mark.parametrize("problem", FORMS.values(), ids=FORMS)
def test_what_is_not_touched_does_not_change(problem):
    assert score_tables.read(problem, score_tables.frames(problem, list(problem.tokens))) == {}


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("-inf", -math.inf),
        ("−∞", -math.inf),
        ("−2.5", -2.5),
        (" 1/4 ", 0.25),
        ("log .4", math.log(0.4)),
    ],
)
@pytest.mark.parametrize("name", ["emissions", "transitions", "ends"])
def test_a_score_is_read_as_everywhere_and_stands_in_its_place(name, typed, value):
    ((table, index), score), *others = edited(PROBLEM, name, 1, 0, typed).items()
    assert not others
    assert (table, index) == {
        "emissions": ("emissions", (1, 0)),
        "transitions": ("transitions", (1, 0)),
        "ends": ("end", (0,)),
    }[name]
    assert score == value


def test_of_a_matrix_for_each_step_the_chosen_one_changes():
    problem = FORMS["one for each step"]
    assert [*edited(problem, "transitions", 0, 1, "9", 2)] == [("transitions", (1, 0, 1))]


@pytest.mark.parametrize("typed", ["", None, "seven", "nan", "1e400", "inf"])
def test_what_is_no_score_is_refused_by_its_name(typed):
    with pytest.raises(ProblemError, match=f"{PROBLEM.tokens[1]}, {PROBLEM.tags[0]}"):
        edited(PROBLEM, "emissions", 1, 0, typed)


def test_the_folded_matrix_has_start_and_end():
    frame = score_tables.folded(PROBLEM)
    assert frame.shape == (len(PROBLEM.tags) + 2,) * 2
    assert frame.iloc[0, 1] == score_tables.written(PROBLEM.start[0])


def test_fills_and_blank_scores_are_orders_to_the_stage():
    app = press(benched("forward", "scores", ex="old-man"), "All zero")
    assert not app.exception
    zero = EXAMPLES["old-man"].problem.zeros()
    assert of_stage(app)["order"] == 1
    state, _ = state_of({k: v for k, v in of_stage(app)["set"].items() if v}, "trellis")
    assert state.problem == zero
    app = press(benched("forward", "scores", ex="old-man"), "Transitions per step")
    state, _ = state_of({k: v for k, v in of_stage(app)["set"].items() if v}, "trellis")
    assert state.problem == PROBLEM.per_step_form()
