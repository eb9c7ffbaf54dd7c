"""A student's sheet in a browser: what is typed outlives a reload and a phone that sleeps."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from benchmarks.browsing import until
from pages.shared.course.homework import Sheet

SHEET = Sheet(7, ("path-score", "viterbi"), count=2)


def test_what_is_typed_outlives_a_reload(app_url, open_page):
    query = SHEET.query() | {"sheet": "A", "class": "abcdefgh"}
    page = open_page(f"{app_url}/homework?{urlencode(query)}", width=390, height=844)
    name, score = page.get_by_label("Your name"), page.get_by_label("score", exact=True)
    name.fill("Ada")
    name.press("Enter")
    choice = page.get_by_role("combobox").first
    choice.scroll_into_view_if_needed()
    page.evaluate("new Promise(requestAnimationFrame)")  # an open list closes as the page scrolls
    choice.click()
    page.get_by_role("option", name="B", exact=True).click()
    score.fill("1.5")  # and the phone falls asleep: nothing has left the field
    until(page, "Object.values(localStorage).some((kept) => kept.includes('Ada'))")
    page.reload()
    expect(name).to_have_value("Ada", timeout=30_000)
    expect(score).to_have_value("1.5")
    expect(choice).to_have_value("B")
    page.get_by_role("button", name="Make the code").click()
    expect(page.get_by_text("CRF1.")).to_be_visible()
    name.fill("Eve")
    name.press("Enter")
    expect(page.get_by_text("Make the code again")).to_be_visible()
