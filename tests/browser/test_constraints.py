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


def test_who_knows_only_that_a_word_is_a_name_rules_o_out(visit):
    page = visit("constraints?ex=paris-hilton&table=1", reduced_motion=True)
    flow = page.locator("[data-figure=flow]").nth(1)
    flow.locator("[role=button][data-token='1'][data-tag=O]").click(force=True)
    told = page.locator("p", has_text=LEFT)
    expect(told).to_contain_text(f"{LEFT}0.908")
    page.get_by_text("Apply the table", exact=True).click()
    expect(told).to_contain_text(f"{LEFT}0.943")
