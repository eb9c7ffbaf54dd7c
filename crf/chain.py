"""The linear chain: p(y | x) of a batch of tag sequences, and everything one may ask of it.

    p(y | x) = (1 / Z(x)) ∏_t ψ(y_t, x, t) ∏_t ψ(y_t, y_(t+1)),    log ψ = the scores given here

One object holds the scores; each question is one short method over a recursion.

Source: Lafferty, McCallum and Pereira (2001), "Conditional random fields: probabilistic models for
segmenting and labeling sequence data", ICML.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from . import decoding, engines, information, modes, recursions, sampling
from .potentials import NEG_INF, Potentials, clean, first_tokens
from .results import ExpectedCounts, TopK, ViterbiResult
from .scoring import log_prob_from, path_scores, previous_tokens, score_terms
from .shapes import Bool, Float, Int
from .validation import (
    all_below_infinity,
    all_can_be_added,
    as_mask,
    check_allowed,
    check_comparable,
    check_count,
    check_paths,
    check_potentials,
    check_table,
    check_tags,
    check_values,
    checks_values,
)

LONGEST_SHOWN, MOST_TAGS_SHOWN = 40, 30  # of a chain that a notebook draws


class LinearChain:
    """The distribution p(y | x) over the tag sequences of a batch of chains.

    All scores are log-potentials: any real number, −∞ for "forbidden". They need not sum to
    anything. Half-precision scores are computed with and returned in float32. Nothing passed in
    is mutated.

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

    def __init__(
        self,
        emissions: Float[Tensor, "B L S"],
        transitions: Tensor,
        start: Float[Tensor, " S"] | None = None,
        end: Float[Tensor, " S"] | None = None,
        mask: Bool[Tensor, "B L"] | None = None,
        *,
        validate: bool = True,
        backend: str = "auto",
    ) -> None:
        engines.check_backend(backend)
        raw = _with_defaults(Potentials(emissions, transitions, start, end, mask))  # pyright: ignore
        if not engines.fits(backend, raw):
            check_potentials(raw)
        self.dtype = _result_dtype(raw)
        self.backend = backend
        self._raw = raw
        self._known: dict[str, Any] = {}
        if validate and checks_values():
            valid = engines.all_below_infinity(backend, raw)
            valid = all_below_infinity(raw) if valid is None else valid
            if not (valid and all_can_be_added(raw[:4])):  # masked cells may be to blame
                with torch.no_grad():
                    check_values(clean(raw))

    def __repr__(self) -> str:
        B, L, S = self._raw.emissions.shape
        return f"LinearChain(batch={B}, length={L}, tags={S}, dtype={self.dtype})"

    def _repr_mimebundle_(self, **formats: Any) -> Any:
        """At the end of a notebook's cell: the flow of a chain that is small enough to read."""
        B, L, S = self._raw.emissions.shape
        drawn = B == 1 and 0 < L <= LONGEST_SHOWN and S <= MOST_TAGS_SHOWN
        if not drawn or self._raw.emissions.is_meta or not self.feasible[0] or not self.mask.any():
            return {"text/plain": repr(self)}
        from .figures import flow  # only here: a chain needs no figure

        return flow(self)._repr_mimebundle_(**formats)

    @property
    def mask(self) -> Bool[Tensor, "B L"]:
        """Which cells are tokens of the chain: [B, L] bool."""
        return self._raw.mask

    def __len__(self) -> int:
        """B, the number of chains."""
        return len(self._raw.mask)

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

    # ------------------------------------------------------------------ what is computed once

    @property
    def potentials(self) -> Potentials:
        """The scores that are computed with: 0 outside the chain, in working precision.

        That is float64 wherever the device has it; results are rounded to `dtype` at the end.
        """
        device = self._raw.emissions.device
        working = torch.float32 if device.type == "mps" else torch.float64
        return self._once("potentials", lambda: clean(self._raw).to(working))

    def _once(self, name: str, compute: Any) -> Any:
        """Compute, and remember the result unless a gradient may be asked of it."""
        if torch.compiler.is_compiling() or self._may_need_gradient():
            return compute()
        key = f"{name}, inference" if torch.is_inference_mode_enabled() else name
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def _may_need_gradient(self) -> bool:
        return torch.is_grad_enabled() and any(scores.requires_grad for scores in self._raw)

    def _alphas(self) -> recursions.Columns:
        return self._once("alphas", lambda: _recursions().forward(self.potentials))

    def _betas(self) -> recursions.Columns:
        return self._once("betas", lambda: _recursions().backward(self.potentials))

    def _log_partition(self) -> Float[Tensor, " B"]:
        """log Z in working precision."""
        return self._once("log_partition", lambda: self._engine.log_partition(self))

    @property
    def _engine(self) -> engines.Engine:
        """What answers, here and now."""
        return engines.choose(self.backend, self._raw)

    # ------------------------------------------------------------------ evaluation

    @property
    def log_partition(self) -> Float[Tensor, " B"]:
        """log Z = log Σ_y exp(score(x, y)): [B], nats.

        0 for a chain without tokens, −∞ where no path is allowed. Its gradient is the marginals.

        Source: Sutton and McCallum (2012), eq. 4.5.
        """
        return self._log_partition().to(self.dtype, copy=True)  # what is remembered stays as it is

    @property
    def feasible(self) -> Bool[Tensor, " B"]:
        """Whether a path is allowed at all: [B] bool. A chain without tokens has the empty path."""
        return self._log_partition().detach() > NEG_INF

    @property
    def log_alphas(self) -> Float[Tensor, "B L S"]:
        """log α_t(s): [B, L, S], log of the summed exp-scores of all prefixes that end in s at t.

        State form: the emission at t is in it; `start` is, `end` is not. Not a probability of the
        tag: it has not seen the future. 0 at masked cells.

        Source: Rabiner (1989), eq. 20.
        """
        return self._absolute(self._alphas())

    @property
    def log_betas(self) -> Float[Tensor, "B L S"]:
        """log β_t(s): [B, L, S], the log of the summed exp-scores of all suffixes after s at t.

        State form: the emission at t is not in it; `end` is, `start` is not. 0 at masked cells.

        Source: Rabiner (1989), eq. 25.
        """
        return self._absolute(self._betas())

    def _absolute(self, columns: recursions.Columns) -> Tensor:
        values = columns.relative + columns.offsets[:, :, None]
        return torch.where(self._raw.mask[:, :, None], values, 0.0).to(self.dtype)

    def score(self, tags: Int[Tensor, "*n B L"]) -> Float[Tensor, "*n B"]:
        """The score of a path: start + emissions + transitions + end along it.

        Args:
            tags: [B, L] (or [n, B, L], as `sample` returns); masked cells may hold anything.

        Returns:
            [B] (or [n, B]) log-score; −∞ for a forbidden path, 0 for a chain without tokens.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).
        """
        check_tags(tags, self._raw.mask, self._raw.emissions.shape[2])
        return self._score(tags).to(self.dtype)

    def _score(self, tags: Tensor) -> Tensor:
        return path_scores(self.potentials, tags)

    def log_prob(self, tags: Int[Tensor, "*n B L"]) -> Float[Tensor, "*n B"]:
        """log p(y | x) = score − log Z, in nats.

        Args:
            tags: [B, L]; or [n, B, L], n paths of each chain, as `sample` returns them. The paths
                of `topk` are [B, k, L]: `chain.topk(k).log_probs` has theirs, and so has
                `chain.log_prob(best.tags.transpose(0, 1))`, [k, B]. Masked cells may hold anything.

        Returns:
            [B] (or [n, B]) log-probability, −∞ for a forbidden path or an infeasible chain.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).

        Example:
            >>> chain = LinearChain(torch.zeros(3, 2, 2), torch.zeros(2, 2))
            >>> best = chain.topk(3)  # as many paths as chains: log_prob(best.tags) is no error
            >>> torch.equal(chain.log_prob(best.tags.transpose(0, 1)).T, best.log_probs)
            True
        """
        check_tags(tags, self._raw.mask, self._raw.emissions.shape[2])
        if tags.dim() == 2:
            return self._engine.log_prob(self, tags).to(self.dtype)
        return log_prob_from(self._score(tags), self._log_partition()).to(self.dtype)

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

    def token_log_probs(self, tags: Int[Tensor, "B L"]) -> Float[Tensor, "B L"]:
        """log p(y_t | y_1 … y_(t-1), x) of each token, in nats: they add up to `log_prob`.

            log p(y_t | y_(t-1), x) = T(y_(t-1), y_t) + e_t(y_t) + β_t(y_t) − β_(t-1)(y_(t-1))

        Args:
            tags: [B, L]; masked cells may hold anything.

        Returns:
            [B, L]; 0 at masked cells, −∞ where the path is forbidden.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token.
        """
        p = self.potentials
        check_tags(tags, p.mask, p.emissions.shape[2])
        betas = self._betas()
        terms = score_terms(p, tags)
        tags = torch.where(p.mask, tags.long(), 0)
        relative = betas.relative.gather(2, tags[:, :, None]).squeeze(2)
        before = previous_tokens(p.mask)
        first = first_tokens(p.mask)
        # β moves on by what its maximum is less than the one before: no large numbers meet.
        offsets = betas.offsets - betas.offsets.gather(1, before)
        relative_before = relative.gather(1, before)
        log_z = torch.where(first, self._log_partition()[:, None], 0.0)
        came_from = torch.where(first, log_z - betas.offsets, relative_before - offsets)
        local = terms.start + terms.emissions + terms.transitions
        possible = p.mask & (local > NEG_INF) & (relative > NEG_INF) & (came_from > NEG_INF)
        local = torch.where(possible, local, 0.0) + torch.where(possible, relative, 0.0)
        found = local - torch.where(possible, came_from, 0.0)
        found = torch.where(possible, found, NEG_INF)
        return torch.where(p.mask, found, 0.0).to(self.dtype)

    # ------------------------------------------------------------------ marginals

    @property
    def marginals(self) -> Float[Tensor, "B L S"]:
        """p(y_t = s | x): [B, L, S] probabilities, normalised per token; 0 at masked cells.

        Source: Rabiner (1989), eq. 27; Sutton and McCallum (2012), eq. 4.9.
        """
        return self._once("marginals", lambda: self._engine.marginals(self)).to(
            self.dtype, copy=True
        )

    @property
    def pair_marginals(self) -> Float[Tensor, "B steps S S"]:
        """p(y_before = i, y_t = j | x) at [b, t-1, i, j]: [B, L-1, S, S] probabilities.

        "Before" is the chain's token before cell t. 0 at masked cells and at a chain's first token.

        Source: Rabiner (1989), eq. 37; Sutton and McCallum (2012), eq. 4.8.
        """
        p = self.potentials
        B, L, S = p.emissions.shape
        transitions = p.transitions.expand(B, max(L - 1, 0), S, S)
        pairs = recursions.pair_marginals_at(
            self._alphas().relative[:, :-1],
            transitions,
            (p.emissions + self._betas().relative)[:, 1:],
        )
        inside = (p.mask & ~first_tokens(p.mask))[:, 1:, None, None]
        return torch.where(inside, pairs, 0.0).to(self.dtype)

    @property
    def expected_counts(self) -> ExpectedCounts:
        """E_y[how often a path uses each score], y ~ p(y | x): the gradient of each chain's log Z.

            ∂ log Z / ∂ transitions(i, j) = Σ_t p(y_t = i, y_(t+1) = j | x)

        The loss −log p(tags | x) has the gradient expected − observed: learning makes them equal.

        Example:
            >>> emissions, transitions = torch.zeros(1, 3, 2), torch.zeros(2, 2)
            >>> LinearChain(emissions, transitions).expected_counts.transitions
            tensor([[[0.5000, 0.5000],
                     [0.5000, 0.5000]]])

        Source: Lafferty, McCallum and Pereira (2001), section 3; Sutton and McCallum (2012), eq.
        5.5.
        """
        counts = self._engine.expected_counts(self)
        return ExpectedCounts(*(table.to(self.dtype) for table in counts))

    @property
    def entropy(self) -> Float[Tensor, " B"]:
        """H(p) = −Σ_y p(y | x) log p(y | x): [B], nats; 0 where no path is allowed.

        Source: Hernando, Crespi and Cybenko (2005).
        """
        return self._expected(self, information.surprise_under_q)

    def cross_entropy(self, other: "LinearChain") -> Float[Tensor, " B"]:
        """−Σ_y p(y) log q(y), p this chain and q the other: [B], nats.

        Args:
            other: A chain over the same cells, tags and mask.

        Returns:
            [B]; +∞ where this chain allows a path that the other forbids, 0 where it allows none.

        Raises:
            TypeError: `other` is not a LinearChain.
            ValueError: Its shape, device or mask differs.
        """
        return self._expected(other, information.surprise_under_q)

    def kl(self, other: "LinearChain") -> Float[Tensor, " B"]:
        """KL(p‖q) = Σ_y p(y) log (p(y) / q(y)), p this chain and q the other: [B], nats.

        Args:
            other: A chain over the same cells, tags and mask.

        Returns:
            [B]; +∞ where this chain allows a path that the other forbids, 0 where it allows none.

        Raises:
            TypeError: `other` is not a LinearChain.
            ValueError: Its shape, device or mask differs.
        """
        return self._expected(other, information.log_ratio)

    def _expected(self, other: "LinearChain", local: information.Local) -> Tensor:
        check_comparable(self._raw, other)
        dtype = torch.promote_types(self.dtype, other.dtype)
        return self._engine.expectation(self, other, local).to(dtype)

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
        check_allowed(allowed, emissions)
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
        log_part, log_whole = self.restrict(allowed)._log_partition(), self._log_partition()
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
        tags, scores, known = self._engine.best_paths(self, store_backpointers)
        tables = (
            partial(self._tables_of, *known)
            if known
            else partial(self._viterbi_tables, store_backpointers)
        )
        if self._may_need_gradient():
            scores = self._with_gradient(scores, tags)
        return ViterbiResult(tags, scores.to(self.dtype), tables)

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
        if self._may_need_gradient():
            scores = self._with_gradient(scores.T, tags.transpose(0, 1)).T

        def log_probs() -> Tensor:
            return log_prob_from(scores.T, self._log_partition()).T.to(self.dtype)

        return TopK(tags, scores.to(self.dtype), valid, log_probs)

    def _with_gradient(self, scores: Tensor, tags: Tensor) -> Tensor:
        """The scores of the paths, differentiable."""
        return torch.where(scores > NEG_INF, self._score(tags.clamp(min=0)), scores)

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
            if modes.exporting():
                return _recursions().sample(self.potentials, n, generator)
            return sampling.sample(self.potentials, self._alphas(), n, generator)

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


def _with_defaults(raw: Potentials) -> Potentials:
    """With what was not given; a mask as truth values, [B, S, S] transitions at every step."""
    emissions, transitions, start, end, mask = raw
    if not isinstance(emissions, Tensor) or emissions.is_nested or emissions.dim() != 3:
        return raw
    B, L, S = emissions.shape
    start = emissions.new_zeros(S) if start is None else start
    end = emissions.new_zeros(S) if end is None else end
    mask = as_mask(mask)
    if isinstance(transitions, Tensor) and transitions.shape[-2:] == (S, S):
        transitions = _of_each_step(transitions, B, max(L - 1, 0))
    if mask is None:
        mask = torch.ones((B, L), dtype=torch.bool, device=emissions.device)
    return Potentials(emissions, transitions, start, end, mask)


def _recursions() -> Any:
    """Forward and backward: as Python's loops, or as one loop of the graph that is exported."""
    if modes.exporting():
        from . import loops

        return loops
    return recursions


def _of_each_step(transitions: Tensor, B: int, steps: int) -> Tensor:
    """[B, S, S], [1, L-1, S, S] and [B, 1, S, S] as [B, L-1, S, S]; others as they are."""
    if transitions.dim() == 3 and len(transitions) == B:
        if B == steps > 1 and not modes.compiling():
            raise ValueError(
                f"transitions: expected [S, S] or four axes, got {list(transitions.shape)}, which "
                f"may be one table for each of the {B} chains or of the {steps} steps; give "
                f"[{B}, 1, S, S] for the chains, [1, {steps}, S, S] for the steps"
            )
        transitions = transitions[:, None]
    if transitions.dim() == 4 and transitions.shape[0] in (1, B):
        if transitions.shape[1] in (1, steps):
            return transitions.expand(B, steps, -1, -1)
    return transitions


def _result_dtype(potentials: Potentials) -> torch.dtype:
    """The scores' common precision, at least float32."""
    dtype = torch.float32
    for scores in potentials[:4]:
        dtype = torch.promote_types(dtype, scores.dtype)
    return dtype
