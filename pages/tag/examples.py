"""The worked examples of the page "Tag a sentence".

What each shows stands in text.md as `example-NAME`, with another tagger `example-NAME-TAGGER`;
every claim there is checked against the shipped taggers by tests/lessons/tag/test_examples.py.
"""

from typing import NamedTuple

from pages.shared.contents import FIRST_SENTENCE
from pages.shared.ui import taggers


class ExampleSentence(NamedTuple):
    """A sentence, and the notes on it."""

    name: str  # `labels` in text.md says what it is called
    sentence: str  # as it is typed
    tagger: str  # that the note is about
    also: tuple[str, ...] = ()  # other taggers with a note of their own
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


EXAMPLES = (
    ExampleSentence("kindly-guide", FIRST_SENTENCE, "bilstm"),
    ExampleSentence("garden-path", "The old man the boat.", "bilstm", holds=True),
    ExampleSentence("one-word-two-tags", "They book a room to read a book.", "local"),
    ExampleSentence("a-new-verb", "We need to google the new iPhone.", "local"),
    ExampleSentence("they-can-fish", "They can fish.", "bilstm", holds=True),
    ExampleSentence("right-the-wrong", "They right the wrongs.", "local", ("bilstm",)),
    ExampleSentence("that-that", "He said that that was that.", "bilstm"),
    ExampleSentence(
        "refuse-permit", "They refuse to permit us to obtain the refuse permit.", "local"
    ),
    ExampleSentence(
        "jabberwocky",
        "Twas brillig, and the slithy toves did gyre and gimble in the wabe.",
        "bilstm",
    ),
    ExampleSentence("contractions", "Don't you think that's what we're gonna need?", "bilstm"),
)
NAMES_EXAMPLES = (
    ExampleSentence(
        "a-paper-and-a-person", "New York Times reporter Judith Miller was jailed.", "ner"
    ),
    ExampleSentence(
        "person-or-place", "Paris Hilton flew from Paris to New York City.", "ner", holds=True
    ),
    ExampleSentence(
        "a-city-in-a-name", "The University of Chicago is in Chicago.", "ner", ("ner-softmax",)
    ),
)
BY_TASK = {taggers.POS: EXAMPLES, taggers.NAMES: NAMES_EXAMPLES}
BY_NAME = {example.name: example for examples in BY_TASK.values() for example in examples}
BY_SENTENCE = {example.sentence: example for example in BY_NAME.values()}
