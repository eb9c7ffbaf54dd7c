"""Numerical stability in a browser: products that grow, a bet, and c that is dragged."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


def test_a_bet_a_drag_and_the_way_through_the_beats(open_beat):
    page = open_beat("stability", "multiply")
    picture = page.locator("[data-figure=stability]")
    assert picture.bounding_box()["height"] >= 360
    assert picture.locator(".lost").all_text_contents() == [
        "0 from word 8 on",
        "inf from word 3 on",
    ]
    page.locator("[data-option=together]").click()
    expect(page.locator(".answer")).to_contain_text("Right: both at word 28.")
    expect(picture.locator(".lost")).to_have_count(6)  # when the beads have run in
    count = picture.locator(".count input")
    count.fill("2")
    expect(page.locator(".say")).to_contain_text("every format still holds")
    expect(picture.locator(".lost")).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator("[data-beat=subtract]").click()
    expect(picture.locator(".result").first).to_contain_text("90.56")
    expect(picture.locator(".dot.over")).to_have_count(0)
    offset = picture.locator(".offset")
    box = offset.bounding_box()
    at = offset.evaluate("slider => (slider.value - slider.min) / (slider.max - slider.min)")
    x, y = box["x"] + 14 + (box["width"] - 28) * at, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 250, y, steps=5)
    expect(picture.locator(".dot.over")).to_have_count(4)  # in float16
    expect(picture.locator(".result").first).to_contain_text("inf")
    page.mouse.up()
    expect(page.locator(".say")).to_contain_text("one format fails")
    page.locator(".undo").click()
    expect(page.locator(".say")).to_contain_text("With c at the largest score")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ask")).to_contain_text("How probable is A B A?")
    page.keyboard.press("ArrowRight")  # the answer
    expect(picture.locator(".pair .band")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(picture.locator(".until.right")).to_have_count(4)
    expect(picture.locator(".until.wrong")).to_have_count(4)


@pytest.mark.parametrize("beat", ["multiply", "logs", "exp", "subtract", "forbidden", "formats"])
def test_on_a_phone_nothing_is_cut(open_beat, beat):
    page = open_beat("stability", beat, {"width": 390, "height": 844}, bet="-")
    figure = page.locator("[data-figure=stability]")
    box = figure.bounding_box()
    for part in figure.locator("text:visible, .until:visible").all():
        at = part.bounding_box()
        assert box["x"] - 1 <= at["x"]
        assert at["x"] + at["width"] <= box["x"] + box["width"] + 1, part.text_content()
