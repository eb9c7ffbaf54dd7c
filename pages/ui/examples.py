"""The worked examples of the page "Tag a sentence": each with one line on why it is instructive.

Every claim is checked by tests/pages/test_examples.py against the shipped taggers.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A sentence and what to look at in it; `tagger` is the one that the claim is about."""

    name: str
    sentence: str
    tagger: str
    why: str


EXAMPLES = (
    Example("Garden path", "The old man the boat.", "local", "TBD"),
    Example("Time flies", "Time flies like an arrow.", "bilstm", "TBD"),
    Example("They can fish", "They can fish.", "bilstm", "TBD"),
    Example("Book a park", "Book a park near the bank.", "bilstm", "TBD"),
)
BY_NAME = {example.name: example for example in EXAMPLES}
BY_SENTENCE = {example.sentence: example for example in EXAMPLES}
