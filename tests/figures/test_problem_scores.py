"""A problem's scores as tables to be read: every number at its place."""

import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import problem_scores
from tests.figures.recursions import value


def read(table):
    """A score table's cells: {(row, column): text}, as a reader sees them."""
    head, body = table.split("</thead>")
    columns = re.findall(r'<th scope="col"><bdi[^>]*>(.*?)</bdi>', head)
    found = {}
    for name, row in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', body):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        found |= {(name, column): cell for column, cell in zip(columns, cells, strict=True)}
    return found


def near(text, expected):
    return value(text) == pytest.approx(expected, abs=0.0051)


@pytest.mark.parametrize("name", ["book", "bio", "pair-potentials", "no-path", "one-token"])
def test_every_score(name):
    problem = EXAMPLES[name].problem
    cells = read(problem_scores.emissions(problem))
    assert len(cells) == len(problem.tags) * len(problem.tokens)
    for t, token in enumerate(problem.tokens):
        for s, tag in enumerate(problem.tags):
            assert near(cells[tag, token], problem.emissions[t][s])
    drawn, steps = problem_scores.transitions(problem), len(problem.tokens) - 1
    assert len(drawn) == (steps if problem.per_step else 1)
    read_tables = list(map(read, drawn))
    for s, tag in enumerate(problem.tags):
        assert near(read_tables[0]["START", tag], problem.start[s])
        assert near(read_tables[-1][tag, "END"], problem.end[s])
    for t, cells in enumerate(read_tables if steps else [], 1):
        for i, before in enumerate(problem.tags):
            for j, after in enumerate(problem.tags):
                assert near(cells[before, after], problem.matrix(t)[i][j])


def test_one_token_has_start_and_end_only():
    one = EXAMPLES["one-token"].problem
    for problem in (one, one.per_step_form()):
        (table,) = problem_scores.transitions(problem)
        assert "one token has no transitions" in table
        assert read(table)[problem.tags[0], problem.tags[1]] == ""
