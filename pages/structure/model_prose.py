"""What a CRF answers, whence its scores come, and its kin, told of the problem on screen."""

import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pages.shared.course.marginals import log_sum
from pages.shared.course.numbers import format_magnitude, format_potential, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import names, word
from pages.shared.figures.narration import printable
from pages.shared.figures.theme import log_probability, probability

if TYPE_CHECKING:
    from torch import Tensor

Path = tuple[int, ...]

NO_ANSWERS = (
    "No path is allowed here: each has a score of −∞ somewhere, so each exp(score) is 0, and so is "
    "their sum Z. A path’s probability would be 0/0, no path is the best one, and no right one "
    "could be made probable. Take another example to see the three answers."
)
NO_SUM = (
    "Here each path has a score of −∞ in it, that is a factor of 0, so each product of factors is "
    "0: no path is allowed."
)


# ---------------------------------------------------------------------- three problems


class Lesson(NamedTuple):
    """What learning would do with this problem, if some path were the right one.

    Attributes:
        path: The path.
        loss: −log p of it.
        weight: A weight's name.
        observed: How often the path uses it.
        expected: How often a path drawn from p(y | x) does, on average.
    """

    path: Path
    loss: float
    weight: str
    observed: int
    expected: float


def lesson(problem: Problem, path: Path, log_p: float, pairs: "Tensor", p: "Tensor") -> Lesson:
    """The weight whose use the path would change most.

    Args:
        problem: S tags, m tokens.
        path: Said to be the right one.
        log_p: Its log-probability.
        pairs: [m−1, S, S] pair marginals.
        p: [m, S] marginals.
    """
    tags, S = [printable(tag) for tag in problem.tags], len(problem.tags)
    if len(path) == 1:
        word_at = word(problem, 0)
        return Lesson(path, -log_p, f"e({word_at}, {tags[path[0]]})", 1, p[0, path[0]].item())
    used, expected = Counter(pairwise(path)), pairs.sum(0).tolist()
    gaps = {(i, j): used[i, j] - expected[i][j] for i in range(S) for j in range(S)}
    i, j = max(gaps, key=lambda pair: abs(gaps[pair]))
    return Lesson(path, -log_p, f"T({tags[i]} → {tags[j]})", used[i, j], expected[i][j])


def basic_problems(
    problem: Problem, best: Path, best_score: float, log_z: float, taught: Lesson
) -> list[list[str]]:
    """The three basic problems: name, question, this problem's answer, which lesson."""
    score = format_score(best_score)
    p = log_probability(min(best_score - log_z, 0.0))
    gap = taught.observed - taught.expected
    return [
        ["Evaluation", "How probable is a given tag sequence?",
         f"p({names(problem, best)}) = exp({score} − log Z) = {p}, with log Z = "
         f"{format_score(log_z)}", "Forward"],
        ["Decoding", "Which tag sequence is best?", f"{names(problem, best)}, score {score}",
         "Viterbi"],
        ["Learning", "Which weights make the right tags probable?",
         f"were {names(problem, taught.path)} right, the loss, −log of its probability, would be "
         f"{format_score(abs(taught.loss))}, and 0 at probability 1; {taught.weight} would go "
         f"{'up' if gap > 0 else 'down'}: the path uses it {times(taught.observed)}, a path drawn "
         f"with the model’s probabilities {format_magnitude(taught.expected)} times on average",
         "Backward and marginals"],
    ]  # fmt: skip


def problems_html(problems: Sequence[Sequence[str]]) -> str:
    """The three basic problems as a list of definitions."""
    items = "".join(
        f"<dt><b>{escape(name)}</b> {escape(question)}</dt><dd>Here: {escape(answer)}. "
        f'<span class="crf-about">Lesson: {escape(page)}</span></dd>'
        for name, question, answer, page in problems
    )
    return f'<dl class="crf-prose crf-problems">{items}</dl>'


# ---------------------------------------------------------------------- from local to global


def without_transitions(problem: Problem, best: Path, p_best: float) -> str:
    """The best path's probability if each token were a classifier of its own."""
    sums = [log_sum(row) for row in problem.emissions]
    if -math.inf in sums:
        return ""
    parts = [
        math.exp(row[s] - total)
        for row, s, total in zip(problem.emissions, best, sums, strict=True)
    ]
    shown = " · ".join(map(probability, parts[:6])) + (" · …" if len(parts) > 6 else "")
    whole = log_probability(math.fsum(math.log(x) if x else -math.inf for x in parts))
    product = shown if len(parts) == 1 else f"{shown} = {whole}"
    return (
        "Take transitions, start and end away from the problem on screen, and each token is a "
        f"logistic regression of its own. Then {names(problem, best)} has probability {product}. "
        f"With them it has {probability(p_best)}."
    )


def is_it_an_hmm(problem: Problem) -> str:
    """Whether the rows of the transitions are probabilities."""
    if len(problem.tokens) < 2:
        return ""
    rows = problem.matrix(1)
    for ends in ([-math.inf] * len(rows), problem.end):
        totals = [log_sum([*row, end]) for row, end in zip(rows, ends, strict=True)]
        if all(map(_is_log_of_one, totals)):
            return (
                "In the table of transitions above, the exponentials of each row sum to 1: they "
                "are probabilities, and this problem is an HMM, written as a CRF. Every HMM can be."
            )
    totals = map(log_sum, rows)
    i, total = next((i, x) for i, x in enumerate(totals) if not _is_log_of_one(x))
    return (
        "In the table of transitions above, the exponentials of the row "
        f"{printable(problem.tags[i])}, END aside, sum to {format_potential(total)}, not to 1: "
        "these are no probabilities, and need not be. Only Z normalises, once, over whole "
        "sequences."
    )


def _is_log_of_one(total: float) -> bool:
    return abs(math.expm1(min(total, 1.0))) < 1e-6


def times(n: int) -> str:
    """A count in words.

    >>> [times(n) for n in range(4)]
    ['never', 'once', 'twice', '3 times']
    """
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def features(problem: Problem, best: Path) -> str:
    """One factor of the best path as the exponential of a weight times a feature."""
    tags = [printable(tag) for tag in problem.tags]
    if len(best) > 1:
        ranked = Counter(pairwise(best)).most_common()
        weights = problem.matrix(1)
        (i, j), n = next((pair for pair in ranked if weights[pair[0][0]][pair[0][1]]), ranked[0])
        name, what = f"T({tags[i]} → {tags[j]})", f"{tags[j]} follows {tags[i]}"
        weight = problem.matrix(1)[i][j]
        if problem.per_step:
            n = 1
            weight = problem.matrix(1)[best[0]][best[1]]
            name = f"T({tags[best[0]]} → {tags[best[1]]})"
            what = f"{tags[best[1]]} follows {tags[best[0]]} at the second token"
    else:
        s, n = best[0], 1
        name, what = f"e({word(problem, 0)}, {tags[s]})", f"{word(problem, 0)} is tagged {tags[s]}"
        weight = problem.emissions[0][s]
    return (
        f"Take the feature “{what}”: f = 1 where it holds, else 0. Its weight is "
        f"{name} = {format_score(weight)}, so its factor is ψ = exp({format_score(weight)} · f), "
        f"that is {format_potential(weight)} where it holds and exp(0) = 1 elsewhere. The best "
        f"path uses it {times(n)}, which adds {n} · {format_score(weight)} = "
        f"{format_score(n * weight)} to its score."
    )
