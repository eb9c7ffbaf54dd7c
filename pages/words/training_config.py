"""A training that a reader asks for: its sentences and its model; what is wrong is said at once."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from crf.schemes import scheme_of_tags
from crf.strict_json import read_json, write_json
from crf.tagger import Hyperparameters, Sentence, Settings, TaggingDataset, training
from crf.tagger.bundled import sample
from crf.tagger.storage import CONSTRAINED
from pages.shared.course.uploaded_taggers import MOST_TAGS
from pages.words.tagged_files import TaggedUpload, fault

FEWEST = 10  # sentences
BUNDLED = "the bundled sample"  # of English
HELD_OUT = 5  # one sentence in so many measures, and is not learnt from
LONGEST = 200  # words of a sentence
MOST_JOB = 1 << 30  # bytes of job.json
_ALL = 10**6  # sentences: more than there are


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


def of_file(file: TaggedUpload) -> Data:
    """A file's sentences; every `HELD_OUT`-th is held out.

    Raises:
        ProblemError: It has too few sentences, too long ones, one tag only, or too many.
    """
    found = file.sentences
    longest = max((len(sentence.words) for sentence in found), default=0)
    tags = {tag for sentence in found for tag in sentence.tags}
    if len(found) < FEWEST:
        raise fault("few", fewest=FEWEST, got=len(found), out=HELD_OUT)
    if longest > LONGEST:
        raise fault("long", most=LONGEST, got=longest)
    if len(tags) == 1:
        raise fault("one-tag", tag=min(tags)[:40])
    if len(tags) > MOST_TAGS:
        raise fault("tags", most=MOST_TAGS, got=len(tags))
    dev = found[HELD_OUT - 1 :: HELD_OUT]
    rest = [s for k, s in enumerate(found, 1) if k % HELD_OUT]
    return Data(file.name, TaggingDataset(rest), TaggingDataset(dev))


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

    def settings(self, tags: Sequence[str], tokeniser: str = "unicode") -> Settings:
        """As the library has them; labels of spans keep to their scheme, except with softmax."""
        size, scheme = self.size, scheme_of_tags(tags)
        asked: dict[str, Any] = {
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
            bare = training.plain()
            sizes = replace(bare.sizes, word_dim=size, hidden=2 * size)
            return replace(bare, sizes=sizes, **asked)
        hidden = 2 * size if self.encoder == "bilstm" else 0
        sizes = Hyperparameters(
            word_dim=size, affix_dim=max(size // 4, 2), char_dim=16, char_filters=size,
            hidden=hidden,
        )  # fmt: skip
        return Settings(**asked, hints=0.0, sizes=sizes)

    @property
    def name(self) -> str:
        """The name of the tagger."""
        encoder = {"bilstm": "BiLSTM", "plain": "Plain BiLSTM", "local": "Local"}[self.encoder]
        if self.output == "softmax":
            return f"Yours: {encoder}, softmax"
        return f"Yours: {encoder}{' ' if self.encoder == 'local' else '-'}CRF"


def write(folder: Path, asked: TrainingConfig, data: Data) -> None:
    """Put all that the process needs into a folder."""
    sentences = {part: [s[:2] for s in getattr(data, part)] for part in ("training", "dev")}
    job = {"wanted": asdict(asked), "data": data.name, **sentences}
    (folder / "job.json").write_text(write_json(job), encoding="utf-8")


def read(folder: Path) -> tuple[TrainingConfig, Data]:
    """Read the folder that `write` wrote."""
    job = read_json((folder / "job.json").read_bytes(), MOST_JOB)
    parts = (
        TaggingDataset(Sentence(tuple(words), tuple(tags)) for words, tags in job[part])
        for part in ("training", "dev")
    )
    return TrainingConfig(**job["wanted"]), Data(job["data"], *parts)
