"""The worked examples of the page "Tag a sentence".

What each shows stands in text.md as `example-NAME`, with another tagger `example-NAME-TAGGER`;
every claim there is checked against the shipped taggers by tests/lessons/tag/test_examples.py.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pages.shared.ui import taggers


class ExampleSentence(NamedTuple):
    """A sentence, and the notes on it."""

    name: str  # `labels` in text.md says what it is called
    sentence: str  # as it is typed
    tagger: str  # that the note is about
    also: Sequence[str] = ()  # other taggers with a note of their own
    holds: bool = False  # whether the note asks to hold tags, so that it stays while some are held

    @property
    def paragraph(self) -> str:
        """The name of the note in text.md."""
        return f"example-{self.name}"

    @property
    def notes(self) -> dict[str, str]:
        """The names of all its notes by tagger."""
        return {self.tagger: self.paragraph} | {
            tagger: f"{self.paragraph}-{tagger}" for tagger in self.also
        }


_TABLES = tomllib.loads(Path(__file__).with_name("examples.toml").read_text("utf-8"))
BY_TASK = {task: tuple(ExampleSentence(**row) for row in rows) for task, rows in _TABLES.items()}
EXAMPLES = BY_TASK[taggers.POS]
BY_NAME = {example.name: example for examples in BY_TASK.values() for example in examples}
BY_SENTENCE = {example.sentence: example for example in BY_NAME.values()}
