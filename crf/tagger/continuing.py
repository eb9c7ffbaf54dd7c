"""Training that continues from a tagger, also with new words and new labels.

The tables of the old tagger stay row by row: of words, affixes and characters, of the projection
and of the CRF. What is new gets rows behind them, which start at 0, so that the first step changes
nothing for old words and old labels.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..schemes import OUTSIDE, has_letter, split
from .features import Featuriser, Vocabulary
from .model import Tagger
from .reading import TaggingDataset

VOCABULARIES = ("words", "affixes", "characters")


def all_tags(start: Tagger, tags: Sequence[str]) -> tuple[str, ...]:
    """The old tags in their order, and behind them the new ones."""
    return (*start.tags, *(tag for tag in tags if tag not in start.tags))


def settings_of(start: Tagger) -> dict[str, Any]:
    """The settings of training that the old tagger determines: sizes, scheme, tokeniser, loss."""
    is_softmax = not any(bool(parameter.any()) for parameter in start.crf.parameters())
    return {
        "sizes": start.sizes,
        "scheme": start.scheme,
        "tokeniser": start.tokeniser,
        "written_as": start.written_as,
        "loss": "softmax" if is_softmax else "crf",
    }


def digest(tagger: Tagger) -> str:
    """A digest of a tagger's weights."""
    weights = (tensor.cpu().numpy().tobytes() for tensor in tagger.state_dict().values())
    return hashlib.sha256(b"".join(weights)).hexdigest()


def extended(
    start: Tagger, training: TaggingDataset, tags: Sequence[str], min_count: int
) -> Tagger:
    """Return a tagger with the old one's weights, and rows for new words and labels at 0.

    Args:
        start: The old tagger; it is not changed.
        training: Sentences, for their words.
        tags: As `all_tags` returns them.
        min_count: Words that occur fewer times get no row.
    """
    old = start.featuriser
    words = (sentence.words for sentence in training)
    new = Featuriser.from_sentences(words, min_count, old.clusters)
    merged = {}
    for name in VOCABULARIES:
        known, found = getattr(old, name), getattr(new, name).known
        merged[name] = Vocabulary([*known.known, *(one for one in found if one not in known)])
    featuriser = Featuriser(**merged, clusters=old.clusters)
    tagger = Tagger(
        tags,
        featuriser,
        start.sizes,
        start.scheme,
        tokeniser=start.tokeniser,
        written_as=start.written_as,
    )
    weights = start.state_dict()
    tagger.load_state_dict(
        {name: _padded(weights[name], table) for name, table in tagger.state_dict().items()}
    )
    return tagger


def _padded(old: Tensor, new: Tensor) -> Tensor:
    """An old table, with zeros where the new one is larger."""
    table = torch.zeros_like(new)
    table[tuple(slice(size) for size in old.shape)] = old
    return table


def notes(start: Tagger, tagger: Tagger, training: TaggingDataset) -> list[str]:
    """Say what was kept, what is new, and what the sentences will make the tagger forget."""
    counts = {name: len(getattr(start.featuriser, name).known) for name in VOCABULARIES}
    added = {name: len(getattr(tagger.featuriser, name).known) - n for name, n in counts.items()}
    new = tagger.tags[len(start.tags) :]
    found = [
        f"kept: {len(start.tags)} tags, {counts['words']:,} words, {counts['affixes']:,} affixes, "
        f"{counts['characters']:,} characters",
        f"new, from 0: {', '.join(new) or 'no tag'}; {added['words']:,} words, "
        f"{added['affixes']:,} affixes, {added['characters']:,} characters",
    ]
    missing = sorted({_type(tag) for tag in start.tags} - {_type(tag) for tag in training.tags})
    if missing := [name for name in missing if name != OUTSIDE]:
        found.append(
            f"no {', '.join(missing)} in the training file: the tagger will find fewer of them; "
            "add sentences that have them, for example some of its old ones"
        )
    return found


def _type(tag: str) -> str:
    return split(tag).kind or tag if has_letter(tag) else tag
