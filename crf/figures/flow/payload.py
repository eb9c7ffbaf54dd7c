"""Flow: every path of a chain at once, its width its probability. Data in, payload out.

A column per token; in it a block per tag, as high as p(y_t = s | x); between columns ribbons, as
wide at both ends as p(y_t = a, y_(t+1) = b | x). What flows into a block flows out of it, so every
column is as high as every other. Tags under `THRESHOLD` are gathered in one grey block, `OTHER`.
The browser (`index.js`) lays this out and computes no probability.

    flow(chain.marginals[0].tolist(), chain.pair_marginals[0].tolist(), tags, tokens, path=best)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...schemes import split
from ..colours import tag_colours, tag_meaning
from ..numbers import format_probability
from ..words import words

if TYPE_CHECKING:
    from ...chain import LinearChain

THRESHOLD = 0.005  # probability under which a tag is gathered into `OTHER`
OTHER = "other"
FOLDER = Path(__file__).parent

Payload = dict[str, Any]
Numbers = Sequence[float]


class Block(NamedTuple):
    """A tag of a token: its name, its probability as a number and as text, whether it is cut."""

    tag: str
    p: float
    text: str
    cut: bool = False


class Ribbon(NamedTuple):
    """A pair of neighbouring tags: the two names, their probability, whether it is cut.

    `right` is the width at the right end where it is not `p`, as between a front and a product.
    """

    left: str
    to: str
    p: float
    text: str
    cut: bool = False
    right: float | None = None


class Line(NamedTuple):
    """A tag sequence that stands under the picture: a name, a tag per token, a number as text."""

    name: str
    tags: Sequence[str]
    text: str = ""


def flow(
    marginals: Sequence[Numbers],
    pairs: Sequence[Sequence[Numbers]],
    tags: Sequence[str],
    tokens: Sequence[str],
    *,
    path: Sequence[int] = (),
    held: Mapping[int, int] | None = None,
    cut: Collection[tuple[int, int, int]] = (),
    cut_blocks: Collection[tuple[int, int]] = (),
    unknown: Sequence[bool] = (),
    marked: Collection[int] = (),
    lines: Sequence[Line] = (),
    choices: Sequence[Numbers] | None = None,
    spans: Sequence[tuple[str, int, int]] = (),
    **texts: str,
) -> Payload:
    """The payload of the component.

    Args:
        marginals: [L][S] p(y_t = s | x).
        pairs: [L-1][S][S] p(y_t = a, y_(t+1) = b | x), from row to column.
        tags: [S] names; their order is that of the blocks in every column.
        tokens: [L] words.
        path: [L] tag indices of the path to outline; () for none.
        held: token → tag index that the reader holds.
        cut: (token, a, b) of ribbons, from that token on, that are drawn as cut.
        cut_blocks: (token, s) of blocks that are drawn as cut.
        unknown: [L] whether a word is dotted, as one not seen in training.
        marked: Tokens with a mark under their word, as where two pictures differ.
        lines: Tag sequences to stand under the columns; the first is what the others differ from.
        choices: [L][S] probabilities for the words' menus; default the marginals; (): no menu.
        spans: (kind, first token, token after the last) of names, underlaid with their kind.
        texts: `label`, what the picture is, for reading aloud; `hint`, what stands under it while
            nothing is pointed at; `how`, what a click does, said after it where one can click.
    """
    held = held or {}
    marginals = [[min(p, 1.0) for p in row] for row in marginals]  # sums may be rounded up
    own = _own_blocks(marginals, path, held)
    menus = marginals if choices is None else choices
    columns = [
        {
            "token": t,
            "text": token,
            "unknown": bool(unknown) and unknown[t],
            "marked": t in marked,
            "held": tags[held[t]] if t in held else None,
            "path": tags[path[t]] if len(path) and path[t] >= 0 else None,
            "entropy": math.fsum(-p * math.log(p) for p in marginals[t] if p > 0) + 0.0,
            "blocks": _blocks(marginals[t], tags, own[t], {s for u, s in cut_blocks if u == t}),
            "choices": list(_choices(tuple(menus[t]), tuple(tags))) if len(menus) else [],
        }
        for t, token in enumerate(tokens)
    ]
    ribbons = [
        _ribbons(matrix, tags, own[t], own[t + 1], {(a, b) for u, a, b in cut if u == t})
        for t, matrix in enumerate(pairs)
    ]
    texts.setdefault("label", words(FOLDER)["title"])
    return payload(columns, ribbons, tags, lines=lines, spans=spans, **texts)


def of_chain(
    chain: LinearChain, tags: Sequence[str], tokens: Sequence[str], row: int = 0, **how: Any
) -> Payload:
    """The flow of one chain of a batch, its best path outlined unless `path` says otherwise.

    Args:
        chain: Any chain; of an infeasible one no block is left.
        tags: [S] names.
        tokens: [L] words.
        row: Which of the batch.
        how: Further arguments of `flow`.
    """
    if "path" not in how:
        how["path"] = chain.viterbi().tags[row].tolist()
    pairs = chain.pair_marginals[row].tolist()
    return flow(chain.marginals[row].tolist(), pairs, tags, tokens, **how)


def of_path(path: Sequence[int], tags: Sequence[str], tokens: Sequence[str], **how: Any) -> Payload:
    """The flow of one path that is given, as of the observed tags: probability 1, no other.

    Args:
        path: [L] tag indices.
        tags: [S] names.
        tokens: [L] words.
        how: Further arguments of `flow`.
    """
    S = len(tags)
    ones = [[float(s == tag) for s in range(S)] for tag in path]
    pairs = [[[p * q for q in after] for p in now] for now, after in pairwise(ones)]
    how.setdefault("path", path)
    return flow(ones, pairs, tags, tokens, **how)


def payload(
    columns: list[dict[str, Any]],
    ribbons: list[list[Ribbon]],
    tags: Sequence[str],
    *,
    lines: Sequence[Line] = (),
    spans: Sequence[tuple[str, int, int]] = (),
    label: str = "",
    hint: str = "",
    how: str = "",
) -> Payload:
    """Return the payload of columns and ribbons."""
    colours = tag_colours(tags)
    return {
        "label": label,
        "hint": hint,
        "how": how,
        "tags": [
            {
                "name": tag,
                "colour": colours[tag],
                "continues": _continues(tag),
                "about": tag_meaning(tag),
            }
            for tag in tags
        ],
        "columns": columns,
        "ribbons": ribbons,
        "lines": [line._asdict() for line in lines],
        "spans": [
            {
                "kind": kind,
                "from": start,
                "to": end,
                "colour": colours.get(f"B-{kind}", "118,118,118"),
            }
            for kind, start, end in spans
        ],
    }


def _continues(tag: str) -> bool:
    """Whether a tag continues a name (I-, M-, E-, L-): it is paler than the one that begins it."""
    label = split(tag)
    return label.role in ("I", "E") and label.kind not in ("", tag)


def figure_data(payload: Payload, *, clickable: bool = False) -> dict[str, Any]:
    """Say how a payload is drawn.

    Args:
        payload: From `flow` or its kin.
        clickable: Whether a block or a word can be clicked.
    """
    return {
        "flow": payload,
        "clickable": clickable,
        "words": words(FOLDER),
    }


def _own_blocks(
    marginals: Sequence[Numbers], path: Sequence[int], held: Mapping[int, int]
) -> list[frozenset[int]]:
    """The tags of each token that have a block of their own."""
    return [
        frozenset(
            s
            for s, p in enumerate(column)
            if p >= THRESHOLD or (p > 0 and s in (*path[t : t + 1], held.get(t)))
        )
        for t, column in enumerate(marginals)
    ]


def _blocks(
    column: Numbers, tags: Sequence[str], own: Collection[int], cut: set[int]
) -> list[Block]:
    blocks = [
        Block(tags[s], column[s], format_probability(column[s]), s in cut) for s in sorted(own)
    ]
    rest = math.fsum(p for s, p in enumerate(column) if s not in own)
    return [*blocks, Block(OTHER, rest, format_probability(rest))] if rest > 0 else blocks


def _ribbons(
    matrix: Sequence[Numbers],
    tags: Sequence[str],
    left: Collection[int],
    right: Collection[int],
    cut: set[tuple[int, int]],
) -> list[Ribbon]:
    """Pairs of blocks in the order of the blocks; what is gathered at either end is added up."""
    by_ends: dict[tuple[int, int, bool], list[float]] = {}
    S = len(tags)
    for a, row in enumerate(matrix):
        for b, p in enumerate(row):
            if p > 0:
                ends = (a if a in left else S, b if b in right else S, (a, b) in cut)
                by_ends.setdefault(ends, []).append(p)
    names = [*tags, OTHER]
    return [
        Ribbon(names[a], names[b], p := math.fsum(parts), format_probability(p), is_cut)
        for (a, b, is_cut), parts in sorted(by_ends.items())
    ]


@lru_cache(maxsize=64)  # of a sentence they stay, whatever is held
def _choices(column: tuple[float, ...], tags: tuple[str, ...]) -> tuple[Block, ...]:
    """All tags, the likeliest first."""
    return tuple(
        Block(tags[s], column[s], format_probability(column[s]))
        for s in sorted(range(len(tags)), key=lambda s: -column[s])
    )
