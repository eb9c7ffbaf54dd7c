"""The graph of Graphs by itself in an empty page."""

import pytest
from playwright.sync_api import expect

from tests.browser.mounted import data_of, marks, near, redrawn, sent


def test_the_arrows_go_from_node_to_node(draw):
    proto = sent("graphs")["model_graph"]
    graph, shown = draw(proto), data_of(proto)["drawing"]
    nodes = {node["key"]: node for node in shown["nodes"]}
    for mark, node in zip(marks(graph, ".node"), shown["nodes"], strict=True):
        box = mark.get("box")
        if box:
            middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert middle == (near(node["x"]), near(node["y"]))
    reached = graph.locator(".node[tabindex='0']")
    assert reached.get_attribute("data-key") == shown["nodes"][0]["key"]
    graph.locator("[data-key=y2]").focus()
    for key, where in [("ArrowRight", (1, 0)), ("ArrowDown", (0, 1)), ("ArrowLeft", (-1, 0))]:
        old = nodes[graph.page.evaluate("document.activeElement.dataset.key")]
        graph.page.keyboard.press(key)
        new = nodes[graph.page.evaluate("document.activeElement.dataset.key")]
        assert reached.get_attribute("data-key") == new["key"]
        assert (new["x"] - old["x"]) * where[0] + (new["y"] - old["y"]) * where[1] > 0


@pytest.mark.hovers
def test_what_is_told_of_a_circle_goes_with_it(draw):
    """Another sentence may have no third tag: nothing is said of it any longer."""
    graph = draw(sent("graphs")["model_graph"])
    graph.locator("[data-key=y3]").hover()
    assert graph.locator(".title").inner_text().startswith("y₃")
    redrawn(graph, sent("graphs", ex="one-token")["model_graph"])
    assert "y₃" not in graph.inner_text()


def test_a_circle_that_is_clicked_splits_the_chain(visit):
    page = visit("graphs")
    page.get_by_role("button", name="Just show me").first.click()
    page.locator("[aria-label^='y₃, the tag of ‘man’']").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("You hold ‘man’ = VERB", timeout=15_000)
    expect(page.locator(".bow.cut")).to_have_count(4)
    page.wait_for_url(lambda url: "fix=2.3" in url)
