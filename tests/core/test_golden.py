"""Published numbers, computed by `crf`; tests/course/test_examples.py has those of all examples."""

import numpy as np
import pytest
import torch

import crf
from tests.core.checks import same


def logs(values) -> torch.Tensor:
    """Probabilities to log-scores in float64."""
    return torch.as_tensor(values, dtype=torch.float64).log()


def p(chain: crf.LinearChain, tags) -> float:
    return chain.log_prob(torch.as_tensor(tags)).exp().item()


def about(value: float):
    return pytest.approx(value, abs=5e-4)


def test_pair_potentials():
    """Random ψ(s', s, t): one table per step, the first row of the first one is the start."""
    random = np.random.RandomState(1111)
    V, m = 5, 10
    log_psi = torch.from_numpy(random.random_sample([m, V, V]))
    sequence = torch.from_numpy(random.choice(V, m))[None]
    emissions = torch.zeros(1, m, V, dtype=torch.float64)
    chain = crf.LinearChain(emissions, log_psi[None, 1:], start=log_psi[0, 0])
    same(sequence, [[0, 1, 4, 1, 3, 0, 0, 3, 3, 1]])
    assert p(chain, sequence) == pytest.approx(2.69869828108e-08, rel=1e-11)
    first = [1.10026295, 2.52187760, 1.40997704, 1.36407554, 1.00201186]
    last = [2.66620185e8, 4.91942550e8, 4.48597546e8, 3.42214705e8, 4.10510463e8]
    for place, wanted in ((0, first), (-1, last)):
        assert chain.log_alphas[0, place].exp().tolist() == pytest.approx(wanted, rel=5e-9)
    same(chain.viterbi().tags, [[1, 4, 2, 4, 3, 0, 3, 0, 3, 1]])


def test_ice_cream():
    """Eisner's diary of 33 days: hot (0) or cold (1), and how many cones were eaten."""
    diary = "2 3 3 2 3 2 3 2 2 3 1 3 3 1 1 1 2 1 1 1 3 1 2 1 1 1 2 3 3 2 3 2 2"
    given = logs([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])[:, [int(c) - 1 for c in diary.split()]]
    half, stop, stay = logs([0.5, 0.5]), logs([0.1, 0.1]), logs([[0.8, 0.1], [0.1, 0.8]])
    chain = crf.LinearChain(given.T[None], stay, half, stop)
    assert chain.log_partition.exp().item() == pytest.approx(9.13e-19, rel=1e-3)
    best = chain.topk(3)  # day 27 is a tie between two best paths
    gaps = best.scores[0, 0] - best.scores[0]
    assert gaps[1].item() == pytest.approx(0, abs=1e-9)
    assert gaps[2].item() > 0.1
    assert torch.nonzero(best.tags[0, 0] != best.tags[0, 1]).tolist() == [[26]]
    assert chain.marginals[0, 26, 0].item() == about(0.493)
    assert chain.marginals[0, 10, 0].item() == pytest.approx(0.75, abs=5e-3)  # with one cone


class TestOldManTheBoat:
    """ "The old man the boat": the best prefix is not a prefix of the best sentence."""

    DET, ADJ, NOUN, VERB = range(4)
    EMISSIONS = torch.tensor(
        [[5, -3, -3, -3], [-3, 2, 0.5, -3], [-3, -3, 2, 0.5], [5, -3, -3, -3], [-3, -3, 2, -1]]
    ).double()
    TRANSITIONS = torch.tensor(
        [[-3, 0.5, 1, -3], [-3, -0.5, 1.5, -2], [-2.5, -1, 0, 1], [1.5, 0, 0.5, -2]]
    ).double()
    START = torch.tensor([1, 0, 0.5, -1]).double()
    END = torch.tensor([-2, -1, 0.5, 0]).double()

    BEST = (DET, NOUN, VERB, DET, NOUN)
    GREEDY = (DET, ADJ, NOUN, DET, NOUN)
    RANKED = (
        (19.0, BEST),
        (18.0, GREEDY),
        (17.0, (DET, ADJ, VERB, DET, NOUN)),
        (15.5, (DET, NOUN, NOUN, DET, NOUN)),
    )

    def chain(self, words=5, start=START, end=END) -> crf.LinearChain:
        return crf.LinearChain(self.EMISSIONS[None, :words], self.TRANSITIONS, start, end)

    def test_sentence(self):
        chain = self.chain()
        assert chain.log_partition.item() == pytest.approx(19.432418, abs=5e-7)
        assert p(chain, [self.BEST]) == pytest.approx(0.6489, abs=5e-5)
        best = chain.topk(4)
        assert best.scores[0].tolist() == [score for score, _ in self.RANKED]
        same(best.tags[0], [path for _, path in self.RANKED])
        same(chain.viterbi().tags, [self.BEST])
        old, man = chain.marginals[0, 1:3].tolist()
        assert [old[self.ADJ], old[self.NOUN]] == [about(0.330), about(0.670)]
        assert [man[self.NOUN], man[self.VERB]] == [about(0.262), about(0.738)]
        for tags in (chain.greedy(), chain.greedy_left_to_right()):
            same(tags, [self.GREEDY])

    def test_first_three_words(self):
        chain = self.chain(3, end=None)
        same(chain.viterbi().tags, [self.GREEDY[:3]])
        assert p(chain, [self.GREEDY[:3]]) == about(0.877)

    def test_without_start_and_end(self):
        chain = self.chain(start=None, end=None)
        assert chain.log_partition.item() == pytest.approx(17.936583, abs=5e-7)
        assert chain.viterbi().scores.item() == 17.5
        same(chain.viterbi().tags, [self.BEST])
        assert p(chain, [self.BEST]) == pytest.approx(0.6462, abs=5e-5)
