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
from pages.learning.corpus import Corpus, text
from pages.learning.training import BACKEND, CorpusSettings, Run
from pages.shared.course.numbers import format_probability
from pages.shared.figures import tables


class Method(NamedTuple):
    """What one way of learning makes of the corpus."""

    name: str  # "crf", "perceptron", "softmax" or "hmm"
    chain: LinearChain  # the corpus under what it has learnt, [B] rows


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
    gradient = "ascent" if settings.is_perceptron else settings.optimiser
    trained = {
        "crf": replace(settings, optimiser=gradient),
        "perceptron": replace(settings, optimiser="perceptron"),
        "softmax": replace(settings, optimiser=gradient, transitions=False),
    }
    runs = {name: train(corpus, how) for name, how in trained.items()}
    found = [Method(name, run.at([run.iterations])) for name, run in runs.items()]
    return [*found, Method("hmm", counted(corpus))]


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


def table(corpus: Corpus, found: list[Method]) -> str:
    """Methods down, sentences across: the tags that each chooses and, if it has any, their p."""
    words = text()
    rows = []
    for name, chain in found:
        chosen, marginals = chain.viterbi().tags.tolist(), chain.marginals.tolist()
        cells, right = [], 0
        for b, golds in enumerate(corpus.tag_of):
            told = []
            for t, gold in enumerate(golds):
                s = chosen[b][t]
                p = "" if name == "perceptron" else format_probability(marginals[b][t][s])
                told.append(f"{'' if s == gold else '✗ '}{corpus.tags[s]} {p}".strip())
                right += s == gold
            cells.append(", ".join(told))
        total = sum(map(len, corpus.tag_of))
        rows.append([words.line(f"method.{name}"), *cells, f"{right} / {total}"])
    header = [
        "",
        *(" ".join(sentence) for sentence in corpus.sentences),
        words.line("method.right"),
    ]
    return tables.text_table(header, rows, words.line("method.caption"), words=True)
