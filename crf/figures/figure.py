"""A figure of one chain with its hosts: one HTML file, or a notebook."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import file
from .model import DrawFigure, FigureModel
from .scores.payload import ChainTables

if TYPE_CHECKING:
    from .widget import FigureWidget


class Figure(FigureModel):
    """A figure that can be saved as a file, and that shows itself in a notebook.

    At the end of a notebook's cell it shows itself: as a widget, if anywidget is installed
    (`pip install 'linear-chain-crf[notebook]'`), else as its HTML in a frame.

    Args:
        folder: The folder with the figure's front end, such as "crf/figures/flow".
        title: A few words that describe the figure.
        scores: The chain's scores with the names of tokens and tags.
        draw: Makes the payload from the figure's current scores and fixed tags.

    Attributes:
        scores: The chain's current scores; a notebook's user can edit them in the figure.
        held: Token → index of the tag that a click in the flow has fixed.
        is_live: Whether a kernel answers, so that the reader can edit scores and fix tags.

    Example:
        >>> import torch
        >>> from crf import LinearChain, figures
        >>> chain = LinearChain(torch.tensor([[[1.0, 0.0], [0.0, 2.0]]]), torch.zeros(2, 2))
        >>> figure = figures.viterbi(chain, tokens=["They", "fish"], tags=["NOUN", "VERB"])
        >>> figure.payload["trace"]["title"]
        'Viterbi trellis, state form, 2 tags × 2 tokens'
        >>> figure.html().startswith("<!doctype html>")
        True
    """

    def __init__(self, folder: str, title: str, scores: ChainTables, draw: DrawFigure) -> None:
        super().__init__(folder, title, scores, draw)
        self._widget: FigureWidget | None = None

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"

    @property
    def choice(self) -> Any:
        """What was clicked last, as {"token": 1, "tag": "VERB"}; None before, and in a file."""
        return self._widget.choice if self._widget else None

    def observe(self, handler: Callable[[Any], None], names: str = "choice") -> None:
        """Call a function at every click or edit, like `observe` in `traitlets`.

        Args:
            handler: Function of a change; `change["new"]` is the new choice or the new scores.
            names: "choice" for clicks, "scores" for edits.

        Raises:
            ModuleNotFoundError: anywidget is not installed.
        """
        self.widget.observe(handler, names)

    # ------------------------------------------------------------------ as a file

    def html(self) -> str:
        """Return the figure as one HTML file, which needs no network, server or other file."""
        live, self.is_live = self.is_live, False
        try:
            figure = file.FigureInFile(self.folder, self.payload, self.title)
        finally:
            self.is_live = live
        return file.document(self.title, [figure])

    def save(self, path: Path | str) -> None:
        """Write the figure as one HTML file.

        Raises:
            ValueError: The name does not end in .html or .htm.
            OSError: The file cannot be written.
        """
        file.write(path, self.html())

    def embed_code(self, address: str) -> str:
        """Return HTML that embeds the saved file in a page, in a frame of the figure's height.

        Args:
            address: Address of the file, as seen from that page.
        """
        return file.embed_code(address, self.title)

    # ------------------------------------------------------------------ in a notebook

    @property
    def widget(self) -> FigureWidget:
        """The figure as a widget, made when it is first asked for.

        Raises:
            ModuleNotFoundError: anywidget is not installed.
        """
        if self._widget is None:
            from .widget import widget_of

            self.is_live = True
            self._widget = widget_of(self)
        return self._widget

    def _repr_mimebundle_(self, **formats: Any) -> Any:
        if find_spec("anywidget"):
            return self.widget._repr_mimebundle_(**formats)
        return {"text/plain": repr(self), "text/html": file.framed(self.html(), self.title)}
