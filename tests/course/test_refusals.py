"""What is refused is said in the reader's language, and what a reader wrote is left as it is."""

import ast
import csv
import re

import pytest

from pages.shared.contents import PAGES
from pages.shared.course import problem_links
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import phrase, refuse
from pages.shared.course.typed_numbers import parse_score
from pages.shared.ui.language import speaking


def literals():
    """Each phrase that is written in a call of `refuse`, with 7 in its holes."""
    for path in (
        *PAGES.glob("shared/course/*.py"),
        *PAGES.glob("shared/ui/*.py"),
        *PAGES.glob("batches/*.py"),
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "refuse":
                for part in node.args:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value
                    elif isinstance(part, ast.JoinedStr):
                        yield "".join(
                            "7" if isinstance(piece, ast.FormattedValue) else piece.value
                            for piece in part.values
                        )


@pytest.mark.parametrize("text", sorted(set(literals())))
def test_every_phrase_has_its_row(text):
    if re.search("[a-z]{2}", text) and not re.fullmatch(r"[a-z]+\[7\]", text):
        for language in ("de", "zh"):
            with speaking(language):
                assert phrase(text) != text or text in SAME


SAME = {
    "token 7",
    "tag 7",
    "name",
    "seed",
    "kinds",
    "count",
    "space",
    "'log' or 'probability'",
}  # code


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: parse_score("x or y"), "Score: Erwartet wird eine Zahl, angegeben ist 'x or y'; "),
        (lambda: Problem.blank(["A", "A"], ["x"]), "angegeben ist noch einmal 'A'; "),
        (lambda: problem_links.from_query({"t": "A", "w": "x", "e": "1_2"}), "Link, e, Zeile 1: "),
    ],
)
def test_it_is_said_in_german(make, said):
    with speaking("de"), pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_what_a_reader_wrote_is_not_translated():
    with speaking("de"):
        assert "'at most 5 words'" in str(refuse("file", "a name", "'at most 5 words'", "add it"))


def test_a_row_has_the_same_holes_in_each_language():
    path = PAGES / "shared" / "course" / "refusals.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            holes = [re.findall(r"\{[#w]?\}", text) for text in row.values()]
            assert holes[0] == holes[1] == holes[2], row
