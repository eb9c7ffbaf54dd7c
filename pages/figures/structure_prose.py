"""What the lesson on structure says of a problem: texts and rows, all numbers computed."""

import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crf.course.greedy import Decoded, Mistake
from crf.course.growth import AGE_OF_THE_UNIVERSE, Reach, Size
from crf.course.numbers import format_magnitude, format_potential, format_score
from crf.course.problem import Problem
from pages.figures.decoders import names, word
from pages.figures.narration import printable
from pages.figures.path_score import log_sum
from pages.figures.theme import count, log_probability, probability

if TYPE_CHECKING:
    from torch import Tensor

Path = tuple[int, ...]
MANNER = {"greedy": "Word by word", "left_to_right": "Left to right"}


# ---------------------------------------------------------------------- greedy decoders


def decision(problem: Problem, found: Decoded) -> list[str]:
    """Where a greedy decoder leaves the best path, and what that costs."""
    name = MANNER[found.decoder]
    if found.mistake is None:
        how = "finds the best path" if found.path == found.best else "ends level with the best path"
        return [f"{name}: it {how} here. That is luck, not method: it never compared whole paths."]
    t, chosen, best, options = found.mistake
    taken, missed = (printable(problem.tags[s]) for s in (chosen, best))
    cost = found.best_score - options[chosen].whole
    after = (
        f"no allowed path goes on from {taken}"
        if math.isinf(cost)
        else f"the best whole path on from {taken} scores {format_score(options[chosen].whole)}, "
        f"and with {missed} it would be {format_score(options[best].whole)}"
    )
    told = (
        f"{name}: at {word(problem, t)} it sees {format_score(options[chosen].seen)} for {taken} "
        f"and {format_score(options[best].seen)} for {missed}, and takes {taken}. But {after}."
    )
    if found.score == -math.inf:
        return [told, "Its path uses a score of −∞: it is forbidden."]
    behind = found.best_score - found.score
    return [
        f"{told} In the end its path is {format_score(behind)} behind, so it has only "
        f"exp(−{format_score(behind)}) = {format_potential(-behind)} times the probability."
    ]


def decision_rows(
    problem: Problem, decoder: str, mistake: Mistake
) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Header, rows and ringed cells: what each tag offered, and what it would have led to."""
    t, options = mistake.token, mistake.options
    seen = "it sees: emission"
    if decoder == "left_to_right":
        seen = f"it sees: {'transition' if t else 'start'} + emission"
    rows = [
        [printable(problem.tags[o.tag]), format_score(o.seen), format_score(o.whole)]
        for o in options
    ]
    ringed = {(mistake.chosen, 1), (mistake.best, 2)}
    return [f"{word(problem, t)} as", seen, "best whole path"], rows, ringed


# ---------------------------------------------------------------------- counting


def product_of_tags(problem: Problem) -> str:
    """S · S · … = S^m in words."""
    S, m = len(problem.tags), len(problem.tokens)
    if m == 1:
        return f"One token may have any of {S} tags, so there are {S} sequences, paths for short."
    factors = " · ".join([str(S)] * m) if m <= 6 else f"{S} · {S} · … · {S} ({m} factors)"
    return (
        f"Each of the {m} tokens may have any of {S} tags. That makes {factors} = {count(S**m)} "
        f"sequences, paths for short. Word by word, one looks at only {S} · {m} = {count(S * m)} "
        "numbers."
    )


def mass(probabilities: Sequence[float], share: float = 0.99) -> int:
    """How many of the paths, best first, hold this share of the probability."""
    total = 0.0
    for k, p in enumerate(probabilities, 1):
        total += p
        if total >= share - 1e-12:
            return k
    return len(probabilities)


def share_told(probabilities: Sequence[float]) -> str:
    """How the probability is spread over the list."""
    most, best = mass(probabilities), probability(probabilities[0])
    if most == 1:
        return f"The best path has {best} of the probability, and all others share the rest."
    return (
        f"The best path has {best} of the probability; it takes the first {count(most)} to have "
        "99 % of it."
    )


def faster(num_tags: int) -> str:
    """What a faster machine would change."""
    if num_tags == 1:
        return ""
    more = math.log(1000) / math.log(num_tags)
    return f"A machine a thousand times as fast gets {more:.1f} tokens further, no more. "


def duration(seconds: float) -> str:
    """A time in the unit that fits.

    >>> [duration(s) for s in (2e-5, 90.0, 7200.0, 4e8, 1e30)]
    ['under a millisecond', '1.5 minutes', '2 hours', '12.7 years', '2.3 × 10¹² times the age of \
the universe']
    """
    if math.isinf(seconds):
        return "more times the age of the universe than a float can say"
    if seconds < 1e-3:
        return "under a millisecond"
    year = 365.25 * 86_400
    if seconds > AGE_OF_THE_UNIVERSE:
        return f"{format_magnitude(seconds / AGE_OF_THE_UNIVERSE, 2)} times the age of the universe"
    units = {"years": year, "days": 86_400.0, "hours": 3600.0, "minutes": 60.0, "seconds": 1.0}
    name = next((name for name, size in units.items() if seconds >= size), "seconds")
    return f"{format_magnitude(seconds / units[name])} {name}"


def reach_rows(reach: Sequence[Reach]) -> list[list[str]]:
    """In what time how many paths, and the longest sentence that they cover."""
    return [
        [
            f"in {line.name}",
            format_magnitude(line.paths),
            "any length" if line.tokens is None else f"{line.tokens} tokens",
        ]
        for line in reach
    ]


def size_rows(sizes: Sequence[Size]) -> list[list[str]]:
    """The growth plot's numbers."""
    return [
        [str(s.tokens), count(s.paths), duration(s.seconds), count(s.operations)] for s in sizes
    ]


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
         f"were {names(problem, taught.path)} right, the loss −log p would be "
         f"{format_score(abs(taught.loss))}; {taught.weight} would go "
         f"{'up' if gap > 0 else 'down'}: the path uses it {times(taught.observed)}, the model "
         f"expects {format_magnitude(taught.expected)}", "Backward and marginals"],
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
    return (
        "Take transitions, start and end away from the problem on screen, and each token is a "
        f"logistic regression of its own. Then {names(problem, best)} has probability {shown} = "
        f"{log_probability(math.fsum(math.log(x) if x else -math.inf for x in parts))}. With them "
        f"it has {probability(p_best)}."
    )


def is_it_an_hmm(problem: Problem) -> str:
    """Whether the rows of the transitions are probabilities."""
    if len(problem.tokens) < 2:
        return ""
    rows = [[math.exp(x) for x in row] for row in problem.matrix(1)]
    for ends in ([0.0] * len(rows), [math.exp(x) for x in problem.end]):
        sums = [math.fsum([*row, end]) for row, end in zip(rows, ends, strict=True)]
        if all(abs(total - 1) < 1e-6 for total in sums):
            return (
                "On screen, the exponentials of each row of the transitions sum to 1: they are "
                "probabilities, and this problem is an HMM, written as a CRF. Every HMM can be."
            )
    total = log_sum(problem.matrix(1)[0])
    return (
        f"On screen, the exponentials of the row {printable(problem.tags[0])} of the transitions "
        f"sum to {format_potential(total)}, not to 1: these are no probabilities, and need not be. "
        "Only Z normalises, once, over whole sequences."
    )


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
        (i, j), n = Counter(pairwise(best)).most_common(1)[0]
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
