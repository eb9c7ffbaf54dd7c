"""What concerns single paths: their scores, and every way to choose one."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close, oracle, same
from tests.core.strategies import Case, cases, labelled

# a grid of 1/64 makes equal scores at small spreads
some_ties = cases(spreads=(0.0, 1 / 64, 1.0, 5.0))


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
    def test_the_path_its_score_and_the_tables(self, case: Case):
        """Ties go to the lowest tag, with backpointers and without."""
        stored, lean = case.chain().viterbi(), case.chain().viterbi(store_backpointers=False)
        assert lean.backpointers is None
        scores = [row.score(row.best) if row.feasible else -math.inf for row in case.rows]
        for best in (stored, lean):
            same(best.tags, lines(case, oracle(case, "best")))
            close(best.scores, scores)
        close(stored.log_deltas, oracle(case, "log_deltas"))
        for row, table in zip(case.rows, stored.backpointers.tolist(), strict=True):
            for line, wanted in zip(table, row.backpointers, strict=True):
                for pointer, expected in zip(line, wanted, strict=True):
                    # None: nothing arrives, so that no tag, or any, may be there
                    assert pointer == expected or (expected is None and -1 <= pointer < row.S)

    @pytest.mark.parametrize("stored", [True, False])
    def test_transitions_read_from_row_to_column(self, stored: bool):
        cycle = 5 * torch.eye(3).roll(1, dims=1)  # 0 → 1 → 2 → 0
        chain = crf.LinearChain(torch.zeros(1, 4, 3), cycle, torch.tensor([1.0, 0.0, 0.0]))
        same(chain.viterbi(store_backpointers=stored).tags, [[0, 1, 2, 0]])


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
        same(top.tags[:, 0], case.chain().viterbi().tags)
        fewer = case.chain().topk((k + 1) // 2)
        same(fewer.tags, top.tags[:, : (k + 1) // 2])

    def test_log_probabilities_and_their_gradients(self):
        emissions = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(10))
        emissions[2, 1] = -math.inf  # no path at all
        chain = crf.LinearChain(emissions.requires_grad_(), torch.zeros(2, 2))
        best = chain.topk(3)
        wanted = chain.log_prob(best.tags.clamp(min=0).transpose(0, 1)).T
        close(best.log_probs, wanted)
        (mine,) = torch.autograd.grad(best.log_probs[:2].sum(), emissions, retain_graph=True)
        close(mine, torch.autograd.grad(wanted[:2].sum(), emissions)[0])


@given(some_ties)
def test_greedy(case: Case):
    chain = case.chain()
    same(chain.greedy(), lines(case, [row.greedy() for row in case.rows]))
    wanted = [row.greedy_left_to_right() for row in case.rows]
    same(chain.greedy_left_to_right(), lines(case, wanted))


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

    def test_ties_go_to_the_lowest_tag(self):
        chain = crf.LinearChain(torch.zeros(1, 3, 5), torch.zeros(5, 5))
        same(chain.posterior_decode(), [[0, 0, 0]])
