"""Samples of a chain's paths, and how fast their frequencies approach the marginals.

After n samples the frequency of tag s at token t is an average of n yes-or-no draws, so

    E[(frequency − p)²] = p (1 − p) / n

and the typical distance to the marginals falls like 1/√n.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from crf.chain import LinearChain

MOST = 10_000


class Drawn(NamedTuple):
    """One path among the samples.

    Attributes:
        tags: m tag indices.
        times: How often it was drawn.
    """

    tags: tuple[int, ...]
    times: int


def draw(chain: LinearChain, seed: int, n: int = MOST) -> Tensor:
    """n independent samples of a batch of one: [n, m] tag indices, the same for the same seed.

    Raises:
        ValueError: The chain allows no path.
    """
    import torch

    return chain.sample(n, torch.Generator().manual_seed(seed))[:, 0]


def frequencies(samples: Tensor, num_tags: int) -> list[list[float]]:
    """How often each tag was drawn for each token: [m][S] shares of the samples.

    >>> import torch
    >>> frequencies(torch.tensor([[0, 1], [1, 1]]), 2)
    [[0.5, 0.5], [0.0, 1.0]]
    """
    import torch

    counts = torch.stack([(samples == s).sum(0) for s in range(num_tags)], dim=-1)
    return (counts.double() / len(samples)).tolist()


def distances(
    samples: Tensor, marginals: Sequence[Sequence[float]], sizes: Sequence[int]
) -> list[float]:
    """Root mean square of frequency − marginal over all tokens and tags, after n samples each.

    Args:
        samples: [N, m] tag indices.
        marginals: [m][S] probabilities.
        sizes: The n; N at most.
    """
    found = []
    for n in sizes:
        pairs = zip(frequencies(samples[:n], len(marginals[0])), marginals, strict=True)
        squares = [(f - p) ** 2 for row in pairs for f, p in zip(*row, strict=True)]
        found.append(math.sqrt(math.fsum(squares) / len(squares)))
    return found


def expected_distance(marginals: Sequence[Sequence[float]], n: int) -> float:
    """What theory expects of `distances`: √(mean of p (1 − p) / n), so that it falls like 1/√n.

    >>> expected_distance([[0.5, 0.5]], 25)
    0.1
    """
    variances = [p * (1 - p) for row in marginals for p in row]
    return math.sqrt(math.fsum(variances) / len(variances) / n)


def most_frequent(samples: Tensor, k: int) -> list[Drawn]:
    """The k paths drawn most often; of equals the lower tags first."""
    import torch

    paths, times = torch.unique(samples, dim=0, return_counts=True)  # sorted by tags
    order = torch.argsort(times, descending=True, stable=True)[:k]
    return [
        Drawn(tuple(path), many)
        for path, many in zip(paths[order].tolist(), times[order].tolist(), strict=True)
    ]
