"""The record of one computation: everything that the page "Tag a sentence" says about a sentence.

`analyse` runs once per (tagger, tokens, tags set by hand). Every figure, table and sentence on the
page reads the record that it returns, so no number can disagree with another.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from crf.steps import Trace
from pages.shared.figures.theme import shorten

if TYPE_CHECKING:
    from torch import Tensor

    from crf import LinearChain
    from crf.tagger.model_files import AnyTagger

FREE = -1  # in `fixed`: a token whose tag is not set by hand
MAX_TERMS = 65_000  # of a trace, S²·L: beyond, a browser would be busy for seconds
BEST = 3  # how many of the best paths the page lists


@dataclass(frozen=True)
class Tagging:
    """One tag sequence and what the model says of it."""

    tags: tuple[str, ...]  # [L] tag names
    # its score: the sum of its emissions, transitions, start and end (any real number)
    score: float
    log_prob: float  # log p(tags | sentence) in nats, without regard to tags set by hand
    log_prob_given: float  # the same, given the tags set by hand


@dataclass(frozen=True)
class Analysis:
    """What a tagger says about a sentence. L tokens, S tags; log-scores and nats."""

    tokens: tuple[str, ...]  # [L] the words
    unknown: tuple[bool, ...]  # [L] whether the tagger saw the word in training
    tags: tuple[str, ...]  # [S] the tag names, in the order of every axis of length S
    fixed: tuple[int, ...]  # [L] tag indices set by hand, −1 where free
    emissions: list[list[float]]  # [L][S] the tagger's scores, without regard to tags set by hand
    transitions: list[list[float]]  # [S][S] from row to column
    start: list[float]  # [S]
    end: list[float]  # [S]
    log_partition: float  # log Z of all S^L sequences
    log_share: float  # log probability that a sequence agrees with the tags set by hand
    best_without_hand: Tagging  # the best sequence if no tag were set by hand
    greedy: Tagging  # each token's best emission
    viterbi: Tagging  # the best sequence
    posterior: Tagging  # each token's most probable tag
    best: tuple[Tagging, ...]  # the best sequences, best first
    marginals: list[list[float]]  # [L][S] p(tag of the token), given the tags set by hand
    # [L-1][S][S] p(tags of two neighbours), given the same, from row to column
    pairs: list[list[list[float]]]
    # [L][S] what a menu offers: the marginals; of a token whose tag is set by hand, those that it
    # had if none were
    choices: list[list[float]]
    column_sums: list[float]  # [L] their sums over the tags
    entropies: list[float]  # [L] entropy of each token's tag, in nats
    entropy: float  # entropy of the whole sequence, in nats

    @property
    def is_clamped(self) -> bool:
        """Whether any tag is set by hand."""
        return any(tag != FREE for tag in self.fixed)

    @property
    def is_feasible(self) -> bool:
        """Whether any sequence is allowed: a tagger of the reader's own may forbid transitions."""
        return self.viterbi.score > float("-inf")

    @property
    def num_sequences(self) -> int:
        """S^L, how many tag sequences there are for this sentence."""
        return len(self.tags) ** len(self.tokens)

    @property
    def num_agreeing(self) -> int:
        """How many of them agree with the tags set by hand."""
        return len(self.tags) ** self.fixed.count(FREE)


def analyse(tagger: "AnyTagger", tokens: tuple[str, ...], fixed: tuple[int, ...]) -> Analysis:
    """Ask the tagger's chain for this sentence all that the page shows; of `fixed`, −1 is free."""
    import torch  # here, because the page paints before torch is loaded

    free = _free(tagger, tokens)
    scores = free.potentials
    chain = free.clamp(torch.tensor([fixed]))
    log_partition = free.log_partition.item()
    log_share = chain.log_partition.item() - log_partition
    top = chain.topk(BEST)
    decoded = (free.viterbi().tags, chain.greedy(), chain.viterbi().tags, chain.posterior_decode())
    best_without_hand, greedy, viterbi, posterior, *best = _paths(
        free, tagger.tags, torch.cat([*decoded, top.tags[0][top.valid[0]]]), log_share
    )
    marginals, unheld = chain.marginals[0], free.marginals[0].tolist()
    return Analysis(
        tokens=tokens,
        unknown=tuple(tagger.unknown(list(tokens))),
        tags=tagger.tags,
        fixed=fixed,
        emissions=scores.emissions[0].tolist(),
        transitions=scores.transitions.tolist(),
        start=scores.start.tolist(),
        end=scores.end.tolist(),
        log_partition=log_partition,
        log_share=min(log_share, 0.0),
        best_without_hand=best_without_hand,
        greedy=greedy,
        viterbi=viterbi,
        posterior=posterior,
        best=tuple(best),
        marginals=marginals.tolist(),
        pairs=chain.pair_marginals[0].tolist(),
        choices=[
            alone if tag != FREE else given
            for tag, alone, given in zip(fixed, unheld, marginals.tolist(), strict=True)
        ],
        column_sums=marginals.sum(1).tolist(),
        entropies=torch.special.entr(marginals).sum(1).tolist(),
        entropy=chain.entropy.item(),
    )


def holdable(
    tagger: "AnyTagger", tokens: tuple[str, ...], fixed: tuple[int, ...], order: Sequence[int]
) -> tuple[int, ...]:
    """The tags set by hand that leave a sequence, taken in `order`; −1 for the others."""
    import torch

    chain, kept = _free(tagger, tokens), [FREE] * len(tokens)
    for t in order:
        kept[t] = fixed[t]
        if not chain.clamp(torch.tensor([kept])).feasible.item():
            kept[t] = FREE
    return tuple(kept)


def _paths(
    free: "LinearChain", names: tuple[str, ...], paths: "Tensor", log_share: float
) -> list[Tagging]:
    """What the chain with no tag set by hand says of [K, L] paths; −1 where none is allowed."""
    allowed = (paths >= 0).all(1).tolist()
    asked = paths.clamp(min=0)[:, None]  # [K, B = 1, L]
    scores, log_probs = free.score(asked)[:, 0].tolist(), free.log_prob(asked)[:, 0].tolist()
    never = Tagging(("—",) * paths.shape[1], -math.inf, -math.inf, -math.inf)
    return [
        Tagging(tuple(names[tag] for tag in tags), score, log_prob, min(log_prob - log_share, 0.0))
        if ok
        else never
        for tags, score, log_prob, ok in zip(
            paths.tolist(), scores, log_probs, allowed, strict=True
        )
    ]


@lru_cache(maxsize=16)
def _free(tagger: "AnyTagger", tokens: tuple[str, ...]) -> "LinearChain":
    """The chain with no tag set by hand, kept: most questions are about the same sentence."""
    from crf import LinearChain

    scores = tagger.chain([list(tokens)], backend="plain").potentials  # float64
    return LinearChain(*scores)


def viterbi_trace(
    tagger: "AnyTagger", tokens: tuple[str, ...], fixed: tuple[int, ...]
) -> Trace | None:
    """Viterbi on the same chain, step by step, and the way back; None beyond `MAX_TERMS`."""
    import torch

    from crf.trace import trace

    if len(tagger.tags) ** 2 * len(tokens) > MAX_TERMS:
        return None
    chain = _free(tagger, tokens).clamp(torch.tensor([fixed]))
    names = [shorten(token) for token in tokens]
    return trace(chain, algorithm="viterbi", semiring="max", tags=tagger.tags, tokens=names)
