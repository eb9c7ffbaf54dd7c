"""What is remembered between runs, and what a browser may send."""

import pytest

from pages.shared.figures.analysis import FREE, analyse
from pages.shared.ui.state import ByHand
from pages.tag.sentence import check_choice, sentence_data
from tests.pages.garden_path import TAGS, TOKENS, GardenPath


class TestByHand:
    def make(self):
        return ByHand(("bilstm", ("a", "b")), (-1, -1))

    def test_choose_undo_clear(self):
        hand = self.make()
        hand.choose(1, 3)
        hand.choose(0, 2)
        assert hand.fixed == (2, 3)
        hand.undo()
        assert hand.fixed == (-1, 3)
        hand.clear()
        assert hand.fixed == (-1, -1)
        hand.undo()
        assert hand.fixed == (-1, 3)

    def test_undo_with_nothing_to_undo(self):
        hand = self.make()
        hand.undo()
        assert hand.fixed == (-1, -1)

    def test_the_same_choice_twice_is_one_step(self):
        hand = self.make()
        hand.choose(0, 1)
        hand.choose(0, 1)
        hand.undo()
        assert hand.fixed == (-1, -1)


@pytest.fixture(scope="module")
def record():
    return analyse(GardenPath(), TOKENS, (FREE, 1, FREE, FREE, FREE))


@pytest.mark.parametrize("choice", [{"token": 0, "tag": 3}, {"token": 4, "tag": FREE}])
def test_good_choices(record, choice):
    assert check_choice(choice, record) == (choice["token"], choice["tag"])


@pytest.mark.parametrize(
    "choice",
    [
        None,
        "x",
        3,
        [],
        {},
        {"token": 0},
        {"token": -1, "tag": 0},
        {"token": len(TOKENS), "tag": 0},
        {"token": 0, "tag": len(TAGS)},
        {"token": 0, "tag": -2},
        {"token": True, "tag": 0},
        {"token": 0, "tag": 1.0},
        {"token": 0, "tag": float("nan")},
        {"token": "0", "tag": "1"},
        {"token": [0], "tag": {}},
        {"token": 10**400, "tag": 0},
    ],
)
def test_forged_choices(record, choice):
    assert check_choice(choice, record) is None


def test_what_the_component_draws(record):
    words = sentence_data(record)["words"]
    assert [word["text"] for word in words] == list(TOKENS)
    assert [word["fixed"] for word in words] == [False, True, False, False, False]
    assert words[1]["tag"] == TAGS[1]
    assert words[1]["value"] == "1"
    assert words[4]["unknown"]
    for word, p in zip(words, record.marginals, strict=True):
        options = [int(value) for value, _ in word["options"]]
        assert options[0] == FREE
        assert sorted(options[1:]) == list(range(len(TAGS)))
        assert [p[s] for s in options[1:]] == sorted(p, reverse=True)
