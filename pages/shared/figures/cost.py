"""Why a recursion is cheap: what enumeration costs, and the sum rearranged, with its numbers."""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from markupsafe import Markup

from crf.figures.trellis.narration import printable
from crf.steps import Trace
from pages.shared.course.brute_force import Additions, ScoredPath, additions
from pages.shared.course.direction import escape
from pages.shared.course.marginals import log_sum
from pages.shared.course.numbers import format_magnitude, format_potential, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.text import prose
from pages.shared.figures.theme import count

CONVENTIONS = {"state": "State", "message": "Message", "pair": "Pair"}
LONGER = (10, 20, 50)  # tokens; how the costs go on
MOST_WRITTEN = 4  # tags that fit a line
_ORDINALS = ("first", "second", "third", "fourth")
_SOON = len(_ORDINALS)  # tokens


class Total(NamedTuple):
    """One convention's way to the same total."""

    convention: str  # its name in words
    columns: int  # how many columns its table has
    cells: int  # how many steps it takes, the total included
    value: float  # log Z, or the best path's score
    residual: float  # how far the value is from the first convention's


def totals(traces: Sequence[Trace]) -> list[Total]:
    """The totals of the same problem in several conventions, compared with the first one's."""
    first = traces[0].log_total
    return [
        Total(
            CONVENTIONS[trace.convention],
            trace.num_columns,
            sum(step.kind != "backtrace" for step in trace.steps),
            trace.log_total,
            0.0 if trace.log_total == first else abs(trace.log_total - first),
        )
        for trace in traces
    ]


def digits(value: float) -> str:
    """A log-score with six decimals, so that totals can be compared; a residual stands apart."""
    return format_score(value, 6)


def enumerated(paths: Sequence[ScoredPath], semiring: str) -> float:
    """log Z, or the best score, from the list of all paths."""
    scores = [path.score for path in paths]
    return log_sum(scores) if semiring == "sum" else max(scores)


def growth(num_tags: int, num_tokens: int) -> list[Additions]:
    """Both costs for 1, 2 … m tokens, and for some longer sentences."""
    longest = max(num_tokens, *LONGER)
    every = additions(num_tags, longest)
    shown = [*range(1, num_tokens + 1), *(n for n in LONGER if n > num_tokens)]
    return [every[n - 1] for n in shown]


def growth_rows(costs: Sequence[Additions]) -> list[list[str]]:
    """The costs as texts: tokens, paths, additions one by one, additions by the recursion."""
    return [
        [str(c.tokens), count(c.prefixes), count(c.enumeration), count(c.recursion)] for c in costs
    ]


def units(num_tags: int, num_tokens: int, semiring: str) -> str:
    """What is counted in a recursion, in one sentence: cells, terms, additions or comparisons.

    >>> units(4, 5, "max").split(": ")[0]
    'In state form there are 4 · 5 = 20 cells, 21 with END'
    """
    S, m = num_tags, num_tokens
    act = "additions of exponentials" if semiring == "sum" else "comparisons"
    terms, merged = S * S * (m - 1) + S, S * (m - 1) + 1
    if m == 1:
        cells, acts = ("is 1 cell" if S == 1 else f"are {S} cells"), act
        if S == 2:
            acts = act.replace("additions", "addition").replace("comparisons", "comparison")
        return f"With one token there {cells} and END, which takes {S} − 1 = {S - 1} {acts}."
    between = f"{S} · {S} · ({m} − 1) = {count(S * S * (m - 1))}"
    return (
        f"In state form there are {S} · {m} = {count(S * m)} cells, {count(S * m + 1)} with END: "
        f"{between} sums of two scores between the columns and {S} more into END, {count(terms)} "
        f"in all. They meet in {count(merged)} cells, and n terms take n − 1 {act}: "
        f"{count(terms)} − {count(merged)} = {count(additions(S, m)[-1].recursion)}."
    )


def gain_begins(num_tags: int, semiring: str) -> str:
    """From which token on the recursion is cheaper than enumeration."""
    act = "additions" if semiring == "sum" else "comparisons"
    costs = additions(num_tags, _SOON)
    first = next((c.tokens for c in costs if c.recursion < c.enumeration), None)
    if first is None:
        return "With one tag there is one path, and nothing to gain."
    return (
        f"The gain begins with the {_ORDINALS[first - 1]} token: up to the "
        f"{_ORDINALS[first - 2]} both take as many {act}."
    )


def rearranged(problem: Problem, trace: Trace, values: bool = True) -> str:
    """The sum over the tags of the first two tokens, before and after factors are pulled out.

    Args:
        problem: With at least two tokens.
        trace: Its forward or Viterbi trace in state form, the source of the numbers.
        values: Whether the cells' values are told.

    Returns:
        HTML, the symbols in the colours of the stepper.
    """
    tags = [printable(tag) for tag in problem.tags]
    first, second = (f"‘{printable(token)}’" for token in problem.tokens[:2])
    is_sum = trace.semiring == "sum"
    S, joint, symbol = len(tags), " + " if is_sum else ", ", "α̂" if is_sum else "exp δ"
    shown = tags[:MOST_WRITTEN]
    ways = [
        f"{_role('x', f'σ({a})')} {_role('e', f'ψ₁({a})')} {_role('t', f'ψ({a}, {b})')} "
        f"{_role('e', f'ψ₂({b})')}"
        for a, b in product(shown, shown)
    ]
    most = 3
    listed = joint.join([*ways[:most], *(["…"] if S**2 > most else [])])
    cells = {step.row: step for step in trace.steps if step.kind == "cell" and step.column == 1}
    grouped = []
    for row, tag in enumerate(shown[:2]):
        ends = [
            f"{_role('p', f'{symbol}₁({a})')} {_role('t', f'ψ({a}, {tag})')}" for a in shown
        ]  # fmt: skip
        inside = joint.join([*ends, *(["…"] if S > len(shown) else [])])
        grouped.append(
            f"{_role('p', f'{symbol}₂({tag})')} = {'' if is_sum else 'max'}[ {inside} ] · "
            f"{_role('e', f'ψ₂({tag})')}"
            + (f" = <b>{format_potential(cells[row].log_value)}</b>" if values else "")
        )
    act = "adds" if is_sum else "compares"
    return prose(
        Markup(
            f"In potentials, {_role('x', 'σ')} = exp(start), {_role('e', 'ψₜ')} = exp(emission), "
            f"{_role('t', 'ψ(a, b)')} = exp(transition): "
            + escape(f"over {first} and {second} there are {S}² = {S**2} ways. Listing them {act}")
            + f" {S**2} products: {listed}."
        ),
        f"But all that end in {shown[0]} have the same last factor, and all that pass through "
        f"the same tag of {first} the same first ones. Pulled out, they are multiplied once, "
        f"and there is one number for each tag of {second}:",
        *map(Markup, grouped),
        "That is allowed because multiplying distributes over "
        + ("adding: a·b + a·c = a·(b + c)." if is_sum else "max: max(a·b, a·c) = a·max(b, c)."),
    )


def memory(problem: Problem, semiring: str) -> str:
    """Why remembering pays: how often each cell is read, and the same with factorials, as HTML."""
    S, m = len(problem.tags), len(problem.tokens)
    five, seven = math.factorial(5), math.factorial(7)
    of = "the sum over" if semiring == "sum" else "the best of"
    return prose(
        f"A cell is {of} all its prefixes, done once and written down; the next column reads "
        f"it {S} times, once for each of its tags. So {S} · {m} = {S * m} cells do the work of "
        f"{count(S**m)} paths. What comes after a cell needs to know its tag, not how one got "
        "there: that is the chain’s Markov property at work.",
        f"It is what one does with factorials: who has 5! = {five} gets 7! = 5! · 6 · 7 = "
        f"{seven:,} with two more multiplications, and does not start again at 1.",
    )


def _role(role: str, text: str) -> str:
    return f'<span class="crf-role-{role} crf-nowrap">{escape(text)}</span>'


def shared(residual: float) -> str:
    """A residual in words: exactly 0, or its size."""
    return "0" if residual == 0 else format_magnitude(residual)
