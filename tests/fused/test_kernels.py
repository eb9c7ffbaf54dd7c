"""The kernels against the plain code: every result, every kind of chain."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given

from crf import fused
from tests.core.checks import close, same
from tests.fused.batches import Scores, batch, batches, chain, some_tags

SHAPES = [(1, 1, 1), (2, 9, 7), (3, 17, 8), (3, 40, 9), (2, 33, 17), (2, 20, 50), (1, 7, 130)]


def gradients(scores: Scores, backend: str, value: str) -> list[torch.Tensor]:
    leaves = [x.clone().requires_grad_() for x in scores[:4]]
    its = chain((*leaves, scores[4]), backend)
    values = its.log_partition if value == "log_partition" else its.log_prob(some_tags(scores))
    weights = torch.arange(1.0, len(values) + 1, dtype=values.dtype)
    finite = values > -math.inf
    return [*torch.autograd.grad((values[finite] * weights[finite]).sum(), leaves)]


def compare(scores: Scores) -> None:
    ours, plain = chain(scores, "fused"), chain(scores, "plain")
    # A result near 0 is a difference of large scores: what they lose to rounding is allowed.
    size = max(float(x[x.isfinite()].abs().sum()) for x in scores[:4]) if scores[0].numel() else 0
    eps = torch.finfo(scores[0].dtype).eps
    exact = {"atol": 1e-10 + 4e-16 * size + eps, "rtol": 2 * eps}
    close(ours.log_partition, plain.log_partition, **exact)
    close(ours.log_prob(some_tags(scores)), plain.log_prob(some_tags(scores)), **exact)
    close(ours.marginals, plain.marginals, **exact)
    for value in ("log_partition", "log_prob"):
        found, wanted = gradients(scores, "fused", value), gradients(scores, "plain", value)
        for mine, other in zip(found, wanted, strict=True):
            close(mine, other, atol=exact["atol"] + 4 * eps * scores[0][..., 0].numel(), rtol=1e-5)
    best, wanted = ours.viterbi(), plain.viterbi()
    same(best.tags, wanted.tags)
    same(best.scores, wanted.scores)
    same(best.log_deltas, wanted.log_deltas)
    same(best.backpointers, wanted.backpointers)


class TestEqualsPlain:
    @given(batches())
    def test_anywhere(self, scores: Scores):
        compare(scores)

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
    def test_every_width_of_a_column(self, shape: tuple[int, int, int], dtype: torch.dtype):
        compare(batch(shape, 5, dtype=dtype))

    def test_ties_go_to_the_lowest_tag(self):
        emissions, transitions, start, end, mask = batch((3, 12, 11), 3)
        scores = (emissions.round(), transitions.round(), start.round(), end.round(), mask)
        compare(scores)
        zeros = (torch.zeros(2, 5, 9), torch.zeros(9, 9), *torch.zeros(2, 9), torch.ones(2, 5) > 0)
        same(chain(zeros, "fused").viterbi().tags, torch.zeros(2, 5))


class TestRange:
    """Chains for which scaled probabilities are not enough: they are done again in log space."""

    def test_a_path_far_below_the_running_maximum_is_not_lost(self):
        emissions = torch.zeros(1, 60, 2, dtype=torch.float64)
        emissions[0, :, 1] = -20.0  # 1200 nats in all, far below what a double can scale
        stay = torch.tensor([[0.0, -math.inf], [-math.inf, 0.0]], dtype=torch.float64)
        end = torch.tensor([-math.inf, 0.0], dtype=torch.float64)
        scores = (emissions, stay, torch.zeros_like(end), end, torch.ones(1, 60) > 0)
        close(chain(scores, "fused").log_partition, [-1200.0])
        close(chain(scores, "fused").marginals[0, :, 1], torch.ones(60))
        same(chain(scores, "fused").sample(3), torch.ones(3, 1, 60))

    @pytest.mark.parametrize("low", [-200.0, -300.0, -800.0, -1e4])
    @pytest.mark.parametrize("where", range(4))
    def test_one_very_low_score(self, low: float, where: int):
        scores = batch((2, 6, 3), 8, holes=0.0)
        scores[where].view(-1)[1] = low
        compare(scores)

    def test_one_chain_of_many(self):
        scores = batch((5, 9, 4), 1, holes=0.0)
        scores[0][2] *= 1e4
        compare(scores)

    def test_a_long_chain(self):
        for spread in (1.0, 1e4):
            scores = batch((1, 20_000, 3), 4, spread=spread, dtype=torch.float32)
            close(chain(scores, "fused").log_partition, chain(scores, "plain").log_partition)
            close(chain(scores, "fused").marginals, chain(scores, "plain").marginals)

    def test_a_tag_that_no_prefix_reaches(self):
        """Its β̂ grows by e^60 a step: 0 · ∞ must not come of it."""
        emissions = torch.zeros(1, 50, 3, dtype=torch.float64)
        emissions[0, :, 2] = 60.0
        transitions = torch.zeros(3, 3, dtype=torch.float64)
        transitions[:2, 2] = -math.inf
        start = torch.tensor([0.0, 0.0, -math.inf], dtype=torch.float64)
        compare((emissions, transitions, start, torch.zeros_like(start), torch.ones(1, 50) > 0))


class TestSample:
    def test_frequencies_are_the_probabilities(self, generator: torch.Generator):
        for spread in (1.0, 400.0):  # the second is drawn in log space
            scores = batch((2, 4, 3), 2, spread=spread, holes=0.2)
            n = 20_000
            drawn = fused.sample(*scores, n, generator)
            wanted = chain(scores, "plain").marginals
            for tag in range(3):
                share = (drawn == tag).double().mean(0)
                sigma = (wanted[..., tag] * (1 - wanted[..., tag]) / n).sqrt()
                assert ((share - wanted[..., tag]).abs() <= 4.5 * sigma + 1e-12).all()

    def test_forbidden_paths_are_never_drawn(self, generator: torch.Generator):
        scores = batch((6, 5, 4), 9, forbidden=0.2)
        feasible = chain(scores, "plain").feasible
        rows = (scores[0][feasible], *scores[1:4], scores[4][feasible])
        drawn = fused.sample(*rows, 500, generator)
        assert (chain(rows, "plain").log_prob(drawn) > -math.inf).all()
        same(drawn >= 0, rows[4].expand(500, -1, -1))

    def test_the_extremes_of_the_random_numbers(self):
        from crf.fused import ops

        scores = batch((2, 5, 4), 9, forbidden=0.2, holes=0.0)
        highest = 1 - 2.0**-53
        for uniform in (0.0, highest):
            tags = ops.sample(*scores, torch.full((1, 2, 5), uniform, dtype=torch.float64))
            assert (chain(scores, "plain").log_prob(tags) > -math.inf).all()
