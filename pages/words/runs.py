"""The trainings of a server: one at a time, the others wait in turn; and a run as it is drawn.

    POST /train  {"encoder": "bilstm", "batch": "16", "rate": "0.01"}  →  {"training": KEY}
    POST /train  {"stop": KEY}                                         →  {}

What is refused has a status and {"message"}: 400 not a request, 503 too many wait. In a class, a
phone has one training at a time, and there is always room for the lecturer's. The stage asks
the beat *train* how it goes, as it asks for any picture; the address has the key, in any session.

Each training runs in a process of its own (`pages.words.training`), which yields to the readers'
pages; a thread reads its messages. Its folder holds the checkpoint and what came out, until too
many newer ones have come. The picture draws a recorded run where there is no training.
"""

import atexit
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from crf.strict_json import JsonError, read_json
from pages.shared.contents import ROOT
from pages.shared.course import start_options
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.figures.text import LessonText
from pages.shared.ui import preload, taggers
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server.connections import Visitor
from pages.shared.ui.server.shares import Shares
from pages.shared.ui.server_path import root
from pages.words.training import Data, TrainingConfig, bundled, read_job, write_job

if TYPE_CHECKING:
    from crf.tagger.training import Epoch

WAITING, RUNNING, DONE, STOPPED, LATE, FAILED = (
    "waiting",
    "running",
    "done",
    "stopped",
    "late",
    "failed",
)
MOST_WAITING, MOST_KEPT = 8, 24
MOST_LINE = 1 << 20  # bytes of one message of a training
TRAIN = ("-m", "pages.words.training", "10")  # nice: a page weighs ten times as much


class FullError(RuntimeError):
    """Too many trainings wait already."""


@dataclass(eq=False)
class Training:
    """One training and its progress."""

    key: str  # who has it may look, stop and go on
    config: TrainingConfig
    folder: Path  # where its files are
    sentences: int = 0  # that it learns from
    held_out: int = 0  # that measure it
    state: str = WAITING  # `WAITING`, `RUNNING`, `DONE`, `STOPPED`, `LATE` or `FAILED`
    # of single batches: (epochs done then, as a fraction; the batch's loss in nats per sentence)
    batches: list[tuple[float, float]] = field(default_factory=list)
    epochs: "list[Epoch]" = field(default_factory=list)  # what each epoch gave
    message: str = ""  # why it failed
    process: subprocess.Popen[str] | None = None
    stopping: bool = False
    who: str = ""  # a phone's name, `LECTURER`, or "" for anybody else

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WAITING, RUNNING)

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the tagger, once there is one."""
        paths = sorted((self.folder / "tagger").glob("[!.]*"))  # with a dot: half written
        return {path.name: path.read_bytes() for path in paths}

    def hear(self, line: str) -> str:
        """Take over the process's message; return how the training ended, if it has."""
        message = read_json(line, MOST_LINE)
        if "end" in message:
            return message["end"]
        self.batches += map(tuple, message["batches"])
        if epoch := message["finished"]:
            from crf.tagger.training import Epoch  # now, because the server starts without torch

            self.epochs = [e for e in self.epochs if e.epoch < epoch["epoch"]]
            self.epochs.append(Epoch(**epoch))
        return ""


class Trainings:
    """The queue of trainings, and the results of those that have ended."""

    def __init__(self, command: tuple[str, ...] = TRAIN) -> None:
        self.command = command  # what runs in the process, before the folder
        self.shares = Shares(MOST_WAITING + 1)  # of the queue
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

    def start(self, config: TrainingConfig, data: Data, who: str = "") -> Training:
        """Begin, or wait in turn.

        Raises:
            FullError: Too many wait, or there is no room for the data.
        """
        with self.lock:
            self._make_room(who)
            if not self.root:
                self.root = tempfile.mkdtemp(prefix="crf-trainings-")
                atexit.register(self.close)
            key, sizes = secrets.token_hex(8), (len(data.training), len(data.dev))
            training = Training(key, config, Path(self.root) / key, *sizes, who=who)
            try:
                training.folder.mkdir()
                write_job(training.folder, config, data)
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
                self._make_room(training.who)
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

    def _make_room(self, who: str) -> None:
        waiting = Counter(training.who for training in self.queue)
        if not self.shares.is_free(who, waiting):
            raise FullError(_line("queue", n=MOST_WAITING))
        ended = [training for training in self.every.values() if not training.is_active]
        for training in ended[: max(len(self.every) - MOST_KEPT + 1, 0)]:
            del self.every[training.key]
            shutil.rmtree(training.folder, ignore_errors=True)

    def _enqueue(self, training: Training) -> None:
        training.state, training.message, training.stopping = WAITING, "", False
        until = len(training.epochs)
        training.batches = [point for point in training.batches if point[0] <= until]
        self.queue.append(training)
        if len(self.queue) == 1:
            self._begin()

    def _begin(self) -> None:
        threading.Thread(target=self._run, args=self.queue[:1], daemon=True).start()

    def _run(self, training: Training) -> None:
        """In a thread: start the process, read its messages, then start the next training."""
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
                training.state = end if end in (DONE, STOPPED, LATE) else FAILED
                self.queue.remove(training)
                if self.queue:
                    self._begin()

    def start_process(self, training: Training, errors: IO[bytes]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *self.command, str(training.folder), start_options.given.device],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )


def _why(code: int, log: Path) -> str:
    if code < 0:
        return _line("signal", signal=-code)
    last = log.read_text(errors="replace").strip().rpartition("\n")[2][:300]
    return _line("error", last=last)


def _line(name: str, **facts: int | str) -> str:
    return LessonText.of("words").line(f"training.{name}", **facts)


QUEUE = Trainings()

# ---------------------------------------------------------------------- as it is drawn

ENCODERS, BATCHES, RATES = (
    ("bilstm", "local", "plain"),
    ("1", "4", "16", "64", "0"),
    ("0.001", "0.003", "0.01", "0.03"),
)
USUAL = TrainingConfig("bilstm", "crf", size=32, epochs=8, rate=0.01, batch=16)
PART = 0.72  # of an epoch that is drawn while it is under way
RECORDED_STEPS = range(1, USUAL.epochs + 2)  # the epoch under way; the last: all are done
OPENS = 6


class TrainingRun(NamedTuple):
    """A training as far as it has come; losses in nats per sentence, shares from 0 to 1."""

    state: str  # "recorded", "begins", or as `Training.state`
    batches: list[tuple[float, float]]  # (epochs done then, as a fraction; the batch's own loss)
    epochs: list[tuple[float, float]]  # (mean loss; share of the held-out words that is right)
    last: int  # epochs in all
    steps: int  # batches of an epoch
    batch: int  # sentences of a batch
    held_out: int  # sentences that measure it
    names: bool = False  # shares are the F1 of names
    before: int = 0  # trainings that come first
    key: str = ""
    own: str = ""  # the key of the tagger that came out
    why: str = ""  # it failed


@cache
def _record() -> dict[str, Any]:
    """The recorded run: a training of `USUAL`."""
    return read_json(Path(__file__).with_name("recorded.json").read_bytes(), 1 << 20)


def recorded(step: int) -> TrainingRun:
    """The recorded run while its epoch `step` is under way; after the last epoch, all of it."""
    record, before = _record(), step - 1
    until = before + PART if step <= USUAL.epochs else USUAL.epochs
    batches = [(at, loss) for at, loss in record["batches"] if at <= until]
    steps = -(-record["sentences"] // USUAL.batch)
    epochs = [(loss, right) for loss, right in record["epochs"][:before]]
    return TrainingRun("recorded", batches, epochs, USUAL.epochs, steps, USUAL.batch, record["dev"])


def of_training(training: Training) -> TrainingRun:
    """The run of a training on this server."""
    epochs, batch = training.epochs, training.config.batch or max(training.sentences, 1)
    begins = training.state == RUNNING and not training.batches
    return TrainingRun(
        "begins" if begins else training.state,
        list(training.batches),
        [(epoch.loss, epoch.score) for epoch in epochs],
        training.config.epochs,
        -(-training.sentences // batch),
        batch,
        training.held_out,
        bool(epochs) and epochs[-1].span_f1 is not None,
        QUEUE.before(training),
        training.key,
        "" if training.is_active else _own(training, len(epochs)),
        training.message,
    )


@lru_cache(maxsize=32)
def _own(training: Training, _epochs: int) -> str:
    """The key of the trained tagger, which any session with this key can use; "" without one."""
    if not (files := training.files):
        return ""
    try:
        _, data = read_job(training.folder)
        name = training.config.name
        return taggers.keep_files(files, name, (data.training, data.dev))[-1]
    except ModelRefusedError:
        return ""


# ---------------------------------------------------------------------- start and stop

MOST_BYTES = 1000  # of a request


def address() -> str:
    """The address at which a training is started."""
    return f"{root()}train"


def routes(visitor: Visitor | None = None) -> list[BaseRoute]:
    """The server's route for trainings; `visitor` says who asks, in a class."""
    QUEUE.shares = Shares(MOST_WAITING + 1, visitor)
    return [Route(address(), _answer, methods=["POST"])]


async def _answer(request: Request) -> Response:
    await preload.imported()
    try:
        body = await body_of(request, MOST_BYTES)
    except TooLargeError:
        return JSONResponse({"message": "too large"}, 413)
    try:
        order = read_json(body, MOST_BYTES)
    except JsonError:
        order = None
    is_json = request.headers.get("content-type") == "application/json"  # no other site's form
    if not is_json or not isinstance(order, dict):
        return JSONResponse({"message": "expected JSON"}, 400)
    if isinstance(key := order.get("stop"), str):
        if training := QUEUE.get(key):
            QUEUE.stop(training)
        return JSONResponse({})
    options = {"encoder": ENCODERS, "batch": BATCHES, "rate": RATES}
    if not all(order.get(name) in names for name, names in options.items()):
        return JSONResponse({"message": "expected encoder, batch and rate"}, 400)
    batch, rate = int(order["batch"]), float(order["rate"])
    config = replace(USUAL, encoder=order["encoder"], batch=batch, rate=rate)
    who = QUEUE.shares.who(request)
    try:
        return JSONResponse({"training": QUEUE.start(config, bundled("pos"), who).key})
    except FullError as error:
        return JSONResponse({"message": str(error)}, 503)
