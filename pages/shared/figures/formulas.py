"""A recursion as a formula: its first column, its step and its end, in any of its forms.

The symbols have the colours and names of the stepper's equations, so that a reader finds each again
with its numbers. Going backward, the dash is at the later tag, which is summed out.
"""

from crf.figures.trellis.notation import Notation, symbol_of
from crf.steps import Trace
from crf.steps.conventions import convention_of
from pages.shared.figures.text import say

_FROM, _HERE = "<i>s</i>′", "<i>s</i>"
_T, _BEFORE, _AFTER, _LAST = "<i>t</i>", "<i>t</i>−1", "<i>t</i>+1", "<i>m</i>"


def symbol(role: str, text: str) -> str:
    """Text as HTML in a role's colour: p earlier cell, t transition, e emission, x start, end."""
    return f'<span class="crf-role-{role} crf-nowrap">{text}</span>'


def recursion(trace: Trace, notation: Notation) -> str:
    """The recursion of a trace in symbols: its first column, a step (Viterbi: two), the end."""
    writer = _Writer(trace, notation)
    lines, aside = writer.backward() if trace.algorithm == "backward" else writer.forward()
    rows = "".join(f"<div>{line}</div>" for line in lines)
    if aside:
        rows += f'<div><span class="crf-note">{aside}</span></div>'
    notes = []
    if trace.transitions is None and trace.convention != "pair" and trace.num_columns > 1:
        notes.append(say("formula.own-tables"))
    if convention_of(trace).first:  # the first token has no column
        notes.append(say(f"formula.message-{trace.semiring}"))
    if not notation.is_log:
        notes.append(_factors(trace, notation))
    below = "".join(f'<p class="crf-note">{text}</p>' for text in notes)
    return f'<div class="crf-formula crf-recursion">{rows}</div>{below}'


def _factors(trace: Trace, notation: Notation) -> str:
    """The factors of a path's potential, each with the score that it is exp of."""
    move = ", ".join((_HERE, _FROM) if trace.algorithm == "backward" else (_FROM, _HERE))
    named = (
        *([] if notation.rooted else [("x", "σ = exp(start)")]),
        ("e", f"ψ<sub>{_T}</sub>({_HERE}) = exp(e[{_T}, {_HERE}])"),
        ("t", f"ψ({move}) = exp(T[{move}])"),
        *([] if notation.rooted else [("x", "ε = exp(end)")]),
    )
    return ", ".join(symbol(role, name) for role, name in named) + "."


class _Writer:
    """Writes the lines of a recursion, and the legend below them."""

    def __init__(self, trace: Trace, notation: Notation) -> None:
        self.n, self.is_sum, self.form = notation, trace.semiring == "sum", trace.convention
        self.symbol = symbol_of(trace, notation)
        self.whole = f"<b>{notation.whole if self.is_sum else notation.word('best')}</b>"
        self.side = "t" if notation.rooted else "x"  # the colour of start and end
        self.log = "log " if notation.is_log else ""

    def cell(self, index: str, at: str = _HERE) -> str:
        return symbol("p", f"{self.symbol}<sub>{index}</sub>({at})")

    def emission(self, index: str, at: str = _HERE) -> str:
        name, places = self.n.emission, (index, at)
        if not self.n.is_log:
            name, places = f"{name}<sub>{index}</sub>", (at,)
        return symbol("e", self.n.entry(name, *places))

    def move(self, *places: str) -> str:
        return symbol("t", self.n.entry(self.n.transition, *places))

    def start(self, at: str = _HERE) -> str:
        return symbol(self.side, self.n.end_entry("start", at))

    def end(self, at: str = _HERE) -> str:
        return symbol(self.side, self.n.end_entry("end", at))

    def joined(self, *factors: str) -> str:
        return self.n.joint.join(factors)

    def merged(self, over: str, *factors: str, best: str = "max") -> str:
        """⨁ over a tag of a product: log Σ exp, Σ or max."""
        left, right = self.n.brackets
        inside = f"{left} {self.joined(*factors)} {right}"
        if not self.is_sum:
            return f"{best}<sub>{over}</sub> {inside}"
        return f"{self.log}Σ<sub>{over}</sub> {'exp' if self.log else ''}{inside}"

    def forward(self) -> tuple[list[str], str]:
        move, own = self.move(_FROM, _HERE), self.emission(_T)
        before, first = self.cell(_BEFORE, _FROM), self.joined(self.start(), self.emission("1"))
        psi, aside = f"{self.log}ψ({_FROM}, {_HERE}, {_T})", ""
        if self.form == "state":
            ways = [before, move]
            step = self.joined(self.merged(_FROM, *ways), own)
            last = [self.cell(_LAST), self.end()]
        elif self.form == "message":
            ways = [before, self.emission(_T, _FROM), move]
            first = self.merged(_FROM, self.start(_FROM), self.emission("1", _FROM), move)
            step = self.merged(_FROM, *ways)
            last = [self.cell(f"{_LAST}−1"), self.emission(_LAST), self.end()]
        else:
            ways = [before, psi]
            first = f"{self.log}ψ(*, {_HERE}, 1) = {first}"
            step, last = self.merged(_FROM, *ways), [self.cell(_LAST)]
            aside = say("formula.pair", psi=psi, parts=self.joined(move, own), end=self.end())
        lines = [f"{self.cell('1')} = {first}", f"{self.cell(_T)} = {step}"]
        if not self.is_sum:
            pointer = symbol("p", f"κ<sub>{_T}</sub>({_HERE})")
            lines.append(f"{pointer} = {self.merged(_FROM, *ways, best='argmax')}")
        return [*lines, f"{self.whole} = {self.merged(_HERE, *last)}"], aside

    def backward(self) -> tuple[list[str], str]:
        move, after = self.move(_HERE, _FROM), self.cell(_AFTER, _FROM)
        first, aside = [self.start(), self.emission("1"), self.cell("1")], ""
        if self.form == "state":
            last, step = self.end(), [move, self.emission(_AFTER, _FROM), after]
        elif self.form == "message":
            last = self.merged(_FROM, self.emission(_LAST, _FROM), move, self.end(_FROM))
            step = [self.emission(_T, _FROM), move, after]
            first[-1] = self.cell("2")
            aside = say("formula.backward", s=_HERE, before=_BEFORE)
        else:
            psi = f"{self.log}ψ({_HERE}, {_FROM}, {_AFTER})"
            last, step = "0" if self.n.is_log else "1", [psi, after]
            first = [f"{self.log}ψ(*, {_HERE}, 1)", self.cell("1")]
            parts = self.joined(move, self.emission(_AFTER, _FROM))
            aside = say("formula.pair", psi=psi, parts=parts, end=self.end(_FROM))
        return [
            f"{self.cell(_LAST)} = {last}",
            f"{self.cell(_T)} = {self.merged(_FROM, *step)}",
            f"{self.whole} = {self.merged(_HERE, *first)}",
        ], aside
