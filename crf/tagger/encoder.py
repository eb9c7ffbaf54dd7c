"""The network below the CRF: words, affixes and characters → a vector for each token.

    words, affixes, characters → [B, L, E] → bidirectional LSTM → [B, L, H]

B: sentences, L: tokens of the longest, E: size of a token's vector, H: what the encoder returns
(twice the LSTM's units, or E), U: distinct words in the batch, C: characters of a word.

Source: Huang, Xu, Yu (2015), arXiv:1508.01991; characters: Ma and Hovy (2016), arXiv:1603.01354.
"""

from dataclasses import dataclass, fields
from functools import cache
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .features import AFFIXES, Features

MANY = 8  # sentences from which `states_of_many` is faster
MAX_DIM, MAX_LAYERS = 2048, 8


@dataclass(frozen=True)
class Hyperparameters:
    """Sizes of the network; with the vocabularies they determine the shape of every weight."""

    word_dim: int = 96
    """Size of a word's vector; 0 leaves words out."""
    affix_dim: int = 16
    """Size of an affix's vector; a token has 8 affixes. 0 leaves affixes out."""
    char_dim: int = 32
    """Size of a character's vector."""
    char_filters: int = 64
    """Number of filters, three characters wide, of the character convolution; 0 for none."""
    hidden: int = 256
    """Number of LSTM units per direction; 0 for a tagger without an LSTM."""
    dropout: float = 0.5
    """Share of the token vectors, and of the LSTM's outputs, that training sets to zero."""
    layers: int = 1
    """Number of LSTM layers."""
    clusters: int = 0
    """Number of word clusters per token, 0 or 2; each has a vector, as an affix has."""

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "dropout"):
            size, least = getattr(self, name), int(name in ("char_dim", "layers"))
            most = {"layers": MAX_LAYERS, "clusters": 2}.get(name, MAX_DIM)
            if type(size) is not int or not least <= size <= most:
                raise ValueError(f"{name}: expected a whole number {least}–{most}, got {size!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout: expected a share from 0 to below 1, got {self.dropout!r}")
        if not self.token_dim:
            raise ValueError(
                "word_dim, affix_dim, char_filters: expected at least one above 0, got none; "
                "a tagger that sees nothing of a word cannot tag it"
            )

    @property
    def token_dim(self) -> int:
        """E, the size of a token's vector."""
        return self.word_dim + (AFFIXES + self.clusters) * self.affix_dim + self.char_filters


class Encoder(nn.Module):
    """Embeds the word, affixes and characters of each token and runs a BiLSTM over the sentence."""

    def __init__(self, sizes: Hyperparameters, words: int, affixes: int, characters: int) -> None:
        super().__init__()
        self.sizes = sizes
        self.word_embedding = self.affix_embedding = self.char_embedding = self.lstm = None
        if sizes.word_dim:
            self.word_embedding = _embedding(words, sizes.word_dim)
        if sizes.affix_dim:
            self.affix_embedding = _embedding(affixes, sizes.affix_dim)
        if sizes.char_filters:
            self.char_embedding = _embedding(characters, sizes.char_dim)
            self.char_convolution = nn.Conv1d(sizes.char_dim, sizes.char_filters, 3, padding=1)
        self.dropout = nn.Dropout(sizes.dropout)
        self.output_dim = sizes.token_dim
        if sizes.hidden:
            self.lstm = nn.LSTM(
                sizes.token_dim,
                sizes.hidden,
                sizes.layers,
                batch_first=True,
                bidirectional=True,
                dropout=sizes.dropout if sizes.layers > 1 else 0.0,
            )
            self.output_dim = 2 * sizes.hidden

    def tokens(self, features: Features) -> Tensor:
        """Return each token's own vector, [B, L, E]: word, affixes and characters side by side."""
        slabs = []
        if self.word_embedding is not None:
            slabs.append(self.word_embedding(features.words))
        if self.affix_embedding is not None:
            slabs.append(self.affix_embedding(features.affixes).flatten(2))
        if self.char_embedding is not None:
            slabs.append(self.by_character(features))
        return torch.cat(slabs, dim=2)

    def forward(self, features: Features) -> Tensor:
        """Return one vector per token, [B, L, H]; zero at padding if there is an LSTM."""
        if len(features.mask) >= MANY and not (self.training or torch.is_grad_enabled()):
            return states_of_many(self, features)
        tokens = self.dropout(self.tokens(features))
        if self.lstm is None:
            return tokens
        if tokens.numel() == 0:  # the LSTM refuses a batch without tokens
            return tokens.new_zeros(*tokens.shape[:2], self.output_dim)
        if not tokens.is_cuda:
            return self.dropout(both_ways(self.lstm, tokens, features.mask))
        lengths = features.mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(tokens, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=tokens.shape[1]
        )
        return self.dropout(states)

    def by_character(self, features: Features) -> Tensor:
        """Return the character convolution's output for each token, [B, L, char_filters]."""
        assert self.char_embedding is not None
        spelt = self.char_embedding(features.spellings)  # [U, C, char_dim]
        filtered = self.char_convolution(spelt.transpose(1, 2))  # [U, char_filters, C]
        padding = (features.spellings == 0).unsqueeze(1)
        by_word = filtered.masked_fill(padding, -torch.inf).amax(dim=2)  # best match in the word
        by_word = by_word.masked_fill(padding.all(dim=2), 0.0)  # row 0 spells no word
        return by_word[features.spelling]


def both_ways(lstm: nn.LSTM, states: Tensor, mask: Tensor) -> Tensor:
    """Run `lstm` over padded sentences, [B, L, E] → [B, L, 2H]; zero at padding.

    Each direction runs over the padded batch by itself, the second over the sentences turned round.
    On a CPU this takes two thirds of the time of packed sentences, whose gradient is quadratic in
    the length. In single precision wherever this CPU's LSTM knows no bfloat16.
    """
    if torch.is_autocast_enabled("cpu") and not _knows_bfloat16():
        with torch.autocast("cpu", enabled=False):
            return both_ways(lstm, states.float(), mask)
    B, L, _ = states.shape
    start = states.new_zeros(1, B, lstm.hidden_size)
    steps = torch.arange(L, device=mask.device)
    turned = torch.where(mask, mask.sum(dim=1, keepdim=True) - 1 - steps, steps).unsqueeze(2)
    for layer in range(lstm.num_layers):
        ways = []
        both = cast(list[list[Tensor]], lstm.all_weights[2 * layer :][:2])
        for weights, order in zip(both, (None, turned), strict=True):
            way = states if order is None else states.gather(1, order.expand_as(states))
            way = torch.lstm(
                way, (start, start), weights, True, 1, 0.0, lstm.training, False, True
            )[0]
            ways.append(way if order is None else way.gather(1, order.expand_as(way)))
        states = torch.cat(ways, dim=2) * mask.unsqueeze(2)
        if layer + 1 < lstm.num_layers:
            states = dropout(states, lstm.dropout, lstm.training)
    return states


@cache
def _knows_bfloat16() -> bool:
    """Whether this CPU's LSTM computes in bfloat16: without AVX-512 oneDNN refuses, so try it."""
    with torch.autocast("cpu", torch.bfloat16):
        try:
            nn.LSTM(1, 1)(torch.zeros(1, 1, 1))
        except RuntimeError:
            return False
    return True


def _embedding(entries: int, size: int) -> nn.Embedding:
    """Small at first (torch's default is 1): a rare word's vector then says nothing, not noise."""
    if torch.empty(0).device.type == "meta":  # `normal_` there imports torch's compiler: seconds
        return nn.Embedding(entries, size, padding_idx=0, _weight=torch.empty(entries, size))
    embedding = nn.Embedding(entries, size, padding_idx=0)
    nn.init.normal_(embedding.weight, std=0.1)
    with torch.no_grad():
        embedding.weight[0] = 0.0  # padding
    return embedding


def states_of_many(encoder: Encoder, features: Features) -> Tensor:
    """Return what `encoder(features)` does when nothing is dropped, [B, L, H], in half the time.

    What depends on the word alone, its vector and the vector's share of the LSTM's gates, is
    computed once for each distinct word of the batch: equal words have equal rows in the features.
    The recurrence is left, in which no padding takes part, since the longest sentences come first.
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
    states = table.view(B, L, -1)
    return torch.empty_like(states).index_copy_(0, order, states)


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
    """Run one layer in both directions, [B, L, 2H]; zero at padding.

    `table` [U, E] has the vectors that occur, `rows` [B, L] which of them each token has; by `mask`
    [B, L] the longest sentences come first.
    """
    (B, L), H = rows.shape, lstm.hidden_size
    going_on, columns = mask.sum(dim=0).tolist(), rows.T.contiguous()
    states = table.new_zeros(B, L, 2 * H)
    buffer = table.new_empty(B, 4 * H)
    for way, steps in enumerate((range(L), reversed(range(L)))):
        from_input, from_state, bias, other_bias = lstm.all_weights[2 * layer + way]
        gates = torch.addmm(bias + other_bias, table, from_input.T)  # [U, 4H]
        h, c = states.new_zeros(B, H), states.new_zeros(B, H)
        for t in steps:
            n = going_on[t]
            z = torch.index_select(gates, 0, columns[t, :n], out=buffer[:n])
            i, f, g, o = z.addmm_(h[:n], from_state.T).chunk(4, dim=1)
            c[:n].mul_(f.sigmoid_()).addcmul_(i.sigmoid_(), g.tanh_())
            torch.tanh(c[:n], out=h[:n]).mul_(o.sigmoid_())
            states[:n, t, way * H : (way + 1) * H] = h[:n]
    return states
