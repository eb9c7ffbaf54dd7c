"""The lesson on batches in a real browser: what only its components can do."""

import re

import pytest
from playwright.sync_api import expect

from crf.figures.numbers import format_score
from pages.batches.batch import Batch, presets
from pages.batches.faults import FAULTS
from pages.batches.loop import Loop
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem


@pytest.mark.thorough
def test_loop_slabs_and_marked_code(open_page, app_url):
    loop = Loop(Batch.of(OLD_MAN, presets(OLD_MAN)["ragged"][1]))
    last = len(loop.kept) - 1  # row 2 has ended before it
    page = open_page(f"{app_url}/batches")
    picture = page.locator("[data-figure=batch]")
    picture.wait_for(timeout=60_000)
    assert picture.bounding_box()["height"] >= 240  # a third of the screen
    picture.get_by_role("button", name="One step on").focus()
    for _ in range(last):
        page.keyboard.press("ArrowRight")
    expect(picture.get_by_role("status")).to_contain_text("Row 2 has ended and keeps")
    kept = format_score(loop.kept[last][1][1].item())  # row 2, ADJ
    expect(picture.locator(".array td.carried", has_text=kept).first).to_be_visible()
    expect(page).to_have_url(re.compile(f"step={last}"))

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
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")
