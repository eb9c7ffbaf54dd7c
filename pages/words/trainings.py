"""The trainings of a server: one at a time, the others wait in turn.

    training = trainings.QUEUE.start(asked, data)    # FullError: too many wait
    trainings.QUEUE.get(training.key)                # in any session: the address has the key

Each runs in a process of its own (`training_process`), which yields to the readers' pages; a thread
reads what it says. Its folder holds the checkpoint and what came out, until too many newer ones
have come.
"""

import atexit
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from crf.strict_json import read_json
from pages.shared.contents import ROOT
from pages.shared.course import start_options
from pages.shared.figures.text import LessonText
from pages.words import training_config
from pages.words.training_config import Data, TrainingConfig

WAITING, RUNNING, DONE, STOPPED, LATE, FAILED = (
    "waiting", "running", "done", "stopped", "late", "failed",
)  # fmt: skip
MOST_WAITING, MOST_KEPT = 8, 24
MOST_LINE = 1 << 20  # bytes of what a training says at once
TRAIN = ("-m", "pages.words.training_process", "10")  # nice: a page weighs ten times as much


class FullError(RuntimeError):
    """Too many trainings wait already."""


class EpochFigures(NamedTuple):
    """Results of an epoch: mean loss in nats per sentence; shares from 0 to 1."""

    epoch: int
    loss: float
    accuracy: float
    span_f1: float | None = None


@dataclass
class Training:
    """One training and its progress."""

    key: str  # who has it may look, stop and go on
    asked: TrainingConfig  # what was asked for
    folder: Path  # where its files are
    state: str = WAITING  # `WAITING`, `RUNNING`, `DONE`, `STOPPED`, `LATE` or `FAILED`
    # of single batches: (epochs done then, as a fraction; the batch's loss in nats per sentence)
    batches: list[tuple[float, float]] = field(default_factory=list)
    epochs: list[EpochFigures] = field(default_factory=list)  # what each epoch gave
    share: float = 0.0  # how much of it is done, from 0 to 1
    # when its process was started (monotonic seconds), and the share then
    began: tuple[float, float] = (0.0, 0.0)
    message: str = ""  # why it failed
    process: subprocess.Popen[str] | None = None
    stopping: bool = False
    sentences: int = 0  # that it learns from
    held_out: int = 0  # that measure it

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WAITING, RUNNING)

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the tagger, once there is one."""
        return files(self.folder)

    def hear(self, line: str) -> str:
        """Take over the process's messages; return how the training ended, if it has."""
        said = read_json(line, MOST_LINE)
        if "end" in said:
            return said["end"]
        self.batches += map(tuple, said["batches"])
        self.share = said["at"] / self.asked.epochs
        if done := said["finished"]:
            self.epochs = [e for e in self.epochs if e.epoch < done["epoch"]]
            self.epochs.append(EpochFigures(**done))
        return ""


def files(folder: Path) -> dict[str, bytes]:
    """The files of the tagger in a training's folder, once there is one."""
    paths = sorted((folder / "tagger").glob("[!.]*"))  # with a dot: half written
    return {path.name: path.read_bytes() for path in paths}


class Trainings:
    """The queue of trainings, and the results of those that have ended."""

    def __init__(self, command: tuple[str, ...] = TRAIN) -> None:
        self.command = command  # what runs in the process, before the folder
        self.root = ""
        self.every: dict[str, Training] = {}  # by key, the oldest first
        self.queue: list[Training] = []  # the first one runs
        self.lock = threading.Lock()

    def get(self, key: str) -> Training | None:
        """The training of this key, if the server still has it."""
        return self.every.get(key)

    def before(self, training: Training) -> int:
        """The number of trainings that must end before this one begins."""
        with self.lock:
            return self.queue.index(training) if training in self.queue else 0

    def start(self, asked: TrainingConfig, data: Data) -> Training:
        """Begin, or wait in turn.

        Raises:
            FullError: Too many wait, or there is no room for the data.
        """
        with self.lock:
            self._make_room()
            if not self.root:
                self.root = tempfile.mkdtemp(prefix="crf-trainings-")
                atexit.register(self.close)
            key = secrets.token_hex(8)
            training = Training(
                key,
                asked,
                Path(self.root) / key,
                sentences=len(data.training),
                held_out=len(data.dev),
            )
            try:
                training.folder.mkdir()
                training_config.write(training.folder, asked, data)
            except OSError as error:
                where = f"{training.folder.name}/job.json"
                raise FullError(_line("no-room", where=where, why=str(error.strerror))) from None
            self.every[key] = training
            self._enqueue(training)
        return training

    def go_on(self, training: Training) -> None:
        """Resume a training that was stopped or has died.

        Raises:
            FullError: Too many wait.
        """
        with self.lock:
            if not training.is_active and training.state != DONE:
                self._make_room()
                self._enqueue(training)

    def stop(self, training: Training) -> None:
        """End it, with the best epoch so far."""
        with self.lock:
            if training in self.queue[1:]:
                self.queue.remove(training)
                training.state = STOPPED
            elif training.is_active:
                training.stopping = True
                if training.process is not None:
                    training.process.terminate()

    def close(self) -> None:
        """At the end of the server: no process and no file is left."""
        with self.lock:
            del self.queue[1:]
            for training in self.queue:
                if training.process:
                    training.process.kill()
        if self.root:
            shutil.rmtree(self.root, ignore_errors=True)

    def _make_room(self) -> None:
        if len(self.queue) > MOST_WAITING:
            raise FullError(_line("queue", n=MOST_WAITING))
        ended = [training for training in self.every.values() if not training.is_active]
        for training in ended[: max(len(self.every) - MOST_KEPT + 1, 0)]:
            del self.every[training.key]
            shutil.rmtree(training.folder, ignore_errors=True)

    def _enqueue(self, training: Training) -> None:
        training.state, training.message, training.stopping = WAITING, "", False
        done = len(training.epochs)
        training.batches = [point for point in training.batches if point[0] <= done]
        self.queue.append(training)
        if len(self.queue) == 1:
            self._begin()

    def _begin(self) -> None:
        threading.Thread(target=self._run, args=self.queue[:1], daemon=True).start()

    def _run(self, training: Training) -> None:
        """In a thread: start the process, read its messages, then start the next training."""
        training.began = (time.monotonic(), training.share)
        end, log = "", training.folder / "log"
        try:
            with log.open("wb") as errors, self.start_process(training, errors) as process:
                training.process, training.state = process, RUNNING
                if training.stopping:
                    process.terminate()
                assert process.stdout is not None
                for line in process.stdout:
                    end = training.hear(line)
                code = process.wait()
            if not end and training.stopping:  # it had not begun
                end = STOPPED
            training.message = "" if end else _why(code, log)
        except Exception as error:  # whatever it was, the next in turn must begin
            training.message = str(error)
        finally:
            with self.lock:
                training.process = None
                if end == DONE:
                    training.share = 1.0
                training.state = end if end in (DONE, STOPPED, LATE) else FAILED
                self.queue.remove(training)
                if self.queue:
                    self._begin()

    def start_process(self, training: Training, errors: IO[bytes]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *self.command, str(training.folder), start_options.given().device],
            cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip


def _why(code: int, log: Path) -> str:
    if code < 0:
        return _line("signal", signal=-code)
    last = log.read_text(errors="replace").strip().rpartition("\n")[2][:300]
    return _line("error", last=last)


def _line(name: str, **facts: int | str) -> str:
    return LessonText.of("words").line(f"training.{name}", **facts)


QUEUE = Trainings()
