"""The last rung: a homework's functions train the same tagger as ours."""

import random
from pathlib import Path

import pytest

from crf.__main__ import main
from crf.lab import capstone
from crf.lab.process import Homework, HomeworkError

RIGHT = Path(__file__).parent / "right"
FILES = ("plain_lists.py", "torch_batched.py", "folded_start_and_stop.py", "potentials.py")


def problem(seed, S=3, m=5):
    """Emissions, tags, transitions, start and end."""
    draw = random.Random(seed)

    def row():
        return [draw.uniform(-2, 2) for _ in range(S)]

    tags = [draw.randrange(S) for _ in range(m)]
    return [row() for _ in range(m)], tags, [row() for _ in range(S)], row(), row()


@pytest.mark.parametrize("file", FILES)
def test_a_homework_s_functions_are_asked_in_its_own_form(file):
    emissions, tags, *tables = problem(3)
    ours = capstone.ours()
    with Homework(RIGHT / file) as homework:
        if not {*capstone.TRAINING} <= {*homework.functions}:
            with pytest.raises(HomeworkError, match="write "):
                capstone.theirs(homework)
            return
        theirs = capstone.theirs(homework)
        assert theirs.viterbi(emissions, *tables) == ours.viterbi(emissions, *tables)
        expected = ours.gradients(emissions, tags, *tables)
        for found, right in zip(theirs.gradients(emissions, tags, *tables), expected, strict=True):
            for a, b in zip(found, right, strict=True):
                assert a == pytest.approx(b, abs=1e-6)


@pytest.mark.thorough
def test_at_least_two_of_these_homeworks_can_train():
    able = 0
    for file in FILES:
        with Homework(RIGHT / file) as homework:
            able += {*capstone.TRAINING} <= {*homework.functions}
    assert able >= 2


def few(monkeypatch):
    """The same with few sentences."""
    learn, other = capstone.sentences()
    monkeypatch.setattr(capstone, "sentences", lambda: (learn[:30], other[:20]))
    monkeypatch.setattr(capstone, "EPOCHS", 2)
    return learn, other


def test_it_trains_and_stands_beside_ours(monkeypatch, capsys):
    learn, other = few(monkeypatch)
    assert len(learn) == capstone.SENTENCES == 200
    assert len(other) > 200
    assert main(["lab", "train", str(RIGHT / "plain_lists.py")]) == 0
    head, _, own, library = capsys.readouterr().out.splitlines()
    assert head.startswith("30 sentences, 2 epochs; names found in 20 others")
    assert own.split()[0] == "plain_lists.py"
    assert own.split()[1] == library.split()[2]  # F1


@pytest.mark.thorough
def test_training_finds_names():
    learn, other = capstone.sentences()
    assert capstone.train(capstone.ours(), learn[:100], learn[:100]).f1 > 0.9
    assert 0.1 < capstone.train(capstone.ours(), learn[:100], other[:100]).f1 < 0.9


def test_without_the_taggers_it_says_so(monkeypatch, capsys):
    def sample(name):
        raise ModuleNotFoundError("they are not installed")

    monkeypatch.setattr(capstone, "sample", sample)
    assert main(["lab", "train", str(RIGHT / "plain_lists.py")]) == 1
    said = capsys.readouterr().err
    assert said == ("The sentences to train on come with the taggers: they are not installed\n")


def test_a_homework_that_is_wrong_is_checked_first(monkeypatch, capsys, tmp_path):
    few(monkeypatch)
    file = tmp_path / "wrong.py"
    text = (RIGHT / "plain_lists.py").read_text(encoding="utf-8")
    file.write_text(f"{text}\n\ndef viterbi(emissions, transitions, start, end):\n    return [0]\n")
    assert main(["lab", "train", str(file)]) == 1
    told = capsys.readouterr()
    assert "✗ viterbi" in told.out
    assert "pass their checks first" in told.err
