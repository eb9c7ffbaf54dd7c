"""Interactive figures of chains, for a notebook or as one HTML file.

    from crf import figures
    figure = figures.viterbi(chain, tokens=["They", "can", "fish"], tags=["NOUN", "VERB"])
    figure                       # at a cell's end: draws itself
    figure.save("viterbi.html")  # one file, offline

Each figure has a folder with `payload.py` (data → plain dict), `index.js` (an anywidget front-end
module), `style.css` and `words.md`. The folder `shared` has the code that figures share, and
`hosts` the code that shows a figure in a page, a notebook or a file.
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
_ALL_MODES = (
    200  # cells of the largest trellis that has all modes; a larger one has the one asked for
)


def flow(chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0) -> Figure:
    """Draw all paths of a chain at once, each as wide as its probability.

    In a notebook a click on a block fixes its tag: the figure then draws the paths with that tag.

    Args:
        chain: A batch of chains, of which one is drawn.
        tokens: m names, one for each token; default "1", "2", …
        tags: S names, one for each tag; default "0", "1", …
        row: Index of the chain in the batch.

    Raises:
        TypeError: `chain` is not a LinearChain, or a name not a string.
        ValueError: There are too few or too many names, or the chain has no token.
    """

    def draw(figure: FigureModel) -> dict[str, Any]:
        import torch

        names, chain = figure.scores, figure.chain
        fixed = [[figure.held.get(t, -1) for t in range(len(names.tokens))]]
        free = chain.marginals[0].tolist()  # because the menus ignore fixed tags
        chain = chain.clamp(torch.tensor(fixed)) if figure.held else chain
        return _flow.figure_data(
            chain,
            names.tags,
            names.tokens,
            held=figure.held,
            choices=free,
            clickable=figure.is_live,
        )

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
    """Step through the forward recursion; the arguments are those of `viterbi`."""
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
    """Step through the backward recursion; the arguments are those of `viterbi`."""
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

    The figure also has the other recursions and the best path, unless the chain is large. In a
    notebook you can change a score where it stands: drag it, type, or use the arrow keys. The
    kernel then computes the figure again.

    Args:
        chain: A batch of chains, of which one is drawn.
        tokens: m names, one for each token; default "1", "2", …
        tags: S names, one for each tag; default "0", "1", …
        row: Index of the chain in the batch.
        convention: "state", "message" or "pair"; see `crf.trace` for the terms of their cells.
        space: "log" to add log-scores, "probability" to multiply potentials.

    Raises:
        TypeError: `chain` is not a LinearChain, or a name not a string.
        ValueError: There are too few or too many names, or the chain has no token.
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
        algorithm: The recursion.
        chain: A batch of one.
        given: (column, row) → the other program's number where it is wrong, "" where it is right.
        first: The first wrong cell, (column, row); the figure opens at its step and frames it.
        tokens: As for `viterbi`.
        tags: As for `viterbi`.
        convention: As for `viterbi`.
        space: As for `viterbi`.
    """
    plain = _stepper(algorithm, chain, 0, tokens, tags, convention, space)

    def draw(figure: FigureModel) -> dict[str, Any]:
        return _trellis_of(figure, (algorithm,), convention, space, given=given, first=first)

    return Figure("crf/figures/trellis", plain.title, plain.scores, draw)


def marginals(
    chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0
) -> Figure:
    """Draw the marginals p(y_t = s | x) as a heat map; the arguments are those of `flow`."""

    def draw(figure: FigureModel) -> dict[str, Any]:
        names = figure.scores
        return _heat.of_chain(figure.chain, names.tags, names.tokens)

    title = _words(_heat.FOLDER)["title"]
    return Figure("crf/figures/heat", title, _tables(chain, row, tokens, tags), draw)


def scores(chain: LinearChain, *, tokens: Names = None, tags: Names = None, row: int = 0) -> Figure:
    """Draw a chain's scores as tables; the arguments are those of `flow`.

    In a notebook you can edit the scores. The figure's `scores` and `chain` have the edited ones.
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
        chain: A batch of chains, of which one is drawn.
        path: m tag indices, one for each token.
        tokens: m names, one for each token; default "1", "2", …
        tags: S names, one for each tag; default "0", "1", …
        row: Index of the chain in the batch.

    Raises:
        TypeError: `chain` is not a LinearChain, or a name not a string.
        ValueError: There are too few or too many names, or the path has another length than the
            chain or a tag out of range.
    """
    scores = _tables(chain, row, tokens, tags)
    m, S = len(scores.tokens), len(scores.tags)
    if len(path) != m or not all(0 <= s < S for s in path):
        raise ValueError(f"path: expected {m} tags from 0 to {S - 1}, got {list(path)}")

    def draw(figure: FigureModel) -> dict[str, Any]:
        names = figure.scores
        return _gradient.of_chain(figure.chain, list(path), names.tags, names.tokens)

    return Figure("crf/figures/gradient", _words(_gradient.FOLDER)["title"], scores, draw)


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
        names = figure.scores
        others = [other for other in _trellis.MODES if other != algorithm]
        is_small = len(names.tags) * len(names.tokens) <= _ALL_MODES
        every = (algorithm, *others * is_small)
        needed = _trellis.NEEDED.get(figure.previewed, every)
        return _trellis_of(figure, needed, convention, space)

    title = _words(_trellis.FOLDER)["viterbi_title" if algorithm == "viterbi" else algorithm]
    return Figure("crf/figures/trellis", title, _tables(chain, row, tokens, tags), draw)


def _trellis_of(
    figure: FigureModel,
    algorithms: Sequence[str],
    convention: TermForm,
    space: Space,
    given: Mapping[tuple[int, int], str] | None = None,
    first: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Return the data of a trellis that opens at the first of the algorithms, or at a wrong cell.

    `given` and `first` are those of `compared`.
    """
    from ..trace import trace

    names = figure.scores
    traces = [
        trace(
            figure.chain,
            algorithm=algorithm,
            convention=convention,
            tags=names.tags,
            tokens=names.tokens,
        )
        for algorithm in algorithms
    ]
    beside: dict[str, Any] = {"mode": _trellis.MODES[algorithms[0]], "live": figure.is_live}
    if given is not None:
        beside |= _trellis.compared(traces[0], given, first)
    return _trellis.figure_data(_trellis.payload(*traces, space=space), **beside)


def _tables(chain: LinearChain, row: int, tokens: Names, tags: Names) -> ChainTables:
    """Return the scores of one row with their names; refuse a row without tokens."""
    from ..trace import trace

    run = trace(chain, row, tags=tags, tokens=tokens)  # checks them
    if not run.tokens:
        raise ValueError(f"row: expected a chain with tokens, got row {row}, which has none")
    return ChainTables.of(chain, row, run.tags, run.tokens)
