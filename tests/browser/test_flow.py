"""The flow by itself in an empty page: places and sizes are what its data say."""

from itertools import pairwise

import pytest

from crf.figures.flow.payload import Line, figure_data, flow, of_chain
from crf.tagger import Tagger, shipped
from pages.shared.course.examples import EXAMPLES
from tests.browser.mounted import (
    WHOLE,
    component,
    data_of,
    live,
    marks,
    near,
    numbers,
    redrawn,
)

OLD_MAN = EXAMPLES["old-man"].problem
HEIGHT = 260  # px of probability 1, as layout.js has it


def kindly():
    """The flow of a sentence by a shipped tagger, with three decoders' paths under it."""
    tagger = Tagger.load(shipped("bilstm"))
    words = "The kindly guide his horse .".split()
    chain = tagger.chain([words])
    paths = {
        "Viterbi": chain.viterbi().tags,
        "Greedy": chain.greedy(),
        "Posterior": chain.posterior_decode(),
    }
    lines = [Line(name, [tagger.tags[s] for s in path[0]], ".5") for name, path in paths.items()]
    shown = of_chain(chain, tagger.tags, words, lines=lines, hint="Heights and widths.")
    return figure_data(shown, clickable=True)


class TestFlow:
    @pytest.mark.parametrize("room", [900, 340])
    def test_blocks_are_as_high_as_probable_ribbons_join_them_lines_stand_below(self, draw, room):
        data = kindly()
        figure, shown = draw(component("crf/figures/flow", data), room), data["flow"]
        blocks = marks(figure, ".block > rect:first-child")
        ps = [p for column in shown["columns"] for _, p, *_ in column["blocks"]]
        assert [b["height"] for b in blocks] == [near(HEIGHT * p) for p in ps]
        lefts, width = sorted({b["x"] for b in blocks}), blocks[0]["width"]
        assert len(lefts) == len(shown["columns"])
        assert all(b - a - width >= 18 for a, b in pairwise(lefts))  # room for ribbons
        picture = marks(figure, ".stage svg")[0]
        assert (picture["width"] > room) == (room == 340)  # where it scrolls
        top, bottom = blocks[0]["y"], max(b["y"] + b["height"] for b in blocks)
        for row, (left, right) in enumerate(pairwise(lefts)):
            drawn = [numbers(r["d"]) for r in marks(figure, f".ribbon[data-token='{row}'] path")]
            assert len(drawn) == len(shown["ribbons"][row])
            assert {(d[0], d[6]) for d in drawn} == {(left + width, right)}
            for side in [(d[1], d[-1]) for d in drawn], [(d[7], d[9]) for d in drawn]:
                ends = [top, *(y for end in sorted(side) for y in end), bottom]
                assert ends[::2] == [near(y) for y in ends[1::2]]  # without a gap
        lines = marks(figure, ".lines text")
        assert [line["text"] for line in lines] == [t for x in shown["lines"] for t in x["tags"]]
        assert bottom < lines[0]["y"] < lines[-1]["y"] < picture["height"]
        assert figure.evaluate(WHOLE) == []  # nor do texts lie on each other

    def test_what_is_forbidden_is_hatched_from_block_to_block(self, draw):
        data = data_of(live("flow", OLD_MAN))
        ribbon = data["flow"]["ribbons"][1][0]
        ribbon[4] = True
        figure = draw(component("crf/figures/flow", data))
        (cut,) = marks(figure, ".ribbon[data-cut]")
        assert (cut["data-token"], cut["data-from"], cut["data-to"]) == (1, *ribbon[:2])
        band, hatch = marks(figure, ".ribbon[data-cut] path")
        assert band["d"] == hatch["d"]
        assert (hatch["fill"], "#cut" in band.get("fill", "")) == ("url(#cut)", False)

    @pytest.mark.hovers
    def test_what_is_pointed_at_lights_its_ribbons(self, draw):
        data = data_of(live("flow", OLD_MAN))
        figure = draw(component("crf/figures/flow", data))
        every = {(k, a, b) for k, row in enumerate(data["flow"]["ribbons"]) for a, b, *_ in row}

        def lit():
            found = marks(figure, ".ribbon.lit")
            return {(one["data-token"], one["data-from"], one["data-to"]) for one in found}

        figure.locator("[data-token='2'][data-tag=VERB] .hit").hover()
        assert lit() == {r for r in every if r[::2] == (1, "VERB") or r[:2] == (2, "VERB")}
        assert figure.locator(".readout").inner_text().startswith("‘man’ as VERB")

    def test_one_picture_becomes_the_next(self, draw):
        data = data_of(live("flow", OLD_MAN))
        figure = draw(component("crf/figures/flow", data))
        marked = figure.locator(".block[data-token='2'][data-tag=VERB]")
        marked.evaluate("block => { block.mark = 1 }")
        column = data["flow"]["columns"][2]
        column["blocks"] = [[tag, 0.5, "", *rest] for tag, _, _, *rest in column["blocks"][:2]]
        redrawn(figure, component("crf/figures/flow", data))
        drawn = {
            block["data-tag"]: number
            for block, number in zip(
                marks(figure, ".block"), marks(figure, ".block > rect:first-child"), strict=True
            )
            if block["data-token"] == 2
        }
        assert {tag: rect["height"] for tag, rect in drawn.items()} == {
            tag: near(p * HEIGHT) for tag, p, *_ in column["blocks"]
        }
        assert marked.evaluate("block => block.mark") == 1

    def test_blocks_are_reached_by_keys_and_chosen_by_click_and_enter(self, draw):
        data = data_of(live("flow", OLD_MAN)) | {"clickable": True}
        data["flow"]["columns"][2]["choices"] = [["NOUN", 0.9, "90 %"], ["DET", 0.1, "10 %"]]
        figure = draw(component("crf/figures/flow", data))
        keys, readout = figure.page.keyboard, figure.locator(".readout")
        figure.locator("[data-token='1'][data-tag=NOUN] .hit").click()
        for key, reached in [("ArrowRight", "‘man’ as NOUN"), ("ArrowDown", "‘man’ as VERB")]:
            keys.press(key)
            assert reached in readout.inner_text()
        keys.press("Enter")
        for _ in range(2):
            keys.press("ArrowUp")
        keys.press("Enter")
        keys.press("End")  # the least likely tag, which has no block of its own
        keys.press("Enter")
        said = figure.page.evaluate("window.said.map(([_, { token, tag }]) => [token, tag])")
        assert said == [[1, "NOUN"], [2, "VERB"], [2, "DET"]]

    def test_a_name_is_underlaid_from_its_first_word_to_its_last(self, draw):
        data = kindly()
        data["flow"]["spans"] = [{"from": 1, "to": 3, "kind": "PER", "colour": "9, 9, 9"}]
        figure = draw(component("crf/figures/flow", data))
        (span,), (kind,) = marks(figure, ".spans rect"), marks(figure, ".spans text")
        heads = marks(figure, ".head .hit")
        assert heads[0]["x"] + heads[0]["width"] < span["x"] <= heads[1]["x"]
        end = span["x"] + span["width"]
        assert heads[2]["x"] + heads[2]["width"] <= end + 2
        assert end < heads[3]["x"]
        assert (kind["text"], kind["x"]) == ("PER", near((span["x"] + end) / 2))
        assert figure.evaluate(WHOLE) == []

    def test_the_menu_of_a_word_has_its_tags_and_the_arrows_go_round(self, draw):
        data = kindly()
        shown = data["flow"]["columns"][-1]
        shown["held"] = shown["choices"][1][0]
        figure = draw(component("crf/figures/flow", data), 600)
        keys, focused = (
            figure.page.keyboard,
            "document.activeElement.querySelector('b').textContent",
        )
        held = {block["data-tag"] for block in marks(figure, ".block[aria-pressed]")}
        assert held == {block["data-tag"] for block in marks(figure, ".block")} - {"other"}
        figure.locator(".head .hit").last.click()
        items = marks(figure, ".menu button")
        assert [one["aria-checked"] for one in items] == ["false", "true"] + ["false"] * 15
        texts = figure.locator(".menu button b").all_text_contents()
        assert texts == [tag for tag, *_ in shown["choices"]]
        for key, at in [("", 1), ("ArrowUp", 0), ("ArrowUp", -1), ("ArrowDown", 0), ("End", -1)]:
            if key:
                keys.press(key)
            assert figure.page.evaluate(focused) == texts[at], key
        menu, frame = figure.locator(".menu").bounding_box(), figure.bounding_box()
        assert frame["x"] <= menu["x"]
        assert menu["x"] + menu["width"] <= frame["x"] + frame["width"] + 1
        keys.press("Enter")
        assert figure.page.evaluate("window.said") == [
            ["choice", {"token": shown["token"], "tag": texts[-1]}]
        ]

    def test_a_number_beside_a_right_to_left_tag_is_drawn_in_its_order(self, draw):
        tags, p = ["اسم", "פועל"], [[0.92, 0.08], [0.75, 0.25]]
        pairs = [[[a * b for b in p[1]] for a in p[0]]]
        data = figure_data(flow(p, pairs, tags, ["خانه", "x" * 64]), clickable=True)
        figure = draw(component("crf/figures/flow", data))
        places = figure.locator(".block .label").evaluate_all(
            """(all) => all.filter((e) => /[.]\\d/.test(e.textContent)).map((e) => {
              const dot = e.textContent.indexOf(".")
              return [dot, dot + 1].map((k) => e.getStartPositionOfChar(k).x) })"""
        )
        assert len(places) == 4
        assert all(dot < digit for dot, digit in places)
        assert figure.locator(".head .word").last.text_content().endswith("…")
        figure.locator(".block").first.hover()
        figure.page.mouse.move(450, 120)
        told = figure.locator(".readout").inner_text()
        assert "\u2068" in told
