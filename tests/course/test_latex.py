"""LaTeX: every number in it is one of the trace's, and no name can do harm."""

import re
from itertools import product

import pytest

from crf.trace import ALGORITHMS, FORMS
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.latex import (
    escape,
    number,
    problem_tables,
    step_equation,
    trace_table,
)
from pages.shared.course.problem import Problem

NUMBER = re.compile(
    r"-?\\infty|-?\d[\d{},]*(?:\.\d+)?(?: \\times 10\^\{-?\d+\})?"
)  # fmt: skip
NAMES = ["book", "no-path", "one-token", "fifty"]


def numbers(text: str) -> list[str]:
    """The numbers of an equation's right side; exponents of e stand in braces of their own."""
    return sorted(x.rstrip("},{") if "times" not in x else x for x in NUMBER.findall(text))


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize(("algorithm", "form"), list(product(ALGORITHMS, FORMS)))
@pytest.mark.parametrize("example", NAMES)
def test_every_number_is_one_of_the_step(example, algorithm, form, space):
    problem = EXAMPLES[example].problem
    run = problem.trace(algorithm, convention=form)
    for index, step in enumerate(run.steps):
        if step.kind == "backtrace":
            continue
        parts = [part for term in step.terms for part in term.parts]
        values = [part.value for part in (*parts, *step.added)]
        if not parts:
            values.append(step.terms[0].log_value)
        elif len(values) > 1:  # one number alone is said once
            values.append(step.log_value)
        right = step_equation(run, index, space).split(" = ", 1)[1]
        assert numbers(right) == sorted(number(value, space) for value in values)


def test_what_an_equation_looks_like():
    problem = Problem(("A",), ("x", "y"), ((1.0,), (2.0,)), ((-1.5,),), (0.5,), (0.0,))
    run = problem.trace()
    assert step_equation(run, 0) == r"\log \hat{\alpha}_{1}(\text{A}) = 0.50 + 1.00 = 1.50"
    assert (
        step_equation(run, 1) == r"\log \hat{\alpha}_{2}(\text{A}) = 1.50 + (-1.50) + 2.00 = 2.00"
    )
    assert step_equation(run, 2, "probability") == r"Z = 7.39 \cdot 1 = 7.39"
    two = problem.add_tag("B").trace()
    assert step_equation(two, 2).startswith(
        r"\log \hat{\alpha}_{2}(\text{A}) = "
        r"\log \bigl( e^{1.50 + (-1.50)} + e^{0.00 + 0.00} \bigr) + 2.00"
    )
    best = problem.add_tag("B").trace("viterbi")
    assert step_equation(best, 2).split(" = ")[0] == r"\delta_{2}(\text{A})"
    assert step_equation(best, 4).startswith(r"\log \max_y \psi(y) = \max \{ ")
    assert step_equation(best, 5) == r"y_{2} = \text{best last tag} = \text{A}"
    assert step_equation(best, 6) == r"y_{1} = \kappa_{2}(\text{A}) = \text{A}"


@pytest.mark.parametrize(
    ("algorithm", "form", "log", "potential"),
    [
        ("forward", "state", r"\log \hat{\alpha}", r"\hat{\alpha}"),
        ("forward", "message", r"\log \alpha", r"\alpha"),
        ("forward", "pair", r"\log \alpha", r"\alpha"),
        ("backward", "state", r"\log \beta", r"\beta"),
        ("backward", "message", r"\log \beta", r"\beta"),
        ("viterbi", "state", r"\delta", r"\exp \delta"),
        ("viterbi", "message", "v", r"\exp v"),
        ("viterbi", "pair", r"\delta", r"\exp \delta"),
    ],
)
def test_cells_are_called_as_in_the_lessons(algorithm, form, log, potential):
    run = EXAMPLES["book"].problem.trace(algorithm, convention=form)
    first = {"backward state": 3, "backward message": 3}.get(f"{algorithm} {form}", 1)
    for space, letter in (("log", log), ("probability", potential)):
        assert step_equation(run, 0, space).startswith(f"{letter}_{{{first}}}(")


HOSTILE = "\\input{/x}$%&#_^~|<>\"'`-a"


def test_names_are_inert():
    problem = Problem.blank([HOSTILE[:20]], [HOSTILE[:24]])
    run = problem.trace()
    for text in (step_equation(run, 0), trace_table(run), *problem_tables(problem).values()):
        assert r"\input" not in text
        assert r"\textbackslash{}input\{/x\}\$\%\&\#\_\textasciicircum{}" in text
    assert escape("a--b?`") == r"a{-}{-}b?\textasciigrave{}"


def test_tables_hold_the_traces_numbers():
    problem = EXAMPLES["book"].problem
    for form in FORMS:
        run = problem.trace(convention=form)
        lines = trace_table(run).splitlines()
        head = lines[1].removesuffix(r" \\").split(" & ")[1:]
        assert head == list(run.tokens[1:] if form == "message" else run.tokens)
        for s, line in enumerate(lines[3:-1]):
            label, *cells = line.removesuffix(r" \\").split(" & ")
            assert label == run.tags[s]
            assert cells == [f"${number(column[s])}$" for column in run.table]
    assert list(problem_tables(problem)) == ["emissions", "transitions", "start and end"]
    steps = problem_tables(problem.per_step_form())
    assert "transitions, step 2" in steps
    assert "-\\infty" in problem_tables(EXAMPLES["no-path"].problem)["transitions"]


def test_big_and_small_numbers():
    assert number(8.5, "probability") == "4{,}915"
    assert number(-2000.0, "probability") == r"2.58 \times 10^{-869}"
