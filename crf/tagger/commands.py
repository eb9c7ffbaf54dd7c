"""Commands of `crf`, which take its parsed arguments; bad input raises `ValueError`."""

import contextlib
import hashlib
import importlib
import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from torch import distributed

from .. import Constraints
from ..strict_json import write_json
from . import (
    continuing,
    errors,
    evaluation,
    metrics_text,
    model_card,
    model_files,
    storage,
    training,
)
from .bundled import english_clusters, shipped, shipped_names
from .columns import COUNTS
from .devices import device_of
from .encoder import Hyperparameters
from .many_files import tag_files
from .model import AnyTagger, Tagger
from .reading import TaggedFile, TaggingDataset, read_together, with_hints
from .tag_lines import Form, tag_file, tag_stream
from .unsure import least_sure
from .vector_clusters import clusters_of

LOCAL = Hyperparameters(word_dim=32, hidden=0)
NAMES = training.Settings(
    epochs=9,
    empty=1 / 3,
    batch_size=64,
    learning_rate=4e-3,
    sizes=Hyperparameters(word_dim=48, hidden=128, clusters=2),
)
SETTINGS = {
    ("pos", False): training.Settings(sizes=Hyperparameters(word_dim=64, clusters=2)),
    ("pos", True): training.Settings(sizes=LOCAL, hints=0.0),
    ("ner", False): NAMES,
    ("ner", True): replace(NAMES, sizes=replace(LOCAL, clusters=2), hints=0.0),
}
"""By `--task` and `--local`: taggers for parts of speech of 8 MB together, for names of 4.
Without an LSTM the hints do not help."""

CHECKPOINT, COMMAND = "checkpoint.safetensors", "command.txt"


def train(options: Namespace) -> None:
    """Train, save, measure what was saved, write the model card."""
    start = _start(options)
    tokeniser = start.tokeniser if start else _tokeniser(options)
    reading = _reading(options, tokeniser) | {"tags": start.tags if start else ()}
    files = read_together(options.train, options.dev, **reading)
    settings = _settings(options, files[0])
    if start:
        settings = replace(settings, **continuing.settings_of(start))
        _match(files, start)
    data, dev = (TaggingDataset.of(file) for file in files)
    tags = {*data.tags, *dev.tags}
    if not 2 <= len(tags) <= storage.MAX_TAGS:
        raise ValueError(
            f"{options.train}: expected 2 to {storage.MAX_TAGS} different tags in column "
            f"{files[0].label}, got {len(tags):,}; is it the right file, and the right --column?"
        )
    if options.encoder:
        _train_encoder(options, files, data, dev)
        return
    if options.hints:
        data = with_hints(data, TaggingDataset.read(options.hints))
    clusters = None
    if options.vectors and not settings.sizes.clusters:
        raise ValueError("--vectors: expected no --plain beside it, which takes words alone")
    if settings.sizes.clusters:
        clusters = clusters_of(options.vectors) if options.vectors else english_clusters()
    checkpoint = options.output / CHECKPOINT
    with _processes(options) as device, contextlib.ExitStack() as stack:
        if not training.rank():
            stack.enter_context(storage.alone_in(options.output, "training"))
        if not (options.quiet or training.rank()):
            _say(files[0])
        tagger, history = training.train(
            data,
            dev,
            settings,
            checkpoint=checkpoint,
            report=partial(_report, options),
            device=device,
            clusters=clusters,
            start=start,
        )
        if training.rank():
            return  # the first process writes
        if start and not options.quiet:
            for note in continuing.notes(start, tagger, data):
                print(f"{getattr(options, 'from')}: {note}", file=sys.stderr)
        tagger.save(options.output)
        about = {
            "command": model_card.command(options),
            "settings": asdict(settings),
            "processes": training.processes(),
            "torch": torch.__version__,
            "data": {
                "training": model_card.describe(options.train, files[0]),
                "dev": model_card.describe(options.dev, files[1]),
            },
            "language": options.language,
            "licence": options.licence,
        }
        _write_figures(options, dev, history, about)
        checkpoint.unlink()
        (options.output / COMMAND).unlink(missing_ok=True)


def _train_encoder(
    options: Namespace, files: list[TaggedFile], data: TaggingDataset, dev: TaggingDataset
) -> None:
    """Train a network of Hugging Face with a CRF, save, measure what was saved."""
    from . import transformer_training as transformers  # no other command needs it

    if given := [name for name in _OF_ENCODER if getattr(options, name)]:
        raise ValueError(f"--{given[0]}: expected no such option with --encoder; leave it out")
    changes = {
        name: getattr(options, name) for name in ("epochs", "patience", "batch_size", "seed")
    }
    changes |= {"learning_rate": options.lr, "constrained": not options.unconstrained}
    settings = transformers.EncoderSettings(**model_card.without_none(changes))
    with _processes(options) as device, storage.alone_in(options.output, "training"):
        if not options.quiet:
            _say(files[0])
        report = None if options.quiet else say_epoch
        found = transformers.train(
            options.encoder, data, dev, settings, report=report, device=device
        )
        transformers.save(found[0], options.output)
        saved = _load(str(options.output)).to(device)
        measured = evaluation.test(saved, dev)
    print(f"{options.output}: {metrics_text.sentence(measured)}")


_OF_ENCODER = "from hints plain local softmax twin_of embedding affixes characters hidden".split()
_OF_ENCODER += "layers dropout bf16 tokeniser vectors".split()


def _report(options: Namespace, progress: training.Progress) -> None:
    """Say what an epoch gave; keep the command that continues a run beside its checkpoint."""
    if progress.finished:
        command = model_card.command(options, as_typed=True)
        (options.output / COMMAND).write_text(command, encoding="utf-8")
    if not options.quiet:
        say_epoch(progress)


_OF_OLD = "embedding affixes characters hidden layers dropout".split()
_OF_OLD += "plain local softmax unconstrained tokeniser hints vectors".split()


def _start(options: Namespace) -> Tagger | None:
    """The tagger whose training continues."""
    name = getattr(options, "from")
    if not name:
        return None
    if given := [one for one in _OF_OLD if getattr(options, one) not in (None, False)]:
        raise ValueError(
            f"--{given[0]}: the tagger of --from determines it; leave out one of the two options"
        )
    start = _load(name)
    if not isinstance(start, Tagger):
        raise ValueError(f"--from {name}: expected a tagger that `crf train` wrote, got another")
    return start


def _match(files: list[TaggedFile], start: Tagger) -> None:
    """Give all labels in the scheme of an old tagger."""
    scheme = evaluation.label_scheme(start)
    for file in files:
        if (scheme is None) != (file.scheme is None):
            raise ValueError(
                f"{file.name}: expected {'labels of names' if scheme else 'plain tags'}, as the "
                f"tagger of --from has, got {', '.join(sorted(file.statistics.counts)[:5])}"
            )
        file.rewrite_for(start.tags, scheme)


def _write_figures(
    options: Namespace, dev: TaggingDataset, history: list[training.Epoch], about: dict[str, Any]
) -> None:
    """Measure what was saved; write its figures and its card, and its twin's."""
    saved = Tagger.load(options.output)
    measured, constrained = evaluation.test(saved, dev), None
    scheme = saved.label_scheme
    if scheme in storage.CONSTRAINED and not saved.scheme:  # repaired at decoding only
        table = Constraints.of(saved.tags, scheme)
        constrained = evaluation.test(saved, dev, ("viterbi",), constraints=table)
    weights = (options.output / storage.WEIGHTS_NAME).read_bytes()
    sha256 = hashlib.sha256(weights).hexdigest()
    figures = model_card.metrics(measured, sha256, history, about, constrained)
    model_card.write(options.output, saved, figures)
    if options.twin_of:
        model_card.add_twin(options.twin_of, figures)
    print(f"{options.output}: {metrics_text.sentence(measured)}")


def evaluate(options: Namespace) -> None:
    """Print the figures."""
    with _processes(options) as device:
        tagger = _load(options.model).to(device)
        reading = _reading(options, getattr(tagger, "tokeniser", "unicode"))
        file = TaggedFile(options.file, tags=tagger.tags, **reading)
        file.rewrite_for(tagger.tags, evaluation.label_scheme(tagger))
        if not options.json and not training.rank():
            _say(file)
        kind = options.constraints
        table = Constraints.of(tagger.tags, kind.upper()) if kind else None
        measured = evaluation.test(tagger, file, (options.decoder,), constraints=table)
        if training.rank():
            return
        counts = None
        if options.errors:
            found = errors.wrong_ones(tagger, file, options.decoder, table)
            with options.errors.open("w", encoding="utf-8", newline="") as out:
                counts = errors.write(out, found)
        if options.json:
            more = {"errors": counts.report()} if counts else {}
            print(write_json(measured.report() | more))
            return
        print(f"{metrics_text.sentence(measured)}\n\n{metrics_text.table(measured)}")
        if counts:
            print(f"\nErrors, listed in {options.errors}:\n{counts.table()}")


def tag(options: Namespace) -> int:
    """Tag files, or standard input as it comes; returns the exit status."""
    if (processes := os.environ.get("WORLD_SIZE", "1")) != "1":
        raise ValueError(
            f"torchrun: expected one process, got {processes}; start `crf tag` without it, or use "
            "the recipe of docs/several-machines.md"
        )
    if options.unsure and options.output:
        raise ValueError("--unsure writes to standard output; leave --output out and use > FILE")
    files, output = options.file, options.output
    are_many = len(files) > 1 or any(path.is_dir() for path in (*files, output or Path("-")))
    if len(files) == 1 and output and _is_same(files[0], output):
        raise ValueError("output: expected another file than FILE, whose words it would replace")
    with _processes(options) as device:
        tagger = _load(options.model).to(device)
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # pyright: ignore
        write = "json" if options.json else options.format
        has_names = evaluation.label_scheme(tagger) is not None
        if options.unsure and write == "text":
            write = "spans" if has_names else "json"
        read = "tokenised" if options.tokenised else options.input
        form = Form(write, read, options.encoding, options.decoder, options.words)
        if write == "spans" and not has_names:
            raise ValueError(
                f"--format spans: expected a tagger of names, got one with the tags "
                f"{', '.join(tagger.tags[:5])}; --format json writes the tag of each word"
            )
        if options.unsure:
            least_sure(tagger, files, form, options.unsure, options.by)
        elif files and are_many:
            return tag_files(tagger, files, output, form)
        elif files:
            tag_file(tagger, files[0], output, form)
        elif output:
            raise ValueError("FILE: expected a file, got none; --output needs one to continue")
        else:
            tag_stream(tagger, cast(io.BufferedReader, sys.stdin.buffer), sys.stdout, form)
    return 0


def _is_same(file: Path, output: Path) -> bool:
    return file.is_file() and output.exists() and file.samefile(output)


def show(options: Namespace) -> None:
    """Save a figure of one sentence's chain as an HTML file."""
    from .. import figures  # no other command draws

    tagger = _load(options.model).to(device_of(options.device))
    words = model_files.words_of(tagger, options.text)
    if not words:
        raise ValueError("TEXT: expected a sentence, got no word; write one in quotes")
    with torch.no_grad():
        chain = tagger.chain([words], "plain")
    figure = figures.BY_NAME[options.figure](chain, tokens=words, tags=list(tagger.tags))
    figure.save(options.output)
    print(options.output)


def fetch(options: Namespace) -> None:
    """Print where the files are."""
    from .fetch import fetch as fetch_treebank  # no other command needs its packages

    print(fetch_treebank(options.name, options.directory))


def say_epoch(progress: training.Progress) -> None:
    """Say what an epoch gave."""
    if epoch := progress.finished:
        f1 = "" if epoch.span_f1 is None else f", spans F1 {100 * epoch.span_f1:.2f} %"
        print(
            f"epoch {epoch.epoch}: loss {epoch.loss:.3f} nats per sentence, "
            f"{100 * epoch.accuracy:.2f} % of the dev tokens right{f1}",
            file=sys.stderr,
        )


def _load(model: str) -> AnyTagger:
    """The tagger of a name or a path; what is assumed of a model of others is said."""
    try:
        names = shipped_names()
    except ModuleNotFoundError:  # the data is not installed, and a folder does without
        if not Path(model).is_dir():
            raise
        names = []
    if model in names:
        if Path(model).is_dir() and not training.rank():
            note = f"{model}: the package's tagger of this name; for the folder write ./{model}"
            print(note, file=sys.stderr)
        return Tagger.load(shipped(model))
    last = model_files.load_folder(Path(model))[-1]
    if last.about and not training.rank():
        print(f"{model}: tagged with {last.about}", file=sys.stderr)
    return last.tagger


def _reading(options: Namespace, tokeniser: str) -> dict[str, Any]:
    """How the options say that files are read, texts by this tokeniser."""
    labels = options.labels
    if labels and Path(labels).is_file():
        names = Path(labels).read_text(encoding="utf-8-sig").split()
    else:
        names = [name.strip() for name in labels.split(",") if name.strip()]
    settings = ("column", "words", "scheme", "repair", "align", "encoding")
    told = {"labels": names, "tokeniser": tokeniser}
    return told | {name: getattr(options, name) for name in settings}


def _say(file: TaggedFile) -> None:
    """Say on standard error how a file is read."""
    first = " ".join(map("/".join, zip(file.first.words[:12], file.first.tags, strict=False)))
    counts = [note for note in file.notes if note.startswith(COUNTS)]
    advice = [f"--column names another column than {file.label}" for _ in counts]
    for note in (*file.notes, *advice, f"the first sentence: {first}"):
        text = "".join(sign if sign.isprintable() else "\ufffd" for sign in note)
        print(f"{file.name}: {text}", file=sys.stderr)


def _settings(options: Namespace, file: TaggedFile) -> training.Settings:
    """The best settings we know for the task, or the textbook's, with what the options change."""
    task = options.task
    if task == "auto":
        task = "ner" if file.scheme else "pos"
    if task == "ner" and not file.scheme:
        raise ValueError(
            f"--task ner: {file.name}: expected labels of spans, such as O and B-PER, got "
            f"{', '.join(sorted(file.statistics.counts)[:5])} in column {file.label}; --column "
            "names another"
        )
    is_english = options.language == "en"
    settings = training.plain() if options.plain else SETTINGS[task, options.local]
    sizes = {
        "word_dim": options.embedding,
        "affix_dim": options.affixes,
        "char_filters": options.characters,
        "hidden": 0 if options.local else options.hidden,
        "layers": options.layers,
        "dropout": options.dropout,
        "clusters": None if is_english or options.vectors else 0,  # ours are of English words
    }
    few = max(4, file.sentences // 40)  # sentences a batch: some steps to each epoch
    scheme = file.target_scheme if task == "ner" else None
    constrained = scheme in storage.CONSTRAINED and not (options.softmax or options.unconstrained)
    changes = {
        "epochs": options.epochs,
        "patience": options.patience,
        "batch_size": options.batch_size or min(settings.batch_size, few),
        "learning_rate": options.lr,
        "seed": options.seed,
        "precision": "bf16" if options.bf16 else None,
        "loss": "softmax" if options.softmax else None,
        "sizes": replace(settings.sizes, **model_card.without_none(sizes)),
        "scheme": scheme if constrained else None,
        "tokeniser": _tokeniser(options),
        "written_as": file.scheme if file.scheme in ("IO", "IOB1") else None,
    }
    return replace(settings, **model_card.without_none(changes))


def _tokeniser(options: Namespace) -> str:
    return options.tokeniser or ("english" if options.language == "en" else "unicode")


@contextlib.contextmanager
def _processes(options: Namespace) -> Iterator[torch.device]:
    """The device of this process, which torchrun may have started as one of several."""
    torch.set_num_threads(options.threads)
    kind = device_of(options.device).type
    together = int(os.environ.get("WORLD_SIZE", "1")) > 1
    if together:
        # Loaded later (by DistributedDataParallel), its default arguments would keep the group
        # alive past its end, and gloo's threads would meet an interpreter that is going down.
        importlib.import_module("torch.distributed.nn")
        distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    try:
        yield torch.device(kind)
    finally:
        if together:
            distributed.destroy_process_group()
