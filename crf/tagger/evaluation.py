"""How good a tagger is: its tags against the treebank's."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from .. import Constraints
from .dataset import Sentence, TaggingDataset
from .model_files import AnyTagger
from .spans import SpanScores, compare

DECODERS = ("viterbi", "posterior_decode", "greedy", "greedy_left_to_right")
"""The methods of `crf.LinearChain` that are compared; `greedy` ignores the transitions."""


class Accuracy(NamedTuple):
    """Shares of what is right, 0–1."""

    accuracy: float
    """Of the tokens."""
    sentence_accuracy: float
    """Of the sentences: every token right."""
    unknown_word_accuracy: float | None
    """Of the tokens whose word training did not contain; None if there are none."""


class Evaluation(NamedTuple):
    """What `test` measures, with the treebank's own tokens."""

    tokens: int
    sentences: int
    unknown_words: int
    """Tokens whose word training did not contain (case and digits apart)."""
    nll: float
    """Mean over the sentences of −log p(gold tags | words), in nats."""
    decoders: dict[str, Accuracy]
    """By the decoder's name, see `DECODERS`."""
    confusion: list[list[int]]
    """[S, S] tokens, by gold tag (row) and Viterbi's tag (column)."""
    spans: dict[str, SpanScores]
    """By the decoder's name; empty unless the tags are BIO labels of spans."""

    def summary(self) -> dict[str, float | None]:
        """The headline figures, of Viterbi decoding."""
        if self.spans:
            scores = self.spans["viterbi"]._asdict()
            return {"tokens": self.tokens, "sentences": self.sentences, **scores}
        return {
            "tokens": self.tokens,
            "sentences": self.sentences,
            **self.decoders["viterbi"]._asdict(),
            "nll": self.nll,
        }


def test(
    tagger: AnyTagger,
    dataset: TaggingDataset,
    decoders: Sequence[str] = DECODERS,  # noqa: PT028
    batch_size: int = 64,  # noqa: PT028
    constraints: Constraints | None = None,  # noqa: PT028
) -> Evaluation:
    """Tag the dataset's sentences and compare.

    Args:
        tagger: The tagger.
        dataset: Sentences with their gold tags.
        decoders: Which of `DECODERS` to run; "viterbi" must be among them.
        batch_size: Sentences per batch; it does not change the result.
        constraints: Forbid tags at decoding; default: what the tagger was trained with.

    Raises:
        ValueError: A gold tag that the tagger does not have.
    """
    index = {tag: i for i, tag in enumerate(tagger.tags)}
    if foreign := set(dataset.tags) - index.keys():
        raise ValueError(
            f"the data has the tag {min(foreign)!r}, which the tagger does not; "
            f"expected only {', '.join(tagger.tags)}"
        )
    S = len(index)
    confusion = torch.zeros(S, S, dtype=torch.long)
    right = {decoder: [0, 0, 0] for decoder in decoders}
    labels: dict[str, list[tuple[Sequence[str], Sequence[str]]]] = {d: [] for d in decoders}
    tokens = unknown_words = 0
    nll = 0.0
    ordered = sorted(dataset.sentences, key=lambda sentence: len(sentence.words))  # little padding
    for first in range(0, len(ordered), batch_size):
        batch = ordered[first : first + batch_size]
        # The network takes most of the time, so compiling kernels for the CRF would not pay.
        words = [sentence.words for sentence in batch]
        chain = tagger.chain(words, backend="plain", constraints=constraints)
        gold, mask, unknown = _gold(tagger, batch, index)
        tokens += int(mask.sum())
        unknown_words += int(unknown.sum())
        nll -= float(chain.log_prob(gold).double().sum())
        for decoder in decoders:
            tags = getattr(chain, decoder)()
            tags = tags.tags if decoder == "viterbi" else tags
            correct = (tags == gold) & mask
            right[decoder][0] += int(correct.sum())
            right[decoder][1] += int((correct | ~mask).all(dim=1).sum())
            right[decoder][2] += int((correct & unknown).sum())
            named = ([tagger.tags[tag] for tag in row if tag >= 0] for row in tags.tolist())
            labels[decoder] += zip((s.tags for s in batch), named, strict=True)
            if decoder == "viterbi":
                pairs = gold[mask] * S + tags[mask]
                confusion += torch.bincount(pairs, minlength=S * S).view(S, S)
    return Evaluation(
        tokens,
        len(dataset),
        unknown_words,
        nll / len(dataset),
        {
            decoder: Accuracy(
                right_tokens / tokens,
                right_sentences / len(dataset),
                right_unknown / unknown_words if unknown_words else None,
            )
            for decoder, (right_tokens, right_sentences, right_unknown) in right.items()
        },
        confusion.tolist(),
        {d: compare(pairs) for d, pairs in labels.items()} if are_bio(tagger.tags) else {},
    )


def are_bio(tags: Sequence[str]) -> bool:
    """Whether the tags are BIO labels of spans: O, B-…, I-…."""
    return all(tag == "O" or tag[:2] in ("B-", "I-") for tag in tags)


test.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]  # not a test for pytest


def _gold(
    tagger: AnyTagger, batch: Sequence[Sentence], index: dict[str, int]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gold tags, mask, and which tokens are unknown words; each [B, L]."""
    length = max(len(sentence.words) for sentence in batch)
    gold = torch.full((len(batch), length), -1)
    unknown = torch.zeros(len(batch), length, dtype=torch.bool)
    for row, (words, tags, _) in enumerate(batch):
        gold[row, : len(words)] = torch.tensor([index[tag] for tag in tags])
        unknown[row, : len(words)] = torch.tensor(tagger.unknown(words))
    return gold, gold >= 0, unknown
