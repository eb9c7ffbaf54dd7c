"""Four methods on one corpus: CRF, structured perceptron, a softmax per token, HMM by counting.

Each ends as a chain of scores, so that the same recursions decode it and give its marginals.

Sources: Collins (2002) for the perceptron; Rabiner (1989), section III, for counting.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from crf import LinearChain
from pages.learning.corpus import Corpus
from pages.learning.training import BACKEND, CorpusSettings, Run


class Method(NamedTuple):
    """What one way of learning makes of the corpus."""

    name: str  # what it is called
    about: str  # how it learns, in a few words
    chain: LinearChain  # the corpus under what it has learnt, [B] rows
    has_probabilities: bool = True  # whether its scores are meant to be some


def methods(
    corpus: Corpus, settings: CorpusSettings, train: Callable[[Corpus, CorpusSettings], Run]
) -> list[Method]:
    """The four methods on a corpus; those that climb start at zeros, with the same settings.

    Args:
        corpus: What they learn from.
        settings: Those of the reader's own run, which is one of the four if it starts at zeros.
        train: Trains, or gives a run that is there already.
    """
    settings = replace(settings, start="zeros")
    perceptron = train(corpus, replace(settings, optimiser="perceptron"))
    gradient = "ascent" if settings.optimiser == "perceptron" else settings.optimiser
    crf = train(corpus, replace(settings, optimiser=gradient))
    softmax = train(corpus, replace(settings, optimiser=gradient, transitions=False))
    return [
        Method("CRF", "observed − expected", _end(crf)),
        Method("Perceptron", "observed − Viterbi’s path", _end(perceptron), False),
        Method("Softmax", "each word by itself", _end(softmax)),
        Method("HMM", "relative frequencies", counted(corpus)),
    ]


def _end(run: Run) -> LinearChain:
    return run.at([run.iterations])


def counted(corpus: Corpus) -> LinearChain:
    """The HMM whose probabilities are relative frequencies; what was never seen is forbidden."""
    batch, S, V = corpus.batch(), len(corpus.tags), len(corpus.words)
    start, words = torch.zeros(S, dtype=torch.float64), torch.zeros(S, V, dtype=torch.float64)
    steps = torch.zeros(S, S, dtype=torch.float64)
    for sentence, right in zip(corpus.word_of, corpus.tag_of, strict=True):
        start[right[0]] += 1
        for t, (word, tag) in enumerate(zip(sentence, right, strict=True)):
            words[tag, word] += 1
            if t:
                steps[right[t - 1], tag] += 1
    return LinearChain(
        _log_shares(words).T[batch.words], _log_shares(steps), _log_shares(start), mask=batch.mask,
        backend=BACKEND,
    )  # fmt: skip


def _log_shares(counts: Tensor) -> Tensor:
    """Each row's logs of relative frequencies; −∞ where nothing was counted."""
    total = counts.sum(-1, keepdim=True)
    return (counts / total.clamp(min=1.0)).log()
