"""The story in one file: it opens without a network, and steps, bets and presenting work."""

import re
import sys

import pytest

from docs.story import main
from pages import beats
from pages.shared.ui.stage.story_file import LARGEST

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """The file, as its command writes it."""
    path = tmp_path_factory.mktemp("story") / "story.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["story", str(path)])
        main()
    return path


@pytest.fixture
def opened(story, chromium):
    """The file in a browser that has no network."""
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 720})
    page, faults = context.new_page(), []
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("console", lambda said: said.type == "error" and faults.append(said.text))
    page.on("request", lambda asked: faults.append(asked.url) if asked.url[:4] == "http" else None)
    page.set_default_timeout(8000)
    page.goto(story.as_uri())
    page.locator("[data-figure=trellis] .cell").first.wait_for()
    yield page
    context.close()
    assert not faults


def cell(page, token, tag):
    return page.locator(f'.cell[data-token="{token}"][data-tag="{tag}"]')


def at(page, beat):
    expect(page.locator(f'[data-beat="{beat}"]')).to_have_attribute("aria-current", "step")


def test_it_is_small_and_asks_nothing_of_the_network(story):
    assert story.stat().st_size <= LARGEST
    text = story.read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:|//)""", text)


def test_arrows_go_through_every_beat_and_back(opened):
    names = [beat.name for beat in beats.LESSONS["trellis"]]
    seen = []
    for _ in range(200):
        now = opened.locator("[data-beat][aria-current]").get_attribute("data-beat")
        if now not in seen:
            seen.append(now)
        if now == names[-1]:
            break
        opened.keyboard.press("ArrowRight")
    assert seen == names
    opened.keyboard.press("ArrowLeft")
    at(opened, "learn")


def test_every_step_has_the_cores_numbers(opened):
    opened.locator('[data-beat="add"]').click()
    expect(cell(opened, 2, "VERB")).to_have_attribute("data-value", re.compile(r"^9\.127"))
    opened.keyboard.press("End")
    expect(opened.locator(".say")).to_contain_text("19.43")
    opened.keyboard.press("Home")
    expect(cell(opened, 0, "DET")).to_have_attribute("data-value", "6")
    expect(cell(opened, 1, "DET")).to_have_attribute("data-value", "")


def test_a_bet_is_answered(opened):
    opened.locator('[data-beat="mind"]').click()
    expect(cell(opened, 3, "DET")).to_have_attribute("data-value", "")
    opened.locator('[data-option="leads"]').click()
    expect(opened.locator('[data-option="leads"]')).to_have_class(re.compile("right"))
    expect(cell(opened, 3, "DET")).to_have_attribute("data-value", "15.5")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("15.9", "Right"),
        ("15,9", "Right"),
        ("15.5", "the best beginnings only"),
        ("3", "Not quite"),
        ("many", "not a number"),
    ],
)
def test_a_number_that_is_typed_is_told_apart(opened, typed, answer):
    opened.locator('[data-beat="column"]').click()
    opened.locator("input[data-option]").fill(typed)
    opened.keyboard.press("Enter")
    expect(opened.locator(".answer")).to_contain_text(answer)


def test_it_is_presented_and_says_what_it_cannot(opened):
    expect(opened.locator(".note")).to_contain_text("Scores and tags are fixed in this file")
    opened.keyboard.press("p")
    dialog = opened.locator("dialog[data-presenting]")
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
    opened.keyboard.press("PageDown")
    expect(dialog.locator(".answer")).to_contain_text("They first differ at old")
    opened.keyboard.press("PageDown")
    expect(dialog.locator(".say")).to_contain_text("which has no verb")
    opened.keyboard.press("PageDown")
    at(opened, "path")
    opened.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
