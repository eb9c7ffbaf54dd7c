"""Several processes on one machine, as torchrun starts them; gloo between them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.serving import free_port
from crf.__main__ import main
from tests.tagger.conftest import ROOT, python, toy_sentences, write_treebank

PLAIN = "--plain --embedding 6 --hidden 5 --dropout 0 --lr 0.02 --epochs 3 --quiet".split()


def together(*arguments) -> None:
    """Two processes that torchrun starts, as somebody would."""
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = python(*launcher, "-m", "crf", *arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def treebank(tmp_path):
    """Thirty-seven sentences: no number of processes shares them evenly."""
    return write_treebank(tmp_path / "toy.conllu", toy_sentences()[:37])


def figures(directory: Path) -> dict:
    return json.loads((directory / "metrics.json").read_text())["training"]


@pytest.mark.thorough
def test_two_processes_do_what_one_does_with_the_doubled_batch(treebank, tmp_path, monkeypatch):
    """One of the two is this process; the other fails where it leaves a thread of gloo's."""
    train = [*map(str, ["train", treebank, treebank]), *PLAIN]
    two = [*train, "--batch-size", "4", "--output", str(tmp_path / "two")]
    launched = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2"}
    other = os.environ | launched | {"RANK": "1", "LOCAL_RANK": "1"}
    command = [sys.executable, "-m", "tests.tagger.watched", *two]
    piped = {"stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=other, cwd=ROOT, **piped) as second:
        with monkeypatch.context() as patched:
            for name, value in (launched | {"RANK": "0", "LOCAL_RANK": "0"}).items():
                patched.setenv(name, value)
            if failed := main(two):
                second.kill()  # because it would wait for this one
            assert not failed
        _, said = second.communicate(timeout=60)
    assert second.returncode == 0, said
    assert main([*train, "--batch-size", "8", "--output", str(tmp_path / "one")]) == 0
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
        patched.setattr("crf.tagger.commands.say_epoch", killed)
        assert main(list(map(str, train))) == 130
    assert [path.name for path in out.iterdir()] == ["checkpoint.safetensors"]
    together(*train)
    history = figures(out)["history"]
    assert [epoch["loss"] for epoch in history[:2]] == [epoch.loss for epoch in reported]
    assert len(history) == 3
    assert figures(out)["processes"] == 2
