"""Words of a text in any language, by the tokeniser of the tagger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crf.tagger.storage import TOKENISERS
from crf.tagger.words import word_spans


def words(text: str, tokeniser: str = "unicode") -> list[str]:
    return [text[start:end] for start, end in word_spans(text, tokeniser)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Er saß im Zug.", ["Er", "saß", "im", "Zug", "."]),
        ("le livre dont on parle", ["le", "livre", "dont", "on", "parle"]),
        ("l'eau, aujourd’hui: 3,14 €", ["l'eau", ",", "aujourd’hui", ":", "3,14", "€"]),
        ("Donaudampfschifffahrtsgesellschaft!", ["Donaudampfschifffahrtsgesellschaft", "!"]),
        ("قال: مرحبا", ["قال", ":", "مرحبا"]),
        ("你好 🇩🇪👩‍👩‍👧 é", ["你", "好", "🇩🇪", "👩‍👩‍👧", "é"]),
        (" \n\u200b ", []),
    ],
)  # fmt: skip
def test_unicode_cuts_at_word_boundaries_and_nowhere_as_english_does(text, expected):
    assert words(text) == expected


def test_each_tokeniser_by_its_name():
    text = "I don't, im Bad"
    assert words(text, "english") == ["I", "do", "n't", ",", "i", "m", "Bad"]
    assert words(text, "spaces") == ["I", "don't,", "im", "Bad"]
    assert words(text, "unicode") == ["I", "don't", ",", "im", "Bad"]
    with pytest.raises(ValueError, match="tokeniser: expected one of unicode, english, spaces"):
        words(text, "german")


@pytest.mark.parametrize("tokeniser", TOKENISERS)
@given(text=st.text(max_size=30))
def test_words_are_in_order_and_hold_all_letters(tokeniser, text):
    spans = word_spans(text, tokeniser)
    flat = [place for span in spans for place in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in spans)
    held = "".join(text[start:end] for start, end in spans)
    assert [c for c in held if c.isalnum()] == [c for c in text if c.isalnum()]
