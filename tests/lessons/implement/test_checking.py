"""Implement it: pasted numbers are read as programs print them, and judged as `crf.lab` does."""

import numpy as np
import pytest
import torch

from crf import LinearChain
from crf.lab import pasted
from crf.lab.cells import AnswerForm
from crf.trace import FORMS
from pages.implement import checking
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem_code import problem_code

PROBLEM = EXAMPLES["old-man"].problem
CHAIN = PROBLEM.chain()
FORM = AnswerForm()


def printed(values: torch.Tensor) -> list[str]:
    rows = values.tolist()
    return [
        repr(values),
        repr(values.numpy()),
        str(values.numpy()),
        str(rows),
        "\n".join(",".join(map(str, row)) for row in rows),
        "\n".join("\t".join(map(str, row)) for row in rows),
    ]


def passes(verdict: checking.PastedVerdict) -> bool:
    return verdict.check is not None and verdict.check.passed


def test_each_kind_of_print_is_read():
    values = CHAIN.log_alphas[0]
    for text in printed(values):
        verdict = checking.check(PROBLEM, "alpha", text, FORM)
        assert passes(verdict), text
        mine = [[verdict.mine[t, k] for k in range(4)] for t in range(5)]
        assert np.allclose(mine, values, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("key", "algorithm"), [("alpha", "forward"), ("beta", "backward"), ("delta", "viterbi")]
)
def test_a_table_is_right_in_each_of_the_course_s_conventions(key, algorithm, form):
    table = PROBLEM.trace(algorithm, convention=form).table
    text = str([list(column) for column in table])
    assert passes(checking.check(PROBLEM, key, text, AnswerForm("log", form)))


def test_the_core_s_numbers_and_the_loss_s_gradients_are_right():
    emissions = torch.tensor([PROBLEM.emissions], dtype=torch.float64, requires_grad=True)
    transitions = torch.tensor(PROBLEM.transitions, dtype=torch.float64, requires_grad=True)
    start, end = torch.tensor([PROBLEM.start, PROBLEM.end], dtype=torch.float64)
    chain = LinearChain(emissions, transitions, start, end)
    loss = -chain.log_prob(torch.tensor([checking.scores_of(PROBLEM).tags])).sum()
    loss.backward()
    slopes = transitions.grad
    for key, value in (
        ("marginals", CHAIN.marginals[0]),
        ("log-z", CHAIN.log_partition[0]),
        ("path", CHAIN.viterbi().tags[0]),
        ("loss", loss),
        ("emission-gradient", emissions.grad[0]),
        ("transition-gradient", slopes),
    ):
        assert passes(checking.check(PROBLEM, key, str(value.tolist()), FORM)), key
    turned = checking.check(PROBLEM, "transition-gradient", str(slopes.T.tolist()), FORM)
    assert turned.check.mistakes == ("gradient with its indices exchanged",)


def test_a_mistake_is_named_and_the_cell_furthest_off_in_the_first_wrong_column_marked():
    alphas = CHAIN.log_alphas[0].clone()
    alphas[1:] -= torch.tensor(PROBLEM.emissions[1:])
    text = str(alphas.exp().tolist())
    verdict = checking.check(PROBLEM, "alpha", text, AnswerForm("probability"))
    assert verdict.worst == (1, 1)
    assert verdict.check.cell.token == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "found none"),
        ("1 2 3", "numbers, found 3"),
        ("tensor([1.0, ..., 2.0])", "leaves numbers out"),
        ("<script>1</script>", "numbers, found 1"),
        ("9" * 201_000, "at most 200,000 characters"),
        (str(CHAIN.log_alphas[0].T.tolist()), "it looks transposed"),
    ],
)
def test_what_cannot_be_compared_is_said(text, why):
    assert why in checking.check(PROBLEM, "alpha", text, FORM).why


def test_a_power_of_ten_before_a_tensor_counts():
    read = pasted.read("1.00000e+03 *\n [[1.5000, -2.0000]]", 1, 2)
    assert read.rows == [[1500.0, -2000.0]]


@pytest.mark.parametrize(
    ("flavour", "batched"), [("lists", False), ("numpy", True), ("torch", False), ("torch", True)]
)
def test_the_copied_problem_runs(flavour, batched):
    for name in ("bio", "one-token"):
        problem, names = EXAMPLES[name].problem, {}
        exec(problem_code(problem, flavour, [0] * len(problem.tokens), batched=batched), names)
        emissions = np.asarray(names["emissions"], dtype=float)
        assert emissions.shape == (*([1] * batched), len(problem.tokens), len(problem.tags))
        assert np.array_equal(emissions.reshape(-1), np.asarray(problem.emissions).reshape(-1))
        assert ("mask" in names) == batched


@pytest.mark.parametrize(
    ("key", "name", "is_hidden"),
    [
        ("path", "backpointers of the transposed table", False),
        ("transition-gradient", "gradient with its indices exchanged", False),
        ("emission-gradient", "gradient with its indices exchanged", True),
        ("alpha", "end left out", False),  # it shows in no table of α
    ],
)
def test_hidden_mistakes_are_those_of_what_is_pasted(key, name, is_hidden):
    assert (name in checking.hidden(PROBLEM, key)[1]) == is_hidden


@pytest.mark.parametrize(("key", "algorithm"), [("alpha", "forward"), ("delta", "viterbi")])
def test_a_tag_that_may_not_end_is_minus_infinity_in_pair_form(key, algorithm):
    problem = PROBLEM.with_score("end", 0, -float("inf"))
    table = problem.trace(algorithm, convention="pair").table
    assert table[-1][0] == -float("inf")
    text = str([list(column) for column in table])
    assert passes(checking.check(problem, key, text, AnswerForm("log", "pair")))
