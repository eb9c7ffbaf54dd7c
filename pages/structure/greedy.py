"""Where a greedy decoder goes wrong, and what it looked at when it did.

    emissions alone    y_t = argmax_s e(t, s)
    left to right      y_t = argmax_s [ start or T(y_(t−1), s) + e(t, s) ]

Neither can take back a choice, and neither sees what is still to come.
"""

from typing import NamedTuple

import torch

from pages.shared.course.problem import Problem

DECODERS = ("greedy", "left_to_right")
ROUNDING = 1e-9  # one path's terms, added in another order, may differ by less


class Option(NamedTuple):
    """One tag for the token in question.

    Attributes:
        tag: Its index.
        seen: The score that the decoder compared.
        whole: The score of the best whole path with this tag here and the tags before it as the
            decoder had them; −∞ if none is allowed.
    """

    tag: int
    seen: float
    whole: float


class Mistake(NamedTuple):
    """The first token at which a decoder leaves the best path.

    Attributes:
        token: From 0.
        chosen: The tag it took.
        best: The tag of the best path.
        options: All tags, in order, with what the decoder saw and what they lead to.
    """

    token: int
    chosen: int
    best: int
    options: tuple[Option, ...]


class GreedyPath(NamedTuple):
    """A greedy decoder against the best path.

    Attributes:
        decoder: One of `DECODERS`.
        path: Its m tags.
        score: The path's score; −∞ if it is forbidden.
        probability: exp(score − log Z).
        best: The best path's tags.
        best_score: Its score.
        mistake: The first difference; None if the path is the best, or as good (a tie).
    """

    decoder: str
    path: tuple[int, ...]
    score: float
    probability: float
    best: tuple[int, ...]
    best_score: float
    mistake: Mistake | None


def against_the_best(problem: Problem, decoder: str) -> GreedyPath | None:
    """A greedy decoder's path, and the decision that cost it the best one.

    Args:
        problem: S tags, m tokens.
        decoder: "greedy" or "left_to_right".

    Returns:
        The comparison; None if no path is allowed.
    """
    chain = problem.chain()
    if not chain.feasible.item():
        return None
    found = chain.greedy() if decoder == "greedy" else chain.greedy_left_to_right()
    viterbi = chain.viterbi()
    path, best = tuple(found[0].tolist()), tuple(viterbi.tags[0].tolist())
    score, best_score = chain.score(found).item(), viterbi.scores.item()
    p = chain.log_prob(found).exp().item()
    mistake = None
    behind = best_score - score
    if path != best and behind > ROUNDING * max(1.0, abs(best_score)):
        t = next(t for t, (a, b) in enumerate(zip(path, best, strict=True)) if a != b)
        mistake = Mistake(t, path[t], best[t], _options(problem, decoder, path, t))
    return GreedyPath(decoder, path, score, p, best, best_score, mistake)


def _options(problem: Problem, decoder: str, path: tuple[int, ...], t: int) -> tuple[Option, ...]:
    S, m = len(problem.tags), len(problem.tokens)
    before = [0.0] * S
    if decoder == "left_to_right":
        before = list(problem.matrix(t)[path[t - 1]] if t else problem.start)
    fixed = torch.full((S, m), -1)  # a chain for each tag
    fixed[:, :t] = torch.tensor(path[:t])
    fixed[:, t] = torch.arange(S)
    whole = problem.chain()[[0] * S].clamp(fixed).viterbi().scores.tolist()
    return tuple(Option(s, before[s] + problem.emissions[t][s], whole[s]) for s in range(S))
