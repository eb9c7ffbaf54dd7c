"""Graphs and label bias: independence and label bias against enumeration, the graphs, the page."""

import math
from collections import defaultdict
from itertools import product

import pytest
import torch

from pages.graphs import factor_graph, independence, label_bias, picture
from pages.graphs.independence import given, joint_probability, paragraphs
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures.theme import probability
from tests.apps import html_of, opened, press

OLD_MAN = EXAMPLES["old-man"].problem
RIB_ROB = EXAMPLES["rib-rob"].problem
DET, ADJ, NOUN, VERB = range(4)


class TestIndependence:
    @pytest.mark.parametrize("fixed", [{}, {2: 2}, {2: 0}, {0: 0, 3: 1}, {1: 2, 3: 0}])
    def test_against_enumeration(self, fixed):
        found = given(OLD_MAN, fixed)
        paths = [p for p in enumerate_paths(OLD_MAN) if all(p.tags[t] == s for t, s in
                 fixed.items())]  # fmt: skip
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
            assert pair.joint == pytest.approx(joint[pair.at], abs=1e-12)
            assert abs(pair.joint - pair.product) == pytest.approx(pair.dependence, abs=1e-15)

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

    def test_told(self):
        (split, facts), (cut, event), *_ = paragraphs(
            OLD_MAN, given(OLD_MAN, {}), given(OLD_MAN, {2: 3})
        )
        assert (split, cut) == ("split", "cut")
        p = {path.tags: path.probability for path in enumerate_paths(OLD_MAN)}
        whole = math.fsum(share for y, share in p.items() if y[2] == VERB)
        assert facts["p"] == probability(whole)
        assert facts["parts"] == "‘The old’ and ‘the boat’"
        joint = math.fsum(s for y, s in p.items() if (y[1], y[2], y[3]) == (NOUN, VERB, DET))
        assert event["now_joint"] == event["now_product"] == probability(joint / whole)
        assert event["joint"] != event["product"]

    def test_told_of_what_is_left_in_one_piece_or_none_or_independent(self):
        for fixed, paragraph in (
            (dict.fromkeys(range(5), 0), "all-fixed"),
            ({0: 0, 1: 1, 2: 2}, "no-more"),
            ({0: 0, 4: 2}, "one-part"),
        ):
            (found, _), *more = paragraphs(OLD_MAN, given(OLD_MAN, {}), given(OLD_MAN, fixed))
            assert (found, more) == (paragraph, [])
        independent = EXAMPLES["zero-transitions"].problem
        found = paragraphs(independent, given(independent, {}), given(independent, {1: 1}))
        assert [paragraph for paragraph, _ in found] == ["split"]
        large = Problem.blank(["A", "B"], ["x", "y", "z"]).with_score("emissions", (0, 0), 900.0)
        (paragraph, facts), *_ = paragraphs(large, given(large, {}), given(large, {0: 1}))
        assert paragraph == "no-more"
        assert facts["p"].endswith("× 10⁻³⁹¹")  # which no float holds: not called impossible


def memm_by_hand(problem):
    """p(y | x) of every path, step by step: exp(T + e) over the sum of what may follow."""
    S, m = len(problem.tags), len(problem.tokens)
    found = {}
    for path in product(range(S), repeat=m):
        p = 1.0
        for t, s in enumerate(path):
            leads = problem.matrix(t)[path[t - 1]] if t else problem.start
            ends = problem.end if t == m - 1 else (0.0,) * S
            weights = [math.exp(a + b + c) for a, b, c in zip(leads, problem.emissions[t], ends,
                       strict=True)]  # fmt: skip
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
        for evidence in (None, 0.0, 6.0):
            e = 3.0 if evidence is None else evidence
            memm, crf, hmm = label_bias.probabilities("o", "rob", evidence)
            right, wrong = math.exp(e), 2 * math.exp(-e)
            assert (memm, crf) == (pytest.approx(1 / 3), pytest.approx(right / (right + wrong)))
            assert hmm == pytest.approx(crf)

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

    def test_scores_as_large_as_may_be_are_normalised_too(self):
        tables = [[0.0] * 2] * 2, [0.0] * 2, [0.0] * 2
        problem = Problem.of(["A", "B"], ["x"], [[6e5, -6e5]], *tables)
        assert label_bias.memm(problem).start == (0.0, -1.2e6)

    def test_what_leads_nowhere_is_lost_to_a_memm(self):
        tables = (((0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (-math.inf, -math.inf)))  # B is a dead end
        problem = Problem.blank(["A", "B"], ["x", "y", "z"])._with(transitions=tables)
        said = label_bias.on_screen(problem, ChainSummary(problem))
        assert math.fsum(memm_by_hand(problem).values()) == pytest.approx(0.5)
        assert said["memm_p"] == probability(max(memm_by_hand(problem).values()))


def neighbours(graph, key):
    return {b if a == key else a for a, b, _ in graph.edges if key in (a, b)}


def test_which_factor_touches_what_and_where_arrows_point():
    """In a CRF each edge has one factor at its ends; arrows point to what is generated."""
    graph = factor_graph.graph(OLD_MAN, "crf", "token")
    kinds = [node.kind for node in graph.nodes]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "tag": 5, "input": 5, "emission": 5, "transition": 4, "start": 1, "end": 1,
    }  # fmt: skip
    assert neighbours(graph, "y2") == {"emission2", "transition1", "transition2"}
    assert neighbours(graph, "emission2") == {"y2", "x2"}
    graph = factor_graph.graph(OLD_MAN, "crf", "sentence")
    nodes = {node.key: node for node in graph.nodes}
    variables = {key for key, node in nodes.items() if node.kind in ("tag", "input")}
    assert all((a in variables) != (b in variables) for a, b, _ in graph.edges)
    assert not any(edge.directed for edge in graph.edges)
    assert len(neighbours(graph, "x")) == 5
    assert nodes["emission3"].values == (OLD_MAN.emissions[2],)
    assert nodes["transition3"].values == OLD_MAN.matrix(3)
    hmm = factor_graph.graph(OLD_MAN, "hmm", "sentence")
    assert hmm.sees == "token"
    assert {("y2", "x2", True), ("y2", "y3", True)} <= set(hmm.edges)
    memm = factor_graph.graph(OLD_MAN, "memm", "token")
    assert {("x2", "y2", True), ("y2", "y3", True)} <= set(memm.edges)


class TestPicture:
    def test_a_bow_for_each_dependence_and_none_for_other_models(self):
        graph, free = factor_graph.graph(OLD_MAN), given(OLD_MAN, {})
        now = given(OLD_MAN, {2: VERB})
        drawn = picture.drawing(graph, OLD_MAN, {2: VERB}, now, free=free)
        cut = sum(pair.separated for pair in now.pairs)
        assert sum(bow["cut"] for bow in drawn["bows"]) == cut == 4
        assert "with the held tags" in str(drawn["tables"])
        assert drawn["parts"]
        unseen = picture.drawing(graph, OLD_MAN, {2: VERB}, free, free=free)
        assert "with the held tags" not in str(unseen["tables"])
        assert unseen["parts"] == []
        hmm = picture.drawing(factor_graph.graph(OLD_MAN, "hmm"), OLD_MAN, {}, None)
        assert (hmm["bows"], hmm["tables"]) == ([], [])  # none of the CRF's numbers

    def test_forged_clicks(self):
        for sent in (None, 3, {}, {"token": 5}, {"token": -1}, {"token": True}):
            assert picture.check_click(sent, 5) is None
        assert picture.check_click({"token": 4}, 5) == 4


def test_independence_comes_after_its_question():
    app = opened("graphs")
    app.session_state["graphs.fixed"] = (OLD_MAN.tags, OLD_MAN.tokens, {2: 3})
    app.run()
    assert "The chain falls into" not in html_of(app)
    press(app, "Just show me")
    assert "You hold ‘man’ = VERB" in html_of(app)
    app.selectbox(key="graphs.fix.2").set_value(NOUN).run()
    assert "You hold ‘man’ = NOUN" in html_of(app)
    app.session_state["bar.open"] = True
    app.run().selectbox(key="bar.example").set_value("can-fish").run()
    assert "You hold" not in html_of(app)


def test_a_link_that_fixes_tags_shows_what_it_fixes():
    app = opened("graphs", fix="2.3", sees="sentence", letter="i")
    assert "You hold ‘man’ = VERB" in html_of(app)
    assert app.query_params["fix"] == "2.3"
    assert app.query_params["sees"] == "sentence"
    app.button(key="graphs.free").click().run()
    assert "fix" not in app.query_params


def test_label_bias_waits_for_the_guess_and_follows_the_letter():
    app = opened("graphs", letter="i")
    assert "must go out again" not in html_of(app)
    press(app, "Just show me")
    _, crf, _ = label_bias.probabilities("i", "rib")
    assert f"so rib gets {probability(crf)}" in html_of(app)


def test_tables_for_a_file():
    header, *rows = label_bias.rows()
    memm, crf = (header.index(name) for name in ("MEMM", "CRF"))
    found = {(row[0], row[1]): row for row in rows}
    assert found["rob", "rib"][memm] == pytest.approx(2 / 3)
    assert found["rob", "rob"][crf] == pytest.approx(0.995, abs=5e-4)
    pairs = given(OLD_MAN, {}).pairs
    assert len(independence.rows(OLD_MAN, pairs)) == 1 + 5 * 4 // 2


@pytest.mark.parametrize("stop", ["family", "twins"])
def test_a_stop_of_a_lecture_shows_the_map(stop):
    app = opened("graphs", screen=stop)
    assert any(f"picture-graphs-{stop}" in str(block.proto) for block in app.main)
