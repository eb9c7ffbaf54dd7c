"""The tagger's speed with each backend: sentences per second, in training and in tagging.

    python -m benchmarks.tagger FILE.conllu[.gz] [--sentences N] [--threads N] [--json]

The BiLSTM-CRF of `python -m crf train`, untrained (speed does not depend on the weights), on the
first N sentences of the file. The backends take turns, batch by batch; the figures are medians over
the rounds, and the ratio is of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable

import torch
from torch.nn.utils.rnn import pad_sequence

from crf.tagger import Hyperparameters, Tagger, TaggingDataset
from crf.tagger.features import Featuriser

BACKENDS = ("plain", "kernels")
TRAINING_BATCH, TAGGING_BATCH, ROUNDS = 32, 64, 7


class Contest:
    """One network, the same for every backend, and sentences of about the same length together."""

    def __init__(self, data: TaggingDataset, sentences: int) -> None:
        chosen = sorted(
            (data[i] for i in range(min(sentences, len(data)))), key=lambda s: len(s[0])
        )
        tags = tuple(sorted({tag for sentence in chosen for tag in sentence.tags}))
        featuriser = Featuriser.from_sentences(sentence.words for sentence in chosen)
        self.tagger = Tagger(tags, featuriser, Hyperparameters())
        self.optimiser = torch.optim.Adam(self.tagger.parameters(), lr=1e-4)
        self.words = [sentence.words for sentence in chosen]
        self.gold = [torch.tensor([tags.index(tag) for tag in s.tags]) for s in chosen]

    def train(self, backend: str) -> None:
        """One pass over the sentences: loss, gradients, Adam's step."""
        self.tagger.train()
        self.tagger.crf.backend = backend
        for first in range(0, len(self.words), TRAINING_BATCH):
            rows = slice(first, first + TRAINING_BATCH)
            features = self.tagger.featuriser(self.words[rows])
            gold = pad_sequence(self.gold[rows], batch_first=True)
            loss = self.tagger.crf(self.tagger(features), gold, features.mask)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()

    def tag(self, backend: str) -> None:
        """One pass over the sentences: emissions and Viterbi."""
        for first in range(0, len(self.words), TAGGING_BATCH):
            self.tagger.chain(self.words[first : first + TAGGING_BATCH], backend).viterbi()


def measure(task: Callable[[str], None], sentences: int) -> dict[str, float]:
    """Sentences per second with each backend, and how many times as fast fused is as plain."""
    seconds: dict[str, list[float]] = {backend: [] for backend in BACKENDS}
    for backend in BACKENDS:
        task(backend)  # not counted: compiles, fills caches
    for _ in range(ROUNDS):
        for backend in BACKENDS:
            start = time.perf_counter()
            task(backend)
            seconds[backend].append(time.perf_counter() - start)
    ratios = [p / f for p, f in zip(seconds["plain"], seconds["kernels"], strict=True)]
    rates = {name: sentences / statistics.median(times) for name, times in seconds.items()}
    return {**rates, "ratio": statistics.median(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    contest = Contest(TaggingDataset.read(options.file), options.sentences)
    count = len(contest.words)
    rows = {"training": measure(contest.train, count), "tagging": measure(contest.tag, count)}
    if options.json:
        print(json.dumps({"sentences_per_second": rows, "load_average": os.getloadavg()[0]}))
        return
    print(f"{count} sentences, {options.threads} thread(s): sentences per second")
    for task, row in rows.items():
        rates = "  ".join(f"{name} {row[name]:8.0f}" for name in BACKENDS)
        print(f"{task:10}{rates}   fused is {row['ratio']:.2f} times as fast")


if __name__ == "__main__":
    main()
