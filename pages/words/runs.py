"""A training as it is drawn: one that was recorded, or one of this server; how to start one.

    POST /train  {"encoder": "bilstm", "batch": "16", "rate": "0.01"}  →  {"training": KEY}
    POST /train  {"stop": KEY}                                         →  {}

What is refused has a status and {"message"}: 400 not a request, 503 too many wait. The stage asks
the beat *train* how it goes, as it asks for any picture.
"""

from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from crf.strict_json import JsonError, read_json
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.ui import taggers
from pages.shared.ui.server_path import root
from pages.words import training_config, trainings
from pages.words.training_config import TrainingConfig
from pages.words.trainings import QUEUE, FullError, Training

ENCODERS, BATCHES, RATES = (
    ("bilstm", "local", "plain"), ("1", "4", "16", "64", "0"), ("0.001", "0.003", "0.01", "0.03"),
)  # fmt: skip
ASKED = TrainingConfig("bilstm", "crf", size=32, epochs=8, rate=0.01, batch=16)
_RECORDED = Path(__file__).with_name("recorded.json")  # what a training of `ASKED` gave
PART = 0.72  # of an epoch that is drawn while it is under way
RECORDED_STEPS = range(1, ASKED.epochs + 2)  # the epoch under way; the last: all are done
OPENS = 6
MOST_BYTES = 1000


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
    return read_json(_RECORDED.read_bytes(), 1 << 20)


def recorded(step: int) -> TrainingRun:
    """The recorded run while its epoch `step` is under way; after the last epoch, all of it."""
    record, done = _record(), step - 1
    until = done + PART if step <= ASKED.epochs else ASKED.epochs
    batches = [(at, loss) for at, loss in record["batches"] if at <= until]
    steps = -(-record["sentences"] // ASKED.batch)
    epochs = [(loss, right) for loss, right in record["epochs"][:done]]
    return TrainingRun("recorded", batches, epochs, ASKED.epochs, steps, ASKED.batch, record["dev"])


def of_training(training: Training) -> TrainingRun:
    """The run of a training on this server."""
    asked, epochs = training.asked, training.epochs
    batch = asked.batch or max(training.sentences, 1)
    names = bool(epochs) and epochs[-1].span_f1 is not None
    begins = training.state == trainings.RUNNING and not training.batches
    return TrainingRun(
        "begins" if begins else training.state,
        list(training.batches),
        [(e.loss, e.accuracy if e.span_f1 is None else e.span_f1) for e in epochs],
        asked.epochs,
        -(-training.sentences // batch),
        batch,
        training.held_out,
        names,
        QUEUE.before(training),
        training.key,
        "" if training.is_active else kept(training.folder, training.asked.name, len(epochs)),
        training.message,
    )


@lru_cache(maxsize=32)
def kept(folder: Path, name: str, _epochs: int) -> str:
    """The key of the trained tagger, which any session with this key can use; "" without one."""
    if not (files := trainings.files(folder)):
        return ""
    try:
        _, data = training_config.read(folder)
        return taggers.keep_files(files, name, (data.training, data.dev))[-1]
    except ModelRefusedError:
        return ""


# ---------------------------------------------------------------------- start and stop


def address() -> str:
    """The address at which a training is started."""
    return f"{root()}train"


def routes() -> list[BaseRoute]:
    """The part of the server that starts and stops trainings."""

    async def answer(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return JSONResponse({"message": "too large"}, 413)
        try:
            asked = read_json(body, MOST_BYTES)
        except JsonError:
            asked = None
        is_json = request.headers.get("content-type") == "application/json"  # no other site's form
        if not is_json or not isinstance(asked, dict):
            return JSONResponse({"message": "expected JSON"}, 400)
        if isinstance(key := asked.get("stop"), str):
            if training := QUEUE.get(key):
                QUEUE.stop(training)
            return JSONResponse({})
        if not _is_config(asked):
            return JSONResponse({"message": "expected encoder, batch and rate"}, 400)
        chosen = {"batch": int(asked["batch"]), "rate": float(asked["rate"])}
        config = replace(ASKED, encoder=asked["encoder"], **chosen)
        try:
            training = QUEUE.start(config, training_config.bundled("pos"))
        except FullError as error:
            return JSONResponse({"message": str(error)}, 503)
        return JSONResponse({"training": training.key})

    return [Route(address(), answer, methods=["POST"])]


def _is_config(asked: dict[str, Any]) -> bool:
    options = {"encoder": ENCODERS, "batch": BATCHES, "rate": RATES}
    return all(asked.get(name) in names for name, names in options.items())
