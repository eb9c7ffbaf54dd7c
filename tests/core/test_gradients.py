"""Derivatives: observed − expected counts, twice differentiable, 0 at −∞, in O(B·L·S) memory."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode

import crf
from crf.core import recursions
from crf.queries import tokens
from tests.core.batches import batch
from tests.core.checks import close
from tests.core.strategies import Case, cases, each_backend, labelled

INF = math.inf


def leaves(case: Case) -> tuple[Case, list[Tensor]]:
    """The case with scores that want gradients (start and end made explicit)."""
    S = case.shape[2]
    zero = torch.zeros(S, dtype=case.emissions.dtype)
    names = ("emissions", "transitions", "start", "end")
    given = (getattr(case, name) for name in names)
    scores = [(zero if x is None else x).clone().requires_grad_() for x in given]
    return replace(case, **dict(zip(names, scores, strict=True))), scores


def counts(case: Case, weights: Tensor, of_row) -> list[Tensor]:
    """Σ_b weights_b · of_row(row b), in the shapes of the four scores; 0 at −∞."""
    B, L, S = case.shape
    emissions = torch.zeros(B, L, S, dtype=torch.float64)
    transitions = torch.zeros(case.transitions.shape, dtype=torch.float64)
    start, end = torch.zeros(S, dtype=torch.float64), torch.zeros(S, dtype=torch.float64)
    for b, row in enumerate(case.rows):
        tables = [torch.tensor(x, dtype=torch.float64) * weights[b] for x in of_row(row)]
        emissions[b] += tables[0].reshape(L, S)
        if case.transitions.dim() == 4:
            transitions[b] += tables[1].reshape(transitions[b].shape)
        else:
            transitions += tables[1]
        start += tables[2]
        end += tables[3]
    scores = (case.emissions, case.transitions, case.start, case.end)
    result = (emissions, transitions, start, end)
    return [g.masked_fill(x == -INF, 0.0) for g, x in zip(result, scores, strict=True)]


def agree(case: Case, scores: list[Tensor], weights: Tensor, of_row) -> None:
    """The gradients of the scores are the counts."""
    atol = 1e-9 if case.emissions.dtype == torch.float64 else 1e-6
    for score, wanted in zip(scores, counts(case, weights, of_row), strict=True):
        close(torch.zeros_like(score) if score.grad is None else score.grad, wanted, atol=atol)


class TestClosedForm:
    @given(cases())
    def test_of_log_z_they_are_the_expected_counts(self, case: Case):
        case, scores = leaves(case)
        weights = torch.arange(1.0, 4.0, dtype=torch.float64)[: case.shape[0]] - 1.5
        (case.chain().log_partition * weights).sum().backward()
        agree(case, scores, weights, lambda row: row.expected_counts())

    @given(labelled(allowed=True))
    def test_of_log_prob_they_are_observed_less_expected(self, drawn):
        case, tags = drawn
        case, scores = leaves(case)
        log_prob = case.chain().log_prob(tags)
        log_prob[log_prob > -INF].sum().backward()
        chosen = [row.gather(line) for row, line in zip(case.rows, tags.tolist(), strict=True)]
        paths = dict(zip(map(id, case.rows), chosen, strict=True))

        def difference(row):
            pair = (row.observed_counts(paths[id(row)]), row.expected_counts())
            o, e = ([torch.tensor(table, dtype=torch.float64) for table in x] for x in pair)
            return [(a - b).tolist() for a, b in zip(o, e, strict=True)]

        agree(case, scores, (log_prob.detach() > -INF).double(), difference)

    @given(cases(dtypes=(torch.float64,), spreads=(5.0,)))
    def test_of_the_best_score_they_are_the_counts_of_the_best_path(self, case: Case):
        case, scores = leaves(case)
        best = case.chain().viterbi().scores
        best[best > -INF].sum().backward()
        feasible = torch.tensor([float(row.feasible) for row in case.rows])
        agree(case, scores, feasible, lambda row: row.observed_counts(row.best or (0,) * row.m))


SUMS = ["log_partition", "marginals", "pair_marginals", "entropy", "log_alphas", "log_betas"]
CURVED = [*SUMS, "log_prob", "kl", "cross_entropy", "clamp"]
LINEAR = ["score", "viterbi", "topk"]


def finite_parts(*, per_step: bool, forbidden: bool):
    """Leaves that hold the finite scores only, and the function that puts −∞ around them."""
    source = torch.Generator().manual_seed(9)
    B, L, S = 2, 4, 3
    shapes = [(B, L, S), (B, L - 1, S, S) if per_step else (S, S), (S,), (S,)]
    full = [torch.randn(shape, generator=source, dtype=torch.float64) for shape in shapes]
    allowed = [torch.ones_like(x, dtype=torch.bool) for x in full]
    if forbidden:
        allowed[0][0, 1, 2] = False
        allowed[1][..., 0, 1] = False
        allowed[2][1] = False
        allowed[3][2] = False
        allowed[0][1, 2] = False  # the second row has no path at all
    mask = torch.tensor([[1, 1, 0, 1], [0, 1, 1, 1]]).bool()
    parts = [x[a].clone().requires_grad_() for x, a in zip(full, allowed, strict=True)]

    def chain(*finite: Tensor) -> crf.LinearChain:
        scores = [
            torch.full_like(x, -INF).masked_scatter(a, part)
            for x, a, part in zip(full, allowed, finite, strict=True)
        ]
        return crf.LinearChain(*scores, mask)

    return parts, chain


def query(chain: crf.LinearChain, name: str) -> Tensor:
    tags = torch.tensor([[0, 0, 0, 0], [2, 2, 0, 1]])
    other = crf.LinearChain(
        torch.linspace(-1, 1, 24).double().reshape(2, 4, 3),
        torch.zeros(3, 3).double(),
        mask=chain.mask,
    )
    result = {
        "kl": lambda: chain.kl(other),
        "cross_entropy": lambda: chain.cross_entropy(other),
        "score": lambda: chain.score(tags),
        "log_prob": lambda: chain.log_prob(tags),
        "clamp": lambda: chain.clamp(torch.tensor([[-1, 0, 0, -1], [0, -1, -1, 1]])).log_partition,
        "viterbi": lambda: chain.viterbi().scores,
        "topk": lambda: chain.topk(3).scores,
    }.get(name, lambda: getattr(chain, name))()
    return torch.where(result > -INF, result, 0.0)


@pytest.mark.parametrize("per_step", [False, True], ids=["homogeneous, with −∞", "per step"])
@pytest.mark.parametrize("name", CURVED + LINEAR)
def test_first_and_second_derivatives_are_those_of_differences(name: str, per_step: bool):
    parts, chain = finite_parts(per_step=per_step, forbidden=not per_step)
    assert gradcheck(lambda *x: query(chain(*x), name), parts, fast_mode=True)
    if name in CURVED:
        assert gradgradcheck(lambda *x: query(chain(*x), name), parts, fast_mode=True)


class TestMinusInfinity:
    @settings(max_examples=15)
    @given(cases(dtypes=(torch.float64,), forbidden=(0.1, 0.5), max_paths=64))
    def test_no_gradient_is_nan_and_none_is_left_at_minus_infinity(self, case: Case):
        case, scores = leaves(case)
        chain = case.chain()
        tags = case.tags()
        outputs = [
            *(getattr(chain, name) for name in SUMS),
            chain.log_prob(tags),
            chain.score(tags),
            chain.kl(chain),
            chain.viterbi().scores,
            chain.clamp(tags).log_partition,
        ]
        for output in outputs:
            gradients = torch.autograd.grad(
                output.sum(), scores, retain_graph=True, allow_unused=True, create_graph=True
            )
            for score, gradient in zip(scores, gradients, strict=True):
                if gradient is not None:
                    assert not gradient.isnan().any()
                    assert not gradient[score == -INF].any()
            seconds = [g.sum() for g in gradients if g is not None and g.requires_grad]
            if seconds:  # not so where the output is linear
                for gradient in torch.autograd.grad(
                    sum(seconds), scores, retain_graph=True, allow_unused=True
                ):
                    assert gradient is None or not gradient.isnan().any()

    @each_backend
    def test_an_infeasible_row_gives_none_and_leaves_the_others_alone(self, backend: str):
        emissions = torch.zeros(2, 3, 2, dtype=torch.float64)
        emissions[0, 1] = -INF
        emissions.requires_grad_()
        chain = crf.LinearChain(emissions, torch.zeros(2, 2).double(), backend=backend)
        (of_log_z,) = torch.autograd.grad(chain.log_partition.sum(), emissions)
        close(of_log_z, [[[0.0] * 2] * 3, [[0.5] * 2] * 3])
        log_prob = chain.log_prob(torch.zeros(2, 3, dtype=torch.long))
        (of_log_prob,) = torch.autograd.grad(log_prob.sum(), emissions)
        close(of_log_prob, [[[0.0] * 2] * 3, [[0.5, -0.5]] * 3])


class TestNothingIsMutated:
    def test_values_flags_and_gradients(self, generator):
        source = torch.Generator().manual_seed(2)
        scores = [torch.randn(s, generator=source) for s in [(2, 4, 3), (3, 3), (3,), (3,)]]
        scores[0].requires_grad_()
        mask = torch.tensor([[1, 1, 0, 1], [1, 1, 1, 1]]).bool()
        tags = torch.tensor([[0, 1, -100, 2], [2, 1, 0, 0]])
        before = [x.detach().clone() for x in (*scores, mask, tags)]
        one = torch.ones((), requires_grad=True)  # its gradient fails if a factor is written to
        products = [(one * x.detach()).sum() for x in (*scores, mask, tags)]
        chain = crf.LinearChain(*scores, mask)
        everything(chain, tags, generator)
        chain.log_partition.sum().backward()
        for now, then in zip((*scores, mask, tags), before, strict=True):
            assert torch.equal(now, then)
        sum(products).backward()
        assert [x.requires_grad for x in scores] == [True, False, False, False]
        assert scores[0].grad is not None
        assert all(x.grad is None for x in scores[1:])

    @each_backend
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_answers_can_be_written_to_without_changing_later_ones(self, backend, dtype):
        emissions = torch.arange(6, dtype=dtype).reshape(1, 3, 2)
        chain = crf.LinearChain(emissions, torch.eye(2, dtype=dtype), backend=backend)
        for name in (*SUMS, "feasible", "viterbi", "greedy"):
            before = self.answer(chain, name).clone()
            self.answer(chain, name).fill_(1)
            assert torch.equal(self.answer(chain, name), before), name

    @staticmethod
    def answer(chain: crf.LinearChain, name: str) -> Tensor:
        found = getattr(chain, name)
        found = found() if callable(found) else found
        return found.tags if name == "viterbi" else found

    def test_a_gradient_asked_for_after_a_query_without_one(self):
        emissions = torch.zeros(1, 3, 2, requires_grad=True)
        chain = crf.LinearChain(emissions, torch.zeros(2, 2))
        with torch.no_grad():
            assert not chain.log_partition.requires_grad
            assert not chain.marginals.requires_grad
        chain.log_partition.sum().backward()
        close(emissions.grad, torch.full((1, 3, 2), 0.5))
        with torch.inference_mode():
            close(crf.LinearChain(emissions, torch.zeros(2, 2)).log_partition, [3 * math.log(2)])


def everything(chain: crf.LinearChain, tags: Tensor, generator: torch.Generator) -> None:
    """Ask every question once."""
    for name in (*SUMS, "feasible"):
        getattr(chain, name)
    for ask in (chain.score, chain.log_prob, chain.clamp):
        ask(tags)
    for ask in (chain.viterbi, chain.greedy, chain.greedy_left_to_right, chain.posterior_decode):
        ask()
    chain.topk(2), chain.sample(2, generator), chain.kl(chain), chain.cross_entropy(chain)


class Largest(TorchDispatchMode):
    """The largest storage that any operation makes, in bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for value in out if isinstance(out, (list, tuple)) else [out]:
            if isinstance(value, Tensor):
                self.bytes = max(self.bytes, value.untyped_storage().nbytes())
        return out


def leaves_of(B: int, L: int, S: int) -> list[Tensor]:
    return [x.requires_grad_() for x in batch((B, L, S), holes=0.0)[:4]]


@pytest.mark.parametrize(("B", "L", "S"), [(17, 40, 24), (16, 40, 40)])  # kernels take eight each
class TestMemory:
    """No tensor of B·L·S·S numbers is ever made, unless pair marginals are asked for."""

    def test_largest_tensor(self, B: int, L: int, S: int):
        for ask in (
            lambda c: c.log_partition.sum().backward(),
            lambda c: c.log_prob(torch.zeros(c.mask.shape, dtype=torch.long)).sum().backward(),
            lambda c: c.marginals,
            lambda c: c.entropy,
            lambda c: c.viterbi(),
            lambda c: c.topk(2),
            lambda c: c.sample(2),
            lambda c: c.posterior_decode(),
        ):
            with Largest() as largest:
                ask(crf.LinearChain(*leaves_of(B, L, S)))
            assert largest.bytes <= 8 * 2 * (B * L * S + S * S) < 8 * B * L * S * S / 4

    @pytest.mark.parametrize("name", ["log_partition", "entropy", "marginals"])
    def test_what_is_kept_for_the_backward_pass(self, name: str, B: int, L: int, S: int):
        kept: dict[int, int] = {}

        def pack(x: Tensor) -> Tensor:
            kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
            return x

        scores = leaves_of(B, L, S)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
            output = getattr(crf.LinearChain(*scores), name)
        assert max(kept.values()) <= 8 * 2 * (B * L * S + S * S)
        assert sum(kept.values()) <= 8 * 12 * (B * L * S + S * S) < 8 * B * L * S * S
        assert kept
        output.sum().backward()
        assert scores[0].grad.isfinite().all()


def marginals(chain: crf.LinearChain, tags: Tensor) -> tuple[Tensor, ...]:
    """Marginals with their gradient in closed form, and from the recursions."""
    p = chain.potentials
    textbook = recursions.state_marginals(p, recursions.forward(p), recursions.backward(p))
    return chain.marginals, textbook


def token_probabilities(chain: crf.LinearChain, tags: Tensor) -> tuple[Tensor, ...]:
    """Likewise; where a probability is 0 its logarithm counts for nothing."""
    p = chain.potentials
    both = tokens.log_probs(p, tags), tokens.by_recursion(*p, torch.where(p.mask, tags, 0))
    return tuple(torch.where(x > -INF, x, 0.0) for x in both)


@pytest.mark.parametrize("ask", [marginals, token_probabilities])
@given(drawn=labelled(dtypes=(torch.float64,), spreads=(0.0, 5.0), forbidden=(0.0, 0.3)))
def test_gradients_in_closed_form_are_those_through_the_recursions(ask, drawn):
    case, tags = drawn
    for spread in (1.0, 200.0):  # the latter is beyond what probability space holds
        scores = [x.double() * spread for x in (case.emissions, case.transitions)]
        ends = torch.linspace(-spread, spread, case.shape[2]).double().expand(2, -1)
        leaves = [x.nan_to_num(0.0, 0.0, -INF).requires_grad_() for x in (*scores, *ends)]
        slopes = []
        for value in ask(crf.LinearChain(*leaves, case.mask, backend="plain"), tags):
            weight = torch.linspace(-1, 2, value.numel()).double().reshape(value.shape)
            total = (weight * value).sum()
            found = torch.autograd.grad(total, leaves, retain_graph=True, materialize_grads=True)
            slopes.append(found)
        for one, other in zip(*slopes, strict=True):
            close(one, other, atol=1e-7 * spread)
