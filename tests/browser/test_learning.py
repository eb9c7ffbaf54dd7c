"""The lesson Learning in a browser: a press is a step, the curve is scrubbed, h is dragged."""

import re

from playwright.sync_api import expect


def test_a_step_lowers_the_loss_a_run_is_scrubbed_and_h_is_dragged(open_beat):
    page = open_beat("learning", "counts", host="reader")
    figure = page.locator("[data-figure=learning]")
    said = page.locator(".slot .say")
    block = figure.locator('.row.expected .face[data-token="1"][data-tag="NOUN"]')
    before = float(block.get_attribute("data-p") or 0)
    figure.get_by_role("button", name="One step").click()
    expect(said).to_contain_text("The loss goes from .43 to .15")
    expect(block).to_have_attribute("data-p", re.compile(r"^0?\.[89]"))
    assert before < 0.8
    figure.get_by_role("button", name="follow ADJ → NOUN").first.click()
    expect(page.locator(".slot .equation")).to_contain_text("ADJ → NOUN: observed 0")
    figure.locator('.row.expected .face[data-token="1"][data-tag="ADJ"]').click()
    expect(page).to_have_url(re.compile(r"right_0\.1\.3\.0\.2"))
    page.keyboard.press("Control+z")
    expect(page).not_to_have_url(re.compile("right_0"))

    page.locator('[data-beat="corpus"]').click()
    expect(page.locator(".place span")).to_have_text("step 1 of 61")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".place span")).to_have_text("step 2 of 61")
    page.keyboard.press("ArrowRight")
    page.locator('[data-option="rises"]').click()
    expect(page.locator(".slot .answer")).to_contain_text("Right")
    pull = figure.locator("[data-pull]").first
    expect(pull).to_have_attribute("data-pull", re.compile(r"^(0?\.[4-9]|[1-9])"))
    figure.locator(".l-scrub").hover(position={"x": 30, "y": 20})  # once it stands still
    scrub = figure.locator(".l-scrub").bounding_box() or {}
    page.mouse.down()
    page.mouse.move(scrub["x"] + scrub["width"], scrub["y"] + 20, steps=4)
    page.mouse.up()
    expect(said).to_contain_text("grows without bound")
    figure.locator('[data-weight="T.1.2"]').click()
    expect(page.locator(".slot .equation")).to_contain_text("observed − expected")
    expect(page).to_have_url(re.compile(r"weight_T\.1\.2"))
    field = figure.get_by_label("penalty λ")
    field.fill("-1")
    field.press("Enter")
    expect(page.locator(".message")).to_contain_text("cannot be read")

    page.locator('[data-beat="right"]').click()
    page.locator('[data-option="larger"]').click()
    expect(figure.locator("[data-power='14']")).to_be_attached()
    figure.locator("circle.l-dot").hover()
    dot = figure.locator("circle.l-dot").bounding_box() or {}
    page.mouse.down()
    page.mouse.move(dot["x"] + 300, dot["y"] + 10, steps=3)
    page.mouse.up()
    expect(said).to_contain_text("too fine")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"step=\d"))
    page.set_viewport_size({"width": 390, "height": 844})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    page.wait_for_function(f"{wide} <= 0")  # it is drawn again in a later frame
