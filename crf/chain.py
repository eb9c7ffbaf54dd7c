"""The distribution p(y | x) over tag sequences, with its best paths, samples and restrictions.

    p(y | x) = (1 / Z(x)) ∏_t ψ(y_t, x, t) ∏_t ψ(y_t, y_(t+1)),    log ψ = the scores given here

Each query is one short method over a recursion. The queries about some of the paths are here: best
paths, samples, and chains with fewer paths. The queries that sum over all paths are in
`crf.distribution`.

Source: Lafferty, McCallum and Pereira (2001), "Conditional random fields: probabilistic models for
segmenting and labeling sequence data", ICML.
"""

import operator
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from .constraints import Allowed, as_positions, check_labels
from .core import decoding, torch_tracing
from .core.differentiable import answer, plain_derivatives
from .core.potentials import NEG_INF, Potentials, clean
from .core.results import TopK, ViterbiResult
from .core.scoring import log_prob_from, path_scores
from .core.shapes import Float, Int
from .core.validation import (
    check_count,
    check_names,
    check_paths,
    check_table,
    check_tags,
    checks_values,
)
from .distribution import Distribution
from .queries.entities import Entity, Labels, RowScores, entities_of

LONGEST_SHOWN, MOST_TAGS_SHOWN = 40, 30  # a notebook draws chains up to this size


class LinearChain(Distribution):
    """A batch of linear-chain CRF distributions p(y | x) over tag sequences.

    In all shapes B is the number of chains in the batch, L the padded length, and
    S the number of tags. A chain's tokens are the cells of its row that the mask keeps.

    All scores are log-potentials: any real number, or −∞ for "forbidden". They need not be
    normalised. Results have the scores' common precision, at least float32, so half-precision
    scores give results in float32. No argument is mutated.

    - Sums over all paths: `log_partition`, `log_alphas`, `log_betas`, `marginals`,
      `pair_marginals`, `expected_counts`, `entropy`, `cross_entropy`, `kl`, `feasible`
    - Given paths: `score`, `log_prob`, `token_log_probs`, `partial_log_prob`, `span_log_prob`
    - Names with their probabilities: `entities`
    - Decoding: `viterbi`, `topk`, `greedy`, `greedy_left_to_right`, `posterior_decode`
    - Sampling and chains with fewer paths: `sample`, `clamp`, `restrict`

    Args:
        emissions: [B, L, S] score of tag s at position t.
        transitions: [S, S] score of going from row i to column j, the same at every step; or
            [B, S, S], the same at every step of a chain; or [B, L-1, S, S], where
            `transitions[b, t-1]` leads into position t from the chain's token before it. Where the
            chains, or the steps, share a table, the size may be 1: [1, L-1, S, S], [B, 1, S, S].
        start: [S] score of the first tag. Default 0.
        end: [S] score of the last tag. Default 0.
        mask: [B, L] bool (or integers 0 and 1), any pattern; cells with False are not in the
            chain, and their scores are ignored. Default all True.
        validate: Check values; refuse nan and +∞ (costs a pass, and a synchronisation on a
            GPU). Types and shapes are always checked.
        backend: The code that computes; see `crf.engines`.

    Raises:
        TypeError: The scores are not floating-point, or the mask is neither bool nor integer.
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
        """Draw the flow of a small chain at the end of a notebook's cell."""
        B, L, S = self._raw.emissions.shape
        small = B == 1 and 0 < L <= LONGEST_SHOWN and S <= MOST_TAGS_SHOWN
        if not small or self._raw.emissions.is_meta or not self.feasible[0] or not self.mask.any():
            return {"text/plain": repr(self)}
        from .figures import flow  # imported here because other methods need no figure

        return flow(self)._repr_mimebundle_(**formats)

    def __getitem__(self, chosen: Any) -> "LinearChain":
        """Select chains by an index, a slice, a list of indices or a mask over the batch.

        Example:
            >>> chain = LinearChain(torch.zeros(3, 2, 4), torch.zeros(4, 4))
            >>> chain[0], chain[1:]
            (LinearChain(batch=1, length=2, tags=4, dtype=torch.float32),
             LinearChain(batch=2, length=2, tags=4, dtype=torch.float32))
        """
        if not isinstance(chosen, slice | list) and not getattr(chosen, "ndim", 0):
            B, chosen = len(self), operator.index(chosen)
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
        """Return the same chains on another device, or with scores of another precision.

        Args:
            device: Target device; None keeps the current one.
            dtype: Floating-point precision of the scores; None keeps the current one.
        """
        scores = (x.to(device=device, dtype=dtype) for x in self._raw[:4])
        return self._like(*scores, self._raw.mask.to(device))

    def _like(self, *potentials: Tensor) -> "LinearChain":
        """A chain with these scores, which need no validation."""
        return LinearChain(*potentials, validate=False, backend=self.backend)

    # ------------------------------------------------------------------ parts of the paths

    def span_log_prob(
        self,
        start: int | Int[Tensor, " B"],
        stop: int | Int[Tensor, " B"],
        tags: Int[Tensor, "B L"],
    ) -> Float[Tensor, " B"]:
        """Log-probability that a span has the given tags, whatever surrounds it, in nats.

            log p(y_t = tags_t for start ≤ t < stop | x)

        It does not say that a name ends at `stop`, because the next tag decides that; `entities`
        gives the probability of both.

        Args:
            start: The first cell of the span, one for all chains or [B].
            stop: The cell after the span's last one.
            tags: [B, L] the span's tags; values in other cells are ignored.

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

    def entities(
        self,
        labels: Sequence[str],
        scheme: str | None = None,
        threshold: float | None = None,
        *,
        paths: Int[Tensor, "B L"] | None = None,
    ) -> list[list[Entity]]:
        """Find names, each with the exact probability of this very span and type.

            p(span) = Σ p(y | x) over the paths y that have the span, neither longer nor shorter

        Args:
            labels: S names of tags, such as O, B-PER, I-PER, in the order of their indices. Labels
                in brackets, such as [PAD], are outside of names.
            scheme: IO, IOB1, BIO, BIOES, BILOU or BMES, to refuse labels of another one. All are
                read by the same rule, so None serves for each.
            threshold: From 0 to 1, to find every span of at least this probability, whether the
                best path has it or not; None for the spans of the best path alone.
            paths: [B, L] tags whose spans are found, in place of the best paths.

        Returns:
            For each chain a list of `Entity`: `kind`, `start`, `end` and `probability`, from left
            to right. Words that the mask leaves out are not counted.

        Raises:
            TypeError: The labels are not a list of strings.
            ValueError: The labels are not S of the scheme, or the threshold is not from 0 to 1.

        Example:
            >>> labels = ["O", "B-PER", "I-PER"]
            >>> emissions = torch.tensor([[[0.0, 3.0, 0.0], [0.5, 0.0, 1.0]]])
            >>> chain = LinearChain(emissions, torch.zeros(3, 3))
            >>> for kind, start, end, p in chain.entities(labels, threshold=0.3)[0]:
            ...     print(kind, start, end, f"{p:.3f}")
            PER 0 1 0.471
            PER 0 2 0.484

        Source: Culotta and McCallum (2004), "Confidence estimation for information extraction".
        """
        S = self._raw.emissions.shape[2]
        names = check_names("labels", labels)
        check_labels(names, S, scheme)
        if threshold is not None and not 0 <= threshold <= 1:
            raise ValueError(
                f"threshold: expected a probability from 0 to 1, got {threshold}; give None for "
                "the best path's names"
            )
        if paths is not None:
            check_tags(paths, self._raw.mask, S, lowest=-1, name="paths")
        elif threshold is None:
            paths = self.viterbi(store_backpointers=False).tags
        with torch.no_grad():
            whole = self.to("cpu", torch.float64)
            rows, read = whole._rows(), Labels(names or ())
            return [
                entities_of(row, read, [tag for tag in path if tag >= 0], threshold)
                for row, path in zip(rows, _paths(paths, whole.mask), strict=True)
            ]

    def _rows(self) -> Iterator[RowScores]:
        """Each chain without its masked cells."""
        p = self.potentials
        S = p.emissions.shape[2]
        totals = self.log_partition.tolist()
        for b, kept in enumerate(self.mask):
            cells = kept.nonzero().flatten()
            steps = p.transitions[b, cells[1:] - 1] if p.per_step else p.transitions
            steps = steps.expand(max(len(cells) - 1, 0), S, S)
            alphas, betas = self.log_alphas[b, cells], self.log_betas[b, cells]
            yield RowScores(p.emissions[b, cells], steps, p.start, p.end, alphas, betas, totals[b])

    def clamp(self, tags: Int[Tensor, "B L"]) -> "LinearChain":
        """Condition on known tags; −1 leaves a token free.

        p(the known tags | x) = exp(clamped.log_partition − chain.log_partition).

        Args:
            tags: [B, L]; a tag ≥ 0 is fixed, −1 is free; values at masked cells are ignored.

        Returns:
            A chain in which every other tag of a fixed token is forbidden.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).

        Example:
            >>> chain = LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2))
            >>> chain.clamp(torch.tensor([[1, -1]])).marginals
            tensor([[[0.0000, 1.0000],
                     [0.5000, 0.5000]]])
        """
        mask, S = self._raw.mask, self._raw.emissions.shape[2]
        check_tags(tags, mask, S, lowest=-1)
        other_tag = torch.arange(S, device=tags.device) != tags[:, :, None]
        forbidden = other_tag & (mask & (tags >= 0))[:, :, None]
        return self.restrict(~forbidden)

    def restrict(self, allowed: Allowed) -> "LinearChain":
        """Restrict the paths to a set of allowed tags per token; `clamp` is the case of one tag.

        Args:
            allowed: [B, L, S] bool, or another form of `Constraints.at`; values at masked cells
                are ignored.

        Returns:
            A chain in which all other tags are forbidden.

        Raises:
            TypeError: `allowed` is neither a bool tensor nor a list of sets.
            ValueError: Wrong shape, device or tag.

        Example:
            >>> chain = LinearChain(torch.zeros(1, 2, 3), torch.zeros(3, 3))  # 9 paths
            >>> allowed = torch.tensor([[[1, 1, 0], [1, 0, 0]]]).bool()  # 2 × 1 paths
            >>> chain.restrict(allowed).log_partition  # log 2
            tensor([0.6931])
        """
        emissions, transitions, start, end, mask = self._raw
        allowed = as_positions("allowed", allowed, emissions.shape[2], emissions)
        return self._like(emissions.masked_fill(~allowed, NEG_INF), transitions, start, end, mask)

    def partial_log_prob(self, allowed: Allowed) -> Float[Tensor, " B"]:
        """Log-probability that every token's tag lies in its allowed set, in nats.

            log p(allowed paths | x) = log Z(allowed paths) − log Z

        If each set has one tag, this is `log_prob`; if each set has all tags, it is 0. Maximise it
        to learn from tokens whose tag is unknown, or is known to be one of a few.

        Args:
            allowed: [B, L, S] bool, or another form of `Constraints.at`; values at masked cells
                are ignored.

        Returns:
            [B] log-probability; −∞ where no path is allowed.

        Raises:
            TypeError: `allowed` is neither a bool tensor nor a list of sets.
            ValueError: Wrong shape, device or tag.

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
        """Find the most probable path of each chain; ties go to the lowest tag index.

        Only `scores` of the result is differentiable: the tags and the tables carry no gradient.

        Args:
            store_backpointers: If False, the result has no backpointers. The backtrace computes
                each argmax again, which saves [B, L, S] memory and gives the same path.

        Returns:
            A `ViterbiResult`: the paths `tags` [B, L], their `scores` [B], and the tables
            `log_deltas` and `backpointers`, [B, L, S] each.

        Example:
            >>> emissions = torch.tensor([[[1.0, 0.0], [0.0, 0.5]]])
            >>> best = LinearChain(emissions, torch.zeros(2, 2)).viterbi()
            >>> best.tags, best.scores
            (tensor([[0, 1]]), tensor([1.5000]))

        Source: Viterbi (1967); Rabiner (1989), eqs. 32-35.
        """
        tags, scores, delta_tables = self._engine.best_paths(self._chains, store_backpointers)
        if delta_tables:
            tables = partial(self._tables_of, *delta_tables)
        else:
            tables = partial(self._viterbi_tables, store_backpointers)
        if self._chains.may_need_gradient():
            scores = self._with_gradient(scores, tags)
        if scores.dtype is not self.dtype:  # because even an idle .to() takes a microsecond
            scores = scores.to(self.dtype)
        return ViterbiResult(tags, scores, tables)

    def _viterbi_tables(self, store_backpointers: bool) -> tuple[Tensor, Tensor | None]:
        """The tables of the max recursion, for an engine that returns none."""
        with torch.no_grad():
            deltas, backpointers = decoding.viterbi_forward(self.potentials)
        return self._tables_of(deltas, backpointers if store_backpointers else None)

    def _tables_of(self, deltas: Tensor, stored: Tensor | None) -> tuple[Tensor, Tensor | None]:
        return torch.where(self._raw.mask[:, :, None], deltas, 0.0).to(self.dtype), stored

    def topk(self, k: int) -> TopK:
        """Return the k highest-scoring paths, best first and without duplicates.

        Args:
            k: Number of paths, at least 1.

        Returns:
            A `TopK`: the paths `tags` [B, k, L] with their `scores`, `log_probs` and `valid`,
            [B, k] each. The first j rows equal `topk(j)`.

        Raises:
            TypeError: k is not an int.
            ValueError: k is below 1; or k is above 1,000 and the longest chain has fewer paths; or
                the tables for k would take more than 8 GiB.

        Example:
            >>> emissions = torch.tensor([[[1.0, 0.0], [0.0, 0.5]]])
            >>> best = LinearChain(emissions, torch.zeros(2, 2)).topk(2)
            >>> best.tags, best.scores
            (tensor([[[0, 1],
                      [0, 0]]]), tensor([[1.5000, 1.0000]]))

        Source: Seshadri and Sundberg (1994).
        """
        check_count("k", k, lowest=1)
        B, L, S = self._raw.emissions.shape
        check_paths(k, self._raw.mask, S)
        check_table("k", k, B, S, max(L, S))
        tags, scores = self._engine.topk(self._chains, k)
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
        """Draw n independent paths from p(y | x).

        Args:
            n: Number of paths for each chain.
            generator: Source of the randomness, on the device of the scores; None for torch's own.

        Returns:
            Tags [n, B, L], −1 at masked cells.

        Raises:
            TypeError: n is not an int.
            ValueError: n is negative, or so large that the result would take more than 8 GiB; or a
                chain allows no path (the message names the rows).

        Example:
            >>> chain = LinearChain(torch.tensor([[[1.0, 0.0], [0.0, 0.5]]]), torch.zeros(2, 2))
            >>> paths = chain.sample(10_000, torch.Generator().manual_seed(0))  # [10000, 1, 2]
            >>> shares = (paths[..., None] == torch.arange(2)).float().mean(0)
            >>> torch.allclose(shares, chain.marginals, atol=0.02)
            True

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
        return self._engine.sample(self._chains, n, generator)

    def greedy(self) -> Int[Tensor, "B L"]:
        """Choose each token's highest-scoring emission: [B, L], −1 at masked cells.

        Transitions, start and end are ignored, so the path may be a forbidden one.
        """
        return self._masked_tags(self.potentials.emissions.argmax(-1))

    def greedy_left_to_right(self) -> Int[Tensor, "B L"]:
        """Choose tags from left to right, each the best after the one before it: [B, L].

        It uses start and transitions but cannot look ahead, so it never corrects a bad choice.
        Masked cells get −1.
        """
        with torch.no_grad():
            return decoding.greedy_left_to_right(self.potentials)

    def posterior_decode(self) -> Int[Tensor, "B L"]:
        """Choose each token's most probable tag (the path itself may be impossible).

        Returns the argmax of the marginals, [B, L], −1 at masked cells. It maximises the expected
        number of correct tags.
        """
        with torch.no_grad():
            return self._masked_tags(self.marginals.argmax(-1))

    def _masked_tags(self, tags: Tensor) -> Tensor:
        return torch.where(self._raw.mask, tags, decoding.NO_TAG)


def _of_paths(tensors: Any, grad: Tensor) -> Any:
    """The gradients of Σ grad · score over the paths: how often the paths use each score."""

    def plain(*scores: Tensor) -> Tensor:
        return path_scores(clean(Potentials(*scores)), tags.clamp(min=0))

    *raw, tags = tensors
    return *plain_derivatives(plain, raw, (tags >= 0).any(-1) * grad), None


def _paths(tags: Tensor | None, mask: Tensor) -> list[list[int]]:
    """The tags of each chain's tokens; empty lists where no path is needed."""
    if tags is None:
        return [[] for _ in mask]
    return [row[kept].tolist() for row, kept in zip(tags.cpu(), mask, strict=True)]
