"""The reader of all JSON from outside: what the standard allows, one error for the rest."""

import json

import pytest

from crf.strict_json import JsonError, read_json, write_json


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, "", "é👩‍🎓", [], {}, {"a": [1, {"b": "-inf"}]}, "\\ud is text"]
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_json_allows_is_read(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(text, 1000) == read_json("\ufeff".encode() + text.encode(), 1000) == value


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "line 1, column 1: this is not JSON: a value is missing"),
        ('{"a": 1,}', r"line 1, column \d: this is not JSON"),
        ("[1] 2", "extra data"),
        ('{"a": 1, "b": {"a": 1, "a": 1}}', "each field once, got 'a' twice"),
        ("[NaN]", "got NaN"),
        ("[1e999]", "got 1e999"),
        ("[-1" + "0" * 400 + ".5]", "got -1000"),
        ("[-Infinity]", "got -Infinity"),
        ('"\\ud800"', "U\\+D800, half of a surrogate pair"),
        ('{"\\uDFFF": 1}', "U\\+DFFF, half"),
        ('"\ud800"', "half of a surrogate pair"),
        ('"a\x00b"', "control character"),
        (b'[1,\n"\xff"]', "line 2: expected UTF-8"),
        ("[" * 100_000, "a few deep"),
        ("9" * 5000, "a few digits"),
        ('"' + "x" * 200_000 + '"', "at most 150,000 bytes, got 200,002"),
    ],
)
def test_what_is_refused_and_why(content, reason):
    with pytest.raises(JsonError, match=reason):
        read_json(content, 150_000)


def test_what_is_written_is_read_whatever_numbers_and_characters_are_in_it():
    odd = [float("-inf"), float("inf"), float("nan"), 1.5, 10**30, None, True]
    value = {"a": tuple(odd), "b": {"c": "\ud800é👩‍🎓"}}
    expected = {"a": ["-inf", "inf", "nan", *odd[3:]], "b": {"c": "?é👩‍🎓"}}
    assert read_json(write_json(value), 1000) == expected
    assert read_json(write_json(value, indent=1), 1000) == expected
