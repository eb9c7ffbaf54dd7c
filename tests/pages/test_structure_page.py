"""The lesson "Why structure": the page on every example, its links, guesses and questions."""

import csv
import math

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_count, format_log_probability, format_score
from pages.shared.figures.theme import percent, probability
from pages.shared.ui.sentence_scores import TAGGERS
from pages.structure import bias, model_prose, questions
from pages.structure import counting as structure_counting
from pages.tag.examples import EXAMPLES as SENTENCES
from tests.apps import switch
from tests.pages import path_oracle
from tests.pages.structure_helpers import OLD_MAN, enumerated, is_small, open_page, see, texts

DET, ADJ, NOUN, VERB = range(4)


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


@pytest.mark.parametrize("tagger", TAGGERS)
@pytest.mark.parametrize("sentence", [*(one.sentence for one in SENTENCES), "They fish."])
def test_every_sentence_of_the_front_page(sentence, tagger):
    app = see(open_page(sentence=sentence, tagger=tagger))
    assert not app.exception
    assert not app.error
    assert "Word by word<" in texts(app)
    assert app.header[-1].value == "Check yourself"


@pytest.mark.parametrize("keep", ["4", "17"])
def test_a_sentence_with_few_or_all_tags(keep):
    app = see(open_page(sentence="They can fish.", tagger="bilstm", keep=keep))
    assert not app.exception
    assert "Word by word<" in texts(app)


def test_the_switches_and_what_is_fixed_come_from_the_address_and_go_there():
    app = open_page(graph="memm", sees="sentence", fix="2.3", letter="i")
    assert app.query_params["graph"] == "memm"
    assert app.query_params["fix"] == "2.3"
    assert "You fixed ‘man’ = VERB" in texts(app)
    assert "chain of classifiers" in texts(app)
    app.button(key="structure.free").click().run()
    assert "fix" not in app.query_params


def test_more_paths():
    app = open_page()
    assert texts(app).count(">50.</th>") == 1
    assert ">51.</th>" not in texts(app)
    first, second = sorted(enumerated(OLD_MAN).values(), reverse=True)[:2]
    row = texts(app).split(">2.</th>")[1].split("</tr>")[0]
    assert f">{percent(first + second)}<" in row
    app.button(key="structure.more").click().run()
    assert ">100.</th>" in texts(app)
    assert ">101.</th>" not in texts(app)


def test_no_path_is_said_where_its_numbers_would_stand():
    app = open_page(ex="no-path")
    assert any(info.value == model_prose.NO_ANSWERS for info in app.info)
    assert model_prose.NO_SUM in texts(app)
    assert "All paths, best first" not in texts(app)
    assert "All 8 sequences have a score of −∞ on the way" in texts(app)


@pytest.mark.parametrize("name", ["rib-rob", "bio"])
def test_forbidden_paths_are_counted_and_not_listed(name):
    problem, app = EXAMPLES[name].problem, open_page(ex=name)
    p = sorted(enumerated(problem).values(), reverse=True)
    table = texts(app).split("All paths, best first</caption>")[1].split("</table>")[0]
    assert table.count('<th scope="row">') == len(p)
    assert "−∞" not in table
    shares = [probability(share) for share in p]
    assert [row.split("</td>")[1].split(">")[-1] for row in table.split("<tr>")[2:]] == shares
    others = len(problem.tags) ** len(problem.tokens) - len(p)
    assert f"The other {others} sequences are forbidden" in texts(app)
    assert "sequences are forbidden" not in texts(open_page())
    assert not [b for b in app.button if b.key == "structure.more"]


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
    S, m = questions.counting(seed)
    for answer, verdict in ((S**m, "success"), (S * m, "error")):
        app.text_input(key=f"structure.count.{seed}.answer").set_value(str(answer))
        next(b for b in app.button if b.label == "Check").click().run()
        assert len(getattr(app, verdict)) == 1
    *_, right = questions.cut(seed)
    app.radio(key=f"structure.cut.{seed}.answer").set_value(right)
    [b for b in app.button if b.label == "Check"][1].click().run()
    assert "nothing goes round it" in app.success[0].value


def test_a_verdict_stays_until_its_answer_is_changed():
    app = open_page()
    seed = app.session_state["structure.seed"]

    def check(which):
        [b for b in app.button if b.label == "Check"][which].click().run()

    app.text_input(key=f"structure.count.{seed}.answer").set_value("seven")
    check(0)
    assert len(app.warning) == 1
    app.text_input(key=f"structure.count.{seed}.answer").set_value("0")
    check(0)
    app.radio(key=f"structure.cut.{seed}.answer").set_value(questions.cut(seed)[-1])
    check(1)
    assert (len(app.error), len(app.success)) == (1, 1)
    app.text_input(key=f"structure.count.{seed}.answer").set_value(" ")
    check(0)
    assert (len(app.error), len(app.success)) == (0, 1)
    switch(app, "scores")
    switch(app, "structure")
    assert not app.success  # the fields are empty again


def test_the_evidence_is_the_difference_of_both_scores():
    app = see(open_page())
    table = texts(app).split("as the evidence grows")[-1].split("</table>")[0]
    row = table.split('<th scope="row">2</th>')[1].split("</tr>")[0]
    p = 1 / (1 + 2 * math.exp(-2))  # rib is twice as likely at first
    assert row.startswith(f"<td>1</td><td>−1</td><td>0.333</td><td>{probability(p)}</td>")
    assert '<th scope="row">0</th><td>0</td><td>0</td>' in table


@pytest.mark.parametrize("evidence", [None, 0.0, 1.0, 6.0])
def test_label_bias_by_hand(evidence):
    e = 3.0 if evidence is None else evidence
    memm, crf, hmm = bias.probabilities("o", "rob", evidence)
    right, wrong = math.exp(e), 2 * math.exp(-e)
    assert (memm, crf) == (pytest.approx(1 / 3), pytest.approx(right / (right + wrong)))
    assert hmm == pytest.approx(crf)


def test_the_letter_is_a_switch():
    app = see(open_page(letter="i"))
    assert "With i read, the MEMM gives rib 0.667; had it read o, 0.667: the same" in texts(app)
    _, crf, _ = bias.probabilities("i", "rib")
    assert f"The CRF gives rib {probability(crf)}" in texts(app)


def test_exported_paths_are_all_of_them():
    from pages.shared.ui.recursion import Recursion
    from pages.shared.ui.view import View

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
            m, fixed, pairs, right = questions.cut(seed)
            apart = [min(a, b) < fixed < max(a, b) for a, b in pairs]
            assert apart == [k == right for k in range(len(pairs))]
            assert all(1 <= t <= m and t != fixed for pair in pairs for t in pair)

    def test_diagnosis(self):
        assert "swapped" in questions.diagnose(3, 4, 64)
        assert "steps a recursion takes" in questions.diagnose(3, 4, 36)
        assert "One token is missing" in questions.diagnose(3, 4, 27)
