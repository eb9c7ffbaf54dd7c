"""The article: figures that step and are bet on, in a file without a server and at /read."""

import re

import pytest

from pages.read import page as article
from pages.read.article import FIGURES
from tests.browser.scripts import script

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The file with the text that is committed, and the scripts of today."""
    path = tmp_path_factory.mktemp("article") / "article.html"
    text = article.text_of(article.FILES["en"].read_text(encoding="utf-8"))
    path.write_text(article.document(text), encoding="utf-8")
    return path


@pytest.fixture
def opened(written, chromium):
    """Open the file in a browser that has no network; keywords as of a context."""
    contexts, faults = [], []

    def opener(width=1280, height=800, **how):
        viewport = {"width": width, "height": height}
        context = chromium.new_context(
            offline=True, viewport=viewport, reduced_motion="reduce", **how
        )
        contexts.append(context)
        page = context.new_page()
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("console", lambda said: said.type == "error" and faults.append(said.text))
        page.on("request", lambda asked: asked.url[:4] == "http" and faults.append(asked.url))
        page.goto(written.as_uri())
        return page

    yield opener
    for context in contexts:
        context.close()
    assert not faults


def shown(page, name):
    """A figure in the middle of the window, drawn."""
    figure = page.locator(f"#figure-{name}")
    figure.evaluate("(figure) => figure.scrollIntoView({ block: 'center' })")
    figure.locator("[data-figure]").wait_for()
    figure.evaluate("(figure) => figure.scrollIntoView({ block: 'center' })")
    return figure


def cell(figure, token, tag):
    return figure.locator(f'.cell[data-token="{token}"][data-tag="{tag}"]')


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1280, 390])
def test_every_figure_is_a_stage_of_one_beat_and_nothing_is_cut(opened, width):
    page = opened(width)
    for name in FIGURES:
        figure = shown(page, name)
        expect(figure.locator("[data-figure]")).to_have_count(1)
        expect(figure.locator("[data-on]:visible")).to_have_count(1)
        expect(figure.locator("> .still svg[role=img]")).to_have_count(1)
        expect(figure.locator("> .still")).not_to_be_visible()
        expect(figure.locator(".spoken")).to_have_css("width", "1px")  # the stage has its style
        assert figure.locator("[data-figure]").evaluate(script("cut_text")) == [], name
    equations = page.locator(".equation")
    wide = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id)"
    assert equations.evaluate_all(wide) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_figure_steps_to_its_end_with_the_cores_numbers(opened):
    figure = shown(opened(), "add")
    figure.locator("[data-on]").focus()
    figure.press("End")
    expect(cell(figure, 2, "VERB")).to_have_attribute("data-value", re.compile(r"^9\.127"))
    figure.press("Home")
    expect(cell(figure, 1, "DET")).to_have_attribute("data-value", "")
    column = shown(figure.page, "column")  # goes on to the total
    column.locator("[data-on]").click()
    expect(column.locator(".answer")).to_contain_text("15.93")
    column.locator("[data-on]").focus()
    column.press("End")
    expect(column.locator(".say")).to_contain_text("19.43")
    column.locator("[data-on]").click()  # the end of the beat: nothing follows
    expect(column.locator(".say")).to_contain_text("19.43")


def test_a_key_goes_to_one_figure(opened):
    page = opened()
    add, back = shown(page, "add"), shown(page, "back")
    at = [figure.locator(".place span") for figure in (add, back)]
    told = [place.text_content() for place in at]
    page.mouse.move(2, 2)
    shown(page, "add")
    page.keyboard.press("ArrowLeft")  # that in the middle
    expect(at[0]).not_to_have_text(told[0])
    expect(at[1]).to_have_text(told[1])
    add.hover()
    page.keyboard.press("ArrowRight")  # that under the pointer
    expect(at[0]).to_have_text(told[0])
    back.locator("[data-on]").focus()
    page.keyboard.press("ArrowLeft")  # that with the focus
    expect(at[1]).not_to_have_text(told[1])
    expect(at[0]).to_have_text(told[0])


def test_other_keys_are_the_page_s(opened):
    page = opened()
    shown(page, "add")
    before = page.evaluate("scrollY")
    page.keyboard.press("p")
    expect(page.locator("dialog, [data-presenting]")).to_have_count(0)
    page.keyboard.press("PageDown")
    page.wait_for_function("(before) => scrollY > before", arg=before)
    expect(page.locator("#figure-add .place span")).to_have_text("step 9 of 12")


@pytest.mark.thorough
def test_every_bet_is_answered(opened):
    page = opened()
    for name in FIGURES:
        figure = shown(page, name)
        if not figure.locator("button[data-option]").count():
            continue
        figure.locator("button[data-option]").first.click()
        expect(figure.locator("button.right")).to_have_count(1)
        expect(figure.locator(".answer")).to_contain_text(re.compile(r"\w"))


@pytest.mark.parametrize(
    ("name", "choice", "said"),
    [
        ("path", "The garden path", "18.0"),
        ("counts", "η = 2", "raise each score"),
        ("multiply", "logarithms", "every format holds both"),
    ],
)
def test_a_control_has_its_listed_values(opened, name, choice, said):
    figure = shown(opened(), name)
    figure.get_by_role("button", name=choice).click()
    expect(figure.locator(".say")).to_contain_text(said)
    expect(figure.get_by_role("button", name=choice)).to_have_attribute("aria-pressed", "true")


def test_any_path_can_be_chosen_but_no_score_dragged(opened):
    figure = shown(opened(), "path")
    cell(figure, 2, "NOUN").click()
    cell(figure, 1, "ADJ").click()
    expect(figure.locator(".say")).to_contain_text("18.0")
    cell(figure, 4, "DET").click()
    expect(figure.locator(".say")).not_to_contain_text("18.0")
    expect(figure.locator(".message")).to_be_empty()
    expect(figure.locator("[data-score][tabindex='0']")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("15.9", "Right"), ("15,5", "Try once more"), ("many", "not a number")],
)
def test_a_number_that_is_typed_is_told_apart(opened, typed, answer):
    figure = shown(opened(), "column")
    figure.locator("input[data-option]").fill(typed)
    figure.locator("input[data-option]").press("Enter")
    expect(figure.locator(".answer")).to_contain_text(answer)


def test_it_is_whole_without_scripts(opened):
    page = opened(java_script_enabled=False)
    expect(page.locator("figure svg[role=img]:visible")).to_have_count(len(FIGURES))
    expect(page.locator("[data-figure]")).to_have_count(0)
    expect(page.locator("math").first).to_be_visible()


@pytest.mark.thorough
def test_the_app_has_the_same_text_and_there_one_can_drag(app_url, open_page):
    page = open_page(f"{app_url}/read", reduced_motion=True)
    figure = shown(page, "add")
    expect(page.locator("h1")).to_have_text("Tagging a sentence as a whole")
    figure.locator('[data-score="e:1:NOUN"]').focus()
    page.keyboard.press("ArrowUp")
    expect(cell(figure, 2, "VERB")).not_to_have_attribute("data-value", re.compile(r"^9\.127"))
    assert page.url == f"{app_url}/read"
    expect(page.locator("header.head")).to_be_visible()  # Streamlit's is hidden at first
    expect(figure.locator("figcaption a")).to_have_attribute(
        "href", "/structure?ex=old-man&beat=add"
    )


@pytest.mark.thorough
def test_a_lesson_leads_to_its_section(visit):
    page = visit("viterbi")
    page.locator('a[href$="#best"]').click()
    expect(page.locator("#best h2")).to_be_in_viewport()
