"""From words to scores: the BiLSTM-CRF tagger.

    words, affixes, characters → Encoder → [B, L, H] → projection → emissions [B, L, S] → ChainCRF

The encoder reads the whole sentence, so each emission may depend on every word; the CRF on top
scores the tags' order. Without the LSTM (`hidden=0`, the *local* tagger) an emission sees its own
word only, and whatever the tagger knows of the context is in the CRF's transitions.

B: sentences, L: tokens of the longest, S: tags, E: size of a token's vector, H: what the encoder
returns (twice the LSTM's units, or E), U: distinct words in the batch, C: characters of a word.

Source: Huang, Xu, Yu (2015), arXiv:1508.01991; characters: Ma and Hovy (2016), arXiv:1603.01354.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .. import ChainCRF, Constraints, LinearChain
from ..schemes import scheme_of_tags
from . import inference, storage
from .features import AFFIXES, Features, Featuriser, normalise
from .storage import ModelFileError
from .vocabulary import Vocabulary

MAX_DIM, MAX_LAYERS = 2048, 8


@dataclass(frozen=True)
class Hyperparameters:
    """The sizes of the network; with the vocabularies they give the shape of every weight."""

    word_dim: int = 96
    """Size of a word's vector; 0: words are not looked up."""
    affix_dim: int = 16
    """Size of the vector of one affix, of which a token has 8; 0: affixes are not looked at."""
    char_dim: int = 32
    """Size of a character's vector."""
    char_filters: int = 64
    """Filters of the character convolution, each three characters wide; 0: none."""
    hidden: int = 256
    """LSTM units per direction; 0 for the local tagger, without an LSTM."""
    dropout: float = 0.5
    """Share of the token vectors, and of the LSTM's outputs, that training sets to zero."""
    layers: int = 1
    """Of the LSTM, one on the other."""
    clusters: int = 0
    """How many clusters a token has beside its affixes, with a vector each: 0 or 2."""

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
    """Word, affixes and characters of each token, then a bidirectional LSTM over the sentence."""

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
        """What is seen of each word by itself, [B, L, E]: its slabs side by side."""
        slabs = []
        if self.word_embedding is not None:
            slabs.append(self.word_embedding(features.words))
        if self.affix_embedding is not None:
            slabs.append(self.affix_embedding(features.affixes).flatten(2))
        if self.char_embedding is not None:
            slabs.append(self.by_character(features))
        return torch.cat(slabs, dim=2)

    def forward(self, features: Features) -> Tensor:
        """One vector per token, [B, L, H]; zero at padding if there is an LSTM."""
        many = len(features.mask) >= inference.MANY
        if many and not (self.training or torch.is_grad_enabled()):
            return inference.states(self, features)
        tokens = self.dropout(self.tokens(features))
        if self.lstm is None:
            return tokens
        if tokens.numel() == 0:  # the LSTM refuses a batch without tokens
            return tokens.new_zeros(*tokens.shape[:2], self.output_dim)
        if not tokens.is_cuda:
            return self.dropout(_both_ways(self.lstm, tokens, features.mask))
        lengths = features.mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(tokens, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=tokens.shape[1]
        )
        return self.dropout(states)

    def by_character(self, features: Features) -> Tensor:
        """What the character convolution makes of each token, [B, L, char_filters]."""
        assert self.char_embedding is not None
        spelt = self.char_embedding(features.spellings)  # [U, C, char_dim]
        filtered = self.char_convolution(spelt.transpose(1, 2))  # [U, char_filters, C]
        padding = (features.spellings == 0).unsqueeze(1)
        by_word = filtered.masked_fill(padding, -torch.inf).amax(dim=2)  # best match in the word
        by_word = by_word.masked_fill(padding.all(dim=2), 0.0)  # row 0 spells no word
        return by_word[features.spelling]


def _both_ways(lstm: nn.LSTM, states: Tensor, mask: Tensor) -> Tensor:
    """What `lstm` makes of padded sentences, [B, L, E] → [B, L, 2H]; zero at padding.

    Each direction runs over the padded batch by itself, the second over the sentences turned round.
    On a CPU this takes two thirds of the time of packed sentences, whose gradient is quadratic in
    the length. In single precision wherever this CPU's LSTM knows no bfloat16.
    """
    if torch.is_autocast_enabled("cpu") and not _knows_bfloat16():
        with torch.autocast("cpu", enabled=False):
            return _both_ways(lstm, states.float(), mask)
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


def _crf(
    tags: Sequence[str], scheme: str | None, generator: torch.Generator | None = None
) -> ChainCRF:
    constraints = Constraints.of(tags, scheme) if scheme else None
    return ChainCRF(len(tags), constraints, generator=generator)


class Tagger(nn.Module):
    """A tagger: `Featuriser`, `Encoder`, a linear projection to S scores per token, `ChainCRF`.

    Args:
        tags: The tag set, in the order of the CRF's axes.
        featuriser: Turns words into indices.
        sizes: The network's sizes.
        scheme: BIO, BIOES, BILOU or BMES: the CRF shall forbid what this label scheme forbids;
            None: every tag may follow every tag.
        tokeniser: How a text becomes words, one of `storage.TOKENISERS`.
        written_as: "IOB1": the tags are BIO labels, and are written as IOB1; "IO": the tags are
            types of spans without letters; None: the tags tell their scheme, if any.
    """

    def __init__(
        self,
        tags: Sequence[str],
        featuriser: Featuriser,
        sizes: Hyperparameters,
        scheme: str | None = None,
        *,
        tokeniser: str = "english",
        written_as: str | None = None,
    ) -> None:
        super().__init__()
        if featuriser.affix_count != AFFIXES + sizes.clusters:
            raise ValueError(
                f"clusters: expected {featuriser.affix_count - AFFIXES}, as the featuriser has, "
                f"got {sizes.clusters}; give both the same"
            )
        self.tags = tuple(tags)
        self.scheme = scheme
        self.tokeniser = tokeniser
        self.written_as = written_as
        self.featuriser = featuriser
        self.sizes = sizes
        self.encoder = Encoder(
            sizes, len(featuriser.words), len(featuriser.affixes), len(featuriser.characters)
        )
        self.projection = nn.Linear(self.encoder.output_dim, len(self.tags))
        self.crf = _crf(self.tags, scheme)

    def forward(self, features: Features) -> Tensor:
        """The emission scores, [B, L, S]."""
        return self.projection(self.encoder(features))

    @property
    def label_scheme(self) -> str | None:
        """The label scheme of the tags, or None if they are plain."""
        if self.written_as == "IO":
            return "IO"
        return self.scheme or scheme_of_tags(self.tags)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.projection.weight.device

    def network_to(self, device: torch.device | str) -> "Tagger":
        """Move the network; the CRF and its chains stay where they are."""
        self.encoder.to(device)
        self.projection.to(device)
        return self

    def features(self, sentences: Sequence[Sequence[str]]) -> Features:
        """The sentences in numbers, on the device of the weights."""
        return Features(*(part.to(self.device) for part in self.featuriser(sentences)))

    @torch.no_grad()
    def chain(
        self,
        sentences: Sequence[Sequence[str]],
        backend: str = "auto",
        *,
        constraints: Constraints | None = None,
    ) -> LinearChain:
        """p(tags | words) of a batch of sentences, as one ragged batch; no gradient, no dropout.

        Args:
            sentences: Lists of tokens, of any lengths, none too.
            backend: As for `LinearChain`.
            constraints: Forbids tags at decoding; default: what the tagger was trained with.
        """
        training = self.training
        self.eval()
        try:
            features = self.features(sentences)
            emissions = self(features)
        finally:
            self.train(training)
        crf = self.crf
        scores = (
            emissions.float().to(crf.transitions.device),
            crf.transitions.detach(),
            crf.start_transitions.detach(),
            crf.end_transitions.detach(),
        )
        if constraints is not None or self.scheme:
            scores = (constraints or crf.constraints).apply(*scores)
        mask = features.mask.to(crf.transitions.device)
        return LinearChain(*scores, mask, backend=backend)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The most probable tags of each sentence (Viterbi)."""
        paths = self.chain(sentences).viterbi().tags.tolist()
        return [
            [self.tags[tag] for tag in path[: len(sentence)]]
            for path, sentence in zip(paths, sentences, strict=True)
        ]

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Which tokens the training data did not contain (case and digits apart)."""
        return [normalise(token) not in self.featuriser.words for token in tokens]

    def save(self, directory: str | Path) -> None:
        """Write `tagger.json` and `weights.safetensors` (float16) into the directory."""
        storage.write(Path(directory), self.contents())

    def contents(self) -> storage.Contents:
        """What `save` writes."""
        names = ("words", "affixes", "characters")
        vocabularies = {name: list(getattr(self.featuriser, name).known) for name in names}
        return storage.Contents(
            list(self.tags),
            self.scheme,
            vocabularies,
            dict(self.featuriser.clusters),
            asdict(self.sizes),
            self.state_dict(),
            self.tokeniser,
            self.written_as,
        )

    @classmethod
    def load(cls, directory: str | Path) -> "Tagger":
        """Read what `save` wrote.

        Raises:
            ModelFileError: A file is missing, damaged or no tagger's; the message says what to do.
        """
        return cls.from_bytes(*storage.read(Path(directory)))

    @classmethod
    def from_bytes(cls, tagger_json: bytes, weights: bytes) -> "Tagger":
        """A tagger from the contents of its two files, which may come from anyone.

        Raises:
            ModelFileError: As for `load`.
        """
        contents = storage.parse(tagger_json, weights)
        try:
            sizes = Hyperparameters(**contents.hyperparameters)  # pyright: ignore[reportArgumentType]
            vocabularies = {name: Vocabulary(e) for name, e in contents.vocabularies.items()}
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{storage.JSON_NAME}: {error}") from error
        featuriser = Featuriser(**vocabularies, clusters=contents.clusters)
        if featuriser.affix_count != AFFIXES + sizes.clusters:
            raise ModelFileError(f"{storage.JSON_NAME}: clusters and hyperparameters do not fit")
        with torch.device("meta"):  # shapes only: nothing is allocated before they are checked
            tagger = cls(contents.tags, featuriser, sizes)
        checked = storage.check_weights(contents.weights, tagger.state_dict())
        tagger.scheme, tagger.tokeniser = contents.scheme, contents.tokeniser
        tagger.written_as = contents.written_as
        try:
            # The constraints are not among the weights; global randomness stays as it is.
            tagger.crf = _crf(tagger.tags, tagger.scheme, torch.Generator())
        except ValueError as error:
            raise ModelFileError(f"{storage.JSON_NAME}: {error}") from error
        tagger.load_state_dict(checked, assign=True)
        return tagger.eval()
