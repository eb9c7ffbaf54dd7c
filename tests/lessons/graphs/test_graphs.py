"""Graphs and label bias: independence and label bias against enumeration, the table of one day."""

import math
from collections import defaultdict
from itertools import product

import pytest
import torch

from pages.graphs import ice_cream, label_bias
from pages.graphs.ice_cream import given, joint_probability
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem

OLD_MAN = EXAMPLES["old-man"].problem


class TestIndependence:
    @pytest.mark.parametrize("fixed", [{}, {2: 2}, {2: 0}, {0: 0, 3: 1}, {1: 2, 3: 0}])
    def test_against_enumeration(self, fixed):
        found = given(OLD_MAN, fixed)
        paths = [
            p for p in enumerate_paths(OLD_MAN) if all(p.tags[t] == s for t, s in fixed.items())
        ]
        whole = math.fsum(p.probability for p in paths)
        assert math.exp(found.log_p) == pytest.approx(whole)
        for pair in found.pairs:
            a, b = pair.first, pair.second
            assert pair.separated == any(a < t < b for t in fixed)
            assert (pair.dependence < 1e-12) == pair.separated
            joint, one, two = defaultdict(float), defaultdict(float), defaultdict(float)
            for path in paths:
                p, i, j = path.probability / whole, path.tags[a], path.tags[b]
                joint[i, j] += p
                one[i] += p
                two[j] += p
            off = max(abs(joint[i, j] - one[i] * two[j]) for i in one for j in two)
            assert pair.dependence == pytest.approx(off, abs=1e-12)

    def test_the_probability_of_more_tags(self):
        paths = enumerate_paths(OLD_MAN)

        def p(tags):
            fits = (y for y in paths if all(y.tags[t] == s for t, s in tags.items()))
            return math.fsum(path.probability for path in fits)

        for fixed, more in product(({}, {2: 3}, {0: 0, 4: 2}), ({1: 1}, {1: 2, 3: 0})):
            found = joint_probability(OLD_MAN, fixed, more)
            assert found == pytest.approx(p(fixed | more) / p(fixed))

    def test_pieces_and_what_cannot_be_fixed(self):
        for fixed, pieces in (
            ({2: 0}, ((0, 1), (3, 4))),
            ({0: 0, 4: 0}, ((1, 2, 3),)),
            (dict.fromkeys(range(5), 0), ()),
        ):
            assert given(OLD_MAN, fixed).pieces == pieces
        found = given(EXAMPLES["bio"].problem, {0: 1})  # I may not begin
        assert (found.log_p, found.pairs) == (-math.inf, ())


def memm_by_hand(problem):
    """p(y | x) of every path, step by step: exp(T + e) over the sum of what may follow."""
    S, m = len(problem.tags), len(problem.tokens)
    found = {}
    for path in product(range(S), repeat=m):
        p = 1.0
        for t, s in enumerate(path):
            leads = problem.matrix(t)[path[t - 1]] if t else problem.start
            ends = problem.end if t == m - 1 else (0.0,) * S
            weights = [
                math.exp(a + b + c)
                for a, b, c in zip(leads, problem.emissions[t], ends, strict=True)
            ]
            p *= weights[s] / sum(weights) if sum(weights) else 0.0
        found[path] = p
    return found


class TestLabelBias:
    @pytest.mark.parametrize("name", ["can-fish", "three-one-three", "rib-rob"])
    def test_a_memm_by_hand(self, name):
        problem = EXAMPLES[name].problem.with_score("end", 1, -1.5)
        chain = label_bias.memm(problem).chain()
        by_hand = memm_by_hand(problem)
        assert chain.log_partition.exp().item() == pytest.approx(sum(by_hand.values()))
        for path, p in by_hand.items():
            assert chain.score(torch.tensor([path])).exp().item() == pytest.approx(p)

    def test_rib_and_rob_by_hand(self):
        """A prior of 2 to 1; evidence e for the letter that is read and −e for the other."""
        assert label_bias.EVIDENCE == 3
        for evidence in (label_bias.EVIDENCE, 0.0, 6.0):
            memm, crf, hmm = label_bias.probabilities("o", "rob", evidence)
            right, wrong = math.exp(evidence), 2 * math.exp(-evidence)
            assert (memm, crf) == (pytest.approx(1 / 3), pytest.approx(right / (right + wrong)))
            assert hmm == pytest.approx(crf)

    def test_an_hmm_s_tables_are_probabilities(self):
        read = [label_bias.heard(letter) for letter in "oi"]
        generated = [label_bias.as_hmm(problem, read) for problem in read]
        for s in range(5):
            for t in range(3):
                assert math.fsum(math.exp(g.emissions[t][s]) for g in generated) == pytest.approx(1)
        assert math.fsum(map(math.exp, generated[0].start)) == pytest.approx(1)
        *rows, last = generated[0].matrix(1)
        assert [math.fsum(map(math.exp, row)) for row in rows] == pytest.approx([1] * 4)
        assert set(last) == {-math.inf}

    def test_scores_as_large_as_may_be_are_normalised_too(self):
        tables = [[0.0] * 2] * 2, [0.0] * 2, [0.0] * 2
        problem = Problem.of(["A", "B"], ["x"], [[6e5, -6e5]], *tables)
        assert label_bias.memm(problem).start == (0.0, -1.2e6)


def test_the_boat_s_tags_are_too_certain_to_show_dependence_and_the_ice_cream_s_are_not():
    boat = next(pair for pair in given(OLD_MAN, {}).pairs if pair[:2] == (1, 3))
    assert boat.dependence < 0.002
    diary = ice_cream.problem("32221")
    one, two = (given(diary, {}).marginals[t][0] for t in (1, 3))
    assert joint_probability(diary, {}, {1: 0, 3: 0}) - one * two > 0.1
    assert joint_probability(diary, {2: 0}, {1: 0, 3: 0}) == pytest.approx(0.656, abs=5e-4)


@pytest.mark.parametrize("hot", [0.05, 0.5, 0.8])
def test_a_column_of_the_table_is_as_wide_as_p_x_and_cut_by_bayes_rule(hot):
    columns = ice_cream.table(hot)
    assert math.fsum(column.width for column in columns) == pytest.approx(1)
    for column in columns:
        p_hot, p_cold = ice_cream.EATEN[column.cones]
        evidence = hot * p_hot + (1 - hot) * p_cold
        assert column.cut == pytest.approx(hot * p_hot / evidence)
