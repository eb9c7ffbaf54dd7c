"""Four methods on one corpus: CRF, structured perceptron, a softmax per token, HMM by counting.

Each ends as a chain of scores, so that the same recursions decode it and give its marginals.

Sources: Collins (2002) for the perceptron; Rabiner (1989), section III, for counting.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from crf import LinearChain
from pages.learning.corpus import Corpus
from pages.learning.training import BACKEND, CorpusSettings, Run


def methods(
    corpus: Corpus, settings: CorpusSettings, train: Callable[[Corpus, CorpusSettings], Run]
) -> dict[str, LinearChain]:
    """The corpus, [B] rows, under what each method has learnt of it, by the method's name.

    Args:
        corpus: What they learn from.
        settings: Those of the reader's own run; all that climb start at zeros.
        train: Trains, or gives a run that is there already.
    """
    settings = replace(settings, start="zeros")
    gradient = "ascent" if settings.is_perceptron else settings.optimiser
    trained = {
        "crf": replace(settings, optimiser=gradient),
        "perceptron": replace(settings, optimiser="perceptron"),
        "softmax": replace(settings, optimiser=gradient, transitions=False),
    }
    runs = {name: train(corpus, how) for name, how in trained.items()}
    found = {name: run.at([run.iterations]) for name, run in runs.items()}
    return found | {"hmm": counted(corpus)}


def counted(corpus: Corpus) -> LinearChain:
    """The HMM whose probabilities are relative frequencies; what was never seen is forbidden."""
    words, steps = corpus.observed
    first = torch.tensor([right[0] for right in corpus.tag_of])
    start = first.bincount(minlength=len(corpus.tags)).double()
    return LinearChain(
        _log_shares(words.T).T[corpus.batch.words], _log_shares(steps), _log_shares(start),
        mask=corpus.batch.mask, backend=BACKEND,
    )  # fmt: skip


def _log_shares(counts: Tensor) -> Tensor:
    """Each row's logs of relative frequencies; −∞ where nothing was counted."""
    total = counts.sum(-1, keepdim=True)
    return (counts / total.clamp(min=1.0)).log()
