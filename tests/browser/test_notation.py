"""The switch of the notation on the stage: the picture, the equation and the undo follow it."""

import pytest

from pages.shared.ui.component import module_address
from pages.trellis.notation import factor, potential

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


def test_a_script_and_python_write_the_same_factors(open_beat):
    logs = [
        0.0,
        1e-4,
        -1e-4,
        0.5,
        -3.0,
        -6.9,
        -7.0,
        6.9,
        6.91,
        8.5,
        9.2063,
        9.21,
        -9.2103,
        300.0,
        -800.0,
        2e6,
    ]
    page = open_beat("trellis", "add", ex="old-man")
    written = page.evaluate(
        """async ([script, logs]) => {
          const { factor, potential } = await import(script)
          return logs.map((log) => [potential(log), factor(log)])
        }""",
        [module_address("crf/figures/trellis/numbers.js"), logs],
    )
    assert written == [[potential(log), factor(log)] for log in logs]


def test_each_form_is_a_step_also_with_many_tags(open_beat):
    page = open_beat("trellis", "textbook", sentence="They fish", tagger="local")
    step = page.locator(".place span")
    for k, where in enumerate(("in its cell", "until the message leaves", "on each edge"), 1):
        expect(page.locator(".say")).to_contain_text(where)
        expect(step).to_have_text(f"step {k} of 3")
        page.locator(".cell").first.click()  # it is no step
        expect(step).to_have_text(f"step {k} of 3")
        page.keyboard.press("ArrowRight")
    expect(page.locator('[data-beat="learn"]')).to_have_attribute("aria-current", "step")


def test_the_picture_follows_the_reader_s_notation(open_beat):
    page = open_beat("trellis", "add", ex="old-man", step="11")
    cell = page.locator('.cell[data-token="2"][data-tag="VERB"]')
    result, forms = page.locator(".slot .equation b").last, page.locator("[data-form]")
    expect(result).to_have_text("9.13")
    assert not page.locator(".symbols").is_visible()
    page.locator("[data-form=message]").click()
    expect(result).to_have_text("8.63")
    expect(cell).to_contain_text("8.63")
    expect(page.locator('.cell[data-token="0"][data-value=""]')).to_have_count(4)
    expect(page.locator(".symbols")).to_contain_text("log α₂(VERB)")
    page.wait_for_url("**form=message**")
    page.locator("[data-scale=potential]").click()
    expect(result).to_have_text("5.6×10³")
    expect(cell).to_contain_text("5.6×10³")
    page.keyboard.press("ArrowLeft")
    page.locator('[data-beat="best"]').click()
    expect(forms.first).to_be_disabled()
    expect(forms.first).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".notation")).to_contain_text("has the word’s own score in its cell")
    page.locator('[data-beat="add"]').click()
    expect(page.locator("[data-form=message]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Control+z")
    expect(page.locator("[data-scale=log]")).to_have_attribute("aria-pressed", "true")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    expect(page.locator("[data-form=pair]")).to_be_visible()  # it is not the usual one


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
@pytest.mark.parametrize("step", ["11", "20"])
def test_what_leaves_a_cell_covers_no_other_score(open_beat, step, width, height):
    page = open_beat(
        "trellis",
        "add",
        {"width": width, "height": height},
        ex="old-man",
        form="message",
        step=step,
    )
    pills = page.locator(".score.pilled .pill")
    expect(pills.locator("visible=true")).to_have_count(8)
    boxes = [pill.bounding_box() for pill in pills.all() if pill.is_visible()]
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            assert (
                one["x"] + one["width"] < other["x"]
                or other["x"] + other["width"] < one["x"]
                or one["y"] + one["height"] < other["y"]
                or other["y"] + other["height"] < one["y"]
            )
    line = page.locator(".slot .equation")
    if width > 1000:
        assert line.evaluate("line => new Set([...line.children].map(b => b.offsetTop)).size") == 1
