"""Where the best prefix changes its mind: a longer prefix that does not continue the one before."""

from typing import NamedTuple

from crf.steps import Trace


class Flip(NamedTuple):
    """A change of mind.

    Attributes:
        step: where it is known: the last cell of its column, or the total.
        old: the prefix that was the best until then, a tag index for each token.
        new: the best prefix from then on.
    """

    step: int
    old: tuple[int, ...]
    new: tuple[int, ...]


def flips(trace: Trace) -> list[Flip]:
    """All changes of mind, in order.

    Args:
        trace: of a max recursion that runs forward; for others there are none.

    Returns:
        A change is reported at the last cell of its column, when the column is complete, or at
        the total, when the end scores overturn the last column.
    """
    before, found, column = (), [], {}
    if trace.semiring != "max" or trace.algorithm == "backward":
        return found
    for index, step in enumerate(trace.steps):
        if step.kind == "backtrace":
            break
        column[step.log_value] = column.get(step.log_value, step)
        if step.kind == "cell" and step.row < len(trace.tags) - 1:
            continue
        now = tuple(column[max(column)].best_prefix or ())
        column = {}
        if now[: len(before)] != before and now:
            found.append(Flip(index, before, now))
        before = now
    return found
