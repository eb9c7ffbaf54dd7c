"""The article: text with numbers, equations, notes and figures, as the body of a page.

Equations become MathML by latex2mathml, which is needed only where the article is written. Each
figure holds a still picture, and index.js draws the stage of a beat in its place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from crf.figures.languages import language
from crf.figures.texts import translations
from crf.figures.words import words
from pages.shared.contents import COURSE, STORY
from pages.shared.course.bibliography import sources
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.text import GLOSSARY, LessonText

FOLDER = Path(__file__).parent
TEXT = FOLDER / "article.md"
RATE = 200  # words that a reader reads in a minute
_SECTION = re.compile(
    r"^# (?P<name>[\w-]+): (?P<title>[^\n]+)\n(?P<text>.*?)(?=^# |\Z)", re.M | re.S
)
_HOLE = re.compile(r"\{([a-z][\w-]*)\}")
_EQUATION = re.compile(r"\$\$(?P<latex>.+)\$\$ \{(?P<name>[\w-]+)\}")
_MATH = re.compile(r"\$([^$]+)\$")
_LINK = re.compile(r'<a href="(term|eq|source|app):([\w-]+)">(.*?)</a>', re.DOTALL)
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
MathMl = Callable[[str, bool], str]  # LaTeX, whether it stands on a line of its own


class ArticleFigure(NamedTuple):
    """The stage of a beat in a state, and where the course has it.

    Attributes:
        lesson: Its lesson.
        beat: Its beat.
        state: The state's parts.
        leads: What the course can do besides: the name of its words.
        high: px of its picture.
        choices: Name → the beat, and what is added to the state; the first is shown.
        paths: Whether every path can be chosen.
    """

    lesson: str
    beat: str
    state: Mapping[str, str] = {}
    leads: str = "drag"
    high: int = 0
    choices: Mapping[str, tuple[str, Mapping[str, str]]] = {}
    paths: bool = False

    def views(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Each beat and state that it can show."""
        yield self.beat, self.state
        for beat, added in self.choices.values():
            yield beat, {**self.state, **added}
        if self.paths:
            problem = EXAMPLES[self.state["ex"]].problem
            for path in product(range(len(problem.tags)), repeat=len(problem.tokens)):
                yield self.beat, {**self.state, "path": "~".join(map(str, path))}

    @property
    def address(self) -> str:
        """Its page in the course, below the server's root."""
        entry = next(e for e in (STORY, *COURSE) if e.folder == self.lesson)
        return f"{entry.address}?{urlencode({**self.state, 'beat': self.beat})}"


_MAN = {"ex": "old-man"}
FIGURES = {
    "bet": ArticleFigure("trellis", "bet", _MAN, high=350),
    "path": ArticleFigure(
        "trellis",
        "path",
        _MAN,
        high=500,
        choices={"correct": ("path", {}), "garden": ("path", {"path": "0~1~2~0~2"})},
        paths=True,
    ),
    "count": ArticleFigure("trellis", "count", _MAN, "type", high=430),
    "regroup": ArticleFigure("trellis", "regroup", _MAN, "type", high=330),
    "add": ArticleFigure("trellis", "add", _MAN, high=350),
    "column": ArticleFigure("trellis", "column", _MAN, "type", high=350),
    "mind": ArticleFigure("trellis", "mind", _MAN, high=350),
    "back": ArticleFigure("trellis", "back", _MAN, high=350),
    "meet": ArticleFigure("trellis", "meet", _MAN, high=390),
    "counts": ArticleFigure(
        "learning",
        "counts",
        _MAN,
        high=430,
        choices={
            "rate": ("counts", {}),
            "slow": ("counts", {"with": "rate_0.1"}),
            "fast": ("counts", {"with": "rate_2"}),
        },
    ),
    "replace": ArticleFigure("words", "replace", {"ex": "her-work"}, "type", high=430),
    "broken": ArticleFigure(
        "constraints",
        "broken",
        {"ex": "paris-hilton"},
        "type",
        high=430,
        choices={"free": ("broken", {}), "forbidden": ("switch", {})},
    ),
    "multiply": ArticleFigure(
        "stability",
        "multiply",
        _MAN,
        high=430,
        choices={"products": ("multiply", {}), "logs": ("logs", {})},
    ),
    "bias": ArticleFigure(
        "graphs",
        "bias",
        _MAN,
        high=380,
        choices={"o": ("bias", {}), "i": ("bias", {"with": "letter_i"})},
    ),
}


class ArticleSection(NamedTuple):
    """A part of the article."""

    name: str
    title: str
    text: str  # Markdown


@cache
def _sections(speak: str) -> tuple[ArticleSection, ...]:
    texts = translations(TEXT)
    return tuple(
        ArticleSection(**found.groupdict())
        for found in _SECTION.finditer(texts.get(speak, texts["en"]))
    )


def sections() -> tuple[ArticleSection, ...]:
    """The parts in the reader's language, the first of which is the title."""
    return _sections(language())


def minutes() -> int:
    """How long it takes to read, by the English text."""
    return round(sum(len(s.text.split()) for s in _sections("en")) / RATE)


def in_language(address: str) -> str:
    """A page of the course, in the language of the article."""
    if language() == "en":
        return address
    return f"{address}{'&' if '?' in address else '?'}lang={language()}"


class ArticleWriter:
    """Writes the article's parts as HTML.

    Args:
        mathml: Turns LaTeX into MathML.
        stills: Figure → its still as SVG.
        course: Where the course is: an address that ends in "/".
    """

    def __init__(self, mathml: MathMl, stills: Mapping[str, str], course: str) -> None:
        self.mathml, self.stills, self.course = mathml, stills, course
        from pages.read.facts import facts  # they need torch, and the server starts without it

        self.facts = {**facts(), "minutes": str(minutes())}
        self.words = words(FOLDER, language(), "words")
        text = "".join(section.text for section in sections())
        named = [found["name"] for found in _EQUATION.finditer(text)]
        self.numbers = {name: n for n, name in enumerate(named, start=1)}
        self.cited: list[str] = []
        self.explained: set[str] = set()

    def section(self, section: ArticleSection) -> Markup:
        """A section with its heading."""
        blocks = [self._block(block) for block in section.text.strip().split("\n\n")]
        head = Markup('<section id="{0}"><h2><a href="#{0}">{1}</a></h2>\n').format(*section[:2])
        return head + Markup("\n").join(blocks) + Markup("\n</section>")

    def _block(self, block: str) -> Markup:
        if figure := re.fullmatch(r"\{figure-(\w+)\}", block):
            return self.figure(figure[1])
        if equation := _EQUATION.fullmatch(block):
            name, parts = equation["name"], equation["latex"].split(r"\allowbreak")
            latex = Markup("").join(Markup(self.mathml(part.strip(), True)) for part in parts)
            return Markup(
                '<div class="equation" id="eq-{}">{}<a class="number" href="#eq-{}">({})</a></div>'
            ).format(name, latex, name, self.numbers[name])
        return self.prose(block)

    def prose(self, text: str) -> Markup:
        """Markdown with holes, formulas and links, as paragraphs."""
        formulas = [self.mathml(found[1], False) for found in _MATH.finditer(text)]
        kept = iter(range(len(formulas)))
        text = _MATH.sub(lambda _: f"\ue000{next(kept)}\ue001", text)
        text = _HOLE.sub(lambda hole: self.facts[hole[1]], text)
        html = _LINK.sub(self._link, _markdown.render(text).strip())
        return Markup(re.sub("\ue000(\\d+)\ue001", lambda m: formulas[int(m[1])], html))

    def _link(self, found: re.Match[str]) -> str:
        kind, name, text = found[1], found[2], Markup(found[3])
        if kind == "term":
            if name in self.explained:
                return text
            self.explained.add(name)
            entry = LessonText.load(GLOSSARY)
            return Markup(
                '<dfn tabindex="0" aria-describedby="note-{0}">{1}</dfn>'
                '<small class="note" role="note" id="note-{0}"><b>{2}</b>: {3}</small>'
            ).format(name, text, entry.title(name), entry.plain(name))
        if kind == "source":
            if name not in self.cited:
                self.cited.append(name)
            return Markup('<a href="#source-{}">{}</a>').format(name, text)
        if kind == "eq":
            return Markup('<a href="#eq-{}">{} ({})</a>').format(name, text, self.numbers[name])
        return Markup('<a href="{}{}">{}</a>').format(self.course, in_language(name), text)

    def figure(self, name: str) -> Markup:
        """A figure: its still, the place where its stage is drawn, and its caption."""
        one = FIGURES[name]
        return Markup(
            '<figure id="figure-{0}" data-name="{0}" style="--high: {1}px">'
            '<div class="still">{2}</div><div class="live" hidden></div>'
            '<figcaption>{3} <a href="{4}">{5} →</a></figcaption></figure>'
        ).format(
            name,
            one.high,
            Markup(self.stills[name]),
            Markup(_markdown.renderInline(self.words[f"caption-{name}"])),
            self.course + in_language(one.address),
            self.words[one.leads],
        )

    def alt(self, name: str) -> str:
        """What a still shows, for those who cannot see it."""
        return _HOLE.sub(lambda hole: self.facts[hole[1]], self.words[f"alt-{name}"])

    def sources(self) -> Markup:
        """What the sections so far have cited, by first author."""
        known = sources()
        item = Markup('<li id="source-{}">{}: <cite>{}</cite>. {}.</li>').format
        cited = sorted(self.cited, key=lambda key: known[key].authors.split()[-1] and key)
        rows = [item(key, *known[key][:3]) for key in cited]
        return Markup("<ul>{}</ul>").format(Markup("\n").join(rows))


def inline(text: str) -> Markup:
    """Markdown without paragraphs."""
    return Markup(_markdown.renderInline(text))


def heading(text: str) -> Markup:
    """Text that is no markup."""
    return Markup(escape(text))
