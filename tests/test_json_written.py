"""Every JSON file and line that the product writes is read by its own strict reader."""

import io
import math
import sys
from pathlib import Path

import pytest
import torch

from crf import LinearChain, lab
from crf.__main__ import main
from crf.lab.report import as_json
from crf.strict_json import read_json
from crf.tagger import checkpoint, training
from crf.tagger.bundled import shipped
from crf.tagger.model_card import read_figures
from pages.shared.course import lecture_plan, problem_files
from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import exports
from pages.words import training as words_training
from pages.words.runs import Training
from pages.words.training import TrainingConfig
from tests.tagger.conftest import toy_sentences, write_treebank

ROOT = Path(__file__).parents[1]
MOST = 1 << 26


def read(text: str | bytes):
    return read_json(text, MOST)


@pytest.mark.parametrize("folder", ["assets", "benchmarks", "crf", "docs", "pages", "tests"])
def test_files_of_the_repository(folder):
    files = [p for kind in ("json", "ipynb") for p in (ROOT / folder).rglob(f"*.{kind}")]
    assert all(read(path.read_bytes()) for path in files)


def test_commands(tmp_path, capsys, monkeypatch):
    data = str(write_treebank(tmp_path / "toy.conllu", toy_sentences()))
    out = tmp_path / "out"
    sizes = "--plain --embedding 6 --hidden 5 --epochs 1 --quiet".split()
    assert main(["train", data, data, "--output", str(out), *sizes]) == 0
    files = {path.name: path.read_bytes() for path in out.glob("*.json")}
    assert set(files) == {"metrics.json", "tagger.json"}
    found = {name: read(content) for name, content in files.items()}
    assert found["metrics.json"]["training"]["settings"]["clip"] is None
    tags = len(found["tagger.json"]["tags"])
    assert read_figures(files["metrics.json"], found["tagger.json"]["sha256"], tags)
    capsys.readouterr()

    assert main(["evaluate", data, "--model", str(out), "--json"]) == 0
    assert read(capsys.readouterr().out)["tokens"] > 0
    monkeypatch.setattr(LinearChain, "log_prob", lambda _, y: torch.full((len(y),), -math.inf))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ada sang.\n")))
    assert main(["tag", "--model", str(shipped("local")), "--json"]) == 0
    assert read(capsys.readouterr().out)["log_prob"] == "-inf"
    assert main(["evaluate", data, "--model", str(out), "--json"]) == 0  # of no probability at all
    assert read(capsys.readouterr().out)["nll"] == "inf"


def test_a_training_that_diverges(tmp_path, capsys, monkeypatch):
    epochs = [[1, math.nan, 0.5, None], [2, math.inf, 0.5, None]]
    path = tmp_path / "checkpoint"
    checkpoint.write(path, "run", checkpoint.Snapshot({"x": torch.zeros(1)}, epochs))
    again = checkpoint.read(path, "run").history
    assert repr(again) == repr([[float(e), loss, a, f1] for e, loss, a, f1 in epochs])

    monkeypatch.setattr(words_training.signal, "signal", lambda *_: None)
    reporter = words_training.Reporter(1)
    reporter(training.Progress(1, 1, 2, math.nan, None))
    reporter(training.Progress(1, 2, 2, math.inf, training.Epoch(1, math.nan, 0.5)))
    words_training.say({"end": "done"})
    lines = capsys.readouterr().out.splitlines()
    assert [read(line) for line in lines][-1] == {"end": "done"}
    heard = Training("k", TrainingConfig(epochs=1), tmp_path)
    assert [heard.hear(line) for line in lines] == ["", "", "done"]

    config = TrainingConfig(rate=0.02)
    words_training.write_job(tmp_path, config, words_training.bundled("pos"))
    read((tmp_path / "job.json").read_bytes())
    assert words_training.read_job(tmp_path)[0] == config


def test_exports_and_reports():
    problem = EXAMPLES["no-path"].problem
    assert "-inf" in str(read(problem_files.to_json(problem)))
    assert read(exports.to_json(problem.trace("forward")))["log_total"] == "-inf"
    beat = lecture_plan.PlannedBeat("trellis", "best", "ex=old-man")
    assert read(lecture_plan.to_json(lecture_plan.LecturePlan("One", (beat,))))

    def forward(emissions, transitions, start, end):
        """Return the numbers that JSON does not have."""
        return [[-math.inf, math.inf] + [math.nan] * (len(start) - 2) for _ in emissions]

    got = {check["got"] for check in read(as_json(lab.check(forward)))["checks"]}
    assert got & {"nan", "inf", "-inf"}
