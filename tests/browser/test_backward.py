"""The lesson "Backward and marginals" as a reader uses it, in a real browser.

Expected values are found path by path in tests/pages/marginal_oracle.py.
"""

import math
import re

import pytest

from benchmarks.serving import running
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_potential, format_probability, format_score
from tests.browser.test_lessons import SWITCHES, choose, edit
from tests.pages import marginal_oracle as oracle
from tests.pages import recursion_oracle

OLD_MAN = EXAMPLES["old-man"].problem
S = len(OLD_MAN.tags)
DET, ADJ, NOUN, VERB = range(4)
OLD, MAN = 1, 2


@pytest.fixture
def visit(open_page, app_url):
    def opener(path="backward", *, url=app_url, **options):
        page = open_page(f"{url}/{path}", **options)
        page.locator(".trellis").wait_for(timeout=60_000)
        page.locator("footer.crf-footer").wait_for()
        return page

    return opener


def cell(page, label, *, name):
    """A cell of the heat map with this label, by the beginning of its own."""
    table = page.locator(".cells").filter(has=page.locator("caption", has_text=label))
    return table.get_by_role("button", name=re.compile(f"^{re.escape(name)}:"))


def step_of(convention, token, tag):
    last = len(OLD_MAN.tokens) - 1 - (convention == "message")
    return (last - token) * S + tag


def shows_everywhere(page, problem, convention, semiring, space):
    """Equation, cell, table, prose and the table α · β have the value of ‘man’, VERB."""
    from playwright.sync_api import expect

    write = format_score if space == "log" else format_potential
    text = write(oracle.beta(problem, convention, semiring, MAN, VERB))
    through = [pair for pair in oracle.every_path(problem) if pair[0][MAN] == VERB]
    product = oracle.total(problem, semiring, through)
    whole = oracle.total(problem, semiring)
    expect(page.locator(".crf-follow")).to_contain_text(f": {text}.", timeout=15_000)
    expect(page.locator(".equation .now .res")).to_have_text(text)
    expect(page.locator(f'[data-cell="{MAN},{VERB}"] .value')).to_have_text(text)
    expect(page.locator(".behind tbody tr").nth(VERB).locator("td").nth(MAN)).to_have_text(text)
    rows = page.get_by_role("region", name="β for each tag of ‘man’, as the step has it")
    row = rows.locator("tbody tr").nth(VERB)
    last = (
        format_probability(math.exp(product - whole))
        if semiring == "sum"
        else format_score(whole - product)
    )
    for place, number in ((-3, text), (-2, write(product)), (-1, last)):
        expect(row.locator("td").nth(row.locator("td").count() + place)).to_have_text(number)


@pytest.mark.parametrize("semiring", ["sum", "max"])
def test_an_edited_score_changes_equation_cell_tables_and_prose(visit, semiring):
    page = visit(f"backward?semiring={semiring}")
    page.get_by_text("Edit scores").click()
    page.locator("input.score").first.wait_for()
    page.locator("summary", has_text="The values as a table").click()
    problem = OLD_MAN
    for k, (label, convention) in enumerate(SWITCHES.items()):
        choose(page, label)
        page.wait_for_url(lambda url, c=convention: ("convention=" + c in url) == (c != "state"))
        page.get_by_role("slider", name="Step").fill(str(step_of(convention, MAN, VERB)))
        shows_everywhere(page, problem, convention, semiring, "log")
        edit(page, "From VERB to DET", str(2.25 + k))
        problem = problem.with_score("transitions", (VERB, DET), 2.25 + k)
        shows_everywhere(page, problem, convention, semiring, "log")
        choose(page, "Potentials")
        shows_everywhere(page, problem, convention, semiring, "probability")
        choose(page, "Log-scores")


@pytest.mark.parametrize("path", ["backward", "forward", "viterbi"])
def test_a_switch_keeps_the_tag_and_token_on_screen(visit, path):
    from playwright.sync_api import expect

    page = visit(path)
    page.get_by_role("slider", name="Step").fill("11")
    page.locator(".crf-follow", has_text="‘man’, VERB").wait_for()
    labels = ["Message", "Potentials", "Pair", "Compared (max)", "Message", "State", "Summed"]
    for label in labels:
        page.get_by_role("radio", name=label, exact=True).click()
        number = 8 if page.get_by_role("radio", name="Message").is_checked() else 12
        expect(page.locator(".count")).to_have_text(re.compile(f"^{number} / "), timeout=15_000)
        expect(page.locator(".say .now")).to_contain_text("‘man’, VERB")
        page.locator(".crf-follow", has_text="‘man’, VERB").wait_for()
    page.get_by_role("radio", name="Message", exact=True).click()
    expect(page.locator(".count")).to_have_text(re.compile("^8 / "), timeout=15_000)
    page.wait_for_timeout(1_000)  # the browser has reported where it is by now
    page.get_by_text("Edit scores").click()  # a rerun in which no step is taken
    page.locator("input.score").first.wait_for()
    expect(page.locator(".count")).to_have_text(re.compile("^8 / "))
    expect(page.locator(".crf-follow")).to_contain_text("‘man’, VERB")


def test_an_edited_score_changes_the_heat_maps(visit):
    from playwright.sync_api import expect

    page = visit()
    page.get_by_text("Edit scores").click()
    page.locator("input.score").first.wait_for()
    edit(page, "From NOUN to VERB", "-0.5")
    problem = OLD_MAN.with_score("transitions", (NOUN, VERB), -0.5)
    p = oracle.unary(problem)[MAN][VERB]
    assert abs(p - oracle.unary(OLD_MAN)[MAN][VERB]) > 0.1
    for label in ("pick a cell to open it", "pick a cell to fix its tag"):
        picked = cell(page, label, name="‘man’, VERB").first
        expect(picked).to_have_text(f"{p:.2f}"[1:], timeout=15_000)
    log_z = recursion_oracle.total(problem, "sum")
    sums = page.get_by_role("region", name="The total of each column, and its residual")
    for t in range(5):
        expect(sums.locator("tbody tr").first.locator("td").nth(t)).to_contain_text(f"{log_z:.6f}")


def test_a_cell_is_opened_by_mouse_and_keyboard(visit):
    from playwright.sync_api import expect

    page = visit()
    label = "Marginal probabilities, tags by tokens"
    cell(page, label, name="‘man’, NOUN").click()
    given = page.get_by_role("region", name="The neighbours’ tags, given ‘man’ = NOUN")
    given.wait_for()
    expect(cell(page, label, name="‘man’, NOUN")).to_have_attribute("aria-pressed", "true")
    expected = oracle.unary(OLD_MAN, lambda y: y[MAN] == NOUN)[OLD]
    row = given.locator("tbody tr").nth(1)
    assert [float(text) for text in row.locator("td").all_inner_texts()[1:3]] == pytest.approx(
        expected[1:3], abs=0.0051
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="The neighbours’ tags, given ‘old’ = ADJ").wait_for()
    expect(cell(page, label, name="‘old’, ADJ")).to_be_focused()


def test_a_cell_leads_to_its_step_again_and_again(visit):
    from playwright.sync_api import expect

    page = visit()
    cell(page, "tags by tokens; pick a cell to open it", name="‘old’, NOUN").click()
    page.get_by_text("p(‘old’ = NOUN) =").wait_for()
    wanted = step_of("state", OLD, NOUN)
    for _ in range(2):
        page.get_by_role("button", name="Show its β in the stepper above").click()
        page.locator(".crf-follow", has_text="‘old’, NOUN").wait_for()
        expect(page.locator(".count")).to_have_text(re.compile(f"^{wanted + 1} / "))
        expect(page.locator(".trellis")).to_be_in_viewport()
        page.locator(".scroll").focus()
        page.keyboard.press("Home")
        page.locator(".crf-follow", has_text="‘boat’, DET").wait_for()
    page.get_by_role("button", name="Show its α̂ in the lesson Forward").click()
    page.locator("h1", has_text="Forward").wait_for()
    page.locator(".crf-follow", has_text="‘old’, NOUN").wait_for()


def test_fixing_tags_moves_the_others(visit):
    from playwright.sync_api import expect

    page = visit()
    label = "pick a cell to fix its tag"
    cell(page, label, name="‘old’, ADJ").click()
    given = oracle.unary(OLD_MAN, lambda y: y[OLD] == ADJ)[MAN][NOUN]
    expect(cell(page, label, name="‘man’, NOUN")).to_have_text(f"▲ {given:.2f}".replace("0.", "."))
    p = format_probability(oracle.probability(OLD_MAN, lambda y: y[OLD] == ADJ))
    page.get_by_text(re.compile(rf"p\(‘old’ = ADJ\) = .* = {re.escape(p)}\.")).wait_for()
    cell(page, label, name="‘old’, ADJ").click()
    page.get_by_text("Nothing is fixed").wait_for()


def test_the_illegal_example(visit):
    page = visit()
    page.get_by_role("button", name="See the example").click()
    page.get_by_text("make a sequence of probability 0").wait_for()
    cell(page, "pick a cell to fix its tag", name="‘x’, O").click()
    page.get_by_text("p(‘x’ = O)").wait_for()
    cell(page, "pick a cell to fix its tag", name="‘y’, I").click()
    page.get_by_text("Nothing can be conditioned on what cannot happen").wait_for()


def test_what_is_fixed_and_drawn_goes_into_the_address_and_comes_back(visit):
    from playwright.sync_api import expect

    page = visit()
    label = "pick a cell to fix its tag"
    cell(page, label, name="‘old’, ADJ").click()
    page.wait_for_url(lambda url: "fix=1.1" in url)
    seed = page.get_by_label("Seed", exact=True)
    seed.fill("7")
    seed.press("Enter")
    page.wait_for_url(lambda url: "fix=1.1" in url and "seed=7" in url)
    again = visit(page.url.rsplit("/", 1)[1])
    again.get_by_text("p(· | ‘old’ = ADJ)").wait_for()
    expect(again.get_by_label("Seed", exact=True)).to_have_value("7")


def test_a_deep_link_on_a_cold_server(visit, tmp_path):
    with running("app.py", tmp_path / "log") as url:
        page = visit("backward?ex=fish&convention=message&space=probability&step=1", url=url)
        assert page.locator("h1").inner_text() == "Backward and marginals"
        problem = EXAMPLES["fish"].problem
        value = oracle.beta(problem, "message", "sum", len(problem.tokens) - 2, 1)
        assert page.locator(".equation .now .res").inner_text() == format_potential(value)
        page.context.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(visit, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("backward?step=11", dark=dark)
    page.get_by_role("button", name="Just show me").click()
    page.get_by_text("The whole sequence has").wait_for()
    cell(page, "pick a cell to fix its tag", name="‘old’, ADJ").click()
    page.get_by_text("What has moved most").wait_for()
    page.locator(".js-plotly-plot").wait_for()
    found = axe.run(page).response["violations"]
    broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
    assert not broken, broken


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["old-man", "ice-cream"])
def test_nothing_sticks_out(visit, name, width):
    page = visit(f"backward?ex={name}&step=10", width=width)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")
