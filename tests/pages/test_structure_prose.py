"""What the lesson "Why structure" says of a problem, against enumeration."""

import math
from itertools import pairwise, product

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.theme import probability
from pages.structure import model_prose, prose
from pages.structure.greedy import against_the_best
from tests.pages import path_oracle
from tests.pages.structure_helpers import OLD_MAN, enumerated, is_small

DET, ADJ, NOUN, VERB = range(4)


class TestDecision:
    def test_word_by_word(self):
        """‘old’: 2 for ADJ against .5 for NOUN; with ADJ the whole comes to 16.5, else to 17.5."""
        [told] = prose.decision(OLD_MAN, against_the_best(OLD_MAN, "greedy"))
        assert "at ‘old’ it sees 2.00 for ADJ and 0.50 for NOUN, and takes ADJ" in told
        assert "on from ADJ scores 16.50, and with NOUN it would be 17.50" in told
        assert f"exp(−1.00) = {math.exp(-1):.3f} times" in told

    @pytest.mark.parametrize("decoder", ["greedy", "left_to_right"])
    @pytest.mark.parametrize("name", [n for n in EXAMPLES if is_small(EXAMPLES[n].problem)])
    def test_the_table(self, name, decoder):
        problem = EXAMPLES[name].problem
        found = against_the_best(problem, decoder)
        if found is None or found.mistake is None:
            return
        _, rows, ringed = prose.decision_rows(problem, decoder, found.mistake)
        t = found.mistake.token
        best = {s: -math.inf for s in range(len(problem.tags))}
        for path in product(best, repeat=len(problem.tokens)):
            if path[:t] == found.path[:t]:
                best[path[t]] = max(best[path[t]], path_oracle.path_score(problem, path))
        assert [row[2] for row in rows] == [format_score(best[s]) for s in best]
        assert ringed == {(found.path[t], 1), (found.best[t], 2)}

    def test_no_mistake_and_a_forbidden_path(self):
        fine = EXAMPLES["zero-transitions"].problem
        [told] = prose.decision(fine, against_the_best(fine, "greedy"))
        assert "finds the best path here" in told
        bio = EXAMPLES["bio"].problem
        told = prose.decision(bio, against_the_best(bio, "greedy"))
        assert "forbidden" in told[-1]


def test_how_many_paths_hold_a_share():
    p = sorted(enumerated(OLD_MAN).values(), reverse=True)
    most = prose.mass(p)
    assert math.fsum(p[:most]) >= 0.99 > math.fsum(p[: most - 1])
    assert prose.mass([0.5, 0.5], 1.0) == 2
    assert f"the first {most} to have" in prose.share_told(p)
    assert "it takes all to have" in prose.share_told([0.5, 0.3, 0.2])
    assert prose.share_told([1.0]).startswith("Only one path is allowed")
    assert prose.forbidden(1) == (
        "The other sequence is forbidden: a score of −∞ on the way, so probability 0."
    )
    assert "has 0.995 of" in prose.share_told([0.995, 0.005])


def test_a_faster_machine():
    assert "about 3 tokens longer" in prose.faster(10)  # 10³ = 1000
    assert "about 1 token longer" in prose.faster(1000)
    assert prose.faster(1) == ""


class TestLearning:
    def test_expected_counts(self):
        chain = OLD_MAN.chain()
        path = (DET, ADJ, NOUN, DET, NOUN)
        taught = model_prose.lesson(
            OLD_MAN, path, math.log(0.25), chain.pair_marginals[0], chain.marginals[0]
        )
        expected = math.fsum(
            p * sum(pair == (ADJ, NOUN) for pair in pairwise(y))
            for y, p in enumerated(OLD_MAN).items()
        )
        assert taught.weight == "T(ADJ → NOUN)"
        assert (taught.observed, taught.loss) == (1, pytest.approx(math.log(4)))
        assert taught.expected == pytest.approx(expected)

    def test_one_token(self):
        problem = EXAMPLES["one-token"].problem
        chain = problem.chain()
        taught = model_prose.lesson(
            problem, (1,), -1.0, chain.pair_marginals[0], chain.marginals[0]
        )
        assert taught.expected == pytest.approx(enumerated(problem)[(1,)])


class TestMap:
    def test_each_token_for_itself(self):
        best, told = (DET, NOUN, VERB, DET, NOUN), ""
        told = model_prose.without_transitions(OLD_MAN, best, 0.5)
        whole = 1.0
        for row, s in zip(OLD_MAN.emissions, best, strict=True):
            share = math.exp(row[s]) / math.fsum(map(math.exp, row))
            assert probability(share) in told
            whole *= share
        assert f"= {probability(whole)}. With them it has 0.500." in told

    @pytest.mark.parametrize(
        ("name", "is_one"),
        [("three-one-three", True), ("ice-cream", True), ("old-man", False), ("fifty", False)],
    )
    def test_which_problems_are_hmms(self, name, is_one):
        told = model_prose.is_it_an_hmm(EXAMPLES[name].problem)
        assert ("is an HMM" in told) == is_one

    def test_the_row_that_is_named_does_not_sum_to_1(self):
        """In rib-rob all rows but the last do."""
        told = model_prose.is_it_an_hmm(EXAMPLES["rib-rob"].problem)
        assert "the row b, END aside, sum to 0, not to 1" in told

    def test_scores_whose_exponentials_no_float_holds(self):
        told = model_prose.is_it_an_hmm(OLD_MAN.with_score("transitions", (DET, DET), 5000.0))
        assert "the row DET, END aside, sum to 2.97 × 10²¹⁷¹, not to 1" in told

    def test_features(self):
        told = model_prose.features(OLD_MAN, (DET, NOUN, VERB, DET, NOUN))
        assert "T(DET → NOUN) = 1.00" in told
        assert f"that is {math.e:.2f} where" in told
        assert "uses it twice, which adds 2 · 1.00 = 2.00" in told

    def test_a_feature_with_a_weight_is_taken_if_there_is_one(self):
        problem = Problem.blank(["A", "B"], ["x", "y", "z", "w"]).with_score(
            "transitions", (0, 1), 2
        )
        assert "T(A → B) = 2.00" in model_prose.features(problem, (0, 0, 0, 1))
        assert "T(A → A) = 0.00" in model_prose.features(problem, (0, 0, 0, 0))

    def test_one_token_needs_no_product(self):
        told = model_prose.without_transitions(Problem.blank(["A", "B"], ["x"]), (0,), 0.5)
        assert "has probability 0.500. With them" in told


def test_one_path_only():
    blank = Problem.blank(["A"], ["x", "y"])
    assert "1 · 1 = 1 sequences" in prose.product_of_tags(blank)
    assert "|S| = 1 is their number, and m = 2 the number" in prose.product_of_tags(blank)
    assert model_prose.without_transitions(blank, (0, 0), 1.0)
