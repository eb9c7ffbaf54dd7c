"""From words to scores: what is said and drawn is the tagger's own, and the card's."""

import json
import math

import pytest
import torch

from crf.tagger import Tagger
from crf.tagger.bundled import shipped
from pages.shared.course.state import read
from pages.shared.ui import taggers
from pages.shared.ui.stage.scores import give
from pages.shared.ui.stage.view import state_of, view
from pages.words import judging, pictures
from pages.words.beats import BEATS
from tests.beats.test_every_beat import plain

WORDS = ("We", "need", "to", "google", "the", "new", "iPhone", ".")
BY_NAME = {beat.name: beat for beat in BEATS}
LOCAL = {"ex": "arrow"}


def state(query):
    return state_of({"ex": "her-work"} | query, "words")[0]


def told(name, query):
    """Sentence, equation, question and answer of a state, as one text."""
    now = BY_NAME[name].now(state(query))
    bet = now["bet"] or {}
    parts = (now["say"], now["equation"], bet.get("question"), bet.get("answer"))
    return " | ".join(map(plain, parts))


def figure(name, query):
    return BY_NAME[name].figure(state(query))["picture"]


ROWS = [
    ("network", {"step": "1"}, "takes along what it has read, and its numbers for her"),
    ("network", {"step": "1"}, "H̄ = biLSTM( x ): [5, 288] → [5, 512]"),
    (
        "network",
        {"step": "0"},
        "it looks up a vector for her and vectors for its spelling: 288 numbers",
    ),
    ("network", {"step": "0"}, "Row 0 is <PAD>"),
    (
        "network",
        {"step": "2"},
        "For her, the highest is that of PRON. | H = H̄ W + b: [5, 512] → [5, 17]",
    ),
    ("network", {"step": "2", "with": "word_3"}, "For work, the highest is that of NOUN"),
    ("network", LOCAL | {"step": "1"}, "This tagger has no LSTM"),
    (
        "network",
        {"step": "0", "ex": "", "sentence": "The blorptastic cat"},
        "The training data did not contain blorptastic",
    ),
    ("network", {"step": "0", "ex": "old-man"}, "These scores come without a network"),
    ("replace", {}, "her becomes to. Which other word’s scores move most?"),
    (
        "replace",
        {"bet": "w3"},
        "Right: the scores of work move by up to 7.0, and its best tag turns from NOUN to VERB.",
    ),
    ("replace", {"bet": "w0"}, "Not quite: the scores of work move most, by up to 7.0"),
    ("replace", {"bet": "-"}, "work is still the same word. But its neighbour changed"),
    ("replace", {"bet": "-", "with": "other_his"}, "is still the same word, and"),
    ("replace", {"with": "other_her"}, "No other word’s scores move"),
    ("replace", LOCAL, "Only to itself has new scores"),
    ("replace", {"ex": "", "sentence": "Fish"}, "The sentence has only one word"),
    ("train", {}, "Epoch 6 of 8, step 143 of 200. This batch: −( Σ log p ) / 16 = 5.1"),
    ("train", {"step": "9"}, "After 8 of them, the tagger gets 87 % of the words right"),
    ("batches", {}, "Which batch size has the lowest loss after one pass?"),
    (
        "batches",
        {"bet": "of-1"},
        "Right. Its steps miss, but it takes more of them: the loss falls to 1.4",
    ),
    ("batches", {"bet": "of-64"}, "Not quite."),
    (
        "good",
        {},
        "the CRF gets 69 % right, and the same network with a softmax 54 %. | A bin is 100",
    ),
    ("good", {}, "Both taggers promise too much"),
    (
        "good",
        {"with": "cut_0"},
        "The CRF gets 54 % of all sentences right, and the same network",
    ),
    ("good", {"with": "tagger_bilstm"}, "69.0"),
    ("good", {"with": "tagger_bilstm"}, "68.0 %"),
    (
        "good",
        {"with": "tagger_names"},
        "softmax breaks the BIO rule 52 times, but the CRF never does",
    ),
    ("errs", {}, "Of 1,867 words that are PROPN, the tagger calls 247 NOUN. This is its most"),
    ("errs", {"step": "1"}, "the tagger calls"),
]


@pytest.mark.parametrize(("name", "query", "said"), ROWS)
def test_what_is_said(name, query, said):
    assert said in told(name, query)


def test_a_clicked_mistake_is_told_at_its_step_alone():
    table = figure("errs", {})
    right, given = table["tags"].index("NOUN"), table["tags"].index("ADP")
    clicked = {"with": f"mistake_1.{right}.{given}"}
    assert "that are NOUN, the tagger calls 4 ADP" in told("errs", clicked | {"step": "1"})
    assert "the tagger calls 4 ADP" not in told("errs", clicked | {"step": "2"})


FORGED = [
    "word_-1", "word_1e3", "word_999", "other_", "other_two words", "other_" + "x" * 41,
    "encoder_big", "batch_3", "rate_nan", "training_" + "0" * 16, "tagger_evil", "cut_-3",
    "cut_nan", "cut_100", "mistake_1.2", "mistake_a.b.c", "mistake_1.99.99", "nothing_1",
]  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_control_gives_the_default_and_at_most_a_sentence(forged):
    for beat in BEATS:
        asked, fault = state_of({"ex": "her-work", "with": forged}, "words")
        shown = view(beat, "words", asked, fault, BEATS)
        usual = view(beat, "words", state({}), "", BEATS)
        assert shown["picture"] == usual["picture"]
        assert not shown["message"] or shown["message"].endswith(".")


@pytest.mark.parametrize("other", ["<b>", "😀", "שלום", "«”", "%00", "a" * 40])
def test_any_word_may_replace_another(other):
    asked, _ = read({"ex": "her-work", "with": f"other_{other}"}, give)
    shown = BY_NAME["replace"].figure(asked)["picture"]
    assert shown["other"] == other
    json.dumps(shown, allow_nan=False)


def test_what_replaces_a_word_is_not_told_before_the_bet():
    assert "after" not in figure("replace", {})
    assert "after" in figure("replace", {"bet": "-"})
    assert all(len(one["losses"]) == 1 for one in figure("batches", {})["targets"])
    assert all(len(one["losses"]) > 1 for one in figure("batches", {"bet": "-"})["targets"])


# ---------------------------------------------------------------------- the network


@pytest.fixture(scope="module", params=["bilstm", "local"])
def tagger(request):
    torch.set_num_threads(1)
    return request.param, Tagger.load(shipped(request.param))


def test_the_layers_lead_to_the_taggers_own_emissions(tagger):
    key, model = tagger
    found = pictures.layers_of(key, WORDS)
    states = found.vectors if found.right is None else torch.cat([found.right, found.left], dim=1)
    assert found.vectors.shape == (len(WORDS), model.sizes.token_dim)
    assert torch.allclose(model.projection(states), found.emissions, atol=1e-5)
    assert torch.allclose(found.emissions, model.chain([WORDS]).potentials.emissions[0].float())


def test_a_changed_word_moves_others_through_the_lstm_only(tagger):
    key, model = tagger
    other = (*WORDS[:2], "eat", *WORDS[3:])
    before, after = pictures.layers_of(key, WORDS), pictures.layers_of(key, other)
    moved = pictures.Replaced(2, "eat", before, after).moved
    others = [x for t, x in enumerate(moved) if t != 2]
    assert moved[2] > 0.1
    assert (max(others) > 0.1) == (model.encoder.lstm is not None)


def test_the_influence_in_the_picture_is_the_move_of_the_emissions():
    after = figure("replace", {"bet": "-"})["after"]
    chains = [
        taggers.get("bilstm").chain([words.split()]).potentials.emissions[0]
        for words in ("I like her work .", "I like to work .")
    ]
    moved = (chains[1] - chains[0]).abs().amax(dim=1).tolist()
    assert after["moved"] == pytest.approx(moved, abs=1e-3)
    assert after["most"] == 3
    work = {one["tag"]: (one["was"], one["score"]) for one in after["emissions"][3]}
    tags = taggers.get("bilstm").tags
    for tag in ("NOUN", "VERB"):
        expected = tuple(chain[3, tags.index(tag)].item() for chain in chains)
        assert work[tag] == pytest.approx(expected, abs=1e-3)


def test_an_unknown_word_is_looked_up_as_unknown(tagger):
    assert pictures.indices(tagger[1], "blorptastic")[0][2] == pictures.UNKNOWN == 1


# ---------------------------------------------------------------------- how good, where it errs


@pytest.mark.parametrize("choice", judging.TWINS)
def test_the_columns_hold_the_cards_sentences(choice):
    for one in judging.twins(state({}), choice):
        if one.columns:
            total = sum(column["sentences"] for column in one.columns)
            assert total == 2001
            # a twin's columns come from the same training on another processor
            assert sum(c["right"] for c in one.columns) / total == pytest.approx(
                one.right, abs=3e-3
            )
        assert one.broken == {"crf": 0, "softmax": 52}[one.name] if choice == "names" else True


def test_wilsons_interval_by_hand():
    low, high = judging.interval(0, 10)
    assert (low, round(high, 4)) == (pytest.approx(0, abs=1e-12), 0.2775)
    assert judging.interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_the_least_sure_columns_go_first_and_the_rest_gets_better():
    crf, softmax = figure("good", {})["rows"]
    for row in (crf, softmax):
        promised = [column["promised"] for column in row["columns"]]
        assert promised == sorted(promised)
        assert row["rests"][0] == pytest.approx(row["right"], abs=2e-3)
        assert row["rests"][6] > row["rests"][0]
    assert crf["right"] == pytest.approx(0.5422, abs=1e-4)
    assert softmax["right"] == pytest.approx(0.3983, abs=1e-4)


def test_confusions_by_hand():
    card = {"confusion": [[5, 1, 0], [2, 7, 0], [0, 0, 3]]}
    table = judging.confusions(card, ["A", "B", "C"], 2)
    assert table == (("A", "B", ""), [[5, 1, 0], [2, 7, 0], [0, 0, 3]])
    assert table.ranked == [(1, 0), (0, 1)]
    assert judging.confusions({}, ["A"]).ranked == []


def test_the_examples_have_the_mistake():
    for choice in judging.TWINS:
        shown = figure("errs", {"with": f"tagger_{choice}"})
        right, given = (shown["tags"][k] for k in shown["now"]["mistake"])
        key = judging.TWINS[choice]
        for one in shown["now"]["examples"]:
            found = taggers.get(key).tag([one["words"]])[0][one["token"]]
            gold = next(s for s in judging.judged_by(key) if list(s.words) == one["words"])
            assert (gold.tags[one["token"]], found) == (right, given)


def test_mistakes_of_a_sentence():
    one = judging.Measured(
        ("a", "b", "c", "d"), ("X", "X", "Y", "X"), ("X", "Y", "X", "Y"), (1.0, 0.5, 0.9, 0.25)
    )
    assert one.wrong() == [1, 2, 3]
    assert one.wrong(("X", "Y")) == [1, 3]


def test_calibration_by_hand():
    words = ("a", "b", "c", "d")
    found = judging.Measured(words, tuple("XXYX"), tuple("XYYX"), (0.92, 0.98, 0.55, 0.51))
    bins = judging.calibration([found])
    assert [(one.words, one.right) for one in bins] == [(2, 1.0), (2, 0.5)]
    assert judging.calibration_error(bins) == pytest.approx((2 * 0.47 + 2 * 0.45) / 4)
    assert judging.calibration_error([]) == 0.0


def test_the_most_disliked_come_first_and_the_forbidden_not_at_all():
    rows = judging.disliked([[0.5, -math.inf], [-1.0, 2.0]], ["A", "B"], [])
    assert [row[0] for row in rows] == ["B → A", "A → A", "B → B"]
