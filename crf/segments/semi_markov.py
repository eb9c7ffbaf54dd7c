"""Semi-Markov CRFs: the distribution over segmentations, each segment with a label and a length.

    score(x, s) = start[y_1] + Σ_k inside(k) + Σ_k transitions[y_k, y_(k+1)] + end[y_K]
    inside(k) = durations[y_k, length_k − 1] + Σ_(t in segment k) emissions[t, y_k]

Every segmentation is one path of a `LinearChain` whose states say how many tokens of the segment
are left. So its engines compute, and each query here only translates between the two.

Source: Sarawagi and Cohen (2004), "Semi-Markov conditional random fields for information
extraction", NIPS.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..chain import LinearChain
from ..core.potentials import NEG_INF, first_tokens
from ..core.shapes import Bool, Float, Int
from ..core.validation import (
    check_same_device,
    check_scores,
    check_tags,
    check_truths,
    checks_values,
)


class Segmentation(NamedTuple):
    """Labelled segments, cell by cell; K is the k of `topk`, n that of `sample`.

    Attributes:
        labels: [B, L] or [B, K, L] or [n, B, L] the label of each token's segment; −1 at masked
            cells, and where no segmentation is allowed.
        begins: bool of the same shape: True at the first token of each segment.
        scores: [B] or [B, K] or [n, B] their scores; −∞ where no segmentation is allowed.
    """

    labels: Tensor
    begins: Tensor
    scores: Tensor


class SemiMarkov:
    """A batch of semi-Markov CRFs p(segmentation | x).

    In all shapes B is the number of sequences in the batch, L the padded length, S the number of
    labels, and D the length of the longest segment. Scores are log-potentials, as in `LinearChain`:
    any real number, or −∞ for "forbidden". To fix a label, a border or a length, forbid the others.

    - Sums over all segmentations: `log_partition`, `marginals`, `segment_marginals`, `entropy`,
      `cross_entropy`, `kl`
    - Given segmentations: `score`, `log_prob`
    - Decoding and sampling: `viterbi`, `topk`, `sample`

    Each is exact and differentiable. The kernels take time O(L S² D), because they sum over allowed
    states alone; plain code takes O(L S² D²). All other queries are those of `chain`.

    Args:
        emissions: [B, L, S] score of a token in a segment with label s.
        transitions: [S, S] score of a segment with label j after one with label i, or another shape
            that `LinearChain` takes. −∞ on the diagonal makes neighbours differ in their labels.
        durations: [S, D] score of a segment with label s and length d + 1; or [B, L, S, D], where
            the score may depend on the cell at which the segment begins.
        start: [S] score of the first segment's label. Default 0.
        end: [S] score of the last segment's label. Default 0.
        mask: [B, L] bool, any pattern; lengths count the tokens that it keeps. Default all True.
        backend: The code that computes; see `crf.engines`.

    Attributes:
        chain: The `LinearChain` over S · (2D − 1) states: for each label, the D lengths of a
            segment that begins, and then the D − 1 numbers of tokens that are left inside one.

    Raises:
        TypeError: The scores are not floating-point, or the mask is neither bool nor integer.
        ValueError: A shape, device or value does not fit; the message says which and what to do.

    Example:
        >>> from crf import SemiMarkov
        >>> emissions = torch.tensor([[[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 0.0]]])
        >>> durations = torch.tensor([[0.0, 0.5], [-9.0, 0.0]])  # label 1 is rarely one token long
        >>> segments = SemiMarkov(emissions, torch.zeros(2, 2), durations)
        >>> best = segments.viterbi()
        >>> best.labels, best.begins.int()
        (tensor([[1, 1, 0, 0]]), tensor([[1, 0, 1, 0]], dtype=torch.int32))
        >>> segments.log_prob(best.labels, best.begins).exp()
        tensor([0.2321])
    """

    def __init__(
        self,
        emissions: Float[Tensor, "B L S"],
        transitions: Tensor,
        durations: Tensor,
        start: Float[Tensor, " S"] | None = None,
        end: Float[Tensor, " S"] | None = None,
        mask: Bool[Tensor, "B L"] | None = None,
        *,
        backend: str = "auto",
    ) -> None:
        tokens = LinearChain(emissions, transitions, start, end, mask, backend=backend)._raw
        emissions, transitions, first_label, last_label, mask = tokens  # checked, none is missing
        B, L, S = emissions.shape
        check_scores("durations", durations, [(S, "D"), (B, L, S, "D")])
        check_same_device("durations", durations, emissions.device)
        self.mask, self._S, self._D = mask, S, durations.shape[-1]
        self._check_durations(durations)
        label, left, begins = self._states()
        scores = torch.where(begins, durations[..., label, left - 1], 0.0)
        ends = left == 1
        inside = ~begins & (label == label[:, None]) & (left == left[:, None] - 1)
        steps = torch.where(
            ends[:, None] & begins, transitions[..., label[:, None], label], NEG_INF
        )
        self.chain = LinearChain(
            emissions[:, :, label] + scores,
            torch.where(inside, 0.0, steps),
            torch.where(begins, first_label[label], NEG_INF),
            torch.where(ends, last_label[label], NEG_INF),
            mask,
            backend=backend,
        )

    def _check_durations(self, durations: Tensor) -> None:
        if self._D == 0:
            raise ValueError(
                f"durations: expected at least one length, got shape {list(durations.shape)}; "
                "the last axis has one score per length, from 1 on"
            )
        used = durations if durations.dim() == 2 else durations[self.mask]
        if checks_values() and not bool((used < torch.inf).all()):
            raise ValueError(
                "durations: expected real numbers or -inf (forbidden), got nan or inf; replace it"
            )

    def _states(self) -> tuple[Tensor, Tensor, Tensor]:
        """Of each state: its label, the tokens that are left (its own included), if it begins."""
        D, S, device = self._D, self._S, self.mask.device
        lengths = torch.arange(1, D + 1, device=device)
        left = torch.cat([lengths, lengths[:-1]]).repeat(S)
        begins = (torch.arange(2 * D - 1, device=device) < D).repeat(S)
        return torch.arange(S, device=device).repeat_interleave(2 * D - 1), left, begins

    def __repr__(self) -> str:
        B, L = self.mask.shape
        return f"SemiMarkov(batch={B}, length={L}, labels={self._S}, durations={self._D})"

    def __len__(self) -> int:
        """Return B, the number of sequences."""
        return len(self.mask)

    # ------------------------------------------------------------------ all segmentations

    @property
    def log_partition(self) -> Float[Tensor, " B"]:
        """Log-partition function log Z = log Σ_s exp(score(x, s)), [B], in nats.

        0 for a sequence without tokens, −∞ where no segmentation is allowed.
        """
        return self.chain.log_partition

    @property
    def marginals(self) -> Float[Tensor, "B L S"]:
        """Probability that a token is in a segment with label s, [B, L, S]; 0 at masked cells."""
        return self.chain.marginals.unflatten(2, (self._S, -1)).sum(-1)

    @property
    def segment_marginals(self) -> Float[Tensor, "B L S D"]:
        """Probability of each segment, [B, L, S, D]; 0 at masked cells.

        The entry [b, t, s, d] is the probability of a segment that begins at position t, has label
        s, and is d + 1 tokens long. It is the gradient of log Z with respect to its score.

        Example:
            >>> from crf import SemiMarkov
            >>> segments = SemiMarkov(torch.zeros(1, 2, 1), torch.zeros(1, 1), torch.zeros(1, 2))
            >>> segments.segment_marginals[0, :, 0]  # one segment of two tokens, or two of one
            tensor([[0.5000, 0.5000],
                    [0.5000, 0.0000]])
        """
        return self.chain.marginals.unflatten(2, (self._S, -1))[..., : self._D]

    @property
    def entropy(self) -> Float[Tensor, " B"]:
        """Entropy of each distribution over segmentations, [B], in nats."""
        return self.chain.entropy

    def cross_entropy(self, other: "SemiMarkov") -> Float[Tensor, " B"]:
        """Cross-entropy −Σ_s p(s) log q(s) of p, which is this one, and another q, [B], in nats.

        Args:
            other: q, over the same cells, labels and lengths; see `LinearChain.cross_entropy`.
        """
        return self.chain.cross_entropy(other.chain)

    def kl(self, other: "SemiMarkov") -> Float[Tensor, " B"]:
        """KL divergence Σ_s p(s) log (p(s) / q(s)) of p, which is this one, from q, [B], in nats.

        Args:
            other: q, over the same cells, labels and lengths; see `LinearChain.kl`.
        """
        return self.chain.kl(other.chain)

    # ------------------------------------------------------------------ given segmentations

    def score(
        self, labels: Int[Tensor, "*n B L"], begins: Bool[Tensor, "*n B L"] | None = None
    ) -> Float[Tensor, "*n B"]:
        """Score of each segmentation, [B] (or [n, B]); −∞ for a forbidden one.

        Args:
            labels: [B, L] (or [n, B, L]) label of each token; values at masked cells are ignored.
            begins: bool of the same shape, True at the first token of each segment. Default: a
                segment begins where the label changes.

        Raises:
            TypeError: The labels are not integers, or `begins` is not bool.
            ValueError: Wrong shape, a label out of range, a label that changes inside a segment, or
                a segment of more than D tokens (the message says where).
        """
        return self.chain.score(self._path(labels, begins))

    def log_prob(
        self, labels: Int[Tensor, "*n B L"], begins: Bool[Tensor, "*n B L"] | None = None
    ) -> Float[Tensor, "*n B"]:
        """Log-probability of each segmentation, score − log Z, [B] (or [n, B]), in nats.

        To learn, minimise `-segments.log_prob(labels, begins).mean()`.

        Args:
            labels: As in `score`.
            begins: As in `score`.
        """
        return self.chain.log_prob(self._path(labels, begins))

    def _path(self, labels: Tensor, begins: Tensor | None) -> Tensor:
        """The state of each token."""
        check_tags(labels, self.mask, self._S, name="labels")
        order = self.mask.cumsum(1).expand(labels.shape)  # 1, 2, … at the tokens
        before = torch.where(self.mask, order, 0).cummax(-1).indices.roll(1, -1)
        changes = first_tokens(self.mask) | (labels != labels.gather(-1, before))
        if begins is None:
            begins = changes
        check_truths("begins", begins, labels.shape, labels.device)
        begins = self.mask & begins
        far = labels.shape[-1] + 1
        after = pad(torch.where(begins, order, far), (0, 1), value=far).flip(-1).cummin(-1).values
        left = torch.minimum(after.flip(-1)[..., 1:], self.mask.sum(1, keepdim=True) + 1) - order
        if checks_values():
            self._refuse(self.mask & changes & ~begins, "begins", "True where the label changes")
            self._refuse(self.mask & (left > self._D), "labels", f"at most {self._D} tokens long")
        D = self._D
        state = labels.long() * (2 * D - 1) + torch.where(begins, left - 1, D + left - 1)
        return torch.where(self.mask, state, 0)

    @staticmethod
    def _refuse(bad: Tensor, name: str, expected: str) -> None:
        if bad.any():
            index = torch.nonzero(bad)[0].tolist()
            raise ValueError(
                f"{name}: expected segments {expected}, got another at index {index}; begin a "
                "segment there, or correct the labels"
            )

    # ------------------------------------------------------------------ decoding and sampling

    def viterbi(self) -> Segmentation:
        """Find the most probable segmentation of each sequence; only `scores` has a gradient."""
        best = self.chain.viterbi(store_backpointers=False)
        return self._segmentation(best.tags, best.scores)

    def topk(self, k: int) -> Segmentation:
        """Return the k best segmentations, each once: labels and begins [B, k, L], scores [B, k].

        Args:
            k: Their number, at least 1; a sequence may have fewer, with scores of −∞ after them.
        """
        best = self.chain.topk(k)
        return self._segmentation(best.tags, best.scores)

    def sample(self, n: int, generator: torch.Generator | None = None) -> Segmentation:
        """Draw n independent segmentations: labels and begins [n, B, L], scores [n, B].

        Args:
            n: Their number for each sequence.
            generator: Source of the randomness, on the device of the scores; None for torch's own.
        """
        paths = self.chain.sample(n, generator)
        return self._segmentation(paths, self.chain.score(paths))

    def _segmentation(self, path: Tensor, scores: Tensor) -> Segmentation:
        label, _, begins = self._states()
        some = path >= 0
        return Segmentation(torch.where(some, label[path], -1), some & begins[path], scores)
