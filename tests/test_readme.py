"""README and docs say what is so: examples print what they say, numbers are those measured."""

import io
import json
import re
import runpy
import sys
from pathlib import Path

import pytest
from PIL import Image

from crf.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"^echo .*\n# → .*$", README + CLI, re.MULTILINE))
def test_an_example_prints_what_it_says(line, monkeypatch, capsys):
    found = re.fullmatch(r'echo "(.*)" \| crf (.*?)(?: *#.*)?\n# → (.*)', line)
    assert found is not None, line
    sentence, arguments, said = found.groups()
    typed = io.TextIOWrapper(io.BytesIO(f"{sentence}\n".encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    main(arguments.split())
    assert capsys.readouterr().out.strip() == said


@pytest.mark.parametrize("name", re.findall(r"python -m (examples\.\w+)", CLI))
def test_the_scripts_run_as_it_says(name, capsys):
    runpy.run_module(name, run_name="__main__")
    assert capsys.readouterr().out


def test_its_python_runs_and_begins_on_the_second_screen(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        exec(block, names)
    assert [len(path) for path in names["paths"]] == [4, 2]
    assert (tmp_path / "viterbi.html").exists()
    assert README[: README.index("\nfrom crf import ")].count("\n") < 60


def test_its_picture_moves_for_about_ten_seconds_and_is_small():
    path = ROOT / "assets" / "tour.webp"
    picture, seconds = Image.open(path), 0.0
    for frame in range(picture.n_frames):
        picture.seek(frame)
        picture.load()
        seconds += picture.info["duration"] / 1000
    assert 8 < seconds < 14
    assert path.stat().st_size <= 3_000_000
    assert "](assets/tour.webp)" in README


def test_it_can_be_read_in_five_minutes():
    assert len(README.split()) <= 1000


@pytest.mark.parametrize(
    ("row", "question"), [("loss and gradients", "nll"), ("best paths", "viterbi")]
)
def test_its_times_are_those_measured(row, question):
    measured = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    ratios = [shape[question]["pytorch-crf"]["ratio"] for shape in measured["warm"]]
    assert f"| Time for {row} | 1 | {min(ratios):.0f} to {max(ratios):.0f} |" in README
    assert f"pytorch-crf {measured['machine']['packages']['pytorch-crf']} " in README
    assert len(ratios) == 6
    assert "six batch shapes: our C kernels" in README
    assert f"(load {measured['machine']['load_average']:.1f})" in README


def test_its_torch_is_the_one_that_the_app_needs():
    needed = re.search(r"^torch==\S+", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert needed is not None
    assert set(re.findall(r"torch==[\d.]+", README)) == {needed[0]}
