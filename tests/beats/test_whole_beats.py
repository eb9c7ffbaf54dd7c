"""Each beat has all that it needs: words, a drawing, a row of a test, an entry in the syllabus.

The first test to run when a beat is new: it names the beat and the file where something is missing.
"""

import re
from functools import cache
from importlib import import_module

import pytest

from pages import beats
from pages.shared import contents
from pages.shared.contents import PAGES
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui.stage.view import state_of
from tests.test_docs import rows_of_the_syllabus

EVERY = [(lesson, beat) for lesson, each in beats.LESSONS.items() for beat in each]
EVERY.remove(("tag", beats.LESSONS["tag"][0]))  # the front page is a stage of its own
BY_PAYLOAD = {"trellis", "stability"}  # what these draw follows from what the payload holds
PARTS = re.compile(
    r'(\w+): (?:\w+\()?(?:draw)?[A-Z]\w+\b(?![.(])|part === "(\w+)"'
)  # { trees: Trees, train: onCanvas(Training) }


@cache
def parts(lesson):
    """What the lesson's scripts have a drawing for: names of beats, or of parts."""
    scripts = sorted((PAGES / lesson).rglob("*.js"))
    found = (PARTS.findall(script.read_text(encoding="utf-8")) for script in scripts)
    return {name for matches in found for match in matches for name in match if name}


@cache
def syllabus():
    """Lesson and beat of each entry; a door names the beat that it opens."""
    found = set()
    for address, beat, _ in rows_of_the_syllabus():
        entry = contents.entry(address)
        if entry.has_beats:
            found.add((entry.folder, beat or entry.beat or beats.LESSONS[entry.folder][0].name))
    return found


def rows(lesson):
    """The beats that a table of states and sentences names, and the table's file."""
    where = "tests.beats.test_every_beat"
    if lesson != "trellis":
        where = f"tests.lessons.{lesson}.test_beats"
    return {row[0] for row in import_module(where).ROWS}, where.replace(".", "/") + ".py"


def missing(lesson, beat):
    """What a beat lacks, each with its file."""
    text, path = BeatText.load(PAGES / lesson / "beats.md"), f"pages/{lesson}/beats.md"
    for passage in (f"{beat.name}-label", f"{beat.name}-question", beat.name):
        if not text.has(passage):
            yield f"{path}: no passage “## {passage}”"
    if not text.has(beat.name):
        return  # it cannot be drawn
    if lesson not in BY_PAYLOAD:
        picture = beat.figure(state_of({"ex": "old-man"}, lesson)[0])["picture"]
        drawn = picture.get("part") or picture.get("draws") or beat.name
        if drawn not in parts(lesson):
            table = (PAGES / "pictures.js").read_text(encoding="utf-8")
            script = re.findall(rf'"\./({lesson}/.+)"', table)[0]
            yield f"pages/{script}: no part draws “{drawn}”"
    more = import_module(f"pages.{lesson}.more")
    names = {one.name for one in beats.LESSONS[lesson]} - {beat.name}
    keys = {*getattr(more, "DERIVATIONS", ())}  # by beats, where a lesson has it
    if keys & names and beat.name not in keys:
        yield f"pages/{lesson}/more.py: DERIVATIONS does not say what “⋯” opens for it"
    named, where = rows(lesson)
    if beat.name not in named:
        yield f"{where}: no row of ROWS says what “{beat.name}” says"
    if (lesson, beat.name) not in syllabus():
        yield f"docs/syllabus.md: no topic is at “?beat={beat.name}” of {lesson}"


@pytest.mark.parametrize(("lesson", "beat"), EVERY, ids=lambda one: getattr(one, "name", one))
def test_a_beat_has_its_words_its_drawing_a_row_and_a_topic(lesson, beat):
    lacks = [*missing(lesson, beat)]
    assert not lacks, f"{lesson}/{beat.name} lacks:\n" + "\n".join(lacks)


def test_no_style_names_a_beat():
    names = {beat.name for _, beat in EVERY}
    sheets = [*PAGES.rglob("*.css"), *(PAGES.parent / "crf").rglob("*.css")]
    assert len(sheets) > 20
    for sheet in sheets:
        assert not {*re.findall(r"\.at-(\w+)", sheet.read_text(encoding="utf-8"))} & names, sheet
