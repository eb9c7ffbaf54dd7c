"""The column that the reader fills: numbers are typed, and the film goes on from there."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_stage_trellis import address_says, cells, press, summary, table, trellis

__all__ = ["trellis"]  # a fixture


def test_a_number_is_typed_as_a_bet(trellis):
    page = trellis("column")
    page.locator("input[data-option]").click()
    page.keyboard.type("15.9x")
    expect(page.locator("input[data-option]")).to_have_value("15.9x")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("Right")
    address_says(page, "bet", "15.9")


def test_after_a_wrong_number_there_is_a_second_try_and_nothing_is_told_before(trellis):
    page = trellis("column")
    field = page.locator("input[data-option]")
    for typed, said in (("?", "not a number"), ("9.1", "Not yet")):
        field.fill(typed)
        field.press("Enter")
        expect(page.locator(".answer")).to_contain_text(said)
        expect(page.locator(".spoken")).to_contain_text(said)
        expect(field).to_have_attribute("aria-invalid", str(typed == "?").lower())
        expect(field).to_be_focused()
        assert len(cells(page)) == 12
    field.fill("15.6")
    field.press("Enter")
    expect(page.locator(".answer")).to_contain_text("only the largest way in")
    assert cells(page)[3, "DET"] == pytest.approx(summary().log_alphas[0, 3, 0].item(), abs=1e-5)


def test_all_cells_of_the_column_can_be_filled_and_the_film_goes_on_to_end(trellis):
    page = trellis("column")
    field, asked = page.locator("input[data-option]"), page.locator(".cell.asked")
    for tag, answer in (("DET", "15.9"), ("NOUN", "9.2"), ("ADJ", "8.2")):
        page.locator(f".cell[data-token='3'][data-tag={tag}]").click()
        expect(page.locator(".ask")).to_contain_text(f"the, {tag}")
        expect(field).to_have_accessible_name(page.locator(".ask").text_content())
        expect(field).to_have_value("")
        field.fill(answer)
        field.press("Enter")
        expect(page.locator(".answer")).to_contain_text("Right")
    expect(asked).to_have_count(1)
    press(page, *["ArrowRight"] * 7)
    expect(page.locator(".total.full")).to_have_count(1)
    assert cells(page) == table(summary().log_alphas[0])
    press(page, *["ArrowLeft"] * 9)  # from the second into the first, and nothing is asked again
    expect(page.locator("[data-beat=add]")).to_have_attribute("aria-current", "step")
    expect(page.locator(".place span")).to_have_text("step 12 of 12")
