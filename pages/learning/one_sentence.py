"""Learning from one sentence: what the right path uses, what the model expects, a step between.

    ∂ log p(path | x) / ∂ T[i, j] = how often the path goes i → j − how often the model expects it

Weights are shared: every step of the sentence uses the same T[i, j], and a word that occurs twice
has one weight per tag. So the gradient of a weight is the sum over all places where it is used.

Source: Sutton and McCallum (2012), "An introduction to conditional random fields", eq. 5.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from crf import LinearChain
from pages.shared.course.problem import Problem

BACKEND = "plain"


class Counts(NamedTuple):
    """How often each weight is used; the first axis, if there is one more, is the iteration."""

    words: Tensor  # [W, S] for each different word and tag
    transitions: Tensor  # [S, S] from row to column; [m-1, S, S] if each step has its own
    start: Tensor  # [S] of the first tag
    end: Tensor  # [S] of the last tag


@dataclass(frozen=True)
class Ascent:
    """Gradient ascent on log p(path | x) of one sentence: N steps, N + 1 states of the model."""

    problem: Problem  # where it begins
    path: tuple[int, ...]  # [m] the right tags, as indices
    rate: float  # the learning rate η
    words: tuple[str, ...]  # the different words, in order of appearance; case is ignored
    word_of: tuple[int, ...]  # [m] which of them each token is
    # [N+1, …] emissions [m, S], transitions [S, S] or [m-1, S, S], start [S] and end [S]
    scores: tuple[Tensor, ...]
    log_p: Tensor  # [N+1] log p(path | x), nats
    marginals: Tensor  # [N+1, m, S] p(y_t = s | x)
    pairs: Tensor  # [N+1, m-1, S, S] p(y_t = i, y_(t+1) = j | x)
    observed: Counts  # what the path uses
    expected: Counts  # what the model expects, for each state

    @property
    def gradient(self) -> Counts:
        """Observed − expected, for each state: the gradient of log p with respect to the scores."""
        return Counts(*map(torch.sub, self.observed, self.expected))

    @property
    def norms(self) -> Tensor:
        """[N+1] Euclidean length of the gradient."""
        return torch.stack([g.flatten(1).square().sum(1) for g in self.gradient]).sum(0).sqrt()

    def problem_after(self, n: int) -> Problem:
        """The problem with the scores after n steps.

        Raises:
            ProblemError: A score has become too large for a problem.
        """
        scores = (table[n].tolist() for table in self.scores)
        return Problem.of(self.problem.tags, self.problem.tokens, *scores)


def different_words(tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The different words in order of appearance, and which of them each token is.

    >>> different_words(["The", "old", "man", "the", "boat"])
    (('the', 'old', 'man', 'boat'), (0, 1, 2, 0, 3))
    """
    names = [token.casefold() for token in tokens]
    words = tuple(dict.fromkeys(names))
    return words, tuple(words.index(name) for name in names)


@lru_cache(maxsize=16)
def climb(problem: Problem, path: tuple[int, ...], rate: float, steps: int) -> Ascent:
    """Take gradient steps: each weight moves by rate · (observed − expected).

    Raises:
        ValueError: The path is forbidden: its log p is −∞, and no step can change that.
    """
    m, S = len(problem.tokens), len(problem.tags)
    words, word_of = different_words(problem.tokens)
    of_token = torch.tensor(word_of)
    start_chain = problem.chain(BACKEND)
    right = torch.tensor([list(path)])
    if start_chain.score(right).item() == -torch.inf:
        raise ValueError("path: expected one that is allowed, got a forbidden one; choose another")

    def counts(chain: LinearChain) -> Counts:
        used = chain.expected_counts
        of_word = used.emissions.new_zeros(len(words), S).index_add(0, of_token, used.emissions[0])
        return Counts(of_word, used.transitions[0], used.start[0], used.end[0])

    observed = counts(start_chain.clamp(right))
    scores, states, expected = problem.tables(), [], []
    for _ in range(steps + 1):
        emissions, transitions, start, end = scores
        matrices = transitions[None] if problem.per_step else transitions
        chain = LinearChain(emissions[None], matrices, start, end, validate=False, backend=BACKEND)
        states.append(scores)
        expected.append(counts(chain))
        of_words, *others = (rate * (a - b) for a, b in zip(observed, expected[-1], strict=True))
        scores = tuple(map(torch.add, scores, (of_words[of_token], *others)))
    scores = tuple(map(torch.stack, zip(*states, strict=True)))
    every = _batch(*scores)
    return Ascent(
        problem, path, rate, words, word_of, scores,
        log_p=every.log_prob(right.expand(steps + 1, m)).clamp(max=0.0),
        marginals=every.marginals, pairs=every.pair_marginals, observed=observed,
        expected=Counts(*map(torch.stack, zip(*expected, strict=True))),
    )  # fmt: skip


def _batch(emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> LinearChain:
    """All states as the rows of one batch; start and end join the first and the last emission."""
    emissions = emissions.clone()
    emissions[:, 0] += start
    emissions[:, -1] += end
    B, m, S = emissions.shape
    if transitions.dim() == 3:
        transitions = transitions[:, None].expand(B, m - 1, S, S)
    return LinearChain(emissions, transitions, validate=False, backend=BACKEND)
