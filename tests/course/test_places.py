"""The way from a step of one recursion to the same place of another."""

from itertools import product

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.places import same_place
from pages.shared.course.problem import Problem

OLD_MAN = EXAMPLES["old-man"].problem
FORMS = ("state", "message", "pair")
EVERY = [("forward", "sum"), ("viterbi", "max"), ("backward", "sum"), ("backward", "max")]


def run(problem, algorithm, convention, semiring):
    return problem.trace(algorithm, convention=convention, semiring=semiring)


@pytest.mark.parametrize(("algorithm", "semiring"), EVERY)
@pytest.mark.parametrize(("old", "new"), [*product(FORMS, FORMS)])
def test_the_token_and_its_tag_stay(algorithm, semiring, old, new):
    before, after = (run(OLD_MAN, algorithm, form, semiring) for form in (old, new))
    columns = {step.token for step in after.steps if step.kind == "cell"}
    for k, step in enumerate(before.steps):
        found = after.steps[same_place(before, k, after)]
        assert found.kind == step.kind
        if step.kind == "total":
            continue
        assert found.row == step.row
        if step.kind == "backtrace" or step.token in columns:
            assert found.token == step.token
        else:
            assert abs(found.token - step.token) == 1


def test_what_is_traced_back_has_a_cell_in_a_sum():
    best, sums = (run(OLD_MAN, a, "state", s) for a, s in EVERY[:2][::-1])
    for k, step in enumerate(best.steps):
        found = sums.steps[same_place(best, k, sums)]
        assert (found.token, found.row) == (step.token, step.row) or step.kind == "total"
        assert found.kind == ("total" if step.kind == "total" else "cell")


@pytest.mark.parametrize("tokens", [1, 2, 5])
@pytest.mark.parametrize("tags", [1, 3])
def test_any_other_problem_has_a_nearest_place(tags, tokens):
    other = Problem.blank([f"T{s}" for s in range(tags)], [f"w{t}" for t in range(tokens)])
    for (a, x), (b, y) in product(product(EVERY, FORMS), repeat=2):
        before, after = run(OLD_MAN, a[0], x, a[1]), run(other, b[0], y, b[1])
        for k in range(len(before.steps)):
            assert 0 <= same_place(before, k, after) < len(after.steps)
