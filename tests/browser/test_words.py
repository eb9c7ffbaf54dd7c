"""From words to scores on the stage: real views, a page without Streamlit, a reader at work."""

import pytest

from pages import beats
from pages.words import runs
from tests.browser.lesson_page import answered

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

BEATS = [beat.name for beat in beats.LESSONS["words"]]


@pytest.fixture
def lesson(open_beat):
    """Open a beat; `page.asked` collects what would start a training, too."""

    def opener(beat, how=None, **query):
        page = open_beat("words", beat, how, "reader", **query)
        page.locator("[data-figure=words] svg > *").first.wait_for()
        return page

    return opener


PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize("beat", BEATS)
@pytest.mark.parametrize("how", [{}, PHONE], ids=["screen", "phone"])
def test_nothing_is_cut_and_nothing_lies_outside(lesson, beat, how):
    page = lesson(beat, how, bet="-")
    width = page.viewport_size["width"]
    outside = page.locator("[data-figure=words] svg text").evaluate_all(
        f"""(all) => all.filter((e) => e.textContent && e.getAttribute('visibility') !== 'hidden')
          .map((e) => [e.textContent, e.getBoundingClientRect()])
          .filter(([, r]) => r.left < -1 || r.right > {width} + 1).map(([text]) => text)"""
    )
    assert outside == []
    figure = page.locator("[data-figure=words]").bounding_box()
    if not how:
        assert figure["width"] * figure["height"] >= 0.5 * 1280 * 720


def test_a_word_is_replaced_by_typing_and_by_pressing(lesson):
    page = lesson("replace")
    assert page.locator(".carry").count() == 0  # not before the bet
    page.locator("[data-option=w3]").click()
    expect(page.locator(".carry").first).to_be_attached()
    expect(page.locator(".answer")).to_contain_text("Right: the scores of work move by up to 7.0")
    field = page.locator(".swap input")
    field.fill("his")
    field.press("Enter")
    expect(page.locator(".say")).to_contain_text("his")
    page.wait_for_url("**other_his**")
    page.keyboard.press("Control+z")
    expect(page.locator(".swap input")).to_have_value("to")
    page.locator(".head[data-token='1']").click()
    expect(page.locator(".swap s")).to_have_text("like")


def test_the_cut_is_dragged_and_moved_by_keys_and_the_tagger_is_chosen(lesson):
    page = lesson("good")
    expect(page.locator(".column.given")).to_have_count(12)
    knob = page.locator(".knob")
    knob.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".say")).to_contain_text("the 35 % of sentences")
    expect(page.locator(".column.given")).to_have_count(14)
    box = knob.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"], steps=4)
    page.mouse.up()
    expect(page.locator(".say")).to_contain_text("the 55 % of sentences")
    page.wait_for_url("**cut_55**")
    page.locator("[data-tagger=names]").click()
    expect(page.locator(".say")).to_contain_text("never")
    expect(page.locator("[data-tagger=names]")).to_have_attribute("aria-pressed", "true")


def test_steps_add_an_epoch_and_a_press_asks_for_a_training(lesson):
    page = lesson("train")
    expect(page.locator(".epoch .water")).to_have_count(runs.OPENS - 1)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".epoch .water")).to_have_count(runs.OPENS)
    page.locator("select[name=batch]").select_option("4")
    page.wait_for_url("**batch_4**")
    page.locator(".train").click()
    expect(page.locator(".fault")).to_have_text("Too many wait.")
    assert page.asked[-1:] == [{"encoder": "bilstm", "batch": "4", "rate": "0.01"}]


def test_a_cell_of_the_matrix_shows_its_sentences(lesson):
    page = lesson("errs")
    expect(page.locator(".slips b").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place span")).to_have_text("step 2 of 8")
    counts = answered("words", "errs", {"state": {}, "want": "whole"})["view"]["picture"]["counts"]
    rare = next(k for k, row in enumerate(counts) if 1 in row)
    page.locator(f'[data-cell="{rare}.{counts[rare].index(1)}"]').click()
    expect(page.locator(".say")).to_contain_text("the tagger calls 1 ")
    page.wait_for_url("**mistake_1.**")


def test_the_keys_lead_from_beat_to_beat(lesson):
    page = lesson("network")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(200)
    expect(page.locator("[data-beat=replace]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".ask")).to_contain_text("becomes")
