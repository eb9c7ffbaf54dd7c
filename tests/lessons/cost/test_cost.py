"""Cost and parallel time: products with brackets anywhere, times beside them, the page."""

import itertools
import math
import random
from types import SimpleNamespace

import pytest

from pages.cost import crossover, sections, spaces, tree_picture
from pages.cost.sections import checked_move
from pages.cost.tree import (
    SHAPES,
    is_order,
    moved,
    multiplied,
    sequential_cost,
    shaped,
    tree_cost,
    written,
)
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.measuring import duration
from pages.shared.course.problem import Problem
from pages.shared.figures import growth
from pages.shared.ui.controls import InvalidError
from tests.apps import html_of, messages, opened, press

OLD_MAN = EXAMPLES["old-man"].problem


class TestTree:
    @pytest.mark.parametrize("name", ["bio", "pair-potentials", "one-token", "no-path"])
    def test_every_bracketing_gives_what_all_paths_give(self, name):
        problem = EXAMPLES[name].problem
        m = min(len(problem.tokens), 5)
        while len(problem.tokens) > m:
            problem = problem.remove_token(m)
        scores = [path.score for path in enumerate_paths(problem)]
        top = max(scores)
        log_z = (
            top + math.log(math.fsum(math.exp(s - top) for s in scores)) if top > -math.inf else top
        )
        for order in itertools.permutations(range(m - 1)):
            assert multiplied(problem, order, "sum").total == pytest.approx(log_z, abs=1e-9)
            assert multiplied(problem, order, "max").total == pytest.approx(top, abs=1e-12)

    def test_a_node_is_the_sum_over_the_ways_through_its_words(self):
        """M_2 M_3 from DET to VERB: over the tag of ‘old’, transitions and emissions added."""
        T, e = OLD_MAN.matrix(1), OLD_MAN.emissions
        ways = [T[0][s] + e[1][s] + T[s][3] + e[2][3] for s in range(4)]
        node = multiplied(OLD_MAN, (1, 0, 2, 3), "sum").nodes[5]
        assert (node.first, node.last) == (1, 2)
        assert node.matrix[0, 3].item() == pytest.approx(math.log(math.fsum(map(math.exp, ways))))

    def test_depth_and_work(self):
        problem = Problem.blank(["A", "B", "C"], ["x"] * 16)
        found = {name: multiplied(problem, shaped(name, 16), "sum") for name in SHAPES}
        assert {name: tree.depth for name, tree in found.items()} == {
            "balanced": 4, "left": 15, "right": 15,
        }  # fmt: skip
        assert tree_cost(found["balanced"], 3) == (4, 15 * 27)
        assert sequential_cost(16, 3) == (15, 15 * 9)

    def test_turning_reaches_every_bracketing_and_nothing_else(self):
        problem, chance = Problem.blank(["A"], ["x"] * 5), random.Random(0)
        order, seen = shaped("left", 5), set()
        for _ in range(300):
            order = moved(order, chance.randrange(4), up=chance.random() < 0.5)
            assert is_order(order, 5)
            seen.add(written(multiplied(problem, order, "sum")))
        assert len(seen) == 14  # the fourth Catalan number
        balanced = shaped("balanced", 5)
        turned = moved(balanced, 0, up=True)
        assert written(multiplied(OLD_MAN, turned, "sum")) == "(M₁ (M₂ (M₃ M₄))) M₅"
        back = written(multiplied(OLD_MAN, moved(turned, 0, up=False), "sum"))
        assert back == written(multiplied(OLD_MAN, balanced, "sum"))

    def test_the_drawing(self):
        tree = multiplied(OLD_MAN, shaped("balanced", 5), "sum")
        drawn = tree_picture.drawing(OLD_MAN, tree, 5, "log Z")
        assert drawn["total"] == f"log Z = {OLD_MAN.chain().log_partition.item():.9f}"
        assert drawn["nodes"][5]["text"] == "1–2"
        first, second = (drawn["nodes"][k]["title"] for k in (0, 1))
        assert first.startswith("The matrix of ‘The’: start")
        assert second.startswith("The matrix of ‘old’: transition")
        assert len(drawn["rounds"]) == 5
        assert "Done" in drawn["rounds"][3]


def test_a_forged_move_or_order_is_refused():
    for said in (None, 3, [1], [9, True], [-1, False], [True, True], ["1", 1], [0, 1]):
        assert checked_move(said, 5) is None
    for text in ("", "0.0", "1.2", "x", "0.1.", "9" * 400, "²", "-1.0"):
        with pytest.raises(InvalidError, match="balanced"):
            sections.TREE.read(text)


class TestMeasured:
    def test_growth(self):
        found = growth._measure(3)
        real = [point for point in found.paths if point.measured]
        assert [point.tokens for point in found.paths] == list(range(1, growth.LONGEST + 1))
        assert len(real) >= 3
        first, second = found.paths[len(real) : len(real) + 2]
        longer = second.tokens / first.tokens  # a path takes as long as it is
        assert second.seconds == pytest.approx(3 * first.seconds * longer)
        marks = growth.drawing(found, 3, 5).payload()["shapes"]
        titles = [mark["title"] for mark in marks if mark["tag"] == "circle"]
        assert len(titles) == len(real) + len(found.recursion) + 2  # and this sentence’s own
        quiet = growth.drawing(found, 3, 5, tells=False).payload()["shapes"]
        told = {mark["text"] for mark in marks} - {mark["text"] for mark in quiet}
        assert told == {"243 paths", "45 steps"}
        assert f"all 3ᵐ paths, 1 token: {duration(real[0].seconds)}" in titles
        curves = [mark["place"]["d"] for mark in marks if mark["tag"] == "path"]
        assert [curve.count("L") + 1 for curve in curves] == [growth.LONGEST, len(found.recursion)]

    def test_times_beyond_the_chart_leave_it_without_an_error(self):
        points = tuple(growth.SentenceTime(m, 10.0 ** (m * 12), m < 3) for m in (1, 2, 3, 4, 20))
        endless = growth.SentenceTime(30, math.inf, False)
        marks = growth.drawing(growth.Growth((*points, endless), points[:2]), 9, 99).payload()
        assert sum(mark["tag"] == "circle" for mark in marks["shapes"]) == 2
        assert growth._seconds(points, 10) == pytest.approx(math.exp(
            (math.log(points[3].seconds) * 10 + math.log(points[4].seconds) * 6) / 16
        ))  # fmt: skip

    def test_ratios(self):
        times = [crossover.Time(16, 2, "scan", 1.0), crossover.Time(16, 2, "plain", 4.0)]
        assert crossover.ratio(times, 16, 2, "plain") == 4
        assert crossover.ratio(times, 16, 2, "kernels") is None
        assert crossover.ratio(times, 64, 2, "plain") is None
        assert crossover.wins(times, "plain") == (1, 1)
        text = crossover.figure(times, "plain").to_plotly_json()["data"][0]["text"]
        assert "4× faster" in text[0]


class TestSpaces:
    def test_both_are_right_while_nothing_underflows(self):
        for name in ("bio", "pair-potentials"):
            found = spaces.results(EXAMPLES[name].problem)[0]
            assert spaces.good(found.in_logs, found.exact)
            assert spaces.good(found.scaled, found.exact)
        found = spaces.results(EXAMPLES["no-path"].problem)[0]
        assert found.in_logs == found.exact == -math.inf

    def test_scaled_loses_the_garden_path(self):
        """‘The old man the boat’ needs a tag that is far behind after three words."""
        found = spaces.results(OLD_MAN)[-1]
        assert found.factor == 100
        assert spaces.good(found.in_logs, found.exact)
        assert not spaces.good(found.scaled, found.exact)

    @pytest.mark.parametrize(("name", "kept"), [("bio", True), ("old-man", False)])
    def test_where_nothing_is_lost_an_example_is_offered_that_loses(self, name, kept):
        app = opened("cost", ex=name)
        assert ("cost.example" in [button.key for button in app.button]) is kept


def test_brackets_in_the_address():
    app = opened("cost", tree="3.2.0.1")
    assert app.query_params["tree"] == "3.2.0.1"
    press(app, "From the right")
    assert app.query_params["tree"] == "right"


def test_guess_then_measure(monkeypatch):
    monkeypatch.setattr("pages.cost.crossover.BUDGET", 0.05)
    app = opened("cost")
    assert not [b for b in app.button if b.label.startswith("Measure on this")]
    next(r for r in app.radio if "scan faster" in r.label).set_value(1)
    press(app, "Commit, then see")
    next(b for b in app.button if b.label.startswith("Measure on this")).click().run()
    assert not app.exception
    assert "In this measurement the scan is faster" in html_of(app)


def test_a_step_is_measured_in_both_spaces(monkeypatch):
    monkeypatch.setattr(spaces, "BUDGET", 0.05)
    app = opened("cost")
    app.button(key="cost.step").click().run()
    assert not app.exception
    assert "One step of 64 rows" in html_of(app)
    assert [time.tags for time in spaces.measured] == list(spaces.SIZES)
    assert min(min(time) for time in spaces.measured) > 0


def test_products_can_be_taken_away(session):
    problem = EXAMPLES["old-man"].problem
    found = sections.exports(SimpleNamespace(problem=problem))
    rows = [line.split(",") for line in found["Products of the tree"].csv().splitlines()]
    assert len(rows) == 1 + 2 * len(problem.tokens) - 1
    whole = next(row for row in rows if row[:2] == ["1", "5"])
    ends = [float(x) for x in whole[3:7]]  # from before the sentence to each tag
    log_z = math.log(sum(math.exp(x + end) for x, end in zip(ends, problem.end, strict=True)))
    assert log_z == pytest.approx(problem.chain().log_partition.item())
    assert found["Scan and recursion"].csv().startswith("tokens,tags,way,seconds")


def test_check_yourself():
    app = opened("cost")
    for answer, said in (("63", "one after the other"), ("5", "halves"), ("6", "Right")):
        next(t for t in app.text_input if "balanced tree" in t.label).input(answer)
        press(app, "Check")
        assert said in messages(app)
