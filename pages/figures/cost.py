"""Why a recursion is cheap: what enumeration costs, and the sum rearranged, with its numbers."""

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from crf.course.brute_force import Work, work
from crf.course.numbers import format_magnitude, format_potential, format_score
from crf.course.problem import Problem
from pages.figures.narration import printable
from pages.figures.path_score import log_sum
from pages.figures.theme import count

if TYPE_CHECKING:
    from crf.course.brute_force import Path
    from crf.steps import Trace

CONVENTIONS = {"state": "State", "message": "Message", "pair": "Pair"}
LONGER = (10, 20, 50)  # tokens; how the costs go on
MOST_WRITTEN = 4  # tags that fit a line


class Total(NamedTuple):
    """One convention's way to the same total.

    Attributes:
        convention: Its name in words.
        columns: How many columns its table has.
        cells: How many steps it takes, the total included.
        value: log Z, or the best path's score.
        residual: How far the value is from the first convention's.
    """

    convention: str
    columns: int
    cells: int
    value: float
    residual: float


def totals(traces: Sequence["Trace"]) -> list[Total]:
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
    """A log-score with twelve decimals, so that a residual can be seen."""
    return format_score(value, 12)


def enumerated(paths: Sequence["Path"], semiring: str) -> float:
    """log Z, or the best score, from the list of all paths."""
    scores = [path.score for path in paths]
    return log_sum(scores) if semiring == "sum" else max(scores)


def growth(num_tags: int, num_tokens: int) -> list[Work]:
    """Both costs for 1, 2 … m tokens, and for some longer sentences."""
    longest = max(num_tokens, *LONGER)
    every = work(num_tags, longest)
    shown = [*range(1, num_tokens + 1), *(n for n in LONGER if n > num_tokens)]
    return [every[n - 1] for n in shown]


def growth_rows(costs: Sequence[Work]) -> list[list[str]]:
    """The costs as texts: tokens, paths, additions one by one, additions by the recursion."""
    return [
        [str(c.tokens), count(c.prefixes), count(c.enumeration), count(c.recursion)] for c in costs
    ]


def rearranged(problem: Problem, trace: "Trace") -> list[str]:
    """The sum over the tags of the first two tokens, before and after factors are pulled out.

    Args:
        problem: With at least two tokens.
        trace: Its forward or Viterbi trace in state form, the source of the numbers.

    Returns:
        Paragraphs of plain text.
    """
    tags = [printable(tag) for tag in problem.tags]
    first, second = (f"‘{printable(token)}’" for token in problem.tokens[:2])
    S, joint = len(tags), " + " if trace.semiring == "sum" else ", "
    shown = tags[:MOST_WRITTEN]
    pairs = list(product(shown, shown))
    ways = joint.join(f"ψ({a} {b})" for a, b in pairs[: 2 * MOST_WRITTEN])
    more = joint + "…" if S**2 > 2 * MOST_WRITTEN else ""
    cells = {step.row: step for step in trace.steps if step.kind == "cell" and step.column == 1}
    symbol = "α̂" if trace.semiring == "sum" else "exp δ"
    grouped = []
    for row, tag in enumerate(shown[:2]):
        inside = joint.join(f"{symbol}₁({a})·ψ({a}→{tag})" for a in shown)
        inside += joint + "…" if S > len(shown) else ""
        inside = f"[{inside}]" if trace.semiring == "sum" else f"max[{inside}]"
        value = format_potential(cells[row].log_value)
        grouped.append(f"{symbol}₂({tag}) = ψ₂({tag}) · {inside} = {value}")
    act = "summed" if trace.semiring == "sum" else "compared"
    return [
        f"Over {first} and {second} there are {S}² = {S**2} ways, each a product of its own: "
        f"{ways}{more}.",
        f"All that end in {shown[0]} share the factor ψ₂({shown[0]}), the emission of {second}; "
        f"it is pulled out and multiplied once. So they are {act} per tag of {second}:",
        *grouped,
    ]


def memory(problem: Problem) -> list[str]:
    """Why remembering pays: how often each cell is read, and the same with factorials."""
    S, m = len(problem.tags), len(problem.tokens)
    five, seven = math.factorial(5), math.factorial(7)
    cells = S * m
    return [
        f"Each cell is computed once and read {S} times by the next column. With {S} tags and {m} "
        f"tokens the table has {count(cells)} cells; {S} paths through the next column share each "
        "of them, and so does every path that goes on from there.",
        f"It is what one does with factorials: who has 5! = {five} gets 7! = 5! · 6 · 7 = "
        f"{seven:,} with two more multiplications, and does not start again at 1.",
    ]


def shared(residual: float) -> str:
    """A residual in words: exactly 0, or its size."""
    return "0" if residual == 0 else format_magnitude(residual)
