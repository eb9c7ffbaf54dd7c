"""A treebank small enough to read, and a tagger trained on it in a second."""

from pathlib import Path

import pytest
import torch

from crf.tagger import Hyperparameters, Sentence, Settings, Tagger, TaggingDataset, train

TINY = Hyperparameters(word_dim=6, affix_dim=3, char_dim=4, char_filters=5, hidden=7, dropout=0.2)

CONLLU = """\
# sent_id = 1
# text = They don't fish.
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tfish\tfish\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = 2
1\tSue\tSue\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tlikes\tlike\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tcoffee\tcoffee\tNOUN\tNN\t_\t2\tobj\t_\t_
4\tand\tand\tCCONJ\tCC\t_\t5\tcc\t_\t_
5\tBill\tBill\tPROPN\tNNP\t_\t2\tconj\t5.1:nsubj\t_
5.1\tlikes\tlike\tVERB\tVBZ\t_\t_\t_\t2:conj\t_
6\ttea\ttea\tNOUN\tNN\t_\t5\torphan\t5.1:obj\t_
"""


def toy_sentences() -> list[Sentence]:
    """Forty sentences in which "fish" and "can" are nouns after "the" and verbs after "they"."""
    the = [(("the", "DET"), (noun, "NOUN")) for noun in ("fish", "can", "boat", "old", "man")]
    they = [(("they", "PRON"), (verb, "VERB")) for verb in ("fish", "can", "row", "man")]
    return [
        _sentence(*subject, *rest, (end, "PUNCT"))
        for subject in they
        for rest in the
        for end in (".", "!")
    ]


def _sentence(*pairs: tuple[str, str]) -> Sentence:
    words, tags = zip(*pairs, strict=True)
    return Sentence(words, tags, tuple((tag[:2], "_", tag[-1]) for tag in tags))


@pytest.fixture
def conllu(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def toy() -> TaggingDataset:
    return TaggingDataset(toy_sentences())


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings(epochs=6, batch_size=5, learning_rate=0.05, averaging=0.8, sizes=TINY)


@pytest.fixture(scope="session")
def tagger(toy: TaggingDataset, settings: Settings) -> Tagger:
    return train(toy, toy, settings).tagger


@pytest.fixture
def saved(tagger: Tagger, tmp_path: Path) -> Path:
    tagger.save(tmp_path / "tagger")
    return tmp_path / "tagger"


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
