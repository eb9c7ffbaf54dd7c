"""A figure as an anywidget: the kernel answers what is clicked, dragged and typed in it."""

from typing import Any

import anywidget
import traitlets

from . import modules
from .model import FigureModel
from .words import save_words


class FigureWidget(anywidget.AnyWidget):
    """The figure's model in Jupyter; all traits are JSON."""

    _esm = modules.host("notebook.js")
    modules = traitlets.Dict().tag(sync=True)
    entry = traitlets.Unicode().tag(sync=True)
    sheet = traitlets.Unicode().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    choice = traitlets.Any(None).tag(sync=True)
    pick = traitlets.Any(None).tag(sync=True)
    edits = traitlets.Any(None).tag(sync=True)
    scores = traitlets.Any(None)


def widget_of(figure: FigureModel) -> FigureWidget:
    """Make the widget of a figure, and answer it."""
    entry = f"{figure.folder}/index.js"

    def data() -> dict[str, Any]:
        return figure.payload | {"save": save_words()}

    widget = FigureWidget(
        modules=modules.texts(entry),
        entry=entry,
        sheet=modules.style(figure.folder),
        data=data(),
    )

    def held(change: Any) -> None:
        figure.hold(change["new"])
        widget.data = data()

    def edited(change: Any) -> None:
        figure.edit(change["new"])
        widget.data = data()
        widget.scores = figure.scores

    def preview(_: Any, message: Any, buffers: Any) -> None:
        answer = figure.preview(message.get("asked"))
        widget.send({"question": message.get("question"), "answer": answer})

    widget.observe(held, "choice")
    widget.observe(edited, "edits")
    widget.on_msg(preview)
    return widget
