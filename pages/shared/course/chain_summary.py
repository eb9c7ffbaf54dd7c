"""Results for a small problem by the names of its tags: paths, their probabilities, log Z.

ChainSummary(problem).viterbi            ("DET", "NOUN", "VERB", "DET", "NOUN")
ChainSummary(problem).p("DET NOUN VERB DET NOUN")
"""

import math
from functools import cached_property
from typing import TYPE_CHECKING

from pages.shared.course.problem import Problem
from pages.shared.course.words import say

if TYPE_CHECKING:
    from torch import Tensor

    from crf.chain import LinearChain, TopK

TagNames = tuple[str, ...]
_ROUNDING = 1e-9  # between two scores


class ChainSummary:
    """A problem with its chain and their results; each is computed once, when it is needed."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @cached_property
    def chain(self) -> "LinearChain":
        """The chain, a batch of one."""
        return self.problem.chain()

    @property
    def log_z(self) -> float:
        """log Z in nats."""
        return self.chain.log_partition.item()

    @property
    def feasible(self) -> bool:
        """Whether any path is allowed."""
        return self.log_z > -math.inf

    @cached_property
    def has_ties(self) -> bool:
        """Whether another path scores as much as the best, to within rounding."""
        first, second = self._two_best.scores[0].tolist()
        return bool(self._two_best.valid[0, 1].item()) and first - second <= _ROUNDING

    @property
    def ties(self) -> str:
        """The remark after the best path's name if other paths tie with it; else ""."""
        return say("path.ties") if self.has_ties else ""

    @cached_property
    def _two_best(self) -> "TopK":
        return self.chain.topk(2)

    @cached_property
    def viterbi(self) -> TagNames:
        """The best path; () if none is allowed."""
        return self._named(self.chain.viterbi().tags[0])

    @property
    def greedy(self) -> TagNames:
        """Each token's best emission."""
        return self._named(self.chain.greedy()[0])

    @property
    def left_to_right(self) -> TagNames:
        """Each token's best tag after the one just chosen."""
        return self._named(self.chain.greedy_left_to_right()[0])

    @property
    def posterior(self) -> TagNames:
        """Each token's most probable tag."""
        return self._named(self.chain.posterior_decode()[0])

    def best(self, k: int) -> list[TagNames]:
        """The k best paths, best first; fewer if fewer are allowed."""
        paths = self.chain.topk(k)
        return [self._named(path) for path in paths.tags[0][paths.valid[0]]]

    def score(self, path: TagNames | str) -> float:
        """The score of a path, given as tag names or as one text with blanks between them."""
        return self.chain.score(self._indices(path)).item()

    def p(self, path: TagNames | str) -> float:
        """The probability of a path."""
        return self.chain.log_prob(self._indices(path)).exp().item()

    def marginal(self, t: int, tag: str) -> float:
        """The probability of a tag at token t."""
        return self.chain.marginals[0, t, self.problem.tags.index(tag)].item()

    def first(self, n: int) -> "ChainSummary":
        """The summary of the first n tokens alone, as a decoder that has read so far sees it.

        Where tokens are left out there is no end yet, so no end scores: its paths are prefixes.
        """
        problem = self.problem
        while len(problem.tokens) > n:
            problem = problem.remove_token(len(problem.tokens) - 1).with_changes(
                end=(0.0,) * len(problem.tags)
            )
        return ChainSummary(problem)

    def at_temperature(self, tau: float) -> "LinearChain":
        """The chain with all scores divided by τ: p(y)^(1/τ), normalised again; τ > 0."""
        from crf.chain import LinearChain

        p = self.chain.potentials
        scores = (score / tau for score in (p.emissions, p.transitions, p.start, p.end))
        return LinearChain(*scores, mask=p.mask, backend="plain")

    def _named(self, tags: "Tensor") -> TagNames:
        return tuple(self.problem.tags[s] for s in tags.tolist() if s >= 0)

    def _indices(self, path: TagNames | str) -> "Tensor":
        import torch

        names = path.split() if isinstance(path, str) else path
        return torch.tensor([[self.problem.tags.index(name) for name in names]])
