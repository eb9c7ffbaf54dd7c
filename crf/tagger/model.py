"""From words to scores: the BiLSTM-CRF tagger.

    words, affixes, characters → Encoder → [B, L, H] → projection → emissions [B, L, S] → ChainCRF

The encoder reads the whole sentence, so each emission may depend on every word; the CRF on top
scores the tags' order. Without the LSTM (`hidden=0`, the *local* tagger) an emission sees its own
word only, and whatever the tagger knows of the context is in the CRF's transitions.

B: sentences, L: tokens of the longest, S: tags, H: what the encoder returns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from .. import ChainCRF, Constraints, LinearChain
from ..schemes import scheme_of_tags
from . import storage
from .encoder import Encoder, Hyperparameters
from .features import AFFIXES, Features, Featuriser, Vocabulary, normalise
from .storage import ModelFileError


def _crf(
    tags: Sequence[str], scheme: str | None, generator: torch.Generator | None = None
) -> ChainCRF:
    constraints = Constraints.of(tags, scheme) if scheme else None
    return ChainCRF(len(tags), constraints, generator=generator)


Sentences = Sequence[Sequence[str]]  # lists of words, of any lengths, none too


class AnyTagger(Protocol):
    """Interface of all taggers, which pages and commands use."""

    tags: tuple[str, ...]  # the names of the tags

    def chain(
        self, sentences: Sentences, backend: str = "auto", *, constraints: Constraints | None = None
    ) -> LinearChain:
        """Return p(tags | words) for sentences of any lengths, as one batch.

        Args:
            sentences: The words of each sentence.
            backend: As for `LinearChain`.
            constraints: Constraints at decoding; default: those of the tagger's training.
        """
        raise NotImplementedError

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Return for each token whether training did not contain it."""
        raise NotImplementedError

    def to(self, device: torch.device | str) -> Any:
        """Return the same tagger with its network, if it has one, on a device."""
        return self

    def state_dict(self) -> Mapping[str, Tensor]:
        """Return all weights by name."""
        raise NotImplementedError


class Tagger(nn.Module):
    """A BiLSTM-CRF tagger: features, `Encoder`, a projection to S scores per token, `ChainCRF`.

    Args:
        tags: The S tags, in the order of the CRF's axes.
        featuriser: Turns words into indices.
        sizes: The network's sizes.
        scheme: BIO, BIOES, BILOU or BMES; the CRF then forbids what this label scheme forbids. With
            None every tag may follow every tag.
        tokeniser: Name of the tokeniser for raw text, one of `storage.TOKENISERS`.
        written_as: "IOB1" if the tags are BIO labels that files write as IOB1; "IO" if the tags are
            types of spans without letters; None if the tags themselves tell their scheme.

    Raises:
        ValueError: The featuriser and the sizes have different numbers of clusters.
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
        self.tags, self.scheme, self.written_as = tuple(tags), scheme, written_as
        self.tokeniser, self.featuriser, self.sizes = tokeniser, featuriser, sizes
        self.encoder = Encoder(
            sizes, len(featuriser.words), len(featuriser.affixes), len(featuriser.characters)
        )
        self.projection = nn.Linear(self.encoder.output_dim, len(self.tags))
        self.crf = _crf(self.tags, scheme)

    def forward(self, features: Features) -> Tensor:
        """Return the emission scores, [B, L, S]."""
        return self.projection(self.encoder(features))

    @property
    def label_scheme(self) -> str | None:
        """The label scheme of the tags, or None if they are plain."""
        if self.written_as == "IO":
            return "IO"
        return self.scheme or scheme_of_tags(self.tags)

    @property
    def device(self) -> torch.device:
        """Device of the network's weights."""
        return self.projection.weight.device

    def network_to(self, device: torch.device | str) -> "Tagger":
        """Move the network to a device; the CRF and its chains stay on theirs."""
        self.encoder.to(device)
        self.projection.to(device)
        return self

    def features(self, sentences: Sentences) -> Features:
        """Return the sentences as indices, on the device of the weights."""
        return Features(*(part.to(self.device) for part in self.featuriser(sentences)))

    @torch.no_grad()
    def chain(
        self, sentences: Sentences, backend: str = "auto", *, constraints: Constraints | None = None
    ) -> LinearChain:
        """Return p(tags | words), without gradient and dropout; see `AnyTagger`."""
        training = self.training
        self.eval()
        try:
            features = self.features(sentences)
            emissions = self(features)
        finally:
            self.train(training)
        crf, device = self.crf, self.crf.transitions.device
        scores = (
            emissions.float().to(device),
            crf.transitions.detach(),
            crf.start_transitions.detach(),
            crf.end_transitions.detach(),
        )
        if constraints is not None or self.scheme:
            scores = (constraints or crf.constraints).apply(*scores)
        return LinearChain(*scores, features.mask.to(device), backend=backend)

    def tag(self, sentences: Sentences) -> list[list[str]]:
        """Return the most probable path of each sentence (Viterbi), as names of tags."""
        paths = self.chain(sentences).viterbi().tags.tolist()
        return [
            [self.tags[tag] for tag in path[: len(sentence)]]
            for path, sentence in zip(paths, sentences, strict=True)
        ]

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Return for each token whether training did not contain it (case and digits apart)."""
        return [normalise(token) not in self.featuriser.words for token in tokens]

    def save(self, directory: str | Path) -> None:
        """Write `tagger.json` and `weights.safetensors` (float16) into the directory."""
        storage.write(Path(directory), self.contents())

    def contents(self) -> storage.Contents:
        """Return the contents of the files that `save` writes."""
        vocabularies = {
            name: list(getattr(self.featuriser, name).known) for name in storage.VOCABULARIES
        }
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
        """Load a tagger from a directory that `save` wrote.

        Raises:
            ModelFileError: A file is missing, damaged or not a tagger's; the message says what to
                do.
        """
        return cls.from_bytes(*storage.read(Path(directory)))

    @classmethod
    def from_bytes(cls, tagger_json: bytes, weights: bytes) -> "Tagger":
        """Load a tagger from the contents of its two files, which may be untrusted.

        Raises:
            ModelFileError: As for `load`.
        """
        contents = storage.parse(tagger_json, weights)
        try:
            sizes = Hyperparameters(**contents.hyperparameters)  # pyright: ignore[reportArgumentType]
            vocabularies = {name: Vocabulary(e) for name, e in contents.vocabularies.items()}
            featuriser = Featuriser(**vocabularies, clusters=contents.clusters)
            with torch.device("meta"):  # shapes only: nothing is allocated before they are checked
                tagger = cls(contents.tags, featuriser, sizes)
            # The constraints are not among the weights; global randomness stays as it is.
            tagger.crf = _crf(tagger.tags, contents.scheme, torch.Generator())
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{storage.JSON_NAME}: {error}") from error
        checked = storage.check_weights(contents.weights, tagger.state_dict())
        tagger.scheme, tagger.tokeniser = contents.scheme, contents.tokeniser
        tagger.written_as = contents.written_as
        tagger.load_state_dict(checked, assign=True)
        return tagger.eval()
