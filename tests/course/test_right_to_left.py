"""Right-to-left names in texts, tables, LaTeX and pictures keep their neighbours in place."""

import re

import pytest

from pages.shared.contents import PAGES
from pages.shared.course import latex
from pages.shared.course.right_to_left import FIRST_STRONG, POP, isolate
from pages.shared.figures import tables, theme
from pages.shared.figures.text import LessonText, prose

NOUN, VERB, WORD = "اسم", "פועל", "خانه"


def shown(template):
    """A text with ⟨…⟩ for the isolates."""
    return template.replace("⟨", FIRST_STRONG).replace("⟩", POP)


@pytest.mark.parametrize(
    ("text", "isolated"),
    [
        (f"{NOUN} .92", f"⟨{NOUN}⟩ .92"),
        (f"T[{NOUN}, {VERB}] = −1.5", f"T[⟨{NOUN}⟩, ⟨{VERB}⟩] = −1.5"),
        (f"B-{NOUN} → I-{NOUN}: 3 %", f"⟨B-{NOUN}⟩ → ⟨I-{NOUN}⟩: 3 %"),
        (f"‘{WORD}’ as {NOUN}: .5", f"‘⟨{WORD}⟩’ as ⟨{NOUN}⟩: .5"),
        (f"“{WORD} {NOUN} {VERB}”, 3 words", f"“⟨{WORD} {NOUN} {VERB}⟩”, 3 words"),
        (f"{NOUN}_2", f"⟨{NOUN}_2⟩"),
        ("NOUN .92, naïve 漢字 T[a, b]", "NOUN .92, naïve 漢字 T[a, b]"),
    ],
)
def test_each_right_to_left_name_is_isolated(text, isolated):
    assert isolate(shown(text)) == shown(isolated)


def test_tables_texts_and_latex_isolate_names():
    there = shown(f"⟨{NOUN}⟩")
    text = LessonText("# one: {tag}\n{tag} .92\n")
    for drawn in (
        tables.text_table(["a", NOUN], [[NOUN, f"{NOUN} 2"]], "x"),
        str(text.html("one", tag=NOUN)).rpartition("</h2>")[2],
        prose(f"{NOUN} .92"),
        theme.markdown(f"{NOUN} .92"),
        latex.name(NOUN),
        latex.table("from", [NOUN], [NOUN], [[0.0]]),
    ):
        names = re.sub(r'(title|aria-label|style)="[^"]*"', "", drawn)
        assert names.count(NOUN) == names.count(there) > 0, drawn


def test_every_page_escapes_by_the_function_that_isolates():
    escape = re.compile(r"from html import .*\bescape\b|html\.escape\(")
    found = [p.name for p in PAGES.rglob("*.py") if escape.search(p.read_text(encoding="utf-8"))]
    assert found == ["right_to_left.py"]
