"""How the trellis writes numbers: scores and what cells hold, as logs or as potentials."""

import math
from collections.abc import Sequence

from crf.figures.numbers import decimal, format_potential, superscript
from crf.figures.trellis import notation as notations
from crf.figures.trellis.notation import Notation
from pages.shared.course.state import State
from pages.shared.figures.theme import decimals, number, table_probability

TIE = 1e-9  # of scores and shares: closer than this is level
LARGE, LARGEST = 700.0, 1e6  # of a logarithm: no float holds its exp; exp stays unwritten


def signed(score: float) -> str:
    """A score as its pill has it: always with its sign.

    >>> signed(2.0), signed(-0.5), signed(0.0), signed(-math.inf), signed(0.125)
    ('+2', '−0.5', '0', '−∞', '+0.13')
    """
    if score == -math.inf:
        return "−∞"
    text = f"{score + 1e-12:+.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("+0", "-0") else decimal(text.replace("-", "−"))


def potential(log: float) -> str:
    """exp of a score as the picture writes it: three digits, or one decimal and a power of ten.

    >>> potential(0.5), potential(-3.0), potential(8.5), potential(0.0), potential(-math.inf)
    ('1.65', '.050', '4.9×10³', '1.00', '0')
    """
    if log == -math.inf:
        return "0"
    if abs(log) > LARGEST:
        return f"exp({number(log, 0)})"
    value = math.exp(log) if abs(log) < LARGE else math.inf
    if 0.001 <= value < 0.9995:
        return decimal(f"{value:.3f}"[1:])
    if 0.001 <= value < 999.5:
        return decimal(f"{value:#.3g}".rstrip("."))
    power = log / math.log(10)
    exponent = math.floor(power + 1e-9)
    exponent += 10 ** (power - exponent) >= 9.95  # it would be rounded to 10.0
    return decimal(f"{10 ** (power - exponent):.1f}") + f"×10{superscript(exponent)}"


def factor(log: float) -> str:
    """A score as a factor, without zeros at its end.

    >>> factor(1.0), factor(0.0), factor(-2.0), factor(-math.inf)
    ('×2.72', '×1', '×.135', '×0')
    """
    digits, by, power = potential(log).partition("×")
    mark = decimal(".")
    if mark in digits:
        digits = digits.rstrip("0").rstrip(mark)
    return f"×{digits}{by}{power}"


def scored(score: float, scale: str) -> str:
    """A score as its pill has it: with its sign, or as a factor."""
    return factor(score) if scale == "potential" else signed(score)


def notation_of(state: State) -> Notation:
    """How the state writes symbols."""
    space = "probability" if state.scale == "potential" else "log"
    return notations.notation_of(space, rooted=state.ends == "root")


def written(value: float, digits: int, scale: str) -> str:
    """What a cell holds: its logarithm, or the number itself."""
    return potential(value) if scale == "potential" else number(value, digits)


def digits_of(state: State) -> int:
    """Decimals of sums of scores: one where all scores have at most one, else two."""
    problem = state.problem
    rows = [*problem.emissions, problem.start, problem.end]
    m = len(problem.tokens)
    tables = range(1, m if problem.per_step else min(m, 2))
    rows += [row for t in tables for row in problem.matrix(t)]
    return decimals(score for row in rows for score in row)


def amount(value: float) -> str:
    """A sum of products.

    >>> amount(265.91), amount(9.04), amount(3131999.2), amount(0.0)
    ('265.9', '9.04', '3.13 × 10⁶', '0.00')
    """
    if value and not 0.05 <= value < 10_000:
        return format_potential(math.log(value))
    return decimal(f"{value:.{1 if value >= 10 else 2}f}")


def is_tie(p: Sequence[float]) -> bool:
    """Whether the two most probable tags are equally probable."""
    first, second, *_ = [*sorted(p, reverse=True), 0.0]
    return first - second < TIE


def apart(p: Sequence[float]) -> list[str]:
    """Probabilities with two decimals, or as many as tell the two largest from each other.

    >>> apart([0.502, 0.498]), apart([0.5, 0.5])
    (['.502', '.498'], ['.50', '.50'])
    """
    texts = [table_probability(q) for q in p]
    for digits in range(2, 10):
        texts = texts if digits == 2 else [decimal(f"{q:.{digits}f}".removeprefix("0")) for q in p]
        two = sorted(range(len(p)), key=lambda s: -p[s])[:2]
        if is_tie(p) or len({texts[s] for s in two}) == len(two):
            break
    return texts
