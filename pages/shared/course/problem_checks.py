"""Checks of the names and scores that people type, load or link: the only boundary for them.

Each refusal names the field, what was expected, what came, and what to do.
"""

import csv
import math
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crf.figures.languages import language
from pages.shared.course.words import say

MAX_TAGS, MAX_TOKENS = 12, 20  # by hand, so that the eye can follow
LARGEST_TAGS, LARGEST_TOKENS = 20, 60  # what a trained tagger's sentence needs
MAX_NAME = 128  # characters, as of a tagger's tag; pictures shorten where they draw
MAX_SCORE = 1e6  # nats; sums along a path stay far from overflow
ROOT, EOS = "<ROOT>", "<EOS>"

_JOINERS = "\u200c\u200d"  # part of some scripts' words, and of emoji
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")


class ProblemError(ValueError):
    """A problem, a file or a link that cannot be used; the message says what to do."""


def refuse(field: str, expected: str, got: str, remedy: str) -> ProblemError:
    """Return an error in the project's wording and the reader's language; the caller raises it.

    A part is translated by the row of refusals.csv that it matches, else it stays English.
    """
    parts = (phrase(part) for part in (field, expected, got, remedy))
    return ProblemError(phrase("{}: expected {}, got {}; {}").format(*parts))


_LONGEST_PHRASE = 400  # characters: a pattern with several holes tries each way to fill them


def phrase(text: str) -> str:
    """Return a phrase of a refusal in the reader's language."""
    if len(text) > _LONGEST_PHRASE or (text[:1] in ("'", '"') and text[-1] in (text[0], "…")):
        return text  # what a reader wrote
    for pattern, own in _phrases(language()):
        if match := pattern.fullmatch(text):
            return own.format(*match.groups())
    return text


@cache
def _phrases(language: str) -> list[tuple[re.Pattern[str], str]]:
    """The phrases of refusals: {#} is a number, {w} a word, {} anything."""
    if language == "en":
        return []
    with Path(__file__).with_name("refusals.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    holes = {"{}": "(.+)", "{w}": r"([\w-]+)", "{#}": r"(-?[\d.,e]+)"}
    phrases = []
    for row in rows:
        parts = re.split(r"(\{[#w]?\})", row["en"])
        pattern = "".join(holes.get(part) or re.escape(part) for part in parts)
        phrases.append((re.compile(pattern, re.DOTALL), re.sub("{[#w]}", "{}", row[language])))
    return phrases


def short(value: Any) -> str:
    """A value as an error message shows it: its repr, cut off when it is long.

    >>> [len(short(value)) for value in ("x" * 38, 10**39, "x" * 39, None)], short({})
    ([40, 40, 40, 4], 'an object')
    >>> [short(value)[-1] for value in (10**39, 10**40)]
    ['0', '…']
    """
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def clean_name(text: str) -> str:
    r"""The nearest allowed name: invisible characters out, a long one cut with an ellipsis.

    >>> clean_name("a\tb"), len(clean_name("x" * 999)), clean_name(" ")
    ('a b', 128, '?')
    """
    signs = (" " if c.isspace() else c for c in text if c.isspace() or not _is_invisible(c))
    name = " ".join("".join(signs).split())
    return (name if len(name) <= MAX_NAME else name[: MAX_NAME - 1].rstrip() + "…") or "?"


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE and character not in _JOINERS


_ENTRIES = {  # by field and number of indices
    ("tokens", 1): "token {}",
    ("tags", 1): "tag {}",
    ("start", 1): "start of tag {}",
    ("end", 1): "end of tag {}",
    ("emissions", 1): "emissions of token {}",
    ("emissions", 2): "emission of token {}, tag {}",
    ("transitions", 1): "transitions, part {}",
    ("transitions", 2): "transition from tag {} to tag {}",
    ("transitions", 3): "transition {}, from tag {} to tag {}",
}


def entry_name(field: str, *at: int) -> str:
    """An entry of a field of a problem as a reader counts it, or a part of the field.

    >>> entry_name("tokens", 0), entry_name("emissions", 1, 0), entry_name("emissions", 1)
    ('token 1', 'emission of token 2, tag 1', 'emissions of token 2')
    >>> entry_name("transitions", 2, 0, 1)
    'transition 3, from tag 1 to tag 2'
    """
    return _ENTRIES.get((field, len(at)), field).format(*(k + 1 for k in at))


def checked_names(field: str, names: Any, most: int) -> tuple[str, ...]:
    """The names as a tuple; a ProblemError unless it is a list of 1 to `most` acceptable names."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise refuse(field, "a list of names", type(names).__name__, "give one name for each")
    if not 1 <= len(names) <= most:
        raise refuse(field, f"1 to {most} names", str(len(names)), "add or remove some")
    for index, name in enumerate(names):
        check_name(entry_name(field, index), name)
    return tuple(names)


def check_name(field: str, name: Any) -> None:
    """Refuse a name that is empty, too long, padded with blanks, or not wholly visible."""
    if not isinstance(name, str):
        raise refuse(field, "a name", short(name), "write it as text")
    hidden = next(filter(_is_invisible, name), None)
    if not name.strip():
        raise refuse(field, "a name", short(name), "write at least one visible character")
    if len(name) > MAX_NAME:
        got = f"{len(name)} ({short(name)})"
        raise refuse(field, f"at most {MAX_NAME} characters", got, "shorten it")
    if hidden:
        got = f"U+{ord(hidden):04X} in it"
        raise refuse(field, "visible characters", got, "remove that one")
    if name != name.strip():
        raise refuse(field, "no blanks around the name", short(name), "remove them")


def check_distinct(tags: Sequence[str]) -> None:
    """Refuse two tags of one name, and the names of the folded matrix's own row and column."""
    for index, tag in enumerate(tags):
        field = entry_name("tags", index)
        if tag in tags[:index]:
            raise refuse(field, "a name not used before", f"{short(tag)} again", "rename one")
        if tag in (ROOT, EOS):
            raise refuse(field, f"a name other than {ROOT} and {EOS}", tag, "rename the tag")


def checked_table(field: str, table: Any, shape: Sequence[int], *at: int) -> Any:
    """Nested tuples of floats, of a shape; `at` is where in the field the table is, for messages.

    Raises:
        ProblemError: Another shape, or an entry that is neither finite nor −∞.
    """
    if not shape:
        usual = type(table) is float and abs(table) <= MAX_SCORE  # needs no name
        return table + 0.0 if usual else checked_score(entry_name(field, *at), table)
    name = entry_name(field, *at)
    if isinstance(table, str) or not isinstance(table, Sequence):
        raise refuse(name, f"a table of shape {list(shape)}", short(table), "give a list")
    if len(table) != shape[0]:
        advice = "match the number of tags and tokens"
        raise refuse(name, f"{shape[0]} entries", str(len(table)), advice)
    return tuple(checked_table(field, entry, shape[1:], *at, k) for k, entry in enumerate(table))


def checked_score(field: str, value: Any) -> float:
    """A score as a float, −0 as 0; a ProblemError for nan, +∞, and beyond `MAX_SCORE` in size."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refuse(field, "a number or -inf", short(value), "write a number such as -1.5")
    if value == -math.inf:
        return -math.inf
    if not abs(value) <= MAX_SCORE:  # nan, too
        expected = f"-inf or a number from -{MAX_SCORE:g} to {MAX_SCORE:g}"
        raise refuse(field, expected, short(value), say("score.smaller"))
    return float(value) + 0.0


def check_index(field: str, k: int, count: int) -> None:
    """Refuse an index that is not from 0 to `count` − 1."""
    if not 0 <= k < count:
        raise refuse(field, f"an index from 0 to {count - 1}", str(k), "count from 0")
