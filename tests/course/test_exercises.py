"""Exercises: the same on every machine, unambiguous, and their keys right by another way."""

import json
import math
import re

import pytest

from pages.shared.course import exercise_sheet
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.exercise_sheet import MOST, sheet
from pages.shared.course.exercises import CLEAR, KINDS, LARGEST_SEED, SIZES, Exercise
from pages.shared.course.problem import ProblemError

SEEDS = range(6)
EACH = [(seed, kind, size) for kind in KINDS for size in SIZES for seed in SEEDS]


def enumerated(exercise: Exercise) -> tuple[list[tuple], list[float]]:
    paths = enumerate_paths(exercise.problem)
    return [path.tags for path in paths], [path.score for path in paths]


def log_sum(values) -> float:
    return math.log(math.fsum(map(math.exp, values)))


@pytest.mark.parametrize(("seed", "kind", "size"), EACH)
def test_the_key_agrees_with_enumeration(seed, kind, size):
    exercise = Exercise(seed, kind, size)
    problem, token, tag, path = exercise._draw
    tags, scores = enumerated(exercise)
    pairs = list(zip(tags, scores, strict=True))
    numbers = exercise.answer().numbers
    if kind == "path-score":
        assert numbers == (pytest.approx(dict(pairs)[path]),)
    elif kind == "log-z":
        assert numbers == (pytest.approx(log_sum(scores)),)
    elif kind == "viterbi":
        assert numbers == tags[0]
        assert scores[0] - scores[1] >= CLEAR - 1e-9
    elif kind == "marginal":
        part = log_sum(value for y, value in pairs if y[token] == tag)
        assert numbers == (pytest.approx(math.exp(part - log_sum(scores))),)
    else:  # alpha and beta of a column: the paths through a cell, cut in two
        column = exercise.column
        other = problem.trace("backward" if kind == "forward" else "forward").table[column]
        for s, number in enumerate(numbers):
            through = log_sum(value for y, value in pairs if y[column] == s)
            assert number + other[s] == pytest.approx(through)
        assert 0 <= column < len(problem.tokens)
        assert column != (0 if kind == "forward" else len(problem.tokens) - 1)

    question, answer = exercise.question(), exercise.answer()
    assert len(question.wanted) == len(answer.values) == len(numbers)
    shown = [cell for table in question.tables for row in table.rows for cell in row[1:]]
    S, m = SIZES[size]
    assert len(shown) == m * S + S * S + 2 * S
    assert all(re.fullmatch(r"−?\d\.\d", cell) for cell in shown)
    if kind != "viterbi":
        assert answer.values[-1] in answer.lines[-1]


def test_the_same_on_every_machine():
    """Numbers that were drawn once; a change would break every link and sheet given out."""
    first = Exercise(1, "forward", "small").problem
    assert json.loads(json.dumps(first.emissions)) == [[-2.1, 2.1], [1.4, -0.5]]
    assert Exercise(5, "viterbi", "large").answer().values == ("B", "C", "B", "A")


@pytest.mark.parametrize(
    "arguments",
    [(-1, "forward", "small"), (LARGEST_SEED + 1, "forward", "small"), (True, "forward", "small"),
     (1.0, "forward", "small"), ("1", "forward", "small"), (1, "forwards", "small"),
     (1, "forward", "tiny")],
)  # fmt: skip
def test_refusals(arguments):
    with pytest.raises(ProblemError, match=r"expected .*, got .*; "):
        Exercise(*arguments)


class TestSheet:
    EXERCISES = tuple(Exercise(4, kind, "medium") for kind in KINDS)

    @pytest.mark.parametrize(("form", "key"), [("html", "Answers"), ("tex", r"\clearpage")])
    def test_it_has_all_questions_and_then_all_answers(self, form, key):
        inert = {"html": str, "tex": exercise_sheet.latex_text}[form]
        questions, answers = sheet(self.EXERCISES, form=form).split(key)
        for exercise in self.EXERCISES:
            assert inert(exercise.question().text) in questions
            for line in map(inert, exercise.answer().lines):
                assert line in answers
                assert line not in questions

    def test_nothing_in_it_runs(self):
        hostile = '<script>alert(1)</script> "x" & <img src=x onerror=y>'
        text = sheet(self.EXERCISES, hostile)
        assert "&lt;script&gt;" in text
        assert not re.search(r"<script|<img|https?:|@", text)
        opened, closed = (re.findall(rf"<{slash}(\w+)", text) for slash in ("", "/"))
        assert sorted(x for x in opened if x != "meta") == sorted(closed)

    def test_latex_is_whole_and_plain(self):
        text = sheet(self.EXERCISES, "CRFs & \\input{x}, 100%", form="tex")
        assert text.isascii()
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert "\\input{" not in text
        braces = re.sub(r"[^{}]", "", re.sub(r"\\[{}]", "", text))
        while "{}" in braces:
            braces = braces.replace("{}", "")
        assert not braces
        assert all(len(re.findall(r"(?<!\\)\$", line)) % 2 == 0 for line in text.splitlines())

    @pytest.mark.parametrize("count", [0, MOST + 1])
    def test_how_many(self, count):
        with pytest.raises(ProblemError, match=f"^exercises: expected 1 to {MOST}, got {count}"):
            sheet([self.EXERCISES[0]] * count)
