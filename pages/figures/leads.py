"""What a recursion that runs forward does, in a few sentences, in the form that is on screen."""

from typing import TYPE_CHECKING

from pages.figures.notation import LOG, NOTATIONS, Space, symbol_of

if TYPE_CHECKING:
    from crf.steps import Trace

_HAT = "α̂"


def lead(trace: "Trace", space: Space) -> str:
    """What is computed, what a cell holds, and what its symbols are, as plain text.

    Args:
        trace: Forward or Viterbi, in any convention and semiring.
        space: Whether numbers are log-scores or potentials.
    """
    is_sum, notation = trace.semiring == "sum", NOTATIONS[space]
    symbol = symbol_of(trace, notation)
    if is_sum:
        symbol = symbol.removeprefix("log ")
        aim = "Z sums up all paths’ potentials, products of factors."
        holds = "sums over the prefixes"
    else:
        aim = "The forward recursion with max for Σ finds the best path."
        value = notation.result if notation is LOG else f"{notation.result}, exp(score),"
        holds = f"holds the {value} of the best of the prefixes"
    what = {
        "state": f"A cell {symbol}ₜ(s) {holds} that end in tag s at token t, whose emission is in "
        f"it{f': so says the hat of {_HAT}' if is_sum else ''}.",
        "message": f"A message {symbol}ₜ(s) {holds} of the first t tokens, each with the "
        "transition into tag s of the next, whose emission is not in it yet"
        f"{f' (α has no hat: {_HAT} has it in it)' if is_sum else ''}.",
        "pair": f"A cell {symbol}ₜ(s) {holds} that end in tag s at token t; transition and "
        "emission are one factor ψ, so neither stands alone.",
    }[trace.convention]
    before = "the tag of token t" if trace.convention == "message" else "the tag before it"
    rest = (
        "To go on, nothing else needs to be known of them."
        if is_sum
        else f"Its backpointer κₜ(s) is {before} on that prefix, for the way back."
    )
    return f"{aim} {what} {rest}"
