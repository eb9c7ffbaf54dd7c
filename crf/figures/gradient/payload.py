"""The gradient of log p(y|x) in one chain's scores: observed minus expected counts, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..words import words

if TYPE_CHECKING:
    from ...chain import LinearChain


START, END = "START", "END"
FOLDER = Path(__file__).parent  # has its words


def of_chain(
    chain: LinearChain, path: Sequence[int], tags: Sequence[str], tokens: Sequence[str]
) -> dict[str, Any]:
    """Write what pulls each score up, and what pulls it down.

    ∂ log p(y|x) / ∂ T[i, j] = how often y goes from i to j − how often the model expects it.

    Args:
        chain: A batch of one chain without masked cells.
        path: [L] tag indices of y.
        tags: [S] names.
        tokens: [L] words.
    """
    S = len(tags)
    marginals, pairs = chain.marginals[0].tolist(), chain.pair_marginals[0].tolist()
    import torch

    observed = torch.zeros(S, S, dtype=torch.long)
    for a, b in pairwise(path):
        observed[a, b] += 1
    expected = chain.pair_marginals[0].sum(0).tolist()
    steps = [f"{a}→{b}" for a, b in pairwise(tokens)]
    ones = [[int(s == tag) for s in range(S)] for tag in path]
    transitions = {
        "name": words(FOLDER)["transitions"],
        "names": "T[{row}, {column}]",
        "is_sum": True,  # no step is taken here
        "rows": [START, *tags],
        "columns": [*tags, END],
        "reads": [
            [*([f"start:{s}"] for s in range(S)), []],
            *([*([f"transition:{i}:{j}"] for j in range(S)), [f"end:{i}"]] for i in range(S)),
        ],
        "observed": _framed(ones[0], observed.tolist(), ones[-1]),
        "expected": _framed(marginals[0], expected, marginals[-1]),
        "places": [
            [[] for _ in range(S + 1)],
            *(
                [*([[step, pairs[t][i][j]] for t, step in enumerate(steps)] for j in range(S)), []]
                for i in range(S)
            ),
        ],
    }
    emissions = {
        "name": words(FOLDER)["emissions"],
        "names": "e[{row}, {column}]",
        "is_sum": True,
        "rows": list(tokens),
        "columns": list(tags),
        "reads": [[[f"emission:{t}:{s}"] for s in range(S)] for t in range(len(tokens))],
        "observed": ones,
        "expected": marginals,
        "places": [[[] for _ in range(S)] for _ in tokens],
    }
    return {"rate": 0.0, "tables": [transitions, emissions], "words": words(FOLDER)}


def _framed(start: list, matrix: list[list], end: list) -> list[list]:
    """A matrix with start as its first row and end as its last column; START, END has no entry."""
    return [[*start, None], *([*row, stop] for row, stop in zip(matrix, end, strict=True))]
