"""Whatever is typed: a message or a sensible result, nothing executed, and the page goes on."""

import pytest

from pages.shared.ui.state import MAX_TOKENS
from tests.browser.test_tag_page import has_words, open_tagged, type_sentence  # noqa: F401


def goes_on(page):
    type_sentence(page, "Fish swim.")
    has_words(page, "Fish swim .")
    assert page.evaluate("window.executed") is None
    assert page.locator("[data-testid=stException]").count() == 0


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.executed = 1</script>",
        "<img src=x onerror='window.executed=1'> <b>bold</b>",
        "[link](javascript:window.executed=1) **bold** $x$ :red[x]",
        "x" * 500,
        "שלום עולם \u202eevil\u202c 👩‍👩‍👧‍👦 日本語",
    ],
    ids=["script", "image", "markdown", "500 letters", "writing"],
)
def test_odd_text(open_tagged, text):  # noqa: F811
    page = open_tagged()
    type_sentence(page, text)
    page.wait_for_url("**sentence=**")
    page.locator("small").first.wait_for()
    assert page.locator("b", has_text="bold").count() == 0
    assert page.locator("[data-testid=stMain]").evaluate("(e) => e.scrollWidth <= e.clientWidth")
    goes_on(page)


def test_nothing_typed(open_tagged):  # noqa: F811
    page = open_tagged()
    type_sentence(page, "   ")
    page.get_by_text("no word in the field").wait_for()
    goes_on(page)


def test_twenty_thousand_characters(open_tagged):  # noqa: F811
    page = open_tagged()
    type_sentence(page, "word " * 4000)
    page.get_by_text("20,000 characters").wait_for()
    page.reload()
    page.get_by_label("Your sentence").wait_for()
    goes_on(page)


def test_the_longest_sentence(open_tagged):  # noqa: F811
    page = open_tagged()
    type_sentence(page, "fish " * MAX_TOKENS)
    has_words(page, " ".join(["fish"] * MAX_TOKENS))
    type_sentence(page, "fish " * (MAX_TOKENS + 1))
    page.get_by_text(f"{MAX_TOKENS + 1} tokens").wait_for()
    goes_on(page)
