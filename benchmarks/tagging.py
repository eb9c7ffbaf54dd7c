"""Tokens per second of the taggers that come with the package, beside CRFsuite's and NLTK's.

    python -m benchmarks.tagging TRAIN.conllu[.gz] DEV.conllu[.gz] [--sentences N] [--json]

In an environment with benchmarks/requirements.txt. CRFsuite ("ap", with the usual features)
and NLTK's averaged perceptron learn from the first N sentences of TRAIN; all tag DEV from
its words, what they compute of a word included, and nothing is remembered from round to round.
"text" is what `python -m crf tag FILE` does: from lines, which it splits into words, to lines. The
taggers take turns on one thread; times are of the process; a ratio is the median of the rounds'.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from crf.tagger import Tagger, TaggingDataset, shipped, tokeniser
from crf.tagger.features import normalise, shape
from crf.tagger.model_files import spans_of
from crf.tagger.tag_lines import BATCH_CELLS, _batches, answers
from crf.tagger.text_input import SplitText

ROUNDS = 5
Sentences = Sequence[Sequence[str]]


def ours(tagger: Tagger) -> Callable[[Sentences], Sentences]:
    """From words to tags, in batches as `python -m crf tag` makes them."""

    def tag(sentences: Sentences) -> Sentences:
        forget(tagger)
        found: list[Sequence[str]] = [()] * len(sentences)
        for rows in _batches([len(words) for words in sentences]):
            tags = tagger.tag([sentences[row] for row in rows])
            for row, tagged in zip(rows, tags, strict=True):
                found[row] = tagged
        return found

    return tag


def from_text(tagger: Tagger) -> Callable[[Sentences], Sentences]:
    """The same words as text, through all that the command does."""

    def tag(sentences: Sentences) -> Sentences:
        forget(tagger)
        texts = [" ".join(words) for words in sentences]
        answers(tagger, [SplitText(x, tuple(spans_of(tagger, x))) for x in texts], "text")
        return []

    return tag


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


def crfsuite(X: list, y: list) -> Callable[[list], Sentences]:
    """CRFsuite's averaged perceptron with its defaults."""
    pycrfsuite: Any = import_module("pycrfsuite")

    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    for items, tags in zip(X, y, strict=True):
        trainer.append(items, tags)
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model")
        trainer.train(path)
        tagger.open(path)
    return lambda X: [tagger.tag(items) for items in X]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    data = TaggingDataset(TaggingDataset.read(options.train).sentences[: options.sentences])
    dev = TaggingDataset.read(options.dev)
    words = [sentence.words for sentence in dev]
    gold = [tag for sentence in dev for tag in sentence.tags]
    X, y = [features(sentence.words) for sentence in data], [list(s.tags) for s in data]
    suite = crfsuite(X, y)
    taggers = {name: Tagger.load(shipped(name)) for name in ("bilstm", "local")}
    contenders: dict[str, Callable[[Sentences], Sentences]] = {
        **{name: ours(tagger) for name, tagger in taggers.items()},
        **{f"{name}, text": from_text(tagger) for name, tagger in taggers.items()},
        "CRFsuite": lambda sentences: suite([features(words) for words in sentences]),
        "NLTK perceptron": perceptron(data),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    right: dict[str, float | None] = {}
    for turn in range(ROUNDS + 1):  # the first is not counted: kernels are compiled
        for name, tag in contenders.items():
            start = time.process_time()
            found = tag(words)
            if turn:
                seconds[name].append(time.process_time() - start)
            tags = [tag for sentence in found for tag in sentence]
            right[name] = sum(map(str.__eq__, tags, gold)) / len(gold) if tags else None
    rows = {
        name: {
            "tokens_per_second": len(gold) / statistics.median(times),
            "accuracy": right[name],
            "times_crfsuite": statistics.median(
                theirs / own for theirs, own in zip(seconds["CRFsuite"], times, strict=True)
            ),
            "times_nltk": statistics.median(
                theirs / own for theirs, own in zip(seconds["NLTK perceptron"], times, strict=True)
            ),
        }
        for name, times in seconds.items()
    }
    if options.json:
        print(json.dumps({"taggers": rows, "load_average": os.getloadavg()[0]}))
        return
    print(f"{len(gold):,} tokens, batches of {BATCH_CELLS:,}; load {os.getloadavg()[0]:.1f}")
    for name, row in rows.items():
        accuracy = "" if row["accuracy"] is None else f"{row['accuracy']:.2%} right"
        print(
            f"{name:16}{row['tokens_per_second']:9,.0f} tokens/s, {row['times_crfsuite']:5.2f} × "
            f"CRFsuite, {row['times_nltk']:5.2f} × NLTK  {accuracy}"
        )


if __name__ == "__main__":
    main()
