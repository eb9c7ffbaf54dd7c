"""The lesson on constraints in a real browser: hatched, cut, ruled out, and who obeys."""

import math
import re

import pytest

from pages import beats
from tests.contrast import contrast

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

HEIGHTS = """(picture) => [0, 1, 2, 3, 4].map((t) =>
  [...picture.querySelectorAll(`.face[data-token='${t}']`)].reduce((sum, face) =>
    sum + face.getBoundingClientRect().height, 0))"""
COLOURS = """(picture) => [...picture.querySelectorAll(".block:has(.face)")].flatMap((block) =>
  [...block.querySelectorAll("text")].filter((text) => text.textContent && text.checkVisibility())
    .map((text) => [getComputedStyle(block.querySelector(".face")).fill,
                    getComputedStyle(text).fill]))"""


def rgb(fill):
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", fill)[:3])


def test_readings_are_hatched_cut_and_ruled_out(open_beat):
    page = open_beat("constraints", "broken", {"reduced_motion": True}, "reader")
    picture = page.locator("[data-figure=constraints]")
    expect(picture.locator(".break")).to_have_count(1)
    assert picture.bounding_box()["height"] >= 360  # half of the screen
    colours = picture.evaluate(COLOURS)
    assert len(colours) >= 15
    assert [pair for pair in colours if contrast(*map(rgb, pair)) < 4.5] == []
    page.locator("[data-option=p76]").click()
    expect(page.locator(".answer")).to_contain_text("76 %")

    page.keyboard.press("ArrowRight")  # what was answered is said
    expect(page.locator(".say")).to_contain_text("no name is tagged that way")
    page.keyboard.press("ArrowRight")
    expect(picture.locator(".block .gone:visible").first).to_be_visible()
    hatched = picture.evaluate(HEIGHTS)
    picture.get_by_role("button", name="Cut them").click()
    expect(picture.locator(".block .gone:visible")).to_have_count(0)
    expect(picture.locator(".block.best")).to_have_count(5)
    grown = picture.evaluate(HEIGHTS)
    for before, after in zip(hatched, grown, strict=True):
        assert math.isclose(before / after, 0.24, abs_tol=0.05)
    expect(page).to_have_url(re.compile("beat=switch"))

    page.locator("[data-beat=part]").click()
    page.locator("[data-option=t3]").click()
    expect(page.locator(".answer")).to_contain_text(".75")
    expect(picture.locator(".crossed")).to_have_count(3)
    picture.locator(".block:has([data-token='4'][data-tag=O])").focus()
    page.keyboard.press("Enter")
    expect(picture.locator(".crossed")).to_have_count(4)
    page.keyboard.press("Control+z")
    expect(picture.locator(".crossed")).to_have_count(3)

    page.locator("[data-beat=who]").click()
    expect(picture.locator("[data-obeys=true]")).to_have_count(5)
    expect(picture.locator("[data-obeys=false]")).to_have_count(1)


def test_it_fits_a_phone_and_many_tags(open_beat):
    page = open_beat("constraints", "broken", {"width": 390, "height": 844}, ex="flight", bet="-")
    for beat in [one.name for one in beats.LESSONS["constraints"]]:
        page.locator(f"[data-beat={beat}]").click()
        expect(page.locator(f".at-{beat} [data-figure=constraints] :visible").first).to_be_visible()
        page.wait_for_function("document.documentElement.scrollWidth <= 390")
