"""The lesson "Constraints": one table, and every section of the page is of that table."""

from playwright.sync_api import expect

LEFT = "p(what is left) = "


def test_every_section_follows_the_table(visit):
    page = visit("constraints?ex=old-man&scheme=all", reduced_motion=True)
    viterbi = page.locator("table.crf-paths tr", has_text="Viterbi")
    expect(viterbi).to_contain_text("VERB")
    page.get_by_text("Apply the table", exact=True).click()
    page.get_by_role("button", name="NOUN → VERB: allowed").click()
    expect(viterbi).not_to_contain_text("VERB")
    upper, lower = page.locator("[data-figure=flow] [data-token='2'][data-tag=NOUN]").all()
    expect(lower).to_have_attribute("data-p", upper.get_attribute("data-p"))
