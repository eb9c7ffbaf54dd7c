"""The words of what every page has: menus, messages, switches, in words.md and its translations."""

from pathlib import Path
from typing import Any

from crf.figures.words import fill, words

_FOLDER = Path(__file__).parent


def say(name: str, /, **facts: Any) -> str:
    """Return a text of words.md as plain text, "table.case", its holes filled."""
    return fill(words(_FOLDER)[name], **facts)


def say_in_class(name: str, /, **facts: Any) -> str:
    """Return a text of class.md in the same way: what a class adds to the pages."""
    return fill(words_in_class()[name], **facts)


def words_in_class() -> dict[str, str]:
    """Return the texts of class.md by name."""
    return words(_FOLDER, file="class")
