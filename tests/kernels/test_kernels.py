"""The C kernels against the plain code: every result, every kind of chain, every kind of input."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings

import crf
from crf import engines
from crf.core import recursions
from tests.core.batches import Scores, batch, some_tags
from tests.core.checks import close, same
from tests.kernels.batches import batches, chain, compare, compare_losses

pytestmark = pytest.mark.skipif(
    not engines.has_kernels(), reason="the C kernels are not built: pip install -e ."
)
kernels = pytest.importorskip("crf.kernels")


class TestEqualsPlain:
    @given(batches())
    def test_anywhere(self, scores: Scores):
        compare(scores)

    @given(batches())
    def test_losses_anywhere(self, scores: Scores):
        compare_losses(scores)

    def test_ties_go_to_the_lowest_tag(self):
        emissions, transitions, start, end, mask = batch((3, 12, 11), 3)
        compare((emissions.round(), transitions.round(), start.round(), end.round(), mask))
        zeros = (torch.zeros(2, 5, 9), torch.zeros(9, 9), *torch.zeros(2, 9), torch.ones(2, 5) > 0)
        same(chain(zeros, "kernels").viterbi().tags, torch.zeros(2, 5))


@settings(max_examples=10)
@given(batches())
def test_entropy_and_divergences_with_gradients_in_both_chains(scores: Scores):
    eps = torch.finfo(scores[0].dtype).eps
    drawn = batch(tuple(scores[0].shape), 1, holes=0.0, dtype=scores[0].dtype)  # pyright: ignore
    for ask in (lambda p, q: p.entropy, lambda p, q: p.kl(q), lambda p, q: p.cross_entropy(q)):
        found = []
        for backend in ("kernels", "plain"):
            leaves = [x.clone().requires_grad_() for x in (*scores[:4], *drawn[:4])]
            pair = (chain((*x, scores[4]), backend) for x in (leaves[:4], leaves[4:]))
            value = ask(*pair)
            total = torch.where(value < math.inf, value, 0.0).sum()
            found.append([value, *torch.autograd.grad(total, leaves, materialize_grads=True)])
        for mine, wanted in zip(*found, strict=True):
            finite = wanted[wanted.isfinite()].abs()
            size = max(1.0, finite.amax().item()) if len(finite) else 1.0
            close(mine, wanted, atol=size * (1e-9 + 8 * eps), rtol=8 * eps)


class TestRange:
    """Chains that scaled probabilities cannot hold are done again by the plain code."""

    @pytest.mark.parametrize("low", [-300.0, -1e4])
    @pytest.mark.parametrize("where", range(4))
    def test_one_very_low_score(self, low: float, where: int):
        scores = batch((3, 6, 3), 8, holes=0.0)
        scores[where].view(-1)[1] = low
        compare(scores)

    def test_one_chain_of_many(self):
        """Row 2 must take a score that is left out: the tag that would do without leads nowhere."""
        scores = batch((5, 9, 4), 1, holes=0.0)
        scores[0][2, 4] = torch.tensor([0.0, -10_000.0, -math.inf, -math.inf])
        scores[0][2, 5, [0, 1, 3]] = scores[1][0, 2] = -math.inf
        compare(scores)
        compare_losses(scores)
        found = kernels.sums_of(engines.Potentials(*scores), None, False, None, 1.0)
        assert found.out_of_range.tolist() == [2]
        p = engines.Potentials(*scores)._replace(emissions=scores[0].clone().requires_grad_())
        assert not kernels.sums(p, some_tags(scores), gradients=True).gradients[0].requires_grad

    @pytest.mark.parametrize("where", range(4))
    def test_a_finite_score_that_means_forbidden_stays_in_the_kernels(
        self, where: int, monkeypatch: pytest.MonkeyPatch
    ):
        scores = batch((9, 30, 4), 2, holes=0.2)
        scores[where].view(-1)[1::7] = -10_000.0
        wanted = [x.clone() for x in ask_all(scores, "plain")]
        TestBoundary.without_plain_code(monkeypatch)
        alike(ask_all(scores, "kernels"), wanted, atol=1e-6)

    @pytest.mark.parametrize("row", range(5))
    def test_a_score_too_low_for_its_factor_counts_where_all_others_come_down_to_it(self, row: int):
        """Tag 1 loses 800 nats at once, tag 2 100 a token; tag 0 is a way out that cannot end."""
        emissions = torch.zeros(5, 8, 3, dtype=torch.float64)
        emissions[row, 0, 1], emissions[row, :, 2] = -800.0, -100.0
        transitions = torch.full((3, 3), -math.inf, dtype=torch.float64)
        transitions[1, 1] = transitions[2, 2] = transitions[2, 0] = 0.0
        end = torch.tensor([-math.inf, 0.0, 0.0], dtype=torch.float64)
        found = crf.LinearChain(emissions, transitions, end=end, backend="kernels").log_partition
        close(found[row], -800.0 + math.log(2))

    def test_a_tag_that_no_prefix_reaches(self):
        """Its β grows by e^60 a step: 0 · ∞ must not come of it."""
        emissions = torch.zeros(1, 50, 3, dtype=torch.float64)
        emissions[0, :, 2] = 60.0
        transitions = torch.zeros(3, 3, dtype=torch.float64)
        transitions[:2, 2] = -math.inf
        start = torch.tensor([0.0, 0.0, -math.inf], dtype=torch.float64)
        compare((emissions, transitions, start, torch.zeros_like(start), torch.ones(1, 50) > 0))


class TestWhatComesOutIsDefined:
    """A chain that cannot be answered for is nan, without a tag; no other chain is touched."""

    scores = batch((9, 6, 4), 3)
    tags = some_tags(scores)

    def spoilt(self, kind: str) -> tuple[Scores, torch.Tensor]:
        emissions, *rest = (x.clone() for x in self.scores)
        tags, cell = self.tags.clone(), int(torch.nonzero(self.scores[4][5])[0])
        if kind == "tag":
            tags[5, cell] = -100
        else:
            emissions[5, cell, 2] = float(kind)
        return (emissions, *rest), tags

    @pytest.mark.parametrize("kind", ["tag", "nan", "inf"])
    def test_one_bad_chain(self, kind: str):
        scores, tags = self.spoilt(kind)
        good = torch.arange(9) != 5
        p, wanted = engines.Potentials(*scores), engines.Potentials(*self.scores)
        values, right = kernels.values(p, tags), kernels.values(wanted, self.tags)
        assert values[5].isnan()
        same(values[good], right[good])
        weights = torch.ones(9, dtype=torch.float64)
        found, right = (
            kernels.gradients(p, tags, weights),
            kernels.gradients(wanted, self.tags, weights),
        )
        same(found[0][good], right[0][good])
        assert found[0][5][scores[4][5]].isnan().all()
        assert not found[0][5][~scores[4][5]].any()
        assert all(x.isnan().all() for x in found[1:])  # what all chains share
        weights[5] = 0.0  # a chain that does not count spoils nothing
        same(
            kernels.gradients(p, tags, weights)[1], kernels.gradients(wanted, self.tags, weights)[1]
        )
        if kind != "tag":
            best, right = kernels.best_paths(p), kernels.best_paths(wanted)
            same(best[0][good], right[0][good])
            assert (best[0][5] == -1).all()
            assert best[1][5].isnan()

    @pytest.mark.parametrize("kind", ["tag", "nan"])
    def test_where_torch_compiles_or_nothing_is_validated(self, kind: str):
        scores, tags = self.spoilt(kind)

        def ask(emissions: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
            its = crf.LinearChain(emissions, *scores[1:], validate=False, backend="kernels")
            return its.log_prob(tags)

        leaf = scores[0].clone().requires_grad_()
        compiled = torch.compile(ask, backend="eager", fullgraph=True)
        (found,) = (compiled(leaf, tags),)
        assert found.isnan().tolist() == [b == 5 for b in range(9)]
        (slope,) = torch.autograd.grad(found[:5].sum(), leaf)
        assert slope.isfinite().all()
        if kind == "nan":
            assert ask(scores[0], tags).isnan().tolist() == [b == 5 for b in range(9)]

    @pytest.mark.parametrize(("kind", "fault"), [("tag", "-100 at row 5"), ("nan", "nan at index")])
    def test_with_validation_it_is_refused(self, kind: str, fault: str):
        scores, tags = self.spoilt(kind)
        model = crf.ChainCRF(4, backend="kernels").double()
        with pytest.raises(ValueError, match=fault):
            model(scores[0], tags, scores[4])
        if kind == "nan":
            with pytest.raises(ValueError, match=fault):
                model.decode(scores[0], scores[4])
            with pytest.raises(ValueError, match=fault):
                model.chain(scores[0], scores[4])

    @pytest.mark.parametrize("where", range(4))
    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_the_look_sees_every_score(self, where: int, bad: float):
        for dtype in (torch.float32, torch.float64):
            p = engines.Potentials(*batch((2, 3, 5), 1, holes=0.0, dtype=dtype))
            p[3][0] = p[0][0, 2, 1] = -math.inf
            assert kernels.all_below_infinity(p)
            flat = p[where].view(-1)
            for k, score in enumerate(flat.tolist()):
                flat[k] = bad
                assert not kernels.all_below_infinity(p), k
                assert not kernels.all_below_infinity(p._replace(emissions=p[0].mT.contiguous().mT))
                flat[k] = score


class TestBoundary:
    """Every precision, stride and kind of mask reaches the kernels, with the same result."""

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
    def test_precisions(self, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch):
        scores = batch((3, 5, 4), 1, dtype=torch.float32)
        scores = (*(x.to(dtype) for x in scores[:4]), scores[4])
        wanted = [x.clone() for x in ask_all(scores, "plain")]
        self.without_plain_code(monkeypatch)
        alike(ask_all(scores, "kernels"), wanted, atol=1e-6 if dtype.itemsize > 2 else 4e-3)

    def test_strides_and_masks(self, monkeypatch: pytest.MonkeyPatch):
        emissions, transitions, start, end, mask = batch((3, 5, 4), 2)
        rest = (transitions, start, end)
        wanted = ask_all((emissions, *rest, mask), "plain")
        full = ask_all((emissions.nan_to_num(1.0), *rest, torch.ones_like(mask)), "plain")
        self.without_plain_code(monkeypatch)
        times_first = emissions.transpose(0, 1).contiguous().transpose(0, 1)
        tags_first = emissions.permute(2, 0, 1).contiguous().permute(1, 2, 0)
        turned = (transitions.T.contiguous().T, start[:, None].expand(-1, 2)[:, 0], end)
        turned_mask = mask.T.contiguous().T
        for x in (times_first, tags_first):
            alike(ask_all((x, *turned, turned_mask), "kernels"), wanted, atol=1e-6)
        for m in (None, torch.ones_like(mask), torch.ones(3, 5, dtype=torch.long)):
            found = ask_all((emissions.nan_to_num(1.0), *rest, m), "kernels")  # pyright: ignore
            alike(found, full, atol=1e-6)
        expanded = emissions.nan_to_num(1.0)[:1].expand(3, -1, -1)
        found = crf.LinearChain(expanded, *rest).log_partition
        close(found, found[:1].expand(3))

    def test_a_default_device_changes_nothing(self):
        scores = batch((9, 5, 3))
        wanted = ask_all(scores, "kernels")
        with torch.device("meta"):
            found = ask_all(scores, "kernels")
        alike(found, wanted, atol=0)

    @staticmethod
    def without_plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
        def forward(*_: object) -> None:
            raise AssertionError("this is the plain code")

        monkeypatch.setattr(recursions, "forward", forward)


def alike(found: list[torch.Tensor], wanted: list[torch.Tensor], **tolerances: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        if one.dtype == torch.int64:
            same(one, other)
        else:
            close(one.double(), other, **tolerances)


def ask_all(scores: Scores, backend: str) -> list[torch.Tensor]:
    """Answers, and a loss with its gradients."""
    its = chain(scores, backend)
    tags = torch.arange(scores[0][..., 0].numel(), device="cpu").view(scores[0].shape[:2]) % 3
    answers = [its.log_partition, its.log_prob(tags), its.marginals, its.viterbi().tags]
    leaf = scores[0].detach().clone().requires_grad_()
    with torch.device("cpu"):
        model = crf.ChainCRF(scores[0].shape[2], backend=backend, generator=torch.Generator())
    loss = model(leaf, tags, scores[4])
    return [*answers, loss.detach(), *torch.autograd.grad(loss, [leaf, model.transitions])]
