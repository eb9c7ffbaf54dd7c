"""The beats of Implement it: what is said of pasted numbers, forged controls, other problems."""

import math

import pytest

from crf.lab import mistakes
from crf.lab.cells import AnswerForm
from pages.implement import checking
from pages.implement.beats import BEATS, KEYS
from pages.implement.checking import QUANTITIES
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched, of_stage, opened

BY_NAME = {beat.name: beat for beat in BEATS}
PROBLEM = EXAMPLES["old-man"].problem
CHAIN = PROBLEM.chain()


def picture(name, **query):
    """The picture of a beat."""
    return BY_NAME[name].figure(state_of(query, "implement")[0])["picture"]


def said(name, **query):
    """Sentence and equation as one text."""
    now = picture(name, **query)["now"]
    return " | ".join(
        "".join(s if isinstance(s, str) else s["text"] for s in now[part])
        for part in ("say", "equation")
    )


def loss(sign):
    return f"{sign * (CHAIN.log_partition - CHAIN.viterbi().scores).item():.2f}"


ROWS = [
    ("write", {"step": "1"}, "Forward comes next"),
    ("write", {"step": "6"}, "The gradient of the loss is expected − observed"),
    ("write", {}, "python -m crf lab check homework.py"),
    ("cell", {}, "Transitions transposed. T[i, j] is"),
    ("cell", {}, "log ( exp ( 6.00 −3 −3 ) + … ) = 0.01. The first column"),
    ("cell", {"with": "pasted_beta"}, "the, DET: yours 0.97, right 3.50"),
    ("cell", {"with": "pasted_delta 1" + " 1" * 19}, "No known mistake gives these numbers"),
    ("cell", {"with": "pasted_alpha 1" + " 1" * 19}, "Log Z below the best score: "),
    ("cell", {"with": f"pasted_alpha {CHAIN.log_alphas[0].tolist()}"}, "All 20 numbers are right"),
    ("cell", {"with": "pasted_marginals " + "0.6 " * 20}, "Marginals that do not sum to 1"),
    ("cell", {"with": "pasted_path 0 1 2 0 2"}, "yours NOUN, right VERB"),
    ("cell", {"with": "pasted_alpha 1 2 3"}, "expected 5 × 4 = 20 numbers, found 3"),
    ("cell", {"with": "pasted_alpha <script>1</script>"}, "20 numbers, found 1"),
    ("cell", {"with": "form_message"}, "should be log ( exp ( +1 +5 −3 ) + … ) = 3.01"),
    ("cell", {"with": "space_probability"}, "old, ADJ: yours 151.37"),
    ("cell", {"ex": "pair-potentials"}, "a table of transitions for each step"),
    ("cell", {"ex": "no-path"}, "no path, or too many words and tags"),
    (
        "impossible",
        {},
        "because one reading cannot weigh more than all together. End left out: The",
    ),
    ("impossible", {}, "best + m log S = 25.93"),
    ("impossible", {"with": "claim_log-z 19.43"}, "This number is right"),
    ("impossible", {"with": "claim_log-z 19"}, "possible, but wrong. Max for sum"),
    (
        "impossible",
        {"with": "claim_log-z 30"},
        "too large. With 4 tags and 5 words it cannot be above 25.93",
    ),
    ("impossible", {"with": "claim_log-z 19.2"}, "no known mistake gives it"),
    ("impossible", {"with": "claim_log-z 1"}, "log Z is never below the best score"),
    ("impossible", {"with": "claim_loss"}, "Sign of the loss: "),
    ("impossible", {"with": f"claim_loss {loss(1)}"}, "This number is right"),
    ("impossible", {"with": "claim_score 19"}, "This number is right"),
    ("impossible", {"with": "claim_score 19.9"}, "a score is never above log Z"),
    ("impossible", {"with": "claim_score 7"}, "Transitions transposed: "),
    ("impossible", {"with": "claim_loss -9"}, "never negative"),
    ("hidden", {}, "3 known mistakes give the same numbers for “log Z” as right code"),
    ("hidden", {"with": "ends_off"}, "Start and end scores are 0 here, so code that forgets them"),
    ("hidden", {"ex": "ice-cream"}, "log Z"),
]


@pytest.mark.parametrize(("name", "query", "words"), ROWS)
def test_what_is_said(name, query, words):
    assert words in said(name, **query)


def test_it_opens_with_a_wrong_table_and_frames_the_cell_furthest_off_in_its_first_wrong_column():
    shown = picture("cell")
    assert shown["pasted"].startswith("[[6.00, -3.00, -2.50, -4.00], [0.02, 5.02, 4.00, 4.50]")
    assert (shown["heads"], shown["framed"]) == (["The", "old", "man"], [1, 3])
    assert shown["cells"][1][3] == {"text": "4.50", "wrong": True, "right": "0.01"}
    assert not any(cell["wrong"] for cell in shown["cells"][0])
    shares = [way["share"] for way in shown["ways"]]
    assert math.fsum(shares) == pytest.approx(1)
    assert (shown["matrix"]["took"], shown["matrix"]["belongs"]) == ([3, 0], [0, 3])


@pytest.mark.parametrize("key", QUANTITIES)
def test_a_sample_of_each_quantity_is_wrong_and_its_mistake_named(key):
    text = checking.sample(PROBLEM, key, AnswerForm())
    verdict = checking.check(PROBLEM, key, text, AnswerForm())
    assert verdict.wrong
    assert verdict.check.mistakes


def test_vessels_hold_what_the_best_reading_would_be_of_each_log_z():
    shown = picture("impossible")
    best = CHAIN.viterbi().scores.item()
    assert shown["others"][-1]["share"] == pytest.approx(math.exp(best - 19.43))
    assert shown["others"][0]["share"] == shown["yours"]["share"] > 1
    assert [one["same"] for one in shown["others"]] == [True, False, False, False]
    names = {name for name, _ in mistakes.CATALOGUE}
    assert {one["name"] for one in shown["others"][:-1]} <= names


def test_with_start_and_end_0_what_forgets_them_is_hidden():
    def hidden(**query):
        listed = picture("hidden", step=str(KEYS.index("log-z")), **query)["now"]["mistakes"]
        return {one["name"] for one in listed if one["hidden"]}

    ends = {"start left out", "start added twice", "end left out", "end added twice"}
    assert not ends & hidden()
    assert ends <= hidden(**{"with": "ends_off"})


@pytest.mark.parametrize(
    "control",
    ["pasted_nothing 1", "pasted_log-z 1", "form_x", "space_<b>", "claim_x 1", "claim_log-z 1e9",
     "claim_log-z nan", "ends_maybe", "pasted_" + "9" * 4001],
)  # fmt: skip
def test_a_forged_control_gives_the_default_and_one_sentence(control):
    for beat in BEATS:
        state, fault = state_of({"with": control}, "implement")
        drawn = view(beat, "implement", state, fault, BEATS)
        assert drawn["message"]
        assert drawn["picture"] == picture(beat.name)


def test_the_page_opens_at_the_first_wrong_cell():
    app = opened("check")
    assert not app.exception
    assert of_stage(app)["view"]["beat"] == "cell"


def test_the_starter_and_the_problem_stand_behind_the_dots():
    code = "\n".join(
        block.value for name in ("starter", "copy") for block in benched("check", name).code
    )
    assert "def forward(" in code
    assert "emissions = " in code


def test_of_many_tags_those_are_shown_that_the_framed_cell_depends_on():
    query = {"sentence": "The quick brown fox jumps over the lazy dog .", "tagger": "local"}
    shown = picture("cell", **query)
    assert len(shown["rows"]) == 6
    assert shown["matrix"]["took"]
    assert max(way["share"] for way in shown["ways"]) > 0.5
