"""The numbers behind the pad: one sentence's readings at every corner and between them.

Across, transition, start and end scores are multiplied by λ, from 0 (each word alone) to 1 (with
its neighbours). Down, all scores are divided by the temperature τ, from 1 (all readings) to 0 (only
the best). So the corners are four decoders: λ = 0, τ = 1 is a softmax over each word's emissions,
λ = 0, τ = 0 greedy decoding, λ = 1, τ = 1 has the marginals of posterior decoding, and λ = 1, τ = 0
is Viterbi's path.

All states with τ > 0 are one batch of one `LinearChain`, those with τ = 0 one `viterbi()`.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pages.shared.course.problem import Problem

if TYPE_CHECKING:
    from torch import Tensor

    from crf import LinearChain

FINE, COARSE = 11, 6  # states on each side of the grid
MANY = 20  # words; above, the grid is coarse
NEARLY_0 = 1e-5  # τ; there, k best readings have 1 / k of the probability each


class Readings(NamedTuple):
    """All readings of one sentence in T temperatures × K values of λ; L words, S tags.

    Attributes:
        marginals: [T, K, L, S] probabilities of each word's tags.
        pairs: [T, K, L-1, S, S] probabilities of pairs of neighbouring tags, from row to column.
        best: [K, L] the best reading at this λ, at every τ; −1 where no reading is allowed.
        shares: [T, K] probability of that reading; 1 at τ = 0.
        log_z: [T, K] log-partition in nats; 0 at τ = 0.
    """

    marginals: "Tensor"
    pairs: "Tensor"
    best: "Tensor"
    shares: "Tensor"
    log_z: "Tensor"


def axis(words: int) -> tuple[float, ...]:
    """The values of λ, and of τ from the last to the first, for a sentence of so many words."""
    n = (COARSE if words > MANY else FINE) - 1
    return tuple(round(k / n, 6) for k in range(n + 1))


@lru_cache(maxsize=32)
def readings(
    problem: Problem,
    fixed: tuple[tuple[int, int], ...],
    lambdas: tuple[float, ...],
    taus: tuple[float, ...],
) -> Readings:
    """Compute the readings on the whole pad.

    Args:
        problem: The scores.
        fixed: (token, tag index) of tags that are fixed.
        lambdas: Factors of the transitions, start and end scores, 0 to 1.
        taus: Temperatures, 0 to 1.
    """
    import torch

    from crf import LinearChain

    L, S = len(problem.tokens), len(problem.tags)
    emissions, transitions = _at_each(problem, fixed, lambdas)
    best = LinearChain(emissions, transitions).viterbi().tags  # [K, L]

    T, K = len(taus), len(lambdas)
    marginals = torch.nn.functional.one_hot(best.clamp(min=0), S).double() * (best >= 0)[..., None]
    marginals = marginals.expand(T, K, L, S).clone()
    pairs = marginals[..., :-1, :, None] * marginals[..., 1:, None, :]
    shares, log_z = torch.ones(T, K).double(), torch.zeros(T, K).double()
    warm = [t for t, tau in enumerate(taus) if tau > 0]
    if warm:
        tau = torch.tensor([taus[t] for t in warm], dtype=torch.float64)[:, None]
        cooled = (emissions[None] / tau[..., None, None]).flatten(0, 1)
        matrices = (transitions[None] / tau[..., None, None, None]).flatten(0, 1)
        batch = LinearChain(cooled, matrices)
        # where each step has its own transitions, their expected counts are the pair marginals
        counts = LinearChain(cooled, matrices.expand(-1, L - 1, S, S)).expected_counts
        marginals[warm] = counts.emissions.unflatten(0, (-1, K))
        pairs[warm] = counts.transitions.unflatten(0, (-1, K))
        paths = best.clamp(min=0).repeat(len(warm), 1)
        shares[warm] = batch.log_prob(paths).exp().unflatten(0, (-1, K))
        log_z[warm] = batch.log_partition.unflatten(0, (-1, K))
    return Readings(marginals, pairs, best, shares, log_z)


@lru_cache(maxsize=32)
def limits(
    problem: Problem, fixed: tuple[tuple[int, int], ...], lambdas: tuple[float, ...]
) -> list[float]:
    """Probability of the best reading at each λ as τ goes to 0: 1 / k where k readings tie."""
    from crf import LinearChain

    tables = _at_each(problem, fixed, lambdas)
    chain = LinearChain(*(table / NEARLY_0 for table in tables))
    return chain.log_prob(chain.viterbi().tags.clamp(min=0)).exp().tolist()


def _at_each(
    problem: Problem, fixed: tuple[tuple[int, int], ...], lambdas: tuple[float, ...]
) -> tuple["Tensor", "Tensor"]:
    """Emissions and transitions at each λ, as `scaled` gives them, of the paths with fixed tags."""
    import torch

    tags = torch.full((1, len(problem.tokens)), -1)
    for token, tag in fixed:
        tags[0, token] = tag
    return scaled(problem.chain().clamp(tags), torch.tensor(lambdas, dtype=torch.float64))


def scaled(chain: "LinearChain", lambdas: "Tensor") -> tuple["Tensor", "Tensor"]:
    """Emissions [K, L, S] and transitions [K, 1 or L-1, S, S] of one chain at each λ.

    Start and end scores are added to the first and the last emissions. λ · (−∞) is −∞ for λ > 0 and
    0 at λ = 0.
    """
    import torch

    scores = chain.potentials
    K, S = len(lambdas), scores.emissions.shape[-1]

    def times(table: "Tensor") -> "Tensor":
        factor = lambdas.reshape(K, *[1] * table.ndim)
        return torch.where(factor == 0, 0.0, factor * table)

    emissions = scores.emissions.repeat(K, 1, 1)
    emissions[:, 0] += times(scores.start)
    emissions[:, -1] += times(scores.end)
    return emissions, times(scores.transitions.reshape(-1, S, S))
