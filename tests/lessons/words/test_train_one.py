"""Train one now: what is refused, one at a time, stopped, killed and gone on with; minibatches."""

import errno
import io
import os
import signal
import time
from pathlib import Path

import pytest
import torch

from crf.tagger import Tagger, train
from pages.shared.course import start_options
from pages.shared.course.problem import ProblemError
from pages.shared.ui import taggers
from pages.words import (
    runs,
    tagged_files,
    training_config,
    training_process,
    trainings,
)
from pages.words.training_config import TrainingConfig
from pages.words.trainings import DONE, FAILED, STOPPED, WAITING, Trainings
from tests.apps import fresh, of_stage, opened, text_of, unfolded, upload

ROW = "{k}\t{word}\t_\t{tag}\t_\t_\t0\t_\t_\t_\n"
AT_ONCE = (*trainings.TRAIN[:-1], "0")  # beside other tests, the last in turn would wait for ever
FILES = ("tagger.json", "weights.safetensors")
QUICK = TrainingConfig(size=8, epochs=2, rate=0.05)


def conllu(sentences: int, tags=("DET", "NOUN"), words=2) -> bytes:
    def row(k: int) -> str:
        return ROW.format(k=k + 1, word=f"w{k % 50}", tag=tags[k % len(tags)])

    return ("".join(map(row, range(words))) + "\n").encode() * sentences


def many_tags(count: int) -> bytes:
    """Sentences of a hundred words, each word with a tag of its own."""
    rows = [ROW.format(k=k % 100 + 1, word="w", tag=f"T{k}") for k in range(count)]
    return "\n".join("".join(rows[k : k + 100]) for k in range(0, count, 100)).encode()


def read(content: bytes, name: str) -> training_config.Data:
    return training_config.of_file(tagged_files.TaggedUpload.read(content, name))


def until(holds, seconds=180.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def queue():
    made = Trainings(AT_ONCE)
    yield made
    made.close()


@pytest.fixture(scope="module")
def small():
    torch.set_num_threads(1)
    return read(conllu(40), "small.conllu")


class TestData:
    def test_one_sentence_in_five_is_held_out_and_the_folder_gives_back_what_was_put_in(
        self, small, tmp_path
    ):
        assert (len(small.training), len(small.dev), small.tags) == (32, 8, ("DET", "NOUN"))
        training_config.write(tmp_path, QUICK, small)
        found, data = training_config.read(tmp_path)
        assert (found, data.training[0].words) == (QUICK, ("w0", "w1"))

    @pytest.mark.parametrize(
        ("content", "name", "reason"),
        [
            (b"", "x.conllu", "no sentence in it"),
            (b"\x00\xff\xfe", "x.conllu", "UTF-8"),
            (b"The old man the boat.\n", "x.conllu", "^line 1: .* reads like plain text"),
            (b"1\tParis\t\n\n", "x.iob2", "^line 1: column 3 is empty"),
            (conllu(5), "x.conllu", "at least 10 sentences"),
            (conllu(20, tags=("NOUN",)), "x.conllu", "nothing to learn"),
            (many_tags(10_000), "x.conllu", "200 different tags, got 10,000"),
            (conllu(20, words=300), "x.conllu", "blank line"),
            (b"x" * (tagged_files.MOST_BYTES + 1), "x.conllu", "“crf train”"),
        ],
    )
    def test_what_is_refused_and_why(self, content, name, reason):
        with pytest.raises(ProblemError, match=reason):
            read(content, name)


@pytest.mark.thorough
class TestQueue:
    def test_one_at_a_time_stopped_killed_gone_on_with_as_if_nothing_had_been(self, queue, small):
        many = TrainingConfig(size=8, epochs=30, rate=0.05)
        first, second = queue.start(many, small), queue.start(QUICK, small)
        assert (queue.before(first), queue.before(second)) == (0, 1)
        until(lambda: len(first.epochs) >= 2)
        assert second.state == WAITING
        queue.stop(first)
        until(lambda: not first.is_active)
        assert first.state == STOPPED
        assert Tagger.from_bytes(*(first.files[n] for n in FILES)).tags == ("DET", "NOUN")
        queue.go_on(first)  # behind the second
        assert queue.before(first) == 1
        until(lambda: first.process is not None)
        assert (second.state, second.share) == (DONE, 1.0)
        os.kill(first.process.pid, signal.SIGKILL)
        until(lambda: not first.is_active)
        assert (first.state, "signal 9" in first.message) == (FAILED, True)
        queue.go_on(first)
        until(lambda: first.state == DONE)
        whole = train(small.training, small.dev, many.settings(small.tags))
        assert [epoch.epoch for epoch in first.epochs] == list(range(1, 31))
        assert [e.loss for e in first.epochs] == [e.loss for e in whole.history]

    def test_too_many_wait(self, small):
        queue = Trainings(("-c", "import time; time.sleep(60)"))
        for _ in range(trainings.MOST_WAITING + 1):
            queue.start(QUICK, small)
        with pytest.raises(trainings.FullError, match="Try again"):
            queue.start(QUICK, small)
        queue.close()

    def test_a_full_disk_is_a_sentence_that_names_the_file(self, small, monkeypatch):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        queue = Trainings(("-c", "pass"))
        monkeypatch.setattr(trainings.training_config, "write", full)
        with pytest.raises(trainings.FullError, match=r"job\.json: No space left on device"):
            queue.start(QUICK, small)
        assert not queue.every
        queue.close()

    def test_an_error_is_said_and_the_next_begins(self, small):
        queue = Trainings(("-c", "raise SystemExit('no room')"))
        first, second = (queue.start(QUICK, small) for _ in range(2))
        until(lambda: second.state == FAILED)
        assert "no room" in first.message
        queue.close()


def test_a_training_runs_on_the_device_that_the_app_was_started_with(small, monkeypatch):
    asked = []
    monkeypatch.setattr(start_options, "_given", [start_options.StartOptions((), device="mps")])
    monkeypatch.setattr(trainings.subprocess, "Popen", lambda command, **how: asked.append(command))
    queue = Trainings()
    queue.start_process(trainings.Training("k", QUICK, Path("folder")), io.BytesIO())
    assert asked[0][1:] == [*trainings.TRAIN, "folder", "mps"]


def test_the_chart_shows_each_batch_s_own_loss_and_each_epoch_s_mean(
    tmp_path, small, capsys, monkeypatch
):
    """Four batches an epoch, of eight sentences each: their mean is the epoch's."""
    monkeypatch.setattr(training_process.signal, "signal", lambda *_: None)
    config = TrainingConfig(size=8, epochs=2, rate=0.05, batch=8)
    settings = config.settings(small.tags)

    def reported(most):
        monkeypatch.setattr(training_process, "MOST_BATCHES", most)
        reporter = training_process._Reporter(config.epochs)
        history = train(small.training, small.dev, settings, report=reporter).history
        training = trainings.Training("k", config, tmp_path)
        for line in capsys.readouterr().out.splitlines():
            training.hear(line)
        assert training.share == 1.0
        return history, training

    history, training = reported(1500)
    run = runs.of_training(training)
    places, losses = zip(*run.batches, strict=True)
    assert places == (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
    assert len(set(losses)) == 8
    means = [sum(losses[:4]) / 4, sum(losses[4:]) / 4]
    assert means == pytest.approx([mean for mean, _ in run.epochs], rel=1e-6)
    assert run.epochs == [(epoch.loss, epoch.accuracy) for epoch in history]
    _, fewer = reported(3)  # every third batch, and each of these its own loss still
    assert fewer.batches == training.batches[2::3]


def test_a_tagger_of_ones_own_from_the_page_to_the_lessons(monkeypatch):
    """An epoch on a small file; then it is looked into, used, and found again by the address."""
    monkeypatch.setattr(trainings.QUEUE, "command", AT_ONCE)
    chosen = {"words.data": "own", "words.epochs": 1, "words.size": 8}
    app = unfolded("tagger", "train", session=chosen, beat="train")
    upload(app, {"small.conllu": conllu(40)}, "words.file")
    app.button(key="words.train").click().run()
    assert not app.exception
    order = of_stage(app)["set"]
    assert order["beat"] == "train"
    key = order["with"].removeprefix("training_")
    training = trainings.QUEUE.get(key)
    assert (training.sentences, training.held_out) == (32, 8)
    until(lambda: not training.is_active)
    assert training.state == DONE
    app = unfolded("tagger", "train", beat="train", **{"with": order["with"]})
    assert "held-out sentences" in text_of(app)
    own = of_stage(app)["view"]["picture"]["now"]["run"]["own"]
    assert own.startswith(taggers.OWN)
    app = fresh("tagger", beat="good", tagger=own, sentence="w1 w2", **{"with": "tagger_own"}).run()
    assert of_stage(app)["view"]["picture"]["chosen"] == "own"
    assert (
        "cannot be read"
        in of_stage(opened("tagger", **{"with": "training_" + "0" * 16}))["view"]["message"]
    )


@pytest.mark.parametrize(("batch", "optimiser"), [(0, "sgd"), (1, "adam")])
def test_plain_is_the_textbook_s_model(batch, optimiser):
    config = TrainingConfig("plain", size=16, rate=0.1, batch=batch, optimiser=optimiser)
    settings = config.settings("AB")
    assert (settings.sizes.affix_dim, settings.sizes.char_filters, settings.hints) == (0, 0, 0.0)
    assert settings.xavier
    assert not settings.schedule
    assert settings.optimiser == optimiser
    assert settings.batch_size == (batch or 10**6)


@pytest.mark.parametrize(
    ("content", "label", "tags"),
    [
        ("TOKEN\tNE-COARSE\tNE-NESTED\nUlm\tB-LOC\tO\nis\tO\tO\n", "NE-COARSE", ("B-LOC", "O")),
        ("0 Ulm LOC_B\n1 is O\n", "3", ("B-LOC", "O")),
        ("1\tUlm\t_\t_\t_\t_\t_\t_\t_\tNER=B-LOC\n", "MISC:NER", ("B-LOC",)),
    ],
)
def test_an_upload_is_recognised_as_the_commands_do(content, label, tags):
    file = tagged_files.TaggedUpload.read(content.encode(), "x")
    assert (file.sentences[0].words[0], file.label, file.sentences[0].tags) == ("Ulm", label, tags)
    assert file.notes[0].startswith("read as ")
