"""The encoder on many sentences, without gradient: the same vectors in half the time.

What depends on the word alone, its vector and the vector's share of the LSTM's gates, is computed
once for each distinct word of the batch. The recurrence is left, in which no padding takes part,
since the longest sentences come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .features import Features

if TYPE_CHECKING:
    from .model import Encoder

MANY = 8  # sentences from which this is faster


def states(encoder: Encoder, features: Features) -> Tensor:
    """What `encoder(features)` returns when nothing is dropped, [B, L, H].

    Args:
        encoder: Of a tagger.
        features: Of sentences, as `Featuriser` makes them: equal words have equal rows.
    """
    B, L = features.spelling.shape
    if B * L == 0:
        return features.spellings.new_zeros(B, L, encoder.output_dim, dtype=torch.float)
    table = encoder.tokens(_distinct(features)).squeeze(1)  # [U, E]
    rows = features.spelling
    if encoder.lstm is None:
        return table[rows]
    order = features.mask.sum(dim=1).argsort(descending=True)
    rows, mask = rows[order], features.mask[order]
    for layer in range(encoder.lstm.num_layers):
        table = _layer(encoder.lstm, layer, table, rows, mask).flatten(0, 1)  # [B·L, 2H]
        rows = torch.arange(len(table), device=table.device).view(B, L)
    found = table.view(B, L, -1)
    return torch.empty_like(found).index_copy_(0, order, found)


def _distinct(features: Features) -> Features:
    """The distinct words as U sentences of one token each."""
    U, spelling = len(features.spellings), features.spelling
    places = torch.arange(spelling.numel(), device=spelling.device)
    place = places.new_zeros(U).index_copy_(0, spelling.flatten(), places)  # one of each word's
    each = torch.arange(U, device=spelling.device).unsqueeze(1)
    words = features.words.flatten()[place].unsqueeze(1)
    affixes = features.affixes.flatten(0, 1)[place].unsqueeze(1)
    return Features(words, affixes, features.spellings, each, each > 0)


def _layer(lstm: nn.LSTM, layer: int, table: Tensor, rows: Tensor, mask: Tensor) -> Tensor:
    """One layer, both ways, [B, L, 2H]; zero at padding.

    Args:
        lstm: The LSTM.
        layer: Which of its layers.
        table: [U, E] the vectors that occur.
        rows: [B, L] which of them each token has.
        mask: [B, L] as in `Features`, the longest sentences first.
    """
    (B, L), H = rows.shape, lstm.hidden_size
    going_on, columns = mask.sum(dim=0).tolist(), rows.T.contiguous()
    found = table.new_zeros(B, L, 2 * H)
    buffer = table.new_empty(B, 4 * H)
    for way, steps in enumerate((range(L), reversed(range(L)))):
        from_input, from_state, bias, other_bias = lstm.all_weights[2 * layer + way]
        gates = torch.addmm(bias + other_bias, table, from_input.T)  # [U, 4H]
        h, c = found.new_zeros(B, H), found.new_zeros(B, H)
        for t in steps:
            n = going_on[t]
            z = torch.index_select(gates, 0, columns[t, :n], out=buffer[:n])
            i, f, g, o = z.addmm_(h[:n], from_state.T).chunk(4, dim=1)
            c[:n].mul_(f.sigmoid_()).addcmul_(i.sigmoid_(), g.tanh_())
            torch.tanh(c[:n], out=h[:n]).mul_(o.sigmoid_())
            found[:n, t, way * H : (way + 1) * H] = h[:n]
    return found
