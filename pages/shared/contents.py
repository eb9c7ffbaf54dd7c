"""The course as one table, in the order in which it is read.

A lesson is a folder in pages/ with beats.py and more.py, a line here, and in contents.md its title
and the question that it answers. A door opens a lesson at a beat of its own. A page without beats
draws itself: `show` in its page.py.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crf.figures.languages import language
from crf.figures.texts import translations

PAGES = Path(__file__).resolve().parents[1]
ROOT = PAGES.parent
TEXT = Path(__file__).with_suffix(".md")
_HEAD = re.compile(r"^# ([\w-]+): (.+)\n(.*)$", re.MULTILINE)


@cache
def _heads(path: Path, language: str) -> dict[str, tuple[str, str]]:
    """Title and question of each page, by its folder."""
    text = translations(path).get(language, "")
    return {name: (title, question) for name, title, question in _HEAD.findall(text)}


def _head(name: str) -> tuple[str, str]:
    """Title and question in the reader's language, else in English."""
    return _heads(TEXT, language()).get(name) or _heads(TEXT, "en")[name]


def title(name: str) -> str:
    """What contents.md calls a page, or the trellis."""
    return _head(name)[0]


class Entry(NamedTuple):
    """A lesson in the table of contents."""

    folder: str  # in pages/, and its address unless `url` says otherwise
    url: str = ""  # its address; "": its folder's name
    beat: str = ""  # the one that it opens, unless the address names one; "": the first
    minutes: int = 0  # about how long it takes; 0: it is no lesson
    is_door: bool = False
    has_beats: bool = True

    @property
    def title(self) -> str:
        """What the menu calls it, and its heading."""
        return title(self.name)

    @property
    def question(self) -> str:
        """The question that the lesson answers."""
        return _head(self.name)[1]

    @property
    def name(self) -> str:
        """Its key in contents.md and bibliography.toml."""
        return self.url if self.is_door else self.folder

    @property
    def text(self) -> Path:
        """The file with the words of its beats."""
        return PAGES / self.folder / "beats.md"

    @property
    def address(self) -> str:
        """Its part of the address."""
        return self.url or self.folder


def _trellis(url: str, beat: str, minutes: int = 0) -> Entry:
    return Entry("trellis", url, beat, minutes, is_door=True)


COURSE = (
    Entry("tag", "start"),
    _trellis("scores", "path"),
    _trellis("forward", "add"),
    _trellis("viterbi", "best"),
    _trellis("backward", "both"),
    Entry("learning", minutes=15),
    Entry("words", "tagger", minutes=12),
    Entry("stability", minutes=10),
    Entry("implement", "check", "cell", minutes=20),
    Entry("batches", minutes=12),
    Entry("constraints", minutes=12),
    Entry("cost", minutes=8),
    Entry("graphs", minutes=12),
    Entry("now", minutes=5),
    Entry("glossary", has_beats=False),
)
# no lessons: what a lecturer prepares; the plan of a lecture stands beside the trellis
TEACHING = (Entry("lecture", has_beats=False), Entry("homework", has_beats=False))
FIRST = COURSE[0]
ARTICLE = {  # lesson → the section of the article at /read that tells it
    "tag": "together",
    "scores": "scores",
    "structure": "too-many",
    "forward": "forward",
    "viterbi": "best",
    "backward": "marginals",
    "learning": "learning",
    "words": "words",
    "implement": "numerics",
    "stability": "numerics",
    "batches": "numerics",
    "constraints": "constraints",
    "cost": "forward",
    "graphs": "history",
    "now": "when",
}
# where the trellis's story begins; in no list of pages
STORY = _trellis("structure", "bet", minutes=25)
MODES = {"path": "bet", "add": "regroup", "best": "best", "both": "both"}  # with their first beats
# beats that stand elsewhere now; their addresses, lectures and files open these
MOVED = {("trellis", "done"): ("now", "questions")}
# the first lesson also stands at "/"; what was a slide leads to the plan
ALIASES = {FIRST.address: FIRST, "tag": FIRST, "slide": TEACHING[0]}


def entry(address: str) -> Entry:
    """The page with this address; the first lesson if there is no such page."""
    every = (*COURSE, *TEACHING, STORY)
    return next((e for e in every if e.address == address), ALIASES.get(address, FIRST))


def lessons() -> tuple[Entry, ...]:
    """The lessons in the order of the course, each once: the trellis's doors lead into one."""
    return (STORY, *(one for one in COURSE[1:] if one.has_beats and not one.is_door))


def neighbours(folder: str) -> tuple[Entry | None, Entry | None]:
    """What comes before and after a lesson in the course; a page beside it has neither."""
    around = (None, FIRST, *lessons(), None)
    k = next((k for k, one in enumerate(around) if one and one.folder == folder), 0)
    return (around[k - 1], around[k + 1]) if k else (None, None)
