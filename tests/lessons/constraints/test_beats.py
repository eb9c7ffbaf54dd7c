"""The beats on constraints as rows of one table, and the page with what stands behind "⋯"."""

import json

import pytest

from pages.constraints import beats
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.stage.view import state_of, view
from tests.apps import benched, table

BEATS = {beat.name: beat for beat in beats.BEATS}
BIO = {"t": "B~I~O", "w": "x~y~z"}
ONE_PATH = BIO | {"e": "1_x_x~x_1_x~1_x_x"}  # the emissions leave one path
NO_PATH = BIO | {"e": "x_1_x~0_0_0~0_0_0"}  # I comes first


def plain(segments):
    return "".join(s if isinstance(s, str) else s["text"] for s in segments or [])


def shown(name, query):
    state, fault = state_of(query, "constraints")
    return view(BEATS[name], "constraints", state, fault, beats.BEATS)


def told(name, query):
    now = shown(name, query)["picture"]["now"]
    bet = now["bet"] or {}
    parts = (now["say"], now["equation"], bet.get("question"), bet.get("answer"))
    return " | ".join(map(plain, parts))


ROWS = [
    ("broken", {}, "Here I-PER comes after B-LOC, which breaks the rules."),
    ("broken", {"bet": "-"}, "after B-LOC comes I-PER, but no name is tagged"),
    ("broken", {"bet": "-"}, "B begins a name, I continues it"),
    ("broken", {"bet": "p76"}, "Right: 76 % goes to"),
    ("broken", {"bet": "p24"}, "Not quite: it is 76 %"),
    ("broken", {"ex": "old-man", "bet": "-"}, "after B-LOC comes I-PER, but no name is tagged"),
    ("broken", {"ex": "old-man", "bet": "-"}, "The tags of your sentence have no rules"),
    ("broken", {"t": "B~O", "w": "x"}, "Nothing is forbidden here yet"),
    ("broken", {"t": "B~O", "w": "x", "e": "x_x"}, "allow no reading at all"),
    ("broken", NO_PATH, "leave no reading at all"),
    ("broken", {"with": "flip_5.3", "bet": "-"}, "it begins with B-LOC"),
    ("broken", {"t": "B~I~O", "w": "x~y", "e": "0_9_0~0_0_9", "bet": "-"}, "no name begins that"),
    ("breaks", {}, "76 % of the probability goes to them"),
    ("breaks", {}, "and likewise for each kind. 571 of 3,125 readings"),
    ("breaks", {"ex": "old-man"}, "571 of 3,125 readings"),
    ("breaks", {"with": "flip_0.0"}, "your own table"),
    ("breaks", ONE_PATH, "by a −∞. So nothing is hatched"),
    ("breaks", {"t": "B~O", "w": "x"}, "No reading of this length breaks a rule"),
    ("switch", {}, "The best of them is B-PER I-PER O B-LOC I-LOC"),
    ("switch", {}, ".017 ÷ .24 = .071"),
    ("switch", NO_PATH, "invents no path"),
    (
        "part",
        {},
        "You know that Hilton (2) is in the name of a place, so 3 blocks are out. Which tag is now",
    ),
    ("part", {"bet": "-"}, "In that part, Paris (1) is B-LOC with .75 instead of .47"),
    ("part", {"bet": "-"}, "loss = 12.64 − 11.61 = 1.03"),
    ("part", {"bet": "t3"}, "Right: B-LOC has .75 of what is left, instead of .47"),
    ("part", {"bet": "t1"}, "Not quite: it is B-LOC"),
    ("part", {"with": "out_none"}, "You have ruled nothing out"),
    ("part", {"with": "out_0.0-0.1-0.2-0.3-0.4"}, "the loss is infinite"),
    (
        "part",
        {"with": "out_2.0", "bet": "-"},
        "agrees with what you know. In that part, Hilton (2) is",
    ),
    ("train", {}, "If Z counts broken readings, the best allowed reading has .017"),
    ("train", {}, "softmax 68.8 % (52 broken labels), softmax cut in decoding 70.7 %"),
    ("train", ONE_PATH, "both sums Z are the same"),
    ("part", BIO | {"e": "9_0_0~9_0_0~9_0_0", "bet": "-", "with": "out_0.2"}, "with >.99"),
    ("who", {}, "A decoder that picks each tag by itself may not"),
    ("who", {}, "breaks 7 rules with posterior decoding, and 1,870 with greedy"),
    ("who", {"t": "B~O", "w": "x", "e": "x_x"}, "no decoder can return one"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_is_said(name, query, said):
    assert said in told(name, query)
    now = shown(name, query)["picture"]["now"]
    asks = now["bet"] and query.get("bet") != "-"
    text = now["bet"]["answer"] or now["bet"]["question"] if asks else now["say"] + now["equation"]
    assert len(plain(text).split()) <= 50


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_column_has_the_same_share(example):
    for name in ("breaks", "part"):
        picture = shown(name, {"ex": example, "bet": "-"})["picture"]
        for column in picture["blocks"]:
            whole = sum(p for p, _ in column)
            assert sum(kept for _, kept in column) == pytest.approx(picture["share"], abs=1e-4)
            assert whole == pytest.approx(1, abs=1e-4) or whole == 0
        for t, i, j, p, kept in picture["ribbons"]:
            assert 0 <= kept <= p + 1e-6
            assert p <= min(picture["blocks"][t][i][0], picture["blocks"][t + 1][j][0]) + 1e-5


def test_no_answer_is_sent_before_its_question_is_answered():
    first = shown("broken", {})["picture"]
    assert first["share"] is None
    assert all(p == kept for column in first["blocks"] for p, kept in column)
    part = shown("part", {})["picture"]
    assert part["share"] is None
    assert all(p == kept for column in part["blocks"] for p, kept in column)
    assert shown("part", {"bet": "-"})["picture"]["share"] == pytest.approx(0.356228)


def test_who_obeys():
    rows = shown("who", {})["picture"]["rows"]
    assert {row["name"]: row["breaks"] for row in rows} == {
        "Viterbi": [],
        "second best": [],
        "a sample": [],
        "greedy, left to right": [],
        "posterior": [],
        "greedy, each word": [1],
    }
    rows = shown("who", {"ex": "bio"})["picture"]["rows"]
    assert [row["breaks"] for row in rows if row["name"] == "posterior"] == [[1]]


@pytest.mark.parametrize("control", ["flip_1", "flip_-1.0", "out_1.2.3", "out_<b>", "out_x.1",
                                     "scheme_all", "out_" + "-".join(["1.1"] * 900)])  # fmt: skip
@pytest.mark.parametrize("name", BEATS)
def test_what_cannot_be_read_gives_the_default_and_a_sentence(name, control):
    found = shown(name, {"with": control, "bet": "-"})
    many = control.count("1.1") == 900  # one cell, said again and again
    assert (found["message"] == "") == many
    if not many:
        assert found["picture"] == shown(name, {"bet": "-"})["picture"]
    json.dumps(found, allow_nan=False)


def test_cells_read_back():
    for cells in (frozenset(), frozenset({(0, 1), (12, 3)})):
        assert beats.read_cells(beats.write_cells(cells)) == cells


def test_the_page_begins_with_names_and_a_link_keeps_its_example():
    app = benched("constraints", "decoders")
    about = [row[-1] for row in table(app, "The decoders")]
    assert "✗ forbidden" in about
