"""The way from a step of one recursion to the same place of another."""

from itertools import product

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.matching_step import matching_step
from pages.shared.course.problem import Problem

OLD_MAN = EXAMPLES["old-man"].problem
FORMS = ("state", "message", "pair")
EVERY = [("forward", "sum"), ("viterbi", "max"), ("backward", "sum"), ("backward", "max")]


def runs(problem):
    for (algorithm, semiring), form in product(EVERY, FORMS):
        yield problem.trace(algorithm, convention=form, semiring=semiring)


def test_the_token_and_its_tag_stay():
    every = list(runs(OLD_MAN))
    for before, after in product(every[::2], every):
        columns = {step.token for step in after.steps if step.kind == "cell"}
        kinds = {step.kind for step in after.steps}
        for k, step in enumerate(before.steps):
            found = after.steps[matching_step(before, k, after)]
            assert found.kind == (step.kind if step.kind in kinds else "cell")
            if step.kind == "total":
                continue
            assert found.row == step.row
            there = found.kind == "backtrace" or step.token in columns
            assert abs(found.token - step.token) == (0 if there else 1)


@pytest.mark.parametrize(("tags", "tokens"), [(1, 1), (3, 2), (1, 5)])
def test_any_other_problem_has_a_nearest_place(tags, tokens):
    other = Problem.blank([f"T{s}" for s in range(tags)], [f"w{t}" for t in range(tokens)])
    for before, after in product(runs(OLD_MAN), runs(other)):
        for k in range(len(before.steps)):
            assert 0 <= matching_step(before, k, after) < len(after.steps)
