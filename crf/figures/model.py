"""A figure of one chain without a host: the data that it draws, and what a reader does to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .flow.payload import Payload
from .scores.payload import ChainTables, tables

if TYPE_CHECKING:
    from ..chain import LinearChain

DrawFigure = Callable[["FigureModel"], Payload]


class FigureModel:
    """What every host of a figure asks: see `crf.figures.figure.Figure` for the attributes."""

    def __init__(self, folder: str, title: str, scores: ChainTables, draw: DrawFigure) -> None:
        self.folder, self.title, self.scores = folder, title, scores
        self.held: dict[int, int] = {}
        self.is_live = False
        self.previewed = ""
        self._draw = draw
        self._answers: Payload = {"client": "", "upto": 0, "refused": {}}
        self._serial = 0

    @property
    def chain(self) -> LinearChain:
        """The chain of the scores as they are now, a batch of one in double precision."""
        return self.scores.chain()

    @property
    def payload(self) -> Payload:
        """The data that the figure draws, plain for JSON."""
        return self._draw(self)

    def hold(self, choice: Any) -> None:
        """Fix a tag, or release it, as a click in the flow does.

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
        """The trellis with a score as it moves, which is drawn and not kept; None: it cannot be.

        Args:
            edit: As in `edit`, with the mode on screen, the only one that is computed.
        """
        scores = self.scores
        try:
            self.scores = self._edited(edit)
            self.previewed = str(edit.get("mode", ""))
            payload = self.payload
        except (ValueError, TypeError, KeyError):
            return None
        finally:
            self.scores, self.previewed = scores, ""
        return {"trace": payload["trace"], "beside": payload["beside"]}

    def editor(self) -> Payload:
        """What the score tables draw, and which edits have been answered."""
        self._serial += 1
        return tables(self.scores) | {
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
