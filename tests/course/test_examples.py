"""What the worked examples claim, and the published numbers of those that have some."""

import math
import re
from collections.abc import Sequence

import pytest

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.problem import Problem

CLAIMS = [(name, claim) for name, example in EXAMPLES.items() for claim in example.claims]


OF_PLACES = {  # claims that look at places in a table, not at what a tag is called
    ("three-one-three-steady", "the cones are the same"),
    ("rib-rob", "against the prior"),
    ("rib-rob", "each state but the last has one successor"),
    ("bio", "I follows only B"),
}


def summary(name: str):
    return EXAMPLES[name].summary


def backwards(problem: Problem) -> Problem:
    """The same with its tags in the opposite order."""

    def turned(table: Sequence) -> tuple:
        return tuple(turned(row) if isinstance(row, tuple) else row for row in table[::-1])

    steps = problem.transitions
    return Problem(
        problem.tags[::-1],
        problem.tokens,
        tuple(row[::-1] for row in problem.emissions),
        tuple(map(turned, steps)) if isinstance(steps[0][0], tuple) else turned(steps),
        problem.start[::-1],
        problem.end[::-1],
    )


@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_every_claim_holds(name, claim):
    assert EXAMPLES[name].claims[claim](summary(name)) is True


@pytest.mark.parametrize(("name", "claim"), [each for each in CLAIMS if each not in OF_PLACES])
def test_no_claim_rests_on_the_order_of_the_tags(name, claim):
    """A tie goes to the lowest index, so what it gives is no fact of the example."""
    assert EXAMPLES[name].claims[claim](ChainSummary(backwards(EXAMPLES[name].problem))) is True


@pytest.mark.parametrize("name", EXAMPLES)
class TestEach:
    def test_it_says_why_and_claims_something(self, name):
        example = EXAMPLES[name]
        assert example.name == name
        assert re.fullmatch(r"[a-z-]+", name)
        assert "{" not in example.why
        assert len(example.why) > 60
        assert example.claims

    def test_no_measured_number_is_typed(self, name):
        """Numbers in a template are days and counts of the story, never probabilities or scores."""
        assert not re.search(r"\d[.,]\d|\d\d\d", EXAMPLES[name].template)

    def test_its_numbers_follow_its_scores(self, name):
        example = EXAMPLES[name]
        facts = example.facts(example.summary)
        for field in re.findall(r"{(\w+)}", example.template):
            assert facts[field], field
        assert set(facts) == set(re.findall(r"{(\w+)}", example.template))

    def test_only_the_diary_is_too_long_to_edit(self, name):
        assert EXAMPLES[name].problem.is_editable == (name != "ice-cream")


def test_titles_are_distinct_and_the_default_exists():
    assert len({example.title for example in EXAMPLES.values()}) == len(EXAMPLES)
    assert DEFAULT in EXAMPLES


class TestPublishedNumbers:
    def test_old_man(self):
        r = summary("old-man")
        assert r.first(3).viterbi == ("DET", "ADJ", "NOUN")
        assert r.first(3).p("DET ADJ NOUN") == pytest.approx(0.877, abs=5e-4)
        assert r.viterbi == ("DET", "NOUN", "VERB", "DET", "NOUN")
        assert r.p(r.viterbi) == pytest.approx(0.646, abs=5e-4)
        assert r.greedy == r.left_to_right == ("DET", "ADJ", "NOUN", "DET", "NOUN")
        assert r.p(r.greedy) == pytest.approx(0.238, abs=5e-4)
        assert "(0.238)" in EXAMPLES["old-man"].why

    def test_diary(self):
        r = summary("ice-cream")
        assert len(r.problem.tokens) == 33
        assert math.exp(r.log_z) == pytest.approx(9.13e-19, rel=1e-3)
        assert r.marginal(26, "H") == pytest.approx(0.493, abs=5e-4)
        assert r.marginal(10, "H") == pytest.approx(0.75, abs=5e-3)
        assert "on day 27" in EXAMPLES["ice-cream"].why

    def test_three_one_three(self):
        r = summary("three-one-three")
        assert math.exp(r.log_z) == pytest.approx(0.028562, abs=5e-7)
        assert r.viterbi == ("H", "C", "H")
        assert r.p("H C H") == pytest.approx(0.448, abs=5e-4)
        r = summary("three-one-three-steady")
        assert math.exp(r.log_z) == pytest.approx(0.026264, abs=5e-7)
        assert r.viterbi == ("H", "H", "H")
        assert r.p("H H H") == pytest.approx(0.478, abs=5e-4)

    def test_bio(self):
        r = summary("bio")
        assert r.p("B I") == pytest.approx(0.40)
        assert r.p("O I") == 0
        assert "B begins a chunk, I is inside one, O is outside" in EXAMPLES["bio"].why
        assert r.log_z == pytest.approx(0, abs=1e-12)

    def test_rib_rob(self):
        assert summary("rib-rob").p("r·rob o b") == pytest.approx(0.995, abs=5e-4)
        assert EXAMPLES["rib-rob"].facts(summary("rib-rob"))["prior"] == "0.667"

    def test_pair_potentials(self):
        r = summary("pair-potentials")
        assert r.p("0 1 4 1 3 0 0 3 3 1") == pytest.approx(2.69869828108e-08, rel=1e-11)
        assert r.viterbi == tuple("1424303031")
        assert r.chain.log_alphas[0, 0].exp().tolist() == pytest.approx(
            [1.10026295, 2.52187760, 1.40997704, 1.36407554, 1.00201186], rel=5e-9
        )

    def test_all_zero(self):
        assert summary("all-zero").log_z == pytest.approx(4 * math.log(3))


def test_a_reading_of_the_first_tokens_has_their_scores():
    problem = Problem.blank(["A", "B"], ["x", "y", "z"]).random(3)
    assert EXAMPLES["old-man"].summary.first(2).problem.tokens == ("The", "old")
    for each in (problem, problem.per_step_form()):
        short = ChainSummary(each).first(2).problem
        assert short.emissions == problem.emissions[:2]
        assert short.homogeneous_form().transitions == problem.transitions


def test_where_all_is_forbidden_no_lesson_is_promised_to_show_numbers():
    """Some show the nan of a computation without logarithms."""
    assert "on the page" not in EXAMPLES["all-forbidden"].why
