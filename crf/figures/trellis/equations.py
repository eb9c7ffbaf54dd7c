"""The equation of a step, and a note: each number of the trace a text in the colour of its role.

A line of an equation is a list of pieces: a string is plain text, {role, number} a number that the
step reads, {role, text, sub, rest} a symbol, and {psi, name} a group of pieces with a name beneath.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...steps import Part, Step, Term, Trace
from ...steps.conventions import convention_of
from ..numbers import format_potential, format_score
from .narration import is_first, printable
from .notation import LOG, Notation, say, symbol_of

ROLES = ("previous", "transition", "emission", "start", "end")
CLASSES = ("p", "t", "e", "x", "x")  # colour class of each role


class Writer:
    """Writes the equations of a trace's steps.

    Args:
        trace: whose steps are written.
        notation: how its numbers are.
    """

    def __init__(self, trace: Trace, notation: Notation = LOG) -> None:
        self.trace, self.notation = trace, notation
        self.number = notation.number
        self.symbol = symbol_of(trace, notation)
        self.names = [printable(tag) for tag in trace.tags]
        self.is_sum = trace.semiring == "sum"
        self.allowed = "-allowed" if trace.forbids else ""
        self.backward = trace.algorithm == "backward"
        self.first = convention_of(trace).number

    def step(self, step: Step) -> dict[str, Any]:
        """One step's equation, two lines of pieces, and the note under it."""
        if step.kind == "backtrace":
            return self._pointing(step)
        return {"equation": [self._formula(step), self._numbers(step)], "note": self._note(step)}

    def path(self, stairs: Sequence[Mapping[str, Any]], score: float) -> dict[str, Any]:
        """The equation of a path: its scores, and their sum.

        Args:
            stairs: From `picture.stairs`.
            score: Their sum.
        """
        scores = [self._number(step["kind"], step["score"]) for step in stairs]
        result = _symbol("result", self.number(score))
        name = self.notation.word("result")
        return {"equation": [[name, " = ", *self._joined(scores), " = ", result]], "note": ""}

    def _number(self, role: str, value: float) -> dict[str, str]:
        return {"role": CLASSES[ROLES.index(role)], "number": self.number(value)}

    def _read(self, part: Part) -> dict[str, str]:
        return self._number(part.role, part.value)

    def _formula(self, step: Step) -> list:
        """The recursion for this step, in symbols."""
        if step.kind == "total":
            left: Any = self.notation.whole if self.is_sum else self.notation.word("best")
        else:
            place = str(step.column + self.first)
            left = _symbol("p", self.symbol, place, f"({self.names[step.row]})")
        tag = self.names[step.row] if step.row >= 0 else "s′"
        joint = self.notation.joint
        added = [piece for part in step.added for piece in (joint, self._factor(part, tag, tag))]
        if is_first(step):
            inner = [self._factor(part, tag, tag) for part in step.terms[0].parts]
            return [left, " = ", *(self._joined(inner) or [self.number(0.0)]), *added]
        inner = self._inner(step, tag)
        opened, closed = self.notation.brackets
        over = _symbol("op", "Σ" if self.is_sum else "max", "s′")
        if self.is_sum and self.notation.is_log:
            return [left, " = log ", over, f" exp{opened} ", *inner, f" {closed}", *added]
        if self.is_sum and not added:
            return [left, " = ", over, " ", *inner]
        return [left, " = ", over, f" {opened} ", *inner, f" {closed}", *added]

    def _inner(self, step: Step, tag: str) -> list:
        """One term in symbols; in pair form the parts of ψ stand together under their name."""
        parts = step.terms[0].parts
        pieces = [
            self._factor(part, tag, "s′" if self._varies(step.terms, k) else tag)
            for k, part in enumerate(parts)
        ]
        psi = [k for k, part in enumerate(parts) if part.role != "previous"]
        if self.trace.convention != "pair" or step.kind == "total":
            return self._joined(pieces)
        token = step.token + 1 + self.backward
        ends = f"{tag}, s′" if self.backward else f"s′, {tag}"
        label = f"{'log ' if self.notation.is_log else ''}ψ({ends}, {token})"
        group = {"psi": self._joined([pieces[k] for k in psi]), "name": label}
        before, after = pieces[: psi[0]], pieces[psi[-1] + 1 :]
        return self._joined([*before, group, *after])

    def _varies(self, terms: Sequence[Term], k: int) -> bool:
        first = terms[0].parts[k].at
        return len(terms) == 1 or any(term.parts[k].at != first for term in terms)

    def _factor(self, part: Part, tag: str, at: str) -> dict[str, str]:
        """A part in symbols: `tag` is the cell's, `at` the tag that the part is read at."""
        colour = CLASSES[ROLES.index(part.role)]
        if part.role in ("start", "end"):
            colour = "t" if self.notation.rooted else colour
            return _symbol(colour, self.notation.end_entry(part.role, at))
        if part.role == "previous":
            return _symbol(colour, self.symbol, str(part.at[0] + self.first), f"({at})")
        entry, token = self.notation.entry, str(part.at[0] + 1)
        if part.role == "transition":
            places = (tag, at) if self.backward else (at, tag)
            return _symbol(colour, entry(self.notation.transition, *places))
        if self.notation.is_log:
            return _symbol(colour, entry(self.notation.emission, token, at))
        return _symbol(colour, self.notation.emission, token, f"({at})")

    def _numbers(self, step: Step) -> list:
        """The same with the numbers in their places."""
        added = [self._read(part) for part in step.added]
        if is_first(step):
            body = [*(self._read(part) for part in step.terms[0].parts), *added]
        elif step.backpointer is not None:
            winner = next(term for term in step.terms if term.source == step.backpointer)
            body = [*(self._read(part) for part in winner.parts), *added]
        else:
            body = [_symbol("sum", self.number(step.log_sum)), *added] if added else []
        result = _symbol("result", self.number(step.log_value))
        return ["= ", *self._joined(body), " = ", result] if len(body) > 1 else ["= ", result]

    def _note(self, step: Step) -> str:
        """How many paths meet here, and the value in the other space."""
        if step.log_value == -math.inf:
            return say("note.never")
        kind = "path" if step.kind == "total" else "suffix" if self.backward else "prefix"
        paths = say(f"paths.{kind}{self.allowed}", n=step.prefixes)
        if not self.is_sum:
            return say("note.best" if step.prefixes > 1 else "note.only", paths=paths)
        score, potential = format_score(step.log_value), format_potential(step.log_value)
        return say("note.sum", score=score, potential=potential, paths=paths)

    def _pointing(self, step: Step) -> dict[str, Any]:
        """A backtrace step: the tag that a backpointer names."""
        row = self.names[step.row]
        if step.from_row is None:
            pointer = _symbol("", say("note.last-tag"))
        else:
            pointer = _symbol("p", "κ", str(step.token + 2), f"({self.names[step.from_row]})")
        tag = _symbol("p", "y", str(step.token + 1))
        return {"equation": [[tag, " = ", pointer, " = ", _symbol("result", row)]], "note": ""}

    def _joined(self, pieces: Sequence) -> list:
        return [item for piece in pieces for item in (self.notation.joint, piece)][1:]


def _symbol(role: str, text: str, sub: str = "", rest: str = "") -> dict[str, str]:
    """A symbol with its subscript and what follows it, in the colour of its role."""
    more = {"sub": sub, "rest": rest}
    return {"role": role, "text": text} | {name: part for name, part in more.items() if part}
