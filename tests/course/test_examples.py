"""What the worked examples say, and the published numbers of those that have some."""

import math
import re
from pathlib import Path

import pytest

from crf.figures.words import words
from pages.shared.course import examples
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES, prior, ties
from pages.shared.course.problem import Problem

TEMPLATES = words(Path(examples.__file__).parent, "en", "examples")
READINGS = {  # paths that a `why` speaks of; "2": the second best, ":3": the best of three tokens
    "old-man": {
        "viterbi": "DET NOUN VERB DET NOUN",
        "greedy": "DET ADJ NOUN DET NOUN",
        "left_to_right": "DET ADJ NOUN DET NOUN",
        ":3": "DET ADJ NOUN",
    },
    "time-flies": {"viterbi": "NOUN VERB ADP DET NOUN", "2": "NOUN NOUN VERB DET NOUN"},
    "can-fish": {"viterbi": "PRON AUX VERB", "2": "PRON VERB NOUN", "greedy": "PRON AUX NOUN"},
    "fish": {"viterbi": "NOUN VERB NOUN", "greedy": "NOUN NOUN NOUN", ":2": "VERB NOUN"},
    "book": {
        "viterbi": "VERB DET NOUN",
        "greedy": "NOUN DET VERB",
        "left_to_right": "NOUN DET NOUN",
    },
    "three-one-three": {"viterbi": "H C H"},
    "three-one-three-steady": {
        "viterbi": "H H H",
        "greedy": "H C H",
        "left_to_right": "H C H",
    },
    "rib-rob": {"viterbi": "r·rob o b"},
    "bio": {"viterbi": "B I", "posterior": "O I"},
    "paris-hilton": {"viterbi": "B-LOC I-PER O B-LOC I-LOC"},
    "pair-potentials": {"viterbi": "1 4 2 4 3 0 3 0 3 1"},
    "zero-transitions": dict.fromkeys(
        ["viterbi", "greedy", "left_to_right", "posterior"], "A B A C"
    ),
    "one-token": {"viterbi": "B", "greedy": "A"},
    "no-path": {"viterbi": "", ":2": "A B"},
}


def softmax(row):
    return [math.exp(x) / sum(map(math.exp, row)) for x in row]


CLAIMS = {  # what it says beside that; of a chain that has its tags in any order
    "time-flies": lambda r: all((y[1] == "VERB") != (y[2] == "ADP") for y in r.best(4)[2:]),
    "can-fish": lambda r: 1 < r.p(r.viterbi) / r.p(r.best(2)[1]) < 1.3 and r.p(r.greedy) < 0.1,
    "fish": lambda r: (
        len(set(r.problem.emissions)) == 1
        and r.first(2).p("VERB NOUN") > 1.1 * r.first(2).p(r.first(2).best(2)[1])
    ),
    "ice-cream": lambda r: (
        r.problem.tokens[10] == "11: 1"
        and (r.greedy[10], ties(r)) == ("C", [27])
        and abs(r.marginal(26, "H") - 0.5) < 0.01
    ),
    "rib-rob": lambda r: len(r.best(9)) == 2,
    "bio": lambda r: r.score(r.posterior) == -math.inf,
    "paris-hilton": lambda r: {x for row in r.problem.matrix(1) for x in row} == {0.0},
    "pair-potentials": lambda r: (
        {x for row in r.problem.emissions for x in row} == {0.0}
        and r.problem.per_step
        and r.p(r.viterbi) < 1e-4
    ),
    "zero-transitions": lambda r: (
        r.chain.marginals[0].tolist()
        == [pytest.approx(softmax(row)) for row in r.problem.emissions]
    ),
    "all-zero": lambda r: (
        set(r.viterbi) == {r.problem.tags[0]}
        and len({r.p(path) for path in r.best(81)}) == 1
        and r.log_z == pytest.approx(4 * math.log(3))
    ),
    "fifty": lambda r: r.score(r.viterbi) > 709.8 and r.p(r.viterbi) > 0.999,
    "one-token": lambda r: (
        r.log_z
        == pytest.approx(ChainSummary(r.problem.with_changes(transitions=((0.0,) * 3,) * 3)).log_z)
    ),
    "no-path": lambda r: r.first(2).best(9) == [("A", "B")] and not r.feasible,
    "all-forbidden": lambda r: not r.feasible and not r.chain.marginals.any(),
}


def backwards(problem: Problem) -> Problem:
    """The same with its tags in the opposite order."""
    return problem.keep_tags(range(len(problem.tags))[::-1])


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_it_says_is_so_and_rests_on_no_order_of_the_tags(name):
    """A tie goes to the lowest index, so what it gives is no fact of the example."""
    problem = EXAMPLES[name].problem
    for r in (ChainSummary(problem), ChainSummary(backwards(problem))):
        for which, path in READINGS.get(name, {}).items():
            if which == "2":
                found = r.best(2)[1]
            else:
                found = r.first(int(which[1:])).viterbi if which[0] == ":" else getattr(r, which)
            assert found == tuple(path.split()), which
        assert CLAIMS.get(name, lambda r: True)(r)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_says_why_with_numbers_that_are_computed(name):
    example = EXAMPLES[name]
    assert [other.title for other in EXAMPLES.values()].count(example.title) == 1
    assert name in READINGS.keys() | CLAIMS.keys()
    assert re.fullmatch(r"[a-z-]+", name)
    assert len(example.why) > 60
    assert not re.search(r"\d[.,]\d|\d\d\d", TEMPLATES[f"why.{name}"])  # of the story, not measured
    assert example.problem.is_editable == (name != "ice-cream")


@pytest.mark.parametrize(
    ("name", "path", "p", "z"),
    [
        ("old-man", "DET NOUN VERB DET NOUN", 0.6489, math.exp(19.432418)),
        ("old-man", "DET ADJ NOUN DET NOUN", math.exp(18.0 - 19.432418), None),
        ("three-one-three", "H C H", 0.448, 0.028562),
        ("three-one-three-steady", "H H H", 0.478, 0.026264),
        ("bio", "B I", 0.40, 1.0),
        ("bio", "O I", 0.0, 1.0),
        ("rib-rob", "r·rob o b", 0.995, None),
        ("pair-potentials", "0 1 4 1 3 0 0 3 3 1", 2.69869828108e-08, None),
        ("ice-cream", None, None, 9.13e-19),
    ],
)
def test_published_numbers(name, path, p, z):
    r = EXAMPLES[name].summary
    if path:
        assert r.p(path) == pytest.approx(p, rel=1e-10 if p < 1e-4 else 0, abs=5e-4 * (p > 1e-4))
    if z:
        assert math.exp(r.log_z) == pytest.approx(z, rel=1e-3 if z < 1e-9 else 2e-5)


def test_published_cells_and_what_a_why_makes_of_them():
    old_man = EXAMPLES["old-man"].summary
    marginals = [(1, "ADJ", 0.330), (1, "NOUN", 0.670), (2, "NOUN", 0.262), (2, "VERB", 0.738)]
    for t, tag, p in marginals:
        assert old_man.marginal(t, tag) == pytest.approx(p, abs=5e-4)
    assert old_man.first(3).p("DET ADJ NOUN") == pytest.approx(0.877, abs=5e-4)
    assert "(0.239)" in EXAMPLES["old-man"].why  # exp(18.0 − 19.432418)
    assert EXAMPLES["ice-cream"].summary.marginal(26, "H") == pytest.approx(0.493, abs=5e-4)
    assert EXAMPLES["ice-cream"].summary.marginal(10, "H") == pytest.approx(0.75, abs=5e-3)
    assert "on day 27" in EXAMPLES["ice-cream"].why
    assert prior(EXAMPLES["rib-rob"].summary) == pytest.approx(2 / 3)
    alphas = EXAMPLES["pair-potentials"].summary.chain.log_alphas[0, 0].exp().tolist()
    published = [1.10026295, 2.52187760, 1.40997704, 1.36407554, 1.00201186]
    assert alphas == pytest.approx(published, rel=5e-9)


def test_a_reading_of_the_first_tokens_has_their_scores():
    problem = Problem.blank(["A", "B"], ["x", "y", "z"]).random(3)
    for each in (problem, problem.per_step_form()):
        short = ChainSummary(each).first(2).problem
        assert short.emissions == problem.emissions[:2]
        assert short.homogeneous_form().transitions == problem.transitions
        assert (short.start, short.end) == (problem.start, (0.0, 0.0))  # it may go on
        assert ChainSummary(each).first(3).problem == each
