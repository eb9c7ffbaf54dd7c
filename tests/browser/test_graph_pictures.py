"""The tree of Cost and the graph of Graphs, by themselves in an empty page."""

import pytest
from playwright.sync_api import expect

from tests.browser.mounted import data_of, marks, near, redrawn, sent


def test_a_tree_has_its_words_under_its_leaves_and_edges_to_its_children(draw):
    proto = sent("cost")["product_tree"]
    data = data_of(proto)
    figure, nodes = draw(proto), data["nodes"]
    texts = marks(figure, ".node text")
    assert [(t["text"], t["x"], t["y"]) for t in texts] == [
        (n["text"], n["x"], n["y"]) for n in nodes
    ]
    boxes = marks(figure, ".node rect")
    assert [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes] == [
        (n["x"], n["y"]) for n in nodes
    ]
    edges = {(e["x1"], e["y1"], e["x2"], e["y2"]) for e in marks(figure, ".edge")}
    assert edges == {
        (n["x"], n["y"], nodes[c]["x"], nodes[c]["y"]) for n in nodes for c in n["children"]
    }
    leaves = [n for n in nodes if not n["children"]]
    words = marks(figure, ".word")
    assert [(w["text"], w["x"]) for w in words] == list(
        zip(data["words"], [n["x"] for n in leaves], strict=True)
    )
    assert all(
        n["y"] < w["y"] < marks(figure, ".caption")[0]["y"]
        for n, w in zip(leaves, words, strict=True)
    )
    lane = marks(figure, ".lane rect")
    assert [b["x"] + b["width"] / 2 for b in lane] == [n["x"] for n in leaves]
    done = []
    for _ in range(len(data["rounds"])):
        done.append(
            [figure.locator(part).count() for part in (".node.done", ".lane.done", ".fresh")]
        )
        figure.locator(".on").evaluate("(button) => button.click()")
    heights = [n["height"] for n in nodes]
    assert done == [
        [sum(h <= r for h in heights), r + 1, sum(h == r > 0 for h in heights)]
        for r in range(len(data["rounds"]))
    ]


def test_the_arrows_go_from_node_to_node_of_a_tree_and_of_a_graph(draw):
    proto = sent("cost")["product_tree"]
    tree, nodes = draw(proto), data_of(proto)["nodes"]
    order = sorted(range(len(nodes)), key=lambda k: (nodes[k]["x"], k))
    tree.locator(f"[data-node='{order[0]}']").focus()
    for k in order[1:]:
        tree.page.keyboard.press("ArrowRight")
        assert tree.page.evaluate("document.activeElement.dataset.node") == str(k)
        assert tree.locator(".up").is_disabled() == (not nodes[k]["children"])
    tree.page.keyboard.press("ArrowLeft")
    assert tree.locator(".node.chosen").get_attribute("data-node") == str(order[-2])
    assert tree.page.evaluate("window.said.at(-1)") == ["node", order[-2]]

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
