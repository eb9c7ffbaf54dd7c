"""Practice: the same exercise by link, answers checked, problems opened, sheets printed."""

import itertools
import math
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.course.exercise_sheet import MOST
from pages.shared.course.exercises import KINDS, LARGEST_SEED, SIZES, Exercise
from pages.shared.course.problem import ProblemError
from pages.shared.ui import answers, practice
from pages.shared.ui.answers import check
from tests.browser.learning_page import KINDS as PAGE_KINDS
from tests.oracles.paths import log_partition, path_score

ON_SCREEN = "This problem is on screen now, at the top of this page."
PAGE = Path(__file__).resolve().parents[1] / "browser" / "learning_page.py"
EACH = [Exercise(seed, kind, size) for kind in KINDS for size in SIZES for seed in (1, 7, 999)]


def html(app):
    return [b.proto.body for b in app.get("html")]


def before(problem, path, t):
    """What of a path's score lies before the tag of token t is left, its emission with it."""
    score = problem.start[path[0]] + sum(problem.emissions[k][path[k]] for k in range(t + 1))
    return score + sum(problem.transitions[path[k]][path[k + 1]] for k in range(t))


def paths(problem):
    return list(itertools.product(range(len(problem.tags)), repeat=len(problem.tokens)))


class TestLink:
    @pytest.mark.parametrize("exercise", EACH)
    def test_round_trip(self, exercise):
        assert practice.from_query(practice.to_query(exercise), list(KINDS)) == exercise

    def test_what_is_left_out_is_as_in_the_first(self):
        assert practice.from_query({}, ["viterbi", "log-z"]) == Exercise(1, "viterbi")
        assert practice.from_query({"n": "5"}, ["log-z"]) == Exercise(5, "log-z")
        assert practice.from_query({}, ["viterbi"], "medium") == Exercise(1, "viterbi", "medium")

    @pytest.mark.parametrize(
        "query",
        [
            {"ask": "viterbi"},
            {"ask": ""},
            {"ask": "<b>" * 10_000},
            {"n": "-1"},
            {"n": "1.5"},
            {"n": ""},
            {"n": "٣"},
            {"n": str(LARGEST_SEED + 1)},
            {"n": "9" * 100_000},
            {"of": "huge"},
        ],
    )
    def test_a_forged_one_is_refused(self, query):
        with pytest.raises(ProblemError) as refused:
            practice.from_query(query, ["forward", "log-z"])
        assert len(str(refused.value)) < 200


class TestCheck:
    @pytest.mark.parametrize("exercise", EACH)
    def test_the_key_is_right(self, exercise):
        verdict = check(exercise, exercise.answer().values)
        if exercise.kind == "path-score" or verdict.right:
            assert verdict.right
        else:  # two decimals may be just too few
            assert check(exercise, [str(x) for x in exercise.answer().numbers]).right

    @pytest.mark.parametrize("exercise", EACH)
    def test_something_else_is_not_and_the_answer_is_not_given_away(self, exercise):
        if exercise.kind == "viterbi":
            best = exercise.answer().values
            other = next(tag for tag in exercise.problem.tags if tag != best[0])
            typed = [other, *best[1:]]
        else:
            typed = [str(x * 1.1 + 0.37) for x in exercise.answer().numbers]
        verdict = check(exercise, typed)
        assert not verdict.right
        assert not set(exercise.answer().values) & set(verdict.message.rstrip(".").split())

    @pytest.mark.parametrize("exercise", [e for e in EACH[::3] if e.kind != "viterbi"])
    @pytest.mark.parametrize("text", ["", "  ", "x", "1,5", "__import__('os')", "nan", "inf"])
    def test_what_is_no_number(self, exercise, text):
        verdict = check(exercise, [text] * len(exercise.question().wanted))
        assert not verdict.right
        assert verdict.message

    def test_log_z(self):
        exercise = Exercise(3, "log-z", "medium")
        log_z = log_partition(exercise.problem)
        best = max(path_score(exercise.problem, path) for path in paths(exercise.problem))
        assert check(exercise, [f"log {math.exp(log_z)}"]).right
        assert "That is Z" in check(exercise, [str(math.exp(log_z))]).message
        assert "best path" in check(exercise, [str(best)]).message

    def test_marginal(self):
        exercise = Exercise(3, "marginal", "medium")
        (p,) = exercise.answer().numbers
        assert check(exercise, [str(p * 1.009)]).right
        assert not check(exercise, [str(p * 1.011)]).right
        assert "another tag" in check(exercise, [str(1 - p)]).message
        assert "0 to 1" in check(exercise, [str(math.log(p))]).message

    def test_viterbi_names_the_greedy_path(self):
        for seed in range(50):
            exercise = Exercise(seed, "viterbi", "large")
            problem = exercise.problem
            greedy = [problem.tags[row.index(max(row))] for row in problem.emissions]
            verdict = check(exercise, greedy)
            best = max(paths(problem), key=lambda path: path_score(problem, path))
            assert verdict.right == (greedy == [problem.tags[s] for s in best])
            if not verdict.right:
                assert "best emission" in verdict.message

    def test_columns_are_diagnosed(self):
        exercise = Exercise(2, "forward", "small")
        problem = exercise.problem
        typed = []
        for s in range(2):
            terms = [
                problem.start[i] + problem.emissions[0][i] + problem.transitions[s][i]
                for i in range(2)
            ]
            total = math.log(sum(map(math.exp, terms))) + problem.emissions[1][s]
            typed.append(f"{total:.3f}")
        verdict = check(exercise, typed)
        assert "transposed" in verdict.message
        assert [cell.right for cell in verdict.cells] == [False, False, False]

    @pytest.mark.parametrize("size", SIZES)
    def test_an_emission_put_into_a_backward_column(self, size):
        exercise = Exercise(2, "backward", size)
        problem = exercise.problem
        typed = []
        for s in range(len(problem.tags)):
            beta = math.log(
                sum(
                    math.exp(path_score(problem, path) - before(problem, path, exercise.column))
                    for path in paths(problem)
                    if path[exercise.column] == s
                    and not any(path[: exercise.column])  # one beginning is enough
                )
            )
            typed.append(f"{beta + problem.emissions[exercise.column][s]:.3f}")
        assert "Its own emission" in check(exercise, typed).message

    def test_each_field_of_a_column_has_its_mark(self):
        app = open_page(ask="backward", n="2", of="large")
        right = [f"{x:.3f}" for x in Exercise(2, "backward", "large").answer().numbers]
        for field, text in zip(fields(app), [right[0], "17", "many"], strict=True):
            field.input(text)
        press(app, "Check")
        marks = re.findall(r'class="crf-mark crf-(right|wrong)">(.*?)</p>', " ".join(html(app)))
        assert [kind for kind, _ in marks] == ["right", "wrong", "wrong"]
        assert "Off by" in marks[1][1]
        assert "expected a number" in marks[2][1]

    def test_a_path_has_no_marks(self):  # with two tags a mark would tell the other one
        app = open_page(ask="viterbi", n="2")
        for field in fields(app):
            assert field.placeholder == "Choose"
            field.set_value("A")
        press(app, "Check")
        assert "crf-mark crf-" not in " ".join(html(app))

    def test_how_close_is_said(self):
        assert "1 %" in answers.how_to_write(Exercise(1, "marginal"))
        assert "0.01 nats" in answers.how_to_write(Exercise(1, "log-z"))

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"viterbi"}))
    def test_who_keeps_the_digits_that_it_asks_for_is_right(self, kind, size):
        exercises = [Exercise(seed, kind, size) for seed in range(40)]
        wanted = "three significant digits" if kind == "marginal" else "three decimals"
        for exercise in exercises:
            assert f"keep {wanted}." in answers.how_to_write(exercise)
            written = ".3g" if kind == "marginal" else ".3f"
            typed = [format(number, written) for number in exercise.answer().numbers]
            assert check(exercise, typed).right


class TestSheet:
    @pytest.mark.parametrize("count", [1, 6, MOST])
    def test_kinds_in_turn(self, count):
        text = practice.sheet_of(["forward", "viterbi"], "medium", count, 10)
        for k in range(count):
            kind, number = KINDS[["forward", "viterbi"][k % 2]], f"medium, number {10 + k}"
            assert text.count(f"<h2>{k + 1}. {kind}</h2>") == 1  # the question
            assert text.count(f"<h2>{k + 1}. {kind}, {number}</h2>") == 1  # the key
            assert f"{k + 1}. {kind}, {number}" in text.split('class="foot">')[1].split("</p>")[0]


def open_page(**query):
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def shown(app):
    return next(
        b.proto.body
        for b in app.get("html")
        if "crf-given" in b.proto.body and "token" in b.proto.body
    )


def fields(app):
    return [
        w
        for w in (*app.text_input, *app.selectbox)
        if w.key and w.key[-2:-1] == "·" and w.key.startswith("practice")
    ]


def promised(app):
    """Whether the page says when the calculation can be shown."""
    text = " ".join(block.proto.body for block in app.get("html"))
    return "After a try the calculation can be shown here." in text


def press(app, label, nth=-1):
    return [b for b in app.button if b.label == label][nth].click().run()


class TestPage:
    def test_the_first_exercise_leaves_the_address_alone(self):
        app = open_page()
        assert not app.exception
        assert app.number_input(key="practice·seed").value == 1
        assert "ask" not in app.query_params

    @pytest.mark.parametrize("kind", PAGE_KINDS)
    def test_a_link_opens_it_and_stays(self, kind):
        app = open_page(ask=kind, n="42", of="large")
        assert not app.exception
        exercise = Exercise(42, kind, "large")
        assert [f.label for f in fields(app)] == list(exercise.question().wanted)
        for k in ("ask", "n", "of"):
            assert app.query_params[k] in (
                [practice.to_query(exercise)[k]],
                practice.to_query(exercise)[k],
            )

    def test_a_forged_link_gets_a_message_and_the_first(self):
        app = open_page(ask="nothing")
        assert "exercise that is not here" in app.warning[0].value
        assert app.selectbox(key="practice·kind").value == PAGE_KINDS[0]
        assert not app.run().warning

    def test_new_numbers(self):
        app = open_page()
        seeds = {
            press(app, "New numbers").number_input(key="practice·seed").value for _ in range(4)
        }
        assert len(seeds) > 1
        assert "ask" in app.query_params

    def test_nothing_typed_brings_no_calculation(self):
        app = open_page(ask="path-score", n="5")
        press(app, "Check")
        assert "still empty" in app.error[0].value
        assert promised(app)
        assert "Show the calculation" not in [e.label for e in app.expander]

    def test_answer_and_calculation(self):
        app = open_page(ask="path-score", n="5")
        exercise = Exercise(5, "path-score")
        assert "Show the calculation" not in [e.label for e in app.expander]
        assert promised(app)
        fields(app)[0].input("17")
        press(app, "Check")
        assert not promised(app)
        assert app.error
        calculation = next(e for e in app.expander if e.label == "Show the calculation")
        assert calculation.code[0].value == "\n".join(exercise.answer().lines)
        fields(app)[0].input(exercise.answer().values[0])
        press(app, "Check")
        assert not app.error
        assert app.success

    def test_a_teacher_can_keep_the_answers_back(self):
        app = open_page(ask="path-score", n="5", hide="answers")
        assert not promised(app)
        fields(app)[0].input("17")
        press(app, "Check")
        assert app.error
        assert "Show the calculation" not in [e.label for e in app.expander]
        assert not [b for b in app.get("download_button") if "sheet" in b.proto.label]

    def test_the_problem_in_the_lesson(self):
        app = open_page(ask="log-z", n="5", of="medium")
        assert ON_SCREEN not in " ".join(html(app))
        press(app, "Open this problem in the lesson")
        assert app.selectbox(key="bar.no_example").placeholder == "Not an example"
        problem = Exercise(5, "log-z", "medium").problem
        assert app.session_state["shared_problem"].problem == problem
        notes = " ".join(b.proto.body for b in app.get("html"))
        assert "the exercise “log Z, medium, number 5”" in notes
        assert ON_SCREEN in notes
        press(app, "New numbers")
        assert ON_SCREEN not in " ".join(html(app))
        assert not app.exception
