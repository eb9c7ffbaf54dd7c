"""What the lessons export: tables, LaTeX and JSON."""

import csv
import io
import json
import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import exports
from tests.figures.recursions import FORMS, OLD_MAN, run
from tests.oracles import recursions as oracle


def written(trace, table="Terms of this step", step=0):
    return list(csv.reader(io.StringIO(exports.trace_tables(trace, step)[table].csv())))


@pytest.mark.parametrize("convention", FORMS)
def test_the_trellis_as_csv(convention):
    header, *rows = written(run(OLD_MAN, convention, "sum"), "Trellis")
    shift = convention == "message"
    assert header == ["tag", *OLD_MAN.tokens[shift:]]
    for s, (tag, *cells) in enumerate(rows):
        assert tag == OLD_MAN.tags[s]
        for t, cell in enumerate(cells, shift):
            expected = oracle.cell(OLD_MAN, convention, "sum", t, s)
            assert float(cell) == pytest.approx(expected, abs=1e-12)


def test_the_terms_of_a_step_as_csv():
    header, *rows = written(run(OLD_MAN, "state", "sum"), step=10)
    assert header == ["from", "previous", "transition", "sum", "share"]
    assert [row[0] for row in rows] == list(OLD_MAN.tags)
    assert math.fsum(float(row[-1]) for row in rows) == pytest.approx(1)
    for i, row in enumerate(rows):
        before = oracle.cell(OLD_MAN, "state", "sum", 1, i)
        assert float(row[3]) == pytest.approx(before + OLD_MAN.transitions[i][2])
    assert written(run(OLD_MAN, "state", "sum"))[1][0] == "START"
    header, *rows = written(OLD_MAN.trace("backward"))
    assert (header[0], rows[-1][0]) == ("to", "END")
    viterbi = run(OLD_MAN, "state", "max")  # the way back has no terms
    assert written(viterbi, step=len(viterbi.steps) - 1) == [["from", "sum", "share"]]


def test_problems_and_traces():
    tables = exports.problem_tables(EXAMPLES["bio"].problem)
    assert list(tables) == ["Emissions", "Transitions", "Start and end"]
    assert "-inf" in tables["Transitions"].csv()
    assert r"-\infty" in tables["Transitions"].latex()
    steps = exports.problem_tables(OLD_MAN.per_step_form())
    assert steps["Transitions"].latex().count("tabular") == 8
    trace = run(EXAMPLES["no-path"].problem, "state", "sum")
    read = json.loads(exports.to_json(trace), parse_constant=pytest.fail)
    assert read["log_total"] == "-inf"
    assert len(read["steps"]) == len(trace.steps)
