"""The lesson's controls: what each may be; and the words that stand inside its pictures."""

import re
from collections.abc import Sequence
from pathlib import Path

from pages.learning import input_model
from pages.learning.corpus import PRESETS, parse, preset_text
from pages.learning.training import OPTIMISERS, STARTS
from pages.shared.course.state import StatePart
from pages.shared.course.typed_numbers import parse_finite
from pages.shared.figures.beat_text import BeatText

TEXT = Path(__file__).with_name("beats.md")

_PLACE = re.compile(r"[etszwTxWPS](\.[0-9]{1,3}){1,3}")


def one_of(*names: str) -> StatePart:
    """One of some names; the first is the usual one."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return StatePart(names[0], read)


def number(usual: float, low: float, high: float) -> StatePart:
    """A number within bounds."""

    def read(text: str) -> float:
        value = parse_finite(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return StatePart(usual, read)


def place(usual: str = "") -> StatePart:
    """A score or a weight: its table's letter and its index, "t.2.3"; "": the usual one."""

    def read(text: str) -> tuple[str, tuple[int, ...]]:
        if not _PLACE.fullmatch(text):
            raise ValueError
        letter, *index = text.split(".")
        return letter, tuple(map(int, index))

    return StatePart(read(usual) if usual else None, read)


def _path(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})*", text):
        raise ValueError
    return tuple(map(int, text.split(".")))


def _corpus(text: str) -> str:
    if text not in PRESETS:
        parse(text)
    return text


def _inputs(text: str) -> str:
    input_model.read(text)
    return text


SENTENCE = {"right": StatePart((), _path), "score": place(), "rate": number(0.5, 0.0, 100.0)}
CORPUS = {
    "corpus": StatePart(PRESETS[0], _corpus),  # a preset's name, or a text of one's own
    "weight": place("w.1.1"),
    "method": one_of(*OPTIMISERS),
    "eta": number(0.5, 0.0, 100.0),
    "penalty": number(0.0, 0.0, 100.0),
    "start": one_of(*STARTS),
}
GRADIENT = {
    "right": SENTENCE["right"],
    "model": one_of("screen", "pairs", *input_model.PRESETS),
    "entry": place(),
    "of": one_of("log", "psi"),
    "code": one_of("A", "B", "C"),
    "inputs": StatePart("", _inputs),
}


def fits(path: Sequence[int], tokens: int, tags: int) -> bool:
    """Whether a path has a tag for each token."""
    return len(path) == tokens and all(s < tags for s in path)


def corpus_text(chosen: str) -> str:
    """The corpus of a control as it is typed."""
    return preset_text(chosen) if chosen in PRESETS else chosen


def words(*names: str) -> dict[str, str]:
    """Words inside a picture, passages of beats.md; what has holes is filled where it is drawn."""
    text = BeatText.load(TEXT)
    return {name: text.passage(name, {}).body for name in names}
