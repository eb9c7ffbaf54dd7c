"""Implement it as a reader meets it: a wrong table, one pasted, a number dragged, a phone."""

import pytest

from pages import beats
from pages.shared.course.examples import EXAMPLES

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect
CHAIN = EXAMPLES["old-man"].problem.chain()


def test_a_wrong_table_stands_there_and_a_right_one_is_pasted(open_beat):
    page = open_beat("implement", "cell", host="reader")
    figure = page.locator("[data-figure=implement]")
    framed = figure.locator(".cell.now")
    expect(framed).to_have_attribute("data-value", "4.50")
    expect(page.locator(".say")).to_contain_text("Transitions transposed")
    field = figure.locator("textarea")
    field.fill(str(CHAIN.log_alphas[0].tolist()))
    field.press("Control+Enter")
    expect(page.locator(".say")).to_contain_text("All 20 numbers are right")
    expect(framed).to_have_count(0)
    expect(figure).not_to_have_attribute("aria-busy", "true")
    page.route("**/draw/**", lambda route: held.append(route))
    held = []
    field.fill("hello")  # and stay in the field
    expect(figure).to_have_attribute("aria-busy", "true")
    assert page.locator(".say").evaluate("(e) => getComputedStyle(e).opacity") == "0.35"
    page.wait_for_timeout(600)
    held.pop().continue_()
    page.unroute("**/draw/**")
    expect(page.locator(".say")).to_contain_text("found none")
    expect(field).to_be_focused()
    expect(figure).not_to_have_attribute("aria-busy", "true")
    field.fill("")
    field.press("Control+Enter")
    expect(framed).to_have_attribute("data-value", "4.50")
    figure.locator("select[name=pasted]").select_option("marginals")
    expect(page.locator(".equation")).to_contain_text("old, VERB: yours 0.68, right 0.00")

    page.locator("[data-beat=impossible]").click()
    expect(page.locator(".say")).to_contain_text("End left out")
    dial = figure.locator("[role=spinbutton]")
    box = dial.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] - 186, steps=4)
    page.mouse.up()
    expect(dial).to_have_attribute("aria-valuenow", "19.43")
    expect(page.locator(".say")).to_contain_text("This number is right")

    page.set_viewport_size({"width": 390, "height": 844})
    for beat in [one.name for one in beats.LESSONS["implement"]]:
        page.locator(f"[data-beat={beat}]").click()
        expect(page.locator(f"[data-beat={beat}]")).to_have_attribute("aria-current", "step")
        page.wait_for_function("document.documentElement.scrollWidth <= 390")
        cut = figure.locator("svg text").evaluate_all(
            "(all) => all.filter((e) => e.textContent).map((e) => [e.textContent,"
            " e.getBoundingClientRect()]).filter(([, b]) => b.left < 0 || b.right > 390)"
            ".map(([text]) => text)"
        )
        assert cut == []
