"""A recursion as a formula: its first column, its step and its end, in any of its forms.

The symbols have the colours and names of the stepper's equations, so that a reader finds each again
with its numbers.
"""

from collections.abc import Sequence

from crf.figures.trellis.notation import LOG, NOTATIONS, PROBABILITY, Notation, Space, symbol_of
from crf.steps import Trace

_FROM, _HERE = "<i>s</i>′", "<i>s</i>"


def recursion(trace: Trace, space: Space) -> str:
    """The recursion of a trace, in symbols.

    Args:
        trace: Whose convention and semiring the formula has.
        space: Whether scores are added or potentials multiplied.

    Returns:
        HTML: one line each for the first column, a step, and the end; for Viterbi one more for the
        backpointers.
    """
    lines = _lines(trace, NOTATIONS[space])
    notes = _form(trace) + ([_factors(trace)] if NOTATIONS[space] is PROBABILITY else [])
    forms = "".join(f'<p class="crf-note">{text}</p>' for text in notes)
    return f'<div class="crf-formula crf-recursion">{lines}</div>{forms}'


def _factors(trace: Trace) -> str:
    """The factors of a path's potential, each with the score that it is exp of."""
    move = ", ".join((_HERE, _FROM) if trace.algorithm == "backward" else (_FROM, _HERE))
    named = (
        ("x", "σ = exp(start)"),
        ("e", f"ψ<sub><i>t</i></sub>({_HERE}) = exp(e[<i>t</i>, {_HERE}])"),
        ("t", f"ψ({move}) = exp(T[{move}])"),
        ("x", "ε = exp(end)"),
    )
    return ", ".join(symbol(role, name) for role, name in named) + "."


def _lines(trace: Trace, notation: Notation) -> str:
    direction = _Backward if trace.algorithm == "backward" else _Forward
    return "".join(f"<div>{line}</div>" for line in direction(trace, notation).lines())


def _form(trace: Trace) -> list[str]:
    """What the message form's symbol stands for; that T is not one table, where it is not."""
    steps = []
    if trace.transitions is None and trace.convention != "pair" and trace.num_columns > 1:
        steps = ["Each step has a transition table of its own here: the one of the step counts."]
    if trace.convention != "message" or trace.algorithm == "backward":
        return steps
    letter, of = ("v", "δ") if trace.semiring == "max" else ("α", "α̂")
    return [
        *steps,
        f"{letter} is {of} in message form: without its own token’s emission, with the transition "
        "into its tag.",
    ]


class _Lines:
    def __init__(self, trace: Trace, notation: Notation) -> None:
        self.n, self.is_sum, self.form = notation, trace.semiring == "sum", trace.convention
        self.symbol = symbol_of(trace, notation)
        whole = notation.whole if self.is_sum else notation.word("best")
        self.whole = f"<b>{whole}</b>"

    def lines(self) -> list[str]:
        return {"state": self._state, "message": self._message, "pair": self._pair}[self.form]()

    def _state(self) -> list[str]:
        raise NotImplementedError

    def _message(self) -> list[str]:
        raise NotImplementedError

    def _pair(self) -> list[str]:
        raise NotImplementedError

    # ------------------------------------------------------------------ symbols

    def _cell(self, index: str, at: str) -> str:
        return symbol("p", f"{self.symbol}<sub>{index}</sub>({at})")

    def _last(self) -> str:
        return self._cell("<i>m</i>", _HERE)

    def _move(self, source: str = _FROM, target: str = _HERE) -> str:
        return symbol("t", self.n.entry(self.n.transition, source, target))

    def _emission(self, index: str, at: str) -> str:
        if self.n is LOG:
            return symbol("e", self.n.entry(self.n.emission, index, at))
        return symbol("e", self.n.entry(f"{self.n.emission}<sub>{index}</sub>", at))

    def _first(self, at: str) -> str:
        return self._emission("1", at)

    def _start(self, at: str) -> str:
        return symbol("x", self.n.entry(self.n.start, at))

    def _end(self, at: str = _HERE) -> str:
        return symbol("x", self.n.entry(self.n.end, at))

    def _joined(self, factors: Sequence[str]) -> str:
        return self.n.joint.join(factors)

    def _merged(self, over: str, factors: Sequence[str]) -> str:
        """⨁ over a tag of a product: log Σ exp, Σ or max."""
        inside = self._enclosed(factors)
        if not self.is_sum:
            return f"max<sub>{over}</sub> {inside}"
        if self.n is LOG:
            return f"log Σ<sub>{over}</sub> exp{inside}"
        return f"Σ<sub>{over}</sub> {inside}"

    def _enclosed(self, factors: Sequence[str]) -> str:
        left, right = self.n.brackets
        return f"{left} {self._joined(factors)} {right}"

    def _pointer(self, factors: Sequence[str]) -> list[str]:
        """The backpointer of a cell, where its recursion takes a maximum."""
        if self.is_sum:
            return []
        cell = symbol("p", f"κ<sub><i>t</i></sub>({_HERE})")
        return [f"{cell} = argmax<sub>{_FROM}</sub> {self._enclosed(factors)}"]


class _Forward(_Lines):
    def _state(self) -> list[str]:
        emission = self._emission("<i>t</i>", _HERE)
        ways = [self._cell("<i>t</i>−1", _FROM), self._move()]
        step = self._merged(_FROM, ways)
        return [
            f"{self._cell('1', _HERE)} = {self._joined([self._start(_HERE), self._first(_HERE)])}",
            f"{self._cell('<i>t</i>', _HERE)} = {self._joined([step, emission])}",
            *self._pointer(ways),
            f"{self.whole} = {self._merged(_HERE, [self._last(), self._end()])}",
        ]

    def _message(self) -> list[str]:
        start, move = self._start(_FROM), self._move()
        emission = self._emission("<i>t</i>", _FROM)
        before = self._cell("<i>t</i>−1", _FROM)
        last = [self._cell("<i>m</i>−1", _HERE), self._emission("<i>m</i>", _HERE), self._end()]
        first = self._merged(_FROM, [start, self._first(_FROM), move])
        ways = [before, emission, move]
        return [
            f"{self._cell('1', _HERE)} = {first}",
            f"{self._cell('<i>t</i>', _HERE)} = {self._merged(_FROM, ways)}",
            *self._pointer(ways),
            f"{self.whole} = {self._merged(_HERE, last)}",
        ]

    def _pair(self) -> list[str]:
        log = "log " if self.n is LOG else ""
        step = [self._cell("<i>t</i>−1", _FROM), f"{log}ψ({_FROM}, {_HERE}, <i>t</i>)"]
        parts = self._joined([self._move(), self._emission("<i>t</i>", _HERE)])
        first = self._joined([self._start(_HERE), self._first(_HERE)])
        return [
            f"{self._cell('1', _HERE)} = {log}ψ(*, {_HERE}, 1) = {first}",
            f"{self._cell('<i>t</i>', _HERE)} = {self._merged(_FROM, step)}",
            *self._pointer(step),
            f"{self.whole} = {self._merged(_HERE, [self._last()])}",
            f'<span class="crf-note">where {log}ψ({_FROM}, {_HERE}, <i>t</i>) = {parts}; ψ of '
            f"the last token also has {self._end()} in it.</span>",
        ]


class _Backward(_Lines):
    """From right to left; the dash is at the later tag, which is summed out."""

    def _state(self) -> list[str]:
        after = [self._move(_HERE, _FROM), self._emission("<i>t</i>+1", _FROM)]
        step = self._merged(_FROM, [*after, self._cell("<i>t</i>+1", _FROM)])
        return [
            f"{self._last()} = {self._end()}",
            f"{self._cell('<i>t</i>', _HERE)} = {step}",
            f"{self.whole} = {self._merged(_HERE, self._beginning('1'))}",
        ]

    def _message(self) -> list[str]:
        last = [self._emission("<i>m</i>", _FROM), self._move(_HERE, _FROM), self._end(_FROM)]
        here = [self._emission("<i>t</i>", _FROM), self._move(_HERE, _FROM)]
        step = self._merged(_FROM, [*here, self._cell("<i>t</i>+1", _FROM)])
        return [
            f"{self._last()} = {self._merged(_FROM, last)}",
            f"{self._cell('<i>t</i>', _HERE)} = {step}",
            f"{self.whole} = {self._merged(_HERE, self._beginning('2'))}",
            f'<span class="crf-note">{_HERE} is the tag of token <i>t</i>−1: what comes from the '
            "right is a message to it.</span>",
        ]

    def _pair(self) -> list[str]:
        log = "log " if self.n is LOG else ""
        psi = f"{log}ψ({_HERE}, {_FROM}, <i>t</i>+1)"
        step = [psi, self._cell("<i>t</i>+1", _FROM)]
        first = [f"{log}ψ(*, {_HERE}, 1)", self._cell("1", _HERE)]
        parts = [self._move(_HERE, _FROM), self._emission("<i>t</i>+1", _FROM)]
        return [
            f"{self._last()} = {'0' if self.n is LOG else '1'}",
            f"{self._cell('<i>t</i>', _HERE)} = {self._merged(_FROM, step)}",
            f"{self.whole} = {self._merged(_HERE, first)}",
            f'<span class="crf-note">where {psi} = {self._joined(parts)}; ψ of the last token '
            f"also has {self._end(_FROM)} in it.</span>",
        ]

    def _beginning(self, index: str) -> list[str]:
        return [self._start(_HERE), self._first(_HERE), self._cell(index, _HERE)]


def symbol(role: str, text: str) -> str:
    """Text as HTML in a role's colour: p earlier cell, t transition, e emission, x start, end."""
    return f'<span class="crf-role-{role} crf-nowrap">{text}</span>'
