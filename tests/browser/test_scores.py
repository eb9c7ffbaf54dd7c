"""The page "Scores" and the score editor as a reader uses them, in a real browser."""

import json
import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.pages.path_oracle import log_partition, path_score, printed

OLD_MAN = EXAMPLES["old-man"].problem
BIG = ".crf-big"


@pytest.fixture
def open_scores(open_page, app_url):
    def opener(query="", *, editing=False, **options):
        page = open_page(f"{app_url}/scores{query}", **options)
        page.locator(".picker .cell").first.wait_for(timeout=30_000)
        page.locator("footer.crf-footer").wait_for()
        if editing:
            page.get_by_text("Edit scores").click()
            page.locator("input.score").first.wait_for()
        return page

    return opener


def cell(page, label):
    return page.get_by_role("textbox", name=label, exact=True)


def shows(locator, value):
    from playwright.sync_api import expect

    expect(locator).to_have_value(value, timeout=10_000)


def says(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_have_text(text, timeout=10_000)


def focused(page):
    """The accessible name of what has the focus, inside components too."""
    return page.evaluate(
        "() => { let e = document.activeElement;"
        " while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
        " return e.getAttribute('aria-label') }"
    )


def undo(page):
    """Click the bar's button once the page has been wholly repainted."""
    from playwright.sync_api import expect

    button = page.get_by_role("button", name="Undo")
    expect(button).to_have_count(1)
    button.click()


def read_total(page):
    return page.locator(".picker .total").inner_text()


# ---------------------------------------------------------------------- the editor


def test_an_edit_reaches_every_number_and_keeps_the_focus(open_scores):
    page = open_scores(editing=True)
    first = cell(page, "Emission of man as VERB")
    first.focus()
    page.keyboard.type("3.5")
    page.keyboard.press("Enter")
    problem = OLD_MAN.with_score("emissions", (2, 3), 3.5)
    path = (0, 2, 3, 0, 2)
    says(page.locator(".picker .total"), f"{path_score(problem, path):.2f}")
    says(page.locator(BIG).nth(2), printed(log_partition(problem)))
    p = math.exp(path_score(problem, path) - log_partition(problem))
    says(page.locator(BIG).first, f"{p:.3f}")
    shows(first, "3.5")
    assert focused(page) == "Emission of man as VERB"
    page.keyboard.press("ArrowUp")
    assert focused(page) == "Emission of man as NOUN"


def test_two_quick_edits_are_both_kept_and_undone_one_by_one(open_scores):
    page = open_scores(editing=True)
    cell(page, "Emission of The as DET").focus()
    for number in ("1.25", "-2", "2/4"):
        page.keyboard.type(number)
        page.keyboard.press("ArrowRight")  # moves the caret while typing
        page.keyboard.press("Tab" if number == "2/4" else "ArrowDown")
    problem = OLD_MAN
    for s, value in enumerate((1.25, -2.0, 0.5)):
        problem = problem.with_score("emissions", (0, s), value)
    says(page.locator(BIG).nth(2), printed(log_partition(problem)))
    undo(page)
    shows(cell(page, "Emission of The as NOUN"), "−3")
    shows(cell(page, "Emission of The as ADJ"), "−2")
    undo(page)
    shows(cell(page, "Emission of The as ADJ"), "−3")
    undo(page)
    says(page.locator(BIG).nth(2), printed(log_partition(OLD_MAN)))


def test_many_edits_at_once_are_all_kept(open_scores):
    page = open_scores(editing=True)
    page.locator(".emissions").evaluate(
        """(table) => table.querySelectorAll("input.score").forEach((input, k) => {
          input.focus()
          input.value = `${k}/8`
          input.dispatchEvent(new Event("input", { bubbles: true }))
          input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
        })"""
    )
    problem = OLD_MAN
    for k in range(20):
        problem = problem.with_score("emissions", (k % 5, k // 5), k / 8)
    says(page.locator(BIG).nth(2), printed(log_partition(problem)))


@pytest.mark.parametrize("typed", ["-inf", "−∞", "log 0"])
def test_minus_infinity_forbids(open_scores, typed):
    page = open_scores(editing=True)
    target = cell(page, "From DET to NOUN")
    target.focus()
    page.keyboard.insert_text(typed)
    page.keyboard.press("Enter")
    shows(target, "−∞")
    says(page.locator(".picker .total"), "−∞")
    page.locator(".link.forbidden").first.wait_for(state="attached")
    page.get_by_text("This path is forbidden").wait_for()
    assert target.evaluate("(e) => e.closest('td').classList.contains('never')")


def test_a_refused_entry_stays_with_its_message(open_scores):
    page = open_scores(editing=True)
    target = cell(page, "Start at ADJ")
    target.focus()
    page.keyboard.type("very bad")
    page.keyboard.press("Tab")
    message = page.locator("#refused")
    says(message, re.compile("start of ADJ: expected a number"))
    shows(target, "very bad")
    assert target.get_attribute("aria-invalid") == "true"
    other = cell(page, "Start at NOUN")
    other.fill("2")
    other.press("Enter")
    says(page.locator(BIG).nth(2), printed(log_partition(OLD_MAN.with_score("start", 2, 2.0))))
    shows(target, "very bad")
    target.focus()
    page.keyboard.press("Escape")
    shows(target, "0")
    says(message, "")


def test_escape_reverts_and_f2_shows_all_digits(open_scores):
    page = open_scores("?ex=bio", editing=True)
    first = page.locator(".transitions input.score").first
    first.focus()
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    assert first.input_value() == "0"
    long = cell(page, "From B to I")
    assert long.input_value() == "−0.92"
    long.focus()
    page.keyboard.press("F2")
    assert float(long.input_value().replace("−", "-")) == math.log(0.4)
    page.keyboard.press("Enter")
    assert long.input_value() == "−0.92"
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_one_tab_stop_for_each_table(open_scores):
    page = open_scores(editing=True)
    assert page.locator(".emissions [tabindex='0']").count() == 1
    assert page.locator(".transitions [tabindex='0']").count() == 1
    cell(page, "Emission of The as DET").focus()
    page.keyboard.press("End")
    assert focused(page) == "Remove tag DET"
    page.keyboard.press("Home")
    assert focused(page) == "Name of tag 1: DET"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert page.locator(".emissions [tabindex='0']").count() == 1


def test_tags_and_tokens_are_renamed_added_and_removed(open_scores):
    page = open_scores(editing=True)
    page.get_by_role("button", name="+ tag").click()
    shows(cell(page, "Name of tag 5: TAG5"), "TAG5")
    page.wait_for_function(
        "() => { let e = document.activeElement;"
        " while (e?.shadowRoot) e = e.shadowRoot.activeElement; return e?.value === 'TAG5' }"
    )
    page.keyboard.type("ADV")
    page.keyboard.press("Enter")
    cell(page, "Emission of man as ADV").wait_for()
    name = cell(page, "Name of tag 5: ADV")
    name.fill("NOUN")
    name.press("Enter")
    says(page.locator("#refused"), re.compile("a name not used before"))
    name.press("Escape")
    page.get_by_role("button", name="Remove token old").click()
    cell(page, "Emission of old as DET").wait_for(state="detached")
    page.get_by_role("button", name="+ token").click()
    cell(page, "Name of token 5: token5").wait_for()
    page.get_by_role("button", name="Remove tag ADV").click()
    cell(page, "Emission of man as ADV").wait_for(state="detached")


def test_a_matrix_for_each_step(open_scores):
    page = open_scores(editing=True)
    page.get_by_text("Transitions per step").click()
    page.locator("select").select_option(label="2: old → man")
    target = cell(page, "From NOUN to VERB, step 2: old → man")
    target.fill("4")
    target.press("Enter")
    problem = OLD_MAN.per_step_form().with_score("transitions", (1, 2, 3), 4.0)
    says(page.locator(BIG).nth(2), printed(log_partition(problem)))
    page.get_by_text("Folded with").click()
    page.locator(".crf-grid th", has_text="<ROOT>").first.wait_for()
    page.get_by_text("Transitions per step").click()
    page.get_by_text("The steps’ matrices differ").wait_for()


def test_hover_lights_the_same_entry_elsewhere(open_scores):
    page = open_scores(editing=True)
    cell(page, "From NOUN to VERB").hover()
    page.locator(".picker .read.transition.lit").wait_for()
    page.locator(".picker .read.emission").nth(1).hover()
    page.locator(".emissions td.lit").wait_for()
    lit = page.locator(".emissions td.lit input").get_attribute("aria-label")
    assert lit == "Emission of old as NOUN"


def test_csv_in_and_out(open_scores, tmp_path):
    page = open_scores(editing=True)
    page.get_by_role("button", name="CSV").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    file = tmp_path / "emissions.csv"
    download.value.save_as(file)
    lines = file.read_text().splitlines()
    assert lines[0] == "token,DET,ADJ,NOUN,VERB"
    upload = page.locator("[data-testid=stPopoverBody] input[type=file]")
    file.write_text("\n".join([*lines[:3], lines[3].replace("0.5", "abc"), *lines[4:]]))
    upload.set_input_files(file)
    page.get_by_text("line 4, column VERB").wait_for()
    file.write_text("\n".join([*lines[:3], lines[3].replace("0.5", "0.75"), *lines[4:]]))
    upload.set_input_files(file)
    shows(cell(page, "Emission of man as VERB"), "0.75")


def test_json_round_trip_and_a_hostile_file(open_scores, tmp_path):
    page = open_scores(editing=True)
    target = cell(page, "End after VERB")
    target.fill("log .4")
    target.press("Enter")
    shows(target, "−0.92")
    page.get_by_role("button", name="Problem:").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "problem.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["end"][3] == math.log(0.4)
    page.get_by_role("button", name="Reset").click()
    shows(target, "0")
    upload = page.locator(
        "[data-testid=stPopoverBody] input[type=file]"
    ).first  # while it is renewed there are two
    hostile = tmp_path / "hostile.json"
    hostile.write_text(file.read_text().replace('"DET"', '"<img src=x onerror=hacked=1>"'))
    upload.set_input_files(hostile)
    page.get_by_text("at most 24 characters").wait_for()
    upload.set_input_files(file)
    shows(target, "−0.92")
    hostile.write_text(file.read_text().replace('"DET"', '"<b onclick=a>"'))
    upload.set_input_files(hostile)
    cell(page, "Emission of man as <b onclick=a>").wait_for()
    assert page.locator("b[onclick]").count() == 0


# ---------------------------------------------------------------------- the picker


def test_pick_a_path_by_keyboard(open_scores):
    page = open_scores()
    group = page.get_by_role("radiogroup", name="Tag of old")
    group.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowUp")
    path = (0, 1, 3, 0, 2)
    says(page.locator(".picker .total"), f"{path_score(OLD_MAN, path):.2f}".replace("-", "−"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    path = (0, 1, 2, 0, 2)
    says(page.locator(".picker .total"), f"{path_score(OLD_MAN, path):.2f}".replace("-", "−"))
    page.get_by_role("radiogroup", name="Tag of man").get_by_role(
        "radio", name=re.compile("^NOUN"), checked=True
    ).wait_for()
    page.wait_for_url("**y=0~1~2~0~2**")
    page.get_by_role("button", name="Best path").click()
    says(page.locator(".picker .total"), f"{path_score(OLD_MAN, (0, 2, 3, 0, 2)):.2f}")


def test_a_path_in_the_address(open_scores):
    page = open_scores("?y=0~1~2~0~2")
    assert read_total(page) == f"{path_score(OLD_MAN, (0, 1, 2, 0, 2)):.2f}"
    page = open_scores("?y=9~9")
    page.get_by_text("asks for the path").wait_for()


# ---------------------------------------------------------------------- the page


def test_commit_to_a_guess_before_seeing(open_scores):
    page = open_scores()
    form = page.locator("[data-testid=stForm]").first
    assert form.get_by_text(" = ").count() == 0
    form.get_by_role("radio").first.check(force=True)
    form.get_by_role("button", name="Commit").click()
    form.get_by_test_id("stAlert").wait_for()
    assert form.get_by_text(" = ").count() == 2


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(open_scores, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_scores(editing=True, dark=dark)
    target = cell(page, "Start at ADJ")
    target.fill("bad")
    target.press("Enter")
    says(page.locator("#refused"), re.compile("start of ADJ"))
    page.get_by_text("Term by term").click()
    found = axe.run(page).response["violations"]
    broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
    assert not broken


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out_and_targets_are_large(open_scores, width):
    page = open_scores(editing=True, width=width, height=720)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    for control in page.locator(".editor :is(input, button), .picker .cell").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
