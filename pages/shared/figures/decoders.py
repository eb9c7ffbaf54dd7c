"""What Viterbi finds and what other decoders find, with the numbers that tell them apart.

Records of a problem go in; texts, rows and HTML come out.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from crf.figures.languages import language
from crf.figures.numbers import format_score
from crf.figures.trellis.narration import printable, quoted
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import Path
from pages.shared.figures.text import in_a_list, say
from pages.shared.figures.theme import log_probability, probability

MOST_DIFFERING = 6  # words that are named one by one


class Decoded(NamedTuple):
    """One decoder's path."""

    name: str  # of the decoder, as words.md has it; a rank
    path: Path  # a tag index for each token
    score: float  # the path's log-score
    log_p: float  # its log-probability

    @property
    def label(self) -> str:
        """What the reader calls it."""
        return self.name if self.name.endswith(".") else say(f"decoder.{self.name}")


def names(problem: Problem, path: Sequence[int]) -> str:
    """Tags by name, with blanks between."""
    return " ".join(printable(problem.tags[s]) for s in path)


def listed(items: Sequence[str]) -> str:
    """Items with commas and "and", in the reader's language.

    >>> listed(["A"]), listed(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return in_a_list(items, language())


# ---------------------------------------------------------------------- side by side


def path_table(
    problem: Problem, found: Sequence[Decoded], caption: str, about: Sequence[str] = ()
) -> str:
    """Paths under their words with score and probability; what differs from the first is marked.

    Args:
        problem: Whose paths.
        found: The paths.
        caption: Of the table.
        about: What stands under each name; (): how that decoder decides.
    """
    about = about or [say(f"decoder.{one.name}-about") for one in found]
    rows = [
        tables.PathRow(
            one.label,
            [problem.tags[s] for s in one.path],
            [format_score(one.score), log_probability(one.log_p)],
            text,
        )
        for one, text in zip(found, about, strict=True)
    ]
    best = [problem.tags[s] for s in found[0].path]
    heads = [say("path.score"), say("path.probability")]
    return tables.path_table(problem.tokens, rows, best, heads, caption, tags=problem.tags)


def path_rows(problem: Problem, found: Sequence[Decoded]) -> list[list[str | float]]:
    """The same as rows for a file."""
    header: list[str | float] = ["", say("path.score"), say("path.probability"), *problem.tokens]
    body = [
        [one.label, one.score, math.exp(one.log_p), *(problem.tags[s] for s in one.path)]
        for one in found
    ]
    return [header, *body]


def went_wrong(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Where a decoder leaves the best path, and what it gains and loses by that."""
    t = _parting(other, best)
    if t is None:
        return say("wrong.best", decoder=other.label)
    facts = {
        "decoder": other.label,
        "tag": printable(problem.tags[other.path[t]]),
        "word": quoted(problem.tokens, t),
    }
    if _level(other, best):
        return say("wrong.tie", **facts)
    gained = _emissions(problem, other.path) - _emissions(problem, best.path)
    if other.score == -math.inf:
        several = sum(map(int.__ne__, other.path, best.path)) > 1
        return say("wrong.forbidden-several" if several else "wrong.forbidden", **facts)
    lost = (best.score - other.score) + gained
    digits = _that_add_up(gained, -lost)
    return say(
        "wrong.taken",
        decoder=other.label,
        words=_words_that_differ(problem, other.path, best.path),
        gained=_more(gained, digits),
        lost=_more(-lost, digits),
        all=_more(gained - lost, digits),
    )


def _that_add_up(*parts: float) -> int:
    """Decimals, two to four, with which the parts as printed give the sum as printed.

    >>> _that_add_up(3.886, -16.634), _that_add_up(0.25, -1.5)
    (3, 2)
    """
    total = math.fsum(parts)

    def add_up(digits: int) -> bool:
        off = math.fsum(round(part, digits) for part in parts) - round(total, digits)
        return abs(off) < 0.5 * 10**-digits

    return next(filter(add_up, range(2, 4)), 4)


def _level(other: Decoded, best: Decoded) -> bool:
    """Whether two paths have the same score, to within rounding."""
    return math.isclose(other.score, best.score, rel_tol=1e-9, abs_tol=1e-9)


def _words_that_differ(problem: Problem, path: Path, best: Path) -> str:
    """Each word that two paths tag differently, with both tags' emissions."""
    differing = [t for t, (a, b) in enumerate(zip(path, best, strict=True)) if a != b]
    told = [
        say(
            "wrong.instead",
            tag=_emitted(problem, t, path[t]), best=_emitted(problem, t, best[t]),
            word=quoted(problem.tokens, t),
        )
        for t in differing[:MOST_DIFFERING]
    ]  # fmt: skip
    more = len(differing) - len(told)
    if more:
        told.append(say("wrong.others", n=more))
    return listed(told)


def _emitted(problem: Problem, t: int, tag: int) -> str:
    return f"{printable(problem.tags[tag])} ({format_score(problem.emissions[t][tag])})"


def _parting(other: Decoded, best: Decoded) -> int | None:
    """The first token that they tag differently."""
    pairs = enumerate(zip(other.path, best.path, strict=True))
    return next((t for t, (a, b) in pairs if a != b), None)


def _emissions(problem: Problem, path: Path) -> float:
    return math.fsum(problem.emissions[t][s] for t, s in enumerate(path))


def _more(nats: float, digits: int = 2) -> str:
    if abs(nats) < 0.5 * 10**-digits:
        return say("wrong.level" if abs(nats) < 1e-9 else "wrong.level-to", digits=digits)
    return say(f"wrong.{'ahead' if nats > 0 else 'behind'}", nats=format_score(abs(nats), digits))


def greedy_step(problem: Problem, other: Decoded, best: Decoded) -> str:
    """Why left to right took the wrong turn: the two sums that it compared there."""
    t = _parting(other, best)
    if t is None or other.score == -math.inf or _level(other, best):
        return ""
    row = problem.matrix(t)[other.path[t - 1]] if t else problem.start
    sums = [row[s] + problem.emissions[t][s] for s in (other.path[t], best.path[t])]
    source = printable(problem.tags[other.path[t - 1]]) if t else "START"
    tags = [printable(problem.tags[s]) for s in (other.path[t], best.path[t])]
    name = "last" if t == len(best.path) - 1 else "step"
    return say(
        f"wrong.{name}",
        word=quoted(problem.tokens, t), source=source,
        first=tags[0], score=format_score(sums[0]), second=tags[1], other=format_score(sums[1]),
    )  # fmt: skip


def posterior_step(problem: Problem, other: Decoded, best: Decoded, marginals: Sequence) -> str:
    """Why posterior decoding differs: each tag the likeliest, the whole perhaps not allowed."""
    t = _parting(other, best)
    if t is None:
        return ""
    a, b = other.path[t], best.path[t]
    equal = math.isclose(marginals[t][a], marginals[t][b], rel_tol=1e-9)
    return say(
        "wrong.equally" if equal else "wrong.likelier",
        tag=printable(problem.tags[a]), other=printable(problem.tags[b]),
        word=quoted(problem.tokens, t), p=probability(marginals[t][a]),
        q=probability(marginals[t][b]),
    )  # fmt: skip


def chooses_alone(problem: Problem, decoder: str) -> bool:
    """Whether the scores that a greedy decoder looks at are all that tells a word's tags apart.

    Then the best tag of each word is in a best path, and the decoder cannot fail.

    Args:
        problem: S tags, m tokens.
        decoder: "greedy", which looks at emissions, or "left_to_right".
    """
    S, m = len(problem.tags), len(problem.tokens)
    tables = [problem.matrix(t) for t in range(1, m)]
    unseen = [problem.end]
    if decoder == "greedy":
        unseen += [problem.start, *(sum(table, ()) for table in tables)]
    else:  # what it sees at a word must be the same whatever tag stands before
        unseen += [tuple(row[s] for row in table) for table in tables for s in range(S)]
    return all(len(set(scores)) == 1 for scores in unseen)
