"""Enumeration's reach, greedy mistakes, independence, label bias, graphs: against enumeration."""

import math
from collections import defaultdict

import pytest

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.structure import factor_graph, label_bias
from pages.structure.greedy import DECODERS, against_the_best
from pages.structure.growth import AGE_OF_THE_UNIVERSE, paths_per_second, reach, sizes
from pages.structure.independence import given, joint_probability

OLD_MAN = EXAMPLES["old-man"].problem
RIB_ROB = EXAMPLES["rib-rob"].problem
SMALL = ["old-man", "bio", "three-one-three", "can-fish", "fish", "book", "rib-rob"]


class TestGrowth:
    @pytest.mark.parametrize("num_tags", [2, 3, 10, 17])
    @pytest.mark.parametrize("rate", [0.5, 1.0, 1000.0, 123456.7])
    def test_one_token_more_is_too_many(self, num_tags, rate):
        for found in reach(num_tags, rate):
            assert found.paths == pytest.approx(rate * found.seconds)
            if found.paths >= 1:
                assert num_tags**found.tokens <= found.paths < num_tags ** (found.tokens + 1)

    def test_one_tag_has_one_path(self):
        assert {found.tokens for found in reach(1, 10.0)} == {None}

    def test_the_age_of_the_universe(self):
        assert pytest.approx(AGE_OF_THE_UNIVERSE, rel=0.001) == 4.351e17  # seconds

    def test_sizes_by_hand(self):
        last = sizes(3, 4, rate=2.0)[-1]
        assert (last.tokens, last.paths, last.operations, last.seconds) == (4, 81, 36, 40.5)
        assert last.additions == 3 * 3 * 2 + 2

    def test_any_number_of_tokens(self):
        assert sizes(17, 400, rate=1.0)[-1].seconds == math.inf

    def test_the_rate_is_measured_once(self):
        assert paths_per_second() == paths_per_second()
        assert 1000 < paths_per_second() < 1e8


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", SMALL)
class TestGreedy:
    def test_against_enumeration(self, name, decoder):
        problem = EXAMPLES[name].problem
        paths, found = enumerate_paths(problem), against_the_best(EXAMPLES[name].problem, decoder)
        by_tags = {path.tags: path for path in paths}
        assert found.best_score == pytest.approx(paths[0].score)
        assert found.score == pytest.approx(by_tags[found.path].score)
        assert found.probability == pytest.approx(by_tags[found.path].probability)
        assert (found.mistake is None) == (found.score == found.best_score)

    def test_the_decision(self, name, decoder):
        problem = EXAMPLES[name].problem
        found = against_the_best(problem, decoder)
        if found.mistake is None:
            return
        t, chosen, best, options = found.mistake
        assert found.path[:t] == found.best[:t]
        assert (found.path[t], found.best[t]) == (chosen, best)
        assert max(option.seen for option in options) == options[chosen].seen
        assert options[best].whole == pytest.approx(found.best_score)
        for option in options:
            start = (*found.path[:t], option.tag)
            scores = [p.score for p in enumerate_paths(problem) if p.tags[: t + 1] == start]
            assert option.whole == pytest.approx(max(scores))


def test_rounding_is_no_mistake():
    level = ("X", "Y"), ("a", "b"), ((0.8, 1.4), (-1.3, 2.0)), ((-1.2, 0.7), (-1.6, 1.0))
    problem = Problem(*level, start=(-1.4, 0.8), end=(0.9, 1.1))
    for decoder in DECODERS:
        found = against_the_best(problem, decoder)
        assert found.score < found.best_score  # in floats only: it is the same path
        assert found.path == found.best
        assert found.mistake is None


def test_greedy_with_no_path():
    assert against_the_best(EXAMPLES["no-path"].problem, "greedy") is None


def test_old_man_left_to_right_by_hand():
    """After DET, ADJ scores 2 + .5 and NOUN .5 + 1: 2.5 beats 1.5, and costs the sentence 1."""
    token, chosen, best, options = against_the_best(OLD_MAN, "left_to_right").mistake
    assert (token, chosen, best) == (1, 1, 2)
    assert [options[1].seen, options[2].seen] == [2.5, 1.5]
    assert options[2].whole - options[1].whole == pytest.approx(1.0)


class TestIndependence:
    @pytest.mark.parametrize("fixed", [{}, {2: 2}, {2: 0}, {0: 0, 3: 1}, {1: 2, 3: 0}])
    def test_against_enumeration(self, fixed):
        found = given(OLD_MAN, fixed)
        paths = [p for p in enumerate_paths(OLD_MAN) if all(p.tags[t] == s for t, s in
                 fixed.items())]  # fmt: skip
        whole = math.fsum(p.probability for p in paths)
        assert found.probability == pytest.approx(whole)
        for pair in found.pairs:
            a, b = pair.first, pair.second
            joint, one, two = defaultdict(float), defaultdict(float), defaultdict(float)
            for path in paths:
                p, i, j = path.probability / whole, path.tags[a], path.tags[b]
                joint[i, j] += p
                one[i] += p
                two[j] += p
            off = max(abs(joint[i, j] - one[i] * two[j]) for i in one for j in two)
            information = math.fsum(
                p * math.log(p / (one[i] * two[j])) for (i, j), p in joint.items()
            )
            assert pair.dependence == pytest.approx(off, abs=1e-12)
            assert pair.information == pytest.approx(information, abs=1e-12)
            assert pair.joint == pytest.approx(joint[pair.at], abs=1e-12)
            assert abs(pair.joint - pair.product) == pytest.approx(pair.dependence, abs=1e-15)

    @pytest.mark.parametrize("name", ["old-man", "can-fish", "three-one-three", "pair-potentials"])
    def test_separated_is_independent_and_the_rest_is_not(self, name):
        problem = EXAMPLES[name].problem
        middle = len(problem.tokens) // 2
        found = given(problem, {middle: 0})
        assert found.pairs
        for pair in found.pairs:
            assert pair.separated == (pair.first < middle < pair.second)
            assert (pair.dependence < 1e-12) == pair.separated

    @pytest.mark.parametrize("fixed", [{}, {2: 3}, {0: 0, 4: 2}])
    def test_the_probability_of_more_tags(self, fixed):
        paths = enumerate_paths(OLD_MAN)

        def p(tags):
            return math.fsum(
                path.probability
                for path in paths
                if all(path.tags[t] == s for t, s in tags.items())
            )

        for more in ({1: 1}, {1: 2, 3: 0}):
            found = joint_probability(OLD_MAN, fixed, more)
            assert found == pytest.approx(p(fixed | more) / p(fixed))

    def test_pieces(self):
        assert given(OLD_MAN, {2: 0}).pieces == ((0, 1), (3, 4))
        assert given(OLD_MAN, {0: 0, 4: 0}).pieces == ((1, 2, 3),)
        assert given(OLD_MAN, dict.fromkeys(range(5), 0)).pieces == ()

    def test_what_cannot_be_fixed(self):
        found = given(EXAMPLES["bio"].problem, {0: 1})  # I may not begin
        assert (found.probability, found.pairs) == (0.0, ())


class TestLabelBias:
    def test_rib_and_rob(self):
        """The MEMM keeps the prior, 2 to 1 for rib; the CRF: e³ / (e³ + 2 e⁻³) for rob."""
        rob, rib = label_bias.compare(RIB_ROB)
        assert rob.memm == pytest.approx(1 / 3)
        assert rib.memm == pytest.approx(2 / 3)
        assert rob.crf == pytest.approx(math.exp(3) / (math.exp(3) + 2 * math.exp(-3)))
        assert f"{rib.memm:.3f} {rob.crf:.3f}" == "0.667 0.995"

    def test_a_single_successor_gets_everything_whatever_is_read(self):
        for score in (-3.0, 0.0, 30.0):
            changed = RIB_ROB.with_score("emissions", (1, 3), score)
            assert {path.tags: path.memm for path in label_bias.compare(changed)} == pytest.approx(
                {path.tags: path.memm for path in label_bias.compare(RIB_ROB)}
            )
        single = [c for c in label_bias.local_tables(RIB_ROB) if c.successors == 1]
        assert all(max(c.probabilities) == 1.0 for c in single)
        assert single

    @pytest.mark.parametrize("name", ["old-man", "can-fish", "three-one-three"])
    def test_both_models_sum_to_one(self, name):
        paths = label_bias.compare(EXAMPLES[name].problem)
        assert math.fsum(path.memm for path in paths) == pytest.approx(1)
        assert math.fsum(path.crf for path in paths) == pytest.approx(1)

    def test_end_scores_count_at_the_last_token_alone(self):
        changed = OLD_MAN.with_score("end", 2, 4.0)
        for before, after in zip(
            label_bias.local_tables(OLD_MAN), label_bias.local_tables(changed), strict=True
        ):
            assert (before.probabilities == after.probabilities) == (before.token < 4)

    def test_local_tables_by_hand(self):
        first, after_det = label_bias.local_tables(OLD_MAN)[:2]
        assert sum(first.probabilities) == pytest.approx(1)
        scores = [-3 - 3, 0.5 + 2, 1 + 0.5, -3 - 3]  # transitions from DET + emissions of "old"
        whole = math.fsum(map(math.exp, scores))
        assert after_det.probabilities == pytest.approx([math.exp(x) / whole for x in scores])

    def test_a_problem_of_local_probabilities_is_a_memm_already(self):
        """Where every row sums to 1 at each step, normalising it again changes nothing."""
        problem = EXAMPLES["zero-transitions"].problem
        for path in label_bias.compare(problem):
            assert path.memm == pytest.approx(path.crf)


class TestHeard:
    """With evidence e for the letter that is read and −e for the other, and a prior of 2 to 1."""

    @pytest.mark.parametrize("evidence", [0.0, 1.0, 3.0, 10.0])
    @pytest.mark.parametrize(("letter", "state", "prior"), [("o", "r·rob", 1), ("i", "r·rib", 2)])
    def test_by_hand(self, evidence, letter, state, prior):
        read = {x: label_bias.hear(RIB_ROB, 1, x, evidence) for x in "oi"}
        assert read[letter].tokens == ("r", letter, "b")
        generated = label_bias.as_hmm(read[letter], list(read.values()))
        right, wrong = prior * math.exp(evidence), (3 - prior) * math.exp(-evidence)
        for problem in (read[letter], generated):
            paths = label_bias.compare(problem)
            found = next(p for p in paths if RIB_ROB.tags[p.tags[0]] == state)
            assert found.crf == pytest.approx(right / (right + wrong))
        memm = {RIB_ROB.tags[p.tags[0]]: p.memm for p in label_bias.compare(read[letter])}
        assert memm[state] == pytest.approx(prior / 3)

    def test_an_hmm_s_tables_are_probabilities(self):
        read = [label_bias.hear(RIB_ROB, 1, letter, 3.0) for letter in "oi"]
        generated = [label_bias.as_hmm(problem, read) for problem in read]
        for s in range(5):
            for t in range(3):
                assert math.fsum(math.exp(g.emissions[t][s]) for g in generated) == pytest.approx(1)
        assert math.fsum(map(math.exp, generated[0].start)) == pytest.approx(1)
        *rows, last = generated[0].matrix(1)
        assert [math.fsum(map(math.exp, row)) for row in rows] == pytest.approx([1] * 4)
        assert set(last) == {-math.inf}

    def test_the_example_itself(self):
        assert label_bias.hear(RIB_ROB, 1, "o", 3.0) == RIB_ROB


class TestGraph:
    def test_crf(self):
        graph = factor_graph.graph(OLD_MAN, "crf", "token")
        kinds = [node.kind for node in graph.nodes]
        assert {kind: kinds.count(kind) for kind in kinds} == {
            "tag": 5, "input": 5, "emission": 5, "transition": 4, "start": 1, "end": 1,
        }  # fmt: skip
        assert set(graph.neighbours("y2")) == {"emission2", "transition1", "transition2"}
        assert set(graph.neighbours("emission2")) == {"y2", "x2"}
        assert not any(edge.directed for edge in graph.edges)

    def test_a_factor_touches_only_what_it_depends_on(self):
        """Between variables there are no edges, and each edge has one factor at its ends."""
        graph = factor_graph.graph(OLD_MAN, "crf", "sentence")
        variables = {node.key for node in graph.nodes if node.kind in ("tag", "input")}
        assert all((a in variables) != (b in variables) for a, b, _ in graph.edges)
        assert len(graph.neighbours("x")) == 5

    def test_values_are_the_problem_s(self):
        nodes = {n.key: n for n in factor_graph.graph(OLD_MAN).nodes}
        assert nodes["emission3"].values == (OLD_MAN.emissions[2],)
        assert nodes["transition3"].values == OLD_MAN.matrix(3)
        assert nodes["start"].values == (OLD_MAN.start,)

    def test_arrows_point_to_what_is_generated(self):
        hmm = factor_graph.graph(OLD_MAN, "hmm", "sentence")
        memm = factor_graph.graph(OLD_MAN, "memm", "token")
        assert hmm.sees == "token"
        assert ("y2", "x2", True) in hmm.edges
        assert ("x2", "y2", True) in memm.edges
        assert ("y2", "y3", True) in hmm.edges
        assert ("y2", "y3", True) in memm.edges

    @pytest.mark.parametrize("model", factor_graph.MODELS)
    @pytest.mark.parametrize("sees", factor_graph.SEES)
    def test_every_edge_ends_at_a_node_and_has_a_formula(self, model, sees):
        graph = factor_graph.graph(OLD_MAN, model, sees)
        keys = [node.key for node in graph.nodes]
        assert len(set(keys)) == len(keys)
        assert all({edge.source, edge.target} <= set(keys) for edge in graph.edges)
        assert graph.formula

    def test_partners_are_mutual_and_differ_in_the_objective_alone(self):
        by_name = {r.name: r for r in factor_graph.KIN}
        for relative in factor_graph.KIN:
            partner = by_name[relative.partner]
            assert partner.partner == relative.name
            assert partner.output == relative.output
            assert partner.models != relative.models
            if relative.grows_into:
                assert by_name[relative.grows_into].models == relative.models
