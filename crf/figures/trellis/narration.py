"""A trace told in sentences: what each step did, with its numbers.

`sentences(trace)` gives one string per step of a `crf.trace.Trace`, as log-scores or potentials.
All numbers come from the trace; nothing is computed again, only rounded.
"""

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from ...steps import Step, Term, Trace
from ..numbers import with_percent
from ..words import join
from .flips import flips
from .notation import NOTATIONS, Notation, Space, say


def whole_percent(share: float) -> str:
    """A share as a percentage that never rounds a part to nothing or to everything.

    Example:
        >>> whole_percent(0.876), whole_percent(1e-7), whole_percent(0.9999), whole_percent(1.0)
        ('88 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return with_percent("<1")
    return with_percent(">99" if 0.995 <= share < 1 else f"{100 * share:.0f}")


@lru_cache(maxsize=4096)  # a name stands in hundreds of sentences
def printable(token: str) -> str:
    r"""The token with control and direction-changing characters replaced by a visible mark.

    Right-to-left text is wrapped in an isolate, so that the sentence around it stays in order.

    Example:
        >>> printable("a\x07b"), printable("man")
        ('a␣b', 'man')
    """
    keep = "\u200c\u200d"  # the joiners that scripts and emoji are spelled with
    text = "".join(
        "␣" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in keep else c
        for c in token
    )
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"\u2068{text}\u2069" if right_to_left else text


def sentences(trace: Trace, space: Space = "log") -> list[str]:
    """One sentence (or a few) for each step of the trace, in order.

    Args:
        trace: any algorithm, convention and semiring.
        space: whether numbers are log-scores or potentials.

    Returns:
        As many strings as the trace has steps.
    """
    notation = NOTATIONS[space]
    tellers = {"cell": _cell, "total": _total, "backtrace": _backtrace}
    texts = [tellers[step.kind](trace, step, notation) for step in trace.steps]
    for step, _, old, new in flips(trace):
        was, now = _apart(old, new, trace.tags)
        texts[step] = join(texts[step], say("mind.changed", was=was, now=now))
    return texts


def path_sentence(trace: Trace, path: Sequence[int], score: float, space: Space = "log") -> str:
    """The best path, its score, and its share of all paths.

    Args:
        trace: The forward recursion.
        path: The path.
        score: Its log-score.
        space: Whether numbers are log-scores or potentials.
    """
    notation = NOTATIONS[space]
    return say(
        "path.best",
        path=" ".join(_name(trace, row) for row in path),
        result=notation.word("result"),
        value=notation.number(score),
        whole=notation.whole,
        total=notation.number(trace.log_total),
        percent=whole_percent(math.exp(min(score - trace.log_total, 0.0))),
    )


def _toward(trace: Trace) -> str:
    return "to" if trace.algorithm == "backward" else "from"


def _apart(old: tuple[int, ...], new: tuple[int, ...], tags: Sequence[str]) -> tuple[str, str]:
    """The two prefixes in words, from just before the tag where they part."""
    parting = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    start = parting - 1 if parting > 2 else 0
    lead = "… " if start else ""

    def words(rows: tuple[int, ...]) -> str:
        return lead + " ".join(printable(tags[i]) for i in rows[start:])

    return words(old), words(new)


def quoted(tokens: Sequence[str], t: int) -> str:
    """A token in quotes; one that occurs twice is told apart by its place."""
    again = tokens.count(tokens[t]) > 1
    return say("quoted.again" if again else "quoted.one", n=t + 1, word=printable(tokens[t]))


class HasNames(Protocol):
    """What has tokens and tags: a trace, or a problem."""

    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def tags(self) -> Sequence[str]: ...


def tagged(of: HasNames, t: int, s: int) -> str:
    """A token with one of its tags, as in “‘man’ = NOUN”."""
    return f"{quoted(of.tokens, t)} = {printable(of.tags[s])}"


def _bare(trace: Trace, token: int) -> str:
    return say("quoted.one", word=printable(trace.tokens[token]))


def _name(trace: Trace, row: int) -> str:
    """The tag of a row; −1 is the boundary that the recursion starts from."""
    if row < 0:
        return "END" if trace.algorithm == "backward" else "START"
    return printable(trace.tags[row])


def _where(trace: Trace, step: Step, sentence: str) -> str:
    """A step's sentence, with its place before it."""
    if step.kind == "total":
        end = "START" if trace.algorithm == "backward" else "END"
        return say("where.total", end=end, told=sentence)
    tag, word = _name(trace, step.row), _bare(trace, step.token)
    name = "message" if trace.convention == "message" else "cell"
    return say(f"where.{name}", n=step.token + 1, word=word, tag=tag, told=sentence)


def _cell(trace: Trace, step: Step, notation: Notation) -> str:
    number = notation.number
    way = "backward" if trace.algorithm == "backward" else "forward"
    if is_first(step):
        parts = [*step.terms[0].parts, *step.added]
        sums = [notation.joined([part.value for part in parts])]
        if parts:
            sums.insert(0, notation.joint.join(part.role for part in parts))
        if len(parts) > 1:
            sums.append(number(step.log_value))
        return _where(trace, step, say(f"first.{way}", sum=" = ".join(sums)))
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    zero = number(-math.inf)
    if not allowed:
        return _where(trace, step, say(f"never.{way}", value=zero))
    if step.log_value == -math.inf:
        return _where(trace, step, say("never.emission", value=zero))
    if trace.semiring == "max":
        return _where(trace, step, _best(trace, step, allowed, notation))
    summed = notation.joined([step.log_sum, *(part.value for part in step.added)])
    if step.added:
        summed += f" = {number(step.log_value)}"
    return _where(trace, step, _merged("cell", trace, allowed, notation, summed))


def _merged(
    name: str, trace: Trace, allowed: Sequence[Term], notation: Notation, summed: str
) -> str:
    """The terms of a sum, and which brings most."""
    facts = {"merged": notation.word("merged"), "n": len(allowed), "sum": summed}
    if len(allowed) == 1:
        return say(f"sum.{name}", **facts)
    return say(f"sum.{name}-share", **facts, share=_largest_share(trace, allowed))


def is_first(step: Step) -> bool:
    """Whether nothing but START (going backward: END) leads into the step."""
    return len(step.terms) == 1 and step.terms[0].source < 0


def _largest_share(trace: Trace, allowed: Sequence[Term]) -> str:
    largest = max(allowed, key=lambda term: term.share)
    if largest.share - min(term.share for term in allowed) < 1e-9:
        return say("share.same")
    percent = whole_percent(largest.share)
    return say("share.largest", tag=_name(trace, largest.source), percent=percent)


def _best(trace: Trace, step: Step, allowed: Sequence[Term], notation: Notation) -> str:
    """The winner of a maximum, its sum, and how far the next one is behind."""
    winner = next(term for term in allowed if term.source == step.backpointer)
    parts = [part.value for part in (*winner.parts, *step.added)]
    result = notation.number(step.log_value)
    equation = f"{notation.joined(parts)} = {result}" if len(parts) > 1 else result
    name, toward = _name(trace, winner.source), _toward(trace)
    if len(step.ties) > 1:
        names = [_name(trace, row) for row in step.ties]
        tied = ", ".join(names[:3])
        if len(names) > 3:
            tied = say("winner.more", tags=tied, n=len(names) - 3)
        first = winner.source == step.ties[0]  # else rounding has chosen
        return say("winner.tie-first" if first else "winner.tie", tags=tied, tag=name, sum=equation)
    rest = [term for term in allowed if term is not winner]
    if not rest:
        return say(f"winner.only-{toward}", tag=name, sum=equation)
    second = max(rest, key=lambda term: term.log_value)
    behind = notation.behind(winner.log_value - second.log_value)
    next_best = _name(trace, second.source)
    return say(f"winner.best-{toward}", tag=name, sum=equation, second=next_best, behind=behind)


def _total(trace: Trace, step: Step, notation: Notation) -> str:
    number, space = notation.number, notation.space
    if is_first(step):
        return _where(trace, step, say(f"total.empty-{space}", value=number(step.log_value)))
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    if not allowed:
        name = f"never-max-{space}" if trace.semiring == "max" else "never-sum"
        never = say(f"total.{name}", whole=notation.whole, value=number(-math.inf))
        return _where(trace, step, never)
    if trace.semiring == "max":
        best = _best(trace, step, allowed, notation)
        return _where(trace, step, join(best, say(f"total.best-{space}")))
    summed = f"{number(step.log_value)} = {notation.whole}"
    return _where(trace, step, _merged("total", trace, allowed, notation, summed))


def _backtrace(trace: Trace, step: Step, notation: Notation) -> str:
    here = {"tag": _name(trace, step.row), "n": step.token + 1, "word": _bare(trace, step.token)}
    if step.from_row is None:
        text = say("back.end", **here)
    else:
        after, following = _name(trace, step.from_row), _bare(trace, step.token + 1)
        text = say("back.pointer", **here, after=after, next=following)
    if step.token > 0:
        return text
    best = step.best_prefix or ()
    path = " ".join(_name(trace, row) for row in best)
    whole = say(
        "back.long" if len(best) > 12 else "back.path",
        path=path,
        result=notation.word("result"),
        value=notation.number(trace.log_total),
    )
    return join(text, whole)
