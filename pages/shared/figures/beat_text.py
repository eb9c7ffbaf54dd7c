"""The words of beats: Markdown with a heading for each passage, holes for facts, and guards.

    ## say when changed == 1
    - en: Word by word, {word} looks like {alone}. With its neighbours it becomes **{now}**.
    - de: …

    ## say
    - en: The neighbours change no tag here.
    - de: Die Nachbarn ändern hier kein Tag.

Several passages may have one name: the first whose guard holds is taken, the one without a guard
stands last. A guard compares facts, `NAME == 2` or `NAME != hand`, several joined by `and`; there
is no other code. [Words](term:NAME) are explained where they stand, by the glossary's entry of
that name. A passage becomes segments, plain data that the stage writes as text:

    ["Word by word, ", {"text": "book", "tag": 7}, " looks like ", …, {"text": "a", "bold": True}]
"""

import operator
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from crf.figures.languages import language
from crf.figures.texts import translations
from crf.figures.words import Filler
from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course.right_to_left import isolate
from pages.shared.figures.text import GLOSSARY, LessonText

Segment = str | dict[str, Any]
_HEADING = re.compile(r"^## (?P<name>[\w-]+)(?: when (?P<guard>.+))?$", re.MULTILINE)
_TERM = re.compile(r"(\w+) (==|!=|<=|>=|<|>) ([\w-]+)")
_TERM_LINK = re.compile(r"\(term:([\w-]+)\)")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_markdown = MarkdownIt("commonmark", {"html": False})


class Tagged(NamedTuple):
    """A word in the colour of a tag."""

    text: str
    tag: int  # index


class Passage(NamedTuple):
    """One passage: its name, its guard, and its Markdown on one line."""

    name: str
    guard: str  # "": it always holds
    body: str


def passages(source: str) -> tuple[Passage, ...]:
    """Read the passages of a text, in their order.

    Raises:
        ValueError: A guard cannot be read, or stands after a passage that always holds.
    """
    heads = list(_HEADING.finditer(source))
    ends = [head.start() for head in heads[1:]] + [len(source)]
    result, closed = [], set()
    for head, end in zip(heads, ends, strict=True):
        name, guard = head["name"], head["guard"] or ""
        if name in closed:
            raise ValueError(f"text: {name!r} has a passage after the one that always holds")
        if not guard:
            closed.add(name)
        elif not all(_TERM.fullmatch(term) for term in guard.split(" and ")):
            raise ValueError(f"text: expected comparisons joined by 'and', got {guard!r}")
        body = re.sub(r"[ \n]+", " ", source[head.end() : end]).strip()  # keeps U+00A0
        result.append(Passage(name, guard, body))
    return tuple(result)


def holds(guard: str, facts: Mapping[str, Any]) -> bool:
    """Whether a guard holds for these facts.

    >>> holds("n == 2 and who != hand", {"n": 2, "who": "local"}), holds("", {})
    (True, True)
    """
    for name, compare, text in _comparisons(guard):
        fact = facts[name]
        if not compare(fact, int(text) if isinstance(fact, int) else text):
            return False
    return True


@cache  # as many as the texts have
def _comparisons(guard: str) -> tuple[tuple[str, Callable[[Any, Any], bool], str], ...]:
    terms = [_TERM.fullmatch(term) for term in guard.split(" and ") if term]
    return tuple((term[1], _COMPARE[term[2]], term[3]) for term in terms if term)


class BeatText:
    """The passages of one lesson, in the reader's language."""

    def __init__(self, own: tuple[Passage, ...], english: tuple[Passage, ...], speak: str) -> None:
        there = {passage.name for passage in own}
        self._passages: dict[str, list[Passage]] = {}  # by name
        for passage in (*own, *(p for p in english if p.name not in there)):
            self._passages.setdefault(passage.name, []).append(passage)
        self._language = speak
        self._own = there

    @classmethod
    def load(cls, path: Path) -> "BeatText":
        """Read a file in the reader's language; passages that the translation lacks are English."""
        return _load(path, language())

    @property
    def between(self) -> str:
        """The space between two sentences: none in Chinese."""
        return "" if self._language == "zh" else " "

    def has(self, name: str) -> bool:
        """Whether there is a passage of this name."""
        return name in self._passages

    def labels(self) -> dict[str, str]:
        """Each beat's name for readers."""
        names = [name.removesuffix("-label") for name in self._passages if "-label" in name]
        return {name: self.plain(f"{name}-label", {"own": 0}) for name in names if name != "word"}

    def passage(self, name: str, facts: Mapping[str, Any]) -> Passage:
        """The first passage of this name whose guard holds.

        Raises:
            KeyError: There is none.
        """
        for passage in self._passages.get(name, ()):
            if holds(passage.guard, facts):
                return passage
        raise KeyError(f"text: no passage {name!r} holds for {dict(facts)}")

    def segments(self, name: str, facts: Mapping[str, Any]) -> list[Segment]:
        """A passage as segments, its holes filled.

        A fact may be text, a number (which chooses a plural form), `Tagged`, or segments.

        Raises:
            KeyError: No passage of this name holds, or a fact is missing.
        """
        body = self.passage(name, facts).body
        filler = Filler(self._language if name in self._own else "en")
        segments: list[Segment] = []
        style: dict[str, Any] = {}
        for token in _inline(body):
            kind, _, side = token.type.partition("_")
            if kind in ("strong", "em"):
                look = "bold" if kind == "strong" else "em"
                style = {k: v for k, v in style.items() if k != look}
                style |= {look: True} if side == "open" else {}
            elif kind == "link":  # [marginal](term:marginal) explains itself
                style = {k: v for k, v in style.items() if k != "says"}
                if side == "open":
                    style |= {"says": _meaning(token.attrs["href"].removeprefix("term:"))}
            elif kind == "text":
                segments += _filled(token.content, facts, filler, style)
            elif kind == "code":  # as it stands: braces are code there
                segments.append({"text": token.content, "code": True})
        return _joined(segments)

    def plain(self, name: str, facts: Mapping[str, Any]) -> str:
        """A passage as plain text."""
        return "".join(s if isinstance(s, str) else s["text"] for s in self.segments(name, facts))


@cache
def _load(path: Path, speak: str) -> BeatText:
    texts = translations(path)
    return BeatText(passages(texts.get(speak, "")), passages(texts["en"]), speak)


def _meaning(term: str) -> str:
    """The glossary's sentence on a term, and the beat that shows it."""
    meaning, place = LessonText.load(GLOSSARY).plain(term), shown_at(term)
    return f"{meaning} → {place.title}" if place else meaning


class ShownAt(NamedTuple):
    """A beat of a lesson, and what readers call both."""

    lesson: Entry
    beat: str
    title: str


def shown_at(term: str) -> ShownAt | None:
    """The first beat of the course that explains a term in its words; None: none does."""
    found = _first_uses().get(term)
    if not found:
        return None
    lesson, beat = found
    labels = BeatText.load(lesson.text).labels()
    title = contents.title("trellis") if lesson is contents.STORY else lesson.title
    colon = "：" if language() == "zh" else ": "
    return ShownAt(lesson, beat, f"{title}{colon}{labels[beat]}")


@cache
def _first_uses() -> dict[str, tuple[Entry, str]]:
    """Terms that beats explain, each with the first lesson and beat."""
    uses: dict[str, tuple[Entry, str]] = {}
    for lesson in contents.lessons():
        own = passages(translations(lesson.text)["en"])
        for beat in BeatText.load(lesson.text).labels():
            of_beat = [one for one in own if f"{one.name}-".startswith(f"{beat}-")]
            for one in of_beat:
                for term in _TERM_LINK.findall(one.body):
                    uses.setdefault(term, (lesson, beat))
    return uses


@lru_cache(maxsize=4096)  # a lesson's text is read again for every state: all passages fit
def _inline(body: str) -> tuple[Any, ...]:
    return tuple(child for token in _markdown.parseInline(body) for child in token.children or ())


@lru_cache(maxsize=4096)
def _holes(text: str) -> tuple[tuple[str, str | None, str | None], ...]:
    """What stands between the holes of a text, and each hole's name and format."""
    return tuple(part[:3] for part in Formatter().parse(text))


def _filled(
    text: str, facts: Mapping[str, Any], filler: Filler, style: dict[str, Any]
) -> list[Segment]:
    segments: list[Segment] = []
    for literal, hole, spec in _holes(text):
        if literal:
            segments.append({"text": literal} | style if style else literal)
        if hole is None:
            continue
        fact = facts[hole]
        if isinstance(fact, list):
            segments += fact
        elif isinstance(fact, Tagged):
            segments.append({"text": isolate(fact.text), "tag": fact.tag} | style)
        else:
            value = filler.format_field(
                isolate(fact) if isinstance(fact, str) else fact, spec or ""
            )
            segments.append({"text": value} | style if style else value)
    return segments


def _joined(segments: list[Segment]) -> list[Segment]:
    """The segments, with neighbouring plain texts merged."""
    joined: list[Segment] = []
    for segment in segments:
        if isinstance(segment, str) and joined and isinstance(joined[-1], str):
            joined[-1] += segment
        else:
            joined.append(segment)
    return joined
