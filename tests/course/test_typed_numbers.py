import math

import pytest

from crf.figures.numbers import exact, format_potential, format_probability, format_score
from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_score

INF = math.inf


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-inf", -INF), ("−∞", -INF), ("-∞", -INF), (" -Inf ", -INF), ("log 0", -INF),
        ("0.5", 0.5), ("-.5", -0.5), ("+3", 3.0), ("5.", 5.0), ("1e3", 1000.0), ("1E-2", 0.01),
        ("−1.5", -1.5), ("2/3", 2 / 3), ("-1 / 4", -0.25), ("-0", 0.0),
        ("log 0.4", math.log(0.4)), ("ln(2/3)", math.log(2 / 3)), ("log( 2 )", math.log(2)),
        ("LN 0.1", math.log(0.1)), ("1000000", 1e6),
    ],
)  # fmt: skip
def test_what_can_be_typed(text, value):
    assert parse_score(text) == value
    assert math.copysign(1, parse_score(text)) == math.copysign(1, value)


@pytest.mark.parametrize(
    "text",
    ["  ", "inf", "∞", "nan", "__import__('os')", "1+1", "log", "log()", "log(2)(3)", "log -1",
     "ln(ln(2))", "1/0", "1000001", "٣", "1e4000", "0x10", "1_000", "-", "9" * 5000, "1\u202e2"],
)  # fmt: skip
def test_what_cannot(text):
    with pytest.raises(ProblemError, match=r"^score: expected .*, got .*; .+"):
        parse_score(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,5", r"^f: expected a number, got '1,5'; .*point"),
        ("x" * 100_000, r"^f: expected at most 60 characters, got .{,60}; "),
        ("1e999", "that is too large"),
        ("1e9", "too large: scores are logarithms, smaller ones will do$"),
        ("-1e9", "too small; write -inf for a forbidden"),
        ("0.8-2.5", "give the total"),
    ],
)
def test_the_message_names_the_field_and_says_what_to_do(text, message):
    with pytest.raises(ProblemError, match=message):
        parse_score(text, "f")


def test_exact_text_reads_back_and_scores_and_probabilities_have_one_form_each():
    for value in (0.1, -3.0, 1 / 3, 1e-7, -INF, 123456.789, 5e-324, 0.0):
        assert float(exact(value)) == value
        assert len(exact(value)) <= len(repr(value))
    assert format_score(-INF) == "−∞"
    assert format_probability(0.5) == "0.500"
    assert format_potential(math.log(0.5)) == "0.5"
    assert format_potential(250.0) == "3.75 × 10¹⁰⁸"
    assert format_potential(2000.0) == "3.88 × 10⁸⁶⁸"
