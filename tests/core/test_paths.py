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


def lines(case: Case, paths) -> list[list[int]]:
    """A path per row as lines of cells; −1 throughout where there is none."""
    none = [-1] * case.shape[1]
    return [none if p is None else row.spread(p) for row, p in zip(case.rows, paths, strict=True)]


class TestScore:
    @given(labelled())
    def test_enumeration(self, drawn):
        case, tags = drawn
        wanted = [
            row.score(row.gather(line)) for row, line in zip(case.rows, tags.tolist(), strict=True)
        ]
        scores = case.chain().score(tags)
        assert scores.dtype == case.emissions.dtype
        close(scores, wanted)

    def test_start_and_end_count_once_and_transitions_read_from_row_to_column(self):
        transitions = torch.tensor([[0.0, 10.0], [100.0, 0.0]])
        chain = crf.LinearChain(
            torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]),
            transitions,
            torch.tensor([1000.0, 2000.0]),
            torch.tensor([10000.0, 20000.0]),
        )
        close(chain.score(torch.tensor([[0, 1]])), [1 + 4 + 10 + 1000 + 20000])
        close(chain.score(torch.tensor([[1, 0]])), [2 + 3 + 100 + 2000 + 10000])


class TestLogProb:
    @given(labelled())
    def test_enumeration(self, drawn):
        case, tags = drawn
        pairs = zip(case.rows, tags.tolist(), strict=True)
        close(case.chain().log_prob(tags), [row.log_prob(row.gather(line)) for row, line in pairs])

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
    def test_the_path_and_its_score(self, case: Case):
        best = case.chain().viterbi()
        same(best.tags, lines(case, oracle(case, "best")))
        close(
            best.scores, [row.score(row.best) if row.feasible else -math.inf for row in case.rows]
        )

    @given(cases(spreads=TIES))
    def test_ties_go_to_the_lowest_tag(self, case: Case):
        same(case.chain().viterbi().tags, lines(case, oracle(case, "best")))

    @given(cases())
    def test_log_deltas(self, case: Case):
        close(case.chain().viterbi().log_deltas, oracle(case, "log_deltas"))

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
    def test_following_the_backpointers_gives_the_path(self, case: Case):
        best = case.chain().viterbi()
        for b, row in enumerate(case.rows):
            tags = best.tags[b].tolist()
            if row.feasible:
                for before, after in zip(row.positions, row.positions[1:], strict=False):
                    assert best.backpointers[b, after, tags[after]] == tags[before]

    @given(cases(spreads=(*TIES, 100.0)))
    def test_without_stored_backpointers_it_is_the_same(self, case: Case):
        stored, lean = case.chain().viterbi(), case.chain().viterbi(store_backpointers=False)
        assert lean.backpointers is None
        same(lean.tags, lines(case, oracle(case, "best")))
        assert torch.equal(lean.scores, stored.scores)

    @given(cases())
    def test_no_path_scores_more(self, case: Case):
        chain = case.chain()
        best = chain.viterbi().scores
        assert (chain.score(case.tags(3)) <= best).all()
        assert (best <= chain.log_partition + 1e-6).all()

    def test_all_zero_scores_give_the_lowest_tag(self):
        chain = crf.LinearChain(torch.zeros(2, 6, 4), torch.zeros(4, 4))
        same(chain.viterbi().tags, torch.zeros(2, 6))


class TestTopk:
    @given(cases(), st.integers(1, 9))
    def test_scores_are_the_k_best_of_all(self, case: Case, k: int):
        top = case.chain().topk(k)
        padded = [(row.ranked + [-math.inf] * k)[:k] for row in case.rows]
        close(top.scores, padded)
        same(top.valid, [[score > -math.inf for score in scores] for scores in padded])

    @given(cases(spreads=(*TIES, 5.0)), st.integers(1, 9))
    def test_paths_are_allowed_distinct_and_have_that_score(self, case: Case, k: int):
        top = case.chain().topk(k)
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

    @given(cases(spreads=(*TIES, 5.0)))
    def test_the_first_is_viterbi_and_fewer_are_a_prefix(self, case: Case):
        chain = case.chain()
        five = chain.topk(5)
        same(five.tags[:, 0], chain.viterbi().tags)
        close(five.scores[:, 0], chain.viterbi().scores)
        for k in (1, 2, 4):
            fewer = chain.topk(k)
            same(fewer.tags, five.tags[:, :k])
            close(fewer.scores, five.scores[:, :k])
            same(fewer.valid, five.valid[:, :k])

    def test_all_of_them_have_probability_one(self):
        torch.manual_seed(0)
        chain = crf.LinearChain(torch.randn(2, 4, 3).double(), torch.randn(3, 3).double())
        top = chain.topk(81)
        assert top.valid.all()
        close((top.scores - chain.log_partition[:, None]).exp().sum(1), [1.0, 1.0])


class TestGreedy:
    @given(cases(spreads=(*TIES, 5.0)))
    def test_enumeration(self, case: Case):
        same(case.chain().greedy(), lines(case, [row.greedy() for row in case.rows]))

    def test_start_end_and_transitions_are_ignored(self):
        far = torch.tensor([0.0, 50.0])
        chain = crf.LinearChain(torch.tensor([[[1.0, 0.0]] * 3]), torch.ones(2, 2) * far, far, far)
        same(chain.greedy(), [[0, 0, 0]])


class TestGreedyLeftToRight:
    @given(cases(spreads=(*TIES, 5.0)))
    def test_enumeration(self, case: Case):
        wanted = [row.greedy_left_to_right() for row in case.rows]
        same(case.chain().greedy_left_to_right(), lines(case, wanted))

    def test_end_is_ignored_and_start_is_not(self):
        far = torch.tensor([0.0, 50.0])
        zero = torch.zeros(1, 2, 2)
        stay = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
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


class TestMaskedCells:
    """0 in every real-valued output and −1 in every tag, whatever the mask."""

    @given(cases(forbidden=(0.0, 0.1)))
    def test_every_output(self, case: Case):
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
            assert (chain.posterior_decode()[b, outside] == -1).all()
            assert (top.tags[b, :, outside] == -1).all()
            assert (best.backpointers[b, outside + row.positions[:1]] == -1).all()
