"""A drawing as plain data, lines, boxes and words in pixels, for `crf/figures/drawing`.

    drawing = Drawing("growth", "How many paths there are", 680, 360)
    drawing.line(0, 0, 10, 10, "axis")
    drawing.text(5, 5, "m", "name", speaks="tokens")

What a thing looks like is said by the names of its style (drawing.css), so that light and dark both
follow; words of the text light up what bears their name (`speaks`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Point = tuple[float, float]


@dataclass
class Drawing:
    """A figure and what is in it, from back to front."""

    figure: str  # its name
    label: str  # what it shows, in a sentence, for reading aloud
    width: float  # of it, in pixels; it is scaled to the width it has
    height: float  # of it
    # Where its plot begins and ends, from the left: on a narrow screen that part is drawn narrower,
    # its words as large as ever. None: such a screen scrolls it.
    plot: Point | None = None
    shapes: list[dict[str, Any]] = field(default_factory=list)  # what has been drawn

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str, **more: Any) -> None:
        """A straight line."""
        self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, style, **more)

    def curve(self, points: Sequence[Point], style: str, **more: Any) -> None:
        """A line through points."""
        steps = (f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))
        self._add("path", {"d": "".join(steps)}, style, **more)

    def box(self, x: float, y: float, width: float, height: float, style: str, **more: Any) -> None:
        """A rectangle."""
        self._add("rect", {"x": x, "y": y, "width": width, "height": height}, style, **more)

    def dot(self, x: float, y: float, r: float, style: str, **more: Any) -> None:
        """A circle."""
        self._add("circle", {"cx": x, "cy": y, "r": r}, style, **more)

    def text(self, x: float, y: float, words: str, style: str = "", **more: Any) -> None:
        """Words, centred at a point; "left" or "right" in the style begins or ends them there."""
        self._add("text", {"x": x, "y": y}, style, text=words, **more)

    def payload(self) -> dict[str, Any]:
        """What the component is sent."""
        return dict(vars(self))

    def _add(
        self,
        tag: str,
        place: dict[str, Any],
        style: str,
        *,
        text: str = "",
        title: str = "",
        speaks: str = "",
        thick: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        if thick:
            place["stroke-width"] = round(thick, 2)
        if opacity < 1:
            place["opacity"] = round(opacity, 3)
        place = {k: round(v, 1) if k in ("x", "y", "cx", "cy") else v for k, v in place.items()}
        self.shapes.append(
            {"tag": tag, "place": place, "style": style, "text": text, "title": title,
             "speaks": speaks}
        )  # fmt: skip
