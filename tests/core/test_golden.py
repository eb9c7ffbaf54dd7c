"""The published numbers of the syllabus, computed by `crf`."""

import math

import numpy as np
import pytest
import torch

import crf
from tests.core.checks import same

INF = math.inf


def scores(values) -> torch.Tensor:
    """Probabilities to log-scores in float64."""
    return torch.as_tensor(values, dtype=torch.float64).log()


class TestPairPotentials:
    """Random ψ(s', s, t): one table per step, the first row of the first one is the start."""

    def chain(self) -> tuple[crf.LinearChain, torch.Tensor]:
        random = np.random.RandomState(1111)
        V, m = 5, 10
        log_psi = torch.from_numpy(random.random_sample([m, V, V]))
        sequence = torch.from_numpy(random.choice(V, m))[None]
        emissions = torch.zeros(1, m, V, dtype=torch.float64)
        return crf.LinearChain(emissions, log_psi[None, 1:], start=log_psi[0, 0]), sequence

    def test_the_sequence_and_its_probability(self):
        chain, sequence = self.chain()
        same(sequence, [[0, 1, 4, 1, 3, 0, 0, 3, 3, 1]])
        assert chain.log_prob(sequence).exp().item() == pytest.approx(2.69869828108e-08, rel=1e-11)

    def test_alphas(self):
        alphas = self.chain()[0].log_alphas[0].exp()
        first = [1.10026295, 2.52187760, 1.40997704, 1.36407554, 1.00201186]
        last = [2.66620185e8, 4.91942550e8, 4.48597546e8, 3.42214705e8, 4.10510463e8]
        assert alphas[0].tolist() == pytest.approx(first, rel=5e-9)
        assert alphas[-1].tolist() == pytest.approx(last, rel=5e-9)

    def test_the_best_path(self):
        same(self.chain()[0].viterbi().tags, [[1, 4, 2, 4, 3, 0, 3, 0, 3, 1]])


class TestIceCream:
    """Eisner's diary of 33 days: hot (0) or cold (1), and how many cones were eaten."""

    CONES = "2 3 3 2 3 2 3 2 2 3 1 3 3 1 1 1 2 1 1 1 3 1 2 1 1 1 2 3 3 2 3 2 2"

    def chain(self) -> crf.LinearChain:
        given = scores([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])
        cones = [int(c) - 1 for c in self.CONES.split()]
        assert len(cones) == 33
        half, stop = scores([0.5, 0.5]), scores([0.1, 0.1])
        stay = scores([[0.8, 0.1], [0.1, 0.8]])
        return crf.LinearChain(given[:, cones].T[None], stay, half, stop)

    def test_the_probability_of_the_diary(self):
        assert self.chain().log_partition.exp().item() == pytest.approx(9.13e-19, rel=1e-3)

    def test_day_27_is_a_tie_between_two_best_paths(self):
        chain = self.chain()
        best = chain.topk(3)
        gaps = best.scores[0, 0] - best.scores[0]
        assert gaps[1].item() == pytest.approx(0, abs=1e-9)
        assert gaps[2].item() > 0.1
        assert torch.nonzero(best.tags[0, 0] != best.tags[0, 1]).tolist() == [[26]]
        assert chain.marginals[0, 26, 0].item() == pytest.approx(0.493, abs=5e-4)

    def test_one_cone_on_day_11_and_yet_probably_hot(self):
        assert self.chain().marginals[0, 10, 0].item() == pytest.approx(0.75, abs=5e-3)


class TestThreeOneThree:
    """Three days, cones 3-1-3; H is 0 and C is 1."""

    def chain(self, stay_hot: float, stay_cold: float) -> crf.LinearChain:
        given = scores([[0.2, 0.4, 0.4], [0.5, 0.4, 0.1]])
        transitions = scores([[stay_hot, 1 - stay_hot], [1 - stay_cold, stay_cold]])
        return crf.LinearChain(given[:, [2, 0, 2]].T[None], transitions, scores([0.8, 0.2]))

    def test_hot_cold_hot(self):
        chain = self.chain(0.6, 0.5)
        assert chain.log_partition.exp().item() == pytest.approx(0.028562, abs=5e-7)
        best = chain.viterbi().tags
        same(best, [[0, 1, 0]])
        assert chain.log_prob(best).exp().item() == pytest.approx(0.448, abs=5e-4)

    def test_hot_hot_hot_where_greedy_still_says_cold(self):
        chain = self.chain(0.7, 0.6)
        assert chain.log_partition.exp().item() == pytest.approx(0.026264, abs=5e-7)
        best = chain.viterbi().tags
        same(best, [[0, 0, 0]])
        assert chain.log_prob(best).exp().item() == pytest.approx(0.478, abs=5e-4)
        same(chain.greedy(), [[0, 1, 0]])


class TestOldManTheBoat:
    """ "The old man the boat": the best prefix is not a prefix of the best sentence."""

    DET, ADJ, NOUN, VERB = range(4)
    EMISSIONS = torch.tensor(
        [[5, -3, -3, -3], [-3, 2, 0.5, -3], [-3, -3, 2, 0.5], [5, -3, -3, -3], [-3, -3, 2, -1]]
    ).double()
    TRANSITIONS = torch.tensor(
        [[-3, 0.5, 1, -3], [-3, -0.5, 1.5, -2], [-2.5, -1, 0, 1], [1.5, 0, 0.5, -2]]
    ).double()

    def chain(self, words: int = 5) -> crf.LinearChain:
        return crf.LinearChain(self.EMISSIONS[None, :words], self.TRANSITIONS)

    def test_after_three_words(self):
        chain = self.chain(3)
        best = chain.viterbi().tags
        same(best, [[self.DET, self.ADJ, self.NOUN]])
        assert chain.log_prob(best).exp().item() == pytest.approx(0.877, abs=5e-4)

    def test_the_whole_sentence(self):
        chain = self.chain()
        best = chain.viterbi().tags
        same(best, [[self.DET, self.NOUN, self.VERB, self.DET, self.NOUN]])
        assert chain.log_prob(best).exp().item() == pytest.approx(0.646, abs=5e-4)

    def test_both_greedy_decoders_are_led_up_the_garden_path(self):
        chain = self.chain()
        wanted = [[self.DET, self.ADJ, self.NOUN, self.DET, self.NOUN]]
        same(chain.greedy(), wanted)
        same(chain.greedy_left_to_right(), wanted)
        assert chain.log_prob(chain.greedy()).exp().item() == pytest.approx(0.238, abs=5e-4)


class TestBIO:
    """Posterior decoding puts together tags that may not follow each other."""

    B, I, O = range(3)  # noqa: E741

    def chain(self) -> crf.LinearChain:
        transitions = torch.full((3, 3), -INF, dtype=torch.float64)
        transitions[self.B, self.I] = math.log(0.40)
        transitions[self.O, self.O] = math.log(0.35)
        transitions[self.O, self.B] = math.log(0.25)
        start = torch.tensor([0.0, -INF, 0.0], dtype=torch.float64)
        return crf.LinearChain(torch.zeros(1, 2, 3).double(), transitions, start)

    def test_posterior_decoding_is_illegal(self):
        chain = self.chain()
        same(chain.posterior_decode(), [[self.O, self.I]])
        assert chain.log_prob(chain.posterior_decode()).item() == -INF

    def test_viterbi_is_not(self):
        chain = self.chain()
        same(chain.viterbi().tags, [[self.B, self.I]])
        assert chain.log_prob(chain.viterbi().tags).exp().item() == pytest.approx(0.40)
        assert chain.log_partition.item() == pytest.approx(0.0, abs=1e-12)


class TestRibRob:
    """Label bias. States: the r of rib, the r of rob, i, o, b; the word on the page is "rob"."""

    RIB, ROB = torch.tensor([[0, 2, 4]]), torch.tensor([[1, 3, 4]])

    def scores(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        transitions = torch.full((5, 5), -INF, dtype=torch.float64)
        for before, after in [(0, 2), (1, 3), (2, 4), (3, 4)]:
            transitions[before, after] = 0.0
        start = torch.full((5,), -INF, dtype=torch.float64)
        start[0], start[1] = math.log(2), 0.0
        emissions = torch.zeros(1, 3, 5, dtype=torch.float64)
        emissions[0, 1, 2], emissions[0, 1, 3] = -3.0, 3.0  # the letter o is seen
        return emissions, transitions, start

    def test_the_crf_sees_the_o(self):
        chain = crf.LinearChain(*self.scores())
        assert chain.log_prob(self.ROB).exp().item() == pytest.approx(0.995, abs=5e-4)

    def test_the_memm_cannot_for_each_state_has_one_successor(self):
        """Normalised locally, the evidence cancels: log_softmax over the one way on is 0."""
        emissions, transitions, start = self.scores()
        into = transitions[None, None] + emissions[:, 1:, None, :]
        normaliser = into.logsumexp(-1, keepdim=True)
        local = torch.where(into > -INF, into - normaliser, -INF)
        memm = crf.LinearChain(torch.zeros_like(emissions), local, start.log_softmax(0))
        assert memm.log_prob(self.RIB).exp().item() == pytest.approx(0.667, abs=5e-4)
        assert memm.log_partition.item() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("m", "S"), [(1, 1), (4, 3), (10, 17)])
def test_all_zero_scores_count_the_paths(m: int, S: int):
    chain = crf.LinearChain(torch.zeros(1, m, S).double(), torch.zeros(S, S).double())
    assert chain.log_partition.item() == pytest.approx(m * math.log(S))


def test_exp_overflows_where_the_stability_lesson_says():
    for dtype, edge in ((torch.float32, 88.72), (torch.float64, 709.78)):
        assert torch.tensor(edge, dtype=dtype).exp().isfinite()
        assert torch.tensor(edge + 0.01, dtype=dtype).exp().isinf()
