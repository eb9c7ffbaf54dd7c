"""What is saved as a file says the same at the same places as what is on screen."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.browser.mounted import live, near
from tests.browser.scripts import script

SAVED = script("saved")
OLD_MAN = EXAMPLES["old-man"].problem


@pytest.mark.parametrize("name", ["viterbi", "flow"])
def test_what_is_saved_says_the_same_at_the_same_places(draw, name):
    found = draw(live(name, OLD_MAN)).evaluate(SAVED)
    assert not re.search(r"NaN|undefined|color-mix|var\(|class=| style=|tabindex=", found["text"])
    for one in found["saved"]:
        assert 0 <= one["x"] - one["wide"] / 2 < one["x"] + one["wide"] / 2 <= found["wide"] + 2
        assert 8 <= one["y"] <= found["high"] - 8
    ours = found["shown"]
    away = []
    for shown in ours:
        same = [one for one in found["saved"] if one["text"] == shown["text"]]
        away += [(round(one["x"] - shown["x"]), round(one["y"] - shown["y"])) for one in same]
    dx, dy = max(set(away), key=away.count)  # what most of it is moved by
    for shown in ours:
        same = [
            one
            for one in found["saved"]
            if one["text"] == shown["text"]
            and math.hypot(one["x"] - shown["x"] - dx, one["y"] - shown["y"] - dy) < 5
        ]
        assert len(same) == 1 + shown["halo"], shown
        assert same[-1]["stroke"] == "none", shown
        if shown["halo"]:  # what is drawn first makes room for it
            assert same[0]["stroke"] == same[0]["fill"] != same[1]["fill"]


def test_a_picture_stands_alone(draw):
    found = draw(live("flow", OLD_MAN)).evaluate(SAVED)
    said = " ".join(one["text"] for one in found["saved"])
    assert "Heights and widths are probabilities." in said
    assert "Click" not in said
    assert found["frames"][0][3:] == [near(found["wide"]), near(found["high"])]  # white paper
