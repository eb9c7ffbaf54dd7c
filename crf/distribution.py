"""The distribution p(y | x) of a batch of chains: queries that sum over all tag sequences.

    p(y | x) = (1 / Z(x)) ∏_t ψ(y_t, x, t) ∏_t ψ(y_t, y_(t+1)),    log ψ = the scores given here

Each query is one short method over a recursion. `crf.chain` adds the queries about some paths.
"""

import torch
from torch import Tensor

from . import engines
from .core import recursions, torch_tracing, validation
from .core.potentials import NEG_INF, Potentials, clean, first_tokens
from .core.results import ExpectedCounts
from .core.scoring import log_prob_from, path_scores
from .core.shapes import Bool, Float, Int
from .core.validation import (
    all_can_be_added,
    as_mask,
    assert_values,
    check_comparable,
    check_potentials,
    check_tags,
    check_values,
    checks_values,
)
from .queries import information, tokens


class Distribution:
    """The base of `crf.LinearChain`, with the queries that sum over all tag sequences."""

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
        quick = engines.fits(backend, raw)
        if not quick:
            check_potentials(raw)
        self._raw = raw = raw.in_one_precision()
        self.dtype = raw.emissions.dtype
        self.backend = backend
        self._chains = engines.Chains(raw, backend, quick)
        self._validate = validate
        if validate and torch_tracing.compiling():
            assert_values(clean(raw))
        if validate and (quick or checks_values()):
            valid = (engines.kernels if quick else validation).all_below_infinity(raw)
            if self.dtype is torch.float64:
                valid = valid and all_can_be_added(raw[:4])
            if not valid:  # look again without masked cells, because they may hold anything
                with torch.no_grad():
                    check_values(clean(raw))

    def __repr__(self) -> str:
        B, L, S = self._raw.emissions.shape
        return f"LinearChain(batch={B}, length={L}, tags={S}, dtype={self.dtype})"

    @property
    def mask(self) -> Bool[Tensor, "B L"]:
        """Mask of the cells that are tokens of the chain, [B, L] bool."""
        return self._raw.mask

    def __len__(self) -> int:
        """Return B, the number of chains."""
        return len(self._raw.mask)

    @property
    def potentials(self) -> Potentials:
        """Scores in working precision (float64 where the device has it), 0 outside the chain.

        Queries compute with these scores and round their results to `dtype` at the end.
        """
        return self._chains.potentials

    @property
    def _engine(self) -> engines.Plain:
        return self._chains.engine

    # ------------------------------------------------------------------ evaluation

    @property
    def log_partition(self) -> Float[Tensor, " B"]:
        """Log-partition function log Z = log Σ_y exp(score(x, y)) of each chain, [B], in nats.

        0 for a chain without tokens, −∞ where no path is allowed. Its gradient with respect to the
        emissions is the marginals.

        Source: Sutton and McCallum (2012), eq. 4.5.
        """
        cached = self._chains.log_partition()  # a copy, so that nobody can change it
        return cached.to(self.dtype, copy=True)

    @property
    def feasible(self) -> Bool[Tensor, " B"]:
        """Whether a path is allowed at all: [B] bool. A chain without tokens has the empty path."""
        return self._chains.log_partition().detach() > NEG_INF

    @property
    def log_alphas(self) -> Float[Tensor, "B L S"]:
        """Forward messages log α_t(s) in log space, [B, L, S].

        log α_t(s) is the logsumexp of the scores of all prefixes that end in tag s at token t. In
        state form it includes `start` and the emission at t, and leaves out `end`. It is not a
        probability, because it ignores all later tokens. 0 at masked cells.

        Source: Rabiner (1989), eq. 20.
        """
        return self._absolute(self._chains.alphas())

    @property
    def log_betas(self) -> Float[Tensor, "B L S"]:
        """Backward messages log β_t(s) in log space, [B, L, S].

        log β_t(s) is the logsumexp of the scores of all suffixes that follow tag s at token t. In
        state form it includes `end`, and leaves out `start` and the emission at t. 0 at masked
        cells.

        Source: Rabiner (1989), eq. 25.
        """
        return self._absolute(self._chains.betas())

    def _absolute(self, columns: recursions.Columns) -> Tensor:
        values = columns.relative + columns.offsets[:, :, None]
        return torch.where(self._raw.mask[:, :, None], values, 0.0).to(self.dtype)

    def score(self, tags: Int[Tensor, "*n B L"]) -> Float[Tensor, "*n B"]:
        """Sum of start, emission, transition and end scores along each path.

        Args:
            tags: [B, L] (or [n, B, L], as `sample` returns); values at masked cells are ignored.

        Returns:
            [B] (or [n, B]) log-score; −∞ for a forbidden path, 0 for a chain without tokens.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).

        Example:
            >>> from crf import LinearChain
            >>> emissions = torch.tensor([[[2.0, 0.0], [0.0, 1.0]]])
            >>> chain = LinearChain(emissions, torch.tensor([[0.0, 0.5], [0.0, 0.0]]))
            >>> chain.score(torch.tensor([[0, 1]]))  # 2 + 0.5 + 1
            tensor([3.5000])
        """
        self._check_tags(tags)
        return self._score(tags).to(self.dtype)

    def _check_tags(self, tags: Tensor) -> None:
        check_tags(tags, self._raw.mask, self._raw.emissions.shape[2])
        if self._validate and torch_tracing.compiling():
            assert_values(self._raw, tags)

    def _score(self, tags: Tensor) -> Tensor:
        return path_scores(self.potentials, tags)

    def log_prob(self, tags: Int[Tensor, "*n B L"]) -> Float[Tensor, "*n B"]:
        """Log-probability of each path, log p(y | x) = score − log Z, in nats.

        Args:
            tags: [B, L]; or [n, B, L], n paths of each chain, as `sample` returns them. Values at
                masked cells are ignored. The paths of `topk` are [B, k, L]; use its `log_probs`, or
                pass `best.tags.transpose(0, 1)` here, which gives [k, B].

        Returns:
            [B] (or [n, B]) log-probability, −∞ for a forbidden path or an infeasible chain.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token (the message says where).

        Example:
            >>> from crf import LinearChain
            >>> emissions = torch.tensor([[[3.0, 1.0], [1.0, 1.0]]]).log()
            >>> chain = LinearChain(emissions, torch.zeros(2, 2))  # 4 paths with weights 3, 3, 1, 1
            >>> chain.log_prob(torch.tensor([[0, 1]])).exp()
            tensor([0.3750])
            >>> best = chain.topk(2)
            >>> torch.equal(chain.log_prob(best.tags.transpose(0, 1)).T, best.log_probs)
            True
        """
        self._check_tags(tags)
        if tags.dim() == 2:
            return self._engine.log_prob(self._chains, tags).to(self.dtype)
        return log_prob_from(self._score(tags), self._chains.log_partition()).to(self.dtype)

    def token_log_probs(self, tags: Int[Tensor, "B L"]) -> Float[Tensor, "B L"]:
        """Log-probability of each tag given the tags before it; they sum to `log_prob`.

            log p(y_t | y_1 … y_(t-1), x), in nats

        Args:
            tags: [B, L]; values at masked cells are ignored.

        Returns:
            [B, L]; 0 at masked cells, −∞ where the path is forbidden.

        Raises:
            TypeError: The tags are not integers.
            ValueError: Wrong shape, or a tag out of range at a token.

        Example:
            >>> from crf import LinearChain
            >>> emissions = torch.tensor([[[3.0, 1.0], [1.0, 1.0]]]).log()
            >>> chain = LinearChain(emissions, torch.zeros(2, 2))
            >>> chain.token_log_probs(torch.tensor([[0, 1]])).exp()
            tensor([[0.7500, 0.5000]])
        """
        self._check_tags(tags)
        return tokens.log_probs(self.potentials, tags).to(self.dtype)

    # ------------------------------------------------------------------ marginals

    @property
    def marginals(self) -> Float[Tensor, "B L S"]:
        """Marginal probability p(y_t = s | x) of each tag at each token, [B, L, S].

        The probabilities of a token sum to 1; they are 0 at masked cells, and everywhere in a chain
        that allows no path.

        Example:
            >>> from crf import LinearChain
            >>> emissions = torch.tensor([[[3.0, 1.0], [1.0, 1.0]]]).log()
            >>> chain = LinearChain(emissions, torch.zeros(2, 2))
            >>> chain.marginals
            tensor([[[0.7500, 0.2500],
                     [0.5000, 0.5000]]])

        Source: Rabiner (1989), eq. 27; Sutton and McCallum (2012), eq. 4.9.
        """
        marginals = self._chains.once("marginals", lambda: self._engine.marginals(self._chains))
        return marginals.to(self.dtype, copy=True)

    @property
    def pair_marginals(self) -> Float[Tensor, "B steps S S"]:
        """Joint marginal probabilities of neighbouring tags, [B, L-1, S, S].

        The entry [b, t-1, i, j] is the probability that position t has tag j and the chain's token
        before it has tag i. It is 0 where cell t is masked or the chain's first token.

        Example:
            >>> from crf import LinearChain
            >>> emissions = torch.tensor([[[3.0, 1.0], [1.0, 1.0]]]).log()
            >>> chain = LinearChain(emissions, torch.zeros(2, 2))
            >>> chain.pair_marginals
            tensor([[[[0.3750, 0.3750],
                      [0.1250, 0.1250]]]])

        Source: Rabiner (1989), eq. 37; Sutton and McCallum (2012), eq. 4.8.
        """
        p = self.potentials
        B, L, S = p.emissions.shape
        transitions = p.transitions.expand(B, max(L - 1, 0), S, S)
        pairs = recursions.pair_marginals_at(
            self._chains.alphas().relative[:, :-1],
            transitions,
            (p.emissions + self._chains.betas().relative)[:, 1:],
        )
        inside = (p.mask & ~first_tokens(p.mask))[:, 1:, None, None]
        return torch.where(inside, pairs, 0.0).to(self.dtype)

    @property
    def expected_counts(self) -> ExpectedCounts:
        """Expected number of uses of each score, which is the gradient of log Z.

            ∂ log Z / ∂ transitions(i, j) = Σ_t p(y_t = i, y_(t+1) = j | x)

        The gradient of the loss −log p(tags | x) is expected minus observed counts, so learning
        makes the expected counts equal the observed ones.

        Example:
            >>> from crf import LinearChain
            >>> emissions, transitions = torch.zeros(1, 3, 2), torch.zeros(2, 2)
            >>> LinearChain(emissions, transitions).expected_counts.transitions
            tensor([[[0.5000, 0.5000],
                     [0.5000, 0.5000]]])

        Source: Lafferty, McCallum and Pereira (2001), section 3; Sutton and McCallum (2012), eq.
        5.5.
        """
        counts = self._engine.expected_counts(self._chains)
        return ExpectedCounts(*(table.to(self.dtype) for table in counts))

    @property
    def entropy(self) -> Float[Tensor, " B"]:
        """Entropy H(p) = −Σ_y p(y | x) log p(y | x) of each distribution over paths, [B], in nats.

        0 where no path is allowed.

        Example:
            >>> from crf import LinearChain
            >>> LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2)).entropy  # log of 4 paths
            tensor([1.3863])

        Source: Hernando, Crespi and Cybenko (2005).
        """
        return self._expected(self, information.surprise_under_q)

    def cross_entropy(self, other: "Distribution") -> Float[Tensor, " B"]:
        """Cross-entropy −Σ_y p(y) log q(y) of this chain p and another chain q, [B], in nats.

        Args:
            other: The chain q, over the same cells, tags and mask.

        Returns:
            [B]; +∞ where p allows a path that q forbids, 0 where p allows none.

        Raises:
            TypeError: `other` is not a LinearChain.
            ValueError: Its shape, device or mask differs.

        Example:
            >>> from crf import LinearChain
            >>> chain = LinearChain(torch.tensor([[[3.0, 1.0]]]).log(), torch.zeros(2, 2))
            >>> uniform = LinearChain(torch.zeros(1, 1, 2), torch.zeros(2, 2))
            >>> chain.cross_entropy(uniform)
            tensor([0.6931])
        """
        return self._expected(other, information.surprise_under_q)

    def kl(self, other: "Distribution") -> Float[Tensor, " B"]:
        """KL divergence KL(p‖q) = Σ_y p(y) log (p(y) / q(y)) of this chain p from q, [B], in nats.

        Args:
            other: The chain q, over the same cells, tags and mask.

        Returns:
            [B]; +∞ where p allows a path that q forbids, 0 where p allows none.

        Raises:
            TypeError: `other` is not a LinearChain.
            ValueError: Its shape, device or mask differs.

        Example:
            >>> from crf import LinearChain
            >>> chain = LinearChain(torch.tensor([[[3.0, 1.0]]]).log(), torch.zeros(2, 2))
            >>> uniform = LinearChain(torch.zeros(1, 1, 2), torch.zeros(2, 2))
            >>> chain.kl(uniform)
            tensor([0.1308])
        """
        return self._expected(other, information.log_ratio)

    def _expected(self, other: "Distribution", local: information.Local) -> Tensor:
        check_comparable(self._raw, other)
        dtype = torch.promote_types(self.dtype, other.dtype)
        return self._engine.expectation(self._chains, other._chains, local).to(dtype)


def _with_defaults(raw: Potentials) -> Potentials:
    """Fill in missing arguments; make the mask bool, and transitions equal at every step."""
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


def _of_each_step(transitions: Tensor, B: int, steps: int) -> Tensor:
    """[B, S, S] as [B, 1, S, S], [1, L-1, S, S] as [B, L-1, S, S]; others as they are."""
    if transitions.dim() == 3 and len(transitions) == B:
        if B == steps > 1 and not torch_tracing.compiling():
            raise ValueError(
                f"transitions: expected [S, S] or four axes, got {list(transitions.shape)}, which "
                f"may be one table for each of the {B} chains or of the {steps} steps; give "
                f"[{B}, 1, S, S] for the chains, [1, {steps}, S, S] for the steps"
            )
        transitions = transitions[:, None]
    if transitions.dim() == 4 and transitions.shape[0] in (1, B):
        if transitions.shape[1] in (1, steps):
            return transitions.expand(B, -1, -1, -1)
    return transitions
