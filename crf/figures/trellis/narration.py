"""A trace told in sentences: what each step did, with its numbers.

`sentences(trace)` gives one string per step of a `crf.trace.Trace`, as log-scores or potentials;
`questions(trace)` asks for what the step is about to show. All numbers come from the trace; nothing
is computed again, only rounded.
"""

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from ...steps import Step, Term, Trace
from .flips import flips
from .notation import NOTATIONS, Notation, Space


def whole_percent(share: float) -> str:
    """A share as a percentage that never rounds a part to nothing or to everything.

    Example:
        >>> whole_percent(0.876), whole_percent(1e-7), whole_percent(0.9999), whole_percent(1.0)
        ('88 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


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
    told = [tellers[step.kind](trace, step, notation) for step in trace.steps]
    for step, _, old, new in flips(trace):
        was, now = _apart(old, new, trace.tags)
        told[step] += f" Change of mind: {was} → {now}."
    return told


def questions(trace: Trace) -> list[str]:
    """What to ask before each step is shown."""
    return [_question(trace, step) for step in trace.steps]


def is_guessed(step: Step) -> bool:
    """Whether there is something to choose from: two ways in, or more, that are allowed."""
    return sum(term.log_value > -math.inf for term in step.terms) > 1


def _question(trace: Trace, step: Step) -> str:
    where = _where(trace, step)
    if step.kind == "backtrace":
        return f"Backtrace: which tag has token {step.token + 1} {_bare(trace, step.token)}?"
    if not is_guessed(step):
        return f"{where}what is its value?"
    if trace.semiring == "max":
        way = "to" if trace.algorithm == "backward" else "from"
        return f"{where}the best way is {way} which tag?"
    return f"{where}which term brings the largest share?"


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
    place = f"token {t + 1} " if tokens.count(tokens[t]) > 1 else ""
    return f"{place}‘{printable(tokens[t])}’"


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
    return f"‘{printable(trace.tokens[token])}’"


def _name(trace: Trace, row: int) -> str:
    """The tag of a row; −1 is the boundary that the recursion starts from."""
    if row < 0:
        return "END" if trace.algorithm == "backward" else "START"
    return printable(trace.tags[row])


def _where(trace: Trace, step: Step) -> str:
    if step.kind == "total":
        return "START: " if trace.algorithm == "backward" else "END: "
    message = "Message to token" if trace.convention == "message" else "Token"
    return f"{message} {step.token + 1} {_bare(trace, step.token)}, {_name(trace, step.row)}: "


def _cell(trace: Trace, step: Step, notation: Notation) -> str:
    where, number = _where(trace, step), notation.number
    if is_first(step):
        outside = "follows it" if trace.algorithm == "backward" else "comes before it"
        parts = [*step.terms[0].parts, *step.added]
        names = notation.joint.join(part.role for part in parts)
        written = notation.joined([part.value for part in parts])
        result = f" = {number(step.log_value)}" if len(parts) > 1 else ""
        return f"{where}nothing {outside}; {names + ' = ' if names else ''}{written}{result}."
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    if not allowed:
        way = "goes on from it" if trace.algorithm == "backward" else "reaches it"
        return f"{where}no allowed path {way}: {number(-math.inf)}."
    if step.log_value == -math.inf:
        zero = number(-math.inf)
        return f"{where}the tag itself is forbidden here, its emission is {zero}."
    if trace.semiring == "max":
        return where + _best(trace, step, allowed, notation)
    summed = notation.joined([step.log_sum, *(part.value for part in step.added)])
    result = f" = {number(step.log_value)}" if step.added else ""
    text = f"{notation.merged} of {_terms(len(allowed))}: {summed}{result}"
    if len(allowed) > 1:
        text += f"; {_largest_share(trace, allowed)}"
    return f"{where}{text}."


def is_first(step: Step) -> bool:
    """Whether nothing but START (going backward: END) leads into the step."""
    return len(step.terms) == 1 and step.terms[0].source < 0


def _terms(count: int) -> str:
    return "1 term" if count == 1 else f"{count} terms"


def _largest_share(trace: Trace, allowed: Sequence[Term]) -> str:
    largest = max(allowed, key=lambda term: term.share)
    if largest.share - min(term.share for term in allowed) < 1e-9:
        return "each brings the same share"
    return f"{_name(trace, largest.source)} brings {whole_percent(largest.share)} of the sum"


def _best(trace: Trace, step: Step, allowed: Sequence[Term], notation: Notation) -> str:
    """The winner of a maximum, its sum, and how far the next one is behind."""
    winner = next(term for term in allowed if term.source == step.backpointer)
    parts = [part.value for part in (*winner.parts, *step.added)]
    result = notation.number(step.log_value)
    equation = f"{notation.joined(parts)} = {result}" if len(parts) > 1 else result
    name, toward = _name(trace, winner.source), "to" if trace.algorithm == "backward" else "from"
    if len(step.ties) > 1:
        names = [_name(trace, row) for row in step.ties]
        tied = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        first = winner.source == step.ties[0]  # else rounding has chosen
        return f"{tied} tie; {f'the first, {name},' if first else name} is taken: {equation}."
    rest = [term for term in allowed if term is not winner]
    if not rest:
        return f"the only way is {toward} {name}: {equation}."
    second = max(rest, key=lambda term: term.log_value)
    behind = notation.behind(winner.log_value - second.log_value)
    runner_up = f"runner-up {_name(trace, second.source)} is {behind}"
    return f"best {toward} {name}: {equation}; {runner_up}."


def _total(trace: Trace, step: Step, notation: Notation) -> str:
    where, number, result = _where(trace, step), notation.number, notation.result
    if is_first(step):
        empty = f"with {result} {number(step.log_value)}"
        return f"{where}no token is in the chain; its one path is empty, {empty}."
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    if not allowed:
        what = f"the {notation.best}" if trace.semiring == "max" else notation.whole
        return f"{where}no path is allowed, {what} is {number(-math.inf)}."
    if trace.semiring == "max":
        best = _best(trace, step, allowed, notation)
        return f"{where}{best} This is the {result} of the best path."
    merged = f"{notation.merged} of {_terms(len(allowed))}"
    text = f"{merged} = {number(step.log_value)} = {notation.whole}"
    share = f"; {_largest_share(trace, allowed)}" if len(allowed) > 1 else ""
    return f"{where}{text}{share}."


def _backtrace(trace: Trace, step: Step, notation: Notation) -> str:
    name, token = _name(trace, step.row), _bare(trace, step.token)
    if step.from_row is None:
        text = (
            f"Backtrace: the best last tag is {name}, so token {step.token + 1} {token} is {name}."
        )
    else:
        following = _bare(trace, step.token + 1)
        text = (
            f"Backtrace: the backpointer of {_name(trace, step.from_row)} at {following} "
            f"says {name} for token {step.token + 1} {token}."
        )
    if step.token > 0:
        return text
    score = f"{notation.result} {notation.number(trace.log_total)}"
    best = step.best_prefix or ()
    if len(best) > 12:
        return f"{text} The best path is complete, {score}."
    return f"{text} The best path: {' '.join(_name(trace, row) for row in best)}, {score}."
