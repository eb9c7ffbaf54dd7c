"""The words of exercises, homework, diagnoses and classes, in words.md."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crf.figures.words import fill, words


def words_of(folder: Path) -> Callable[..., str]:
    """Return a function that reads a text of a folder's words.md: say("table.case", hole=fact)."""

    def say(name: str, /, **facts: Any) -> str:
        return fill(words(folder)[name], **facts)

    return say


say = words_of(Path(__file__).parent)
