"""A drawing on a page; words of the text light up parts of it, and it can be saved as SVG."""

from pages.shared.figures.drawing import Drawing
from pages.shared.ui.component import component

_COMPONENT = component("drawing", "crf/figures/drawing")


def draw(drawing: Drawing, *, key: str) -> None:
    """Show it, as wide as there is room, its key unique on the page."""
    _COMPONENT(key=key, data={"drawing": drawing.payload()})
