"""The backends that compute, and the one place that chooses between them.

    "plain"    the recursions as in the textbook (`crf.core.recursions` and
               `crf.core.decoding`), on any device
    "kernels"  the same in C, on the CPU (`crf.kernels`): log Z, log-probabilities and their
               gradients, marginals and expected counts, queries that use these, best paths,
               k-best lists and samples.
               The plain code does the rest: chains whose range is too wide, second derivatives,
               `torch.func`, and all other queries
    "triton"   the kernels for a CUDA GPU (`crf.engines.gpu`): log Z, log-probabilities, their
               gradients, marginals and best paths, for up to 128 tags
    "auto"     "kernels" where the extension was built and the chains can take it, else "plain"

The results are the same. Where a backend cannot answer a query, or is not installed, the plain code
answers it.
"""

import importlib.util
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..core import decoding, differentiable, recursions, torch_tracing
from ..core.potentials import Potentials, working
from ..core.scoring import log_prob_from, path_scores
from ..queries import covariances, information, sampling

if importlib.util.find_spec("..kernels", __package__):  # a copy of the library may be without
    from .. import kernels
else:
    kernels: Any = None

BACKENDS = ("auto", "plain", "kernels", "triton")
MOST_TAGS_ON_A_GPU = 128
DeltaTables = tuple[Tensor, Tensor | None]


def check_backend(backend: Any) -> None:
    """Refuse an unknown backend's name."""
    if backend not in BACKENDS:
        raise ValueError(
            f"backend: expected one of {', '.join(map(repr, BACKENDS))}, got {backend!r}; "
            "'auto' chooses for you"
        )


def recursions_here() -> Any:
    """Forward and backward: as Python's loops, or as one loop of the graph that is exported."""
    if torch_tracing.exporting():
        from . import export_recursions

        return export_recursions
    return recursions


class Chains:
    """A batch of chains as engines see it: its scores, and the columns computed so far.

    Attributes:
        raw: The scores, checked and in one precision, and the mask.
        backend: Which code was asked for, one of `BACKENDS`.
    """

    def __init__(self, raw: Potentials, backend: str, quick: bool) -> None:
        self.raw, self.backend, self._quick = raw, backend, quick
        self._cache: dict[str, Any] = {}

    @property
    def engine(self) -> "Plain":
        """The engine that computes under the present conditions."""
        if self._quick and KERNELS is not None and torch_tracing.eager():
            return KERNELS
        return choose(self.backend, self.raw)

    def may_need_gradient(self) -> bool:
        """Whether somebody may differentiate an answer by the scores."""
        return differentiable.needs_gradient(*self.raw[:4])

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """Compute, and remember the result unless a gradient may be asked of it."""
        if torch_tracing.compiling() or self.may_need_gradient():
            return compute()
        key = f"{name}, inference" if torch.is_inference_mode_enabled() else name
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]

    @property
    def potentials(self) -> Potentials:
        """The scores that are computed with: 0 outside the chain, in working precision."""
        return self.once("potentials", lambda: working(self.raw)[0])

    def alphas(self) -> recursions.Columns:
        """The columns of the forward recursion."""
        return self.once("alphas", lambda: recursions_here().forward(self.potentials))

    def betas(self) -> recursions.Columns:
        """The columns of the backward recursion."""
        return self.once("betas", lambda: recursions_here().backward(self.potentials))

    def log_partition(self) -> Tensor:
        """log Z [B] in working precision."""
        return self.once("log_partition", lambda: self.engine.log_partition(self))


class Plain:
    """The textbook's code, and the reference: what an engine answers about chains.

    Scores may carry gradients; then answers do. Other engines change what they do better.
    """

    def log_partition(self, chains: Chains) -> Tensor:
        """log Z [B] in working precision."""
        return recursions.log_partition(chains.potentials)

    def log_prob(self, chains: Chains, tags: Tensor) -> Tensor:
        """log p(tags) [B], of tags [B, L] that are in range."""
        return log_prob_from(path_scores(chains.potentials, tags), chains.log_partition())

    def marginals(self, chains: Chains) -> Tensor:
        """p(y_t = s | x) [B, L, S]."""
        if chains.may_need_gradient() and not torch_tracing.exporting():
            return covariances.marginals(chains.potentials)
        return recursions.state_marginals(chains.potentials, chains.alphas(), chains.betas())

    def expected_counts(self, chains: Chains) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As `recursions.expected_counts`."""
        return recursions.expected_counts(chains.potentials, chains.alphas())

    def expectation(self, chains: Chains, other: Chains, local: information.Local) -> Tensor:
        """As `information.expected`: [B] nats, without cancellation."""
        return information.expected(chains.potentials, other.potentials, local)

    @torch.no_grad()
    def best_paths(self, chains: Chains, store: bool) -> tuple[Tensor, Tensor, DeltaTables | None]:
        """Tags [B, L], scores [B]; log δ and backpointers, where at hand."""
        deltas, pointers = decoding.viterbi_forward(chains.potentials)
        stored = pointers if store else None
        return *decoding.backtrace(chains.potentials, deltas, stored), (deltas, stored)

    @torch.no_grad()
    def topk(self, chains: Chains, k: int) -> tuple[Tensor, Tensor]:
        """As `decoding.topk`: the k best paths [B, k, L], and their scores [B, k]."""
        return decoding.topk(chains.potentials, k)

    @torch.no_grad()
    def sample(self, chains: Chains, n: int, generator: torch.Generator | None) -> Tensor:
        """n paths from p(y | x): [n, B, L]."""
        return sampling.sample(chains.potentials, chains.alphas(), n, generator)


class Export(Plain):
    """The recursions as a single loop of the graph, which `torch.export` keeps for any length."""

    def log_partition(self, chains: Chains) -> Tensor:
        """log Z."""
        return recursions_here().log_partition(chains.potentials)

    @torch.no_grad()
    def best_paths(self, chains: Chains, store: bool) -> tuple[Tensor, Tensor, DeltaTables | None]:
        """Best paths, without tables."""
        return *recursions_here().viterbi(chains.potentials), None

    @torch.no_grad()
    def sample(self, chains: Chains, n: int, generator: torch.Generator | None) -> Tensor:
        """Paths, from noise that is drawn at once."""
        return recursions_here().sample(chains.potentials, n, generator)


class Kernels(Plain):
    """The kernels in C; where torch compiles, as operators that it keeps as they are."""

    @property
    def _module(self) -> Any:
        if not torch_tracing.compiling():
            return kernels
        from ..kernels import operators

        return operators

    def _values(self, chains: Chains, tags: Tensor | None) -> Tensor:
        if torch_tracing.compiling():  # an operator has its own gradients
            return self._module.values(chains.raw, tags)
        return differentiable.values(kernels, chains.raw, tags)

    def log_partition(self, chains: Chains) -> Tensor:
        """log Z."""
        return self._values(chains, None)

    def log_prob(self, chains: Chains, tags: Tensor) -> Tensor:
        """log p(tags)."""
        return 0.0 - self._values(chains, tags)

    def marginals(self, chains: Chains) -> Tensor:
        """The gradient of log Z in the emissions; where a compiled one needs its own, plain."""
        raw, differentiated = chains.raw, chains.may_need_gradient()
        if torch_tracing.compiling() and differentiated:
            return super().marginals(chains)
        with torch.no_grad():
            weights = raw.emissions.new_ones(len(raw.mask), dtype=torch.float64)
            table = self._module.gradients(raw, None, weights)[0]
        if not differentiated:
            return table
        return differentiable.answer(table, covariances.of_marginals, *raw)

    def expected_counts(self, chains: Chains) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradient of log Z, chain by chain."""
        if torch_tracing.compiling() or chains.may_need_gradient():
            return super().expected_counts(chains)
        return kernels.expected_counts(chains.raw)[1:]

    def expectation(self, chains: Chains, other: Chains, local: information.Local) -> Tensor:
        """From log Z and its gradient; by the recursion where too many digits would cancel."""
        if torch_tracing.compiling() or choose(other.backend, other.raw) is not self:
            return super().expectation(chains, other, local)
        tensors = (*chains.raw, *(() if other is chains else other.raw))
        log_q = None if other is chains else other.log_partition().detach()
        return information.by_counts(kernels, local, log_q, *tensors)

    def best_paths(self, chains: Chains, store: bool) -> tuple[Tensor, Tensor, DeltaTables | None]:
        """Best paths, without tables."""
        return *self._module.best_paths(chains.raw), None

    def topk(self, chains: Chains, k: int) -> tuple[Tensor, Tensor]:
        """The k best paths."""
        if torch_tracing.compiling():
            return super().topk(chains, k)
        with torch.no_grad():
            return kernels.best_lists(chains.raw, k)

    def sample(self, chains: Chains, n: int, generator: torch.Generator | None) -> Tensor:
        """The paths that the plain code would draw."""
        paths = None
        if not torch_tracing.compiling():
            with torch.no_grad():
                paths = kernels.samples(chains.raw, n, generator)
        return super().sample(chains, n, generator) if paths is None else paths


class Triton(Kernels):
    """The kernels for a CUDA GPU, imported when they are first asked for."""

    expected_counts, expectation = Plain.expected_counts, Plain.expectation
    topk, sample = Plain.topk, Plain.sample

    @property
    def _module(self) -> Any:
        from . import gpu

        return gpu

    def _values(self, chains: Chains, tags: Tensor | None) -> Tensor:
        return differentiable.values(self._module, chains.raw, tags)


PLAIN, EXPORT, TRITON = Plain(), Export(), Triton()
KERNELS = Kernels() if kernels is not None and kernels.available() else None


def has_kernels() -> bool:
    """Whether the C kernels were built and can be loaded; `crf doctor` says why not."""
    return KERNELS is not None


def choose(backend: str, p: Potentials) -> Plain:
    """The engine that answers.

    Args:
        backend: What was asked for, one of `BACKENDS`.
        p: The chains, checked.

    Example:
        >>> cells = torch.ones(1, 3, dtype=torch.bool)
        >>> p = Potentials(torch.zeros(1, 3, 5), torch.zeros(5, 5), *torch.zeros(2, 5), cells)
        >>> type(choose("plain", p)).__name__
        'Plain'
    """
    if torch_tracing.exporting():
        return EXPORT
    if torch_tracing.transforming():
        return PLAIN
    if backend == "triton" and on_a_gpu(p):
        return TRITON
    if backend in ("auto", "kernels") and KERNELS is not None and kernels.fits(p):
        return KERNELS
    return PLAIN


def on_a_gpu(p: Potentials) -> bool:
    there = p.emissions.is_cuda and importlib.util.find_spec("triton") is not None
    return there and p.emissions.shape[2] <= MOST_TAGS_ON_A_GPU


# ---------------------------------------------------------------------- without a chain
# Checks, recursion and reduction in one call, where all is in order. Of anything else these return
# None: the long way, over a chain, deals with it, or says what is wrong.


def fits(backend: str, p: Potentials) -> bool:
    """Whether the kernels take unchecked potentials as they are, here and now.

    Then types and shapes are right, and torch neither traces nor transforms.
    """
    return (
        KERNELS is not None
        and backend in ("auto", "kernels")
        and torch_tracing.eager()
        and kernels.fits(p)
    )


def loss(backend: str, p: Potentials, tags: Any, reduction: str) -> Tensor | None:
    """−log p(tags), reduced over the batch; differentiable, twice.

    Args:
        backend: One of `BACKENDS`.
        p: The chains, unchecked; the mask may be None.
        tags: [B, L], unchecked.
        reduction: As `crf.ChainCRF` takes it.
    """
    if reduction == "none" or not (fits(backend, p) and kernels.fits_tags(tags, p)):
        return None
    B, L = tags.shape
    if not B:
        return None
    p = p.in_one_precision()
    scale = 1.0 / B if reduction == "mean" else 1.0
    if reduction == "token_mean":
        scale = 1.0 / max(1, B * L if p.mask is None else int(p.mask.sum()))
    needs_gradients = differentiable.needs_gradient(*p[:4])
    sums = kernels.sums(p, tags, gradients=needs_gradients, scale=scale)
    if sums.state or not needs_gradients:
        return None if sums.state else sums.total
    return differentiable.total(sums.total, sums.gradients, scale, p, tags)


def decode(backend: str, p: Potentials) -> list[list[int]] | None:
    """The best paths as lists, one tag per token; [] where no path is allowed."""
    return kernels.packed_paths(p.in_one_precision()) if fits(backend, p) else None


def as_lists(tags: Tensor) -> list[list[int]]:
    """The tags of each row [B, L] that are not −1."""
    return [[tag for tag in row if tag >= 0] for row in tags.tolist()]
