"""The trellis of pasted numbers: right cells ticked, the first wrong one marked."""

import itertools
from collections.abc import Sequence

from pages.check.checking import PastedVerdict
from pages.shared.figures.drawing import Drawing
from pages.shared.figures.theme import number, shorten

_COLUMN, _ROW, _LEFT, _TOP = 120, 102, 96, 44
_BOX = (88, 46)  # of a cell
_LONGEST = 12  # letters of a name


def trellis(
    tags: Sequence[str], tokens: Sequence[str], verdict: PastedVerdict, label: str
) -> Drawing:
    """Draw a column for each token and a box for each tag; the label says what the numbers are."""
    width, height = _LEFT + _COLUMN * len(tokens), _TOP + _ROW * len(tags)
    drawing = Drawing("check", label, width, height)
    pairs = itertools.product(range(len(tokens) - 1), range(len(tags)), range(len(tags)))
    backward = verdict.check is not None and verdict.check.function == "backward"
    for t, i, j in pairs:
        to_first = verdict.first == ((t, i) if backward else (t + 1, j))
        x = _x(t) + _BOX[0] / 2, _x(t + 1) - _BOX[0] / 2
        drawing.line(x[0], _y(i), x[1], _y(j), "hot" if to_first else "grid")
    for t, token in enumerate(tokens):
        drawing.text(_x(t), 20, shorten(token, _LONGEST), "word")
    for s, tag in enumerate(tags):
        drawing.text(_LEFT / 2, _y(s), shorten(tag, _LONGEST))
    for t, s in itertools.product(range(len(tokens)), range(len(tags))):
        _cell(drawing, verdict, t, s)
    return drawing


def _x(t: int) -> float:
    return _LEFT + _COLUMN * (t + 0.5)


def _y(s: int) -> float:
    return _TOP + _ROW * (s + 0.5)


def _cell(drawing: Drawing, verdict: PastedVerdict, t: int, s: int) -> None:
    """A box; the number in it, and a tick or a cross."""
    first, wrong = verdict.first == (t, s), (t, s) in verdict.wrong
    speaks = "cell" if first else ""
    corner = _x(t) - _BOX[0] / 2, _y(s) - _BOX[1] / 2
    drawing.box(*corner, *_BOX, "frame here" if first else "frame", speaks=speaks)
    if verdict.columns:
        drawing.text(_x(t), _y(s) - 8, number(verdict.columns[t][s]))
        drawing.text(_x(t), _y(s) + 12, "✗" if wrong else "✓", "hot" if wrong else "cold")
