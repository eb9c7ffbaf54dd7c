"""The matrix of backpointers as it fills, and the ones that the way back follows."""

from crf.figures.trellis.narration import printable
from crf.steps import Trace
from pages.shared.figures import tables
from pages.shared.figures.text import LessonText

NOT_YET, NEVER = "·", "–"


def rows(trace: Trace, index: int) -> tuple[list[list[str]], set[tuple[int, int]]]:
    """The backpointers known at a step.

    Args:
        trace: A Viterbi trace, in any convention.
        index: Which of its steps is on screen.

    Returns:
        A row for each tag: its name, then for the second token and each later one the tag that its
        pointer names (`NOT_YET` if it is not computed, `NEVER` if no allowed way leads there); and
        the places, the name counted, of the pointers followed so far.
    """
    m = len(trace.tokens)
    known = [[NOT_YET] * (m - 1) for _ in trace.tags]
    followed = set()
    for step in trace.steps[: index + 1]:
        if step.kind == "cell" and step.token > 0:
            source = step.backpointer
            known[step.row][step.token - 1] = (
                NEVER if source is None else printable(trace.tags[source])
            )
        elif step.kind == "backtrace" and step.from_row is not None:
            followed.add((step.from_row, step.token + 1))
    named = [
        [printable(tag), *texts] for tag, texts in zip(trace.tags, known, strict=True)
    ]  # fmt: skip
    return named, followed


def table(trace: Trace, index: int) -> str:
    """The same as HTML."""
    body, followed = rows(trace, index)
    header = ["κ", *(printable(token) for token in trace.tokens[1:])]
    caption = LessonText.of("viterbi").line("labels.pointers")
    return tables.text_table(header, body, caption, followed, words=True)
