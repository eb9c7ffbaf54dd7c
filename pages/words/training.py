"""One training: its sentences, its settings, and the process that it runs in.

    python -m pages.words.training NICE FOLDER DEVICE

The process yields to the readers' pages as far as NICE says (0 to 19), reads FOLDER/job.json, and
reports on standard output, a JSON object a line. It writes a checkpoint after each epoch: started
again in the same folder, it goes on. SIGTERM, the end of the server and the time limit end it with
the best epoch so far. Torch is imported only there, because the server answers without it.
"""

import hashlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from crf.schemes import scheme_of_tags
from crf.strict_json import read_json, write_json
from crf.tagger.bundled import sample
from crf.tagger.columns import FileColumn
from crf.tagger.lines import DataFileError
from crf.tagger.reading import Sentence, TaggedFile, TaggingDataset
from pages.shared.course.problem import ProblemError
from pages.shared.course.uploaded_taggers import MOST_TAGS
from pages.shared.figures.text import LessonText

if TYPE_CHECKING:
    from crf.tagger.training import Progress, Settings

# ---------------------------------------------------------------------- the sentences

MOST_BYTES = 3 << 20  # of a file: some 40,000 words
MOST_UNPACKED = 16 << 20
FEWEST, LONGEST = 10, 200  # sentences; words of a sentence
BUNDLED = "the bundled sample"  # of English
HELD_OUT = 5  # one sentence in so many measures, and is not learnt from


class Data(NamedTuple):
    """Sentences to learn from, and others to measure by."""

    name: str  # what they are, in words
    training: TaggingDataset  # to learn from
    dev: TaggingDataset  # to measure by, and to choose the best epoch

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that occur."""
        return tuple(sorted({*self.training.tags, *self.dev.tags}))


@cache
def bundled(task: str) -> Data:
    """The sample that comes with the library, of parts of speech ("pos") or of names ("names")."""
    suffix = {"pos": "conllu", "names": "iob2"}[task]
    parts = (TaggingDataset.read(sample(f"{part}.{suffix}")) for part in ("train", "dev"))
    return Data(BUNDLED, *parts)


class TaggedUpload(NamedTuple):
    """A reader's file of tagged sentences."""

    name: str  # of the file
    content: bytes  # its bytes, to read another column
    sentences: tuple[Sentence, ...]  # all of them
    columns: tuple[FileColumn, ...]  # the columns of the file
    label: str  # name of the one with the labels
    notes: tuple[str, ...]  # what was assumed, in sentences

    @classmethod
    def read(
        cls,
        content: bytes,
        name: str,
        column: str = "",
        tags: tuple[str, ...] = (),
        tokeniser: str = "unicode",
    ) -> "TaggedUpload":
        """Read a file of any format that `TaggedFile` recognises.

        The labels are in the column of this name, else in the likeliest: with a tagger's tags, the
        one that holds most of them. Texts with spans of characters are split by the tokeniser;
        spans that do not meet its words take those that they touch.

        Raises:
            ProblemError: It is empty or of another format; the message says what to do.
        """
        try:
            file = TaggedFile(
                content,
                name,
                column=column,
                tags=tags,
                repair=True,
                tokeniser=tokeniser,
                align="expand",
                max_bytes=MOST_UNPACKED,
            )
            if tags:
                file.rewrite_for(tags)
            elif file.scheme == "IOB1":
                file.rewrite("BIO")  # what is learnt
            sentences = tuple(file)
        except DataFileError as error:
            raise ProblemError(str(error).removeprefix(name).lstrip(":, ")) from None
        return cls(name, content, sentences, tuple(file.columns), file.label, tuple(file.notes))

    def data(self) -> Data:
        """Hold every `HELD_OUT`-th sentence out, to measure by.

        Raises:
            ProblemError: There are too few sentences, too long ones, one tag only, or too many.
        """
        longest = max((len(sentence.words) for sentence in self.sentences), default=0)
        tags = {tag for sentence in self.sentences for tag in sentence.tags}
        if len(self.sentences) < FEWEST:
            raise _fault("few", fewest=FEWEST, got=len(self.sentences), out=HELD_OUT)
        if longest > LONGEST:
            raise _fault("long", most=LONGEST, got=longest)
        if len(tags) == 1:
            raise _fault("one-tag", tag=min(tags)[:40])
        if len(tags) > MOST_TAGS:
            raise _fault("tags", most=MOST_TAGS, got=len(tags))
        dev = self.sentences[HELD_OUT - 1 :: HELD_OUT]
        rest = [s for k, s in enumerate(self.sentences, 1) if k % HELD_OUT]
        return Data(self.name, TaggingDataset(rest), TaggingDataset(dev))


def _fault(name: str, **facts: int | str) -> ProblemError:
    return ProblemError(LessonText.of("words").line(f"file-faults.{name}", **facts))


# ---------------------------------------------------------------------- the settings

_ALL = 10**6  # sentences: more than there are


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a training that a page offers; all others are the library's."""

    # "local": each word is scored alone; "bilstm": a BiLSTM reads the sentence; "plain": the
    # textbook's BiLSTM on words alone, trained without any refinement
    encoder: str = "local"
    output: str = "crf"  # "crf" or "softmax"
    size: int = 32  # of a word's vector, and of what goes with it
    epochs: int = 10  # passes over the sentences
    rate: float = 0.01  # the learning rate
    batch: int = 16  # sentences per step; 0: all
    optimiser: str = "adam"  # "adam" or "sgd"

    def settings(self, tags: Sequence[str], tokeniser: str = "unicode") -> "Settings":
        """As the library has them; labels of spans keep to their scheme, except with softmax."""
        from crf.tagger.encoder import Hyperparameters
        from crf.tagger.storage import CONSTRAINED
        from crf.tagger.training import Settings, plain

        size, scheme = self.size, scheme_of_tags(tags)
        settings: dict[str, Any] = {
            "epochs": self.epochs,
            "patience": self.epochs,
            "loss": self.output,
            "scheme": scheme if scheme in CONSTRAINED and self.output == "crf" else None,
            "tokeniser": tokeniser,
            "batch_size": self.batch or _ALL,
            "learning_rate": self.rate,
            "optimiser": self.optimiser,
        }
        if self.encoder == "plain":
            bare = plain()
            sizes = replace(bare.sizes, word_dim=size, hidden=2 * size)
            return replace(bare, sizes=sizes, **settings)
        hidden = 2 * size if self.encoder == "bilstm" else 0
        sizes = Hyperparameters(
            word_dim=size,
            affix_dim=max(size // 4, 2),
            char_dim=16,
            char_filters=size,
            hidden=hidden,
        )
        return Settings(**settings, hints=0.0, sizes=sizes)

    @property
    def name(self) -> str:
        """The name of the tagger."""
        encoder = {"bilstm": "BiLSTM", "plain": "Plain BiLSTM", "local": "Local"}[self.encoder]
        if self.output == "softmax":
            return f"Yours: {encoder}, softmax"
        return f"Yours: {encoder}{' ' if self.encoder == 'local' else '-'}CRF"


# ---------------------------------------------------------------------- the process

MOST_JOB = 1 << 30  # bytes of job.json
SECONDS = 15 * 60  # the time limit
BETWEEN = 0.25  # seconds between two reports, at least
MOST_BATCHES = 1500  # of a training whose losses are reported


def write_job(folder: Path, config: TrainingConfig, data: Data) -> None:
    """Put all that the process needs into a folder."""
    sentences = {part: [s[:2] for s in getattr(data, part)] for part in ("training", "dev")}
    job = {"config": asdict(config), "data": data.name, **sentences}
    (folder / "job.json").write_text(write_json(job), encoding="utf-8")


def read_job(folder: Path) -> tuple[TrainingConfig, Data]:
    """Read the folder that `write_job` wrote."""
    job = read_json((folder / "job.json").read_bytes(), MOST_JOB)
    parts = (
        TaggingDataset(Sentence(tuple(words), tuple(tags)) for words, tags in job[part])
        for part in ("training", "dev")
    )
    return TrainingConfig(**job["config"]), Data(job["data"], *parts)


class Reporter:
    """Reports progress, and ends the training on request, after its time, or without a parent."""

    def __init__(self, epochs: int) -> None:
        self.end, self.limit = "", time.monotonic() + SECONDS
        self.parent, self.last, self.epochs = os.getppid(), 0.0, epochs
        self.batches: list[tuple[float, float]] = []  # since the last report
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, signum: int, frame: FrameType | None) -> None:
        self.end = "stopped"

    def __call__(self, progress: "Progress") -> None:
        now, epoch = time.monotonic(), progress.finished
        before, every = progress.epoch - 1, -(-self.epochs * progress.steps // MOST_BATCHES)
        number = before * progress.steps + progress.step
        if epoch is None and number % every == 0:  # the same ones if it goes on after a stop
            self.batches.append((before + progress.step / progress.steps, progress.loss))
        if epoch or now - self.last >= BETWEEN:
            self.last = now
            say({"batches": self.batches, "finished": epoch and epoch._asdict()})
            self.batches = []
        if now > self.limit:
            self.end = "late"
        if self.end or os.getppid() != self.parent:
            from crf.tagger.training import StopTraining

            raise StopTraining


def say(message: dict[str, Any]) -> None:
    print(write_json(message), flush=True)


def main(nice: int, folder: Path, device: str) -> None:
    import torch

    from crf.tagger import Tagger, evaluation, model_card, storage, train

    if hasattr(os, "nice"):
        os.nice(nice)
    if nice and hasattr(os, "SCHED_IDLE"):  # Linux: any other process goes first
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    torch.set_num_threads(1)
    config, data = read_job(folder)
    reporter = Reporter(config.epochs)
    settings = config.settings(data.tags, "english" if data.name == BUNDLED else "unicode")
    tagger, history = train(
        data.training,
        data.dev,
        settings,
        checkpoint=folder / "checkpoint.safetensors",
        report=reporter,
        device=device,
    )
    if history:
        out = folder / "tagger"
        tagger.save(out)
        figures = model_card.metrics(
            evaluation.test(Tagger.load(out), data.dev),
            hashlib.sha256((out / storage.WEIGHTS_NAME).read_bytes()).hexdigest(),
            history,
            {"data": data.name, "settings": asdict(settings), "torch": torch.__version__},
        )
        text = write_json(figures, indent=1)
        storage.write_atomically(out / model_card.METRICS_NAME, text.encode())
        storage.write_atomically(out / model_card.LOG_NAME, model_card.log(figures).encode())
    say({"end": reporter.end or "done"})


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
