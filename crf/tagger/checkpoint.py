"""The checkpoint of a training run: one safetensors file, replaced atomically.

The tensors are `model/…`, `hints/…`, `average/…`, `best/…` (the weights of the last step, those of
its auxiliary classifiers, the moving average, the best epoch's average),
`adam/<parameter>/<quantity>` and `rng`; history and fingerprint are JSON in the file's metadata.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from ..strict_json import read_json, write_json
from .reading import TaggingDataset
from .storage import write_atomically

MOST_HISTORY = 16 << 20  # bytes


class CheckpointError(ValueError):
    """The checkpoint is damaged or belongs to another run; the message says what to do."""


class Snapshot(NamedTuple):
    """A training run between two epochs."""

    tensors: Mapping[str, Tensor]
    history: list[list[float | None]]  # the figures of each epoch done


def fingerprint(settings: Mapping[str, Any], training: TaggingDataset, dev: TaggingDataset) -> str:
    """SHA-256 of what determines a run, so that no run goes on from another one's checkpoint."""
    content = [dict(settings), training, dev]
    return hashlib.sha256(write_json(content).encode()).hexdigest()


def write(path: Path, run: str, snapshot: Snapshot) -> None:
    """Write or replace the checkpoint of the run with this fingerprint."""
    tensors = {name: tensor.contiguous() for name, tensor in snapshot.tensors.items()}
    metadata = {"run": run, "history": write_json(snapshot.history)}
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
    history = read_json(metadata["history"], MOST_HISTORY)
    return Snapshot(tensors, [[x and float(x) for x in epoch] for epoch in history])
