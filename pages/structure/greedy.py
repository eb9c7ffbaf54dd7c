"""Where a greedy decoder goes wrong, and what it looked at when it did.

    emissions alone    y_t = argmax_s e(t, s)
    left to right      y_t = argmax_s [ start or T(y_(t−1), s) + e(t, s) ]

Neither can take back a choice, and neither sees what is still to come.
"""

from functools import lru_cache
from typing import NamedTuple

import torch

from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import chooses_alone

DECODERS = ("greedy", "left_to_right")
ROUNDING = 1e-9  # one path's terms, added in another order, may differ by less


class Option(NamedTuple):
    """One tag for the token in question."""

    tag: int  # its index
    seen: float  # the score that the decoder compared
    # the score of the best whole path with this tag here and the tags before it as the decoder had
    # them; −∞ if none is allowed
    whole: float


class Mistake(NamedTuple):
    """The first token at which a decoder leaves the best path; of several such paths, the last."""

    token: int  # from 0
    chosen: Option  # the tag it took
    best: Option  # the tag of the best path


class GreedyPath(NamedTuple):
    """A greedy decoder against the best path."""

    decoder: str  # one of `DECODERS`
    path: tuple[int, ...]  # its m tags
    score: float  # the path's score; −∞ if it is forbidden
    best: tuple[int, ...]  # the best path's tags; of several, one that the decoder leaves last
    best_score: float  # its score
    # where it leaves the best path; None if the path is the best, or as good (a tie)
    mistake: Mistake | None
    tied: bool = False  # whether several paths have the best score
    # whether no path can be better than the decoder's, whatever the emissions are
    must: bool = False


@lru_cache(maxsize=16)
def against_the_best(problem: Problem, decoder: str) -> GreedyPath | None:
    """A greedy decoder's path, and the decision that cost it the best one."""
    chain = problem.chain()
    if not chain.feasible.item():
        return None
    found = chain.greedy() if decoder == "greedy" else chain.greedy_left_to_right()
    path = tuple(found[0].tolist())
    score = chain.score(found).item()
    two = chain.topk(2)
    best_score = two.scores[0, 0].item()
    reached = best_score - ROUNDING * max(1.0, abs(best_score))
    tied = bool(two.valid[0].all()) and two.scores[0, 1].item() >= reached
    best, mistake = path, None
    if score < reached:
        t = _first_lost(problem, path, reached)
        best = tuple(chain.clamp(_held(path, t, len(path))[None]).viterbi().tags[0].tolist())
        chosen, right = (_option(problem, decoder, path[:t], tag) for tag in (path[t], best[t]))
        mistake = Mistake(t, chosen, right)
    must = chooses_alone(problem, decoder)
    return GreedyPath(decoder, path, score, best, best_score, mistake, tied, must)


def misleads(problem: Problem) -> bool:
    """Whether some first words alone are best tagged otherwise than in any best path."""
    chain = problem.chain()
    best = chain.viterbi().scores.item()
    columns = problem.trace("viterbi", semiring="max").table
    leads = torch.tensor(  # [L, S] the tags that the best prefixes end in
        [[x >= max(column) - ROUNDING * max(1.0, abs(x)) for x in column] for column in columns]
    )
    leads[-1] = True  # the end score may overturn what the last word's prefixes say
    led = chain.restrict(leads[None]).viterbi().scores.item()
    return led < best - ROUNDING * max(1.0, abs(best))


def _held(path: tuple[int, ...], n: int, m: int) -> torch.Tensor:
    """The first n of m tags, the others free."""
    return torch.tensor([*path[:n], *[-1] * (m - n)])


def _first_lost(problem: Problem, path: tuple[int, ...], reached: float) -> int:
    """The first token after which no path that begins like this one has the best score."""
    m = len(path)
    held = torch.stack([_held(path, t + 1, m) for t in range(m)])
    scores = problem.chain()[[0] * m].clamp(held).viterbi().scores.tolist()
    return next(t for t, score in enumerate(scores) if score < reached or t == m - 1)


def _option(problem: Problem, decoder: str, before: tuple[int, ...], tag: int) -> Option:
    """A tag after those before it."""
    t, seen = len(before), 0.0
    if decoder == "left_to_right":
        seen = (problem.matrix(t)[before[-1]] if t else problem.start)[tag]
    held = _held((*before, tag), t + 1, len(problem.tokens))
    whole = problem.chain().clamp(held[None]).viterbi().scores.item()
    return Option(tag, seen + problem.emissions[t][tag], whole)
