"""The words that all pages share: menus, messages, switches, in words.md and its translations."""

from pathlib import Path
from typing import Any

from crf.figures.words import fill, words

_FOLDER = Path(__file__).parent


def say(name: str, /, **facts: Any) -> str:
    """Return a text of words.md as plain text, "table.case", its holes filled."""
    return fill(words(_FOLDER)[name], **facts)
