"""The sources that lessons refer to, from `bibliography.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Source(NamedTuple):
    """A paper, a book or notes."""

    authors: str  # their names
    title: str  # its title
    where: str  # where and when it was published
    lessons: tuple[str, ...]  # the names of the pages that refer to it


@cache
def sources() -> dict[str, Source]:
    """Return all sources by key."""
    path = Path(__file__).with_suffix(".toml")
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        key: Source(entry["authors"], entry["title"], entry["where"], tuple(entry["lessons"]))
        for key, entry in entries.items()
    }


def of_lesson(lesson: str) -> list[Source]:
    """Return the sources of a page, the oldest idea first as the file has them."""
    return [source for source in sources().values() if lesson in source.lessons]
