"""A treebank small enough to read, a tagger trained on it in a second, and the command line."""

import io
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

from crf.__main__ import main
from crf.tagger import Hyperparameters, Sentence, Settings, Tagger, TaggingDataset, train

TINY = Hyperparameters(word_dim=6, affix_dim=3, char_dim=4, char_filters=5, hidden=7, dropout=0.2)

ROOT = Path(__file__).parents[2]


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


def write_treebank(path: Path, sentences: Iterable[Sentence]) -> Path:
    """A CoNLL-U file of these sentences."""
    blocks = [
        "".join(
            f"{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"
            for n, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True), 1)
        )
        for sentence in sentences
    ]
    path.write_text("\n".join(blocks) + "\n")
    return path


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    """Exit code, output and errors of `crf` with these arguments."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as exit_:  # argparse's way
        code = int(exit_.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def python(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Another process, to its end; it finds the modules of this one."""
    command, env = [sys.executable, *map(str, arguments)], os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=cwd, env=env, input="", capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def feed(monkeypatch):
    """Gives bytes to standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return write_treebank(tmp_path / "toy.conllu", toy_sentences())


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
