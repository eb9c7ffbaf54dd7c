"""The lesson "Why structure" as a reader uses it, in a real browser.

The expected values are found path by path, with plain floats, in tests/pages/path_oracle.py.
"""

import math
from itertools import product

import pytest

from benchmarks.serving import running
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_score
from pages.shared.figures.theme import probability
from tests.pages import path_oracle

OLD_MAN = EXAMPLES["old-man"].problem
OLD, MAN, BOAT = 1, 2, 4
NOUN, VERB = 2, 3


@pytest.fixture
def visit(open_page, app_url):
    def opener(query="", *, url=app_url, seeing=False, **options):
        page = open_page(f"{url}/structure{query}", **options)
        page.locator(".node").first.wait_for(timeout=60_000)
        page.locator("footer.crf-footer").wait_for()
        if seeing:
            page.get_by_role("button", name="Just show me").first.click()
            page.get_by_text("MEMM: normalised state by state").wait_for()
        return page

    return opener


def says(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, timeout=15_000)


def enumerated(problem):
    """(score, tags) of every path, best first; of equals the lower tags come first."""
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    return sorted(((path_oracle.path_score(problem, y), y) for y in every), key=lambda x: -x[0])


def edit(page, label, text):
    cell = page.get_by_role("textbox", name=label, exact=True)
    cell.fill(text)
    cell.press("Enter")


def main(page):
    return page.get_by_test_id("stMain")


def shows(page, problem):
    """Tables and prose have this problem's numbers."""
    paths, log_z = enumerated(problem), path_oracle.log_partition(problem)
    (score, best), p = paths[0], [math.exp(x - log_z) for x, _ in paths]
    first = page.locator("table", has_text="cumulative").locator("tbody tr").first
    says(first, format_score(score))
    says(first, probability(p[0]))
    says(main(page), f"The best path has {probability(p[0])} of the probability")
    says(page.locator(".crf-problems"), f"log Z = {format_score(log_z)}")
    decoders = page.locator("table", has_text="Word by word").first
    names = [problem.tags[s] for s in best]
    assert decoders.locator("tbody tr").first.locator(".crf-tag").all_inner_texts() == names
    greedy = tuple(max(range(4), key=row.__getitem__) for row in problem.emissions)
    row = decoders.locator("tbody tr").nth(1)
    says(row, format_score(path_oracle.path_score(problem, greedy)))
    fixed = math.fsum(share for share, (_, y) in zip(p, paths, strict=True) if y[MAN] == VERB)
    says(main(page), f"You fixed ‘man’ = VERB, which has probability {probability(fixed)}.")


def test_an_edited_score_changes_tables_and_prose(visit):
    page = visit("?fix=2.3", seeing=True)
    shows(page, OLD_MAN)
    page.get_by_text("Edit scores").click()
    page.locator("input.score").first.wait_for()
    edit(page, "Emission of boat as NOUN", "2.75")
    problem = OLD_MAN.with_score("emissions", (BOAT, NOUN), 2.75)
    shows(page, problem)
    edit(page, "Emission of old as NOUN", "4")
    shows(page, problem.with_score("emissions", (OLD, NOUN), 4.0))


# ---------------------------------------------------------------------- the graph


def test_a_click_fixes_a_tag_and_frees_it(visit):
    page = visit()
    node = page.get_by_role("button", name="y₃, the tag of ‘man’")
    node.click()
    says(main(page), "You fixed ‘man’ = VERB")  # its most probable tag
    assert page.locator(".part text").all_text_contents() == ["part 1", "part 2"]
    assert page.locator(".node.held text").text_content() == "VERB"
    page.wait_for_url(lambda url: "fix=2.3" in url)
    node = page.get_by_role("button", name="y₃, the tag of ‘man’, fixed to VERB")
    node.click()
    page.locator(".part").first.wait_for(state="detached")
    page.wait_for_url(lambda url: "fix" not in url)


def test_the_keyboard_reaches_every_node_and_fixes_tags(visit):
    page = visit()
    page.locator('.node[tabindex="0"]').first.focus()
    names = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        names.append(page.locator(".node:focus").get_attribute("data-key"))
    # from y1: to the transition after it, to y2, down to its emission and its word, and back
    assert names == ["transition1", "y2", "emission2", "x2", "emission2", "y2"]
    page.keyboard.press("Enter")
    says(main(page), "You fixed ‘old’ = NOUN")
    page.locator(".node.held").wait_for()
    assert page.locator(".node:focus").get_attribute("data-key") == "y2"


def test_a_factor_shows_its_values_and_what_a_fixed_tag_leaves_of_them(visit):
    page = visit("?fix=2.3")
    node = page.locator('.node[data-key="transition2"]')
    node.hover()
    panel = page.locator(".panel").first
    says(panel, "ψ(y₂, y₃), a transition")
    cells = panel.locator("tbody td").all_inner_texts()
    assert cells == [format_score(x) for row in OLD_MAN.transitions for x in row]
    left = panel.locator("tbody td:not(.out)").all_inner_texts()
    assert left == [format_score(row[VERB]) for row in OLD_MAN.transitions]
    page.locator('.node[data-key="emission2"]').focus()
    assert panel.locator("tbody td").all_inner_texts() == ["−3.00", "2.00", "0.50", "−3.00"]


def test_the_models_graphs(visit):
    page = visit()
    assert page.locator(".node.transition").count() == 4
    for label, arrows in (("MEMM", 9), ("HMM", 9)):
        main(page).get_by_role("radio", name=label, exact=True).click()
        page.locator(".node.transition").first.wait_for(state="detached")
        page.locator(f'[aria-label="Graph of the {label}"]').wait_for()
        assert page.locator(".graph").first.locator("line[marker-end]").count() == arrows
    says(main(page), "An HMM tells a story")
    page = visit("?sees=sentence")
    assert page.locator(".node.input text").all_text_contents() == list(OLD_MAN.tokens)


# ---------------------------------------------------------------------- label bias


def test_the_letter_changes_the_crf_and_not_the_memm(visit):
    page = visit(seeing=True)
    shares = page.locator(".share")
    rob = math.exp(3) / (math.exp(3) + 2 * math.exp(-3))
    rib = 2 * math.exp(3) / (2 * math.exp(3) + math.exp(-3))
    assert probability(rob) in shares.all_text_contents()
    main(page).get_by_role("radio", name="i", exact=True).click()
    page.get_by_text(f"The CRF gives rib {probability(rib)}").wait_for()
    texts = shares.all_text_contents()
    assert probability(rib) in texts
    assert {probability(1 / 3), probability(2 / 3)} <= set(texts)


def test_commit_then_see(visit):
    page = visit()
    assert page.get_by_text("takes ADJ").count() == 0
    page.get_by_test_id("stRadioGroup").first.get_by_text("‘old’", exact=True).click()
    page.get_by_role("button", name="Commit, then see").first.click()
    page.get_by_test_id("stAlert").filter(has_text="Right").wait_for()
    says(main(page), "takes ADJ")


# ---------------------------------------------------------------------- links, access


def test_a_deep_link_on_a_cold_server(visit, tmp_path):
    with running("app.py", tmp_path / "log") as url:
        page = visit("?ex=can-fish&fix=1.2&graph=hmm", url=url)
        assert page.locator("h1").inner_text() == "Why structure"
        problem = EXAMPLES["can-fish"].problem
        says(main(page), f"You fixed ‘can’ = {problem.tags[2]}")
        assert page.locator(".node.held").count() == 1
        page.context.close()


def test_forged_links(visit):
    page = visit("?fix=99.99&graph=<b>&sees=9&letter=x")
    says(main(page), "does not exist")
    assert page.locator(".node.held").count() == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(visit, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(dark=dark)

    def check(state):
        found = axe.run(page).response["violations"]
        broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
        assert not broken, f"{state}: {broken}"

    check("as opened")
    page.get_by_role("button", name="Just show me").first.click()
    page.get_by_text("MEMM: normalised state by state").wait_for()
    page.get_by_role("button", name="y₃, the tag of ‘man’").click()
    says(main(page), "You fixed")
    page.locator('.node[data-key="transition1"]').hover()
    for name in ("The code that ran", "The same as a table", "Export"):
        page.get_by_text(name, exact=True).click()
    page.get_by_role("button", name="Table as CSV").wait_for()
    check("unfolded")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("example", ["old-man", "ice-cream"])
def test_nothing_sticks_out(visit, width, example):
    page = visit(f"?ex={example}&fix=1.1", width=width, seeing=True)
    assert main(page).evaluate("(e) => e.scrollWidth <= e.clientWidth")
