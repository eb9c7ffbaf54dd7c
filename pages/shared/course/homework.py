"""Homework: sheets A and B of one seed, and codes in which answers are handed in.

    sheet = Sheet(seed=7, kinds=("forward", "viterbi"))
    sheet.exercises("A"), sheet.exercises("B")         # the same kinds of questions, other numbers
    code = hand_in(token, HandedIn(sheet, "A", "Ada", (("1.5", "2"), …), now))
    read(code, token)                                  # the work, or a sentence on what is wrong

A code is "CRF1.", what was handed in (JSON, compressed), a dot, and an HMAC-SHA256 of it under the
class's token. Whoever has the token can check codes, and make some; the server alone derives it
from its key and the class's name, so that the link which students get need not have it.
"""

import base64
import binascii
import hashlib
import hmac
import json
import random
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crf.strict_json import read_json
from pages.shared.course.exercise_sheet import MOST
from pages.shared.course.exercises import KINDS, LARGEST_SEED, Exercise
from pages.shared.course.problem_checks import ProblemError, refuse, short
from pages.shared.course.words import say

VARIANTS = ("A", "B")
KEYS = ("seed", "kinds", "of", "count")
LONGEST_NAME, LONGEST_ANSWER, LONGEST_CODE = 60, 60, 20_000  # characters
MOST_CODES = 500
SHORTEST_KEY = 16  # characters of the server's key
LATEST = 10**11  # seconds since 1970; any calendar can still name that year
_MOST_ANSWERS = 8  # of one exercise
_CLASS = re.compile(r"[a-z2-7]{8}")
_CODE = re.compile(r"CRF1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})")
_LARGEST = 200_000  # bytes of a code, unpacked


@dataclass(frozen=True)
class Sheet:
    """A sheet of exercises, of which there are two variants.

    Raises:
        ProblemError: There is no such sheet.
    """

    seed: int  # from 0 to `LARGEST_SEED`; the same seed gives the same sheets everywhere
    kinds: tuple[str, ...] = tuple(KINDS)  # taken in turn
    size: str = "small"  # one of `SIZES`
    count: int = 6  # 1 to `MOST` exercises

    def __post_init__(self) -> None:
        if not self.kinds or len(self.kinds) > MOST:
            raise refuse("kinds", f"1 to {MOST}", str(len(self.kinds)), "choose some")
        for kind in self.kinds:
            Exercise(self.seed, kind, self.size)  # refuses what is none
        if type(self.count) is not int or not 1 <= self.count <= MOST:
            raise refuse("count", f"1 to {MOST}", short(self.count), "choose one of these")

    def exercises(self, variant: str) -> tuple[Exercise, ...]:
        """The exercises of a variant.

        Raises:
            ProblemError: There is no such variant.
        """
        if variant not in VARIANTS:
            raise refuse("sheet", " or ".join(VARIANTS), short(variant), "choose one of these")
        draw = random.Random(f"{self.seed} {variant}")
        return tuple(
            Exercise(draw.randrange(LARGEST_SEED + 1), self.kinds[k % len(self.kinds)], self.size)
            for k in range(self.count)
        )

    def query(self) -> dict[str, str]:
        """Values for an address.

        >>> Sheet(7, ("forward", "log-z")).query()
        {'seed': '7', 'kinds': 'forward~log-z', 'of': 'small', 'count': '6'}
        """
        values = str(self.seed), "~".join(self.kinds), self.size, str(self.count)
        return dict(zip(KEYS, values, strict=True))


def from_query(query: Mapping[str, str]) -> Sheet:
    """The sheet of an address.

    Raises:
        ProblemError: There is none like that.
    """
    numbers = {}
    for key in ("seed", "count"):
        text = query.get(key, "")
        if not (text.isascii() and text.isdigit() and len(text) <= 10):
            raise refuse(key, "a whole number", short(text), "copy the whole link")
        numbers[key] = int(text)
    kinds = tuple(query.get("kinds", "").split("~"))
    return Sheet(numbers["seed"], kinds, query.get("of", ""), numbers["count"])


# ---------------------------------------------------------------------- the class


def new_class(randomness: bytes) -> str:
    """A class's name from five random bytes."""
    return base64.b32encode(randomness).decode().lower()


def token_of(key: str, name: str) -> str:
    """The token of a class, which only the server can derive from its key and the class's name.

    Raises:
        ProblemError: The key is shorter than `SHORTEST_KEY`, or the name is none.
    """
    if len(key) < SHORTEST_KEY:
        raise refuse("key", f"{SHORTEST_KEY} characters", str(len(key)), "choose a longer one")
    if not isinstance(name, str) or not _CLASS.fullmatch(name):
        raise refuse("class", "eight letters", short(name), "copy the whole link")
    digest = hmac.digest(key.encode(), f"class {name}".encode(), hashlib.sha256)
    text = base64.b32encode(digest).decode().lower()[:20]
    return "-".join(text[k : k + 5] for k in range(0, 20, 5))


# ---------------------------------------------------------------------- codes


@dataclass(frozen=True)
class HandedIn:
    """What a student hands in.

    Raises:
        ProblemError: A part is too long, or of the wrong shape.
    """

    sheet: Sheet  # the sheet
    variant: str  # of `VARIANTS`
    name: str  # as the student wrote it
    # for each exercise what was typed, a text for each thing that is wanted
    answers: tuple[tuple[str, ...], ...]
    time: int  # when, in seconds since 1970, by the server's clock; before `LATEST`

    def __post_init__(self) -> None:
        exercises = self.sheet.exercises(self.variant)
        if not self.name.strip():
            raise refuse("name", "your name", "none", "write it")
        if len(self.name) > LONGEST_NAME or not self.name.isprintable():
            raise refuse("name", f"up to {LONGEST_NAME} letters", short(self.name), "shorten it")
        if len(self.answers) != len(exercises):
            raise refuse("answers", f"{len(exercises)}", str(len(self.answers)), "fill the sheet")
        if type(self.time) is not int or not 0 <= self.time < LATEST:
            raise refuse("time", "seconds since 1970", short(self.time), "hand it in again")
        for answer in self.answers:
            if len(answer) > _MOST_ANSWERS or any(len(text) > LONGEST_ANSWER for text in answer):
                most = f"up to {LONGEST_ANSWER} characters each"
                raise refuse("answers", most, "more", "shorten them")


def hand_in(token: str, work: HandedIn) -> str:
    """The code of a work, signed with the class's token."""
    sheet = work.sheet
    fields = [
        sheet.seed, list(sheet.kinds), sheet.size, sheet.count, work.variant, work.name,
        [list(answer) for answer in work.answers], work.time,
    ]  # fmt: skip
    packed = zlib.compress(json.dumps(fields, separators=(",", ":"), allow_nan=False).encode(), 9)
    body = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return f"CRF1.{body}.{_signature(token, body)}"


def read(code: str, token: str) -> HandedIn:
    """The work that is in a code.

    Raises:
        ProblemError: It is no code, or was not signed with this token, or was changed since.
    """
    found = _CODE.fullmatch(code)
    if len(code) > LONGEST_CODE or found is None:
        raise ProblemError(say("code.cut"))
    body, signature = found.groups()
    if not hmac.compare_digest(signature, _signature(token, body)):
        raise ProblemError(say("code.forged"))
    try:
        packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        text = zlib.decompressobj().decompress(packed, _LARGEST)
        seed, kinds, size, count, variant, name, answers, time = read_json(text, _LARGEST)
        sheet = Sheet(seed, tuple(map(_text, kinds)), _text(size), count)
        answers = tuple(tuple(map(_text, answer)) for answer in answers)
        return HandedIn(sheet, _text(variant), _text(name), answers, time)
    except (binascii.Error, zlib.error, TypeError, ValueError) as error:
        why = str(error) if isinstance(error, ProblemError) else say("code.version")
        raise ProblemError(say("code.unread", why=why)) from None


def codes_in(pasted: str) -> list[str]:
    """The codes in a pasted text; one that mail has broken over lines is put together again.

    Its lines may be quoted, or end in the = of some mail.

    Raises:
        ProblemError: There are none, or too many.
    """
    pieces = pasted[: MOST_CODES * LONGEST_CODE].split("CRF1.")[1:]
    found = [_whole("CRF1." + piece) for piece in pieces[: MOST_CODES + 1]]
    if not 1 <= len(found) <= MOST_CODES:
        wanted = f"1 to {MOST_CODES}, each beginning with CRF1."
        raise refuse("codes", wanted, str(len(found)), "paste them")
    return found


def _whole(pasted: str) -> str:
    """The code that a text begins with."""
    code = re.split(r"[\s,;\"'<>]", pasted, maxsplit=1)[0]
    if _CODE.fullmatch(code):
        return code
    joined = _CODE.match(re.sub(r"=?\s*\n[\s>|]*", "", pasted[: 2 * LONGEST_CODE]))
    return joined[0] if joined else code


def _signature(token: str, body: str) -> str:
    key = "".join(token.split()).replace("-", "").lower().encode()
    digest = hmac.digest(key, f"CRF1.{body}".encode(), hashlib.sha256)[:16]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text")
    return value
