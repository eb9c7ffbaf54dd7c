"""From words to scores on the stage: real views, a page without Streamlit, a reader at work."""

import json
import re
from urllib.parse import urlsplit

import pytest

from crf.figures import modules
from pages import beats
from pages.shared.contents import ROOT
from pages.shared.ui.component_data import as_json
from pages.shared.ui.stage import view as views
from pages.words import runs
from tests.browser.test_stage_trellis import PAGE, SITE, STAGE

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

BEATS = {beat.name: beat for beat in beats.LESSONS["words"]}


def whole(name, query):
    state, fault = views.state_of(query, "words")
    return views.view(BEATS[name], "words", state, fault, beats.LESSONS["words"])


def answered(name, question):
    """What /draw answers."""
    if question["want"] == "whole":
        return {"view": whole(name, question["state"])}
    beat, (state, _) = BEATS[name], views.state_of(question["state"], "words")
    tables = {"picture": beat.tables(state)} if question.get("tables") else {}
    return {"now": beat.now(state) | tables, **views.address(state, beat, beats.LESSONS["words"])}


@pytest.fixture
def lesson(open_tab):
    """Open a beat; `page.posts` collects what would start a training."""

    def opener(beat, how=None, **query):
        page = open_tab(**(how or {}))
        page.posts = []
        data = {
            "address": f"/draw/words/{beat}", "language": "en", "opens": False, "host": "reader",
            "order": 0, "set": {}, "links": {}, "labels": {}, "view": whole(beat, query),
        }  # fmt: skip

        def serve(route):
            path = urlsplit(route.request.url).path
            if module := re.fullmatch(r"/modules/(.*\.js)", path):
                route.fulfill(path=ROOT / module[1], content_type="text/javascript")
            elif path.startswith("/draw/words/"):
                question = json.loads(route.request.post_data)
                route.fulfill(body=as_json(answered(path.rsplit("/", 1)[1], question)))
            elif path == "/train":
                page.posts.append(json.loads(route.request.post_data))
                route.fulfill(status=503, body=json.dumps({"message": "Too many wait."}))
            else:
                text = as_json(data).decode().replace("<", "\\u003c")
                style = modules.style(STAGE, *views.STYLES)
                body = PAGE.format(style=style, data=text, stage=STAGE)
                route.fulfill(body=body, content_type="text/html; charset=utf-8")

        page.route(f"{SITE}/**", serve)
        page.goto(f"{SITE}/beat/words/{beat}")
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
    assert page.posts == [{"encoder": "bilstm", "batch": "4", "rate": "0.01"}]


def test_a_cell_of_the_matrix_shows_its_sentences(lesson):
    page = lesson("errs")
    expect(page.locator(".slips b").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place span")).to_have_text("step 2 of 8")
    counts = whole("errs", {})["picture"]["counts"]
    rare = next(k for k, row in enumerate(counts) if 1 in row)
    page.locator(f'[data-cell="{rare}.{counts[rare].index(1)}"]').click()
    expect(page.locator(".say")).to_contain_text("the tagger calls 1 ")
    page.wait_for_url("**mistake_1.**")


def test_the_keys_lead_from_beat_to_beat(lesson):
    page = lesson("network")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(200)
    expect(page.locator("[data-beat=replace]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".ask")).to_contain_text("becomes")
