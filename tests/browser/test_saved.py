"""What is saved as a file says the same at the same places as what is on screen."""

import math
import re

import pytest

from tests.browser.mounted import near, sent
from tests.browser.scripts import script

SAVED = script("saved")


def test_the_keys_of_what_is_saved_are_those_that_are_on(draw):
    figure = draw(sent("viterbi", draw="greedy")["trellis_stepper"])  # where they are not shown
    keys = figure.locator(".legend .key:not(.of-way)").all_inner_texts()
    found = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
    assert keys == [text for text in found if text in keys]
    figure = draw(sent("viterbi", draw="greedy", all="1")["trellis_stepper"])
    hatching = re.compile(r'd="M[\d.]+ [\d.]+L[\d.]+ [\d.]+M')  # of the key of −∞
    assert hatching.search(figure.evaluate(SAVED)["text"])
    for shown in (keys, [key for key in keys if key != "Greedy"]):
        found = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
        assert [text for text in found if text in keys] == shown
        assert not [text for text in found if "hover" in text]  # nobody points at a file
        figure.get_by_role("button", name="Greedy").click()
    assert shown != keys
    figure.evaluate("root => root.classList.add('unseen')")  # while one guesses
    found = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
    assert [key for key in keys if key in found] == [
        key for key in keys if key != "Greedy" and "given up" not in key
    ]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("viterbi", "trellis_stepper"),
        ("viterbi", "flow"),
        ("cost", "product_tree"),
        ("graphs", "model_graph"),
    ],
)
def test_what_is_saved_says_the_same_at_the_same_places(draw, address, name):
    found = draw(sent(address)[name]).evaluate(SAVED)
    assert not re.search(r"NaN|undefined|color-mix|var\(|class=|style=|tabindex=", found["text"])
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


def test_frames_and_underlines_are_saved_where_they_stand(draw):
    figure = draw(sent("scores")["path_picker"])
    found = figure.evaluate(SAVED)["frames"]
    left, top = (figure.bounding_box()[side] - 4 for side in "xy")  # a margin of 4

    def box(part, grow):
        box = part.bounding_box()
        x, y = box["x"] - left - grow, box["y"] - top - grow
        return [near(n) for n in (x, y, box["width"] + 2 * grow, box["height"] + 2 * grow)]

    solid = ["rgb(213,94,0)", None]
    for cell in figure.locator(".cell").all():
        assert [["rgb(118,118,118)", None], *box(cell, -0.5)] in found  # its border, 1 px inside
    for ringed in figure.locator(".cell:has(:checked)").all():
        assert [solid, *box(ringed, 0.5)] in found
    x, y, width, height = box(figure.locator(".sum .score"), 0)
    assert [solid, x, near(y.expected + height.expected), width, 0] in found


def test_what_cannot_be_seen_is_not_saved(draw):
    figure = draw(sent("scores")["path_picker"])
    hidden = ["display: none", "visibility: hidden", "opacity: 0"]
    words = figure.locator(".word").all()
    for word, style in zip(words[1:], hidden, strict=False):
        word.evaluate("(word, style) => word.setAttribute('style', style)", style)
    texts = [one["text"] for one in figure.evaluate(SAVED)["saved"]]
    wanted = [word.inner_text() for word in (words[0], words[-1])]
    assert [text for text in texts if text.isalpha() and not text.isupper()] == wanted
    assert not {"SVG", "Term by term"} & set(texts)  # what is to be pressed


def test_a_picture_stands_alone(draw):
    found = draw(sent("viterbi")["flow"]).evaluate(SAVED)
    said = " ".join(one["text"] for one in found["saved"])
    assert "Heights and widths are probabilities." in said
    assert "Click" not in said
    assert found["frames"][0][3:] == [near(found["wide"]), near(found["high"])]  # white paper
