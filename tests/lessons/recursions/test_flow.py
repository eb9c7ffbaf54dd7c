"""Flow in the lessons: where α and β meet, and from sum to max."""

import math

import pytest
import torch

from pages.backward.alpha_beta_meeting import alpha_front, beta_front, fronts
from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.viterbi.sections import TAU

OLD_MAN = EXAMPLES["old-man"].problem


@pytest.mark.parametrize("name", ["old-man", "bio", "pair-potentials", "one-token"])
def test_the_fronts_end_in_alpha_and_beta_and_ribbons_fill_the_blocks_at_both_ends(name):
    problem = EXAMPLES[name].problem
    chain = problem.chain()
    for t in range(len(problem.tokens)):
        alpha = torch.softmax(chain.log_alphas[0, t], 0)
        beta = torch.softmax(chain.log_betas[0, t], 0)
        front, back = alpha_front(chain, t).marginals[0, -1], beta_front(chain, t).marginals[0, 0]
        torch.testing.assert_close(front, alpha, rtol=1e-10, atol=1e-12)
        torch.testing.assert_close(back, beta, rtol=1e-10, atol=1e-12)
        product = alpha * beta / (alpha * beta).sum()
        torch.testing.assert_close(product, chain.marginals[0, t], rtol=1e-10, atol=1e-12)
        drawn = fronts(problem, chain, t)
        assert [c["part"] for c in drawn["columns"]].index("product") == t + 1
        assert len(drawn["columns"]) == len(problem.tokens) + 2 == len(drawn["ribbons"]) + 1
        for k, row in enumerate(drawn["ribbons"]):
            for column, end, width in (
                (drawn["columns"][k], 0, lambda r: r.p),
                (drawn["columns"][k + 1], 1, lambda r: r.p if r.right is None else r.right),
            ):
                for block in column["blocks"]:
                    filled = math.fsum(width(r) for r in row if r[end] == block.tag)
                    assert filled == pytest.approx(block.p, abs=1e-12)


def test_temperature_is_a_power_of_every_path_s_probability():
    paths = enumerate_paths(OLD_MAN)
    for tau in (TAU.low, 1.0, 3.0):
        heated = ChainSummary(OLD_MAN).at_temperature(tau)
        weights = [math.exp((path.score - 17.5) / tau) for path in paths]
        for path, weight in zip(paths[:20], weights, strict=False):
            p = heated.log_prob(torch.tensor([path.tags])).exp().item()
            assert p == pytest.approx(weight / math.fsum(weights), rel=1e-9)
    cold = ChainSummary(OLD_MAN).at_temperature(TAU.low)
    assert cold.log_prob(OLD_MAN.chain().viterbi().tags).exp().item() > 1 - 1e-4
    assert TAU.low * cold.log_partition.item() == pytest.approx(paths[0].score, abs=1e-4)
