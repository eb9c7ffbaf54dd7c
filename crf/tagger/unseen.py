"""Scripts that a tagger never saw: Greek letters are all alike to one that was trained on Latin."""

import unicodedata
from collections.abc import Iterable
from typing import Any

_IGNORED = {"MODIFIER", "FEMININE", "MASCULINE", "MICRO", "FULLWIDTH", "KELVIN", "ANGSTROM", "OHM"}


def scripts(text: Iterable[str]) -> set[str]:
    """Return the scripts of the letters, by the first words of their names in Unicode.

    Example:
        >>> sorted(scripts("Ada 東京 Α"))
        ['CJK', 'GREEK', 'LATIN']
    """
    letters = {character for character in text if character.isalpha()}
    names = {unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in letters}
    return names - _IGNORED - {""}


def unseen_scripts(tagger: Any, text: str) -> list[str]:
    """Return the scripts of a text that the tagger's training had no letter of, sorted.

    None of a tagger without a vocabulary of characters, as Hugging Face's are.
    """
    featuriser = getattr(tagger, "featuriser", None)
    if featuriser is None or text.isascii():
        return []
    return sorted(scripts(text) - scripts("".join(featuriser.characters.known)))


def letters_of(text: str, of: Iterable[str]) -> str:
    """Return the letters of some scripts in a text, each once, in order.

    Example:
        >>> letters_of("Ada in 東京, 東 Ω", ["CJK"])
        '東京'
    """
    names = set(of)
    return "".join(dict.fromkeys(letter for letter in text if scripts(letter) & names))
