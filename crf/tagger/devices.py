"""Where a network computes: on the CPU or on a GPU, chosen by name."""

import torch

NAMES = ("auto", "cpu", "cuda", "mps")


def device_of(name: str) -> torch.device:
    """The device that a name of `NAMES` stands for; auto: a CUDA GPU if there is one, else the CPU.

    Raises:
        ValueError: There is no such device here.

    Example:
        >>> device_of("cpu")
        device(type='cpu')
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    there = {
        "cpu": lambda: True,
        "cuda": torch.cuda.is_available,
        "mps": torch.backends.mps.is_available,
    }
    if name not in there:
        raise ValueError(f"--device: expected one of {', '.join(NAMES)}, got {name[:40]!r}")
    if not there[name]():
        kind = {"cuda": "CUDA GPU", "mps": "Apple GPU (mps)"}[name]
        raise ValueError(f"--device: torch finds no {kind} here; use --device cpu")
    return torch.device(name)
