"""The lesson on cost in a real browser: a part of the tree is dragged to another place."""

import re

from playwright.sync_api import expect

from crf.figures.numbers import format_score
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem


def test_cost(visit):
    page = visit("cost")
    tree = page.locator("[data-figure=tree]")
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
