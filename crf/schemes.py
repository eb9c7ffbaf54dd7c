"""Label schemes: how the labels of tokens say where a span begins and ends.

    tokens   Ada    Lovelace  met  Babbage  Menabrea
    IO       I-PER  I-PER     O    I-PER    I-PER      neighbours of one type melt into one
    IOB1     I-PER  I-PER     O    I-PER    B-PER      B- only right after a span of its type
    BIO      B-PER  I-PER     O    B-PER    B-PER      also called IOB2
    BIOES    B-PER  E-PER     O    S-PER    S-PER      E- ends, S- is a span of one token
    BILOU    B-PER  L-PER     O    U-PER    U-PER      the same with other letters
    BMES     B      E         S    S        S          M inside; usual for word segmentation

The letters mean the same in every scheme, so one rule reads spans from all of them, also from
labels that break the scheme: the rule of CoNLL's `conlleval`, by which published figures are
computed (seqeval has it too). Labels without a letter (`PER`, `O`) are read as IO.

Sources: Ramshaw and Marcus (1995), "Text chunking using transformation-based learning"; Tjong Kim
Sang and De Meulder (2003), "Introduction to the CoNLL-2003 shared task"; Ratinov and Roth (2009),
"Design challenges and misconceptions in named entity recognition".
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

SCHEMES = ("IO", "IOB1", "BIO", "BIOES", "BILOU", "BMES")
OUTSIDE = "O"

_ROLES = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S"}


class Label(NamedTuple):
    """A label taken apart."""

    role: str
    """B begin, I inside, E end, S single, O outside: the same letters for every scheme."""
    kind: str
    """PER, LOC, …; "" for a bare letter."""


@lru_cache(maxsize=4096)
def split(label: str) -> Label:
    """Take a label apart.

    Example:
        >>> split("U-PER"), split("B"), split("PER")
        (Label(role='S', kind='PER'), Label(role='B', kind=''), Label(role='I', kind='PER'))
    """
    if label == OUTSIDE:
        return Label("O", "")
    letter, hyphen, kind = label.partition("-")
    role = _ROLES.get(letter)
    if role and bool(hyphen) == bool(kind):
        return Label(role, kind)
    return Label("I", label)


def scheme_of_tags(tags: Iterable[str]) -> str | None:
    """Return the scheme of a label set alone, or None if it has labels of no scheme.

    IOB1 cannot be told from BIO by the set; bare types (`PER`) cannot be told from plain tags.

    Example:
        >>> scheme_of_tags(["O", "B-PER", "I-PER"]), scheme_of_tags(["B", "M", "E", "S"])
        ('BIO', 'BMES')
        >>> scheme_of_tags(["NOUN", "VERB"]), scheme_of_tags(["O"])
        (None, None)
    """
    parts = [tag.partition("-") for tag in tags if tag != OUTSIDE]
    letters = {letter for letter, _, _ in parts}
    if not letters or any(
        letter not in _ROLES or bool(hyphen) != bool(kind) for letter, hyphen, kind in parts
    ):
        return None
    if len({bool(kind) for _, _, kind in parts}) > 1:  # B beside B-PER
        return None
    if not parts[0][2] and not letters & set("BIM"):  # single letters that are no positions
        return None
    if letters <= {"I"}:
        return "IO"
    return next((s for s in ("BIO", "BIOES", "BILOU", "BMES") if letters <= set(s)), None)
