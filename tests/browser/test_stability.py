"""The lesson "Numerical stability" as a reader uses it, in a real browser."""

import csv
import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.pages import recursion_oracle as oracle

OLD_MAN = EXAMPLES["old-man"].problem
PIXEL = """(gd, [curve, k]) => {
  const { xaxis: x, yaxis: y } = gd._fullLayout, trace = gd.data[curve], box = gd.getBoundingClientRect()
  return [box.left + x._offset + x.d2p(trace.x[k]), box.top + y._offset + y.d2p(trace.y[k])]
}"""  # noqa: E501


@pytest.fixture
def open_stability(open_page, app_url):
    def opener(query="", *, seen=True, **options):
        page = open_page(f"{app_url}/stability{query}", **options)
        show = page.get_by_role("button", name="Just show me")
        show.wait_for(timeout=30_000)
        page.locator("footer.crf-footer").wait_for()
        page.get_by_text("Check yourself").wait_for()
        if seen:
            show.click()
            page.get_by_text("Largest subtracted").first.wait_for()
        return page

    return opener


def says(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, timeout=15_000)


def has_value(locator, value):
    from playwright.sync_api import expect

    expect(locator).to_have_value(value, timeout=15_000)


def chain(page):
    return page.get_by_role("region", name="log Z of the chain")


def test_a_deep_link_opens_as_it_says(open_stability):
    page = open_stability("?ex=three-one-three&q=3~1&len=30&step=4")
    says(page.locator("h1"), "Numerical stability")
    has_value(page.get_by_role("textbox", name="Scores q"), "3, 1")
    right = math.log(math.exp(3) + math.exp(1))
    says(page.get_by_role("region", name="log Σ exp(q) in three ways"), f"{right:.7g}")
    has_value(page.get_by_label("Token", exact=True), "5")
    says(page.get_by_text("tag H:"), "Token 5")


def test_an_edited_score_reaches_table_and_step(open_stability):
    page = open_stability("?len=5")
    says(chain(page), f"{oracle.total(OLD_MAN, 'sum'):.7g}")
    page.get_by_text("Edit scores").click()
    cell = page.get_by_role("textbox", name="Emission of man as VERB", exact=True)
    cell.fill("3.5")
    cell.press("Enter")
    problem = OLD_MAN.with_score("emissions", (2, 3), 3.5)
    says(chain(page), f"{oracle.total(problem, 'sum'):.7g}")
    token = page.get_by_label("Token", exact=True)
    token.fill("3")
    token.press("Enter")
    page.get_by_role("combobox", name="Tag").last.fill("VERB")
    page.get_by_role("option", name="VERB").click()
    value = oracle.cell(problem, "state", "sum", 2, 3)
    says(page.get_by_text("By float64 log space"), f"log α̂ = {value:.7g}")


def test_typed_scores_and_the_way_back_by_link(open_stability):
    page = open_stability()
    field = page.get_by_role("textbox", name="Scores q")
    field.fill("1000, log 2, -inf")
    field.press("Enter")
    sums = page.get_by_role("region", name="log Σ exp(q) in three ways")
    says(sums, "1000")
    says(sums.get_by_role("row", name="As written"), "✗ overflow")
    page.wait_for_url("**q=1000~**")
    field.fill("seven")
    field.press("Enter")
    says(page.get_by_test_id("stAlert").first, "expected a number")


def test_a_guess_before_the_answer(open_stability):
    page = open_stability(seen=False)
    assert page.get_by_text("Largest subtracted").count() == 0
    for dtype in ("float16", "bfloat16", "float32"):
        page.get_by_test_id("stForm").first.get_by_text(dtype, exact=True).click()
    page.get_by_role("button", name="Commit, then see").first.click()
    says(page.get_by_test_id("stAlert").first, "Right: float16, bfloat16, float32")
    page.get_by_text("Largest subtracted").first.wait_for()


def test_a_click_on_a_curve_opens_its_step(open_stability):
    page = open_stability("?len=100")
    plot = page.locator(".js-plotly-plot").nth(1)
    plot.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    x, y = plot.evaluate(PIXEL, [1, 11])  # probability space, bfloat16, token 12
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    has_value(page.get_by_label("Token", exact=True), "12")
    says(page.get_by_text("tag DET:"), "Token 12")


def test_the_way_to_the_step_in_forward(open_stability):
    page = open_stability("?step=7")
    page.get_by_role("button", name="See this step in the lesson Forward").click()
    page.locator(".stepper svg").first.wait_for(timeout=30_000)
    says(page.locator("h1"), "Forward")
    longer = OLD_MAN
    for t, token in enumerate(OLD_MAN.tokens[:3]):
        longer = longer.add_token(f"{token}+")
        for s, score in enumerate(OLD_MAN.emissions[t]):
            longer = longer.with_score("emissions", (5 + t, s), score)
    value = oracle.cell(longer, "state", "sum", 7, 0)
    says(page.locator(".crf-follow"), f"Its logarithm: {value:.2f}.")


def test_a_table_is_saved_as_csv(open_stability, tmp_path):
    page = open_stability("?len=5")
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Table as CSV").click()
    download.value.save_as(tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert float(rows[2]["exp is inf above"]) == math.log((2 - 2**-23) * 2.0**127)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(open_stability, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_stability(dark=dark)
    page.locator(".js-plotly-plot").nth(1).wait_for()
    found = axe.run(page).response["violations"]
    broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
    assert not broken


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(open_stability, width):
    page = open_stability(width=width)
    page.locator(".js-plotly-plot").nth(1).wait_for()
    page.wait_for_timeout(500)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    boxes = page.locator("[data-testid=stMain] :is(.crf-scroll, .crf-formula, button)").all()
    for box in filter(None, (b.bounding_box() for b in boxes)):
        assert box["x"] + box["width"] <= width + 1


def test_the_code_that_ran(open_stability):
    page = open_stability(seen=False)
    page.get_by_text("The code that ran").click()
    says(page.get_by_test_id("stCode").first, re.compile(r"q\.exp\(\)\.sum\(\)\.log\(\)"))
