"""Chains with names, of which the tests draw traces."""

import torch

from crf import LinearChain
from crf.trace import trace

NEVER = float("-inf")


def chain(emissions, transitions, *ends):
    rows = (torch.tensor(x, dtype=torch.float64) for x in ([emissions], transitions, *ends))
    return LinearChain(*rows, backend="plain")


def large(length, tags=17):
    draw = torch.Generator().manual_seed(3)
    scores = (3 * torch.randn(size, generator=draw) for size in ([1, length, tags], [tags, tags]))
    return LinearChain(*(score.double() for score in scores), backend="plain")


OLD_MAN = (
    [[5, -3, -3, -3], [-3, 2, 0.5, -3], [-3, -3, 2, 0.5], [5, -3, -3, -3], [-3, -3, 2, -1]],
    [[-3, 0.5, 1, -3], [-3, -0.5, 1.5, -2], [-2.5, -1, 0, 1], [1.5, 0, 0.5, -2]],
    [1, 0, 0.5, -1],
    [-2, -1, 0.5, 0],
)
EXAMPLES = {
    "old man": (chain(*OLD_MAN), ["DET", "ADJ", "NOUN", "VERB"], "the old man the boat".split()),
    "bio": (
        chain([[0.0] * 3] * 3, [[NEVER, 0, NEVER], [NEVER] * 3, [1, NEVER, 2]], [0, NEVER, 0]),
        ["B", "I", "O"],
        ["New", "York", "now"],
    ),
    "dead end": (chain([[1.0, 2.0]] * 3, [[NEVER] * 2] * 2), ["A", "B"], ["x", "y", "z"]),
    "one": (chain([[1.0, 2.0]], [[0.0] * 2] * 2), ["A", "B"], ["x"]),
    "hostile": (
        chain([[1.0, 2.0]] * 3, [[0.0] * 2] * 2),
        ["<i>A</i>", "B"],
        ["<img src=x onerror=hacked=1>", "</script><b>", "שלום\u202e"],
    ),
    "per step": (
        chain(
            [[1.0, 2.0, 0.0]] * 3,
            [[[[1.0 * i + j, 2.0, 3.0] for i in range(3)] for j in (0, 5)]],
            [0.5, 0, 0],
        ),
        ["A", "B", "C"],
        ["x", "y", "z"],
    ),
    "ties": (chain([[1.0, 1.0]] * 3, [[0.0] * 2] * 2), ["A", "B"], ["x", "y", "z"]),
    "large": (large(40), [f"TAG{i}" for i in range(17)], [f"word{i}" for i in range(40)]),
}


def shown(example="old man", **options):
    """A trace of an example."""
    chain, tags, tokens = EXAMPLES[example]
    return trace(chain, tags=tags, tokens=tokens, **{"algorithm": "viterbi", **options})
