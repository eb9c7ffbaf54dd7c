"""Growth and graphs: the numbers drawn, what is said of a node, and that the SVG is well formed."""

import xml.etree.ElementTree as ElementTree

import pytest

from crf.course.examples import EXAMPLES
from crf.course.factor_graph import KIN, MODELS, SEES, graph
from crf.course.growth import reach, sizes
from crf.course.problem import Problem
from pages.figures.structure import graph_svg, growth_plot, kin_table

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


class TestGraph:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("sees", SEES)
    def test_each_node_and_edge_is_drawn_once(self, model, sees):
        described = graph(OLD_MAN, model, sees)
        svg = parsed(graph_svg(described, OLD_MAN.tags))
        assert len(svg.findall("g")) == len(described.nodes)
        assert len(svg.findall("line")) == len(described.edges)

    def test_a_factor_says_its_values(self):
        svg = parsed(graph_svg(graph(OLD_MAN), OLD_MAN.tags))
        titles = [title.text for title in svg.iter("title")]
        assert "log ψ, emission: DET −3.00, ADJ 2.00, NOUN 0.50, VERB −3.00" in titles
        assert any("from DET: DET −3.00, ADJ 0.50" in title for title in titles)

    def test_a_fixed_tag_is_named_and_cuts_the_chain(self):
        svg = parsed(graph_svg(graph(OLD_MAN), OLD_MAN.tags, {2: 3}))
        assert "y3: the tag of token 3, fixed to VERB" in [t.text for t in svg.iter("title")]
        assert sum("stroke-dasharray" in line.attrib for line in svg.findall("line")) == 2

    def test_one_token(self):
        problem = EXAMPLES["one-token"].problem
        for model in MODELS:
            for sees in SEES:
                parsed(graph_svg(graph(problem, model, sees), problem.tags))

    def test_names_are_text(self):
        problem = Problem.blank(["<b>", "&"], ["<script>", '"x"'])
        svg = graph_svg(graph(problem), problem.tags, {0: 0})
        assert "<script" not in svg
        assert "<b>" not in svg
        parsed(svg)


def test_the_map_has_every_model():
    table = kin_table()
    assert all(f"<b>{relative.name}</b>" in table for relative in KIN)
    parsed(table)
