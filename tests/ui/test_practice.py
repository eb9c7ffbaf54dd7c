"""Practice: the same exercise by link, answers checked, problems opened."""

import math
import re

import pytest

from pages.shared.course.exercises import KINDS, LARGEST_SEED, SIZES, Exercise
from pages.shared.course.problem import ProblemError
from pages.shared.ui import practice
from pages.shared.ui.answers import check, how_to_write
from tests.apps import html_of, learning_page, press
from tests.browser.learning_page import KINDS as PAGE_KINDS
from tests.oracles.recursions import row

EACH = [Exercise(seed, kind, size) for kind in KINDS for size in SIZES for seed in (1, 999)]


def test_a_link_has_the_exercise_and_what_it_leaves_out_is_as_in_the_first():
    for exercise in EACH:
        assert practice.from_query(practice.to_query(exercise), list(KINDS)) == exercise
    assert practice.from_query({"n": "5"}, ["log-z", "viterbi"]) == Exercise(5, "log-z")
    assert practice.from_query({}, ["viterbi"], "medium") == Exercise(1, "viterbi", "medium")

    for name, text in (
        *(("ask", text) for text in ("viterbi", "", "<b>" * 10_000)),
        *(("n", text) for text in ("-1", "1.5", "٣", str(LARGEST_SEED + 1), "9" * 100_000)),
        ("of", "huge"),
    ):
        with pytest.raises(ProblemError) as refused:
            practice.from_query({name: text}, ["forward", "log-z"])
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize("exercise", EACH)
def test_what_is_right_is_right_and_what_is_wrong_is_not_given_away(exercise):
    answer = exercise.answer()
    if exercise.kind == "viterbi":
        typed = answer.values
        other = next(tag for tag in exercise.problem.tags if tag != typed[0])
        wrong = [other, *typed[1:]]
    else:
        digits = ".3g" if exercise.kind == "marginal" else ".3f"
        assert ("three significant digits" in how_to_write(exercise)) == (digits == ".3g")
        typed = [format(number, digits) for number in answer.numbers]
        wrong = [str(x * 1.1 + 0.37) for x in answer.numbers]
        for text in ("", "  ", "x", "1,5", "__import__('os')", "nan", "inf"):
            verdict = check(exercise, [text] * len(typed))
            assert not verdict.right
            assert verdict.message
    assert check(exercise, typed).right
    verdict = check(exercise, wrong)
    assert not verdict.right
    assert not set(answer.values) & set(verdict.message.rstrip(".").split())


def test_mistakes_are_named():
    exercise = Exercise(3, "log-z", "medium")
    chain = row(exercise.problem)
    log_z, best = chain.log_partition, chain.ranked[0]
    assert check(exercise, [f"log {math.exp(log_z)}"]).right
    assert "That is Z" in check(exercise, [str(math.exp(log_z))]).message
    assert "best path" in check(exercise, [str(best)]).message
    exercise = Exercise(3, "marginal", "medium")
    (p,) = exercise.answer().numbers
    assert [check(exercise, [str(p * by)]).right for by in (1.009, 1.011)] == [True, False]
    assert "another tag" in check(exercise, [str(1 - p)]).message
    assert "between 0 and 1" in check(exercise, [str(math.log(p))]).message
    for seed in range(10):
        exercise = Exercise(seed, "viterbi", "large")
        chain = row(exercise.problem)
        verdict = check(exercise, [exercise.problem.tags[s] for s in chain.greedy()])
        assert verdict.right == (chain.greedy() == chain.best)
        assert verdict.right or "best emission" in verdict.message
    exercise = Exercise(2, "forward", "small")
    problem = exercise.problem
    transposed = problem.with_changes(transitions=tuple(zip(*problem.transitions, strict=True)))
    typed = [f"{alpha:.3f}" for alpha in row(transposed).log_alphas[1]]
    verdict = check(exercise, typed)
    assert "transposed" in verdict.message
    assert [cell.right for cell in verdict.cells] == [False, False, False]


def fields(app):
    every = (*app.text_input, *app.selectbox)
    return [w for w in every if w.key and w.key[-2:-1] == "·" and w.key.startswith("practice")]


def answered(app, *typed):
    for field, text in zip(fields(app), typed, strict=True):
        field.set_value(text)
    return press(app, "Check", -1)


def helps(app):
    """Whether the page says when the calculation can be shown, and whether it is."""
    promised = "Once you have tried, you can see the calculation here." in html_of(app)
    return promised, "Show the calculation" in [e.label for e in app.expander]


@pytest.mark.parametrize("kind", ["backward", "viterbi", "path-score"])
def test_a_link_opens_it(kind):
    app, exercise = learning_page(ask=kind, n="42", of="large"), Exercise(42, kind, "large")
    assert [f.label for f in fields(app)] == list(exercise.question().wanted)


def test_a_forged_link_gets_a_message_and_new_numbers_are_new():
    app = learning_page(ask="nothing")
    assert "exercise that does not exist" in app.warning[0].value
    assert app.selectbox[0].value == PAGE_KINDS[0]
    assert not app.run().warning
    seeds = {press(app, "New numbers").number_input[0].value for _ in range(4)}
    assert len(seeds) > 1


def test_each_field_of_a_column_has_its_mark_and_a_path_has_none():
    right = [f"{x:.3f}" for x in Exercise(2, "backward", "large").answer().numbers]
    app = answered(learning_page(ask="backward", n="2", of="large"), right[0], "17", "many")
    marks = re.findall(r'class="crf-mark crf-(right|wrong)">(.*?)</p>', html_of(app))
    assert [kind for kind, _ in marks] == ["right", "wrong", "wrong"]
    assert "Off by" in marks[1][1]
    assert "expected a number" in marks[2][1]
    app = answered(learning_page(ask="viterbi", n="2"), "A", "A")
    assert "crf-mark crf-" not in html_of(app)  # with two tags a mark would tell the other one


def test_the_calculation_comes_after_a_try():
    app, exercise = learning_page(ask="path-score", n="5"), Exercise(5, "path-score")
    assert helps(app) == (True, False)
    for typed, said, help_ in (("", "still empty", (True, False)), ("17", "", (False, True))):
        assert said in answered(app, typed).error[0].value
        assert helps(app) == help_
    calculation = next(e for e in app.expander if e.label == "Show the calculation")
    assert calculation.code[0].value == "\n".join(exercise.answer().lines)
    answered(app, exercise.answer().values[0])
    assert (len(app.error), len(app.success)) == (0, 1)


def test_the_problem_in_the_lesson():
    app = learning_page(ask="log-z", n="5", of="medium")
    assert "This problem is on screen now" not in html_of(app)
    press(app, "Open this problem in the lesson")
    problem = Exercise(5, "log-z", "medium").problem
    assert app.session_state["on screen"] == problem
    assert "This problem is on screen now" in html_of(app)
    assert "This problem is on screen now" not in html_of(press(app, "New numbers"))
