"""A tagger with hand-made scores for "The old man the boat", whose numbers are published."""

import torch

from crf import LinearChain

TOKENS = ("The", "old", "man", "the", "boat")
TAGS = ("DET", "ADJ", "NOUN", "VERB")
EMISSIONS = [
    [5.0, -3.0, -3.0, -3.0],
    [-3.0, 2.0, 0.5, -3.0],
    [-3.0, -3.0, 2.0, 0.5],
    [5.0, -3.0, -3.0, -3.0],
    [-3.0, -3.0, 2.0, -1.0],
]
TRANSITIONS = [
    [-3.0, 0.5, 1.0, -3.0],
    [-3.0, -0.5, 1.5, -2.0],
    [-2.5, -1.0, 0.0, 1.0],
    [1.5, 0.0, 0.5, -2.0],
]
START = [1.0, 0.0, 0.5, -1.0]
END = [-2.0, -1.0, 0.5, 0.0]


class GardenPath:
    """What the page asks of a tagger, with the scores above for whatever five words come."""

    tags = TAGS

    def __init__(self, transitions=TRANSITIONS, emissions=EMISSIONS, start=START, end=END):
        self.tables = [emissions], transitions, start, end

    def chain(self, sentences, backend="auto"):
        assert len(sentences) == 1
        assert len(sentences[0]) == len(self.tables[0][0])
        return LinearChain(*map(torch.tensor, self.tables), backend=backend)

    def unknown(self, tokens):
        return [token == "boat" for token in tokens]
