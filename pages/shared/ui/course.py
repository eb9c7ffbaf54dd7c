"""The one map of the course: each lesson with its question, its minutes, and how far one has come.

What a reader has seen is kept in the browser; scripts/history/course.js writes it into the map.
"""

from markupsafe import Markup

from crf.figures.languages import LANGUAGES, language
from crf.figures.words import words
from pages.shared import contents
from pages.shared.contents import COURSE, FIRST, MODES, PAGES, TEACHING, Entry
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import view as views
from pages.shared.ui.words import say

_PANEL = Markup(
    '<nav class="crf-course" aria-label="{0}"><details><summary>{0}</summary><div>'
    '<div class="top"><b>{0}</b><p class="so-far" data-seen="{1}" data-go="{2}"></p>'
    '<p class="languages">{3}</p></div><ol>{4}</ol>'
    '<p class="beside">{5}<span>{6} <button type="button" data-forget>{7}</button></span></p>'
    "</div></details></nav>"
)
_LANGUAGE = Markup(
    '<a href="?lang={0}" target="_self" lang="{0}" hreflang="{0}" data-keeps="*"{2}>{1}</a>'
)
_LINK = Markup('<a href="{}" target="_self" data-keeps="{}"{}>{}</a>')
_LESSON = Markup(
    '<li{}>{}<i>{}</i><span class="bars">{}</span><span class="minutes">{}</span>{}</li>'
)
_MODE = Markup('<li>{}<span class="bars">{}</span></li>')
_BAR = Markup('<s data-beat-of="{}/{}" data-at="{}" title="{}"></s>')
_TOP = Markup('<div class="crf-top"><nav class="crf-line" aria-label="{}">{}</nav></div>{}')
_TRELLIS = PAGES.parent / "crf" / "figures" / "trellis"


def panel(here: Entry) -> Markup:
    """The map, as a panel that opens; scripts/history/links.js keeps the state in its links."""
    current = Markup(' aria-current="true"')
    languages = Markup(" · ").join(
        _LANGUAGE.format(key, name, current if key == language() else "")
        for key, name in LANGUAGES.items()
    )
    lessons = Markup("").join(_lesson(here, entry) for entry in contents.lessons())
    others = (FIRST, COURSE[-1], *TEACHING)
    article = _LINK.format(f"{root()}read", "lang", "", say("course.article"))
    beside = Markup("").join([*(_link(here, entry, entry.title) for entry in others), article])
    texts = (say(f"course.{name}") for name in ("stays", "forget"))
    seen, go = (say(f"course.{name}", n="{n}", of="{of}") for name in ("seen", "go"))
    return _PANEL.format(say("stage.course"), seen, go, languages, lessons, beside, *texts)


def bar(here: Entry) -> Markup:
    """The line of the course and its map, for a page that has no stage to draw them."""
    labels = views.all_words()
    links = Markup("").join(
        _LINK.format(root() + address, "lang", "", labels[f"map-{name}"])
        for name, address in views.MAP
    )
    return _TOP.format(labels["map"], links, panel(here))


def _lesson(here: Entry, entry: Entry) -> Markup:
    labels = BeatText.load(entry.text).labels()
    is_trellis = entry is contents.STORY
    title = contents.title("trellis") if is_trellis else entry.title
    modes = _modes(here, labels) if is_trellis else ""
    bars = "" if modes else _bars(entry, labels)
    marked = Markup(' class="here"') if here.folder == entry.folder else ""
    minutes = say("course.minutes", n=entry.minutes)
    return _LESSON.format(marked, _link(here, entry, title), entry.question, bars, minutes, modes)


def _modes(here: Entry, labels: dict[str, str]) -> Markup:
    """The trellis's four modes, each with a door and its beats."""
    names, said = [*labels], words(_TRELLIS, file="figure")
    doors = {one.beat: one for one in COURSE if one.is_door}
    starts = [names.index(first) for first in MODES.values()]
    modes = []
    for mode, start, end in zip(MODES, starts, [*starts[1:], len(names)], strict=True):
        bars = _bars(contents.STORY, {name: labels[name] for name in names[start:end]})
        modes.append(_MODE.format(_link(here, doors[mode], said[f"mode-{mode}"]), bars))
    return Markup("<ul>{}</ul>").format(Markup("").join(modes))


def _bars(entry: Entry, labels: dict[str, str]) -> Markup:
    at = f"{root()}{entry.address}?{views.BEAT}="
    return Markup("").join(
        _BAR.format(entry.folder, name, f"{at}{name}", label) for name, label in labels.items()
    )


def _link(here: Entry, entry: Entry, title: str) -> Markup:
    address = root() + ("" if entry is FIRST else entry.address)
    current = Markup(' aria-current="page"') if entry.address == here.address else ""
    return _LINK.format(address, views.kept_from(here.folder, entry.folder), current, title)
