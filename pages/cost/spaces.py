"""One step in log space and one in scaled space: what each costs, and what each loses.

log space     α ← logsumexp_i (α_i + T_ij) + e_j          S² exponentials
scaled space  a ← (a · exp T) ⊙ exp(e), then a ← a / Σ a   a product with a matrix made once
"""

import math
import time
from functools import lru_cache, partial
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from crf.recursions import log_matvec
from pages.shared.course import measuring
from pages.shared.course.problem import Problem

FACTORS = (1, 3, 10, 30, 100)
GOOD = 0.01  # nats
SIZES = (4, 16, 64)  # tags
ROWS = 64  # of the batch whose step is measured
BUDGET = 0.6  # seconds


def log_step(alpha: Tensor, transitions: Tensor, emission: Tensor) -> Tensor:
    """One step in log space: [B, S]."""
    return log_matvec(alpha, transitions) + emission


def scaled_step(weights: Tensor, potentials: Tensor, emission: Tensor) -> tuple[Tensor, Tensor]:
    """One step in scaled space: the new weights, and the log of the factor taken out, [B, 1].

    Weights, exp(α), and potentials, exp(transitions), are known up to a factor.
    """
    top = emission.amax(1, keepdim=True)
    arriving = (weights @ potentials) * torch.exp(emission - top)
    whole = arriving.sum(1, keepdim=True)
    return arriving / whole, whole.log() + top


class Multiplied(NamedTuple):
    """log Z of the sentence with all its scores multiplied."""

    factor: int  # that they are multiplied by
    exact: float  # log Z by the core
    in_logs: float  # in log space, float32
    scaled: float  # in scaled space, float32; nan or −∞ where all has underflown


@lru_cache(maxsize=16)
def results(problem: Problem) -> tuple[Multiplied, ...]:
    """Both spaces in float32 beside the core's log Z, for some factors on the scores."""
    return tuple(_result(problem, factor) for factor in FACTORS)


def _result(problem: Problem, factor: int) -> Multiplied:
    p = problem.chain().potentials.map_scores(lambda scores: scores * factor)
    exact = LinearChain(*p, backend="plain").log_partition.item()
    p = p.to(torch.float32)
    matrices, emissions = p.arriving_transitions(), p.emissions.unbind(1)
    alpha = p.start + emissions[0]
    top = alpha.amax(1, keepdim=True)
    weights = torch.exp(alpha - top)
    offset = weights.sum(1, keepdim=True).log() + top
    weights = weights / weights.sum(1, keepdim=True)
    for t in range(1, len(emissions)):
        alpha = log_step(alpha, matrices[t], emissions[t])
        matrix = matrices[t].reshape(alpha.shape[1], -1)
        largest = matrix.amax().clamp(min=-3e38)  # taken out, so that nothing overflows
        weights, more = scaled_step(weights, torch.exp(matrix - largest), emissions[t])
        offset = offset + more + largest
    in_logs = torch.logsumexp(alpha + p.end, 1)
    last = p.end.amax()
    scaled = (weights * torch.exp(p.end - last)).sum(1).log() + offset[:, 0] + last
    return Multiplied(factor, exact, in_logs.item(), scaled.item())


def good(value: float, exact: float) -> bool:
    """Whether a number is near enough: within `GOOD` nats, or to five digits if it is large."""
    if not math.isfinite(value) or not math.isfinite(exact):
        return value == exact
    return abs(value - exact) <= max(GOOD, 1e-5 * abs(exact))


class StepTime(NamedTuple):
    """How long a step of a batch takes."""

    tags: int  # S
    in_logs: float  # seconds in log space
    scaled: float  # seconds in scaled space


measured: list[StepTime] = []  # on this server, when somebody asked for it


def times() -> list[StepTime]:
    """Measure a step of each size in both spaces."""
    found, until = [], time.perf_counter() + BUDGET
    for k, S in enumerate(SIZES):
        scores = torch.Generator().manual_seed(0)
        alpha, emission = torch.randn(2, ROWS, S, generator=scores)
        T = torch.randn(S, S, generator=scores)
        weights, potentials = torch.softmax(alpha, 1), T.exp()
        share = (until - time.perf_counter()) / (len(SIZES) - k) / 2
        in_logs = measuring.seconds(partial(log_step, alpha, T, emission), share)
        scaled = measuring.seconds(partial(scaled_step, weights, potentials, emission), share)
        found.append(StepTime(S, in_logs, scaled))
    return found
