"""Choose the device of a network, a CPU or a GPU, by name."""

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
    if name not in NAMES:
        raise ValueError(f"--device: expected one of {', '.join(NAMES)}, got {name[:40]!r}")
    has_cuda = name in ("auto", "cuda") and torch.cuda.is_available()
    if name == "auto":
        name = "cuda" if has_cuda else "cpu"
    if name == "cuda" and not has_cuda:
        raise ValueError("--device: torch finds no CUDA GPU here; use --device cpu")
    if name == "mps" and not torch.backends.mps.is_available():
        raise ValueError("--device: torch finds no Apple GPU (mps) here; use --device cpu")
    return torch.device(name)
