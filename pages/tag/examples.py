"""The worked examples of the page "Tag a sentence".

What each shows stands in text.md as `example-NAME`, with another tagger `example-NAME-TAGGER`;
every claim there is checked against the shipped taggers by tests/lessons/tag/test_examples.py.
"""

from typing import NamedTuple

from pages.shared.contents import FIRST_SENTENCE
from pages.shared.ui import taggers


class ExampleSentence(NamedTuple):
    """A sentence, and the notes on it."""

    name: str  # of the example
    sentence: str  # as it is typed
    tagger: str  # that the note is about
    also: tuple[str, ...] = ()  # other taggers with a note of their own
    holds: bool = False  # whether the note asks to hold tags, so that it stays while some are held

    @property
    def paragraph(self) -> str:
        """The name of the note in text.md."""
        return "example-" + self.name.lower().replace(" ", "-")

    @property
    def notes(self) -> dict[str, str]:
        """The names of all its notes by tagger."""
        return {self.tagger: self.paragraph} | {
            tagger: f"{self.paragraph}-{tagger}" for tagger in self.also
        }


EXAMPLES = (
    ExampleSentence("Kindly guide", FIRST_SENTENCE, "bilstm"),
    ExampleSentence("Garden path", "The old man the boat.", "bilstm", holds=True),
    ExampleSentence("One word two tags", "They book a room to read a book.", "local"),
    ExampleSentence("A new verb", "We need to google the new iPhone.", "local"),
    ExampleSentence("They can fish", "They can fish.", "bilstm", holds=True),
    ExampleSentence("Right the wrong", "They right the wrongs.", "local", ("bilstm",)),
    ExampleSentence("That that", "He said that that was that.", "bilstm"),
    ExampleSentence(
        "Refuse permit", "They refuse to permit us to obtain the refuse permit.", "local"
    ),
    ExampleSentence(
        "Jabberwocky",
        "Twas brillig, and the slithy toves did gyre and gimble in the wabe.",
        "bilstm",
    ),
    ExampleSentence("Contractions", "Don't you think that's what we're gonna need?", "bilstm"),
)
NAMES_EXAMPLES = (
    ExampleSentence(
        "A paper and a person", "New York Times reporter Judith Miller was jailed.", "ner"
    ),
    ExampleSentence(
        "Person or place", "Paris Hilton flew from Paris to New York City.", "ner", holds=True
    ),
    ExampleSentence(
        "A city in a name", "The University of Chicago is in Chicago.", "ner", ("ner-softmax",)
    ),
)
BY_TASK = {taggers.POS: EXAMPLES, taggers.NAMES: NAMES_EXAMPLES}
BY_NAME = {example.name: example for examples in BY_TASK.values() for example in examples}
BY_SENTENCE = {example.sentence: example for example in BY_NAME.values()}
