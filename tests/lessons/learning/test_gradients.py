"""Gradients of one sentence: against enumeration, published numbers, each other, and wrong ones."""

import random
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.learning import gradients
from pages.learning.gradients import of_problem, pair_potentials, scalar_inputs
from pages.learning.sentence import climb
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError
from tests.core.oracle import Row

F64 = torch.float64


def enumerated(problem: Problem, path: tuple[int, ...]):
    """Observed − expected per place, and log p, by listing every path."""
    m = len(problem.tokens)
    row = Row(
        problem.emissions,
        problem.transitions,
        problem.start,
        problem.end,
        [True] * m,
        per_step=problem.per_step,
    )
    pairs = list(zip(row.observed_counts(path), row.expected_counts(), strict=True))
    return row.log_prob(path), [
        torch.tensor(a, dtype=F64) - torch.tensor(b, dtype=F64) for a, b in pairs
    ]


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(1, 3), st.booleans(), st.integers(0, 10**6))
def test_all_ways_to_the_gradient_of_a_sentence_give_observed_minus_expected(m, S, steps, seed):
    draw = random.Random(seed)
    problem = Problem.blank("ABC"[:S], draw.choices(["fish", "Fish", "they"], k=m))
    problem = (problem.per_step_form() if steps and m > 1 else problem).random(seed)
    path = tuple(draw.choices(range(S), k=m))
    log_p, tables = enumerated(problem, path)
    words = [token.lower() for token in problem.tokens]
    of_word = torch.stack(
        [
            sum(row for row, token in zip(tables[0], words, strict=True) if token == word)
            for word in dict.fromkeys(words)
        ]
    )
    run = climb(problem, path, rate=0.0, steps=0)
    assert run.log_p[0].item() == pytest.approx(log_p, abs=1e-9)
    for got, want in zip(run.gradient, (of_word, *tables[1:]), strict=True):
        torch.testing.assert_close(got[0], want, atol=1e-9, rtol=0)
    model = of_problem(problem, path)
    for psi in (False, True):
        closed, automatic = gradients.closed(model, psi), gradients.automatic(model, psi)
        for (name, table), want in zip(model.tables.items(), tables, strict=True):
            want = want / table.exp() if psi else want
            torch.testing.assert_close(closed[name], want, atol=1e-8, rtol=1e-9)
            torch.testing.assert_close(automatic[name], want, atol=1e-8, rtol=1e-9)


def test_shared_weights_move_together():
    problem, path = EXAMPLES["old-man"].problem, (0, 2, 3, 0, 2)
    run = climb(problem, path, rate=0.7, steps=1)
    moved, *others = (scores[1] - scores[0] for scores in run.scores)
    up = [0.7 * table[0] for table in run.gradient]
    torch.testing.assert_close(moved, up[0][list(run.word_of)])
    torch.testing.assert_close(others, up[1:])
    torch.testing.assert_close(moved[0], moved[3])  # “The” and “the” are one word
    assert run.observed.transitions[0, 2] == 2  # DET → NOUN occurs twice
    tables = (table[1].tolist() for table in run.scores)
    after = Problem.of(problem.tags, problem.tokens, *tables).chain()
    log_p = after.log_prob(torch.tensor([path])).item()
    assert log_p == pytest.approx(run.log_p[1].item())


MODELS = {
    "screen": lambda: of_problem(EXAMPLES["time-flies"].problem, (0, 1, 2, 3, 0)),
    "pairs": pair_potentials,
    "inputs": scalar_inputs,
    "seeded": gradients.seeded,
}


def worst(model, step: float) -> float:
    """The largest error of differences over the parameters."""
    closed = gradients.closed(model)
    places = gradients.largest(model, closed)
    exact = torch.stack([closed[name][at] for name, at in places])
    return (gradients.differences(model, places, [step])[0] - exact).abs().max().item()


@pytest.mark.parametrize("name", MODELS)
def test_three_ways_agree_and_each_fault_shows(name: str):
    model = MODELS[name]()
    closed, automatic = gradients.closed(model), gradients.automatic(model)
    assert worst(model, 1e-5) < 1e-8
    for table, values in closed.items():
        torch.testing.assert_close(automatic[table], values, atol=1e-12, rtol=0)
    m, S = len(model.tokens), len(model.tags)
    for fault, pairs in {"steps": m, "ends": m - 1, "rows": S * (m - 1)}.items():
        wrong, total = gradients.faulty(model, fault)
        assert not gradients.alike(closed, wrong)
        assert total == pytest.approx(pairs)


@pytest.mark.parametrize("name", ["screen", "seeded"])
def test_the_error_of_differences_is_a_v(name: str):
    """Truncation falls as h² on one side, rounding grows as 1/h on the other."""
    errors = [worst(MODELS[name](), 10 ** (-k / 2)) for k in range(2, 29)]  # h: 1e-1 … 1e-14
    best = errors.index(min(errors))
    assert 5 < best < 16
    assert errors[0] / errors[2] == pytest.approx(100, rel=0.2)
    assert errors[-1] > 1e4 * errors[best]


def test_psi_that_would_turn_negative_has_no_difference():
    model = of_problem(EXAMPLES["old-man"].problem, (0, 2, 3, 0, 2))
    slopes = gradients.differences(model, [("e", (0, 1))], [0.1, 1e-3], psi=True)  # ψ = exp(−3)
    assert slopes.isnan()[:, 0].tolist() == [True, False]


def test_the_numbers_come_back_as_they_were_typed_and_without_a_path_the_best_one_is_right():
    for usual in (make() for make in gradients.PRESETS.values()):
        again = gradients.read(gradients.as_text(usual))
        assert again.path == usual.path
        assert all((again.tables[name] == table).all() for name, table in usual.tables.items())
    model = gradients.read("x = 5 -5\nW = 1 -1 0\nP = 0 0 0; 0 0 0; 0 0 0\nstart = 0 0 0")
    assert model.path == (0, 1)


@pytest.mark.parametrize(("S", "m"), [(1, 1), (8, 12)])
def test_any_size_is_read_and_its_three_gradients_agree(S, m):
    def row(n):
        return " ".join(f"{(7 * k + n) % 5 / 4}" for k in range(n))

    matrix = " ; ".join([row(S)] * S)
    model = gradients.read(f"x = {row(m)}\nW = [{row(S)}]\nP = {matrix}\nS = {row(S)}")
    closed, automatic = gradients.exact(model, psi=False)
    assert len(gradients.largest(model, closed)) == m + S + S * S + S
    assert worst(model, 1e-5) < 1e-8
    for name, table in closed.items():
        assert (table - automatic[name]).abs().max() < 1e-12


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("P = 1 2 3", "3 rows of 3 numbers"),
        ("W = 1 2 3 4", "P: expected 4 rows of 4 numbers"),
        ("x = " + "1 " * 13, "at most 12 tokens"),
        ("W = " + "1 " * 9, "8 tags"),
        ("x =", "x"),
        ("x = 1 ; 2", "x: expected 1 numbers"),
        ("x = 1 two", "a number"),
        ("x = 2000", "−1000 to 1000"),
        ("x = -inf", "−1000 to 1000"),
        ("path = 0 1 2 3", "numbered from 0 to 2"),
        ("path = 0 1", "path: expected 4 numbers"),
        ("<b>hi</b>", "expected x, W, P, start or path"),
    ],
)
def test_what_cannot_be_read_is_named(text, says):
    with pytest.raises(ProblemError, match=re.escape(says)):
        gradients.read(text)
