"""Growing chains in the lesson "Numerical stability", against plain floats."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui.problem_state import SHARED
from pages.stability import growing
from pages.stability.chains import grow, repeated
from pages.stability.growing import TOKENS
from pages.stability.number_formats import DTYPES
from tests.lessons.stability.reading import (
    INF,
    LARGEST,
    SMALLEST,
    button,
    log_alphas,
    open_page,
    read,
    texts,
    verdicts,
)
from tests.oracles import recursions as oracle


@pytest.mark.parametrize("name", list(EXAMPLES)[::4])
def test_every_example(name):
    app = open_page(ex=name)
    assert not app.exception
    assert app.title[0].value == "Numerical stability"
    problem = EXAMPLES[name].problem
    tokens = TOKENS.default
    tokens = min(tokens, growing.longest(problem))
    columns, log_z = log_alphas(problem, tokens)
    found = verdicts(app, "log Z of the chain")
    reference = found["Log space"][3]
    if log_z == -INF:
        assert reference[:2] == ("−inf", "✓ right: −∞")
    else:
        assert read(reference[0]) == pytest.approx(log_z, rel=1e-6)
        assert reference[1] == "✓ right"
    for dtype, cell in zip(DTYPES, found["Probability space"], strict=True):
        largest = [max(column) for column in columns]
        over = next((t for t, x in enumerate(largest) if x > math.log(LARGEST[dtype])), None)
        if over is None:
            assert "overflow" not in cell[1]
        elif all(x > SMALLEST[dtype] * math.log(2) for x in largest[:over]):
            assert cell[0] in ("inf", "nan")  # inf times a potential of 0 is nan
            assert cell[1:] == ("✗ overflow", f"from token {over + 1} on")


@pytest.mark.parametrize("name", ["old-man", "ice-cream", "one-token", "pair-potentials", "bio"])
def test_once_through_it_is_the_problem(name):
    problem = EXAMPLES[name].problem
    app = open_page(ex=name, len=str(len(problem.tokens)))
    value = read(verdicts(app, "log Z of the chain")["Log space"][3][0])
    assert value == pytest.approx(oracle.total(problem, "sum"), rel=1e-6)
    exact = re.search(
        r"decimal arithmetic gives log Z = (.+?), and float64 gives (\S+)\. ", texts(app)
    )
    total = oracle.total(problem, "sum")
    assert [read(x) for x in exact.groups()] == pytest.approx([total] * 2, abs=1e-12)


def test_many_tags_are_bounded():
    many = EXAMPLES["old-man"].problem.blank([f"T{k}" for k in range(20)], ["x"] * 33)
    assert 33 <= growing.longest(many) <= 100_000 // 20**2


@pytest.mark.parametrize("tokens", [10, 200, 400])
@pytest.mark.parametrize("name", ["old-man", "pair-potentials", "ice-cream"])
def test_the_beginning_of_a_longer_chain_is_the_shorter_one(name, tokens):
    problem = EXAMPLES[name].problem
    whole = grow(repeated(problem, tokens))
    for run, alone in zip(growing.runs(problem, tokens), whole, strict=True):
        assert repr(run) == repr(alone)


@pytest.mark.parametrize(
    ("lag", "scaled", "said"),
    [(120, ("−160", "✗ paths lost", "off by 40"), f"exp(−{-math.log(2**-150):.2f})"),
     (60, ("−60", "✓ right"), "so B is kept")],
)  # fmt: skip
def test_the_winner_is_lost_by_scaling_and_kept_where_it_is_near(lag, scaled, said):
    app = open_page(lag=str(lag))
    found = verdicts(app, "log Z of the two paths")
    assert found["Log space"][2][0] == f"−{lag}"
    assert found["Scaled"][2][: len(scaled)] == scaled
    assert said in texts(app)
    button(app, "Put this problem on screen").click().run()
    assert not app.exception
    assert app.session_state[SHARED.key].problem.tags == ("A", "B")
