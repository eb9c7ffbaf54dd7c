"""The taggers' speed: with each backend, or beside CRFsuite's and NLTK's.

    python -m benchmarks.tagger TRAIN.conllu[.gz] [--sentences N] [--json]
    python -m benchmarks.tagger TRAIN.conllu[.gz] DEV.conllu[.gz] [--sentences N] [--json]

The first: sentences per second of the BiLSTM-CRF of `python -m crf train`, untrained (speed does
not depend on the weights), on the first N sentences. The second, in an environment with
benchmarks/requirements.txt: tokens per second on DEV of the taggers that come with the package, of
CRFsuite ("ap", with the usual features) and of NLTK's averaged perceptron, which learn from the
first N sentences of TRAIN; each computes from words, and remembers nothing from round to round.
"text" is what `python -m crf tag FILE` does: from lines, which it splits into words, to lines.
Contenders take turns on one thread; times are of the process.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from benchmarks.harness import ratio, report, turns
from crf.tagger import Hyperparameters, Tagger, TaggingDataset, shipped, tokeniser
from crf.tagger.features import Featuriser, normalise, shape
from crf.tagger.model_files import spans_of
from crf.tagger.tag_lines import Form, _batches, answers
from crf.tagger.text_input import SplitText

BACKENDS = ("plain", "kernels")
TRAINING_BATCH, TAGGING_BATCH = 32, 64
Sentences = Sequence[Sequence[str]]

# ---------------------------------------------------------------------- backends


class Network:
    """One network, the same for every backend, and sentences of about the same length together."""

    def __init__(self, data: TaggingDataset) -> None:
        chosen = sorted(data.sentences, key=lambda s: len(s.words))
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


def backends(data: TaggingDataset) -> dict[str, dict[str, float]]:
    """Sentences per second with each backend, in training and in tagging."""
    network, rows = Network(data), {}
    for name, task in (("training", network.train), ("tagging", network.tag)):
        seconds = turns({b: partial(task, b) for b in BACKENDS}, 7, time.process_time)
        rows[name] = {b: len(network.words) / statistics.median(seconds[b]) for b in BACKENDS}
        rows[name]["times as fast"] = ratio(seconds, *BACKENDS)
    return rows


# ---------------------------------------------------------------------- beside others


def ours(tagger: Tagger, sentences: Sentences) -> Sentences:
    """From words to tags, in batches as `python -m crf tag` makes them."""
    forget(tagger)
    found: list[Sequence[str]] = [()] * len(sentences)
    for rows in _batches([len(words) for words in sentences]):
        tags = tagger.tag([sentences[row] for row in rows])
        for row, tagged in zip(rows, tags, strict=True):
            found[row] = tagged
    return found


def from_text(tagger: Tagger, sentences: Sentences) -> Sentences:
    """The same words as text, through all that the command does."""
    forget(tagger)
    texts = [" ".join(words) for words in sentences]
    answers(tagger, [SplitText(x, tuple(spans_of(tagger, x))) for x in texts], Form())
    return []


def forget(tagger: Tagger) -> None:
    """Empty the tables of words and pieces of text met before."""
    for table in (normalise, tagger.featuriser._indices, tokeniser._remembered):
        table.cache_clear()


def perceptron(data: TaggingDataset) -> Callable[[Sentences], Sentences]:
    """NLTK's, trained as it trains by default."""
    from nltk.tag.perceptron import PerceptronTagger  # pyright: ignore[reportMissingImports]

    tagger = PerceptronTagger(load=False)
    tagger.train([list(zip(s.words, s.tags, strict=True)) for s in data])
    return lambda sentences: [[tag for _, tag in tagger.tag(words)] for words in sentences]


def features(words: Sequence[str]) -> list[list[str]]:
    """What taggers with CRFsuite use: the word, its affixes and shape, the words around it."""
    lower = ["<2", "<1", *(word.lower() for word in words), ">1", ">2"]
    shapes = ["<", *map(shape, words), ">"]
    found = []
    for t, word in enumerate(words):
        before, before_it, it, after_it, after = lower[t : t + 5]
        item = ["bias", f"word:{word}", f"lower:{it}", f"shape:{shapes[t + 1]}"]
        item += [f"suffix:{it[-k:]}" for k in range(1, min(len(it), 4) + 1)]
        item += [f"prefix:{it[:k]}" for k in range(1, min(len(it), 4) + 1)]
        item += [f"-2:{before}", f"-1:{before_it}", f"+1:{after_it}", f"+2:{after}"]
        item += [f"-1suffix:{before_it[-3:]}", f"+1suffix:{after_it[-3:]}"]
        item += [f"-1shape:{shapes[t]}", f"+1shape:{shapes[t + 2]}"]
        item += [f"-1|0:{before_it}|{it}", f"0|+1:{it}|{after_it}"]
        found.append(item)
    return found


def crfsuite(data: TaggingDataset) -> Callable[[Sentences], Sentences]:
    """CRFsuite's averaged perceptron with its defaults."""
    pycrfsuite: Any = import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    for sentence in data:
        trainer.append(features(sentence.words), list(sentence.tags))
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model")
        trainer.train(path)
        tagger.open(path)
    return lambda sentences: [tagger.tag(features(words)) for words in sentences]


def beside_others(data: TaggingDataset, dev: TaggingDataset) -> dict[str, dict[str, float]]:
    """Tokens per second and the share of right tags; ratios to CRFsuite and NLTK."""
    words = [sentence.words for sentence in dev]
    gold = [tag for sentence in dev for tag in sentence.tags]
    taggers = {name: Tagger.load(shipped(name)) for name in ("bilstm", "local")}
    contenders: dict[str, Callable[[Sentences], Sentences]] = {
        **{name: partial(ours, tagger) for name, tagger in taggers.items()},
        **{f"{name}, text": partial(from_text, tagger) for name, tagger in taggers.items()},
        "CRFsuite": crfsuite(data),
        "NLTK": perceptron(data),
    }
    asked = {name: partial(tag, words) for name, tag in contenders.items()}
    seconds, rows = turns(asked, 5, time.process_time), {}
    for name, ask in asked.items():
        rows[name] = {"tokens/s": len(gold) / statistics.median(seconds[name])}
        rows[name] |= {f"× {other}": ratio(seconds, other, name) for other in ("CRFsuite", "NLTK")}
        if tags := [tag for sentence in ask() for tag in sentence]:
            rows[name]["right"] = sum(map(str.__eq__, tags, gold)) / len(gold)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("train")
    parser.add_argument("dev", nargs="?")
    parser.add_argument("--sentences", type=int, help="of TRAIN; by default 640, with DEV 2,000")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    count = options.sentences or (2000 if options.dev else 640)
    data = TaggingDataset(TaggingDataset.read(options.train).sentences[:count])
    if options.dev:
        report(beside_others(data, TaggingDataset.read(options.dev)), as_json=options.json)
    else:
        report(backends(data), as_json=options.json)


if __name__ == "__main__":
    main()
