"""Train one now: what is refused, one at a time, stopped, killed and gone on with; minibatches."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
import torch
from starlette.applications import Starlette

from crf.tagger import Tagger, train
from crf.tagger.training import StopTraining
from pages.shared.contents import ROOT
from pages.shared.course import start_options
from pages.shared.course.problem import ProblemError
from pages.shared.ui import taggers
from pages.shared.ui.server.connections import LECTURER
from pages.shared.ui.stage.view import state_of
from pages.words import pictures, runs, training
from pages.words.beats import BEATS
from pages.words.runs import DONE, FAILED, STOPPED, WAITING, Training, Trainings
from pages.words.training import TaggedUpload, TrainingConfig, bundled
from tests.apps import benched, fresh, of_stage, opened, text_of, upload
from tests.beats.test_every_beat import plain
from tests.ui.asgi import answer

ROW = "{k}\t{word}\t_\t{tag}\t_\t_\t0\t_\t_\t_\n"
AT_ONCE = (*runs.TRAIN[:-1], "0")  # beside other tests, the last in turn would wait for ever
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


def read(content: bytes, name: str) -> training.Data:
    return TaggedUpload.read(content, name).data()


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
        training.write_job(tmp_path, QUICK, small)
        config, data = training.read_job(tmp_path)
        assert (config, data.training[0].words) == (QUICK, ("w0", "w1"))

    @pytest.mark.parametrize(
        ("content", "name", "reason"),
        [
            (b"", "x.conllu", "no sentence in it"),
            (b"\x00\xff\xfe", "x.conllu", "UTF-8"),
            (b"The old man the boat.\n", "x.conllu", "^line 1: .* reads like plain text"),
            (b"1\tParis\t\n\n", "x.iob2", "no labels in it: every cell is empty"),
            (conllu(5), "x.conllu", "at least 10 sentences"),
            (conllu(20, tags=("NOUN",)), "x.conllu", "nothing to learn"),
            (many_tags(10_000), "x.conllu", "200 different tags, got 10,000"),
            (conllu(20, words=300), "x.conllu", "blank line"),
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
        assert second.state == DONE
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
        for _ in range(runs.MOST_WAITING + 1):
            queue.start(QUICK, small)
        with pytest.raises(runs.FullError, match="Try again"):
            queue.start(QUICK, small)
        assert queue.start(QUICK, small, LECTURER)
        queue.close()

    def test_a_full_disk_is_a_sentence_that_names_the_file(self, small, monkeypatch):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        queue = Trainings(("-c", "pass"))
        monkeypatch.setattr(runs, "write_job", full)
        with pytest.raises(runs.FullError, match=r"job\.json: No space left on device"):
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
    commands = []
    monkeypatch.setattr(start_options, "given", start_options.StartOptions(device="mps"))
    monkeypatch.setattr(runs.subprocess, "Popen", lambda command, **how: commands.append(command))
    Trainings().start_process(Training("k", QUICK, Path("folder")), io.BytesIO())
    assert commands[0][1:] == [*runs.TRAIN, "folder", "mps"]


def test_the_chart_shows_each_batch_s_own_loss_and_each_epoch_s_mean(
    tmp_path, small, capsys, monkeypatch
):
    """Four batches an epoch, of eight sentences each: their mean is the epoch's."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    config = TrainingConfig(size=8, epochs=2, rate=0.05, batch=8)
    settings = config.settings(small.tags)

    def reported(most):
        monkeypatch.setattr(training, "MOST_BATCHES", most)
        report = training.Reporter(config.epochs)
        history = train(small.training, small.dev, settings, report=report).history
        one = Training("k", config, tmp_path)
        for line in capsys.readouterr().out.splitlines():
            one.hear(line)
        return history, one

    history, one = reported(1500)
    run = runs.of_training(one)
    places, losses = zip(*run.batches, strict=True)
    assert places == (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
    assert len(set(losses)) == 8
    means = [sum(losses[:4]) / 4, sum(losses[4:]) / 4]
    assert means == pytest.approx([mean for mean, _ in run.epochs], rel=1e-6)
    assert run.epochs == [(epoch.loss, epoch.accuracy) for epoch in history]
    _, fewer = reported(3)  # every third batch, and each of these its own loss still
    assert fewer.batches == one.batches[2::3]


def test_a_tagger_of_ones_own_from_the_page_to_the_lessons(monkeypatch):
    """An epoch on a small file; then it is looked into, used, and found again by the address."""
    monkeypatch.setattr(runs.QUEUE, "command", AT_ONCE)
    chosen = {"words.data": "own", "words.epochs": 1, "words.size": 8}
    app = benched("tagger", "train", session=chosen, beat="train")
    upload(app, {"small.conllu": conllu(40)}, "words.file")
    app.button(key="words.train").click().run()
    assert not app.exception
    order = of_stage(app)["set"]
    assert order["beat"] == "train"
    key = order["with"].removeprefix("training_")
    one = runs.QUEUE.get(key)
    assert (one.sentences, one.held_out) == (32, 8)
    until(lambda: not one.is_active)
    assert one.state == DONE
    app = benched("tagger", "train", beat="train", **{"with": order["with"]})
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
    file = TaggedUpload.read(content.encode(), "x")
    assert (file.sentences[0].words[0], file.label, file.sentences[0].tags) == ("Ulm", label, tags)
    assert file.notes[0].startswith("read as ")


# ---------------------------------------------------------------------- minibatches, runs


def test_four_times_the_sentences_halve_the_miss_of_a_gradient_that_is_right_on_average():
    one, four, sixteen = (sum(pictures.distances(size)) for size in (1, 4, 16))
    assert one / four == pytest.approx(2, rel=0.3)
    assert four / sixteen == pytest.approx(2, rel=0.3)
    rows = torch.arange(pictures.SENTENCES).split(8)
    mean = torch.stack([pictures.gradient(part) for part in rows]).mean(0)
    torch.testing.assert_close(mean, pictures.whole(), atol=1e-5, rtol=1e-4)


def test_small_batches_get_further():
    ends = [pictures.losses(size)[-1][1] for size in pictures.SIZES]
    assert ends == sorted(ends)
    assert {pictures.losses(size)[0] for size in pictures.SIZES} == {pictures.losses(1)[0]}


def test_the_recorded_run_is_one_of_its_settings_and_its_means_are_those_of_its_dots():
    whole = runs.recorded(runs.RECORDED_STEPS[-1])
    data = bundled("pos")
    assert (whole.steps, whole.held_out) == (-(-len(data.training) // 16), len(data.dev))
    assert len(whole.batches) == whole.steps * whole.last
    for epoch, (mean, _) in enumerate(whole.epochs):
        losses = [loss for at, loss in whole.batches if epoch < at <= epoch + 1]
        assert sum(losses) / len(losses) == pytest.approx(mean, abs=2e-3)


@pytest.mark.thorough
def test_the_recorded_run_is_what_its_training_gives():
    data, losses = bundled("pos"), []

    def hear(progress):
        if progress.epoch > 1:
            raise StopTraining
        losses.append(progress.loss)

    train(data.training, data.dev, runs.USUAL.settings(data.tags, "english"), report=hear)
    first = [loss for at, loss in runs.recorded(2).batches if at <= 1]
    assert losses[: len(first)] == pytest.approx(first, rel=1e-2)


def test_the_server_has_its_routes_and_the_sample_before_torch_is_there():
    code = """
        import sys
        sys.modules["torch"] = None
        from pages.words import runs, training
        assert runs.routes() and training.bundled("pos").tags
    """
    subprocess.run([sys.executable, "-c", dedent(code)], cwd=ROOT, check=True)


APP = Starlette(routes=runs.routes())


def ask(body, kind="application/json"):
    headers = {"content-type": kind}
    status, _, reply = answer(APP, "/train", "POST", body=body, headers=headers)
    return status, json.loads(reply)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"encoder": "bilstm"}', "application/json", 400),
        (b'{"encoder": "x", "batch": "16", "rate": "0.01"}', "application/json", 400),
        (b'{"encoder": "local", "batch": 16, "rate": [1]}', "application/json", 400),
        (b'{"encoder": "local", "batch": "16", "rate": "0.01"}', "text/plain", 400),
        (b" " * 2000, "application/json", 413),
        (b'{"stop": "nothing"}', "application/json", 200),
    ],
)
def test_what_starts_no_training(body, kind, status):
    assert ask(body, kind)[0] == status
    assert not runs.QUEUE.queue


def test_a_training_is_started_followed_and_stopped(monkeypatch):
    """Its process sleeps; what it would say is said for it."""
    monkeypatch.setattr(runs.QUEUE, "command", ("-c", "import time; time.sleep(60)"))
    status, reply = ask(b'{"encoder": "plain", "batch": "64", "rate": "0.03"}')
    assert status == 200
    one = runs.QUEUE.get(reply["training"])
    assert (one.config.encoder, one.config.batch) == ("plain", 64)
    beat = next(beat for beat in BEATS if beat.name == "train")
    state, _ = state_of({"with": f"training_{one.key}"}, "words")
    assert beat.now(state)["run"]["state"] in ("waiting", "begins")
    one.hear('{"batches": [[0.5, 30.25]], "finished": null}')
    assert "/ 64 = 30.2" in plain(beat.now(state)["equation"])
    done = {"epoch": 1, "loss": 20.0, "accuracy": 0.5}
    one.hear(json.dumps({"batches": [[1.0, 9.75]], "finished": done}))
    run = beat.now(state)["run"]
    assert (run["batches"], run["epochs"]) == ([(0.5, 30.25), (1.0, 9.75)], [(20.0, 0.5)])
    assert ask(json.dumps({"stop": one.key}).encode())[0] == 200
    assert one.stopping or one.state == STOPPED
    until(lambda: not one.is_active)
    runs.QUEUE.every.pop(one.key)
