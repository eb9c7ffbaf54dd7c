"""Growth, graphs and flows: the numbers drawn, and what is said of a node."""

import json
import math
import xml.etree.ElementTree as ElementTree

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.structure import bias, bias_figures
from pages.structure.factor_graph import KIN, MODELS, SEES, graph
from pages.structure.figures import growth_plot, kin_table
from pages.structure.graph_figures import drawing
from pages.structure.growth import reach, sizes
from pages.structure.independence import given
from pages.structure.label_bias import compare

OLD_MAN = EXAMPLES["old-man"].problem


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


class TestGrowth:
    def test_numbers(self):
        figure = growth_plot(sizes(10, 30, 1000.0), reach(10, 1000.0), here=5)
        paths, operations, here = figure.data
        assert list(paths.y) == pytest.approx(list(range(1, 31)))
        assert 10 ** operations.y[4] == pytest.approx(500)
        assert list(here.x) == [5, 5]
        assert list(here.y) == pytest.approx([paths.y[4], operations.y[4]])

    def test_lines(self):
        figure = growth_plot(sizes(10, 30, 1000.0), reach(10, 1000.0), here=5)
        assert [shape.y0 for shape in figure.layout.shapes] == pytest.approx([3, 7.9365, 20.6386],
                                                                             abs=1e-3)  # fmt: skip
        names = [annotation.text for annotation in figure.layout.annotations]
        assert names == ["a second", "a day", "the age of the universe"]

    def test_longer_than_a_float_can_count(self):
        figure = growth_plot(sizes(17, 400, 1.0), reach(17, 1.0), here=400)
        assert figure.data[0].y[-1] == pytest.approx(492.18, abs=0.01)


def drawn(problem, model="crf", sees="token", fixed=None):
    fixed = fixed or {}
    before, now = given(problem, {}), given(problem, fixed)
    described = graph(problem, model, sees)
    return drawing(described, problem, fixed, now.pieces, before.marginals, now.marginals)


def looked_at(picture, key):
    """A node of the drawing, and the texts of its table's rows."""
    node = next(node for node in picture["nodes"] if node["key"] == key)
    if node["table"] is None:
        return node, []
    rows = picture["tables"][node["table"]]["rows"]
    return node, [[cell[0] for cell in cells] for _, cells in rows]


class TestGraph:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("sees", SEES)
    def test_each_node_and_edge_is_drawn_once(self, model, sees):
        described, picture = graph(OLD_MAN, model, sees), drawn(OLD_MAN, model, sees)
        assert [node["key"] for node in picture["nodes"]] == [n.key for n in described.nodes]
        assert len(picture["edges"]) == len(described.edges)
        places = {(node["x"], node["y"]) for node in picture["nodes"]}
        assert len(places) == len(described.nodes)
        for x, y in places:
            assert 0 < x < picture["width"]
            assert 0 < y < picture["height"]
        assert json.dumps(picture, allow_nan=False)

    def test_a_factor_says_its_values(self):
        picture = drawn(OLD_MAN)
        _, [emissions] = looked_at(picture, "emission2")
        assert emissions == ["−3.00", "2.00", "0.50", "−3.00"]
        node, rows = looked_at(picture, "transition3")
        assert node["title"].startswith("ψ(y₃, y₄)")
        assert rows[0] == ["−3.00", "0.50", "1.00", "−3.00"]

    def test_one_matrix_is_sent_once_and_each_of_its_own_per_step(self):
        shared, per_step = OLD_MAN, OLD_MAN.per_step_form().with_score("transitions", (1, 0, 0), 9)
        numbers = [
            {looked_at(drawn(p), f"transition{t}")[0]["table"] for t in range(1, 5)}
            for p in (shared, per_step)
        ]
        assert [len(n) for n in numbers] == [1, 2]
        assert looked_at(drawn(per_step), "transition2")[1][0][0] == "9.00"

    def test_a_fixed_tag_is_named_and_cuts_the_chain(self):
        picture = drawn(OLD_MAN, fixed={2: 3})
        node, (before, now) = looked_at(picture, "y3")
        assert (node["held"], node["texts"][0][2]) == (True, "VERB")
        assert (before[2:], now) == ([".26", ".74"], ["0", "0", "0", "1"])
        assert sum(edge["cut"] for edge in picture["edges"]) == 2
        assert [part["text"] for part in picture["parts"]] == ["part 1", "part 2"]
        into, out = (looked_at(picture, f"transition{t}")[0] for t in (2, 3))
        assert (into["row"], into["column"], out["row"], out["column"]) == (None, 3, 3, None)
        assert drawn(OLD_MAN)["parts"] == []

    def test_what_an_input_is_seen_by(self):
        whole, _ = looked_at(drawn(OLD_MAN, sees="sentence"), "x")
        assert [text for *_, text in whole["texts"]] == list(OLD_MAN.tokens)
        word, _ = looked_at(drawn(OLD_MAN, "hmm"), "x2")
        assert "y₂ generates it" in word["title"]

    @pytest.mark.parametrize("name", EXAMPLES)
    def test_every_example(self, name):
        problem = EXAMPLES[name].problem
        for model in MODELS:
            for sees in SEES:
                picture = drawn(problem, model, sees, {0: 0})
                assert json.dumps(picture, allow_nan=False)
                tags = [node for node in picture["nodes"] if node["kind"] == "tag"]
                assert [node["token"] for node in tags] == list(range(len(problem.tokens)))


class TestFlow:
    def test_what_goes_in_comes_out(self):
        problem = EXAMPLES["rib-rob"].problem
        for model in ("memm", "crf"):
            edges = bias_figures.flows(compare(problem), model)
            for t in range(3):
                assert sum(e.amount for e in edges if e.token == t) == pytest.approx(1)
            for edge in edges:
                if edge.source is not None:
                    assert edge.local == pytest.approx(1)  # one successor each

    def test_numbers_drawn(self):
        problem = EXAMPLES["rib-rob"].problem
        shares = [
            [edge["text"] for edge in self.picture(problem, model)["edges"][:2]]
            for model in ("memm", "crf")
        ]
        assert shares == [["0.667", "0.333"], ["< 0.01", "0.995"]]
        thick = [edge["width"] for edge in self.picture(problem, "crf")["edges"][:2]]
        assert thick[1] > 5 * thick[0]

    def test_no_number_reaches_a_circle(self):
        for letter in bias.LETTERS:
            for model in ("memm", "crf"):
                picture = self.picture(bias.heard(letter), model)
                assert picture["width"] <= 358  # of a phone 390 wide
                nodes = [(node["x"], node["y"], node["radius"]) for node in picture["nodes"]]
                for edge in picture["edges"]:
                    half = 3.4 * len(edge["text"])  # of a text in 12 px, from its middle
                    for x, y, radius in nodes:
                        across = max(abs(edge["x"] - x) - half, 0)
                        assert math.hypot(across, edge["y"] - y) > radius

    def test_scores_are_derived_from_their_terms(self):
        problem = bias.heard("o")
        told = bias_figures.derived(
            problem, [path for path in compare(problem) if path.score > -math.inf]
        )
        assert "r·rob o b: 3.00 (o as o) = 3.00." in told
        assert "r·rib i b: 0.69 (START → r·rib) − 3.00 (o as i) = −2.31." in told

    def picture(self, problem, model):
        edges = bias_figures.flows(compare(problem), model)
        return bias_figures.flow_drawing(problem, edges, "x")


def test_the_map_has_every_model():
    table = kin_table()
    assert all(f"<b>{relative.name}</b>" in table for relative in KIN)
    parsed(table)
