"""A training that a reader asks for: its sentences and its model; what is wrong is said at once."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from crf.tagger import DataFileError, Hyperparameters, Sentence, Settings, TaggingDataset
from crf.tagger.bundled import sample
from crf.tagger.evaluation import are_bio
from crf.tagger.reading import TaggedFile
from crf.tagger.storage import MAX_TAG_LENGTH
from pages.shared.course.model_files import MOST_TAGS
from pages.shared.course.problem import ProblemError

MOST_BYTES = 3 << 20  # of an uploaded file: some 40,000 words
MOST_UNPACKED = 16 << 20
FEWEST = 10  # sentences
HELD_OUT = 5  # one sentence in so many measures, and is not learnt from
LONGEST = 200  # words of a sentence


class Data(NamedTuple):
    """Sentences to learn from, and others to measure by.

    Attributes:
        name: What they are, in words.
        training: To learn from.
        dev: To measure by, and to choose the best epoch.
    """

    name: str
    training: TaggingDataset
    dev: TaggingDataset

    @property
    def tags(self) -> tuple[str, ...]:
        """Those that occur."""
        return tuple(sorted({*self.training.tags, *self.dev.tags}))


def bundled(task: str) -> Data:
    """The sample that comes with the library, of parts of speech ("pos") or of names."""
    suffix = "conllu" if task == "pos" else "iob2"
    parts = (TaggingDataset.read(sample(f"{part}.{suffix}")) for part in ("train", "dev"))
    return Data("the bundled sample", *parts)


def uploaded(content: bytes, name: str) -> Data:
    """Tagged sentences of a reader's own; every `HELD_OUT`-th is held out.

    Args:
        content: Of a file of any format that `TaggedFile` reads.
        name: Of the file.

    Raises:
        ProblemError: It is too large, empty, of another format, or has one tag only.
    """
    if len(content) > MOST_BYTES:
        raise ProblemError(
            f"expected at most {MOST_BYTES:,} bytes, got {len(content):,}. Take the first "
            "thousands of sentences; for a whole treebank there is `python -m crf train`"
        )
    try:
        found = list(TaggedFile(content, name, repair=True, max_bytes=MOST_UNPACKED))
    except DataFileError as error:
        raise ProblemError(str(error).removeprefix(name).lstrip(":, ")) from None
    _check(found)
    dev = found[HELD_OUT - 1 :: HELD_OUT]
    training = [s for k, s in enumerate(found) if k % HELD_OUT != HELD_OUT - 1]
    return Data(name, TaggingDataset(training), TaggingDataset(dev))


def _check(sentences: Sequence[Sentence]) -> None:
    if len(sentences) < FEWEST:
        raise ProblemError(
            f"expected at least {FEWEST} sentences, got {len(sentences)}; one in "
            f"{HELD_OUT} is held out to measure by. A blank line ends a sentence"
        )
    longest = max(len(sentence.words) for sentence in sentences)
    if longest > LONGEST:
        raise ProblemError(
            f"expected sentences of at most {LONGEST} words, got one of {longest:,}. Is "
            "there a blank line after each sentence?"
        )
    tags = {tag for sentence in sentences for tag in sentence.tags}
    if len(tags) == 1:
        raise ProblemError(
            f"every word has the tag {min(tags)[:40]}, so there is nothing to learn. Two "
            "different tags are the least"
        )
    if len(tags) > MOST_TAGS:
        raise ProblemError(
            f"expected at most {MOST_TAGS} different tags, got {len(tags):,}. The tags are "
            "read from column 4 (UPOS) of CoNLL-U, from column 3 of IOB2"
        )
    odd = [tag for tag in tags if len(tag) > MAX_TAG_LENGTH or not tag.isprintable()]
    if odd:
        raise ProblemError(
            f"expected tags of at most {MAX_TAG_LENGTH} visible characters, got "
            f"{ascii(odd[0])[:40]}"
        )


@dataclass(frozen=True)
class Wanted:
    """The settings of a training that a page offers; all others are the library's.

    Attributes:
        encoder: "local": each word is scored alone; "bilstm": a BiLSTM reads the sentence.
        output: "crf" or "softmax".
        size: Of a word's vector, and of what goes with it.
        epochs: Passes over the sentences.
        rate: The learning rate of Adam.
    """

    encoder: str = "local"
    output: str = "crf"
    size: int = 32
    epochs: int = 10
    rate: float = 0.01

    def settings(self, tags: Sequence[str]) -> Settings:
        """As the library has them; names are held to BIO, unless a softmax shall stand bare."""
        size = self.size
        return Settings(
            epochs=self.epochs,
            patience=self.epochs,
            loss=self.output,
            scheme="BIO" if are_bio(tags) and self.output == "crf" else None,
            batch_size=16,
            learning_rate=self.rate,
            hints=0.0,
            sizes=Hyperparameters(
                word_dim=size,
                affix_dim=max(size // 4, 2),
                char_dim=16,
                char_filters=size,
                hidden=2 * size if self.encoder == "bilstm" else 0,
            ),
        )

    @property
    def name(self) -> str:
        """What the tagger will be called."""
        names = {
            ("bilstm", "crf"): "BiLSTM-CRF",
            ("bilstm", "softmax"): "BiLSTM, softmax",
            ("local", "crf"): "Local CRF",
        }
        return f"Yours: {names.get((self.encoder, self.output), 'Local, softmax')}"


def write(folder: Path, wanted: Wanted, data: Data) -> None:
    """Put all that the process needs into a folder."""
    sentences = {part: [s[:2] for s in getattr(data, part)] for part in ("training", "dev")}
    job = {"wanted": asdict(wanted), "data": data.name, **sentences}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def read(folder: Path) -> tuple[Wanted, Data]:
    """What `write` wrote."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    training, dev = (
        TaggingDataset([Sentence(tuple(words), tuple(tags)) for words, tags in job[part]])
        for part in ("training", "dev")
    )
    return Wanted(**job["wanted"]), Data(job["data"], training, dev)
