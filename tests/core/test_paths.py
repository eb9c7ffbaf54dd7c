"""What concerns single paths: their scores, and every way to choose one."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close, oracle, same
from tests.core.strategies import Case, cases, labelled

TIES = (0.0, 1 / 64, 1.0)  # spreads at which a grid of 1/64 makes equal scores
some_ties = cases(spreads=(*TIES, 5.0))


def lines(case: Case, paths) -> list[list[int]]:
    """A path per row as lines of cells; −1 throughout where there is none."""
    none = [-1] * case.shape[1]
    return [none if p is None else row.spread(p) for row, p in zip(case.rows, paths, strict=True)]


class TestScores:
    @given(labelled())
    def test_enumeration(self, drawn):
        case, tags = drawn
        chain = case.chain()
        paths = [
            (row, row.gather(line)) for row, line in zip(case.rows, tags.tolist(), strict=True)
        ]
        assert chain.score(tags).dtype == case.emissions.dtype
        close(chain.score(tags), [row.score(path) for row, path in paths])
        close(chain.log_prob(tags), [row.log_prob(path) for row, path in paths])

    def test_start_and_end_count_once_and_transitions_read_from_row_to_column(self):
        chain = crf.LinearChain(
            torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]),
            torch.tensor([[0.0, 10.0], [100.0, 0.0]]),
            torch.tensor([1000.0, 2000.0]),
            torch.tensor([10000.0, 20000.0]),
        )
        close(chain.score(torch.tensor([[0, 1]])), [1 + 4 + 10 + 1000 + 20000])
        close(chain.score(torch.tensor([[1, 0]])), [2 + 3 + 100 + 2000 + 10000])

    @given(cases(max_length=4, max_paths=64))
    def test_probabilities_of_all_paths_sum_to_one(self, case: Case):
        chain = case.chain()
        for b, row in enumerate(case.rows):
            total = 0.0
            for path in row.paths:
                tags = [r.spread(path if r is row else [0] * r.m, 0) for r in case.rows]
                log_prob = chain.log_prob(torch.tensor(tags).long().reshape(case.shape[:2]))[b]
                total += math.exp(log_prob.item())
            assert total == pytest.approx(float(row.feasible), abs=1e-5)

    @given(cases(spreads=(1.0,)), st.integers(0, 4))
    def test_of_several_labellings_at_once(self, case: Case, n: int):
        chain = case.chain()
        several = [case.tags(k) for k in range(n)]
        tags = torch.stack(several) if n else torch.zeros(0, *case.shape[:2], dtype=torch.long)
        for ask in (chain.score, chain.log_prob):
            assert tuple(ask(tags).shape) == (n, case.shape[0])
            for k in range(n):
                close(ask(tags)[k], ask(several[k]).double())


class TestViterbi:
    @given(cases())
    def test_the_path_its_score_and_the_table(self, case: Case):
        best = case.chain().viterbi()
        same(best.tags, lines(case, oracle(case, "best")))
        scores = [row.score(row.best) if row.feasible else -math.inf for row in case.rows]
        close(best.scores, scores)
        close(best.log_deltas, oracle(case, "log_deltas"))

    @given(cases(spreads=(*TIES, 100.0)))
    def test_ties_go_to_the_lowest_tag_with_backpointers_and_without(self, case: Case):
        stored, lean = case.chain().viterbi(), case.chain().viterbi(store_backpointers=False)
        assert lean.backpointers is None
        for best in (stored, lean):
            same(best.tags, lines(case, oracle(case, "best")))
            assert torch.equal(best.scores, stored.scores)

    @pytest.mark.parametrize("stored", [True, False])
    def test_transitions_read_from_row_to_column(self, stored: bool):
        cycle = 5 * torch.eye(3).roll(1, dims=1)  # 0 → 1 → 2 → 0
        chain = crf.LinearChain(torch.zeros(1, 4, 3), cycle, torch.tensor([1.0, 0.0, 0.0]))
        same(chain.viterbi(store_backpointers=stored).tags, [[0, 1, 2, 0]])

    @given(cases(spreads=(*TIES, 100.0)))
    def test_backpointers(self, case: Case):
        found = case.chain().viterbi().backpointers.tolist()
        for row, table in zip(case.rows, found, strict=True):
            for line, wanted in zip(table, row.backpointers, strict=True):
                for pointer, expected in zip(line, wanted, strict=True):
                    if expected is None:  # nothing arrives: no tag, or any
                        assert -1 <= pointer < row.S
                    else:
                        assert pointer == expected

    @given(cases())
    def test_no_path_scores_more(self, case: Case):
        chain = case.chain()
        best = chain.viterbi().scores
        assert (chain.score(case.tags(3)) <= best).all()
        assert (best <= chain.log_partition + 1e-6).all()


class TestTopk:
    @given(some_ties, st.integers(1, 9))
    def test_the_k_best_of_all_allowed_and_distinct(self, case: Case, k: int):
        top = case.chain().topk(k)
        padded = [(row.ranked + [-math.inf] * k)[:k] for row in case.rows]
        close(top.scores, padded)
        same(top.valid, [[score > -math.inf for score in scores] for scores in padded])
        for b, row in enumerate(case.rows):
            paths = set()
            for line, score, valid in zip(top.tags[b], top.scores[b], top.valid[b], strict=True):
                outside = [t for t in range(row.cells) if not valid or t not in row.positions]
                assert all(line[t] == -1 for t in outside)
                if valid:
                    path = row.gather(line.tolist())
                    close(score, row.score(path))
                    paths.add(path)
            assert len(paths) == top.valid[b].sum()

    @given(some_ties)
    def test_the_first_is_viterbi_and_fewer_are_a_prefix(self, case: Case):
        chain = case.chain()
        five = chain.topk(5)
        same(five.tags[:, 0], chain.viterbi().tags)
        for k in (1, 2, 4):
            fewer = chain.topk(k)
            same(fewer.tags, five.tags[:, :k])
            close(fewer.scores, five.scores[:, :k])

    def test_log_probabilities_and_their_gradients(self):
        emissions = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(10))
        emissions[2, 1] = -math.inf  # no path at all
        chain = crf.LinearChain(emissions.requires_grad_(), torch.zeros(2, 2))
        best = chain.topk(3)
        wanted = chain.log_prob(best.tags.clamp(min=0).transpose(0, 1)).T
        close(best.log_probs, wanted)
        (mine,) = torch.autograd.grad(best.log_probs[:2].sum(), emissions, retain_graph=True)
        close(mine, torch.autograd.grad(wanted[:2].sum(), emissions)[0])


class TestGreedy:
    @given(some_ties)
    def test_enumeration(self, case: Case):
        chain = case.chain()
        same(chain.greedy(), lines(case, [row.greedy() for row in case.rows]))
        wanted = [row.greedy_left_to_right() for row in case.rows]
        same(chain.greedy_left_to_right(), lines(case, wanted))

    def test_what_it_ignores(self):
        far, zero, stay = torch.tensor([0.0, 50.0]), torch.zeros(1, 2, 2), torch.eye(2)
        chain = crf.LinearChain(torch.tensor([[[1.0, 0.0]] * 3]), torch.ones(2, 2) * far, far, far)
        same(chain.greedy(), [[0, 0, 0]])
        same(crf.LinearChain(zero, stay, end=far).greedy_left_to_right(), [[0, 0]])
        same(crf.LinearChain(zero, stay, start=far).greedy_left_to_right(), [[1, 1]])


class TestPosteriorDecode:
    @given(cases())
    def test_each_tag_has_the_largest_marginal(self, case: Case):
        decoded = case.chain().posterior_decode()
        for b, row in enumerate(case.rows):
            for cell in range(row.cells):
                tag = decoded[b, cell].item()
                if cell not in row.positions:
                    assert tag == -1
                elif row.feasible:
                    line = row.marginals[cell]
                    assert line[tag] >= max(line) - 1e-6

    @pytest.mark.parametrize("S", [2, 3, 5])
    def test_ties_go_to_the_lowest_tag(self, S: int):
        chain = crf.LinearChain(torch.zeros(1, 3, S), torch.zeros(S, S))
        same(chain.posterior_decode(), [[0, 0, 0]])
        same(chain.viterbi().tags, [[0, 0, 0]])


@given(cases(forbidden=(0.0, 0.1)))
def test_masked_cells_hold_0_and_minus_1_in_every_output(case: Case):
    chain = case.chain()
    best, top = chain.viterbi(), chain.topk(2)
    for b, row in enumerate(case.rows):
        outside = [t for t in range(row.cells) if t not in row.positions]
        no_pair = [t - 1 for t in range(1, row.cells) if t not in row.positions[1:]]
        for real in (chain.log_alphas, chain.log_betas, chain.marginals, best.log_deltas):
            assert not real[b, outside].any()
        assert not chain.pair_marginals[b, no_pair].any()
        for tags in (best.tags, chain.greedy(), chain.greedy_left_to_right()):
            assert (tags[b, outside] == -1).all()
            assert (tags[b, row.positions] >= (0 if row.feasible else -1)).all()
        assert (top.tags[b, :, outside] == -1).all()
        assert (best.backpointers[b, outside + row.positions[:1]] == -1).all()
