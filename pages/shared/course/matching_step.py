"""Find the step of one recursion that matches a step of another, which counts them otherwise."""

from crf.steps import Trace


def matching_step(before: Trace, index: int, after: Trace) -> int:
    """The step of another trace that is about the same tag of the same token.

    A cell stays that cell; where the other trace has none for its token (in message form one token
    has no column), it is the nearest token's. The total stays the total. A tag of the backtrace
    stays that token's; where nothing is traced back, it is the tag's cell.
    """
    here = before.steps[index]
    kinds = {step.kind for step in after.steps}
    kind = next(kind for kind in (here.kind, "cell", "total") if kind in kinds)
    candidates = [k for k, step in enumerate(after.steps) if step.kind == kind]

    def distance(k: int) -> tuple[int, int]:
        step = after.steps[k]
        return abs(step.token - here.token), abs(step.row - here.row)

    return min(candidates, key=distance)
