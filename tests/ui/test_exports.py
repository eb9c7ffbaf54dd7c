"""What the lessons export: tables, LaTeX and JSON."""

import csv
import io
import json
import math

import pandas as pd
import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import exports
from tests.figures.recursions import FORMS, OLD_MAN, run
from tests.oracles import recursions as oracle


class TestExports:
    @pytest.mark.parametrize("convention", FORMS)
    def test_the_trellis_as_csv(self, convention):
        trace = run(OLD_MAN, convention, "sum")
        written = exports.trace_tables(trace, 0)["Trellis"].csv()
        header, *rows = csv.reader(io.StringIO(written))
        shift = convention == "message"
        assert header == ["tag", *OLD_MAN.tokens[shift:]]
        for s, (tag, *cells) in enumerate(rows):
            assert tag == OLD_MAN.tags[s]
            for t, cell in enumerate(cells, shift):
                expected = oracle.cell(OLD_MAN, convention, "sum", t, s)
                assert float(cell) == pytest.approx(expected, abs=1e-12)

    def test_the_terms_of_a_step_as_csv(self):
        trace = run(OLD_MAN, "state", "sum")
        written = exports.trace_tables(trace, 10)["Terms of this step"].csv()
        header, *rows = csv.reader(io.StringIO(written))
        assert header == ["from", "previous", "transition", "sum", "share"]
        assert [row[0] for row in rows] == list(OLD_MAN.tags)
        assert math.fsum(float(row[-1]) for row in rows) == pytest.approx(1)
        for i, row in enumerate(rows):
            before = oracle.cell(OLD_MAN, "state", "sum", 1, i)
            assert float(row[3]) == pytest.approx(before + OLD_MAN.transitions[i][2])
        first = exports.trace_tables(trace, 0)["Terms of this step"].csv()
        assert "START" in first

    def test_what_a_term_of_the_backward_recursion_goes_to(self):
        trace = OLD_MAN.trace("backward")
        written = exports.trace_tables(trace, 0)["Terms of this step"].csv()
        assert written.splitlines()[0].startswith("to,")
        assert "END" in written

    def test_the_way_back_has_no_terms(self):
        trace = run(OLD_MAN, "state", "max")
        written = exports.trace_tables(trace, len(trace.steps) - 1)["Terms of this step"].csv()
        assert written == "from,sum,share\n"

    def test_forbidden_scores_and_latex(self):
        problem = EXAMPLES["bio"].problem
        tables = exports.problem_tables(problem)
        assert "-inf" in tables["Transitions"].csv()
        assert r"-\infty" in tables["Transitions"].latex()
        assert list(tables) == ["Emissions", "Transitions", "Start and end"]

    def test_one_matrix_for_each_step(self):
        problem = OLD_MAN.per_step_form()
        assert exports.problem_tables(problem)["Transitions"].latex().count("tabular") == 8

    def test_a_frame_has_its_numbers_exactly_its_names_harmless_and_gaps_empty(self):
        frame = pd.DataFrame({"tags": ["=1+1", None], "nll": [1 / 3, math.nan], "n": [1, 2]})
        written = exports.Table.of_frame(lambda: frame).csv()
        assert written == f"tags,nll,n\n'=1+1,{1 / 3!r},1\n,,2\n"

    def test_the_trace_as_json(self):
        trace = run(EXAMPLES["no-path"].problem, "state", "sum")
        read = json.loads(exports.to_json(trace), parse_constant=pytest.fail)
        assert read["log_total"] == "-inf"
        assert len(read["steps"]) == len(trace.steps)
