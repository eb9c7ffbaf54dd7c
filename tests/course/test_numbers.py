import math

import pytest

from pages.shared.course.numbers import (
    exact,
    format_potential,
    format_probability,
    format_score,
    parse_score,
)
from pages.shared.course.problem import ProblemError

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
    ["", "  ", "inf", "∞", "nan", "1,5", "abc", "__import__('os')", "1+1", "2**9", "log", "log()",
     "log(2)x", "log(2)(3)",
     "log -1", "ln(ln(2))", "1/0", "1e999", "1000001", "٣", "1e4000", "0x10", "1_000", "-", "log2",
     "9" * 5000, "1\u202e2"],
)  # fmt: skip
def test_what_cannot(text):
    with pytest.raises(ProblemError, match=r"^score: expected .*, got .*; .+"):
        parse_score(text)


def test_the_message_names_the_field_and_is_short():
    with pytest.raises(ProblemError, match=r"^start\[2\]: expected a number, got '1,5'; .*point"):
        parse_score("1,5", "start[2]")
    with pytest.raises(ProblemError) as caught:
        parse_score("x" * 100_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", [0.1, -3.0, 1 / 3, 1e-7, -INF, 123456.789, 5e-324, 0.0])
def test_exact_text_reads_back(value):
    assert float(exact(value)) == value
    assert len(exact(value)) <= len(repr(value))


def test_a_score_and_a_probability_have_one_form_each():
    assert format_score(-2.25, 1) == "−2.2"
    assert format_score(-INF) == "−∞"
    assert format_probability(0.5) == "0.500"
    assert format_potential(math.log(0.5)) == "0.5"
    assert format_potential(250.0) == "3.75 × 10¹⁰⁸"
    assert format_potential(2000.0) == "3.88 × 10⁸⁶⁸"


def test_what_is_too_large_and_what_is_a_sum_are_told_so():
    for text in ("1e999", "-1e999"):
        with pytest.raises(ProblemError, match="that is too large"):
            parse_score(text)
    with pytest.raises(ProblemError, match="too large: scores are logarithms") as refused:
        parse_score("1e9")
    assert "-inf" not in str(refused.value)
    with pytest.raises(ProblemError, match="too small; for forbidden write -inf"):
        parse_score("-1e9")
    with pytest.raises(ProblemError, match="give the total"):
        parse_score("0.8-2.5")
