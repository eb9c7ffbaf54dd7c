"""Exercises: the same on every machine, unambiguous, and their keys right by another way."""

import json
import re

import pytest

from pages.shared.course import exercise_sheet
from pages.shared.course.exercise_sheet import MOST, sheet
from pages.shared.course.exercises import CLEAR, KINDS, LARGEST_SEED, SIZES, Exercise
from pages.shared.course.problem import ProblemError
from tests.oracles.recursions import row

EACH = [(seed, kind, size) for kind in KINDS for size in SIZES for seed in range(2)]


@pytest.mark.parametrize(("seed", "kind", "size"), EACH)
def test_the_key_agrees_with_enumeration(seed, kind, size):
    exercise = Exercise(seed, kind, size)
    problem, token, tag, path = exercise.draw
    chain, numbers, column = row(problem), exercise.answer().numbers, exercise.column
    if kind == "viterbi":
        assert numbers == chain.best
        assert chain.ranked[0] - chain.ranked[1] >= CLEAR - 1e-9
    else:
        expected = {
            "path-score": [chain.score(path)],
            "log-z": [chain.log_partition],
            "marginal": [chain.marginals[token][tag]],
            "forward": chain.log_alphas[column],
            "backward": chain.log_betas[column],
        }
        assert numbers == pytest.approx(expected[kind])
        assert column != {"forward": 0, "backward": len(problem.tokens) - 1}.get(kind)

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


def test_refusals():
    for seed in (-1, LARGEST_SEED + 1, True, "1"):
        with pytest.raises(ProblemError, match=r"expected .*, got .*; "):
            Exercise(seed, "forward", "small")
    for kind, size in (("forwards", "small"), ("forward", "tiny")):
        with pytest.raises(ProblemError, match=r"expected .*, got .*; "):
            Exercise(1, kind, size)


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

    def test_it_is_whole_and_nothing_in_it_runs(self):
        hostile = '<script>alert(1)</script> "x" & <img src=x onerror=y>'
        text = sheet(self.EXERCISES, hostile)
        assert "&lt;script&gt;" in text
        assert not re.search(r"<script|<img|https?:|@", text)
        opened, closed = (re.findall(rf"<{slash}(\w+)", text) for slash in ("", "/"))
        assert sorted(x for x in opened if x != "meta") == sorted(closed)
        text = sheet(self.EXERCISES, "CRFs & \\input{x}, 100%", form="tex")
        assert text.isascii()
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert "\\input{" not in text
        braces = re.sub(r"[^{}]", "", re.sub(r"\\[{}]", "", text))
        while "{}" in braces:
            braces = braces.replace("{}", "")
        assert not braces
        assert all(len(re.findall(r"(?<!\\)\$", line)) % 2 == 0 for line in text.splitlines())

    def test_how_many(self):
        for count in (0, MOST + 1):
            with pytest.raises(ProblemError, match=f"exercises: expected 1 to {MOST}, got {count}"):
                sheet([self.EXERCISES[0]] * count)
