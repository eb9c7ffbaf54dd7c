"""A trace told in sentences: what each step did, with its numbers.

`sentences(trace)` gives one string per step of a `crf.trace.Trace`. All numbers come from the
trace; nothing is computed again, only rounded to two decimals.
"""

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pages.figures.theme import number

if TYPE_CHECKING:
    from crf.steps import Step, Term, Trace


def total(values: Sequence[float]) -> str:
    """A sum written out: its terms joined by their signs.

    Example:
        >>> total([4.5, -3, 2])
        '4.50 − 3.00 + 2.00'
    """
    first, *rest = map(number, values or [0.0])
    return first + "".join(f" − {n[1:]}" if n[0] == "−" else f" + {n}" for n in rest)


def whole_percent(share: float) -> str:
    """A share as a percentage that never rounds a part to nothing or to everything.

    Example:
        >>> whole_percent(0.876), whole_percent(1e-7), whole_percent(0.9999), whole_percent(1.0)
        ('88 %', '<1 %', '>99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


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


def sentences(trace: "Trace") -> list[str]:
    """One sentence (or a few) for each step of the trace, in order.

    Args:
        trace: any algorithm, convention and semiring.

    Returns:
        As many strings as the trace has steps.
    """
    flips = changes_of_mind(trace)
    tellers = {"cell": _cell, "total": _total, "backtrace": _backtrace}
    told = []
    for index, step in enumerate(trace.steps):
        text = tellers[step.kind](trace, step)
        told.append(f"{text} {flips[index]}" if index in flips else text)
    return told


def changes_of_mind(trace: "Trace") -> dict[int, str]:
    """Where the best prefix is not a continuation of the one before, and how to say it.

    Args:
        trace: of a max recursion that runs forward; for others nothing is reported.

    Returns:
        Step index → sentence. A change is reported at the last cell of its column, when
        the column is complete, or at the total, when the end scores overturn the last column.
    """
    before, found, column = (), {}, {}
    if trace.semiring != "max" or trace.algorithm == "backward":
        return found
    for index, step in enumerate(trace.steps):
        if step.kind == "backtrace":
            break
        column[step.log_value] = column.get(step.log_value, step)
        if step.kind == "cell" and step.row < len(trace.tags) - 1:
            continue
        now = tuple(column[max(column)].best_prefix or ())
        column = {}
        if now[: len(before)] != before and now:
            was, is_now = _apart(before, now, trace.tags)
            found[index] = f"The best prefix changed its mind: was {was}, now {is_now}."
        before = now
    return found


def _apart(old: tuple, new: tuple, tags: Sequence[str]) -> tuple[str, str]:
    """The two prefixes in words, from just before the tag where they part."""
    parting = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    start = parting - 1 if parting > 2 else 0
    lead = "… " if start else ""
    return tuple(lead + " ".join(printable(tags[i]) for i in rows[start:]) for rows in (old, new))


def _quoted(trace: "Trace", token: int) -> str:
    return f"‘{printable(trace.tokens[token])}’"


def _name(trace: "Trace", row: int) -> str:
    """The tag of a row; −1 is the boundary that the recursion starts from."""
    if row < 0:
        return "END" if trace.algorithm == "backward" else "START"
    return printable(trace.tags[row])


def _cell(trace: "Trace", step: "Step") -> str:
    where = f"Token {step.token + 1} {_quoted(trace, step.token)}, {_name(trace, step.row)}: "
    if is_first(step):
        outside = "follows it" if trace.algorithm == "backward" else "comes before it"
        parts = [*step.terms[0].parts, *step.added]
        names = " + ".join(part.role for part in parts)
        written = total([part.value for part in parts])
        result = f" = {number(step.log_value)}" if len(parts) > 1 else ""
        return f"{where}nothing {outside}; {names + ' = ' if names else ''}{written}{result}."
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    if not allowed:
        return f"{where}no allowed path reaches it: −∞."
    if step.log_value == -math.inf:
        return f"{where}the tag itself is forbidden here, its emission is −∞."
    if trace.semiring == "max":
        return where + _best(trace, step, allowed)
    summed = total([step.log_sum, *(part.value for part in step.added)])
    result = f" = {number(step.log_value)}" if step.added else ""
    text = f"log-sum-exp of {_terms(len(allowed))}: {summed}{result}"
    if len(allowed) > 1:
        text += f"; {_largest_share(trace, allowed)}"
    return f"{where}{text}."


def is_first(step: "Step") -> bool:
    """Whether nothing but START (going backward: END) leads into the step."""
    return len(step.terms) == 1 and step.terms[0].source < 0


def _terms(count: int) -> str:
    return "1 term" if count == 1 else f"{count} terms"


def _largest_share(trace: "Trace", allowed: Sequence["Term"]) -> str:
    largest = max(allowed, key=lambda term: term.share)
    if largest.share - min(term.share for term in allowed) < 1e-9:
        return "each brings the same share"
    return f"{_name(trace, largest.source)} brings {whole_percent(largest.share)} of the sum"


def _best(trace: "Trace", step: "Step", allowed: Sequence["Term"]) -> str:
    """The winner of a maximum, its sum, and how far the next one is behind."""
    winner = next(term for term in allowed if term.source == step.backpointer)
    parts = [part.value for part in (*winner.parts, *step.added)]
    result = number(step.log_value)
    equation = f"{total(parts)} = {result}" if len(parts) > 1 else result
    name, toward = _name(trace, winner.source), "to" if trace.algorithm == "backward" else "from"
    if len(step.ties) > 1:
        names = [_name(trace, row) for row in step.ties]
        tied = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return f"{tied} tie; the first, {name}, is taken: {equation}."
    rest = [term for term in allowed if term is not winner]
    if not rest:
        return f"the only way is {toward} {name}: {equation}."
    second = max(rest, key=lambda term: term.log_value)
    behind = number(winner.log_value - second.log_value)
    runner_up = f"runner-up {_name(trace, second.source)} is {behind} nats behind"
    return f"best {toward} {name}: {equation}; {runner_up}."


def _total(trace: "Trace", step: "Step") -> str:
    where = "START: " if trace.algorithm == "backward" else "END: "
    if is_first(step):
        return f"{where}no token is in the chain; its one path is empty, with score 0.00."
    allowed = [term for term in step.terms if term.log_value > -math.inf]
    if not allowed:
        what = "the best score" if trace.semiring == "max" else "log Z"
        return f"{where}no path is allowed, {what} is −∞."
    if trace.semiring == "max":
        return f"{where}{_best(trace, step, allowed)} This is the score of the best path."
    text = f"log-sum-exp of {_terms(len(allowed))} = {number(step.log_value)} = log Z"
    return f"{where}{text}; {_largest_share(trace, allowed)}."


def _backtrace(trace: "Trace", step: "Step") -> str:
    name, token = _name(trace, step.row), _quoted(trace, step.token)
    if step.from_row is None:
        text = (
            f"Backtrace: the best last tag is {name}, so token {step.token + 1} {token} is {name}."
        )
    else:
        following = _quoted(trace, step.token + 1)
        text = (
            f"Backtrace: the back-pointer of {_name(trace, step.from_row)} at {following} "
            f"says {name} for token {step.token + 1} {token}."
        )
    if step.token > 0:
        return text
    score = f"score {number(trace.log_total)}"
    if len(step.best_prefix) > 12:
        return f"{text} The best path is complete, {score}."
    return (
        f"{text} The best path: {' '.join(_name(trace, row) for row in step.best_prefix)}, {score}."
    )
