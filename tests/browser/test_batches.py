"""The lesson on batches in a real browser: its pictures at work, keys, what one presses."""

import re

import pytest

from pages import beats

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


def test_the_loop_the_slabs_the_changes_and_the_bug(open_beat):
    page = open_beat("batches", "loop", {"reduced_motion": True}, "reader", bet="-")
    picture = page.locator("[data-figure=batches]")
    expect(picture.locator(".badge")).to_have_text(["1", "0"])
    expect(picture.locator(".band.straight")).to_have_count(4)
    assert picture.bounding_box()["height"] >= 360  # half of the screen
    cells = picture.locator("[data-row='1'][data-tag=NOUN]")
    values = [cells.nth(t).get_attribute("data-value") for t in (4, 5)]
    assert values[0] == values[1]  # it has ended
    page.keyboard.press("End")
    expect(picture.locator(".cell.of-row").first).to_have_text("28.10")
    expect(page).to_have_url(re.compile("step=8"))

    page.locator("[data-beat=same]").click()
    expect(picture.locator("[data-same=true]")).to_have_count(2)
    picture.get_by_role("button", name="−∞ in it").click()
    expect(picture.locator(".blank", has_text="−∞").first).to_be_visible()
    expect(picture.locator("[data-same=true]")).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(picture.locator(".blank", has_text="−∞")).to_have_count(0)

    page.locator("[data-beat=shapes]").click()
    page.locator("[data-option=from]").click()
    expect(page.locator(".answer")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".answer")).to_be_hidden()
    chosen = picture.locator(".sum [tabindex='0']")
    before = chosen.get_attribute("data-at")
    chosen.focus()
    page.keyboard.press("ArrowUp")
    expect(picture.locator(".sum [tabindex='0']")).not_to_have_attribute("data-at", before)
    expect(picture.locator(".source")).to_have_count(3)

    page.locator("[data-beat=bug]").click()
    picture.locator("[data-line='7']").click()
    page.locator("[data-option=nan]").click()
    expect(page.locator(".answer")).to_contain_text("is nan")
    expect(picture.locator(".cell.nan")).to_have_count(14)  # 13 cells and log Z


def test_it_fits_a_phone_and_many_tags(open_beat):
    page = open_beat("batches", "loop", {"width": 390, "height": 844}, ex="flight", bet="-")
    for beat in [one.name for one in beats.LESSONS["batches"]]:
        page.locator(f"[data-beat={beat}]").click()
        expect(page.locator(f".at-{beat} [data-figure=batches] :visible").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
