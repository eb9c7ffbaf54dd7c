"""Colours, in one place.

Signed scores: blue (#0072B2) below 0, orange (#D55E00) above, laid over the page's background, so
that they work in light and dark. Probabilities: cividis from 0 to 1. Tags: a hue each. Never colour
alone: the number or the tag is there.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..schemes import split
from .words import fill, words

NEGATIVE, POSITIVE = (0, 114, 178), (213, 94, 0)
_CIVIDIS = "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838"  # equal steps
_FAINT = "#9fb3d1"  # on the darkest of cividis
_STRONGEST = 0.6  # more opaque, and the text on it falls under a contrast of 4.5

# Related universal POS tags have related hues. White letters on each have a contrast of 4.5, and it
# has 3 with either background; the label tells more.
_OTHER = (111, 118, 126)
_TAG_COLOURS = {
    "NOUN": (0, 114, 178), "PROPN": (74, 110, 220), "VERB": (193, 85, 0), "AUX": (196, 66, 60),
    "ADJ": (0, 134, 98), "ADV": (88, 129, 28), "DET": (159, 90, 179), "PRON": (195, 70, 146),
    "ADP": (152, 111, 0), "PART": (161, 105, 60), "CCONJ": (136, 116, 48), "SCONJ": (136, 116, 48),
    "NUM": (37, 129, 140),
    "PER": (0, 134, 98), "LOC": (193, 85, 0), "ORG": (0, 114, 178), "MISC": (159, 90, 179),
}  # fmt: skip
_IN_TURN = ("VERB", "NOUN", "ADJ", "DET", "ADP", "PRON", "NUM", "AUX")  # for tags of other kinds
_FOLDER = Path(__file__).parent


def tag_meaning(tag: str) -> str:
    """Return the meaning of a POS tag or an entity's label in a few words; "" for other tags.

    >>> tag_meaning("ADV"), tag_meaning("I-PER"), tag_meaning("O"), tag_meaning("H")
    ('adverb', 'continues a person’s name', 'outside of names', '')
    """
    texts, label = words(_FOLDER), _label(tag)
    if (name := texts.get(f"name.{label}")) and label != tag:
        return fill(texts[f"part.{split(tag).role}"], name=name)
    return texts.get(f"meaning.{tag}", "")


def tag_colours(tags: Sequence[str]) -> dict[str, str]:
    """Return each tag's hue as "r, g, b" for CSS.

    Parts of speech and kinds of names have fixed hues; other tags get those of `_IN_TURN`, in
    order. The labels of one type of span share a hue, and O is grey.

    >>> colours = tag_colours(["O", "B-PER", "I-PER", "B-LOC"])
    >>> colours["B-PER"] == colours["I-PER"] != colours["B-LOC"]
    True
    """
    own = {tag: _own_hue(tag) for tag in tags}
    hues = [_TAG_COLOURS[tag] for tag in _IN_TURN]
    free = [hue for hue in hues if hue not in own.values()] or hues
    labels = dict.fromkeys(_label(tag) for tag in tags if own[tag] is None)
    place = {label: free[k % len(free)] for k, label in enumerate(labels)}
    return {tag: ", ".join(map(str, own[tag] or place[_label(tag)])) for tag in tags}


@cache
def _own_hue(tag: str) -> tuple[int, int, int] | None:
    """The hue that a tag has wherever it occurs; None if it has none."""
    return (
        _OTHER
        if tag == "O"
        else _TAG_COLOURS.get(
            _label(tag), _OTHER if f"meaning.{tag}" in words(_FOLDER, "en") else None
        )
    )


def _label(tag: str) -> str:
    """The type in a label of a span, of any scheme; any other tag itself."""
    return split(tag).kind or tag


def score_background(value: float, largest: float) -> str:
    """CSS colour of a signed score: opacity |value| / largest; transparent at 0."""
    red, green, blue = POSITIVE if value > 0 else NEGATIVE
    share = min(abs(value) / largest, 1.0) if largest > 0 else 0.0
    return f"rgba({red},{green},{blue},{_STRONGEST * share:.2f})"


@cache
def _cividis() -> tuple[tuple[str, str], ...]:
    """101 pairs (background, text) for the probabilities 0, 0.01 … 1."""
    stops = [tuple(bytes.fromhex(colour)) for colour in _CIVIDIS.split()]
    pairs = []
    for i in range(101):
        k = min(i * 9 // 100, 8)
        share = (i / 100 - k / 9) / ((k + 1) / 9 - k / 9)
        ends = zip(stops[k], stops[k + 1], strict=True)
        red, green, blue = (round(a + share * (b - a)) for a, b in ends)
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 117
        pairs.append((f"#{red:02x}{green:02x}{blue:02x}", "#000" if light else "#fff"))
    return tuple(pairs)


def probability_colours(p: float) -> tuple[str, str]:
    """CSS colours (background, text) of a probability: cividis, from 0 to 1; the least recede."""
    background, text = _cividis()[round(100 * min(max(p, 0.0), 1.0))]
    return background, (_FAINT if p < 0.005 else text)
