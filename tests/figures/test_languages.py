"""What is said in one language says the same of the same facts in the others."""

import re
from string import Formatter

import pytest

from crf.figures.languages import LANGUAGES
from crf.figures.texts import translations
from crf.figures.words import Filler, cases
from crf.lab import mistakes
from pages.shared.contents import ROOT
from pages.shared.figures.beat_text import BeatText, passages
from pages.shared.ui.language import speaking
from tests.untranslated import TEXTS, lacking, names

TRANSLATED = [(path, one) for path in TEXTS for one in translations(path) if one != "en"]
BEATS = [(path, one) for path, one in TRANSLATED if path.name == "beats.md"]
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$")  # in dollar signs, as an article has them
_PART = re.compile(r"^# ([\w-]+)(?:: (.*))?\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)


def sentences(path, language):
    """Paragraphs and cases of a text by name, each with its heading; a beat's with their guards."""
    text = translations(path)[language]
    if path.name == "beats.md":
        return {f"{p.name} when {p.guard}": p.body for p in passages(text)}
    found = {}
    for name, title, body in _PART.findall(text):
        rows = cases(body.strip() + "\n")
        found |= {f"{name}.{case}": text for case, text in rows.items()} or {name: title + body}
    return found


def facts(text):
    """Its formulas, the names of its holes, and those of what lights up or is a term."""
    holes = {hole for _, hole, _, _ in Formatter().parse(_FORMULA.sub("", text)) if hole}
    return set(_FORMULA.findall(text)), holes, set(re.findall(r"\]\(([#\w:.-]+)\)", text))


@pytest.mark.parametrize(
    ("path", "language"), TRANSLATED, ids=lambda it: getattr(it, "parent", it) and str(it)[-40:]
)
def test_a_translation_has_the_same_facts(path, language):
    english, own = sentences(path, "en"), sentences(path, language)
    assert not own.keys() - english.keys(), "not in the English text"
    unlike = {
        name: (text, english[name])
        for name, text in own.items()
        if facts(text) != facts(english[name])
    }
    assert not unlike


@pytest.mark.parametrize(("path", "language"), BEATS)
def test_a_beat_s_numbers_are_bold_where_the_english_ones_are(path, language):
    """Markdown reads ** beside a Chinese character as two asterisks."""
    english = {(p.name, p.guard): p for p in passages(translations(path)["en"])}
    for own in passages(translations(path)[language]):
        assert bold(own, language) == bold(english[own.name, own.guard], "en")


def bold(passage, language):
    """The holes of each bold part of a passage; words in bold have none."""
    numbers = set(re.findall(r"\{(\w+):", passage.body))
    names = {hole for _, hole, _, _ in Formatter().parse(passage.body) if hole}
    text = BeatText((passage._replace(guard=""),), (), language)
    segments = text.segments(passage.name, {n: 1 if n in numbers else n for n in names})
    assert "*" not in "".join(s if isinstance(s, str) else s["text"] for s in segments)
    parts = re.findall(r"\*\*(.+?)\*\*", passage.body)
    return sorted(sorted(h for _, h, _, _ in Formatter().parse(part) if h) for part in parts)


@pytest.mark.thorough
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_before_a_release_no_text_lacks_a_translation(path):
    assert [*lacking(path)] == []


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_a_mistake_that_is_explained_is_named_too(language):
    english = mistakes.explanations()
    with speaking(language):
        for name, text in mistakes.explanations().items():
            assert text != english[name]
            assert mistakes.title(name) != name or name == "−∞ minus −∞"


@pytest.mark.parametrize(
    ("language", "n", "expected"),
    [("en", 1, "1 path"), ("en", 1200, "1,200 paths"), ("de", 1, "1 path"), ("zh", 5, "5 path")],
)
def test_a_number_chooses_its_form(language, n, expected):
    assert Filler(language).format("{n:# path/# paths}", n=n) == expected


# ---------------------------------------------------------------------- how a text is written

TEXT = """\
A remark for those who edit this.

## say when n == 1
- en: One {n}.
- de: Ein {n}.

## say
- en: First.
- en: Second.
- de:

# titled: A title
- de title: Ein Titel
- en: Text
```en
1. a list

2. | and more
```

# ties
| case | en | de |
| --- | --- | --- |
| two | {a} and {b} | {a} und {b} |
| bar | a \\| b | |

# ties.long
- en: A long | one.
- de: Ein langer | Fall.
"""


@pytest.fixture
def text(tmp_path):
    def written(source=TEXT):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.md"
        path.write_text(source, encoding="utf-8")
        return path

    return written


def test_each_language_is_read_from_one_file(text):
    texts = translations(text())
    assert list(texts) == ["en", "de"]
    assert texts["en"] == (
        "## say when n == 1\nOne {n}.\n\n## say\nFirst.\n\nSecond.\n\n"
        "# titled: A title\nText\n\n1. a list\n\n2. | and more\n\n"
        "# ties\n| case | sentence |\n| --- | --- |\n| two | {a} and {b} |\n| bar | a \\| b |\n"
        "| long | A long \\| one. |\n"
    )
    assert texts["de"] == (
        "## say when n == 1\nEin {n}.\n\n## say\n\n\n# titled: Ein Titel\n\n\n"
        "# ties\n| case | sentence |\n| --- | --- |\n| two | {a} und {b} |\n"
        "| long | Ein langer \\| Fall. |\n"
    )


def test_what_a_language_lacks_is_listed(text):
    assert {name for language, name in lacking(text()) if language == "de"} == {"ties.bar"}
    assert names(translations(text())["en"])[-3:] == ["ties.two", "ties.bar", "ties.long"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("# a\nA sentence.\n", "line 2: expected a heading"),
        ("# a\n- fr: Une phrase.\n", "line 2: expected"),
        ("# a\n```en\nno end\n", "the last fence has no end"),
    ],
)
def test_a_line_that_is_none_of_these_is_refused(text, source, message):
    with pytest.raises(ValueError, match=message):
        translations(text(source))
