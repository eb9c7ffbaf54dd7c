"""The lesson "Cost and parallel time" as a reader uses it, without a browser."""

import math
from types import SimpleNamespace

import pytest

from pages.cost import sections, spaces
from pages.shared.course.examples import EXAMPLES
from tests.apps import html_of, messages, opened, press


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
    log_z = math.log(sum(map(math.exp, ends)))
    assert log_z == pytest.approx(problem.chain().log_partition.item())
    assert found["Scan and recursion"].csv().startswith("tokens,tags,way,seconds")


def test_check_yourself():
    app = opened("cost")
    for answer, said in (("63", "one after the other"), ("5", "halves"), ("6", "Right")):
        next(t for t in app.text_input if "balanced tree" in t.label).input(answer)
        press(app, "Check")
        assert said in messages(app)
