"""What the column on screen means: prose that follows the steps of a backward recursion.

It never says which term brings most, so that a reader who guesses first can still read it.
"""

import math
from typing import TYPE_CHECKING

from crf.course.marginals import Marginals
from crf.course.numbers import format_potential
from pages.figures import cost
from pages.figures.narration import printable
from pages.figures.notation import LOG, NOTATIONS, Notation, Space, symbol_of
from pages.figures.theme import count

if TYPE_CHECKING:
    from crf.steps import Step, Trace


def follow(trace: "Trace", index: int, space: Space, forward_total: float) -> list[str]:
    """What a step's number is, and what is not in it.

    Args:
        trace: Of a backward recursion, in any convention and semiring.
        index: Which of its steps.
        space: Whether numbers are log-scores or potentials.
        forward_total: What the forward recursion found for the total, a log-score.

    Returns:
        Paragraphs of plain text.
    """
    step, notation = trace.steps[index], NOTATIONS[space]
    if step.kind == "total":
        return _total(trace, step, notation, forward_total)
    return _cell(trace, step, notation)


def word(tokens: tuple[str, ...], t: int) -> str:
    """A token in quotes; one that occurs twice is told apart by its place."""
    place = f"token {t + 1} " if tokens.count(tokens[t]) > 1 else ""
    return f"{place}‘{printable(tokens[t])}’"


def _cell(trace: "Trace", step: "Step", notation: Notation) -> list[str]:
    here, tag = word(trace.tokens, step.token), printable(trace.tags[step.row])
    cell = f"{symbol_of(trace, notation)} of {here}, {tag}"
    value = notation.number(step.log_value)
    if step.log_value == -math.inf:
        return [f"{cell} is {value}: from {tag} no allowed path goes on to the end."]
    if step.terms[0].source < 0:
        why = "its end score" if step.terms[0].parts else "1 (its logarithm 0), as the end score "
        why += "" if step.terms[0].parts else "is part of the last table"
        first = f"{cell} is {value}: nothing follows, so it is {why}."
    else:
        many = step.prefixes
        ways = "the one way" if many == 1 else f"all {count(many)} ways"
        how = _over(trace, notation)
        first = f"{cell} is {how} {ways} to tag what follows {here}, if it is {tag}: {value}."
    return [first + _other_space(step.log_value, notation), _not_in_it(trace, step)]


def _over(trace: "Trace", notation: Notation) -> str:
    if trace.semiring == "sum":
        return "the log of the sum over" if notation is LOG else "the sum over"
    return f"the {notation.result} of the best of"


def _other_space(log_value: float, notation: Notation) -> str:
    if notation is LOG:
        return f" As a potential, exp of it: {format_potential(log_value)}."
    return f" Its logarithm: {LOG.number(log_value)}."


def _not_in_it(trace: "Trace", step: "Step") -> str:
    here, tag = word(trace.tokens, step.token), printable(trace.tags[step.row])
    before = f" nor anything before {here}" if step.token else " nor the start score"
    return (
        f"The emission of {here} is not in it,{before}: it asks only how well the rest goes once "
        f"{tag} is given. So it is not p({tag}) either; that takes what forward knows, too."
    )


def _total(trace: "Trace", step: "Step", notation: Notation, forward_total: float) -> list[str]:
    name = notation.whole if trace.semiring == "sum" else notation.best
    if not trace.feasible:
        return [f"No path is allowed: {name} is {notation.number(step.log_value)}."]
    gap = abs(step.log_value - forward_total)
    plain = "log Z" if trace.semiring == "sum" else "best score"
    return [
        f"{name} = {notation.number(step.log_value)}, now from the right."
        + _other_space(step.log_value, notation),
        f"The same paths in another order: backward, {plain} = {cost.digits(step.log_value)}; "
        f"forward, {cost.digits(forward_total)}. Difference: {cost.shared(gap)}.",
    ]


def emission_between(state: Marginals, message: Marginals, t: int, s: int, space: Space) -> str:
    """Why two messages need the emission between them, with the numbers of one cell.

    Args:
        state: The two recursions in state form.
        message: The same in message form.
        t: A token.
        s: One of its tags.
        space: Whether numbers are log-scores or potentials.

    Returns:
        Plain text.
    """
    notation = NOTATIONS[space]
    tokens, tag = state.alpha.tokens, printable(state.alpha.tags[s])
    here = word(tokens, t)
    before, own, after = (factor.log_value for factor in message.factors(t, s))
    hat, beta = (factor.log_value for factor in state.factors(t, s))
    three, two = notation.joined([before, own, after]), notation.joined([hat, beta])
    products = [notation.number(both.product(t, s)) for both in (message, state)]
    left, right = ("α" if t else "start"), ("β" if t < state.m - 1 else "end")
    return (
        f"{here}, {tag}, in message form: {left}, {notation.emission}, {right}: {three} = "
        f"{products[0]}. In state form: α̂, β: {two} = {products[1]}. The same product, for α̂ is α "
        f"with the emission of {here} in it, and β is the same number in both. Two messages alone "
        f"would leave out what {here} itself says; α̂ with a β that held the emission as well "
        "would count it twice."
    )
