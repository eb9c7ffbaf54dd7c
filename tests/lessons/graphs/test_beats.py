"""Graphs: what its beats say, what an open question hides, forged controls, what "⋯" opens."""

import pytest

from pages.graphs import more
from pages.graphs.beats import BEATS
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched

BY_NAME = {beat.name: beat for beat in BEATS}


def shown(name, **query):
    """The picture of a beat, and its step."""
    picture = BY_NAME[name].figure(state_of(query, "graphs")[0])["picture"]
    return picture, picture["now"]


def said(name, **query):
    """Sentence, equation, question and answer as one text."""
    _, now = shown(name, **query)
    bet = now["bet"] or {}
    parts = (now["say"], now["equation"], bet.get("question"), bet.get("answer"))
    return " | ".join(
        "".join(s if isinstance(s, str) else s["text"] for s in part or []) for part in parts
    )


ROWS = [
    ("factors", {"step": "4"}, "ψ is .8 if y₂ and y₃ are alike, and .1 if not"),
    ("factors", {"step": "4"}, "… ψ(y₂, x₂) ψ(y₂, y₃) ψ(y₃, x₃) …, with ψ = exp(score)"),
    ("factors", {"step": "1"}, "fits the 3 cones eaten: ψ is .7 if y₁ is hot, and .1"),
    ("factors", {"step": "9", "with": "cones_32221"}, "fits the one cone eaten"),
    ("factors", {"step": "3", "with": "sees_all"}, "look at all days’ cones"),
    ("factors", {"step": "3", "with": "sees_all"}, "ψ(y₂, x)"),
    ("factors", {"step": "0"}, "This one begins the chain: ψ is .5"),
    ("factors", {"step": "10"}, "how the chain ends: ψ is .1"),
    ("known", {}, "Does day 2 still tell you anything about day 4?"),
    ("known", {"bet": "no"}, "both hot with probability .656 = .968 × .678"),
    ("known", {"bet": "yes"}, "It does not."),
    ("known", {"bet": "-"}, "days 2 and 4 are both hot with .333, not .645 × .355 = .229. Now"),
    ("known", {"with": "days_--c--"}, "You know that day 3 was cold"),
    ("known", {"with": "days_-----"}, "Click a day"),
    ("known", {"with": "days_-----"}, "both hot with .333, not .645 × .355 = .229"),
    ("known", {"with": "days_h----"}, "One part is left"),
    ("known", {"with": "days_hh-hh"}, "One day is unknown"),
    ("known", {"with": "days_-h-h-"}, "falls into 3 parts"),
    ("known", {"with": "days_hhccc"}, "You know all days. This reading has probability"),
    ("questions", {}, "Which part of this table"),
    ("questions", {"bet": "cut"}, "Right: the cut is .875"),
    ("questions", {"bet": "-"}, ".5 · .7 / .4 = .875"),
    ("questions", {"bet": "-", "step": "0"}, "a day with one cone is hot with .125"),
    ("questions", {"with": "hot_.8"}, ".8 · .7 / .58 = .966"),
    ("questions", {"with": "model_discriminative"}, "learns only where to cut"),
    ("kin", {"step": "4"}, "A linear-chain CRF has squares instead of arrows"),
    ("kin", {"step": "6"}, "∏ₐ ψₐ(y at N(a), x)"),
    ("bias", {}, "What does a MEMM say?"),
    ("bias", {"bet": "rib"}, "Right. The letter is an o, but the MEMM still says rib"),
    ("bias", {"bet": "-"}, "the letter changes nothing"),
    ("bias", {"with": "letter_i"}, "raises rib to .999. The MEMM stays at .67"),
    ("bias", {"with": "evidence_0"}, "Without evidence both models say the same"),
    ("bias", {"with": "evidence_.2"}, "so weak that even the CRF keeps rib, but only with .57"),
]


@pytest.mark.parametrize(("name", "query", "words"), ROWS)
def test_what_is_said(name, query, words):
    assert words in said(name, **query)


def test_a_factor_touches_what_its_scope_names():
    for step, (touches, scope) in enumerate(
        [([0], "y₁"), ([0], "y₁, x₁"), ([0, 1], "y₁, y₂"), ([1], "y₂, x₂"), ([1, 2], "y₂, y₃")]
    ):
        _, now = shown("factors", step=str(step))
        assert (now["touches"], now["scope"]) == (touches, scope)


def test_bows_across_a_known_day_are_cut_and_no_others():
    picture, _ = shown("known", bet="-")
    assert {(b["from"], b["to"]) for b in picture["bows"] if b["cut"]} == {
        (0, 3),
        (0, 4),
        (1, 3),
        (1, 4),
    }
    assert picture["pieces"] == [[0, 1], [3, 4]]
    assert all(bow["by"] > 0.01 for bow in picture["bows"] if not bow["cut"])


def test_an_open_question_hides_its_answer_and_a_reader_s_own_change_needs_none():
    picture, now = shown("known")
    assert picture["days"] == "-----"
    assert not any(bow["cut"] for bow in picture["bows"])
    picture, now = shown("bias")
    assert picture["waits"]
    assert [model["said"] for model in picture["models"]] == [[".67", ".33"]] * 2
    for name, control in (
        ("known", "days_h----"),
        ("bias", "letter_i"),
        ("questions", "hot_.3"),
    ):
        _, now = shown(name, **{"with": control})
        assert now["bet"] is None


def test_a_memm_s_pipes_keep_their_width_and_a_crf_s_do_not():
    picture, _ = shown("bias", bet="-")
    memm, crf = (model["columns"] for model in picture["models"])
    assert [column[0] for column in memm] == [pytest.approx(2 / 3)] * 3
    assert [column[0] for column in crf] == [
        pytest.approx(2 / 3),
        pytest.approx(0.00493, abs=5e-6),
        pytest.approx(0.00493, abs=5e-6),
    ]
    assert picture["models"][1]["said"] == [".005", ".995"]
    assert picture["factor"] == {"fit": "20", "not": ".05"}


@pytest.mark.parametrize(
    "control",
    ["cones_99999", "cones_3", "days_hhhhhh", "days_<b>", "sees_x", "model_1", "hot_2", "hot_nan",
     "hot_.", "letter_e", "evidence_-1", "evidence_1e9", "nothing_1"],
)  # fmt: skip
def test_a_forged_control_gives_the_default_and_one_sentence(control):
    for beat in BEATS:
        state, fault = state_of({"with": control}, "graphs")
        drawn = view(beat, "graphs", state, fault, BEATS)
        assert control.partition("_")[0] in drawn["message"]
        plain = view(beat, "graphs", state_of({}, "graphs")[0], "", BEATS)
        assert {k: v for k, v in drawn["picture"].items() if k != "now"} == {
            k: v for k, v in plain["picture"].items() if k != "now"
        }


@pytest.mark.parametrize("name", more.EQUATIONS)
def test_a_section_has_its_equations(name):
    assert len(benched("graphs", name).latex) == len(more.EQUATIONS[name])
