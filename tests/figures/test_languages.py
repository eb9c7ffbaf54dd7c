"""What each language lacks, and that what it has says the same of the same facts."""

import re
from pathlib import Path
from string import Formatter

import pytest

from crf.figures.languages import LANGUAGES
from crf.figures.words import Filler, cases, translations
from crf.lab import mistakes
from pages.shared.contents import ROOT
from pages.shared.figures.beat_text import BeatText, passages
from pages.shared.ui.language import speaking

TEXTS = sorted(
    path
    for folder in ("crf/figures", "pages")
    for path in (ROOT / folder).rglob("*.md")
    if path.name.count(".") == 1
)
TRANSLATED = [
    (path, language) for path in TEXTS for language in translations(path) if language != "en"
]
BEATS = [(path, language) for path, language in TRANSLATED if path.name == "beats.md"]
_PART = re.compile(r"^# ([\w-]+)(?:: (.*))?\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)


def sentences(path):
    """Paragraphs and cases of a file by name, each with its heading; a beat's with their guards."""
    if "beats" in path.name.split("."):
        return {f"{p.name} when {p.guard}": p.body for p in passages(path.read_text("utf-8"))}
    found = {}
    for name, title, body in _PART.findall(path.read_text(encoding="utf-8")):
        rows = cases(body.strip() + "\n")
        found |= {f"{name}.{case}": text for case, text in rows.items()} or {name: title + body}
    return found


def facts(text):
    """The names of its holes, and those of what lights up or is a term."""
    holes = {hole for _, hole, _, _ in Formatter().parse(text) if hole}
    return holes, set(re.findall(r"\]\(([#\w:.-]+)\)", text))


@pytest.mark.parametrize(
    ("path", "language"), TRANSLATED, ids=lambda it: getattr(it, "parent", it) and str(it)[-40:]
)
def test_a_translation_has_the_same_facts(path, language):
    english, own = sentences(path), sentences(translations(path)[language])
    assert not own.keys() - english.keys(), "not in the English text"
    partly = {name.partition(".")[0] for name in own if "." in name}
    lacking = {n for n in english.keys() - own.keys() if n.partition(".")[0] in partly}
    assert not lacking, "a table of cases is not complete"
    unlike = {
        name: (text, english[name])
        for name, text in own.items()
        if facts(text) != facts(english[name])
    }
    assert not unlike


@pytest.mark.parametrize(("path", "language"), BEATS)
def test_a_beat_s_passages_stand_in_the_same_order(path, language):
    """The first passage whose guard holds is said, so the order is part of the meaning."""
    assert list(sentences(translations(path)[language])) == list(sentences(path))


@pytest.mark.parametrize(("path", "language"), BEATS)
def test_a_beat_s_numbers_are_bold_where_the_english_ones_are(path, language):
    """Markdown reads ** beside a Chinese character as two asterisks."""
    for own, english in zip(
        passages(translations(path)[language].read_text("utf-8")),
        passages(path.read_text("utf-8")),
        strict=True,
    ):
        assert bold(own, language) == bold(english, "en")


def bold(passage, language):
    """The holes of each bold part of a passage; words in bold have none."""
    numbers = set(re.findall(r"\{(\w+):", passage.body))
    names = {hole for _, hole, _, _ in Formatter().parse(passage.body) if hole}
    text = BeatText((passage._replace(guard=""),), (), language)
    segments = text.segments(passage.name, {n: 1 if n in numbers else n for n in names})
    assert "*" not in "".join(s if isinstance(s, str) else s["text"] for s in segments)
    parts = re.findall(r"\*\*(.+?)\*\*", passage.body)
    return sorted(sorted(h for _, h, _, _ in Formatter().parse(part) if h) for part in parts)


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_lacks_anything(text, language):
    files = translations(text)
    assert language in files, "not translated"
    assert not sentences(files["en"]).keys() - sentences(files[language]).keys()


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_every_mistake_is_explained_and_named(language):
    names, files = (
        mistakes.explanations(),
        translations(Path(mistakes.__file__).with_name("words.md")),
    )
    assert language in files, "not translated"
    with speaking(language):
        assert mistakes.explanations().keys() == names.keys()
        for name in names:
            assert mistakes.explanations()[name] != names[name]
            assert mistakes.title(name) != name or name == "−∞ minus −∞"


@pytest.mark.parametrize(
    ("language", "n", "expected"),
    [("en", 1, "1 path"), ("en", 1200, "1,200 paths"), ("de", 1, "1 path"), ("zh", 5, "5 path")],
)
def test_a_number_chooses_its_form(language, n, expected):
    assert Filler(language).format("{n:# path/# paths}", n=n) == expected
