"""Scores from inputs: sizes, and what cannot be read."""

import re

import pytest
import torch

from pages.learning import gradients, input_model
from pages.shared.course.problem import ProblemError


def test_the_numbers_come_back_as_they_were_typed_and_without_a_path_the_best_one_is_right():
    for usual in (make() for make in input_model.PRESETS.values()):
        again = input_model.read(input_model.as_text(usual))
        assert again.path == usual.path
        assert all((again.tables[name] == table).all() for name, table in usual.tables.items())
    model = input_model.read("x = 5 -5\nW = 1 -1 0\nP = 0 0 0; 0 0 0; 0 0 0\nstart = 0 0 0")
    assert model.path == (0, 1)


@pytest.mark.parametrize(("S", "m"), [(1, 1), (8, 12)])
def test_any_size_is_read_and_its_three_gradients_agree(S, m):
    def row(n):
        return " ".join(f"{(7 * k + n) % 5 / 4}" for k in range(n))

    matrix = " ; ".join([row(S)] * S)
    model = input_model.read(f"x = {row(m)}\nW = [{row(S)}]\nP = {matrix}\nS = {row(S)}")
    places = gradients.largest(model, gradients.closed(model), 200)
    assert len(places) == m + S + S * S + S
    assert gradients.errors(model, places, [1e-5], torch.float64, False)[0] < 1e-8
    automatic = gradients.automatic(model)
    for name, table in gradients.closed(model).items():
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
        input_model.read(text)
