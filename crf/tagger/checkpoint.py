"""The checkpoint of a training run: one safetensors file, replaced atomically.

The tensors are `model/…`, `hints/…`, `average/…`, `best/…` (the weights of the last step, those of
its auxiliary classifiers, the moving average, the best epoch's average),
`adam/<parameter>/<quantity>` and `rng`; history and fingerprint are JSON in the file's metadata.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from .dataset import TaggingDataset
from .storage import write_atomically

PARTS = ("model", "hints", "average", "best")


class CheckpointError(ValueError):
    """The checkpoint is damaged or belongs to another run; the message says what to do."""


class Snapshot(NamedTuple):
    """A training run between two epochs."""

    model: dict[str, Tensor]
    hints: dict[str, Tensor]
    average: dict[str, Tensor]
    best: dict[str, Tensor]
    optimiser: dict[int, dict[str, Tensor]]  # adam's moments and step, by the parameter's number
    rng: Tensor
    """torch's generator, from which dropout and the next epochs' data order will be drawn."""
    history: list[list[float | None]]  # the figures of each epoch done


def fingerprint(settings: Mapping[str, Any], training: TaggingDataset, dev: TaggingDataset) -> str:
    """SHA-256 of what determines a run, so that no run goes on from another one's checkpoint."""
    content = [dict(settings), training.sentences, dev.sentences]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def write(path: Path, run: str, snapshot: Snapshot) -> None:
    """Write or replace the checkpoint of the run with this fingerprint."""
    tensors = {"rng": snapshot.rng}
    for part in PARTS:
        for name, tensor in getattr(snapshot, part).items():
            tensors[f"{part}/{name}"] = tensor.contiguous()
    for number, quantities in snapshot.optimiser.items():
        for name, tensor in quantities.items():
            tensors[f"adam/{number}/{name}"] = tensor
    metadata = {"run": run, "history": json.dumps(snapshot.history)}
    write_atomically(path, safetensors.torch.save(tensors, metadata))


def read(path: Path, run: str) -> Snapshot:
    """The snapshot in the file.

    Raises:
        CheckpointError: It is no checkpoint, or not of the run with this fingerprint.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{path}: not a checkpoint ({error}); delete it to start over"
        ) from error
    if metadata.get("run") != run:
        raise CheckpointError(
            f"{path}: the checkpoint of a run with other data or settings; delete it to start "
            "over, or repeat that run's command to finish it"
        )
    parts: dict[str, dict[str, Tensor]] = {part: {} for part in PARTS}
    optimiser: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        part, _, rest = name.partition("/")
        if part in parts:
            parts[part][rest] = tensor
        elif part == "adam":
            number, quantity = rest.split("/")
            optimiser.setdefault(int(number), {})[quantity] = tensor
    return Snapshot(
        **parts, optimiser=optimiser, rng=tensors["rng"], history=json.loads(metadata["history"])
    )
