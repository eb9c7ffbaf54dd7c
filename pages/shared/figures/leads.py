"""What a recursion that runs forward does, in a few sentences, in the form that is on screen."""

from typing import TYPE_CHECKING

from pages.shared.figures.notation import LOG, NOTATIONS, Space, symbol_of

if TYPE_CHECKING:
    from crf.steps import Trace


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
        aim, holds, ends, has = "Z sums up all paths’ potentials.", "sums over the", "end", "each "
        many = "prefixes"
    else:
        value = notation.result if notation is LOG else f"{notation.result}, exp(score),"
        aim, holds, ends, has = "Forward with max for Σ.", f"holds the {value} of the", "ends", ""
        many = "best prefix"
    what = {
        "state": f"A cell {symbol}ₜ(s) {holds} {many} that {ends} in tag s at token t"
        f"{', its emission included (hence the hat)' if is_sum else ''}",
        "message": f"A message {symbol}ₜ(s) {holds} {many} of the first t tokens, {has}with the "
        "transition into tag s of the next, whose emission is not in it yet"
        f"{' (so α has no hat)' if is_sum else ''}",
        "pair": f"A cell {symbol}ₜ(s) {holds} {many} that {ends} in tag s at token t; transition "
        "and emission are one factor ψ",
    }[trace.convention]
    before = "the tag of token t in it" if trace.convention == "message" else "the tag before it"
    rest = (
        ". Nothing else of them is needed."
        if is_sum
        else f"; its backpointer κₜ(s) is {before}, for the way back."
    )
    return f"{aim} {what}{rest}"
