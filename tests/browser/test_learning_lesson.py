"""The lesson "Learning" in a browser: a click says what is right, cells tell, a run plays."""

import re

from playwright.sync_api import expect


def test_a_step_makes_the_right_path_more_probable_and_a_run_plays_and_is_in_the_address(visit):
    page = visit("learning?n=20")
    page.get_by_text("Just show me").click()
    block = page.locator("[data-figure=flow]").nth(1).locator('[data-token="1"][data-tag="ADJ"]')
    before = float(block.get_attribute("data-p"))
    block.click()  # “old” is an adjective after all
    expect(page).to_have_url(re.compile(r"gold=0\.1\.3\.0\.2"))
    gradient = page.locator("[data-figure=gradient] .heat").nth(2)
    gradient.get_by_role("button", name=re.compile("^ADJ, VERB")).click()
    expect(page.locator(".gradient .told")).to_contain_text("T[ADJ, VERB]: 1 − 0.08")
    page.get_by_role("button", name="Ten steps").click()
    expect(page.get_by_text("10 steps", exact=True)).to_be_visible()
    expect(block).not_to_have_attribute("data-p", str(before))
    assert float(block.get_attribute("data-p")) > 0.9 > before

    run = page.locator("[data-figure=training]")
    run.scroll_into_view_if_needed()
    expect(run.locator(".sentences small.wrong").first).to_be_visible()
    run.get_by_role("button", name="Play").click()
    expect(run.locator("output")).to_have_text("iteration 20 of 20")
    expect(run.locator(".sentences small.wrong")).to_have_count(0)
    run.get_by_role("button", name="One iteration back").click()
    run.get_by_role("button", name=re.compile("^PRON, VERB")).click()
    expect(run.locator(".told")).to_contain_text("T[PRON, VERB]")
    expect(run.locator(".told")).to_contain_text("they fish 1 − 0.")
    expect(page).to_have_url(re.compile(r"at=19\.0\.tags\.0\.1"))
    total = run.locator(".curve-title").inner_text()
    page.reload()
    expect(run.locator(".curve-title")).to_have_text(total)
    page.get_by_role("button", name="Method, start").click()
    field = page.get_by_label("Iterations", exact=True)
    field.fill("10")
    field.press("Enter")  # a shorter run has no iteration 19
    expect(run.locator("output")).to_have_text("iteration 10 of 10")
