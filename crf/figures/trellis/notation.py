"""Two ways to write the numbers of a trace: log-scores that are added, potentials multiplied.

Both are made from the same log-score: a potential is its exponential, and no float has to hold it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ...steps import Trace
from ..numbers import format_potential, format_score
from ..words import fill, words

Space = Literal["log", "probability"]
ROOT, EOS = "ROOT", "EOS"  # what some textbooks call START and END, as tags


def say(name: str, /, **facts: Any) -> str:
    """Return a sentence of narration.md, "table.case", its holes filled."""
    return fill(words(Path(__file__).parent, file="narration")[name], **facts)


@dataclass(frozen=True)
class Notation:
    """How numbers and symbols are written."""

    number: Callable[[float], str]  # text of a log-score
    joint: str  # what stands between the parts of a term
    transition: str  # symbol of a transition
    emission: str  # symbol of an emission
    start: str  # symbol of a start score
    end: str  # symbol of an end score
    whole: str  # what the total of a sum is called
    space: Space  # its name
    rooted: bool = False  # whether START and END are tags, ROOT and EOS, and theirs transitions

    @property
    def is_log(self) -> bool:
        """Whether numbers are log-scores."""
        return self.space == "log"

    def word(self, what: str) -> str:
        """Its word for the "result" of a path, the "best" one, and terms "merged"."""
        return say(f"{what}.{self.space}")

    def behind(self, nats: float) -> str:
        """How far a term is behind, in words."""
        if not self.is_log:
            return say("behind.probability", gap=format_potential(nats))
        return say("behind.log", gap=format_score(nats)) if nats >= 0.005 else say("behind.tiny")

    def entry(self, name: str, *places: str) -> str:
        """A number's name and place: a score is in a table, a potential a function's value.

        Example:
            >>> LOG.entry("T", "DET", "NOUN"), PROBABILITY.entry("ψ", "DET", "NOUN")
            ('T[DET, NOUN]', 'ψ(DET, NOUN)')
        """
        left, right = "[]" if self.is_log else "()"
        return f"{name}{left}{', '.join(places)}{right}"

    def end_entry(self, side: str, tag: str) -> str:
        """A score of the start or the end.

        Example:
            >>> LOG.end_entry("start", "DET")
            'start[DET]'
            >>> notation_of("probability", rooted=True).end_entry("end", "DET")
            'ψ(DET, EOS)'
        """
        if not self.rooted:
            return self.entry(getattr(self, side), tag)
        return self.entry(self.transition, *((ROOT, tag) if side == "start" else (tag, EOS)))

    @property
    def brackets(self) -> str:
        """What a sum or maximum over tags has around it: not what entries have."""
        return "()" if self.is_log else "[]"

    def joined(self, values: Sequence[float]) -> str:
        """The parts of a term written out.

        Example:
            >>> LOG.joined([4.5, -3, 2]), LOG.joined([])
            ('4.50 − 3.00 + 2.00', '0.00')
            >>> PROBABILITY.joined([0, -3])
            '1 · 0.0498'
        """
        first, *rest = map(self.number, values or [0.0])
        if not self.is_log:
            return self.joint.join([first, *rest])
        return first + "".join(f" − {n[1:]}" if n[0] == "−" else f" + {n}" for n in rest)


LOG = Notation(
    number=format_score,
    joint=" + ",
    transition="T",
    emission="e",
    start="start",
    end="end",
    whole="log Z",
    space="log",
)
PROBABILITY = Notation(
    number=format_potential,
    joint=" · ",
    transition="ψ",
    emission="ψ",
    start="σ",
    end="ε",
    whole="Z",
    space="probability",
)
NOTATIONS = {"log": LOG, "probability": PROBABILITY}


def notation_of(space: Space, *, rooted: bool = False) -> Notation:
    """The notation of a space; `rooted`: with ROOT and EOS."""
    return replace(NOTATIONS[space], rooted=rooted)


_LETTERS = {"state": ("α̂", "δ"), "message": ("α", "v"), "pair": ("α", "δ")}  # of sum and maximum


def symbol(algorithm: str, form: str, semiring: str, notation: Notation) -> str:
    """What the lessons call a cell: of a sum a potential, of a maximum a log-score."""
    letters = ("β", "max-β") if algorithm == "backward" else _LETTERS[form]
    if semiring == "sum":
        return f"log {letters[0]}" if notation.is_log else letters[0]
    return letters[1] if notation.is_log else f"exp {letters[1]}"


def symbol_of(trace: Trace, notation: Notation) -> str:
    """What the lessons call a cell of this table."""
    return symbol(trace.algorithm, trace.convention, trace.semiring, notation)
