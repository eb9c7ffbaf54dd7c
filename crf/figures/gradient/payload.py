"""The gradient of log p(y|x) in one chain's scores: observed minus expected counts, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..flow.payload import Numbers
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
    S, path = len(tags), list(path)
    marginals, pairs = chain.marginals[0].tolist(), chain.pair_marginals[0].tolist()
    observed = [[0] * S for _ in tags]
    for a, b in pairwise(path):
        observed[a][b] += 1
    ones = [[int(s == tag) for s in range(S)] for tag in path]
    transitions = transition_table(
        tags,
        tokens,
        pairs,
        (ones[0], observed, ones[-1]),
        (marginals[0], chain.pair_marginals[0].sum(0).tolist(), marginals[-1]),
        is_sum=True,  # no step is taken here
    )
    emissions = {
        "name": words(FOLDER)["emissions"],
        "names": "e[{row}, {column}]",
        "is_sum": True,
        "rows": list(tokens),
        "columns": list(tags),
        "observed": ones,
        "expected": marginals,
        "places": [[[] for _ in range(S)] for _ in tokens],
    }
    return {"rate": 0.0, "tables": [transitions, emissions], "words": words(FOLDER)}


def transition_table(
    tags: Sequence[str],
    tokens: Sequence[str],
    pairs: Sequence[Sequence[Numbers]],
    observed: tuple[Numbers, Sequence[Numbers], Numbers],
    expected: tuple[Numbers, Sequence[Numbers], Numbers],
    kept: Sequence[int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Write counts of transitions with START as first row and END as last column.

    Args:
        tags: [S] names.
        tokens: [L] words.
        pairs: [L-1][S][S] pair marginals: the places that an expected count adds up.
        observed: Counts of start [S], transitions [S][S] and end [S].
        expected: The same, expected.
        kept: Tags that have a row; None: all.
        more: Further entries of the table.
    """
    kept = range(len(tags)) if kept is None else kept

    def framed(counts: tuple[Numbers, Sequence[Numbers], Numbers]) -> list[list[Any]]:
        start, matrix, end = counts
        rows = ([*(matrix[i][j] for j in kept), end[i]] for i in kept)
        return [[*(start[s] for s in kept), None], *rows]

    names = [tags[s] for s in kept]
    steps = [f"{a}→{b}" for a, b in pairwise(tokens)]
    return {
        "name": words(FOLDER)["transitions"],
        "names": "T[{row}, {column}]",
        "rows": [START, *names],
        "columns": [*names, END],
        "observed": framed(observed),
        "expected": framed(expected),
        "places": [
            [[] for _ in range(len(kept) + 1)],
            *(
                [*([[step, pairs[t][i][j]] for t, step in enumerate(steps)] for j in kept), []]
                for i in kept
            ),
        ],
    } | more
