"""Figures of chains that do not know their host: the app, a notebook, or one HTML file.

    from crf import figures
    figure = figures.viterbi(chain, tokens=["They", "can", "fish"], tags=["NOUN", "VERB"])
    figure                       # at a cell's end: draws itself
    figure.save("viterbi.html")  # one file, offline

A figure is a folder: `payload.py` (data → plain dict), `index.js` (an anywidget front-end module),
`style.css`, `words.md`. What figures share stands in `shared`, how a host shows them in `hosts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .figure import Figure
from .flow import payload as _flow
from .gradient import payload as _gradient
from .heat import payload as _heat
from .model import FigureModel
from .scores import payload as _scores
from .scores.payload import ChainTables
from .trellis import payload as _trellis
from .trellis.notation import Space
from .words import words as _words

if TYPE_CHECKING:
    from ..chain import LinearChain

__all__ = [
    "BY_NAME",
    "Figure",
    "backward",
    "compared",
    "flow",
    "forward",
    "gradient",
    "marginals",
    "scores",
    "viterbi",
]

Names = Sequence[str] | None
TermForm = Literal["state", "message", "pair"]


def flow(chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0) -> Figure:
    """Draw all paths of a chain at once, each as wide as it is probable.

    In a notebook a click on a block holds its tag: every path has it then.

    Args:
        chain: Any chain; of a batch, one row is drawn.
        tokens: A word for each token; default "1", "2", …
        tags: A name for each tag; default "0", "1", …
        row: Which of the batch.

    Raises:
        ValueError: There are too few or too many names, or the row has no token.
    """

    def draw(figure: FigureModel) -> dict[str, Any]:
        import torch

        names, chain = figure.scores, figure.chain
        fixed = [[figure.held.get(t, -1) for t in range(len(names.tokens))]]
        free = chain.marginals[0].tolist()  # the menus have the probabilities without what is held
        shown = chain.clamp(torch.tensor(fixed)) if figure.held else chain
        say = _words(_flow.FOLDER)
        payload = _flow.of_chain(
            shown, names.tags, names.tokens, held=figure.held, choices=free,
            hint=say["hint"], how=say["hold"],
        )  # fmt: skip
        return _flow.figure_data(payload, clickable=figure.is_live)

    title = _words(_flow.FOLDER)["title"]
    return Figure("crf/figures/flow", title, _tables(chain, row, tokens, tags), draw)


def forward(
    chain: LinearChain,
    *,
    tokens: Names = None,
    tags: Names = None,
    row: int = 0,
    convention: TermForm = "state",
    space: Space = "log",
) -> Figure:
    """Step through the forward recursion. Arguments as in `viterbi`."""
    return _stepper("forward", chain, row, tokens, tags, convention, space)


def backward(
    chain: LinearChain,
    *,
    tokens: Names = None,
    tags: Names = None,
    row: int = 0,
    convention: TermForm = "state",
    space: Space = "log",
) -> Figure:
    """Step through the backward recursion. Arguments as in `viterbi`."""
    return _stepper("backward", chain, row, tokens, tags, convention, space)


def viterbi(
    chain: LinearChain,
    *,
    tokens: Names = None,
    tags: Names = None,
    row: int = 0,
    convention: TermForm = "state",
    space: Space = "log",
) -> Figure:
    """Step through the Viterbi recursion, with its backpointers.

    In a notebook the scores beside the trellis can be dragged: the kernel computes it anew.

    Args:
        chain: Any chain; of a batch, one row is drawn.
        tokens: A word for each token; default "1", "2", …
        tags: A name for each tag; default "0", "1", …
        row: Which of the batch.
        convention: "state", "message" or "pair": which terms a cell has.
        space: "log" for log-scores that are added, "probability" for potentials, multiplied.

    Raises:
        ValueError: There are too few or too many names, or the row has no token.
    """
    return _stepper("viterbi", chain, row, tokens, tags, convention, space)


def compared(
    algorithm: Literal["forward", "backward", "viterbi"],
    chain: LinearChain,
    given: Mapping[tuple[int, int], str],
    *,
    first: tuple[int, int] | None = None,
    tokens: Names = None,
    tags: Names = None,
    convention: TermForm = "state",
    space: Space = "log",
) -> Figure:
    """Draw a recursion with another program's numbers beside its own.

    Args:
        algorithm: Which recursion.
        chain: A batch of one.
        given: (column, row) → the other program's number where it is wrong, "" where it is right.
        first: The first wrong cell, (column, row): the figure opens at its step, and frames it.
        tokens: As for `viterbi`; so are the other arguments.
        tags: As for `viterbi`.
        convention: As for `viterbi`.
        space: As for `viterbi`.
    """

    def draw(figure: FigureModel) -> dict[str, Any]:
        trace = plain.payload["trace"]
        at = [(step["column"], step["row"]) for step in trace["steps"] if step["kind"] == "cell"]
        step = at.index(first) if first in at else len(trace["steps"]) - 1
        cells = [[*place, text] for place, text in given.items()]
        beside = {"given": {"cells": cells, "first": list(first or ())}, "step": step}
        view = trace["view"] | {"notes": True}  # under the cells
        return {"trace": trace | {"view": view}, "beside": {"sent": 0, **beside}}

    plain = _stepper(algorithm, chain, 0, tokens, tags, convention, space)
    return Figure("crf/figures/trellis", plain.title, plain.scores, draw)


def marginals(
    chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0
) -> Figure:
    """Draw p(y_t = s | x) as a heat map: a row for each tag. Arguments as in `flow`."""

    def draw(figure: FigureModel) -> dict[str, Any]:
        names = figure.scores
        return _heat.of_chain(figure.chain, names.tags, names.tokens)

    title = _words(_heat.FOLDER)["title"]
    return Figure("crf/figures/heat", title, _tables(chain, row, tokens, tags), draw)


def scores(chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0) -> Figure:
    """Draw a chain's scores as tables; in a notebook they can be changed. Arguments as in `flow`.

    What they are then is the figure's `scores`, and its `chain`.
    """
    title = _words(_scores.FOLDER)["title"]
    return Figure(
        "crf/figures/scores", title, _tables(chain, row, tokens, tags), FigureModel.editor
    )


def gradient(
    chain: LinearChain,
    path: Sequence[int],
    *,
    tokens: Names = None,
    tags: Names = None,
    row: int = 0,
) -> Figure:
    """Draw the gradient of log p(path | x): observed minus expected counts.

    Args:
        chain: Any chain; of a batch, one row is drawn.
        path: A tag index for each token.
        tokens: A word for each token; default "1", "2", …
        tags: A name for each tag; default "0", "1", …
        row: Which of the batch.

    Raises:
        ValueError: A name is missing, or the path has another length or a tag out of range.
    """
    known = _tables(chain, row, tokens, tags)
    m, S = len(known.tokens), len(known.tags)
    if len(path) != m or not all(0 <= s < S for s in path):
        raise ValueError(f"path: expected {m} tags from 0 to {S - 1}, got {list(path)}")

    def draw(figure: FigureModel) -> dict[str, Any]:
        names = figure.scores
        return _gradient.of_chain(figure.chain, list(path), names.tags, names.tokens)

    return Figure("crf/figures/gradient", _words(_gradient.FOLDER)["title"], known, draw)


BY_NAME = {
    "flow": flow,
    "forward": forward,
    "backward": backward,
    "viterbi": viterbi,
    "marginals": marginals,
    "scores": scores,
}


def _stepper(
    algorithm: str,
    chain: LinearChain,
    row: int,
    tokens: Names,
    tags: Names,
    convention: TermForm,
    space: Space,
) -> Figure:
    def draw(figure: FigureModel) -> dict[str, Any]:
        from ..trace import trace

        names = figure.scores
        run = trace(
            figure.chain, algorithm=algorithm, convention=convention, tags=names.tags,
            tokens=names.tokens,
        )  # fmt: skip
        beside = {"scores": figure.editor()} if figure.is_live else {}
        return _trellis.figure_data(_trellis.payload(run, space=space), beside=beside)

    title = _words(_trellis.FOLDER)["viterbi_title" if algorithm == "viterbi" else algorithm]
    return Figure("crf/figures/trellis", title, _tables(chain, row, tokens, tags), draw)


def _tables(chain: LinearChain, row: int, tokens: Names, tags: Names) -> ChainTables:
    """The scores of one row with their names.

    Raises:
        ValueError: There are too few or too many names, or the row has no token.
    """
    from ..trace import trace

    run = trace(chain, row, tags=tags, tokens=tokens)  # checks them
    if not run.tokens:
        raise ValueError(f"row: expected a chain with tokens, got row {row}, which has none")
    return ChainTables.of(chain, row, run.tags, run.tokens)
