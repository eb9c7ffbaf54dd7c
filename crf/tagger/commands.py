"""What `python -m crf` does, given its parsed arguments; bad input raises `ValueError`."""

import gzip
import hashlib
import json
import os
import shlex
import sys
from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

import torch
from tqdm import tqdm

from . import evaluation, model_card, storage, training
from .dataset import TaggingDataset
from .model import Hyperparameters, Tagger
from .tokeniser import tokenise

SETTINGS = {
    False: training.Settings(),
    True: training.Settings(sizes=Hyperparameters(word_dim=32, hidden=0), hints=0.0),
}
"""By `--local`; both taggers we ship must fit in 8 MB. Without an LSTM the hints do not help."""


def train(options: Namespace) -> None:
    """Train, save, measure what was saved, write the model card."""
    torch.set_num_threads(options.threads)
    settings = SETTINGS[options.local]
    given = {"epochs": options.epochs, "seed": options.seed}
    settings = replace(settings, **{k: v for k, v in given.items() if v is not None})
    data = TaggingDataset.from_conllu(options.train)
    dev = TaggingDataset.from_conllu(options.dev)
    checkpoint = options.output / "checkpoint.safetensors"
    options.output.mkdir(parents=True, exist_ok=True)

    bar = _Bar(disable=options.quiet)
    tagger, history = training.train(data, dev, settings, checkpoint=checkpoint, report=bar)

    tagger.save(options.output)
    measured = evaluation.test(Tagger.load(options.output), dev)
    figures = model_card.metrics(
        measured,
        hashlib.sha256((options.output / storage.WEIGHTS_NAME).read_bytes()).hexdigest(),
        history,
        {
            "command": _command(options),
            "settings": asdict(settings),
            "torch": torch.__version__,
            "data": {
                "training": _describe(options.train, data),
                "dev": _describe(options.dev, dev),
            },
        },
    )
    model_card.write(options.output, tagger, figures)
    checkpoint.unlink()
    print(f"{options.output}: {_sentence(measured)}")


def evaluate(options: Namespace) -> None:
    """Print the figures."""
    tagger = Tagger.load(options.model)
    measured = evaluation.test(tagger, TaggingDataset.from_conllu(options.file), ("viterbi",))
    print(json.dumps(measured.summary()) if options.json else _sentence(measured))


def tag(options: Namespace) -> None:
    """Tag standard input line by line, answering each line at once."""
    tagger = Tagger.load(options.model)
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="replace")  # pyright: ignore
    try:
        for line in sys.stdin:
            tokens = tokenise(line)
            chain = tagger.chain([tokens], backend="plain")
            best = chain.viterbi().tags
            tags = [tagger.tags[index] for index in best[0].tolist()]
            if options.json:
                answer = {"tokens": tokens, "tags": tags, "log_prob": chain.log_prob(best).item()}
                print(json.dumps(answer, ensure_ascii=False), flush=True)
            else:
                pairs = zip(tokens, tags, strict=True)
                print(" ".join(f"{token}/{tag}" for token, tag in pairs), flush=True)
    except BrokenPipeError:  # `… | head`: the reader has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fetch(options: Namespace) -> None:
    """Print where the files are."""
    from .fetch import fetch as fetch_treebank  # no other command needs its packages

    print(fetch_treebank(options.name, options.directory))


class _Bar:
    """Shows training's progress: a bar per epoch, and what the epoch gave."""

    def __init__(self, disable: bool) -> None:
        self.disable, self.bar, self.epoch = disable, None, 0

    def __call__(self, progress: training.Progress) -> None:
        if progress.epoch != self.epoch:
            self.epoch = progress.epoch
            self.bar = tqdm(
                total=progress.steps, desc=f"epoch {self.epoch}", disable=self.disable, leave=False
            )
        assert self.bar is not None
        if done := progress.finished:
            self.bar.close()
            if not self.disable:
                tqdm.write(
                    f"epoch {done.epoch}: loss {done.loss:.3f} nats per sentence, "
                    f"{100 * done.accuracy:.2f} % of the dev tokens right",
                    file=sys.stderr,
                )
        else:
            self.bar.set_postfix(loss=f"{progress.loss:.3f}", refresh=False)
            self.bar.update()


def _sentence(measured: evaluation.Evaluation) -> str:
    tokens, sentences, unknown = measured.decoders["viterbi"]
    found = f"{100 * unknown:.2f} % of" if unknown is not None else "none of"
    return (
        f"{100 * tokens:.2f} % of {measured.tokens:,} tokens right, "
        f"{100 * sentences:.2f} % of {measured.sentences:,} sentences wholly right, "
        f"{found} {measured.unknown_words:,} unknown words right; "
        f"mean NLL {measured.nll:.4f} nats per sentence"
    )


def _command(options: Namespace) -> str:
    """The command that repeats this run; the data files by name, not by where they lie here."""
    words = ["python", "-m", "crf", "train", options.train.name, options.dev.name]
    words += ["--output", options.output.name]
    words += ["--local"] if options.local else []
    for name in ("epochs", "seed"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", str(value)]
    words += ["--threads", str(options.threads)] if options.threads != 1 else []
    return shlex.join(words)


def _describe(path: Path, dataset: TaggingDataset) -> dict[str, str | int]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        path, content = path.with_suffix(""), gzip.decompress(content)
    return {
        "name": path.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "sentences": len(dataset),
        "tokens": sum(len(sentence.words) for sentence in dataset),
    }
