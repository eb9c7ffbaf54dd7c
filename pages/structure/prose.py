"""What the lesson on structure says of a problem: texts and rows, all numbers computed."""

import math
from collections.abc import Sequence

from pages.shared.course.numbers import format_magnitude, format_potential, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import word
from pages.shared.figures.narration import printable
from pages.shared.figures.theme import count, percent, probability
from pages.structure.greedy import Decoded, Mistake
from pages.structure.growth import AGE_OF_THE_UNIVERSE, Reach, Size

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
    named = (
        f"Call the set of tags S, so that |S| = {S} is their number, and m = {m} the number of "
        f"tokens{'.' if m == 1 else ': |S|ᵐ paths.'}"
    )
    if m == 1:
        return (
            f"One token may have any of {S} tags, so there are {S} sequences, paths for short. "
            f"{named}"
        )
    factors = " · ".join([str(S)] * m) if m <= 6 else f"{S} · {S} · … · {S} ({m} factors)"
    return (
        f"Each of the {m} tokens may have any of {S} tags. That makes {factors} = {count(S**m)} "
        f"sequences, paths for short. Word by word, one looks at only {S} · {m} = {count(S * m)} "
        f"numbers. {named}"
    )


def mass(probabilities: Sequence[float], share: float = 0.99) -> int:
    """How many of the paths, best first, hold this share of the probability."""
    total = 0.0
    for k, p in enumerate(probabilities, 1):
        total += p
        if total >= share - 1e-12:
            return k
    return len(probabilities)


def cumulative(share: float) -> str:
    """How much of the probability a path has together with all before it.

    >>> [cumulative(share) for share in (0.64617, 0.99951, 1 - 1e-16)]
    ['64.6 %', '> 99.9 %', '100 %']
    """
    if share > 1 - 1e-12:
        return "100 %"
    return "> 99.9 %" if share >= 0.9995 else percent(share)


def forbidden(how_many: int) -> str:
    """What is to be said of the sequences that are not listed because they cannot be."""
    others = "sequence is" if how_many == 1 else f"{count(how_many)} sequences are"
    return f"The other {others} forbidden: a score of −∞ on the way, so probability 0."


def none_allowed(how_many: int) -> str:
    """The same where it is all of them."""
    each = "The only sequence has" if how_many == 1 else f"All {count(how_many)} sequences have"
    return (
        f"{each} a score of −∞ on the way: no path is allowed, and so Z = 0. None is the best one, "
        "and a probability would be 0/0."
    )


def share_told(probabilities: Sequence[float]) -> str:
    """How the probability is spread over the allowed paths, given best first."""
    most, best = mass(probabilities), probability(probabilities[0])
    if len(probabilities) == 1:
        return "Only one path is allowed, and it has all of the probability."
    if most == 1:
        return f"The best path has {best} of the probability, and all others share the rest."
    if most == len(probabilities):
        return f"The best path has {best} of the probability; it takes all to have 99 % of it."
    return (
        f"The best path has {best} of the probability; it takes the first {count(most)} to have "
        "99 % of it."
    )


def faster(num_tags: int) -> str:
    """What a faster machine would change."""
    if num_tags == 1:
        return ""
    more = round(math.log(1000) / math.log(num_tags))
    return (
        f"On a machine a thousand times as fast, sentences may be about {more} "
        f"token{'s' * (more != 1)} longer, no more. "
    )


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
