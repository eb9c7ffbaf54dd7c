"""The lessons on batches and on cost in a real browser: what only their components can do."""

import re

import pytest

from crf.figures.numbers import format_score
from pages.batches.batch import Batch, presets
from pages.batches.faults import FAULTS
from pages.batches.loop import Loop
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem


def violations(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]


@pytest.mark.thorough
def test_batches(open_page, app_url):
    from playwright.sync_api import expect

    loop = Loop(Batch.of(OLD_MAN, presets(OLD_MAN)["ragged"][1]))
    page = open_page(f"{app_url}/batches")
    picture = page.locator("[data-figure=batch]")
    picture.wait_for(timeout=60_000)
    assert picture.bounding_box()["height"] >= 240  # a third of the screen
    picture.get_by_role("button", name="One step on").focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    expect(picture.get_by_role("status")).to_contain_text("Row 2 has ended and keeps")
    carried = picture.locator(".array tr").nth(7).locator("td")  # row 2, ADJ
    expect(carried.nth(6)).to_have_text(format_score(loop.kept[7][1][1].item()))
    expect(carried.nth(6)).to_have_class(re.compile("carried"))
    expect(page).to_have_url(re.compile("step=7"))

    page.get_by_role("button", name="Just show me").first.click()
    slab = page.locator("[data-figure=slabs]").last
    expect(page.get_by_text("one number for each row and next tag")).to_be_visible()
    slab.locator("button[data-at='1·2·3']").focus()
    expect(slab.locator("td.lit:not(:empty)")).to_have_count(4)  # three inputs and the sum
    expect(slab.get_by_role("status")).to_contain_text("row 2, from NOUN, to VERB")

    page.get_by_role("radio", name="7", exact=True).click()
    code = page.locator("[data-figure=code]")
    expect(code).to_contain_text("log_z_unmasked")
    code.get_by_role("radio").nth(FAULTS["unmasked"].line).click()
    expect(page.get_by_text("it is. A score of 0")).to_be_visible()
    assert violations(page) == []
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_cost(open_page, app_url):
    from playwright.sync_api import expect

    page = open_page(f"{app_url}/cost", dark=True)
    tree = page.locator("[data-figure=tree]")
    tree.wait_for(timeout=60_000)
    total = format_score(OLD_MAN.chain().log_partition.item(), 9)
    expect(tree.locator(".total")).to_have_text(f"log Z = {total}")
    expect(tree.locator(".brackets")).to_have_text("((M₁ M₂) (M₃ M₄)) M₅")
    node = tree.locator(".node", has_text="3–4")
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] - 40)
    page.mouse.up()
    expect(tree.locator(".brackets")).not_to_have_text("((M₁ M₂) (M₃ M₄)) M₅")
    expect(tree.locator(".total")).to_have_text(f"log Z = {total}")
    expect(page).to_have_url(re.compile("tree="))
    tree.get_by_role("button", name="One round on").click()
    expect(tree.get_by_role("status")).to_contain_text("Round 1")
    assert violations(page) == []
