"""Cost in a browser: a way through two pieces, two trees at one clock, a toggle."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect
BEATS = ["trick", "trees", "depth", "measured"]


def test_from_the_trick_to_what_was_measured(open_beat):
    page = open_beat("cost", "trick")
    picture = page.locator("[data-figure=cost]")
    assert picture.bounding_box()["height"] >= 360
    expect(picture.locator(".tag.chosen text")).to_have_text(["DET", "DET", "NOUN"])
    picture.get_by_role("button", name="VERB").first.click()
    expect(page.locator(".equation")).to_contain_text("A·B [VERB, NOUN]")
    page.keyboard.press("ArrowRight")
    page.locator("[data-option=r6]").click()
    expect(page.locator(".answer")).to_contain_text("Right: 64, 32")
    expect(picture.locator(".done")).to_have_count(0)
    page.keyboard.press("ArrowRight")  # the sentence instead of the answer
    expect(page.locator(".say")).to_contain_text("take 2 rounds, not 3")
    for done, step in ((0, 2), (1, 3), (2, 4)):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".place span")).to_have_text(f"step {step} of 4")
        expect(picture.locator(".done")).to_have_count(done)
    expect(picture.locator(".done").first).to_have_text("done: log Z 19.43")
    picture.get_by_role("button", name="All ways from The to man").first.click()
    expect(picture.locator(".entries tr")).to_have_count(5)
    picture.get_by_role("button", name="from the right").click()
    expect(picture.locator(".formula")).to_have_text(["((A · B) · C) · D", "A · (B · (C · D))"])
    page.locator("[data-beat=depth]").click()
    picture.locator("input[name=tags]").fill("2")
    expect(page.locator(".say")).to_contain_text("1,024 words and 2 tags")
    page.locator("[data-beat=measured]").click()
    expect(picture.locator(".ratio.won")).to_have_count(0)
    page.locator("[data-option=long]").click()
    expect(picture.locator(".ratio.won").first).to_be_visible()
    won = picture.locator(".ratio.won").count()
    picture.get_by_role("button", name="in C").click()
    expect(picture.get_by_role("button", name="in C")).to_have_attribute("aria-pressed", "true")
    assert picture.locator(".ratio.won").count() < won


@pytest.mark.parametrize("beat", BEATS)
def test_on_a_phone_nothing_is_cut(open_beat, beat):
    page = open_beat("cost", beat, {"width": 390, "height": 844}, bet="-")
    figure = page.locator("[data-figure=cost]")
    figure.locator("text:visible, b:visible, button:visible").first.wait_for()
    cut = figure.evaluate("""(figure) => {
      const box = figure.getBoundingClientRect()
      const over = (r) => r.width && Math.max(box.left - r.left, r.right - box.right,
                                              r.bottom - box.bottom) > 1
      return [...figure.querySelectorAll('text, b, button')].filter((part) =>
        part.checkVisibility() && over(part.getBoundingClientRect())).map((p) => p.textContent)
    }""")
    assert cut == []
