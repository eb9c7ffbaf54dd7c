"""A figure of one chain: what it draws, as a file, in a notebook, and what is done to it there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import file
from .flow.payload import Payload
from .scores.payload import ChainTables, tables

if TYPE_CHECKING:
    from anywidget import AnyWidget

    from ..chain import LinearChain


DrawFigure = Callable[["Figure"], Payload]


class Figure:
    """A figure that knows its chain, and not its host.

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
        self.folder, self.title, self.scores = folder, title, scores
        self.held: dict[int, int] = {}
        self.is_live = False
        self._draw = draw
        self._widget: AnyWidget | None = None
        self._answers: Payload = {"client": "", "upto": 0, "refused": {}}
        self._serial = 0

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"

    @property
    def chain(self) -> LinearChain:
        """The chain of the scores as they are now, a batch of one in double precision."""
        return self.scores.chain()

    @property
    def payload(self) -> Payload:
        """What the figure draws, as plain data for JSON."""
        return self._draw(self)

    @property
    def choice(self) -> Any:
        """What was clicked last, as {"token": 1, "tag": "VERB"}; None before, and in a file."""
        return self._widget.choice if self._widget else None  # pyright: ignore

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
            drawn = file.FigureInFile(self.folder, self.payload, self.title)
        finally:
            self.is_live = live
        return file.document(self.title, [drawn])

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
    def widget(self) -> AnyWidget:
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

    def hold(self, choice: Any) -> None:
        """Hold a tag, or let go of it, as a click in the flow does.

        Args:
            choice: {"token": index, "tag": name}; anything else changes nothing.
        """
        if not isinstance(choice, Mapping) or not {"token", "tag"} <= choice.keys():
            return
        token, tag = choice["token"], choice["tag"]
        if token not in range(len(self.scores.tokens)) or tag not in self.scores.tags:
            return
        s = self.scores.tags.index(tag)
        if self.held.get(token) == s:
            del self.held[token]
        else:
            self.held[token] = s

    def edit(self, message: Any) -> None:
        """Make the edits of the score tables that are new; one that cannot be made is answered so.

        Args:
            message: {"client", "edits"}, as the tables send them; anything else changes nothing.
        """
        if not isinstance(message, Mapping) or not isinstance(message.get("edits"), list):
            return
        if message.get("client") != self._answers["client"]:
            self._answers = {"client": message.get("client"), "upto": 0, "refused": {}}
        for edit in message["edits"]:
            if not isinstance(edit, Mapping) or not isinstance(edit.get("serial"), int):
                continue
            if edit["serial"] > self._answers["upto"]:
                self._answers["upto"] = edit["serial"]
                try:
                    self.scores = self._edited(edit)
                except (ValueError, TypeError, KeyError) as error:
                    self._answers["refused"][str(edit["serial"])] = str(error)

    def preview(self, edit: Any) -> Payload | None:
        """The trellis with a score as it moves, which is drawn and not kept; None: it cannot be."""
        kept = self.scores
        try:
            self.scores = self._edited(edit)
            drawn = self.payload
        except (ValueError, TypeError, KeyError):
            return None
        finally:
            self.scores = kept
        return {"trace": drawn["trace"], "beside": drawn["beside"], "pictures": {}}

    def editor(self) -> Payload:
        """What the score tables draw, and which edits have been answered."""
        self._serial += 1
        return tables(self.scores) | {
            "source": self.folder,
            "serial": self._serial,
            "epoch": 0,
            "readOnly": not self.is_live,
            "answers": self._answers,
        }

    def _edited(self, edit: Any) -> ChainTables:
        text = str(edit["text"]).strip().replace("−", "-").replace("∞", "inf")
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"{edit['text']!r} is no number; write -1.5, or -inf") from None
        if not (value == -math.inf or math.isfinite(value)):
            raise ValueError(f"{edit['text']!r} is no score; write a finite number, or -inf")
        return self.scores.with_score(str(edit["op"]), tuple(edit["index"]), value)
