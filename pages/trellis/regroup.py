"""Four products over two words and two tags, regrouped: what the forward recursion is made of."""

import math
from typing import Any

from crf.figures.numbers import decimal, format_potential
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.trellis import picture

STILLS = 4  # products · grouped by their last tag · the common factor taken out · one number a cell


def place(state: State) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """The first of the two words, its two tags, and the next word's two tags.

    They are the second and third word, and the tags with the largest marginals there.
    """
    marginals = picture.numbers(state.problem).marginals
    t = 1 if len(marginals) > 2 else 0
    u = min(t + 1, len(marginals) - 1)

    def two(k: int) -> tuple[int, int]:
        ranked = sorted(range(len(marginals[k])), key=lambda s: -marginals[k][s])
        first, second = sorted(ranked[:2] if len(ranked) > 1 else [ranked[0], ranked[0]])
        return first, second

    return t, two(t), two(u)


def table(state: State) -> dict[str, Any]:
    """The factors, the four products, the two sums, and the whole."""
    problem = state.problem
    t, before, after = place(state)
    u = min(t + 1, len(problem.tokens) - 1)
    first = [math.exp(problem.emissions[t][i]) for i in before]
    last = [math.exp(problem.emissions[u][j]) for j in after]
    steps = [[math.exp(problem.matrix(u)[i][j]) if u > t else 1.0 for j in after] for i in before]
    products = [[first[a] * steps[a][b] * last[b] for b in range(2)] for a in range(2)]
    inner = [first[0] * steps[0][b] + first[1] * steps[1][b] for b in range(2)]
    return {
        "words": [problem.tokens[t], problem.tokens[u]],
        "from": [problem.tags[i] for i in before],
        "to": [problem.tags[j] for j in after],
        "first": first,
        "steps": steps,
        "last": last,
        "products": products,
        "inner": inner,
        "sums": [inner[b] * last[b] for b in range(2)],
        "total": math.fsum(inner[b] * last[b] for b in range(2)),
    }


def facts(state: State, still: int) -> dict[str, Any]:
    """Facts for the sentence of each still."""
    found = table(state)
    return {
        "still": still + 1, "first": found["words"][0], "second": found["words"][1],
        "one": found["to"][0], "other": found["to"][1], "total": amount(found["total"]),
        "tags": len(state.problem.tags), "words": len(state.problem.tokens),
    }  # fmt: skip


def amount(value: float) -> str:
    """A sum of products.

    >>> amount(265.91), amount(9.04), amount(3131999.2), amount(0.0)
    ('265.9', '9.04', '3.13 × 10⁶', '0.00')
    """
    if value and not 0.05 <= value < 10_000:
        return format_potential(math.log(value))
    return decimal(f"{value:.{1 if value >= 10 else 2}f}")


def equation(state: State, still: int) -> list[Segment]:
    """The sum as each still has it: emissions and transitions in their colours."""
    found = table(state)
    terms = [_product(found, a, b) for b in range(2) for a in range(2)]
    if still == 0:
        return _added(terms) + _total(found)
    if still == 1:
        pairs = [_bracketed(_added(terms[:2])), _bracketed(_added(terms[2:]))]
        return _added(pairs) + _total(found)
    if still == 2:
        inner = []
        for b in range(2):
            arriving = _added([_product(found, a, b, last=False) for a in range(2)])
            inner.append([*_bracketed(arriving), " · ", _role(found["last"][b], "emission")])
        return _added(inner) + _total(found)
    return [f"{amount(found['sums'][0])} + {amount(found['sums'][1])}", *_total(found)]


def _product(found: dict[str, Any], a: int, b: int, *, last: bool = True) -> list[Segment]:
    made: list[Segment] = [
        _role(found["first"][a], "emission"), " · ", _role(found["steps"][a][b], "transition"),
    ]  # fmt: skip
    return [*made, " · ", _role(found["last"][b], "emission")] if last else made


def _role(value: float, role: str) -> Segment:
    text = f"{value:.3g}".removeprefix("0") or "0"
    return {
        "text": format_potential(math.log(value)) if "e" in text else decimal(text),
        "role": role,
    }


def _added(parts: list[list[Segment]]) -> list[Segment]:
    made: list[Segment] = []
    for k, part in enumerate(parts):
        made += [" + "] * (k > 0) + part
    return made


def _bracketed(part: list[Segment]) -> list[Segment]:
    return ["( ", *part, " )"]


def _total(found: dict[str, Any]) -> list[Segment]:
    return [" = ", {"text": amount(found["total"]), "bold": True}]
