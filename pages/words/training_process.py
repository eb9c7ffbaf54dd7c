"""One training in a process of its own; its arguments are NICE, FOLDER and DEVICE.

It yields to the readers’ pages as far as NICE says (0 to 19), and says on standard output how it
goes, a JSON object a line. A checkpoint after each epoch: started again in the same folder, it goes
on. SIGTERM, the end of the server, and the time limit end it with the best epoch so far.
"""

import hashlib
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from crf.strict_json import write_json
from crf.tagger import evaluation, model_card, storage, training
from crf.tagger.model import Tagger
from pages.words import training_config

SECONDS = 15 * 60  # the time limit
BETWEEN = 0.25  # seconds between two reports, at least
MOST_BATCHES = 1500  # of a training whose losses are reported


class _Reporter:
    """Reports progress, and ends the training on request, after its time, or without a parent."""

    def __init__(self, epochs: int) -> None:
        self.stop, self.limit = "", time.monotonic() + SECONDS
        self.parent, self.last, self.epochs = os.getppid(), 0.0, epochs
        self.batches: list[tuple[float, float]] = []  # since the last report
        signal.signal(signal.SIGTERM, self.asked)

    def asked(self, signum: int, frame: FrameType | None) -> None:
        self.stop = "stopped"

    def __call__(self, progress: training.Progress) -> None:
        now, done = time.monotonic(), progress.finished
        before, every = progress.epoch - 1, -(-self.epochs * progress.steps // MOST_BATCHES)
        number = before * progress.steps + progress.step
        if done is None and number % every == 0:  # the same ones if it goes on after a stop
            self.batches.append((before + progress.step / progress.steps, progress.loss))
        if done or now - self.last >= BETWEEN:
            self.last = now
            at = before + progress.step / progress.steps
            say({"at": at, "batches": self.batches, "finished": done and done._asdict()})
            self.batches = []
        if now > self.limit:
            self.stop = "late"
        if self.stop or os.getppid() != self.parent:
            raise training.StopTraining


def say(what: dict[str, Any]) -> None:
    print(write_json(what), flush=True)


def main(nice: int, folder: Path, device: str) -> None:
    if hasattr(os, "nice"):
        os.nice(nice)
    if nice and hasattr(os, "SCHED_IDLE"):  # Linux: any other process goes first
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    torch.set_num_threads(1)
    asked, data = training_config.read(folder)
    reporter = _Reporter(asked.epochs)
    tokeniser = "english" if data.name == training_config.BUNDLED else "unicode"
    settings = asked.settings(data.tags, tokeniser)
    tagger, history = training.train(
        data.training, data.dev, settings, checkpoint=folder / "checkpoint.safetensors",
        report=reporter, device=device,
    )  # fmt: skip
    if history:
        out = folder / "tagger"
        tagger.save(out)
        figures = model_card.metrics(
            evaluation.test(Tagger.load(out), data.dev),
            hashlib.sha256((out / storage.WEIGHTS_NAME).read_bytes()).hexdigest(),
            history,
            {"data": data.name, "settings": asdict(settings), "torch": torch.__version__},
        )
        text = write_json(figures, indent=1)
        storage.write_atomically(out / model_card.METRICS_NAME, text.encode())
        storage.write_atomically(out / model_card.LOG_NAME, model_card.log(figures).encode())
    say({"end": reporter.stop or "done", "epochs": len(history)})


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
