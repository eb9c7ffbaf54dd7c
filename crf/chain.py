"""The linear chain: p(y | x) of a batch of tag sequences, and everything one may ask of it.

    p(y | x) = (1 / Z(x)) ∏_t ψ(y_t, x, t) ∏_t ψ(y_t, y_(t+1)),    log ψ = the scores given here

One object holds the scores; each question is one short method over a recursion. Here are those
about some of the paths: chains that are part of another, best paths, random paths. Those about all
paths together are in `crf.distribution`.

Source: Lafferty, McCallum and Pereira (2001), "Conditional random fields: probabilistic models for
segmenting and labeling sequence data", ICML.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from . import decoding, engines, sampling, torch_tracing
from .differentiable import answer, plain_derivatives
from .distribution import Distribution
from .potentials import NEG_INF, Potentials, clean
from .results import TopK, ViterbiResult
from .scoring import log_prob_from, path_scores
from .shapes import Bool, Float, Int
from .validation import (
    check_count,
    check_paths,
    check_table,
    check_tags,
    check_truths,
    checks_values,
)

LONGEST_SHOWN, MOST_TAGS_SHOWN = 40, 30  # of a chain that a notebook draws


class LinearChain(Distribution):
    """The distribution p(y | x) over the tag sequences of a batch of chains.

    All scores are log-potentials: any real number, −∞ for "forbidden". They need not sum to
    anything. Results have the scores' common precision, at least float32: half-precision scores
    are computed with and returned in float32. Nothing passed in is mutated.

    Args:
        emissions: [B, L, S] score of tag s at cell t.
        transitions: [S, S] score of going from row i to column j, the same at every step; or
            [B, S, S], the same at every step of a chain; or [B, L-1, S, S], where
            `transitions[b, t-1]` leads into cell t from the chain's token before it. Where the
            chains, or the steps, share a table, the size may be 1: [1, L-1, S, S], [B, 1, S, S].
        start: [S] score of the first tag. Default 0.
        end: [S] score of the last tag. Default 0.
        mask: [B, L] bool (or integers 0 and 1), any pattern; cells with False are not in the
            chain, whatever they hold. Default all True.
        validate: Look at the values and refuse nan and +∞ (costs a pass, and a synchronisation on a
            GPU). Types and shapes are always checked.
        backend: Which code computes; see `crf.engines`.

    Raises:
        TypeError: Something is not a tensor of the right kind.
        ValueError: A shape, device or value does not fit; the message says which and what to do.

    Example:
        >>> emissions = torch.tensor([[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]])
        >>> transitions = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
        >>> chain = LinearChain(emissions, transitions)
        >>> chain.viterbi().tags
        tensor([[1, 1, 1]])
        >>> chain.log_prob(torch.tensor([[1, 1, 1]])).exp()
        tensor([0.4618])
        >>> chain.marginals[0].sum(-1)
        tensor([1., 1., 1.])
    """

    def _repr_mimebundle_(self, **formats: Any) -> Any:
        """At the end of a notebook's cell: the flow of a chain that is small enough to read."""
        B, L, S = self._raw.emissions.shape
        drawn = B == 1 and 0 < L <= LONGEST_SHOWN and S <= MOST_TAGS_SHOWN
        if not drawn or self._raw.emissions.is_meta or not self.feasible[0] or not self.mask.any():
            return {"text/plain": repr(self)}
        from .figures import flow  # only here: a chain needs no figure

        return flow(self)._repr_mimebundle_(**formats)

    def __getitem__(self, chosen: Any) -> "LinearChain":
        """Some of the chains: an index, a slice, a list of indices or a mask over the batch.

        Example:
            >>> chain = LinearChain(torch.zeros(3, 2, 4), torch.zeros(4, 4))
            >>> chain[0], chain[1:]
            (LinearChain(batch=1, length=2, tags=4, dtype=torch.float32),
             LinearChain(batch=2, length=2, tags=4, dtype=torch.float32))
        """
        if isinstance(chosen, int):
            B = len(self)
            if not -B <= chosen < B:
                raise IndexError(
                    f"chain: expected an index below {B}, got {chosen}; it has {B} rows"
                )
            chosen = slice(chosen % B, chosen % B + 1)
        emissions, transitions, start, end, mask = self._raw
        if self._raw.per_step:
            transitions = transitions[chosen]
        return self._like(emissions[chosen], transitions, start, end, mask[chosen])

    def to(
        self, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> "LinearChain":
        """The same chains on another device, or with scores of another precision.

        Args:
            device: Where to; None for where they are.
            dtype: A floating-point precision; None for the one that they have.
        """
        scores = (x.to(device=device, dtype=dtype) for x in self._raw[:4])
        return self._like(*scores, self._raw.mask.to(device))

    def _like(self, *potentials: Tensor) -> "LinearChain":
        """A chain with these scores, which are known to be valid."""
        return LinearChain(*potentials, validate=False, backend=self.backend)

    # ------------------------------------------------------------------ parts of the paths

    def span_log_prob(
        self,
        start: int | Int[Tensor, " B"],
        stop: int | Int[Tensor, " B"],
        tags: Int[Tensor, "B L"],
    ) -> Float[Tensor, " B"]:
        """log p(y_t = tags_t for start ≤ t < stop | x), the other tokens summed out, in nats.

        The confidence of an entity. That it ends there is said by the tag after it: include that
        token (with BIO: any tag but the entity's I), or take `partial_log_prob`.

        Args:
            start: The first cell of the span, one for all chains or [B].
            stop: The cell after its last.
            tags: [B, L] the span's tags; other cells may hold anything.

        Returns:
            [B] log-probability; 0 for a span without tokens.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range in the span.

        Example:
            >>> chain = LinearChain(torch.zeros(1, 3, 2), torch.zeros(2, 2))
            >>> chain.span_log_prob(0, 2, torch.zeros(1, 3, dtype=torch.long)).exp()
            tensor([0.2500])

        Source: Culotta and McCallum (2004), "Confidence estimation for information extraction".
        """
        B, L = self._raw.mask.shape
        cells = torch.arange(L, device=self._raw.mask.device)
        first, last = (torch.as_tensor(x, device=cells.device) for x in (start, stop))
        for name, x in (("start", first), ("stop", last)):
            if x.is_floating_point() or x.shape not in ((), (B,)):
                raise ValueError(
                    f"{name}: expected a cell, or one for each of the {B} chains, got "
                    f"{list(x.shape)} of {x.dtype}; give an int or integers [{B}]"
                )
        inside = (cells >= first[..., None]) & (cells < last[..., None])
        check_tags(tags, self._raw.mask & inside, self._raw.emissions.shape[2])
        other = torch.arange(self._raw.emissions.shape[2], device=cells.device) != tags[:, :, None]
        return self.partial_log_prob(~(other & inside.expand(B, L)[:, :, None]))

    def clamp(self, tags: Int[Tensor, "B L"]) -> "LinearChain":
        """The chain with some tokens' tags fixed, and the others free.

        p(the partial labelling | x) = exp(clamped.log_partition − chain.log_partition).

        Args:
            tags: [B, L]; a tag ≥ 0 is fixed, −1 is free; masked cells may hold anything.

        Returns:
            A chain in which every other tag of a fixed token is forbidden.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).
        """
        mask, S = self._raw.mask, self._raw.emissions.shape[2]
        check_tags(tags, mask, S, lowest=-1)
        other_tag = torch.arange(S, device=tags.device) != tags[:, :, None]
        forbidden = other_tag & (mask & (tags >= 0))[:, :, None]
        return self.restrict(~forbidden)

    def restrict(self, allowed: Bool[Tensor, "B L S"]) -> "LinearChain":
        """The chain over the paths whose every tag is in its token's set; `clamp` fixes one tag.

        Args:
            allowed: [B, L, S] whether the tag is in the set; masked cells may hold anything.

        Returns:
            A chain in which all other tags are forbidden.

        Raises:
            TypeError: It is not a bool tensor.
            ValueError: Wrong shape or device.
        """
        emissions, transitions, start, end, mask = self._raw
        check_truths("allowed", allowed, emissions.shape, emissions.device)
        return self._like(emissions.masked_fill(~allowed, NEG_INF), transitions, start, end, mask)

    def partial_log_prob(self, allowed: Bool[Tensor, "B L S"]) -> Float[Tensor, " B"]:
        """log p(y_t is in its token's set, for all t | x) = log Z(allowed paths) − log Z, in nats.

        Sets of one tag make it `log_prob`, sets of all tags 0. It is what a chain learns from when
        some tokens' tags are unknown, or known to be one of a few.

        Args:
            allowed: [B, L, S] whether the tag is in the set; masked cells may hold anything.

        Returns:
            [B] log-probability, −∞ where no path is in the sets.

        Raises:
            TypeError: It is not a bool tensor.
            ValueError: Wrong shape or device.

        Example:
            >>> chain = LinearChain(torch.zeros(1, 2, 3), torch.zeros(3, 3))
            >>> chain.partial_log_prob(torch.tensor([[[1, 1, 0], [1, 0, 0]]]).bool()).exp() * 9
            tensor([2.0000])

        Source: Tsuboi, Kashima, Mori, Oda and Matsumoto (2008), "Training conditional random fields
        using incomplete annotations", COLING.
        """
        log_part = self.restrict(allowed)._chains.log_partition()
        log_whole = self._chains.log_partition()
        possible = log_part > NEG_INF
        difference = torch.where(possible, log_part, 0.0) - torch.where(possible, log_whole, 0.0)
        return torch.where(possible, difference.clamp(max=0.0), NEG_INF).to(self.dtype)

    # ------------------------------------------------------------------ decoding

    def viterbi(self, *, store_backpointers: bool = True) -> ViterbiResult:
        """The best path, argmax_y score(x, y); ties go to the lowest tag index.

        The table and the tags carry no gradient. `scores` does: it is the score of the best path.

        Args:
            store_backpointers: False decodes without them: each argmax is computed again on the way
                back, which saves their [B, L, S] memory and gives the same path.

        Returns:
            Tags, scores, log δ and backpointers.

        Source: Viterbi (1967); Rabiner (1989), eqs. 32-35.
        """
        tags, scores, known = self._engine.best_paths(self._chains, store_backpointers)
        if known:
            tables = partial(self._tables_of, *known)
        else:
            tables = partial(self._viterbi_tables, store_backpointers)
        if self._chains.may_need_gradient():
            scores = self._with_gradient(scores, tags)
        if scores.dtype is not self.dtype:  # .to() takes a microsecond to find that out
            scores = scores.to(self.dtype)
        return ViterbiResult(tags, scores, tables)

    def _viterbi_tables(self, store_backpointers: bool) -> tuple[Tensor, Tensor | None]:
        """The tables that the kernels do without."""
        with torch.no_grad():
            deltas, backpointers = decoding.viterbi_forward(self.potentials)
        return self._tables_of(deltas, backpointers if store_backpointers else None)

    def _tables_of(self, deltas: Tensor, stored: Tensor | None) -> tuple[Tensor, Tensor | None]:
        return torch.where(self._raw.mask[:, :, None], deltas, 0.0).to(self.dtype), stored

    def topk(self, k: int) -> TopK:
        """The k best paths, best first, no path twice.

        Args:
            k: How many, at least 1.

        Returns:
            Tags [B, k, L], scores, which rows are valid, and `log_probs` [B, k]. The first j rows
            are `topk(j)`.

        Raises:
            TypeError: k is not an int.
            ValueError: k is below 1, larger than the number of paths (and than 1,000), or so large
                that its tables would take more than 8 GiB.

        Source: Seshadri and Sundberg (1994).
        """
        check_count("k", k, lowest=1)
        B, L, S = self._raw.emissions.shape
        check_paths(k, self._raw.mask, S)
        check_table("k", k, B, S, max(L, S))
        with torch.no_grad():
            tags, scores = decoding.topk(self.potentials, k)
        valid = scores > NEG_INF
        if self._chains.may_need_gradient():
            scores = self._with_gradient(scores.T, tags.transpose(0, 1)).T

        def log_probs() -> Tensor:
            return log_prob_from(scores.T, self._chains.log_partition()).T.to(self.dtype)

        return TopK(tags, scores.to(self.dtype), valid, log_probs)

    def _with_gradient(self, scores: Tensor, tags: Tensor) -> Tensor:
        """The scores of the paths, differentiable."""
        if torch_tracing.compiling() or torch_tracing.transforming():
            return torch.where(scores > NEG_INF, self._score(tags.clamp(min=0)), scores)
        return answer(scores, _of_paths, *self._raw, tags)

    def sample(self, n: int, generator: torch.Generator | None = None) -> Int[Tensor, "n B L"]:
        """n independent samples from p(y | x).

        Args:
            n: How many.
            generator: Source of the randomness, on the device of the scores; None for torch's own.

        Returns:
            Tags [n, B, L], −1 at masked cells.

        Raises:
            TypeError: n is not an int.
            ValueError: n is negative, or so large that the answer would take more than 8 GiB; or a
                chain allows no path (the message names the rows).

        Source: Frühwirth-Schnatter (1994).
        """
        check_count("n", n, lowest=0)
        check_table("n", n, *self._raw.emissions.shape)
        if checks_values() and not self.feasible.all():
            rows = torch.nonzero(~self.feasible).flatten().tolist()
            raise ValueError(
                f"sample: expected chains that allow a path, got none in rows {rows}; "
                "allow a transition or a tag there, or leave these rows out"
            )
        with torch.no_grad():
            if torch_tracing.exporting():
                return engines.recursions_here().sample(self.potentials, n, generator)
            return sampling.sample(self.potentials, self._chains.alphas(), n, generator)

    def greedy(self) -> Int[Tensor, "B L"]:
        """Each token's best emission, transitions, start and end ignored: [B, L], −1 if masked."""
        return self._masked_tags(self.potentials.emissions.argmax(-1))

    def greedy_left_to_right(self) -> Int[Tensor, "B L"]:
        """Each token's best tag given the tag just chosen before it: [B, L], −1 at masked cells.

        It uses start and transitions, and cannot look ahead: a bad choice is never taken back.
        """
        with torch.no_grad():
            return decoding.greedy_left_to_right(self.potentials)

    def posterior_decode(self) -> Int[Tensor, "B L"]:
        """Each token's most probable tag, argmax of the marginals: [B, L], −1 at masked cells.

        It maximises the expected number of correct tags; the sequence may have probability 0.
        """
        with torch.no_grad():
            return self._masked_tags(self.marginals.argmax(-1))

    def _masked_tags(self, tags: Tensor) -> Tensor:
        return torch.where(self._raw.mask, tags, decoding.NO_TAG)


def _of_paths(tensors: Any, grad: Tensor) -> Any:
    """The gradients of Σ grad · the scores of paths, by counting what they use."""

    def plain(*scores: Tensor) -> Tensor:
        return path_scores(clean(Potentials(*scores)), tags.clamp(min=0))

    *raw, tags = tensors
    return *plain_derivatives(plain, raw, (tags >= 0).any(-1) * grad), None
