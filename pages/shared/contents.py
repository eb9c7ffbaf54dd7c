"""The course as one table, in the order in which it is read.

A lesson is a folder in pages/ with a script page.py, a line here, and in contents.md its title and
the question that it answers.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crf.figures.languages import language
from crf.figures.words import translations

PAGES = Path(__file__).resolve().parents[1]
ROOT = PAGES.parent
TEXT = Path(__file__).with_suffix(".md")
_HEAD = re.compile(r"^# ([\w-]+): (.+)\n(.*)$", re.MULTILINE)


@cache
def _heads(path: Path) -> dict[str, tuple[str, str]]:
    """Title and question of each page, by its folder."""
    return {
        name: (title, question)
        for name, title, question in _HEAD.findall(path.read_text(encoding="utf-8"))
    }


def _head(name: str) -> tuple[str, str]:
    """Title and question in the language of whoever reads now, else in English."""
    files = translations(TEXT)
    return _heads(files.get(language(), TEXT)).get(name) or _heads(TEXT)[name]


class Entry(NamedTuple):
    """A lesson in the table of contents."""

    section: str  # of the menu; "": none
    folder: str  # in pages/, and its address unless `url` says otherwise
    url: str = ""  # its address; "": its folder's name

    @property
    def title(self) -> str:
        """What the menu calls it, and its heading."""
        return _head(self.folder)[0]

    @property
    def question(self) -> str:
        """The question that it answers."""
        return _head(self.folder)[1]

    @property
    def part(self) -> str:
        """What the menu calls its section; "": none."""
        return self.section and _head(f"section-{self.section}")[0]

    @property
    def address(self) -> str:
        """Its part of the address."""
        return self.url or self.folder

    @property
    def script(self) -> Path:
        """What runs when it is opened."""
        return PAGES / self.folder / "page.py"


COURSE = (
    Entry("", "tag", "start"),
    Entry("model", "scores"),
    Entry("model", "structure"),
    Entry("recursions", "forward"),
    Entry("recursions", "backward"),
    Entry("recursions", "viterbi"),
    Entry("learn", "learning"),
    Entry("learn", "tagger"),
    Entry("learn", "check"),
    Entry("practice", "stability"),
    Entry("practice", "batches"),
    Entry("practice", "constraints"),
    Entry("practice", "cost"),
    Entry("background", "graphs"),
    Entry("background", "glossary"),
)
# no lessons: what a lecturer prepares
TEACHING = (Entry("teaching", "lecture"), Entry("teaching", "homework"))
FIRST = COURSE[0]
# the lecturer’s own page, in no menu; only where the app was started with a class
CLASS = Entry("", "class")
SLIDE = Entry("", "slide")  # a lecturer’s own stop of a lecture; in no menu
TRELLIS = Entry("", "trellis")  # the recursions as one story; in no menu yet
ALIASES = {FIRST.address: FIRST, "tag": FIRST}  # the first lesson also stands at "/"


def entry(address: str) -> Entry:
    """The page with this address; the first lesson for any that there is not."""
    every = (*COURSE, *TEACHING, CLASS, SLIDE, TRELLIS)
    return next((e for e in every if e.address == address), FIRST)


def neighbours(address: str) -> tuple[Entry | None, Entry | None]:
    """The lessons before and after one, in the order of the course; a page beside it has none."""
    if entry(address) is TRELLIS:  # which tells what stands before Learning
        return None, entry("learning")
    around = (None, *COURSE, None)
    k = around.index(entry(address)) if entry(address) in COURSE else 0
    return (around[k - 1], around[k + 1]) if k else (None, None)
