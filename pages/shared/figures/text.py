"""A lesson's words: Markdown with named holes, a heading for each paragraph.

    # greedy: Tagging each word by itself
    A greedy tagger gives ‘{word}’ the tag [with the best emission](#emission).

    text = LessonText.load(path)
    text.html("greedy", word="man")

A heading is the paragraph's name; what follows a colon is shown as a heading above it. A hole is
filled by a fact, which is escaped unless it is markup made by a figure. A link to #name is no
link: it marks the words that speak of those parts of the picture that bear the name. A link to
term:name marks a term of the glossary, which is one more such text; the mark opens what it says:
"the tags are [clamped](term:clamp)". Terms under their own name are marked by themselves.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from pages.shared.contents import PAGES
from pages.shared.course.direction import isolate

_HEADING = re.compile(r"^# (?P<name>[a-z0-9-]+)(?:: (?P<title>.*))?$", re.MULTILINE)
_MARK = re.compile(r'<a href="#([\w .-]+)">(.*?)</a>', re.DOTALL)
_TERM = re.compile(r'<a href="term:([a-z0-9-]*)">(.*?)</a>', re.DOTALL)
_MARKUP = re.compile(r"<[^>]+>")
_LOG_Z = re.compile(r"\blog\s+Z\b")
GLOSSARY = PAGES / "glossary" / "text.md"
_render = MarkdownIt("commonmark", {"html": False}).enable("table").render


class Paragraph(NamedTuple):
    """One part of a text.

    Attributes:
        title: Shown above it; may be "".
        body: HTML with holes.
        holes: Their names.
    """

    title: str
    body: str
    holes: frozenset[str]


class LessonText:
    r"""The paragraphs of a lesson by name.

    Args:
        source: The contents of its text.md.

    Raises:
        ValueError: Two paragraphs have one name.

    Example:
        >>> text = LessonText("# one: A title\nA *{tag}*.\n")
        >>> print(text.html("one", tag="<b>"))
        <h2 id="part-a-title">A title</h2><div class="crf-prose"><p>A <em>&lt;b&gt;</em>.</p></div>
    """

    def __init__(self, source: str) -> None:
        self.paragraphs: dict[str, Paragraph] = {}
        found = list(_HEADING.finditer(source))
        for k, heading in enumerate(found):
            name = heading["name"]
            if name in self.paragraphs:
                raise ValueError(f"text: two paragraphs are called {name!r}; rename one")
            until = found[k + 1].start() if k + 1 < len(found) else len(source)
            written = source[heading.end() : until].strip()
            rendered = _LOG_Z.sub("log\u00a0Z", _render(written).strip())  # no line ends in it
            body = _TERM.sub(_term, _MARK.sub(_mark, rendered)) if written else ""
            holes = {hole for _, hole, _, _ in Formatter().parse(body) if hole}
            holes |= {hole for _, hole, _, _ in Formatter().parse(heading["title"] or "") if hole}
            self.paragraphs[name] = Paragraph(heading["title"] or "", body, frozenset(holes))

    @classmethod
    def load(cls, path: Path) -> "LessonText":
        """The text of a file; read once."""
        return _load(path)

    def title(self, name: str, /, **facts: Any) -> str:
        """The heading of a paragraph, as plain text."""
        return self[name].title.format(**facts)

    def html(
        self, name: str, marked: Callable[[str], str] = lambda body: body, /, **facts: Any
    ) -> Markup:
        """A paragraph with its heading.

        Args:
            name: Of the paragraph.
            marked: Marks terms in its HTML.
            facts: What fills its holes, by name: texts and numbers as they shall be read.

        Raises:
            KeyError: There is no such paragraph.
            ValueError: The facts are not exactly its holes.
        """
        title, body, holes = self[name]
        if holes != facts.keys():
            raise ValueError(
                f"text: paragraph {name!r} has the holes {sorted(holes)}, got {sorted(facts)}"
            )
        shown = Markup("")
        if title:
            shown += Markup('<h2 id="{}">{}</h2>').format(anchor(title), title.format(**facts))
        if body:
            shown += Markup(f'<div class="crf-prose">{marked(body)}</div>').format(
                **{hole: _inert(fact) for hole, fact in facts.items()}
            )
        return shown

    def body(self, name: str, /, **facts: Any) -> Markup:
        """A paragraph without its heading, its holes filled."""
        held = {hole: _inert(fact) for hole, fact in facts.items()}
        return Markup(f'<div class="crf-prose">{self[name].body}</div>').format(**held)

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


@lru_cache(maxsize=64)
def _load(path: Path) -> LessonText:
    return LessonText(path.read_text(encoding="utf-8"))


def _term(link: re.Match[str]) -> str:
    return mark_term(link[1], link[2])


def mark_term(name: str, words: str) -> str:
    """Words that open the glossary's sentence on a term where they stand; HTML without holes."""
    opens = f'data-term="{name}" tabindex="0" title="{meaning(name)}"'
    return f'<dfn class="crf-term" {opens}>{words}</dfn>'


def meaning(name: str) -> str:
    """The glossary's sentence on a term, escaped for an attribute and for holes."""
    plain = str(escape(LessonText.load(GLOSSARY).plain(name)))
    return plain.replace("{", "{{").replace("}", "}}")


def _mark(link: re.Match[str]) -> str:
    return (
        f'<span class="crf-speaks" tabindex="0" data-lights="{link[1]}" '
        f'title="Lights up in the picture">{link[2]}</span>'
    )


def prose(*paragraphs: str) -> str:
    """Texts as paragraphs; they are plain unless they are markup."""
    return "".join(f'<p class="crf-prose">{_inert(text)}</p>' for text in paragraphs)
