"""Named spans of a sentence, each with the probability that the model gives to this very span.

A path has the span [s, e) of a type if its label at s begins one there, the labels after it
continue it, and the label at e does not. `crf.schemes.spans` reads paths by the same rule, in every
scheme. With J(i, j) for "label j continues a span from label i", and all sums in log space:

    open(s, s, j)     = e_s(j) + log Σ_(i: not J(i, j)) exp(α_(s−1)(i) + T(i, j))
    open(s, t, j)     = e_t(j) + log Σ_(i: J(i, j)) exp(open(s, t−1, i) + T(i, j))
    close(t, i)       = log Σ_(j: not J(i, j)) exp(T(i, j) + e_(t+1)(j) + β_(t+1)(j))
    p(span [s, t+1))  = Σ_i exp(open(s, t, i) + close(t, i)) / Z

START and END stand in at the ends of the sentence. `open` and β bound what longer spans can have.

Source: Culotta and McCallum (2004), "Confidence estimation for information extraction".
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..core.potentials import NEG_INF
from ..schemes import Label, spans, split


class Entity(NamedTuple):
    """A name in a sentence.

    Attributes:
        kind: Its type: PER, LOC, …; "" for labels without one.
        start: Its first word, from 0; words outside of the chain are not counted.
        end: The word after its last one.
        probability: That the sentence has this very span of this type, neither longer nor shorter.
    """

    kind: str
    start: int
    end: int
    probability: float


class RowScores(NamedTuple):
    """One chain of m tokens, in float64: its scores, and its α and β."""

    emissions: Tensor  # [m, S]
    transitions: Tensor  # [m-1, S, S]
    start: Tensor  # [S]
    end: Tensor  # [S]
    log_alphas: Tensor  # [m, S]
    log_betas: Tensor  # [m, S]
    log_partition: float


class Labels:
    """The labels of spans: their types, and which continues a span from which."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = [str(name) for name in names]
        parts = [Label("O", "") if _is_special(name) else split(name) for name in self.names]
        self.kinds = sorted({part.kind for part in parts if part.role != "O"})
        self.of_kind = torch.tensor(
            [[part.role != "O" and part.kind == kind for kind in self.kinds] for part in parts],
            dtype=torch.float64,
        ).reshape(len(parts), len(self.kinds))  # [S, K]
        self.continues = torch.tensor(
            [[i.role in "BI" and j.role in "IE" and i.kind == j.kind for j in parts] for i in parts]
        )  # [S, S]

    def read(self, tags: Sequence[int]) -> set[tuple[str, int, int]]:
        """The spans of one path."""
        names = ["O" if _is_special(self.names[tag]) else self.names[tag] for tag in tags]
        return {(span.kind, span.start, span.end) for span in spans(names)}


def _is_special(name: str) -> bool:
    """Whether the label is in brackets, as [CLS] and <pad> are."""
    return len(name) > 2 and name[0] + name[-1] in ("[]", "<>")


def entities_of(
    row: RowScores, labels: Labels, chosen: Sequence[int], threshold: float | None
) -> list[Entity]:
    """Return the spans of the chosen path, or all spans of at least this probability.

    Args:
        row: The chain.
        labels: Of its tags.
        chosen: m tags, or fewer where no path is allowed.
        threshold: None for the spans of the path.
    """
    wanted = labels.read(chosen)
    longest = max((end - start for _, start, end in wanted), default=0)
    m = len(row.emissions)
    if row.log_partition == NEG_INF or not m or not labels.kinds:
        return []
    opened, closed = _open(row, labels), _close(row, labels)
    found = []
    for length in range(1, m + 1 if threshold is not None else longest + 1):
        last = length - 1  # of the span that begins at 0
        shares = (opened + closed[last:] - row.log_partition).exp() @ labels.of_kind
        for start, of_start in enumerate(shares.tolist()):
            for kind, p in zip(labels.kinds, of_start, strict=True):
                span = kind, start, start + length
                if span in wanted if threshold is None else p > 0 and p >= threshold:
                    found.append(Entity(*span, min(p, 1.0)))
        if length == m:
            break
        bound = (opened + row.log_betas[last:] - row.log_partition).exp() @ labels.of_kind
        if threshold is not None and float(bound.max()) < max(threshold, 1e-300):
            break
        steps = row.transitions[last:].masked_fill(~labels.continues, NEG_INF)
        opened = _through(opened[:-1], steps) + row.emissions[length:]
    return sorted(found, key=lambda entity: (entity.start, entity.end, entity.kind))


def _open(row: RowScores, labels: Labels) -> Tensor:
    """[m, S] the paths that begin a span at a token, up to it."""
    others = row.transitions.masked_fill(labels.continues, NEG_INF)
    arriving = torch.cat([row.start[None], _through(row.log_alphas[:-1], others)])
    outside = labels.of_kind.sum(1) == 0
    return (arriving + row.emissions).masked_fill(outside, NEG_INF)


def _close(row: RowScores, labels: Labels) -> Tensor:
    """[m, S] the rest of the paths whose span ends at a token."""
    others = row.transitions.masked_fill(labels.continues, NEG_INF)
    after = (row.emissions + row.log_betas)[1:]
    return torch.cat([_through(after, others.transpose(1, 2)), row.end[None]])


def _through(before: Tensor, steps: Tensor) -> Tensor:
    """log Σ_i exp(before(i) + T(i, j)) at each token."""
    return torch.logsumexp(before[:, :, None] + steps, dim=1)
