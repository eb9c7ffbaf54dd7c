"""The reader of all JSON from outside: what the standard allows, and one error for all else."""

import ast
import json
import re
from pathlib import Path

import pytest

from crf.strict_json import JsonError, read_json

ROOT = Path(__file__).resolve().parents[2]


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


OWN = {  # files and lines that this program has written itself, where only it writes
    "crf/strict_json.py",
    "crf/tagger/model_card.py",
    "crf/tagger/checkpoint.py",
    "crf/tagger/crfsuite.py",
    "crf/lab/homework.py",
    "crf/lab/process.py",  # NaN is an answer there
    "pages/shared/ui/component_data.py",
    "pages/shared/ui/taggers.py",
    "pages/tagger/training_config.py",
    "pages/tagger/trainings.py",
    "pages/tagger/train_section.py",
}


def test_no_other_reader_is_used_for_what_comes_from_outside():
    found = set()
    for path in [*ROOT.glob("crf/**/*.py"), *ROOT.glob("pages/**/*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = (ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call))
        if any(re.fullmatch(r"json\.loads?", call) for call in calls):
            found.add(path.relative_to(ROOT).as_posix())
    assert found <= OWN
