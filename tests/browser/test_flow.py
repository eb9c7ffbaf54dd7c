"""The flow by itself in an empty page: places and sizes are what its data say."""

from itertools import pairwise

import pytest

from crf import figures
from crf.tagger import Tagger, shipped
from pages.shared.course.examples import EXAMPLES
from tests.browser.mounted import WHOLE, component, data_of, live, marks, numbers, redrawn
from tests.figures.chains import chain

OLD_MAN = EXAMPLES["old-man"].problem
HEIGHT = 260  # px of probability 1, as index.js has it
INSET = 1.5  # px between blocks


def kindly():
    """The flow of a sentence by a shipped tagger, as a notebook draws it."""
    tagger = Tagger.load(shipped("bilstm"))
    words = "The kindly guide his horse .".split()
    figure = figures.flow(tagger.chain([words]), tokens=words, tags=tagger.tags)
    figure.is_live = True
    return figure.payload


def names(data):
    return [tag["name"] for tag in data["tags"]]


class TestFlow:
    @pytest.mark.parametrize("room", [900, 340])
    def test_blocks_are_as_high_as_probable_and_ribbons_join_them(self, draw, room):
        data = kindly()
        figure = draw(component("crf/figures/flow", data), room)
        faces = marks(figure, ".block .face")
        assert len(faces) == sum(map(len, data["blocks"]))
        for face in faces:
            t, s = face["data-token"], names(data).index(face["data-tag"])
            p = data["blocks"][t][data["shown"][t].index(s)]
            assert face["data-p"] == pytest.approx(p)
            assert 0 <= HEIGHT * p - face["height"] <= 2 * INSET + 3.1  # the outline of the best
        lefts = sorted({face["data-token"]: face["x"] for face in faces}.items())
        assert all(b - a >= 60 for (_, a), (_, b) in pairwise(lefts))  # room for ribbons
        picture = marks(figure, ".drawing svg")[0]
        assert (picture["width"] > room) == (room == 340)  # where it scrolls
        for ribbon in marks(figure, ".ribbon"):
            if not ribbon.get("d"):
                continue
            high = ribbon["data-p"] * HEIGHT
            places = numbers(ribbon["d"])
            assert places[-1] - places[1] == pytest.approx(
                high - 2 * min(INSET, high / 4), abs=0.11
            )
        assert figure.evaluate(WHOLE) == []  # nor do texts lie on each other

    @pytest.mark.hovers
    def test_what_is_pointed_at_says_its_numbers(self, draw):
        figure = draw(live("flow", OLD_MAN))
        readout = figure.locator(".readout")
        hint = readout.inner_text()
        figure.locator(".block .face[data-token='2'][data-tag=VERB]").hover()
        assert readout.inner_text() == "man: VERB (verb) .738"
        figure.locator(".ribbon[data-token='2'][data-from=VERB][data-to=DET]").hover()
        assert readout.inner_text() == "man VERB → the DET: .738"
        figure.page.mouse.move(2, 2)
        assert readout.inner_text() == hint

    def test_one_picture_becomes_the_next(self, draw):
        data = data_of(live("flow", OLD_MAN))
        figure = draw(component("crf/figures/flow", data))
        data["blocks"][2] = [1 / len(data["blocks"][2])] * len(data["blocks"][2])
        redrawn(figure, component("crf/figures/flow", data))
        figure.page.wait_for_timeout(500)
        ps = [face["data-p"] for face in marks(figure, ".face[data-token='2']")]
        assert ps == pytest.approx(data["blocks"][2])

    def test_blocks_are_reached_by_keys_and_chosen_by_click_and_enter(self, draw):
        data = data_of(live("flow", OLD_MAN))
        figure = draw(component("crf/figures/flow", data))
        keys, readout = figure.page.keyboard, figure.locator(".readout")
        figure.locator(".face[data-token='1'][data-tag=NOUN]").click()
        for key, reached in [("ArrowRight", "man: NOUN"), ("ArrowDown", "man: VERB")]:
            keys.press(key)
            assert reached in readout.inner_text()
        keys.press("Enter")
        for _ in range(2):
            keys.press("ArrowUp")  # to the word
        keys.press("Enter")
        keys.press("End")  # the least likely tag, which has no block of its own
        keys.press("Enter")
        least = names(data)[data["tokens"][2]["choices"][-1][0]]
        said = figure.page.evaluate("window.said.map(([_, { token, tag }]) => [token, tag])")
        assert said == [[1, "NOUN"], [2, "VERB"], [2, least]]

    def test_a_file_offers_nothing_to_choose(self, draw):
        data = data_of(live("flow", OLD_MAN)) | {"clickable": False}
        figure = draw(component("crf/figures/flow", data))
        figure.locator(".face[data-token='1'][data-tag=NOUN]").click()
        assert figure.locator(".words button").count() == 0
        assert figure.page.evaluate("window.said") == []

    def test_the_menu_of_a_word_has_its_tags_and_the_arrows_go_round(self, draw):
        data = kindly()
        token = data["tokens"][-1]
        token["fixed"] = token["choices"][1][0]
        figure = draw(component("crf/figures/flow", data), 600)
        keys = figure.page.keyboard
        focused = "document.activeElement.querySelector('b').textContent"
        figure.locator(".words button").last.click()
        items = marks(figure, ".menu button")
        assert [one["aria-checked"] for one in items] == ["false", "true"] + ["false"] * 15
        texts = figure.locator(".menu button b").all_text_contents()
        assert texts == [names(data)[s] for s, *_ in token["choices"]]
        for key, at in [("", 1), ("ArrowUp", 0), ("ArrowUp", -1), ("ArrowDown", 0), ("End", -1)]:
            if key:
                keys.press(key)
            assert figure.page.evaluate(focused) == texts[at], key
        menu, frame = figure.locator(".menu").bounding_box(), figure.bounding_box()
        assert frame["x"] <= menu["x"]
        assert menu["x"] + menu["width"] <= frame["x"] + frame["width"] + 1
        keys.press("Enter")
        told = [["choice", {"token": len(data["tokens"]) - 1, "tag": texts[-1]}]]
        assert figure.page.evaluate("window.said") == told

    def test_a_number_beside_a_right_to_left_tag_is_drawn_in_its_order(self, draw):
        tags, tokens = ["اسم", "פועל"], ["خانه", "x" * 64]
        figure = figures.flow(
            chain([[1.0, 0.0], [0.5, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), tags=tags, tokens=tokens
        )
        figure.is_live = True
        drawn = draw(component("crf/figures/flow", figure.payload), 1500)
        places = drawn.locator(".block text").evaluate_all(
            """(all) => all.filter((e) => /[.]\\d/.test(e.textContent)).map((e) => {
              const dot = e.textContent.indexOf(".")
              return [dot, dot + 1].map((k) => e.getStartPositionOfChar(k).x) })"""
        )
        assert len(places) == 4
        assert all(dot < digit for dot, digit in places)
        assert drawn.locator(".words button").last.text_content().endswith("…")
        drawn.locator(".block .face").first.hover()
        assert "\u2068" in drawn.locator(".readout").inner_text()
