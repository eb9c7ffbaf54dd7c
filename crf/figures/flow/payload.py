"""Flow: every path of a chain at once, its width its probability. Data in, payload out.

A column per token; in it a block per tag, as high as p(y_t = s | x); between columns ribbons, as
wide at both ends as p(y_t = a, y_(t+1) = b | x). What flows into a block flows out of it, so every
column is as high as every other. Tags under `THRESHOLD` are gathered in one grey block, `OTHER`.
The browser (`columns.js`) lays this out and computes no probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..colours import tag_colours, tag_meaning
from ..numbers import format_probability
from ..words import words

if TYPE_CHECKING:
    from torch import Tensor

    from ...chain import LinearChain

THRESHOLD = 0.005  # probability under which a tag is gathered into `OTHER`
OTHER = "other"
FOLDER = Path(__file__).parent

Payload = dict[str, Any]
Numbers = Sequence[float]


def figure_data(
    chain: LinearChain,
    tags: Sequence[str],
    tokens: Sequence[str],
    *,
    held: Mapping[int, int] | None = None,
    choices: Sequence[Numbers] | None = None,
    clickable: bool = False,
) -> Payload:
    """The flow of one chain, with its best path outlined.

    Args:
        chain: A batch of one; of an infeasible one no block is left.
        tags: S names; their order is that of the blocks in every column.
        tokens: L words.
        held: token → tag index that the reader holds.
        choices: [L][S] probabilities for the words' menus; default the marginals.
        clickable: Whether a block or a word can be clicked.
    """
    held = held or {}
    marginals, pairs = chain.marginals[0], chain.pair_marginals[0]
    blocks = shown(marginals[None], held)
    columns, ribbons = folded(marginals, pairs, blocks)
    menus = marginals.tolist() if choices is None else choices
    return {
        "tags": drawn_tags(tags, words(FOLDER)["other"]),
        "tokens": [
            {"text": token, "fixed": held.get(t), "choices": _choices(menus[t])}
            for t, token in enumerate(tokens)
        ],
        "shown": blocks,
        "blocks": [column.tolist() for column in columns],
        "ribbons": [matrix.tolist() for matrix in ribbons],
        "path": chain.viterbi().tags[0].tolist(),
        "clickable": clickable,
        "words": words(FOLDER),
    }


def drawn_tags(tags: Sequence[str], about_others: str = "") -> list[dict[str, str]]:
    """The name, colour and meaning of each tag, and of the block of all others."""
    colours = tag_colours(tags)
    own = [{"name": tag, "colour": colours[tag], "about": tag_meaning(tag)} for tag in tags]
    return [*own, {"name": OTHER, "colour": "120, 128, 136", "about": about_others}]


def shown(marginals: Tensor, fixed: Mapping[int, int]) -> list[list[int]]:
    """The tags of each token that have a block of their own, and S, `OTHER`, for the rest.

    Args:
        marginals: [..., L, S] in every state that is drawn with these blocks.
        fixed: token → tag index.
    """
    S = marginals.shape[-1]
    largest = marginals.flatten(0, -3).amax(0)  # [L, S]
    blocks = []
    for t, row in enumerate(largest.tolist()):
        own = [s for s, p in enumerate(row) if p >= THRESHOLD or fixed.get(t) == s]
        rest = any(p > 0 for s, p in enumerate(row) if s not in own)
        blocks.append([*own, S] if rest else own)
    return blocks


def folded(
    marginals: Tensor, pairs: Tensor, blocks: Sequence[Sequence[int]]
) -> tuple[list[Tensor], list[Tensor]]:
    """Marginals per token [..., n_t] and pairs per gap [..., n_t, n_(t+1)], of shown blocks.

    Args:
        marginals: [..., L, S].
        pairs: [..., L-1, S, S].
        blocks: For each token the tags that have a block; S stands for all others.
    """
    import torch

    S = marginals.shape[-1]
    sums = []  # for each token [S, n_t]: which block a tag belongs to
    for own in blocks:
        into = torch.zeros(S, len(own), dtype=marginals.dtype)
        for s in range(S):
            if s in own or S in own:
                into[s, own.index(s if s in own else S)] = 1
        sums.append(into)
    columns = [marginals[..., t, :] @ into for t, into in enumerate(sums)]
    ribbons = [sums[t].T @ pairs[..., t, :, :] @ sums[t + 1] for t in range(len(blocks) - 1)]
    return columns, ribbons


def _choices(column: Numbers) -> list[list[Any]]:
    """All tags, the likeliest first: index, probability, its text."""
    ranks = sorted(range(len(column)), key=lambda s: -column[s])
    return [[s, column[s], format_probability(column[s])] for s in ranks]
