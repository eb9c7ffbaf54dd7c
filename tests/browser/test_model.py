"""Scores, structure, graphs and the glossary as a reader meets them, in a real browser."""

import math
from xml.etree import ElementTree

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.oracles import paths as path_oracle

OLD_MAN = EXAMPLES["old-man"].problem


def says(locator, text):
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, timeout=15_000)


@pytest.mark.thorough
def test_an_old_address_leads_to_the_graph_and_back_does_not_lead_there_again(visit):
    page = visit("glossary")
    page.goto(page.url.replace("glossary", "structure?graph=memm&sees=sentence"))
    page.wait_for_url("**/graphs?**")
    page.locator('[aria-label="Graph of the MEMM"]').wait_for()
    assert page.locator(".node.input text").all_text_contents() == list(OLD_MAN.tokens)
    assert page.locator(".graph td").count() == 0  # no table of the CRF's
    page.go_back()
    page.get_by_role("heading", name="Why structure").wait_for()
    page.go_back()
    page.wait_for_url("**/glossary")


def test_a_click_adds_up_another_path_words_light_it_and_lead_to_the_glossary(visit, tmp_path):
    page = visit("scores")
    page.get_by_role("radio", name="ADJ, emission 2.0").check()
    path = (0, 1, 3, 0, 2)
    score = path_oracle.path_score(OLD_MAN, path)
    says(page.locator(".picker .sum"), f"score = {score:.3f}"[:12].replace("-", "−"))
    p = math.exp(score - path_oracle.log_partition(OLD_MAN))
    assert f"{p:.1e}"[0] in page.locator(".picker .sum .p").inner_text()
    assert page.locator(".picker .bar").count() == 11
    with page.expect_download() as download:
        page.locator(".picker .save").click()
        page.locator(".picker [data-way=svg]").click()
    download.value.save_as(tmp_path / "path.svg")
    root = ElementTree.parse(tmp_path / "path.svg").getroot()
    written = {"".join(text.itertext()).strip() for text in root.iter() if "text" in text.tag}
    assert {"ADJ", "START", "END"} <= written
    assert "class" not in {name for part in root.iter() for name in part.attrib}
    page.locator('[data-lights="transition"]').first.hover()
    lit = page.locator(".picker .bar.lit")
    lit.first.wait_for()
    assert lit.count() == 4
    name = page.locator("dfn.crf-term").first.get_attribute("data-term")
    page.goto(page.url.split("/scores")[0] + f"/glossary#{name}")
    page.locator(f".crf-here#{name}").wait_for()


def test_a_circle_that_is_clicked_splits_the_chain(visit):
    from playwright.sync_api import expect

    page = visit("graphs")
    page.get_by_role("button", name="Just show me").first.click()
    page.locator("[aria-label^='y₃, the tag of ‘man’']").click()
    says(page.get_by_test_id("stMain"), "You hold ‘man’ = VERB")
    expect(page.locator(".bow.cut")).to_have_count(4)
    page.wait_for_url(lambda url: "fix=2.3" in url)
