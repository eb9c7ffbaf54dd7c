"""A class: a lecturer who presents, and phones that follow, vote, fill a column and look round."""

import re

import pytest
from playwright.sync_api import expect

from benchmarks.browsing import until
from benchmarks.serving import serving
from pages import beats
from pages.shared.ui.component import module_address
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store


@pytest.fixture
def a_browser(chromium):
    """Opens a link in a browser of its own, with its own cookies, as on another phone."""
    contexts, errors = [], []

    def opener(url: str, width=1280, height=720, **how):
        contexts.append(chromium.new_context(viewport={"width": width, "height": height}, **how))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        return page

    yield opener
    for context in contexts:
        context.close()
    assert not errors, errors


def test_phones_follow_vote_fill_a_column_and_look_round(a_browser, tmp_path):
    where = tmp_path / "class"
    with serving("app.py", tmp_path / "log", "--class", "--store", str(where)) as server:
        room = Room(Store(where), beats.LESSONS)
        code, token, _ = room.keys
        lecturer = a_browser(f"{server.url}/lead?token={token}")
        expect(lecturer.locator(".code")).to_have_text(code)
        phones = [a_browser(f"{server.url}/join?code={code}", 390, 844) for _ in range(2)]
        for phone in phones:
            phone.get_by_role("button", name="Join").click()
            expect(phone.locator("[data-phone] .waits")).to_be_visible()
        expect(lecturer.locator(".places")).to_have_text("2 phones have joined.")

        phones[1].goto(f"{server.url}/join?code={code}")  # it is in already
        expect(phones[1].locator("[data-phone] .waits")).to_be_visible()

        lecturer.goto(f"{server.url}/structure?beat=bet")
        expect(lecturer.locator(".class-press")).to_contain_text("press P", timeout=60_000)
        lecturer.goto(f"{server.url}/class/lead")
        lecturer.get_by_role("link", name="Plan of 20 minutes").click()
        lecturer.locator("[data-presenting] .slot .ask").wait_for(timeout=60_000)
        expect(lecturer.locator(".class-press")).not_to_be_visible()
        assert "give=" not in lecturer.url  # loaded again, it keeps the list and the place
        expect(lecturer.locator(".class-foot")).to_contain_text(f"join with {code}")
        first, second = phones
        last = first.locator(".bet [data-option]").last  # of six
        assert (
            last.bounding_box()["y"] + last.bounding_box()["height"]
            <= (first.locator("footer").bounding_box()["y"])
        )
        for phone, option in zip(phones, ("w1", "w2"), strict=True):
            phone.locator(f".bet [data-option={option}]").click()
            expect(phone.locator("footer .told")).to_contain_text("Your answer is in")
        expect(lecturer.locator(".class-said")).to_contain_text("2 of 2 have answered")
        assert not lecturer.locator(".class-bars .bar").count()
        lecturer.keyboard.press("t")
        expect(lecturer.locator(".class-time")).to_be_visible()
        lecturer.keyboard.press("c")
        expect(lecturer.locator("[data-vote=w2]")).to_have_attribute("data-count", "1")
        assert not lecturer.locator(".class-bars .right, .class-time").count()
        lecturer.keyboard.press("ArrowRight")
        expect(lecturer.locator("[data-vote=w2]")).to_have_attribute("data-count", "1")
        expect(first.locator(".answer")).to_contain_text("Right")
        expect(second.locator(".answer")).to_contain_text("Not quite")

        lecturer.locator("[data-presenting] [data-beat=column]").dispatch_event("click")
        for phone, number in zip(phones, ("15.93", "8.0"), strict=True):
            expect(phone.locator(".task-asks")).to_contain_text("Your cell is the,")
            assert "Send" in phone.locator(".task form").inner_text()
            phone.locator(".task input").fill(number)
            phone.get_by_role("button", name="Send").click()
        cells = lecturer.locator(".class-column .cell.now text")
        expect(lecturer.locator(".class-column .square.answers")).to_have_count(2)
        expect(cells.first).to_have_text("?")
        lecturer.keyboard.press("ArrowRight")
        expect(cells.first).to_have_text("15.93")
        expect(lecturer.locator(".class-column text.ghost")).to_have_text("8.00")
        expect(lecturer.locator(".class-column .slip")).to_have_text("best way alone")
        expect(lecturer.locator(".class-said")).to_contain_text("found the sum")
        assert "best way" not in second.locator("[data-phone]").inner_text()
        lecturer.keyboard.press("ArrowRight")
        expect(second.locator("footer .told")).to_have_text(
            "You sent 8.0. The right number is 8.21."
        )

        expect(cells.nth(1)).to_have_text("8.21")
        expect(lecturer.locator(".class-column text.ghost")).to_have_text("8.00")

        first.locator("footer .look").click()
        first.locator(".remote .back").click()
        until(first, "document.querySelector('.place span').textContent.startsWith('step 3')")
        lecturer.keyboard.press("ArrowRight")
        expect(second.locator(".say")).to_contain_text("boat")  # the film goes on
        expect(first.locator("footer .told")).to_contain_text("You are looking around")
        first.get_by_role("button", name="Follow the lecturer").click()
        expect(first.locator(".say")).to_contain_text("boat")
        lecturer.locator("[data-presenting] [data-beat=mind]").dispatch_event("click")
        for phone, way in zip(phones, ("t1", "t2"), strict=True):  # t3, t2 are right
            expect(phone.locator(".task-asks")).to_contain_text("largest")
            phone.locator(f".way-cell [data-option={way}]").click()
        expect(lecturer.locator(".class-column .square.answers")).to_have_count(2)
        lecturer.keyboard.press("ArrowRight")
        kept = lecturer.locator(".class-column .edge.kept")
        expect(kept).to_have_count(1)  # not the way that was wrong
        lecturer.keyboard.press("ArrowRight")
        expect(kept).to_have_count(4)

        with lecturer.expect_popup() as opened:
            lecturer.keyboard.press("v")
        lecturer = opened.value
        expect(lecturer.get_by_role("heading", name="Votes of this lecture")).to_be_visible()
        with lecturer.expect_download() as votes:
            lecturer.get_by_role("link", name="Save as CSV").click()
        assert "VERB" in votes.value.path().read_text("utf-8")
        assert re.search(r"Traceback", (tmp_path / "log").read_text()) is None
        room.store.close()


COLUMN = """async ([script, tags]) => {
  const { drawColumn } = await import(script)
  const root = document.body.appendChild(document.createElement("div"))
  root.style.width = "1280px"
  const named = [...Array(tags).keys()].map((r) => ({ name: `T${r}` }))
  const slips = [[3, "35.60", "word’s own score forgotten"], [2, "31.10", "best way alone"]]
    .map(([n, value, label]) => ({ n, value, label }))
  const cells = named.map((_, r) => ({ cell: [1, r], answered: 12, right: 5, value: "40.16",
    colour: "0 90 160", slips: r % 2 ? slips : [] }))
  const numbers = named.map(() => 1)
  const picture = { tags: named, tokens: [{ text: "old" }, { text: "man" }], rows: [0, 1],
    values: [numbers, numbers], shares: [numbers, numbers] }
  drawColumn(root, picture, { cells, kind: "number", present: 12 * tags }, {
    "lead.found": "{right} of {answered}" })
  const boxes = (part) => [...root.querySelectorAll(part)].map((one) => one.getBoundingClientRect())
  const right = root.getBoundingClientRect().right
  const told = ["text.ghost", ".slip", ".count"].flatMap(boxes)
  const places = boxes(".cell.now").map((box) => Math.round(box.y))
  root.remove()
  return { ghosts: told.length, wide: Math.max(...told.map((box) => box.right)) - right,
    rows: new Set(places).size, high: Math.min(...places) > 0 }
}"""


@pytest.mark.parametrize(("tags", "told"), [(4, 2 * 3 + 2), (6, 3 * 3 + 3)])
def test_wrong_answers_stand_beside_each_cell_that_was_asked_for(open_beat, tags, told):
    page = open_beat("trellis", "add")
    drawn = page.evaluate(COLUMN, [module_address("pages/teach/classroom/lead/column.js"), tags])
    assert drawn["rows"] == tags, "also those of rows that the picture leaves out"
    assert drawn["ghosts"] >= told
    assert drawn["wide"] <= 0
