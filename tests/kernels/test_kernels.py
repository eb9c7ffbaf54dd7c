"""The kernels against the plain code: every result, every kind of chain."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given

import crf
from crf import fused
from crf.fused import calls
from crf.fused.layout import BAD_SCORE, FEW, LANES, MANY
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

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
    @pytest.mark.parametrize("B", [FEW, LANES + 1], ids=lambda B: f"B={B}")
    @pytest.mark.parametrize("spread", [0.0, 0.02, 3.0])  # of the transitions: few rows can win …
    @pytest.mark.parametrize("forbidden", [0.0, 0.5])  # … or all
    def test_best_paths_of_many_tags(
        self, B: int, spread: float, forbidden: float, dtype: torch.dtype
    ):
        S = MANY + 5
        emissions, _, start, end, mask = batch((B, 7, S), B, dtype=dtype)
        steps = batch((1, 1, S), 1, spread=spread, forbidden=forbidden, dtype=dtype)[1]
        steps.diagonal()[::43] += 20.0  # to the last: tags that may win though others are better
        scores = (emissions.round(), steps, start.round(), end.round())  # there are ties
        status, tags, best = calls.best_paths(scores, mask)
        exact = chain((*(x.double() for x in scores), mask), "plain").viterbi()
        same(tags, exact.tags)
        same(best, exact.scores.to(dtype))
        steps[-1, -1] = math.nan
        assert not status
        assert calls.best_paths(scores, mask)[0] == BAD_SCORE


def divergence(ours: torch.Tensor, plain: torch.Tensor, eps: float) -> None:
    """Equal, as far as a sum of that size can be."""
    size = plain.masked_fill(plain == math.inf, 0.0).abs().amax().item() if len(plain) else 0.0
    close(ours, plain, atol=1e-9 + 1e-11 * size + 8 * eps * size, rtol=8 * eps)


def compare_tables(scores: Scores, other: Scores) -> None:
    """What has kernels of its own: pairs, entropy, divergences, lists."""
    ours, plain = chain(scores, "fused"), chain(scores, "plain")
    eps = torch.finfo(scores[0].dtype).eps
    close(ours.pair_marginals, plain.pair_marginals, atol=1e-9 + eps, rtol=8 * eps)
    divergence(ours.entropy, plain.entropy, eps)
    q, plain_q = chain(other, "fused"), chain(other, "plain")
    divergence(ours.kl(q), plain.kl(plain_q), eps)
    divergence(ours.cross_entropy(q), plain.cross_entropy(plain_q), eps)
    same(ours.kl(ours), torch.zeros(len(ours)))
    for k in (1, 2, 5):
        found, wanted = ours.topk(k), plain.topk(k)
        same(found.tags, wanted.tags)
        same(found.scores, wanted.scores)
        same(found.valid, wanted.valid)


def compare_slopes(scores: Scores, other: Scores) -> None:
    """The derivatives of entropy and divergences."""
    B, eps = len(scores[0]), torch.finfo(scores[0].dtype).eps
    weights = torch.arange(1.0, B + 1, dtype=torch.float64) - B / 2 + 0.3

    def slopes(backend: str, name: str) -> list[torch.Tensor]:
        leaves = [x.clone().requires_grad_() for x in (*scores[:4], *other[:4])]
        p, q = (chain((*part, scores[4]), backend) for part in (leaves[:4], leaves[4:]))
        alone = {"entropy": lambda: p.entropy, "kl of itself": lambda: p.kl(p)}
        found = alone[name]() if name in alone else getattr(p, name)(q)
        value = (torch.where(found < math.inf, found, 0.0) * weights).sum()
        wanted = leaves[:4] if name in alone else leaves
        found = torch.autograd.grad(value, wanted, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for x, g in zip(wanted, found, strict=True)]

    own = slopes("fused", "kl of itself")
    assert all(not x.any() for x in own)
    for name in ("entropy", "kl", "cross_entropy"):
        for mine, wanted in zip(slopes("fused", name), slopes("plain", name), strict=True):
            size = max(wanted.abs().amax().item(), 1.0) if wanted.numel() else 1.0
            close(mine, wanted, atol=size * (1e-9 + 40 * eps), rtol=40 * eps)


def another(scores: Scores, seed: int = 1, **how: float) -> Scores:
    """Other scores for the same cells."""
    B, L, S = scores[0].shape
    drawn = batch((B, L, S), seed, holes=0.0, dtype=scores[0].dtype, **how)
    return (*drawn[:4], scores[4])


class TestTables:
    @given(batches())
    def test_anywhere(self, scores: Scores):
        compare_tables(scores, another(scores))

    @given(batches())
    def test_derivatives_anywhere(self, scores: Scores):
        compare_slopes(scores, another(scores))

    @pytest.mark.parametrize("shape", [(9, 6, 3), (3, 17, 8), (2, 13, 17), (17, 3, 5)], ids=str)
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
    def test_derivatives_by_the_kernel(
        self, shape: tuple[int, int, int], dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
    ):
        from crf.fused import ops

        scores = batch(shape, 2, dtype=dtype)
        other, plain = another(scores), ops.by_plain_code
        asked: list[str] = []

        def count(*given: object) -> object:
            asked.append("plain")
            return plain(*given)  # pyright: ignore

        monkeypatch.setattr(ops, "by_plain_code", count)
        compare_slopes(scores, other)
        assert not asked
        compare_slopes(batch(shape, 2, forbidden=0.1, dtype=dtype), other)

    def test_derivatives_along_a_long_chain(self):
        scores = batch((2, 300, 3), 3, holes=0.1)
        compare_slopes(scores, another(scores))

    @pytest.mark.parametrize("shape", [(9, 6, 3), (3, 17, 8), (2, 13, 17), (17, 3, 5)], ids=str)
    def test_more_chains_than_lanes_and_odd_widths(self, shape: tuple[int, int, int]):
        scores = batch(shape, 2)
        compare_tables(scores, another(scores))
        compare_tables(batch(shape, 2, forbidden=0.1), another(scores))

    def test_what_q_forbids(self):
        """Where p may take it the divergence is infinite, and where p never does it is not."""
        scores = batch((3, 5, 4), 6, holes=0.0)
        for where in range(4):
            other = another(scores)
            other[where].view(-1)[1] = -math.inf
            compare_tables(scores, other)
            mine = tuple(x.clone() for x in scores)
            mine[where].view(-1)[1] = -math.inf
            compare_tables((*mine[:4], scores[4]), other)
            compare_slopes(scores, other)
            compare_slopes((*mine[:4], scores[4]), other)
        other = another(scores)
        other[1][0, 1] = -math.inf
        scores[0][1, :, 1] = -math.inf  # then this chain never takes it
        compare_slopes(scores, other)

    def test_derivatives_where_suffixes_are_too_unlikely(self):
        """Tag 1 goes on with −200 only: its β leaves the range of a double, its α does not."""
        transitions = torch.tensor([[0.0, 0.0], [-math.inf, -200.0]], dtype=torch.float64)
        mask = torch.ones(4, 6) > 0
        mask[1, 2:] = mask[3] = False  # these stay in range
        emissions = torch.randn(4, 6, 2, dtype=torch.float64)
        scores = (emissions, transitions, *torch.zeros(2, 2).double(), mask)
        compare_slopes(scores, another(scores))

    def test_ties_in_lists(self):
        zeros = (torch.zeros(2, 4, 3), torch.zeros(3, 3), *torch.zeros(2, 3), torch.ones(2, 4) > 0)
        compare_tables(zeros, zeros)
        *rest, mask = batch((3, 7, 5), 3, spread=1.0)
        rounded = (*(x.round() for x in rest), mask)
        compare_tables(rounded, rounded)

    def test_gradients_are_the_plain_codes(self):
        scores = batch((2, 5, 3), 4, forbidden=0.1)
        other = another(scores)
        weights = torch.rand(2, 5, 3, dtype=torch.float64)

        def sums(backend: str) -> list[torch.Tensor]:
            leaves = [x.clone().requires_grad_() for x in (*scores[:4], *other[:4])]
            p, q = (
                chain((*leaves[:4], scores[4]), backend),
                chain((*leaves[4:], scores[4]), backend),
            )
            found = p.entropy + q.kl(p) + (p.marginals * weights).sum((1, 2))
            value = (found * weights[:, 0, 0]).sum() + p.pair_marginals.square().sum()
            once = torch.autograd.grad(value, leaves, create_graph=True)
            finite = sum((x * x).sum() for x in once)
            return [value, *once, *torch.autograd.grad(finite, leaves)]

        for mine, wanted in zip(sums("fused"), sums("plain"), strict=True):
            close(mine, wanted, atol=1e-8, rtol=1e-8)

    @pytest.mark.parametrize("shape", [(0, 3, 2), (2, 0, 2), (2, 1, 2)], ids=str)
    def test_gradients_where_not_every_score_is_used(self, shape: tuple[int, int, int]):
        def gradient(backend: str) -> torch.Tensor:
            *scores, mask = batch(shape, 1, holes=0.0)
            leaves = [x.requires_grad_() for x in scores]
            p, q = chain((*leaves, mask), backend), chain((*leaves, mask), backend)
            found = p.entropy.sum() + p.kl(q).sum() + p.marginals.square().sum()
            (found + p.pair_marginals.sum() + leaves[1].sum()).backward()
            zero = torch.zeros_like
            return torch.cat([(zero(x) if x.grad is None else x.grad).flatten() for x in leaves])

        close(gradient("fused"), gradient("plain"), atol=1e-12)


class Fenced:
    """torch, whose new tensors have a fence on either side."""

    WIDTH, POST = 16, 77

    def __init__(self) -> None:
        self.whole: list[torch.Tensor] = []

    def empty(
        self, *shape: object, dtype: torch.dtype = torch.float32, device: str = "cpu"
    ) -> torch.Tensor:
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        n = math.prod(shape)  # pyright: ignore
        whole = torch.full((n + 2 * self.WIDTH,), self.POST, dtype=dtype)
        self.whole.append(whole)
        return whole[self.WIDTH : self.WIDTH + n].view(shape)  # pyright: ignore

    def empty_like(self, like: torch.Tensor) -> torch.Tensor:
        return self.empty(like.shape, dtype=like.dtype)

    def __getattr__(self, name: str) -> object:
        return getattr(torch, name)

    def hold(self) -> bool:
        """Whether no fence was written over."""
        ends = (torch.cat([x[: self.WIDTH], x[-self.WIDTH :]]) for x in self.whole)
        return bool(self.whole) and all(bool((x == self.POST).all()) for x in ends)


class TestDefaultDevice:
    def test_new_tensors_are_where_the_scores_are(self):
        scores = batch((9, 5, 3))
        gold, ours = some_tags(scores), chain(scores, "fused")
        model = crf.ChainCRF(3)
        given = scores[0].float().nan_to_num(0.0), gold, scores[4]
        wanted = ours.viterbi().tags, ours.log_prob(gold), ours.marginals, model(*given)
        with torch.device("meta"):
            ours = chain(scores, "fused")
            found = ours.viterbi().tags, ours.log_prob(gold), ours.marginals, model(*given)
            ours.topk(2), ours.pair_marginals, ours.entropy, ours.sample(2), ours.kl(ours)
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other)


class TestBounds:
    @pytest.mark.parametrize("B", [1, 3, 9])
    def test_nothing_is_written_beside_a_table(self, B: int, monkeypatch: pytest.MonkeyPatch):
        """The compiler checks no subscript."""
        from crf.fused import calls

        fence = Fenced()
        monkeypatch.setattr(calls, "torch", fence)
        monkeypatch.setattr(calls, "KEPT", 0)
        for L, S in ((1, 1), (5, 2), (4, 3), (3, 7), (2, 8), (6, 9), (3, 17)):
            for spread in (1.0, 1e4):
                scores = batch((B, L, S), 1, spread=spread)
                ours = chain(scores, "fused")
                for value in ("log_partition", "log_prob"):
                    gradients(scores, "fused", value)
                ours.pair_marginals, ours.marginals, ours.entropy, ours.kl(chain(scores, "fused"))
                compare_slopes(scores, another(scores))
                ours.viterbi(), ours.topk(1), ours.topk(4), ours.sample(2)
                model = crf.ChainCRF(S)
                model.decode(scores[0].float().nan_to_num(0.0), scores[4])
                TestOneChain().compare((scores[0][:1], *scores[1:4], scores[4][:1]))
                matrices = spread * torch.randn(B, max(L - 1, 0), S, S, dtype=torch.float64)
                per_step(scores, "fused", matrices)
                assert fence.hold(), (L, S, spread)


def per_step(scores: Scores, backend: str, matrices: torch.Tensor) -> list[torch.Tensor]:
    """log Z and log p(tags) with transitions per step, and their derivatives."""
    emissions, _, start, end, mask = scores
    leaves = [x.clone().requires_grad_() for x in (emissions, matrices, start, end)]
    its = crf.LinearChain(*leaves, mask, backend=backend)
    found = []
    for values in (its.log_partition, its.log_prob(some_tags(scores))):
        weights = torch.arange(1.0, len(values) + 1, dtype=values.dtype)
        finite = values > -math.inf
        total = (values[finite] * weights[finite]).sum()
        found += [values, *torch.autograd.grad(total, leaves)]
    with torch.no_grad():
        return [*found, crf.LinearChain(*leaves, mask, backend=backend).log_partition]


class TestPerStep:
    @pytest.mark.parametrize("forbidden", [0.0, 0.15])
    @pytest.mark.parametrize("shape", [(2, 1, 3), (9, 6, 1), (5, 8, 2), (3, 7, 8), (2, 9, 17)])
    def test_values_and_derivatives(
        self, shape: tuple[int, int, int], forbidden: float, monkeypatch: pytest.MonkeyPatch
    ):
        from crf.fused import calls

        B, L, S = shape
        reports, kernel = [], calls.per_step
        monkeypatch.setattr(
            calls, "per_step", lambda *x, **y: reports.append(kernel(*x, **y)) or reports[-1]
        )
        for dtype in (torch.float32, torch.float64):
            scores = batch(shape, 3, forbidden=forbidden / 5, dtype=dtype)
            matrices = batch((B * max(L - 1, 0), S, S), 5, forbidden=forbidden, holes=0.0)[0]
            matrices = matrices.view(B, max(L - 1, 0), S, S).to(dtype)
            mask = scores[4]
            unused = ~(mask[:, 1:] & (mask.cumsum(1)[:, :-1] > 0))
            matrices[unused] = math.nan
            eps = torch.finfo(dtype).eps
            mine, wanted = (per_step(scores, name, matrices) for name in ("fused", "plain"))
            for one, other in zip(mine, wanted, strict=True):
                close(one, other, atol=1e-10 + 40 * eps, rtol=40 * eps)
        assert forbidden or all(status == 0 for status, *_ in reports)  # it was the kernel's work

    @pytest.mark.parametrize("S", [4, 9])
    @pytest.mark.parametrize("scale", [20.0, 60.0, 120.0, 500.0, 1e4])
    def test_wide_and_too_wide_for_it(self, S: int, scale: float):
        scores = batch((3, 5, S), 2)
        matrices = scale * (2 * torch.rand(3, 4, S, S, dtype=torch.float64) - 1)
        for one, other in zip(
            per_step(scores, "fused", matrices), per_step(scores, "plain", matrices), strict=True
        ):
            close(one, other)

    def test_a_table_for_each_chain(self):
        scores = batch((4, 6, 3), 1)
        tables = torch.randn(4, 3, 3, dtype=torch.float64)
        for one, other in zip(
            per_step(scores, "fused", tables), per_step(scores, "plain", tables), strict=True
        ):
            close(one, other, atol=1e-10)

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_what_is_no_score_is_refused(self, bad: float):
        emissions, matrix, start, end, mask = batch((2, 4, 9), 1, holes=0.0)
        mask[0, 3:] = False
        own = matrix.repeat(2, 3, 1, 1)
        own[0, 2] = bad  # leads into a masked cell
        assert (crf.LinearChain(emissions, own, start, end, mask).log_partition < math.inf).all()
        own[1, 2, 8, 8] = matrix[8, 8] = bad
        for matrices in (own, matrix.expand(2, 3, 9, 9)):
            with pytest.raises(ValueError, match=r"transitions: expected .* at index \["):
                crf.LinearChain(emissions, matrices, start, end, mask)

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_quick_look_sees_every_score(self, bad: float, dtype: torch.dtype):
        tables = batch((1, 4, 9), 1, holes=0.0, dtype=dtype)[:4]
        tables[0][0, 2] = tables[3][0] = -math.inf
        assert fused.below_infinity(tables)
        for scores in (x.view(-1) for x in tables):
            for k, score in enumerate(scores.tolist()):
                scores[k] = bad
                assert not fused.below_infinity(tables), k
                scores[k] = score

    def test_a_tag_out_of_range_is_refused(self):
        emissions, matrix, start, end, mask = batch((2, 4, 3), 1, holes=0.0)
        its = crf.LinearChain(emissions, matrix.repeat(2, 3, 1, 1), start, end, mask)
        tags = torch.tensor([[0, 1, 2, 0], [0, 3, 0, 0]])
        with pytest.raises(ValueError, match="row 1, step 1"):
            its.log_prob(tags)

    def test_a_graph_that_is_kept_gives_the_same_again(self):
        emissions, _, start, end, mask = batch((2, 4, 3), 1, holes=0.0)
        leaves = [x.requires_grad_() for x in (emissions, torch.randn(2, 3, 3, 3).double())]
        values = crf.LinearChain(*leaves, start, end, mask).log_partition
        weights = torch.tensor([2.0, 3.0]).double()
        once = torch.autograd.grad(values, leaves, weights, retain_graph=True)
        first = [x.clone() for x in once]
        for wanted, again in zip(first, torch.autograd.grad(values, leaves, weights), strict=True):
            close(again, wanted)

    def test_a_gradient_that_is_held_stays_as_it_is(self):
        """The memory of one that nobody has any more is used again."""
        emissions, _, start, end, mask = batch((2, 4, 9), 1, holes=0.0)

        def gradient(seed: int) -> torch.Tensor:
            torch.manual_seed(seed)
            leaf = torch.randn(2, 3, 9, 9).double().requires_grad_()
            its = crf.LinearChain(emissions, leaf, start, end, mask)
            return torch.autograd.grad(its.log_partition.sum(), leaf)[0]

        whole = gradient(0)
        wanted = whole.clone()
        part = whole[1:]
        another = gradient(1)
        place = whole.data_ptr()
        assert another.data_ptr() != place
        del whole  # the part holds the memory
        assert gradient(2).data_ptr() != place
        close(part, wanted[1:], atol=0)
        array = gradient(0).numpy()
        gradient(1)
        close(torch.from_numpy(array), wanted, atol=0)
        first = gradient(0).data_ptr()
        others = [torch.empty(2, 3, 9, 9).double() for _ in range(9)]  # they would have it
        assert gradient(1).data_ptr() == first
        assert first not in [x.data_ptr() for x in others]

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("parts", [1, 3])
    def test_weights(self, dtype: torch.dtype, parts: int, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(
            calls, "over_groups", lambda part, *_: [part(k, parts) for k in range(parts)]
        )
        found = [torch.randn(*shape).to(dtype) for shape in ((4, 3, 3), (4, 2, 3, 3), (4, 6))]
        weights = torch.randn(4).to(dtype)
        emissions, transitions, start, end = (
            found[0] * weights[:, None, None],
            found[1] * weights[:, None, None, None],
            *(weights @ found[2]).chunk(2),
        )
        mine = calls.weighted(weights, tuple(found))
        for one, other in zip(mine, (emissions, transitions, start, end), strict=True):
            close(one, other, atol=1e-6)

    def test_a_sum_of_scores_may_be_too_large_though_none_is(self):
        emissions, matrix, start, end, mask = batch((2, 2, 9), 1, holes=0.0)
        crf.LinearChain(emissions.fill_(1.7e308), matrix.repeat(2, 1, 1, 1), start, end, mask)

    def test_numerically_once_and_twice(self):
        emissions, _, start, end, mask = batch((2, 4, 3), 1)
        leaves = [emissions.nan_to_num(0.0), torch.randn(2, 3, 3, 3).double(), start, end]
        leaves = [x.requires_grad_() for x in leaves]
        tags = some_tags((*leaves, mask))  # pyright: ignore

        def value(*x: torch.Tensor) -> torch.Tensor:
            return crf.LinearChain(*x, mask).log_prob(tags)

        assert torch.autograd.gradcheck(value, leaves)
        assert torch.autograd.gradgradcheck(value, leaves)


class TestOneChain:
    """The loss of a single chain is found eight tags at a time, not eight chains."""

    @staticmethod
    def outcome(scores: Scores, backend: str, reduction: str) -> list[torch.Tensor] | str:
        emissions, transitions, start, end, mask = scores
        model = crf.ChainCRF(len(start), backend=backend).to(emissions.dtype)
        with torch.no_grad():
            model.transitions.copy_(transitions)
            model.start_transitions.copy_(start)
            model.end_transitions.copy_(end)
        leaf = emissions.clone().requires_grad_()
        try:
            loss = model(leaf, some_tags(scores), mask, reduction)
        except ValueError as refusal:
            return str(refusal)
        return [loss, *torch.autograd.grad(loss, [leaf, *model.parameters()])]

    def compare(self, scores: Scores) -> None:
        eps = torch.finfo(scores[0].dtype).eps
        for reduction in ("mean", "sum", "token_mean"):
            mine, wanted = (self.outcome(scores, b, reduction) for b in ("fused", "plain"))
            if isinstance(wanted, str):
                assert mine == wanted
            else:
                for one, other in zip(mine, wanted, strict=True):
                    size = 1 + other.detach().abs().sum().item()
                    close(one, other, atol=size * (1e-10 + 4 * eps), rtol=1e-5)  # pyright: ignore

    @given(batches())
    def test_anywhere(self, scores: Scores):
        if len(scores[0]):
            self.compare((scores[0][:1], *scores[1:4], scores[4][:1]))

    @pytest.mark.parametrize("shape", [(1, 2, 8), (1, 40, 17), (1, 9, 16), (1, 6, 50)], ids=str)
    @pytest.mark.parametrize("forbidden", [0.0, 0.02])
    def test_every_width_of_a_column(self, shape: tuple[int, int, int], forbidden: float):
        for dtype in (torch.float32, torch.float64):
            self.compare(batch(shape, 5, dtype=dtype, forbidden=forbidden))

    @pytest.mark.parametrize("where", range(4))
    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_what_is_no_score_is_refused(self, where: int, bad: float):
        scores = batch((1, 5, 3), 1, holes=0.0)
        scores[2][1] = -math.inf  # no prefix reaches the first token's tag 1
        scores[where].view(-1)[1] = bad
        refusal = self.outcome(scores, "fused", "mean")
        assert isinstance(refusal, str)
        assert refusal == self.outcome(scores, "plain", "mean")


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

    @pytest.mark.parametrize("row", range(5))
    def test_a_score_too_low_for_its_factor_counts_where_all_others_come_down_to_it(self, row: int):
        """Tag 1 loses 800 nats at once, tag 2 100 a token; tag 0 is a way out that cannot end."""
        emissions = torch.zeros(5, 8, 3, dtype=torch.float64)
        emissions[row, 0, 1], emissions[row, :, 2] = -800.0, -100.0
        transitions = torch.full((3, 3), -math.inf, dtype=torch.float64)
        transitions[1, 1] = transitions[2, 2] = transitions[2, 0] = 0.0
        end = torch.tensor([-math.inf, 0.0, 0.0], dtype=torch.float64)
        found = crf.LinearChain(emissions, transitions, end=end, backend="fused").log_partition
        close(found[row], -800.0 + math.log(2))

    @pytest.mark.thorough
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
