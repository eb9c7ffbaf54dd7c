"""Graphs as a reader meets it: what is pressed, dragged and stepped, on a desk and on a phone."""

import pytest

from pages import beats

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


def test_days_are_fixed_letters_are_dragged_and_nothing_is_cut_on_a_phone(open_beat):
    page = open_beat("graphs", "known", host="reader")
    figure = page.locator("[data-figure=graphs]")
    expect(figure.locator(".bow")).to_have_count(10)  # the question waits: nothing is cut
    expect(page.locator("[data-question]")).to_be_visible()
    figure.locator(".circle[data-token='2']").click()
    expect(figure.locator(".bow.cut")).to_have_count(4)
    expect(page.locator(".say")).to_contain_text("falls in two")
    figure.locator(".circle[data-token='2']").press("Enter")  # cold
    expect(page.locator(".say")).to_contain_text("was cold")
    page.keyboard.press("Control+z")
    expect(page.locator(".say")).to_contain_text("was hot")
    before = figure.locator(".circle[data-token='0']").get_attribute("data-p")
    figure.locator(".cones").first.click()
    expect(figure.locator(".circle[data-token='0']")).not_to_have_attribute("data-p", before)

    page.locator("[data-beat=bias]").click()
    page.locator("[data-option=rib]").click()
    expect(page.locator(".answer")).to_contain_text("changes nothing")
    boxes = figure.locator(".state.rib[data-p]")
    expect(boxes.nth(4)).to_have_attribute("data-p", "0.004933")
    dial = figure.locator("[role=spinbutton]")
    dial.focus()
    page.keyboard.press("PageDown")
    expect(dial).to_have_attribute("aria-valuenow", "2")
    box = dial.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 90, steps=4)
    page.mouse.up()
    expect(dial).to_have_attribute("aria-valuenow", "0")
    expect(page.locator(".say")).to_contain_text("Without evidence")
    expect(boxes.nth(4)).to_have_attribute("data-p", "0.666667")

    page.set_viewport_size({"width": 390, "height": 844})
    for beat in [one.name for one in beats.LESSONS["graphs"]]:
        page.locator(f"[data-beat={beat}]").click()
        expect(page.locator(f"[data-beat={beat}]")).to_have_attribute("aria-current", "step")
        cut = figure.locator("svg text").evaluate_all(
            "(all) => all.filter((e) => e.textContent).map((e) => [e.textContent,"
            " e.getBoundingClientRect()]).filter(([, b]) => b.left < 0 || b.right > 390)"
            ".map(([text]) => text)"
        )
        assert cut == []


def test_keys_walk_through_the_factors_and_then_to_the_next_beat(open_beat):
    page = open_beat("graphs", "factors", host="reader", step="9")
    expect(page.locator(".scope")).to_have_text("N(ψ) = { y₅, x₅ }")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".scope")).to_have_text("N(ψ) = { y₅ }")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-beat=known]")).to_have_attribute("aria-current", "step")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-beat=factors]")).to_have_attribute("aria-current", "step")
    page.locator(".square").nth(2).click()
    expect(page.locator(".scope")).to_have_text("N(ψ) = { y₁, y₂ }")
    page.get_by_role("button", name="each sees all days").click()
    page.locator(".square").nth(3).click()
    expect(page.locator(".scope")).to_have_text("N(ψ) = { y₂, x }")
