"""A coin: the data of the smallest figure."""

from pathlib import Path
from typing import Any

from crf.figures.words import words


def payload(p: float) -> dict[str, Any]:
    """What the figure draws."""
    return {"p": p, "words": words(Path(__file__).parent)}
