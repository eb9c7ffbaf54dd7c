"""The flow in a real browser: what it writes is the core's, and it answers to pointer and keys."""

import pytest

from pages.shared.figures.flow import OTHER
from tests.browser.flow_page import problem

SCRIPT = "tests/browser/flow_page.py"
READ = """(root) => ({
  blocks: [...root.querySelectorAll('.block')].map((e) => {
    const box = e.querySelector('rect').getBoundingClientRect();
    const hit = e.querySelector('.hit')?.getBoundingClientRect();
    return { ...e.dataset, height: box.height, y: box.y, target: hit?.height };
  }),
  ribbons: [...root.querySelectorAll('.ribbon')].map((e) => ({ ...e.dataset })),
})"""


def figure(page):
    return page.locator("[data-figure=flow]")


@pytest.mark.thorough
def test_what_is_drawn_is_what_the_core_says(open_page, serve):
    page = open_page(serve(SCRIPT), reduced_motion=True)
    figure(page).locator(".block").first.wait_for()
    for presses, man in ((0, 0.5), (4, 1.5)):
        page.get_by_role("slider").focus()
        for _ in range(presses):
            page.keyboard.press("ArrowRight")
        shown = problem(man=man)
        chain, tags = shown.chain(), shown.tags
        held = chain.marginals[0]
        wanted = f"[data-token='2'][data-tag='VERB'][data-p='{held[2, 3].item()}']"
        figure(page).locator(wanted).wait_for()
        drawn = figure(page).evaluate(READ)
        heights = [0.0] * 5
        for block in drawn["blocks"]:
            t, p = int(block["token"]), float(block["p"])
            heights[t] += block["height"]
            assert block["height"] == pytest.approx(260 * p, abs=0.01)
            assert (block["target"] or 24) >= 23.99
            if block["tag"] != OTHER:
                assert p == held[t, tags.index(block["tag"])].item()
        assert heights == pytest.approx([260] * 5, abs=0.01)
        for ribbon in drawn["ribbons"]:
            if OTHER not in (ribbon["from"], ribbon["to"]):
                a, b = tags.index(ribbon["from"]), tags.index(ribbon["to"])
                p = chain.pair_marginals[0, int(ribbon["token"]), a, b].item()
                assert float(ribbon["p"]) == p


def test_the_caption_keeps_up_with_the_room(open_page, serve):
    page = open_page(serve(SCRIPT))
    readout = figure(page).locator(".readout")
    figure(page).locator(".block").first.hover()  # what is pointed at comes first
    page.set_viewport_size({"width": 300, "height": 700})
    page.mouse.move(1, 1)
    readout.filter(has_text="Bars on top").wait_for()
    page.set_viewport_size({"width": 1280, "height": 700})
    readout.filter(has_not_text="Bars on top").wait_for()


def test_blocks_are_reached_by_keys_and_chosen_by_click_enter_and_menu(open_page, serve):
    page = open_page(serve(SCRIPT))
    noun = figure(page).locator("[data-token='1'][data-tag=NOUN]")
    noun.locator(".hit").click()
    page.get_by_text("Chosen: 1 NOUN").wait_for()
    page.keyboard.press("ArrowRight")
    readout = figure(page).locator(".readout")
    assert "man: NOUN" in readout.inner_text()
    page.keyboard.press("ArrowDown")
    assert "man: VERB" in readout.inner_text()
    page.keyboard.press("Enter")
    page.get_by_text("Chosen: 2 VERB").wait_for()
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("End")  # the least likely tag, which has no block of its own
    page.keyboard.press("Enter")
    page.get_by_text("Chosen: 2 DET").wait_for()
