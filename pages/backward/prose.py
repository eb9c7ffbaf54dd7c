"""What the column on screen means: prose that follows the steps of a backward recursion.

It never says which term brings most, so that a reader who guesses first can still read it.
"""

import math

from crf.steps import Step, Trace
from pages.shared.course.marginals import Marginals
from pages.shared.course.numbers import format_potential
from pages.shared.figures.narration import printable
from pages.shared.figures.notation import LOG, NOTATIONS, Notation, Space, symbol_of
from pages.shared.figures.theme import count


def alpha(convention: str, semiring: str = "sum") -> str:
    """The forward cell’s symbol: with a hat where it holds the token’s own emission.

    >>> alpha("state"), alpha("pair"), alpha("state", "max"), alpha("message", "max")
    ('α̂', 'α', 'δ', 'v')
    """
    if semiring == "max":
        return "v" if convention == "message" else "δ"
    return "α̂" if convention == "state" else "α"


def factor_names(both: Marginals, t: int, space: Space) -> list[str]:
    """The symbols of `both.factors` at a token, as the numbers beside them are written."""
    notation = NOTATIONS[space]
    names = {
        "forward": symbol_of(both.alpha, notation),
        "emission": notation.emission,
        "backward": symbol_of(both.beta, notation),
        "start": notation.start,
        "end": notation.end,
    }
    return [names[factor.role] for factor in both.factors(t, 0)]


def follow(trace: Trace, index: int, space: Space, forward_total: float) -> list[str]:
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


def _cell(trace: Trace, step: Step, notation: Notation) -> list[str]:
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


def _over(trace: Trace, notation: Notation) -> str:
    if trace.semiring == "sum":
        return "the log of the sum over" if notation is LOG else "the sum over"
    return f"the {notation.result} of the best of"


def _other_space(log_value: float, notation: Notation) -> str:
    if notation is LOG:
        return f" As a potential, exp of it: {format_potential(log_value)}."
    return f" Its logarithm: {LOG.number(log_value)}."


def _not_in_it(trace: Trace, step: Step) -> str:
    here, tag = word(trace.tokens, step.token), printable(trace.tags[step.row])
    before = f" nor anything before {here}" if step.token else " nor the start score"
    return (
        f"The emission of {here} is not in it,{before}: it asks only how well the rest goes once "
        f"{tag} is given. So it is not p({tag}) either; that takes what forward knows, too."
    )


def _total(trace: Trace, step: Step, notation: Notation, forward_total: float) -> list[str]:
    name = notation.whole if trace.semiring == "sum" else notation.best
    if not trace.feasible:
        return [f"No path is allowed: {name} is {notation.number(step.log_value)}."]
    same = math.isclose(step.log_value, forward_total, rel_tol=1e-9, abs_tol=1e-9)
    found = "the same" if same else notation.number(forward_total)
    return [
        f"{name} = {notation.number(step.log_value)}, now from the right."
        + _other_space(step.log_value, notation),
        f"Forward went over the same paths in another order, and found {found}.",
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
    tag, here = printable(state.alpha.tags[s]), word(state.alpha.tokens, t)
    hat, plain = (alpha(both.alpha.convention, both.alpha.semiring) for both in (state, message))
    beta = symbol_of(state.beta, NOTATIONS[space]).removeprefix("log ")
    rest = f"calls the rest {plain}" if t else "leaves the start score"
    again = "the same number in both" if t < state.m - 1 else "the end score in both"
    return (
        f"For {here}, {tag}, state form has {_product(state, t, s, space)}. Message form takes the "
        f"emission of {here} out of {hat} and {rest}: {_product(message, t, s, space)}. It is the "
        f"same number, and {beta} is {again}. Two messages alone would leave out what {here} "
        f"itself says; {hat} with a {beta} that held the emission as well would count it twice."
    )


def _product(both: Marginals, t: int, s: int, space: Space) -> str:
    """Symbols = numbers = their product."""
    notation = NOTATIONS[space]
    symbols = notation.joint.join(factor_names(both, t, space))
    numbers = notation.joined([factor.log_value for factor in both.factors(t, s)])
    return f"{symbols} = {numbers} = {notation.number(both.product(t, s))}"
