"""A lecture: a list of beats, each in a state, with the lecturer's note and a time.

JSON, version 2; no other field is allowed:

    {"format": "crf lecture", "version": 2, "title": "…",
     "beats": [{"lesson": "trellis", "beat": "mind", "state": "ex=old-man&step=12",
                "minutes": 3, "note": "…"}]}

A link holds the same, compressed. Files and links of version 1 list pages; those that are beats now
are converted. Whatever comes from a file, a link or a browser is checked here.
"""

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import parse_qsl, urlencode

from crf.strict_json import JsonError, read_json
from pages.shared.contents import MOVED
from pages.shared.course.json_files import MAX_FILE, check_fields, read_object
from pages.shared.course.problem_checks import ProblemError, refuse, short
from pages.shared.course.state import KEYS
from pages.shared.course.words import say

FORMAT, VERSION, OLD_VERSION = "crf lecture", 2, 1
MOST_BEATS = 64
LONGEST_TITLE, LONGEST_NOTE, LONGEST_STATE = 80, 500, 4_000  # characters
MOST_MINUTES = 240.0
MAX_LINK = 8_000  # characters of a lecture's part of a link
OLD_FIELDS = ("page", "query", "title", "note", "minutes", "image")  # of a stop of version 1
_LARGEST = MOST_BEATS * 4 * (LONGEST_TITLE + LONGEST_NOTE + LONGEST_STATE)  # bytes, unpacked
_NAME = re.compile(r"[a-z][a-z-]{0,39}")
_IN_A_QUERY = re.compile(r"[A-Za-z0-9._~*%&=+!$'(),;:@/?-]*")
_BEAT_OF_PAGE = {
    "": ("tag", "flow"),
    "structure": ("trellis", "bet"),
    "scores": ("trellis", "path"),
    "forward": ("trellis", "add"),
    "viterbi": ("trellis", "best"),
    "backward": ("trellis", "both"),
}
_BEAT_OF_PICTURE = {
    ("structure", "growth"): "count",
    ("forward", "fill"): "column",
    ("backward", "fronts"): "meet",
}
_OLD_EXAMPLE = {"ex": "old-man"}  # what a page of version 1 opened with
_BASES = frozenset({"ex", "sentence", "t"})

Known = Collection[tuple[str, str]]


@dataclass(frozen=True)
class PlannedBeat:
    """A beat in a state, with the lecturer's minutes and note.

    Raises:
        ProblemError: A field is wrong; the message says which, and what to do.
    """

    lesson: str
    beat: str
    state: str = ""  # as a query, encoded, without the question mark; other keys are left out
    minutes: float = 0.0  # how long it takes; 0: not planned
    note: str = ""  # what to say; for the lecturer only

    def __post_init__(self) -> None:
        for name in ("lesson", "beat"):
            value = getattr(self, name)
            if not isinstance(value, str) or not _NAME.fullmatch(value):
                raise refuse(name, "a name as in an address", short(value), "copy it from one")
        _check_text("state", self.state, LONGEST_STATE)
        if not _IN_A_QUERY.fullmatch(self.state):
            expected = "what stands after “?” in a link"
            raise refuse("state", expected, short(self.state), "copy it from a link")
        parts = parse_qsl(self.state)
        state = urlencode([part for part in parts if part[0] in KEYS])
        _check_text("state", state, LONGEST_STATE)
        object.__setattr__(self, "state", state)
        if type(self.minutes) not in (int, float) or not 0 <= self.minutes <= MOST_MINUTES:
            expected = f"0 to {MOST_MINUTES:g}"
            raise refuse("minutes", expected, short(self.minutes), "write such a number")
        lesson, beat = MOVED.get((self.lesson, self.beat), (self.lesson, self.beat))
        object.__setattr__(self, "lesson", lesson)
        object.__setattr__(self, "beat", beat)
        object.__setattr__(self, "minutes", float(self.minutes))
        _check_text("note", self.note, LONGEST_NOTE)


@dataclass(frozen=True)
class LecturePlan:
    """A title, and up to `MOST_BEATS` beats in their order.

    Raises:
        ProblemError: The title is wrong, or there are too many beats.
    """

    title: str
    beats: tuple[PlannedBeat, ...] = ()

    def __post_init__(self) -> None:
        _check_text("title", self.title, LONGEST_TITLE)
        if not self.title.strip() or not self.title.isprintable():
            raise refuse("title", "one line of text", short(self.title), "write one")
        object.__setattr__(self, "beats", tuple(self.beats))
        if len(self.beats) > MOST_BEATS:
            number, advice = str(len(self.beats)), "delete one, or begin another"
            raise refuse("beats", f"at most {MOST_BEATS}", number, advice)

    @property
    def minutes(self) -> float:
        """The planned minutes of all beats together."""
        return math.fsum(beat.minutes for beat in self.beats)


def to_data(plan: LecturePlan) -> dict[str, Any]:
    """The lecture as plain data."""
    beats = [asdict(beat) for beat in plan.beats]
    return {"format": FORMAT, "version": VERSION, "title": plan.title, "beats": beats}


def to_json(plan: LecturePlan) -> str:
    """The lecture as the text of a JSON file."""
    return json.dumps(to_data(plan), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def from_json(content: str | bytes, known: Known) -> tuple[LecturePlan, tuple[str, ...]]:
    """The lecture in the text of a JSON file of version 1 or 2.

    Args:
        content: As it was loaded, at most `MAX_FILE` bytes.
        known: (lesson, beat) of all beats that there are.

    Returns:
        The lecture, and a sentence for each stop of version 1 that no beat shows.

    Raises:
        ProblemError: It is none; the message says where, and what to do.
    """
    version, what = (OLD_VERSION, "stop") if _is_old(content) else (VERSION, "beat")
    data = read_object(content, FORMAT, version, ("title", f"{what}s"))
    entries, names = data[f"{what}s"], [field.name for field in fields(PlannedBeat)]
    if not isinstance(entries, list) or len(entries) > MOST_BEATS:
        got = short(entries) if not isinstance(entries, list) else str(len(entries))
        raise refuse(f"{what}s", f"a list of at most {MOST_BEATS}", got, "save the lecture again")
    beats, left_out = [], []
    for number, entry in enumerate(entries, start=1):
        where = f"{what} {number}"
        if not isinstance(entry, dict):
            raise refuse(where, "an object of fields", short(entry), "save the lecture again")
        if what == "stop":
            check_fields(where, entry, OLD_FIELDS, needed=("page", "query", "title"))
        else:
            check_fields(where, entry, names, needed=("lesson", "beat"))
        try:
            beat = _converted(entry) if what == "stop" else PlannedBeat(**entry)
        except ProblemError as error:
            raise ProblemError(f"{where}, {error}") from None
        if beat is None:
            page, title = short(entry["page"]), short(entry["title"])
            left_out.append(say("lecture.left-out", stop=number, title=title, page=page))
        elif (beat.lesson, beat.beat) not in known:
            got = short(f"{beat.lesson}/{beat.beat}")
            raise refuse(where, "a beat of the course", got, "choose one that there is")
        else:
            beats.append(beat)
    return LecturePlan(data["title"], tuple(beats)), tuple(left_out)


def _is_old(content: str | bytes) -> bool:
    try:
        data = read_json(content, MAX_FILE)
    except JsonError:
        return False  # the code that reads it says what is wrong
    version = data.get("version") if isinstance(data, dict) else None
    return type(version) is int and version == OLD_VERSION


def _converted(stop: Mapping[str, Any]) -> PlannedBeat | None:
    """The beat that shows a stop of version 1; None where there is none."""
    page, query, title = stop["page"], stop["query"], stop["title"]
    for name in ("page", "query", "title"):
        _check_text(name, stop[name], LONGEST_STATE)
    if page not in _BEAT_OF_PAGE:
        return None
    lesson, beat = _BEAT_OF_PAGE[page]
    values = dict(parse_qsl(query))
    beat = _BEAT_OF_PICTURE.get((page, values.get("picture", "")), beat)
    parts = {key: text for key, text in values.items() if key in KEYS}
    if beat == "meet":
        parts["step"] = values.get("meet", "")
    if beat == "path":
        parts["path"] = values.get("y", "")
    if lesson == "trellis" and not _BASES & parts.keys():
        parts = _OLD_EXAMPLE | parts
    state = urlencode({key: text for key, text in parts.items() if text})
    note = stop.get("note", "")
    return PlannedBeat(lesson, beat, state, stop.get("minutes", 0.0), note or title[:LONGEST_NOTE])


def to_link(plan: LecturePlan) -> str:
    """The lecture as one value for an address.

    Raises:
        ProblemError: It is longer than `MAX_LINK` characters.
    """
    packed = zlib.compress(to_json(plan).encode(), 9)
    text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(text) > MAX_LINK:
        most = f"at most {MAX_LINK:,} characters"
        raise refuse("link", most, f"{len(text):,}", say("link.lecture"))
    return text


def from_link(text: str, known: Known) -> tuple[LecturePlan, tuple[str, ...]]:
    """The lecture in a value that `to_link` made, of version 1 or 2; as `from_json`.

    Raises:
        ProblemError: It is none.
    """
    broken = ProblemError(say("link.broken"))
    if len(text) > MAX_LINK or not text.isascii():
        raise broken
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        reader = zlib.decompressobj()
        content = reader.decompress(packed, _LARGEST)
    except (binascii.Error, ValueError, zlib.error):
        raise broken from None
    if not reader.eof or reader.unused_data:
        raise broken
    return from_json(content, known)


def _check_text(field: str, value: Any, longest: int) -> None:
    if not isinstance(value, str):
        raise refuse(field, "a text", short(value), "write one")
    if len(value) > longest:
        raise refuse(field, f"at most {longest} characters", f"{len(value):,}", "shorten it")
    if any(0xD800 <= ord(c) <= 0xDFFF or (ord(c) < 32 and c not in "\n\t") for c in value):
        raise refuse(field, "visible characters", short(value), "remove the others")
