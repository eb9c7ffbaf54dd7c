"""FeatureCRF against python-crfsuite: accuracy on EWT's dev set, and the time that training takes.

    python -m benchmarks.features TRAIN.conllu[.gz] DEV.conllu[.gz] [--json] [ALGORITHM …]

In an environment with benchmarks/requirements.txt. Both learn from the same lists of features; the
clock runs from these lists to the trained model, and again from the dev set's lists to its tags.
CRFsuite's algorithms run with its defaults ("lbfgs", the default algorithm, takes minutes; "ap" is
its averaged perceptron, no CRF's training but quick); after each of them this library's runs again,
and ratios are of such pairs. One thread; times are of the process, not of the wall.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from crf import FeatureCRF
from crf.tagger import TaggingDataset
from crf.tagger.features import shape

Features = list[list[list[str]]]
Tags = list[list[str]]


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


def ours(X: Features, y: Tags) -> Callable[[Features], Tags]:
    """This library with its defaults."""
    return FeatureCRF().fit(X, y).predict


def crfsuite(algorithm: str, X: Features, y: Tags) -> Callable[[Features], Tags]:
    """CRFsuite with its defaults."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    for items, tags in zip(X, y, strict=True):
        trainer.append(items, tags)
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model")
        trainer.train(path)
        tagger.open(path)
    return lambda X: [tagger.tag(items) for items in X]


def measure(train: Callable[[Features, Tags], Callable], data: dict) -> dict[str, float]:
    """Seconds to train, tokens per second of tagging, and the share of tokens that are right."""
    begin = time.process_time()
    predict = train(data["X"], data["y"])
    trained = time.process_time()
    found = predict(data["dev X"])
    tagged = time.process_time()
    gold = [tag for tags in data["dev y"] for tag in tags]
    right = sum(a == b for a, b in zip((t for tags in found for t in tags), gold, strict=True))
    return {
        "seconds": trained - begin,
        "tokens_per_second": len(gold) / (tagged - trained),
        "accuracy": right / len(gold),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("algorithms", nargs="*", default=["lbfgs", "ap"])
    parser.add_argument("--json", action="store_true", help="one line, an object")
    options = parser.parse_args()
    torch.set_num_threads(1)
    data: dict = {}
    for prefix, path in (("", options.train), ("dev ", options.dev)):
        sentences = TaggingDataset.from_conllu(path)
        data[prefix + "X"] = [features(sentence.words) for sentence in sentences]
        data[prefix + "y"] = [list(sentence.tags) for sentence in sentences]
    ours(data["X"][:50], data["y"][:50])  # the kernels are compiled, or read from their cache
    results = {}
    for algorithm in options.algorithms:
        theirs = measure(lambda X, y, a=algorithm: crfsuite(a, X, y), data)
        mine = measure(ours, data)
        ratio = theirs["seconds"] / mine["seconds"]
        results[algorithm] = {"crfsuite": theirs, "ours": mine, "ratio": ratio}
        for name, row in ((f"CRFsuite {algorithm}", theirs), ("FeatureCRF", mine)):
            if not options.json:
                print(
                    f"{name:16} {row['seconds']:7.1f} s to train, {row['tokens_per_second']:8,.0f} "
                    f"tokens/s, {row['accuracy']:.2%} right",
                    flush=True,
                )
        if not options.json:
            print(f"{'':16} {ratio:7.1f} × as fast in training", flush=True)
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
