"""A lecture: a list of stops, each an address of this app with a title, a note and a time.

JSON, version 1; no other field is allowed:

    {"format": "crf lecture", "version": 1, "title": "…",
     "stops": [{"page": "forward", "query": "ex=old-man&step=3", "title": "…", "note": "…",
                "minutes": 5}]}

A link holds the same, compressed. Whatever comes from a file, a link or a browser is checked here.
"""

import base64
import binascii
import json
import math
import re
import zlib
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self
from urllib.parse import parse_qsl

from pages.shared.contents import COURSE, FIRST, SLIDE, STORY
from pages.shared.course.json_files import check_fields, read_object
from pages.shared.course.problem_checks import ProblemError, refuse, short
from pages.shared.course.words import say

FORMAT, VERSION = "crf lecture", 1
MOST_STOPS = 64
LONGEST_TITLE, LONGEST_NOTE, LONGEST_QUERY = 80, 500, 4_000  # characters
MOST_MINUTES = 240.0
MAX_LINK = 8_000  # characters of a lecture's part of a link
PAGES = ("", *(entry.name for entry in (*COURSE, STORY, SLIDE) if entry is not FIRST))
_IMAGE = re.compile(r"(data:image/webp;base64,[A-Za-z0-9+/=]{1,60000})?")
_IN_A_QUERY = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~*%&=+!$'(),;:@/?"
)


@dataclass(frozen=True)
class Stop:
    """One stop: a page exactly as an address shows it, and what the lecturer knows of it.

    Raises:
        ProblemError: A field is wrong; the message says which, and what to do.
    """

    page: str  # the lesson's folder; "" for the front page
    query: str  # of its address, encoded, without the question mark
    title: str  # one line of text
    note: str = ""  # what to say; for the lecturer only
    minutes: float = 0.0  # how long it takes; 0: not planned
    image: str = ""  # of a slide, as a data URL of a small WebP file; "": none

    def __post_init__(self) -> None:
        if self.page not in PAGES:
            raise refuse("page", f"one of {', '.join(PAGES[1:])}", short(self.page), "choose one")
        _check_text("query", self.query, LONGEST_QUERY)
        if not _IN_A_QUERY.issuperset(self.query):
            wanted = "what stands after “?” in a link"
            raise refuse("query", wanted, short(self.query), "copy it from a link")
        _check_title(self.title)
        _check_text("note", self.note, LONGEST_NOTE)
        if type(self.minutes) not in (int, float) or not 0 <= self.minutes <= MOST_MINUTES:
            wanted = f"0 to {MOST_MINUTES:g}"
            raise refuse("minutes", wanted, short(self.minutes), "write such a number")
        object.__setattr__(self, "minutes", float(self.minutes))
        if not isinstance(self.image, str) or not _IMAGE.fullmatch(self.image):
            raise refuse("image", "a small WebP picture", short(self.image), "add it again")

    @property
    def values(self) -> dict[str, str]:
        """The values of its query, decoded, by key."""
        return dict(parse_qsl(self.query, keep_blank_values=True))


@dataclass(frozen=True)
class Lecture:
    """A title, and up to `MOST_STOPS` stops in their order.

    Raises:
        ProblemError: A field is wrong, or there are too many stops.
    """

    title: str = "My lecture"
    stops: tuple[Stop, ...] = ()

    def __post_init__(self) -> None:
        _check_title(self.title)
        object.__setattr__(self, "stops", tuple(self.stops))
        if len(self.stops) > MOST_STOPS:
            number, advice = str(len(self.stops)), "delete one, or begin another"
            raise refuse("stops", f"at most {MOST_STOPS}", number, advice)

    @property
    def minutes(self) -> float:
        """How long it takes, as far as that is planned."""
        return math.fsum(stop.minutes for stop in self.stops)

    def starts(self) -> tuple[float, ...]:
        """At which minute each stop begins."""
        minutes = [stop.minutes for stop in self.stops]
        return tuple(math.fsum(minutes[:k]) for k in range(len(minutes)))

    def with_stop(self, stop: Stop) -> Self:
        """The same with one more stop at the end."""
        return replace(self, stops=(*self.stops, stop))

    def with_changed(self, index: int, *stops: Stop) -> Self:
        """The same with these stops, or none, in the place of one."""
        return replace(self, stops=(*self.stops[:index], *stops, *self.stops[index + 1 :]))

    def moved(self, index: int, to: int) -> Self:
        """The same with one stop at another place; beyond the ends is at the end."""
        rest = list(self.with_changed(index).stops)
        rest.insert(max(to, 0), self.stops[index])
        return replace(self, stops=tuple(rest))


def to_json(lecture: Lecture) -> str:
    """The lecture as the text of a JSON file, a stop after the other."""
    stops = [
        {name: value for name, value in asdict(stop).items() if value or name != "image"}
        for stop in lecture.stops
    ]
    written = {"format": FORMAT, "version": VERSION, "title": lecture.title, "stops": stops}
    return json.dumps(written, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def from_json(content: str | bytes) -> Lecture:
    """The lecture in the text of a JSON file.

    Raises:
        ProblemError: It is none; the message says where, and what to do.
    """
    data = read_object(content, FORMAT, VERSION, ("title", "stops"))
    stops, names = data["stops"], [field.name for field in fields(Stop)]
    if not isinstance(stops, list):
        raise refuse("stops", "a list", short(stops), "save the lecture again")
    read = []
    for number, stop in enumerate(stops[: MOST_STOPS + 1], start=1):
        where = f"stop {number}"
        if not isinstance(stop, dict):
            raise refuse(where, "an object of fields", short(stop), "save the lecture again")
        check_fields(where, stop, names, needed=("page", "query", "title"))
        try:
            read.append(Stop(**stop))
        except ProblemError as error:
            raise ProblemError(f"{where}, {error}") from None
    return Lecture(data["title"], tuple(read))


def to_link(lecture: Lecture) -> str:
    """The lecture as one value for an address.

    Raises:
        ProblemError: It is longer than `MAX_LINK` characters.
    """
    packed = zlib.compress(to_json(lecture).encode(), 9)
    text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(text) > MAX_LINK:
        most = f"at most {MAX_LINK:,} characters"
        raise refuse("link", most, f"{len(text):,}", say("link.lecture"))
    return text


def from_link(text: str) -> Lecture:
    """The lecture in a value that `to_link` made.

    Raises:
        ProblemError: It is none.
    """
    broken = ProblemError(say("link.broken"))
    if not isinstance(text, str) or len(text) > MAX_LINK or not text.isascii():
        raise broken
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        reader = zlib.decompressobj()
        content = reader.decompress(packed, _LARGEST)
    except (binascii.Error, ValueError, zlib.error):
        raise broken from None
    if not reader.eof or reader.unused_data:
        raise broken
    return from_json(content)


_LARGEST = MOST_STOPS * 4 * (LONGEST_TITLE + LONGEST_NOTE + LONGEST_QUERY)  # bytes, unpacked


def _check_title(title: str) -> None:
    _check_text("title", title, LONGEST_TITLE)
    if not title.strip() or not title.isprintable():
        raise refuse("title", "one line of text", short(title), "write one")


def _check_text(field: str, value: Any, longest: int) -> None:
    if not isinstance(value, str):
        raise refuse(field, "a text", short(value), "write one")
    if len(value) > longest:
        raise refuse(field, f"at most {longest} characters", f"{len(value):,}", "shorten it")
    if any(0xD800 <= ord(c) <= 0xDFFF or (ord(c) < 32 and c not in "\n\t") for c in value):
        raise refuse(field, "visible characters", short(value), "remove the others")
