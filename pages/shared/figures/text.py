"""A lesson's words: Markdown with named holes, a heading for each paragraph.

    # greedy: Tagging each word by itself
    - en: A greedy tagger gives ‘{word}’ the tag with the best emission.

    text = LessonText.load(path)
    text.html("greedy", word="man")

A heading is the paragraph's name; what follows a colon is shown as a heading above it. A hole is
filled by a fact, which is escaped unless it is markup made by a figure. A link to term:name marks a
term of the glossary, which is one more such text; the mark opens what it says: "the tags are
[clamped](term:clamp)".

What depends on the numbers is a table of cases, a line for each with its name and its sentence.
Python says which cases hold, and their facts; the sentences fill a hole of a paragraph.

    # agreement
    | case | en |
    | --- | --- |
    | all | All {n:# decoder agrees/# decoders agree}. |

    text.html("decoders", compared=[case("agreement.all", n=3)])

`crf.figures.texts` reads the file in one language; what that lacks is shown in English. Nothing
here keeps a sentence: records hold cases, which are put into words when shown.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from crf.figures.languages import language
from crf.figures.texts import translations
from crf.figures.words import Filler, cases, fill, words
from pages.shared.contents import PAGES
from pages.shared.course.right_to_left import isolate

_HEADING = re.compile(r"^# (?P<name>[a-z0-9-]+)(?:: (?P<title>.*))?$", re.MULTILINE)
_TERM = re.compile(r'<a href="term:([a-z0-9-]*)">(.*?)</a>', re.DOTALL)
_MARKUP = re.compile(r"<[^>]+>")
_LOG_Z = re.compile(r"\blog\s+Z\b")
GLOSSARY = PAGES / "glossary" / "text.md"
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_BETWEEN = {"zh": ""}  # sentences; a blank in other languages


class Case(NamedTuple):
    """A sentence of a table of cases, not yet in words."""

    name: str  # "table.case"
    facts: Mapping[str, Any]  # what fills its holes


class Items(NamedTuple):
    """Things to be listed with commas and "and"."""

    items: Sequence[Any]  # texts, markup or cases


class Unbroken(NamedTuple):
    """A case that stands in one line."""

    told: Case  # the case


Told: TypeAlias = Case | Sequence[Case]


def case(name: str, /, **facts: Any) -> Case:
    """Name a case that holds, "table.case", with its facts."""
    return Case(name, facts)


class Paragraph(NamedTuple):
    """One part of a text."""

    title: str  # shown above it; may be ""
    body: str  # HTML with holes; "" for a table of cases
    holes: frozenset[str]  # their names
    # the sentences of a table of cases, in Markdown, each with its language
    cases: Mapping[str, tuple[str, str]]
    language: str  # of title and body


class LessonText:
    """The paragraphs of a lesson by name."""

    def __init__(self, source: str, language: str = "en") -> None:
        self.paragraphs: dict[str, Paragraph] = {}
        self._speak = language
        headings = list(_HEADING.finditer(source))
        for k, heading in enumerate(headings):
            name = heading["name"]
            if name in self.paragraphs:
                raise ValueError(f"text: two paragraphs are called {name!r}; rename one")
            until = headings[k + 1].start() if k + 1 < len(headings) else len(source)
            written, title = source[heading.end() : until].strip(), heading["title"] or ""
            sentences = cases(written + "\n")
            body = _html(_markdown.render(written), language) if written and not sentences else ""
            rows = {row: (sentence, language) for row, sentence in sentences.items()}
            self.paragraphs[name] = Paragraph(title, body, holes(title + body), rows, language)

    @classmethod
    def of(cls, lesson: str) -> "LessonText":
        """The text of a lesson, by its folder."""
        return cls.load(PAGES / lesson / "text.md")

    @classmethod
    def load(cls, path: Path) -> "LessonText":
        """The text of a file in the reader's language; read once."""
        return _load(path, language())

    def or_else(self, other: "LessonText") -> "LessonText":
        """This text, with paragraphs and cases of another where it lacks them."""
        for name, theirs in other.paragraphs.items():
            own = self.paragraphs.get(name)
            if own is None:
                self.paragraphs[name] = theirs
            elif theirs.cases:
                self.paragraphs[name] = own._replace(cases={**theirs.cases, **own.cases})
        return self

    def title(self, name: str, /, **facts: Any) -> str:
        """The heading of a paragraph, as plain text."""
        return Filler(self[name].language).vformat(self[name].title, (), facts)

    def html(self, name: str, /, **facts: Any) -> Markup:
        """A paragraph with its heading.

        Raises:
            KeyError: There is no such paragraph.
            ValueError: The facts are not exactly its holes.
        """
        _check("paragraph", name, self[name].holes, facts)
        heading = Markup("")
        if self[name].title:
            title = self.title(name, **facts)
            heading += Markup('<h2 id="{}">{}</h2>').format(anchor(title), title)
        return heading + self.body(name, **facts) if self[name].body else heading

    def body(self, name: str, /, **facts: Any) -> Markup:
        """A paragraph without its heading, its holes filled."""
        body, spoken = self[name].body, self[name].language
        lang = "" if spoken == "en" else f' lang="{spoken}"'
        inert = {hole: self._inert(fact) for hole, fact in facts.items()}
        filled = Filler(spoken).vformat(body, (), inert)
        return Markup(f'<div class="crf-prose"{lang}>{filled}</div>')

    def sentence(self, told: Told) -> Markup:
        """Cases as HTML, one sentence after the other."""

        def written(text: str, speak: str) -> str:
            return _html(_markdown.renderInline(text), speak)

        return Markup(self._filled(told, written, self._inert))

    def line(self, told: Told | str, /, **facts: Any) -> str:
        """Cases as plain text; of one, its name and facts will do."""
        cases = Case(told, facts) if isinstance(told, str) else told
        return self._filled(cases, lambda text, _: text, self._plain)

    def _filled(
        self,
        told: Told,
        written: Callable[[str, str], str],
        fact: Callable[[Any], Any],
    ) -> str:
        """Cases one after the other; `written` makes text of Markdown in a language."""
        texts = []
        for name, facts in [told] if isinstance(told, Case) else told:
            table, _, row = name.partition(".")
            rows = self[table].cases
            if row not in rows:
                raise KeyError(f"text: no case is called {name!r}; there are {list(rows)}")
            sentence, speak = rows[row]
            _check("case", name, holes(sentence), facts)
            values = {hole: fact(value) for hole, value in facts.items()}
            texts.append(Filler(speak).vformat(written(sentence, speak), (), values))
        return _BETWEEN.get(self._speak, " ").join(texts)

    def _inert(self, fact: Any) -> Any:
        """A fact as HTML; a number stays one, since it may choose a form."""
        if isinstance(fact, Unbroken):
            return Markup(f'<span class="crf-nowrap">{self.sentence(fact.told)}</span>')
        if isinstance(fact, Items):
            return Markup(in_a_list([self._inert(item) for item in fact.items], self._speak))
        if _is_told(fact):
            return self.sentence(fact)
        return fact if type(fact) is int else _inert(fact)

    def _plain(self, fact: Any) -> Any:
        fact = fact.told if isinstance(fact, Unbroken) else fact
        if isinstance(fact, Items):
            return in_a_list([self._plain(item) for item in fact.items], self._speak)
        return self.line(fact) if _is_told(fact) else fact

    def plain(self, name: str) -> str:
        """The first paragraph under a heading as plain text; it must have no holes."""
        return unescape(_MARKUP.sub("", self[name].body.split("</p>")[0])).format()

    def __getitem__(self, name: str) -> Paragraph:
        if name not in self.paragraphs:
            raise KeyError(
                f"text: no paragraph is called {name!r}; there are {list(self.paragraphs)}"
            )
        return self.paragraphs[name]


def anchor(title: str) -> str:
    """The id of a heading in its page."""
    return "part-" + "-".join(re.findall(r"[a-z0-9]+", title.lower()))


def _inert(fact: Any) -> Markup:
    """A fact as HTML: markup of a figure as it is, text escaped and its names isolated."""
    return escape(isolate(fact) if type(fact) is str else fact)


def holes(text: str) -> frozenset[str]:
    """The names of the holes in a text."""
    return frozenset(hole for _, hole, _, _ in Formatter().parse(text) if hole)


def _check(what: str, name: str, expected: frozenset[str], facts: Mapping[str, Any]) -> None:
    if expected != facts.keys():
        raise ValueError(
            f"text: {what} {name!r} has the holes {sorted(expected)}, got {sorted(facts)}"
        )


def _is_told(fact: Any) -> bool:
    """Whether a fact is a case, several cases, or None."""
    return isinstance(fact, (Case, list, tuple))


def in_a_list(items: Sequence[Any], language: str) -> str:
    """Items with commas and "and"."""
    from babel.lists import format_list  # not before the first list

    return format_list(
        [str(item) for item in items], locale={"en": "en_GB"}.get(language, language)
    )


@lru_cache(maxsize=256)
def _load(path: Path, language: str) -> LessonText:
    texts = translations(path)
    english = LessonText(texts["en"])
    if language == "en" or language not in texts:
        return english
    return LessonText(texts[language], language).or_else(english)


@lru_cache(maxsize=2048)
def _html(rendered: str, speak: str) -> str:
    """Rendered Markdown in a language, with its terms."""
    rendered = _LOG_Z.sub("log\u00a0Z", rendered.strip())  # no line ends in it
    return _TERM.sub(lambda link: mark_term(link[1], link[2], speak), rendered)


def say(name: str, /, **facts: Any) -> str:
    """A text that figures share, from words.md, as plain text: "table.case"."""
    return fill(words(Path(__file__).parent)[name], **facts)


def mark_term(name: str, text: str, speak: str) -> str:
    """Words that open the glossary's sentence on a term where they stand; HTML without holes."""
    opens = f'data-term="{name}" tabindex="0" title="{meaning(name, speak)}"'
    return f'<dfn class="crf-term" {opens}>{text}</dfn>'


def meaning(name: str, speak: str) -> str:
    """The glossary's sentence on a term, escaped for an attribute and for holes."""
    plain = str(escape(_load(GLOSSARY, speak).plain(name)))
    return plain.replace("{", "{{").replace("}", "}}")


def prose(*paragraphs: str) -> str:
    """Texts as paragraphs; they are plain unless they are markup."""
    return "".join(f'<p class="crf-prose">{_inert(text)}</p>' for text in paragraphs)
