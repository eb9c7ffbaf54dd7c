"""A beat in a state, as the one JSON that every host feeds to the stage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from crf.figures import modules
from crf.figures.languages import language
from crf.figures.words import words
from pages.shared.contents import COURSE, Entry, entry, lessons, neighbours
from pages.shared.course import problem_links, surprises
from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_checks import short
from pages.shared.course.state import State, read, unreadable, write
from pages.shared.course.words import say
from pages.shared.figures.beat import Beat, beat_with, range_of
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui import taggers
from pages.shared.ui.server_path import root
from pages.shared.ui.stage.scores import FIRST, HAND, LOCAL, USUAL, give

MAP = (  # of the course: each part, and the address where it is taught
    ("sentence", ""),
    ("network", "tagger"),
    ("scores", "scores"),
    ("trellis", "forward"),
    ("loss", "learning"),
    ("weights", "learning?beat=corpus"),
)
PARTS = {  # lesson, or lesson/beat → the part of the map that is lit; of others, the trellis
    "tag": "",
    "now": "",
    "words": "network",
    "constraints": "scores",
    "learning": "loss",
    "learning/corpus": "weights",
    "words/train": "weights",
    "words/batches": "weights",
}
STAGE = "pages"  # the folder whose index.js is the stage with the picture of each lesson
BEAT = "beat"  # the part of an address that names a lesson's beat; no part of a state
USUAL_EXAMPLE = {  # of a lesson whose address names no scores; of others, the boat
    "tag": "",
    "words": "her-work",
    "constraints": "paris-hilton",
}
_SCORES = ("ex", "sentence", "tagger", *problem_links.KEYS)  # the parts that name scores
_GIVEN = (*_SCORES, "spaces", "edit", "fix")  # and all that changes them
_FIXES = ("tag", "trellis")  # the lessons whose readings have the tags that one has fixed
EXAMPLES = ("flight", "arrow", "old-man", "park")
_FOLDER, _TRELLIS = Path(__file__).parent, modules.FOLDER / "trellis"


def state_of(query: Mapping[str, str], lesson: str = "") -> tuple[State, str]:
    """The state in an address, and a sentence about what could not be used, or "".

    A fixed tag that no reading has is left out. Where the address names no scores, they are those
    of the lesson's usual example.
    """
    if not any(query.get(key) for key in _SCORES):
        query = {**query, "ex": usual_example(lesson)}
    state, fault = read(query, give)
    fixed = dict(state.fixed)
    while (t := _first_impossible(state, fixed)) is not None:
        word, tag = state.problem.tokens[t], state.problem.tags[fixed.pop(t)]
        fault = fault or say("state.impossible", word=word, tag=tag)
    return replace(state, fixed=fixed), fault


def usual_example(lesson: str) -> str:
    """The example that a lesson opens on; "": the usual sentence."""
    return USUAL_EXAMPLE.get(lesson, "old-man" if lesson else "")


def kept_from(here: str, there: str) -> str:
    """The names under which a link from lesson to lesson keeps what the address says.

    The language; where neither has an example of its own, the scores, too.
    """
    has_own = USUAL_EXAMPLE.keys() & {here, there}
    return " ".join(("lang",) if has_own else ("lang", *_GIVEN))


def _first_impossible(state: State, fixed: Mapping[int, int]) -> int | None:
    """The first token whose fixed tag no reading has beside the tags fixed before it."""
    if not fixed:
        return None
    import torch

    prefixes = torch.full((len(fixed), len(state.problem.tokens)), -1)
    for k, (t, s) in enumerate(fixed.items()):
        prefixes[k:, t] = s
    impossible = ~state.problem.chain()[[0] * len(fixed)].clamp(prefixes).feasible
    return list(fixed)[int(impossible.int().argmax())] if impossible.any() else None


def all_words() -> dict[str, str]:
    """All words of the stage: the front page's, the lessons' and those for presenting."""
    here = words(_FOLDER) | words(_FOLDER, file="lesson") | words(_FOLDER, file="present")
    return words(_TRELLIS, file="figure") | here


def view(
    beat: Beat, lesson: str, state: State, fault: str = "", beats: Sequence[Beat] = ()
) -> dict[str, Any]:
    """A whole beat: its picture, its words and its question.

    Args:
        beat: What is shown, unless the state's step is another beat's: then that one.
        lesson: Its lesson.
        state: Its state.
        fault: A sentence on what could not be had; "": nothing.
        beats: All of the lesson's, for the bar at the foot.
    """
    said, another = all_words(), _example("", lesson)
    beat, state = beat_with(beat, state, beats)
    fault = fault or _control_fault(state, (beat, *beats))
    if state.fixed and lesson not in _FIXES:
        fault = fault or say("state.unfixed")
    return {
        "lesson": lesson,
        "beat": beat.name,
        **address(state, beat, beats),
        "message": fault,
        "words": said,
        "headline": {
            "text": state.base.sentence or " ".join(state.problem.tokens),
            "typed": _typed(state, lesson),
            "tagger": {"key": state.given.source, "name": _tagger_name(state.given.source)},
            "examples": [{"label": said[name], "set": _example(name, lesson)} for name in EXAMPLES],
            "surprises": [
                {"set": another | {"sentence": text, "tagger": LOCAL}}
                for text in surprises.sentences()
            ],
        },
        **(_around(beat, lesson, beats, state) if _has_frame(lesson, beats) else {}),
        **beat.figure(state),
    }


def _has_frame(lesson: str, beats: Sequence[Beat]) -> bool:
    """Whether a question stands above the picture and a bar below: not on the front page."""
    return bool(beats) and lesson != COURSE[0].folder


def _typed(state: State, lesson: str) -> dict[str, str]:
    """The changes to a state when a sentence is typed: a chosen tagger stays, if it is another.

    The lesson on networks keeps the one that it is about.
    """
    changes: dict[str, str] = dict.fromkeys(("ex", "fix", "edit", "step", *problem_links.KEYS), "")
    if lesson == "words":
        return changes
    source = state.given.source
    return changes | {"tagger": LOCAL if source in (HAND, LOCAL, USUAL) else source}


def _tagger_name(key: str) -> str:
    """What readers call a tagger; "" of scores that no tagger gave."""
    return "" if key == HAND else taggers.title(key)


def _control_fault(state: State, beats: Sequence[Beat]) -> str:
    """A sentence on the first unreadable value of a control; "" if all can be read."""
    table = {name: part for one in beats for name, part in one.controls.items()}
    for name, text in state.controls.items():
        if name not in table or unreadable(table[name], text):
            return say("state.unreadable", key=name, asked=short(text))
    return ""


def _around(beat: Beat, lesson: str, beats: Sequence[Beat], state: State) -> dict[str, Any]:
    """The question above the picture, the bar of beats, the modes, and the map of the course."""
    text, labels = BeatText.load(beat.text), words(_TRELLIS, file="figure")
    modes = dict.fromkeys(one.mode for one in beats if one.mode)
    facts = {"own": int(state.given.source != HAND)}  # whether a tagger has read the words
    return {
        "heading": text.plain(f"{beat.name}-question", facts),
        "beats": [
            {
                "name": one.name,
                "label": text.plain(f"{one.name}-label", facts),
                "mode": one.mode,
                "steps": [steps.start, steps.stop],
            }
            for one in beats
            for steps in [range_of(one, state)]
        ],
        "modes": [{"name": mode, "label": labels[f"mode-{mode}"], "beat": mode} for mode in modes],
        "around": _neighbours(lesson),
        "thread": text.plain(f"{beat.name}-thread", {}) if text.has(f"{beat.name}-thread") else "",
        "part": PARTS.get(f"{lesson}/{beat.name}", PARTS.get(lesson, "trellis")),
        "map": [
            {
                "name": name,
                "label": words(_FOLDER, file="lesson")[f"map-{name}"],
                "href": root() + address,
                "keeps": kept_from(lesson, entry(address.partition("?")[0]).folder),
            }
            for name, address in MAP
        ],
    }


def _neighbours(lesson: str) -> dict[str, dict[str, str] | None]:
    """The ways to the last beat of the lesson before, the next one's first, and the last lesson."""
    before, after = neighbours(lesson)
    last = lessons()[-1]
    ways: dict[str, dict[str, str] | None] = {"before": None, "after": None}
    if before and before.address != COURSE[0].address:
        ways["before"] = _way(lesson, before, _query({BEAT: _labels(before)[-1]})) | {
            "lesson": before.folder
        }
    if after:
        ways["after"] = _way(lesson, after, _query(opening(after))) | {
            "title": after.title,
            "question": after.question,
        }
    return ways | {"last": _way(lesson, last) | {"title": last.title}}


def opening(to: Entry) -> dict[str, str]:
    """The query of a lesson's first beat; {} where its address opens that."""
    first = _labels(to)[0]
    return {} if to.beat in ("", first) else {BEAT: first}


def _labels(to: Entry) -> list[str]:
    """The names of a lesson's beats, in their order."""
    return [*BeatText.load(to.text).labels()]


def _query(parts: Mapping[str, str]) -> str:
    return f"?{urlencode(parts)}" if parts else ""


def _way(lesson: str, to: Entry, query: str = "") -> dict[str, str]:
    return {"href": root() + to.address + query, "keeps": kept_from(lesson, to.folder)}


def _example(name: str, lesson: str) -> dict[str, str]:
    """The changes to a state when an example is chosen; the lesson's usual one has no name."""
    blank = dict.fromkeys(("sentence", "tagger", "spaces", "fix", "edit", *problem_links.KEYS), "")
    usual = usual_example(lesson) or FIRST
    return blank | {"ex": "" if name == usual else name}


def address(state: State, beat: Beat, beats: Sequence[Beat] = ()) -> dict[str, Any]:
    """A state's parts, its query for the address bar, and the query of its scores for a trellis.

    Of a lesson with several beats the former two name the one on screen, `beat=add`.
    """
    try:
        parts = write(state)
    except ProblemError:  # a table that no address can carry
        parts = {}
    base = {key: text for key, text in parts.items() if key in _GIVEN}
    named = base if any(key in base for key in _SCORES) else {"ex": FIRST} | base
    if len(beats) > 1:
        parts |= {BEAT: beat.name}
    return {"state": parts, "query": urlencode(parts), "trellis": urlencode(named)}


def data(
    beat: Beat,
    lesson: str,
    state: State,
    fault: str,
    host: str,
    *,
    opens: bool,
    beats: Sequence[Beat] = (),
    door: str = "",
) -> dict[str, Any]:
    """The stage's data when it is mounted: the first view, and the address for more.

    Args:
        beat: What is shown.
        lesson: Its lesson.
        state: Its state.
        fault: A sentence on what could not be had; "": nothing.
        host: "reader", "frame" or "file".
        opens: Whether the opening may play.
        beats: All of the lesson's.
        door: The beat that the page's address opens where it names none; "": this one.
    """
    first = view(beat, lesson, state, fault, beats)
    return {
        "address": "" if host == "file" else f"{root()}draw/{lesson}/{first['beat']}",
        "language": language(),
        "opens": opens,
        "host": host,
        "door": door or beat.name,
        "order": 0,
        "set": {},
        "labels": {
            one.folder: BeatText.load(file).labels()
            for one in COURSE
            if (file := one.text).exists()
        },
        "links": {"trellis": f"{root()}structure", "course": f"{root()}structure"},
        "view": first,
    }
