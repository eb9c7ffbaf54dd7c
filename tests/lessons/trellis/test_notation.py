"""The reader's notation: each form and scale in picture, equation, symbols and address."""

import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import write
from pages.shared.ui.stage.view import state_of
from pages.trellis.beats import BEATS
from pages.trellis.notation import potential
from tests.oracles import marginals as oracle
from tests.oracles import recursions

BY_NAME = {beat.name: beat for beat in BEATS}
FORMS, SCALES = ("state", "message", "pair"), ("log", "potential")
PROBLEMS = {name: EXAMPLES[name].problem for name in ("old-man", "bio", "one-token", "no-path")}


def shown(beat, **query):
    state, fault = state_of(query, "trellis")
    assert not fault
    return BY_NAME[beat].figure(state)["picture"]


def text_of(segments):
    return "".join(one if isinstance(one, str) else one["text"] for one in segments)


def log(value):
    """A value of a payload."""
    return -math.inf if value == "-inf" else value


def expected(problem: Problem, beat: str, form: str, t: int, s: int) -> float:
    if beat == "both":
        return oracle.beta(problem, form, "sum", t, s)
    return recursions.cell(problem, form, "sum", t, s)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("beat", ["add", "both"])
def test_every_cell_is_the_oracle_s(beat, form, name):
    picture, problem = shown(beat, ex=name, form=form), PROBLEMS[name]
    L = len(problem.tokens)
    missing = {"add": 0, "both": L - 1}[beat] if form == "message" else None
    assert picture["absent"] == missing
    for t, column in enumerate(picture["values"]):
        for s, value in enumerate(column):
            if t == missing:
                assert value is None
            else:
                assert log(value) == pytest.approx(expected(problem, beat, form, t, s))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["add", "both"])
def test_each_step_s_equation_ends_with_what_its_cell_holds(mode, form, scale):
    problem = PROBLEMS["old-man"]
    S, L = len(problem.tags), len(problem.tokens)
    lacks = S if form == "message" else 0
    for step in range(lacks, S * L):
        beat = "column" if mode == "add" and step >= 3 * S else mode  # which goes on from there
        first = 3 * S if beat == "column" else lacks
        now = shown(beat, ex="old-man", form=form, scale=scale, step=str(step), bet="~")["now"]
        assert (now["step"], now["first"]) == (step, first)
        t, s = now["cell"]
        assert [t, s] == shown(beat, ex="old-man", step=str(step), bet="~")["now"]["cell"]
        value = expected(problem, mode, form, t, s)
        written = potential(value) if scale == "potential" else f"{value:.2f}".replace("-", "−")
        assert text_of(now["equation"]).endswith(f" {written}")
        assert bool(now.get("symbols")) == ((form, scale) != ("state", "log"))


def test_what_a_form_leaves_for_later_stands_in_its_sentence():
    said = text_of(shown("add", ex="old-man", form="message", step="9")["now"]["say"])
    assert "−3 is not yet in man, ADJ" in said
    said = text_of(shown("add", ex="old-man", scale="potential", step="10")["now"]["say"])
    assert "+2 becomes ×7.39" in said


@pytest.mark.parametrize("beat", [b.name for b in BEATS if b.name not in ("add", "both", "logz")])
def test_other_beats_are_as_this_course_writes_them(beat):
    plain = shown(beat, ex="old-man")
    assert shown(beat, ex="old-man", form="message", scale="potential") == plain
    assert not plain["notation"]


def test_an_open_question_is_asked_as_this_course_writes_it():
    query = {"ex": "old-man", "form": "pair", "scale": "potential"}
    asked, told = shown("logz", **query), shown("logz", **query, bet=".")
    assert (asked["form"], asked["scale"]) == ("state", "log")
    assert (told["form"], told["scale"], told["total"]["label"]) == ("pair", "probability", "Z")


def test_older_addresses_keep_their_meaning_and_unknown_forms_are_told():
    state, fault = state_of({"convention": "message", "space": "probability"}, "trellis")
    assert (state.form, state.scale, fault) == ("message", "potential", "")
    assert {"form": "message", "scale": "potential"}.items() <= write(state).items()
    for part, usual in (("form", "state"), ("scale", "log"), ("ends", "start")):
        state, fault = state_of({part: "sideways"}, "trellis")
        assert getattr(state, part) == usual
        assert "sideways" in fault
        assert fault.count(". ") == 0  # one sentence
        assert not {"form", "scale", "ends"} & write(state).keys()
