"""The recursions give what they gave. Never write tests/numbers.json again to make this pass.

Whether the numbers are right is for tests/core to say, by an oracle that lists all paths.
"""

import json
import math

import pytest

from pages.shared.course.examples import EXAMPLES
from tests.numbers import FILE, SCORES, infinite, results

ROWS = {key: infinite(row) for key, row in json.loads(FILE.read_text(encoding="utf-8")).items()}
NAMES = [key.removesuffix(" tags") for key in ROWS if key.endswith(" tags")]


def alike(now, then):
    """Equal; floats to nine digits or twelve decimals."""
    if isinstance(then, list) and isinstance(now, list | tuple):
        return len(now) == len(then) and all(map(alike, now, then))
    if isinstance(then, float) and isinstance(now, float):
        return math.isclose(now, then, rel_tol=1e-9, abs_tol=1e-12)
    return now == then


@pytest.mark.parametrize("name", NAMES)
def test_recursions_give_what_they_gave(name):
    scores = {table: ROWS[f"{name} {table}"] for table in SCORES}
    known = {key: row for key, row in ROWS.items() if key.startswith(f"{name} ")}
    found = results(name, scores)
    assert found.keys() == known.keys() - {f"{name} {table}" for table in SCORES}
    assert not {key: (row, known[key]) for key, row in found.items() if not alike(row, known[key])}


@pytest.mark.parametrize("name", NAMES)
def test_examples_have_the_scores_they_had(name):
    for table in SCORES:
        now = getattr(EXAMPLES[name].problem, table)
        assert alike(now, ROWS[f"{name} {table}"]), table


def test_every_example_is_compared():
    assert EXAMPLES.keys() >= set(NAMES)
    assert len(NAMES) == 18
