"""Several processes on one machine, as torchrun starts them; gloo between them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crf.__main__ import main
from crf.tagger import Sentence
from tests.tagger.conftest import toy_sentences

ROOT = Path(__file__).parents[2]

PLAIN = "--plain --embedding 6 --hidden 5 --dropout 0 --lr 0.02 --epochs 3 --quiet".split()


def together(*arguments, program="crf") -> subprocess.CompletedProcess[str]:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, "--nproc-per-node", "2", "-m", program, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture
def treebank(tmp_path):
    def block(sentence: Sentence) -> str:
        rows = enumerate(zip(sentence.words, sentence.tags, strict=True), start=1)
        return "".join(f"{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, (word, tag) in rows)

    path = tmp_path / "toy.conllu"
    path.write_text("\n".join(block(sentence) for sentence in toy_sentences()[:37]) + "\n")
    return path


def figures(directory: Path) -> dict:
    return json.loads((directory / "metrics.json").read_text())["training"]


def test_two_processes_do_what_one_does_with_the_doubled_batch(treebank, tmp_path):
    train = ["train", treebank, treebank, *PLAIN]
    two = [*train, "--batch-size", 4, "--output", tmp_path / "two"]
    done = together(*two, program="tests.tagger.watched")
    assert done.returncode == 0, done.stderr
    assert main([*map(str, train), "--batch-size", "8", "--output", str(tmp_path / "one")]) == 0
    one, two = figures(tmp_path / "one"), figures(tmp_path / "two")
    assert (one["processes"], two["processes"]) == (1, 2)
    assert two["command"].startswith("torchrun --nproc-per-node 2 -m crf train toy.conllu")
    losses = [[epoch["loss"] for epoch in run["history"]] for run in (one, two)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert losses[0][-1] < losses[0][0]


@pytest.mark.thorough
def test_a_run_goes_on_with_another_number_of_processes(treebank, tmp_path, monkeypatch):
    out = tmp_path / "out"
    train = ["train", treebank, treebank, *PLAIN[:-1], "--batch-size", 4, "--output", out]
    reported = []

    def killed(progress):
        if progress.finished:
            reported.append(progress.finished)
        if len(reported) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("crf.tagger.commands._say_epoch", killed)
        assert main(list(map(str, train))) == 130
    assert [path.name for path in out.iterdir()] == ["checkpoint.safetensors"]
    done = together(*train)
    assert done.returncode == 0, done.stderr
    history = figures(out)["history"]
    assert [epoch["loss"] for epoch in history[:2]] == [epoch.loss for epoch in reported]
    assert len(history) == 3
    assert figures(out)["processes"] == 2


@pytest.mark.thorough
def test_a_file_is_shared(saved, tmp_path):
    text = tmp_path / "text"
    text.write_text("They fish the boat.\n" * 14_000 + "The end\n")
    output = tmp_path / "tagged"
    done = together("tag", text, "--model", saved, "--output", output)
    assert done.returncode == 0, done.stderr
    tagged = output.read_text().splitlines()
    assert tagged == ["They/PRON fish/VERB the/DET boat/NOUN ./PUNCT"] * 14_000 + tagged[-1:]
    assert tagged[-1].startswith("The/DET end/")
