"""Whatever is typed where a number belongs, a number comes of it, or a sentence."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_number, parse_score
from tests.hostile.corpora import NUMBERS

_ALPHABET = "0123456789.eE+-/ −∞()loginfa½１²,_"
_DECIMAL = st.from_regex(r"[+-]?[0-9]{1,8}(\.[0-9]{0,8})?(e[+-]?[0-9]{1,4})?", fullmatch=True)


def check(text: str, parse=parse_number) -> float | None:
    """The number; None if it was refused, in a short sentence that names the field."""
    try:
        value = parse(text, "The field")
    except ProblemError as error:
        said = str(error)
        assert said.startswith("The field: expected "), said
        assert len(said) < 250, said
        assert said.isprintable(), said
        return None
    assert -math.inf <= value < math.inf, value  # no nan
    return value


@pytest.mark.parametrize("parse", [parse_number, parse_score])
@given(text=st.sampled_from(NUMBERS) | st.text() | st.text(alphabet=_ALPHABET, max_size=12))
def test_any_text(parse, text):
    check(text, parse)


@given(above=_DECIMAL, below=st.none() | _DECIMAL)
def test_a_fraction_is_that_fraction(above, below):
    value = check(above if below is None else f"{above}/{below}")
    if value is not None:
        exact = Fraction(above) / (1 if below is None else Fraction(below))
        assert abs(Fraction(value) - exact) <= abs(exact) / 10**12 + Fraction(1, 10**300)


ADVICE = {
    "2/0": "nothing can be divided by 0",
    "log -1": "only a number above 0 has a logarithm",
    "1e5000": "too large",
    "1e-5000": "too close to 0",
    "½": "digits 0 to 9",
    "9" * 5000: "write a shorter number",
}


@pytest.mark.parametrize("text", ADVICE)
def test_what_is_wrong_is_said(text):
    with pytest.raises(ProblemError, match=ADVICE[text]):
        parse_number(text)
