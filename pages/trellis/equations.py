"""The equations of the trellis's beats: a step, products regrouped.

They are made of the numbers as they are shown, so that each says "=" only where it comes out.
"""

import math
from collections.abc import Sequence
from typing import Any

from crf.figures.numbers import decimal, format_potential, subscript
from crf.figures.trellis.equations import Writer
from crf.steps import Step
from pages.shared.course.marginals import log_sum
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.shared.figures.equation import equals, shown
from pages.shared.figures.text import say
from pages.trellis import picture
from pages.trellis.notation import amount, digits_of, notation_of, scored, written

NAMED = 0.05  # of a sum: smaller terms are counted, not written
MANY_TERMS = 8
_ROLES = {"t": "transition", "e": "emission", "x": "edge"}  # of the library's classes


def step_equation(state: State, step: Step, mode: str) -> list[Segment]:
    """A step with its numbers, in the colours of the picture."""
    if not step.terms or step.kind == "backtrace":
        return []
    digits, is_log = digits_of(state) if mode == "best" else 2, state.scale == "log"
    terms, several = list(step.terms), len(step.terms) > 1
    if len(terms) > MANY_TERMS:
        top = max(term.share for term in terms)
        terms = [term for term in terms if term.share >= NAMED or term.share == top]
        terms.sort(key=lambda term: -term.share)
    segments: list[Segment] = []
    sums: list[float] = []  # of the numbers as they are shown, or products
    if several:
        segments.append("max ( " if mode == "best" else "log Σ exp ( " if is_log else "( ")
    for k, term in enumerate(terms):
        segments += [" , " if is_log else " + "] * (k > 0)
        parts = [
            part_text(part.role, part.value, digits, state, place)
            for place, part in enumerate(term.parts)
        ] or [written(0.0, digits, state.scale)]  # an empty sum or product
        sums.append(joined(parts, is_log))
        segments += [piece for part in parts for piece in (" ", part)][1:]
    if hidden := len(step.terms) - len(terms):
        segments.append(f"{' , ' if is_log else ' + '}{say('trellis.more', n=hidden)}")
    segments += [" )"] * several
    added = [part_text(part.role, part.value, digits, state, 1) for part in step.added]
    segments += [piece for part in added for piece in (" ", part)]
    merge = max if mode == "best" else log_sum if is_log else math.fsum
    value = joined(added, is_log, merge(sums))
    result = written(step.log_value, digits, state.scale)
    sign = "=" if hidden and mode != "best" else _equals(value, result)
    return [*segments, f" {sign} ", {"text": result, "bold": True}]


def read(text: str) -> float:
    """The number that a part shows; exp( … ) of what no float holds counts as infinite."""
    return math.inf if text.lstrip("×").startswith("exp") else shown(text.removeprefix("×"))


def _equals(value: float, result: str) -> str:
    return "=" if result.startswith("exp") else equals(value, result)


def joined(parts: Sequence[Segment], is_log: bool, start: float | None = None) -> float:
    """What shown numbers make: their sum, or the product of factors; `start`: what comes first."""
    values = [read(part if isinstance(part, str) else part["text"]) for part in parts]
    values += [] if start is None else [start]
    return math.fsum(values) if is_log else math.prod(values)


def role_of(role: str, state: State) -> str:
    """The colour of a part: of ROOT's and EOS's scores that of transitions."""
    if role in ("transition", "emission"):
        return role
    return "transition" if state.ends == "root" else "edge"


def part_text(role: str, value: float, digits: int, state: State, place: int) -> Segment:
    """A part of a term; what does not stand first has its sign before it."""
    scale = state.scale
    if role == "previous":
        text = written(value, digits, scale)
        sign = "" if not place else "×" if scale == "potential" else "" if text[0] == "−" else "+"
        return sign + text
    text = scored(value, scale)
    text = "+0" if text == "0" else text
    return {"text": text if place else text.removeprefix("×"), "role": role_of(role, state)}


def symbols(state: State, step: Step, mode: str) -> list[Segment]:
    """The recursion of a step in the symbols of the state's notation, in the picture's colours."""
    if not step.terms or step.kind == "backtrace":
        return []
    pieces = Writer(picture.trace_of(state, mode), notation_of(state)).step(step)["equation"][0]
    return [segment for piece in pieces for segment in _symbol(piece)]


def _symbol(piece: Any) -> list[Segment]:
    if isinstance(piece, str):
        return [piece]
    if "psi" in piece:
        return ["(", *(segment for part in piece["psi"] for segment in _symbol(part)), ")"]
    below = subscript(piece.get("sub", "").replace("s′", "ₛ′"))
    text = f"{piece.get('text', piece.get('number', ''))}{below}{piece.get('rest', '')}"
    role = _ROLES.get(piece.get("role", ""))
    return [{"text": text, "role": role} if role else text]


def regroup_equation(state: State, still: int) -> list[Segment]:
    """The sum as each still has it: emissions and transitions in their colours."""
    table = picture.regrouping(state)
    result = amount(table["total"])
    sign = equals(_total(table, still), result)
    total: list[Segment] = [f" {sign} ", {"text": result, "bold": True}]

    def factor(value: float, role: str) -> Segment:
        return {"text": _factor(value), "role": role}

    last = [factor(value, "emission") for value in table["last"]]
    ways = [  # into each of the last tags
        [
            [
                factor(table["first"][a], "emission"),
                " · ",
                factor(table["steps"][a][b], "transition"),
            ]
            for a in range(2)
        ]
        for b in range(2)
    ]
    if still == 3:
        return [f"{amount(table['sums'][0])} + {amount(table['sums'][1])}", *total]
    if still == 2:
        return _added([[*_bracketed(_added(ways[b])), " · ", last[b]] for b in range(2)]) + total
    products = [[[*way, " · ", last[b]] for way in ways[b]] for b in range(2)]
    if still == 1:
        return _added([_bracketed(_added(pair)) for pair in products]) + total
    return _added([*products[0], *products[1]]) + total


def _factor(value: float) -> str:
    """A factor with three digits."""
    text = f"{value:.3g}".removeprefix("0") or "0"
    return format_potential(math.log(value)) if "e" in text else decimal(text)


def _total(table: dict[str, Any], still: int) -> float:
    """The sum of the products, or of a later still, from the numbers as they are shown."""
    if still == 3:
        return sum(shown(amount(part)) for part in table["sums"])

    def of(value: float) -> float:
        return shown(_factor(value))

    ways = [of(table["first"][a]) * of(table["steps"][a][b]) * of(table["last"][b])
            for a in range(2) for b in range(2)]  # fmt: skip
    return math.fsum(ways)


def _added(parts: list[list[Segment]]) -> list[Segment]:
    return [segment for k, part in enumerate(parts) for segment in [*[" + "] * (k > 0), *part]]


def _bracketed(part: list[Segment]) -> list[Segment]:
    return ["( ", *part, " )"]
