"""One word for a thing, and one thing for a word: docs/terms.md says which, and which not."""

import re

import pytest

from crf.figures.texts import translations
from pages.shared.contents import ROOT
from tests.figures.test_languages import TEXTS

NAMES = {"en": "English", "de": "German", "zh": "Chinese", "code": "Docstrings"}
TABLE = (ROOT / "docs" / "terms.md").read_text(encoding="utf-8")


def forbidden(language):
    """Each expression that a language's texts do without, and what they say in its place."""
    part = TABLE.partition(f"## {NAMES[language]}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| ([^|]*) ?\|$", part, re.MULTILINE)[2:]
    return [(word, use) for use, words in rows for word in words.strip().split(", ") if word]


def misused(text, language):
    """The forbidden expressions of a text, each with what to write."""
    start = "" if language == "zh" else r"(?<!\w)"
    names = r"`[^`]*`|\{[^}]*\}|\]\([^)]*\)|^\| [\w-]+ \||^#+ .*?(?::|$)"
    plain = re.sub(names, "", text, flags=re.MULTILINE)
    return [
        f"{word} → {use}"
        for word, use in forbidden(language)
        if re.search(
            start + re.escape(word.removesuffix("$")) + r"(?!\w)" * (word[-1] == "$"), plain
        )
    ]


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_a_text_uses_the_terms_of_the_table(language):
    found = {
        path.relative_to(ROOT).as_posix(): wrong
        for path in TEXTS
        if path.parent.name != "lab"  # its genitives look like plurals
        and language in translations(path)
        and (wrong := misused(translations(path)[language], language))
    }
    assert not found


def test_the_librarys_code_uses_the_terms_of_docstrings():
    words = [word for word, _ in forbidden("code")]
    files = [*(ROOT / "crf").rglob("*.py")]
    found = [(path.name, word) for path in files for word in words if word in path.read_text()]
    assert len(words) == 4
    assert found == []


def test_a_synonym_is_found():
    assert misused("The right path is DET ADJ NOUN.", "en") == ["right path → correct, gold"]
    assert misused("Die Marginalen sind klein.", "de") == [
        "Marginale → Randwahrscheinlichkeit",
        "Marginalen → Randwahrscheinlichkeit",
    ]
    assert misused("这是边际概率。", "zh") == ["边际概率 → 边缘概率"]
    assert not misused("Die Randwahrscheinlichkeit.", "de")
