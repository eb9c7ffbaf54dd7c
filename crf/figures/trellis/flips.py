"""Where the best prefix changes its mind: a longer prefix that does not continue the one before."""

from typing import NamedTuple

from ...steps import TIE, Trace


class Flip(NamedTuple):
    """A change of mind."""

    step: int  # the cell in which the new prefix ends, or the total
    known: int  # where it is known: the last cell of its column, or the total
    old: tuple[int, ...]  # the prefix that was the best until then, a tag index for each token
    new: tuple[int, ...]  # the best prefix from then on


def flips(trace: Trace) -> list[Flip]:
    """All changes of mind, in order.

    Args:
        trace: of a max recursion that runs forward; for others there are none.

    Returns:
        A change is told at the cell that it is about, or at the total, when the end scores overturn
        the last column.
    """
    before, result = (), []
    for known, now in leaders(trace):
        if now[: len(before)] != before and now:
            is_cell = trace.steps[known].kind == "cell"
            step = known - len(trace.tags) + 1 + now[-1] if is_cell else known
            result.append(Flip(step, known, before, now))
        before = now
    return result


def leaders(trace: Trace) -> list[tuple[int, tuple[int, ...]]]:
    """The best prefix after each column and at the end, with the step at which it is known.

    If several prefixes tie, it is one that extends the previous best prefix, since a tie is no
    reason to change one's mind; if none does, the first.
    """
    before, result, column = (), [], []
    if trace.semiring != "max" or trace.algorithm == "backward":
        return result
    for index, step in enumerate(trace.steps):
        if step.kind == "backtrace":
            break
        column.append(step)
        if step.kind == "cell" and step.row < len(trace.tags) - 1:
            continue
        top = max(cell.log_value for cell in column)
        best = [cell for cell in column if top - cell.log_value <= TIE * max(1.0, abs(top))]
        same = [cell for cell in best if before and before[-1] in cell.ties]
        if not same:
            now = tuple(best[0].best_prefix or ()) if best else ()
        elif step.kind == "total":
            now = before
        else:
            now = (*before, same[0].row)
        result.append((index, now))
        before, column = now, []
    return result
