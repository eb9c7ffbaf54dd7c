"""Exercises: the same on every machine, unambiguous, and their keys right by another way."""

import json
import math
import re
from html.parser import HTMLParser

import pytest

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


@pytest.mark.parametrize(("seed", "kind", "size"), EACH)
def test_question_and_key_fit_together(seed, kind, size):
    exercise = Exercise(seed, kind, size)
    question, answer = exercise.question(), exercise.answer()
    assert len(question.wanted) == len(answer.values) == len(answer.numbers)
    S, m = SIZES[size]
    assert (len(exercise.problem.tags), len(exercise.problem.tokens)) == (S, m)
    shown = [cell for table in question.tables for row in table.rows for cell in row[1:]]
    assert len(shown) == m * S + S * S + 2 * S
    assert all(re.fullmatch(r"−?\d\.\d", cell) for cell in shown)
    assert "\\" not in question.text + "".join(answer.lines)
    if kind != "viterbi":
        assert answer.values[-1] in answer.lines[-1]


def test_the_same_on_every_machine():
    """Numbers that were drawn once; a change would break every link and sheet given out."""
    first = Exercise(1, "forward", "small").problem
    assert json.loads(json.dumps(first.emissions)) == [[-2.1, 2.1], [1.4, -0.5]]
    assert Exercise(5, "viterbi", "large").answer().values == ("B", "C", "B", "A")


def test_seeds_kinds_and_sizes_differ():
    every = {Exercise(s, k, z).problem for s in range(20) for k in KINDS for z in SIZES}
    assert len(every) == 20 * len(KINDS) * len(SIZES)
    asked = {Exercise(s, "marginal", "large")._draw[1:3] for s in range(60)}
    assert len(asked) > 8


@pytest.mark.parametrize(
    "arguments",
    [(-1, "forward", "small"), (LARGEST_SEED + 1, "forward", "small"), (True, "forward", "small"),
     (1.0, "forward", "small"), ("1", "forward", "small"), (1, "forwards", "small"),
     (1, "forward", "tiny")],
)  # fmt: skip
def test_refusals(arguments):
    with pytest.raises(ProblemError, match=r"expected .*, got .*; "):
        Exercise(*arguments)


class Collector(HTMLParser):
    """The tags that a document opens, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened, self.closed, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)

    def handle_endtag(self, tag):
        self.closed.append(tag)

    def handle_data(self, data):
        self.text += data


class TestSheet:
    EXERCISES = tuple(Exercise(4, kind, "medium") for kind in KINDS)

    def test_it_has_all_questions_and_then_all_answers(self):
        text = Collector(sheet(self.EXERCISES)).text
        questions, answers = text.split("Answers")
        for exercise in self.EXERCISES:
            assert exercise.question().text in questions
            for line in exercise.answer().lines:
                assert line in answers
                assert line not in questions

    def test_nothing_in_it_runs(self):
        hostile = '<script>alert(1)</script> "x" & <img src=x onerror=y>'
        found = Collector(sheet(self.EXERCISES, hostile))
        allowed = (
            "html head meta title style body main h1 h2 section p div ul li span table caption"
        )
        assert set(found.opened) <= {*allowed.split(), *"thead tbody tr th td b".split()}
        void = ["meta"]
        assert sorted(t for t in found.opened if t not in void) == sorted(found.closed)
        assert "<script>" in found.text
        assert "http:" not in sheet(self.EXERCISES)
        assert "https:" not in sheet(self.EXERCISES)

    def test_how_many(self):
        for count in (0, MOST + 1):
            with pytest.raises(
                ProblemError, match=f"^exercises: expected 1 to {MOST}, got {count}"
            ):
                sheet([self.EXERCISES[0]] * count)
