"""The lesson "Why structure": its texts against enumeration, the page on every example."""

import csv
import math
from itertools import pairwise, product
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from crf.course.examples import DEFAULT, EXAMPLES
from crf.course.greedy import against_the_best
from crf.course.numbers import format_count, format_log_probability, format_score
from crf.course.problem import Problem
from pages.figures import independence_prose, model_prose, structure_prose
from pages.figures.theme import percent, probability
from pages.ui import (
    fixed_tags,
    structure_bias,
    structure_counting,
    structure_graph,
    structure_questions,
)
from pages.ui.graph import check_click
from tests.pages import path_oracle

ROOT = Path(__file__).resolve().parents[2]
OLD_MAN = EXAMPLES[DEFAULT].problem
FEW = 5000  # paths that the oracle goes through
DET, ADJ, NOUN, VERB = range(4)


def open_page(**query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    for key, value in query.items():
        app.query_params[key] = value
    return app.switch_page("pages/structure.py").run()


def see(app):
    """Go on without guessing."""
    button = next((b for b in app.button if b.label == "Just show me"), None)
    return app if button is None else button.click().run()


def texts(app):
    return " ".join(block.proto.body for block in app.get("html"))


def enumerated(problem):
    """Every allowed path's probability, by tags; {} if none is allowed."""
    log_z = path_oracle.log_partition(problem)
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    scores = {path: path_oracle.path_score(problem, path) for path in every}
    return {y: math.exp(x - log_z) for y, x in scores.items() if x > -math.inf}


def is_small(problem):
    return len(problem.tags) ** len(problem.tokens) <= FEW


# ---------------------------------------------------------------------- the page


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example(name):
    app = see(open_page(ex=name))
    assert not app.exception
    assert app.title[0].value == "Why structure"
    problem, shown = EXAMPLES[name].problem, texts(app)
    S, m = len(problem.tags), len(problem.tokens)
    assert f"{format_count(S**m)} sequences" in shown
    if not is_small(problem):
        return
    p = enumerated(problem)
    if not p:
        assert any("No path is allowed" in info.value for info in app.info)
        return
    best = max(p.values())
    assert f"The best path has {probability(best)} of the probability" in shown
    greedy = tuple(max(range(S), key=row.__getitem__) for row in problem.emissions)
    score = path_oracle.path_score(problem, greedy)
    row = shown.split("Word by word<")[1].split("</tr>")[0]
    assert f">{format_score(score)}<" in row
    assert f">{format_log_probability(math.log(p[greedy])) if greedy in p else 0}<" in row


def test_the_switches_and_what_is_fixed_come_from_the_address_and_go_there():
    app = open_page(graph="memm", sees="sentence", fix="2.3", letter="i")
    assert app.query_params["graph"] == "memm"
    assert app.query_params["fix"] == "2.3"
    assert "You fixed ‘man’ = VERB" in texts(app)
    assert "chain of classifiers" in texts(app)
    app.button(key="structure.free").click().run()
    assert "fix" not in app.query_params


def test_what_later_words_may_change_in_a_memm():
    """One definition of label bias, in its own section; none that contradicts what a MEMM sees."""
    own, whole = (texts(open_page(graph="memm", sees=sees)) for sees in ("token", "sentence"))
    cannot, can = "later words cannot change", "a later word can change an earlier choice"
    assert (cannot in own, can in own) == (True, False)
    assert (cannot in whole, can in whole) == (False, True)
    assert "Only the graph is the MEMM’s" in own
    assert "Only the graph is" not in texts(open_page())


@pytest.mark.parametrize("asked", ["9.0", "0.9", "x", "1", "1.2~", "1.-1", "1.2~1.3", "²."])
def test_a_forged_address_is_answered_by_a_message(asked):
    app = open_page(fix=asked)
    assert not app.exception
    assert any("fixes" in warning.value for warning in app.warning)
    assert "You fixed" not in texts(app)


@pytest.mark.parametrize("kept", [7, (), ("x", {0: 0}), None])
def test_a_forged_session(kept):
    app = open_page()
    app.session_state[fixed_tags.FIXED] = kept
    app.run()
    assert not app.exception
    assert "You fixed" not in texts(app)


def test_a_fixed_tag_is_changed_and_freed_by_its_menu():
    app = open_page(fix="2.3~4.2")
    p = enumerated(OLD_MAN)

    def mass(fixed):
        return math.fsum(
            share for y, share in p.items() if all(y[t] == s for t, s in fixed.items())
        )

    assert f"probability {probability(mass({2: VERB, 4: NOUN}))}." in texts(app)
    app.selectbox(key="structure.fix.2").set_value(NOUN).run()
    assert f"probability {probability(mass({2: NOUN, 4: NOUN}))}." in texts(app)
    app.selectbox(key="structure.fix.4").set_value(-1).run()
    told = f"You fixed ‘man’ = NOUN, which has probability {probability(mass({2: NOUN}))}."
    assert told in texts(app)
    app.selectbox(key="structure.fix.2").set_value(DET).run()
    assert "You fixed ‘man’ = DET" in texts(app)


def test_what_is_fixed_goes_with_its_problem():
    app = open_page(fix="2.3")
    app.selectbox(key="bar.example").set_value("can-fish").run()
    assert "You fixed" not in texts(app)
    assert "fix" not in app.query_params


def test_tags_that_cannot_be():
    app = open_page(ex="bio", fix="0.1")  # I may not begin
    assert not app.exception
    assert "No allowed path has that" in texts(app)


def test_more_paths():
    app = open_page()
    assert texts(app).count(">50.</th>") == 1
    assert ">51.</th>" not in texts(app)
    first, second = sorted(enumerated(OLD_MAN).values(), reverse=True)[:2]
    row = texts(app).split(">2.</th>")[1].split("</tr>")[0]
    assert f">{percent(first + second, 2)}<" in row
    app.button(key="structure.more").click().run()
    assert ">100.</th>" in texts(app)
    assert ">101.</th>" not in texts(app)


def test_no_path_is_said_where_its_numbers_would_stand():
    app = open_page(ex="no-path")
    assert any(info.value == model_prose.NO_ANSWERS for info in app.info)
    assert model_prose.NO_SUM in texts(app)
    table = texts(app).split("All paths</caption>")[1].split("</table>")[0]
    assert table.count(">–</td>") == 2 * 2**3
    assert "crf-differs" not in table
    assert "≠" not in table


def test_the_formula_names_start_and_end_where_a_problem_has_them():
    formula = "σ(y₁) ε(y<sub>m</sub>)"
    assert formula not in texts(open_page())
    assert formula in texts(open_page(ex="three-one-three"))
    assert formula not in texts(open_page(ex="three-one-three", graph="hmm"))


def test_too_many_paths():
    app = open_page(ex="ice-cream")
    assert not app.exception
    assert "more than the 20,000" in texts(app)
    assert "All paths, best first" not in texts(app)


class TestGuess:
    def test_the_answer_waits_for_it(self):
        app = open_page()
        assert "Two greedy paths" not in texts(app)
        app.button(key="structure.guess·commit").click().run()
        assert "Choose one of them first" in app.info[0].value
        guess = next(radio for radio in app.radio if "Word by word" in radio.label)
        guess.set_value(2).run()
        app.button(key="structure.guess·commit").click().run()
        assert "Two greedy paths" in texts(app)
        assert "‘old’" in app.error[0].value
        assert "Both words" not in texts(app)  # label bias asks for itself

    def test_right(self):
        app = open_page()
        next(radio for radio in app.radio if "Word by word" in radio.label).set_value(1).run()
        app.button(key="structure.guess·commit").click().run()
        assert app.success[0].value.startswith("Right")

    def test_another_example_asks_anew(self):
        app = open_page()
        next(radio for radio in app.radio if "Word by word" in radio.label).set_value(1).run()
        app.button(key="structure.guess·commit").click().run()
        app.selectbox(key="bar.example").set_value("can-fish").run()
        assert "Two greedy paths" not in texts(app)

    def test_who_skips_is_not_asked_again(self):
        app = see(open_page())
        assert "Two greedy paths" in texts(app)
        assert "Both words, both models" in texts(app)
        app.selectbox(key="bar.example").set_value("can-fish").run()
        assert "Two greedy paths" in texts(app)


class TestHidden:
    def test_prose(self):
        told, untold = see(open_page()), see(open_page(hide="prose"))
        for text in ("The simplest tagger", "generative model tells", "Circles are", "multiplies"):
            assert text in texts(told)
            assert text not in texts(untold)
        assert "Two greedy paths" in texts(untold)

    def test_controls(self):
        app = open_page(hide="controls", fix="2.3")
        assert not app.get("button_group")
        assert not [box for box in app.selectbox if box.key == "bar.example"]
        assert not [b for b in app.button if "teachers" in b.label]

    def test_answers(self):
        app = open_page(hide="answers")
        labels = [expander.label for expander in app.expander]
        assert {"Show all paths", "Show this problem’s answers", "Show the numbers"} <= set(labels)

    def test_equation(self):
        assert "argmax" in texts(open_page())
        assert "argmax" not in texts(open_page(hide="equation"))


def test_the_questions_are_checked():
    app = open_page()
    seed = app.session_state["structure.seed"]
    S, m = structure_questions.counting(seed)
    for answer, verdict in ((S**m, "success"), (S * m, "error")):
        app.text_input(key=f"structure.count.{seed}.answer").set_value(str(answer))
        next(b for b in app.button if b.label == "Check").click().run()
        assert len(getattr(app, verdict)) == 1
    *_, right = structure_questions.cut(seed)
    app.radio(key=f"structure.cut.{seed}.answer").set_value(right)
    [b for b in app.button if b.label == "Check"][1].click().run()
    assert "nothing goes round it" in app.success[0].value


# ---------------------------------------------------------------------- the parts


class TestDecision:
    def test_word_by_word(self):
        """‘old’: 2 for ADJ against .5 for NOUN; with ADJ the whole comes to 16.5, else to 17.5."""
        [told] = structure_prose.decision(OLD_MAN, against_the_best(OLD_MAN, "greedy"))
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
        _, rows, ringed = structure_prose.decision_rows(problem, decoder, found.mistake)
        t = found.mistake.token
        best = {s: -math.inf for s in range(len(problem.tags))}
        for path in product(best, repeat=len(problem.tokens)):
            if path[:t] == found.path[:t]:
                best[path[t]] = max(best[path[t]], path_oracle.path_score(problem, path))
        assert [row[2] for row in rows] == [format_score(best[s]) for s in best]
        assert ringed == {(found.path[t], 1), (found.best[t], 2)}

    def test_no_mistake_and_a_forbidden_path(self):
        fine = EXAMPLES["zero-transitions"].problem
        [told] = structure_prose.decision(fine, against_the_best(fine, "greedy"))
        assert "finds the best path here" in told
        bio = EXAMPLES["bio"].problem
        told = structure_prose.decision(bio, against_the_best(bio, "greedy"))
        assert "forbidden" in told[-1]


def test_how_many_paths_hold_a_share():
    p = sorted(enumerated(OLD_MAN).values(), reverse=True)
    most = structure_prose.mass(p)
    assert math.fsum(p[:most]) >= 0.99 > math.fsum(p[: most - 1])
    assert structure_prose.mass([0.5, 0.5], 1.0) == 2
    assert f"the first {most} to have" in structure_prose.share_told(p)
    assert "it takes all to have" in structure_prose.share_told([0.5, 0.3, 0.2])
    assert "has 0.995 of" in structure_prose.share_told([0.995, 0.005])


def test_a_faster_machine():
    assert "about 3 tokens longer" in structure_prose.faster(10)  # 10³ = 1000
    assert "about 1 token longer" in structure_prose.faster(1000)
    assert structure_prose.faster(1) == ""


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


class TestIndependence:
    def test_told(self):
        p = enumerated(OLD_MAN)
        whole = math.fsum(share for y, share in p.items() if y[2] == VERB)

        def given(test):
            return math.fsum(s for y, s in p.items() if y[2] == VERB and test(y)) / whole

        app = open_page(fix="2.3")
        shown = texts(app)
        joint = given(lambda y: (y[1], y[3]) == (NOUN, DET))
        apart = given(lambda y: y[1] == NOUN) * given(lambda y: y[3] == DET)
        assert joint == pytest.approx(apart, abs=1e-14)
        assert f"it is {probability(joint)} and the product {probability(apart)}, the same" in shown
        before = math.fsum(s for y, s in p.items() if (y[1], y[3]) == (NOUN, DET))
        assert f"p(‘old’ = NOUN, token 4 ‘the’ = DET) was {before:.4f}" in shown or (
            f"p(‘old’ = NOUN, ‘the’ = DET) was {before:.4f}" in shown
        )

    @pytest.mark.parametrize("name", ["old-man", "can-fish", "three-one-three"])
    def test_rows(self, name):
        problem = EXAMPLES[name].problem
        middle = len(problem.tokens) // 2
        before = structure_graph.given(problem, {})
        now = structure_graph.given(problem, {middle: 0})
        _, rows, ringed = independence_prose.dependence_rows(problem, before, now)
        m = len(problem.tokens)
        assert ringed == {(a, b) for a in range(middle) for b in range(middle + 1, m)}
        for a, b in ringed:
            assert rows[a][b].endswith("→ 0")
            assert not rows[a][b].startswith("0 ")
        p = enumerated(problem)
        S = range(len(problem.tags))

        def mass(**at):
            return math.fsum(x for y, x in p.items() if all(y[int(t[1:])] == s
                             for t, s in at.items()))  # fmt: skip

        gap = max(abs(mass(t0=i, t1=j) - mass(t0=i) * mass(t1=j)) for i in S for j in S)
        pair = next(pair for pair in before.pairs if pair[:2] == (0, 1))
        assert pair.dependence == pytest.approx(gap, abs=1e-12)

    def test_a_long_chain_shows_the_pairs_around_what_is_fixed(self):
        problem = EXAMPLES["ice-cream"].problem
        before, now = (structure_graph.given(problem, held) for held in ({}, {20: 0}))
        header, rows, ringed = independence_prose.dependence_rows(problem, before, now)
        assert header[1:] == list(problem.tokens[17:26])
        assert [row[0] for row in rows] == list(problem.tokens[16:25])
        assert ringed == {(i, j) for i in range(4) for j in range(5, 10)}
        assert "‘1: 2 … 20: 1’" in independence_prose.split(problem, now)

    def test_address(self):
        assert fixed_tags.address({}) == ""

    @pytest.mark.parametrize(
        "choice", [None, 3, {}, {"token": "1"}, {"token": -1}, {"token": 5}, {"token": True},
                   {"token": 1.0}, {"token": None}, [1]],
    )  # fmt: skip
    def test_a_forged_click_is_none(self, choice):
        assert check_click(choice, 5) is None

    def test_a_click(self):
        assert check_click({"token": 4, "serial": 1}, 5) == 4


@pytest.mark.parametrize("evidence", [None, 0.0, 1.0, 6.0])
def test_label_bias_by_hand(evidence):
    e = 3.0 if evidence is None else evidence
    memm, crf, hmm = structure_bias.probabilities("o", "rob", evidence)
    right, wrong = math.exp(e), 2 * math.exp(-e)
    assert (memm, crf) == (pytest.approx(1 / 3), pytest.approx(right / (right + wrong)))
    assert hmm == pytest.approx(crf)


def test_the_letter_is_a_switch():
    app = see(open_page(letter="i"))
    assert "With i read, the MEMM gives rib 0.667; had it read o, 0.667: the same" in texts(app)
    _, crf, _ = structure_bias.probabilities("i", "rib")
    assert f"The CRF gives rib {probability(crf)}" in texts(app)


def test_exported_paths_are_all_of_them():
    from pages.ui.recursion import Recursion
    from pages.ui.view import View

    shown = Recursion("structure", View(), OLD_MAN, {}, {})
    header, *rows = csv.reader(structure_counting.export_table(shown).csv().splitlines())
    assert header == [*OLD_MAN.tokens, "score", "probability", "cumulative"]
    p = enumerated(OLD_MAN)
    assert len(rows) == len(p)
    for row in rows[:20]:
        path = tuple(OLD_MAN.tags.index(tag) for tag in row[:5])
        assert float(row[6]) == pytest.approx(p[path])
    assert float(rows[-1][-1]) == pytest.approx(1)


class TestQuestions:
    def test_numbers(self):
        for seed in range(200):
            m, fixed, pairs, right = structure_questions.cut(seed)
            apart = [min(a, b) < fixed < max(a, b) for a, b in pairs]
            assert apart == [k == right for k in range(len(pairs))]
            assert all(1 <= t <= m and t != fixed for pair in pairs for t in pair)

    def test_diagnosis(self):
        assert "swapped" in structure_questions.diagnose(3, 4, 64)
        assert "steps a recursion takes" in structure_questions.diagnose(3, 4, 36)
        assert "One token is missing" in structure_questions.diagnose(3, 4, 27)


def test_one_path_only():
    blank = Problem.blank(["A"], ["x", "y"])
    assert "1 · 1 = 1 sequences" in structure_prose.product_of_tags(blank)
    assert model_prose.without_transitions(blank, (0, 0), 1.0)
