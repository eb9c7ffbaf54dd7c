"""Guess the encoding of bytes, to name it in an error message; no file is read with a guess."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

_BOMS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_FEW = 3  # letters that are not ASCII: fewer tell no encoding but a Western one
_SIMILAR = {"cp1250": ("iso-8859-2",)}  # encodings that differ in a few letters
_TURKISH = frozenset("ðÐþÞýÝ")  # as cp1252 reads the Turkish letters of cp1254; or Icelandic


def likely_encodings(sample: bytes) -> list[str]:
    """Return the encodings in which some bytes, not UTF-8, read as words of one script.

    Example:
        >>> likely_encodings("他在北京大学读书，今年毕业。".encode("gb18030"))
        ['gb18030']
        >>> likely_encodings("Он живёт в Москве.".encode("koi8-r"))
        ['koi8-r']
        >>> likely_encodings("café à Zürich".encode("latin-1")), likely_encodings(bytes(range(256)))
        (['cp1252'], [])
    """
    for bom, name in _BOMS.items():
        if sample.startswith(bom):
            return [name]
    if b"\0" in sample:
        return []
    for name, fits in _CANDIDATES:
        text = _decoded(sample, name)
        if text and fits(text):
            is_either = name == "cp1252" and _TURKISH.intersection(text)
            return [name, *_SIMILAR.get(name, ()), *["cp1254"] * bool(is_either)]
    return []


def _decoded(sample: bytes, encoding: str) -> str:
    """The text, but for a character that may be cut off at the end; "" if it is none."""
    for end in (len(sample), len(sample) - 1, len(sample) - 2):
        try:
            return sample[:end].decode(encoding)
        except UnicodeDecodeError:
            continue
    return ""


def _scripts(text: str) -> Counter[str]:
    """How many characters beyond ASCII there are of each script; NONE for controls and the like."""
    return Counter(
        unicodedata.name(character, "NONE").split()[0].split("-")[0]
        for character in text
        if character > "\x7f" and unicodedata.category(character)[0] in "LCM"
    )


def _words(text: str) -> Iterator[str]:
    """The words that are not all ASCII."""
    return (word for word in text.split() if not word.isascii())


def _is_of(text: str, *scripts: str, at_least: str = "", share: float = 0.0) -> bool:
    """Whether nearly all letters beyond ASCII are of these scripts, and enough of the first."""
    counts = _scripts(text)
    total = counts.total()
    enough = sum(counts[name] for name in scripts if not at_least or name in at_least.split())
    return (
        total >= _FEW
        and sum(counts[name] for name in scripts) >= 0.95 * total
        and enough >= share * total
    )


def _is_frequent(text: str, encoding: str, leads: range) -> bool:
    """Whether most ideographs are among those that the encoding has first, the frequent ones."""
    ideographs = [c for c in text if "\u4e00" <= c <= "\u9fff"]
    first_bytes = [c.encode(encoding, errors="ignore")[:1] for c in ideographs]
    return sum(bool(lead) and lead[0] in leads for lead in first_bytes) >= 0.85 * len(ideographs)


def _is_japanese(text: str) -> bool:
    kana = "HIRAGANA KATAKANA"
    is_of = _is_of(text, "CJK", "HIRAGANA", "KATAKANA", "FULLWIDTH", at_least=kana, share=0.2)
    return is_of and _is_frequent(text, "euc_jp", range(0xB0, 0xD0))


def _is_chinese(encoding: str, leads: range, text: str) -> bool:
    return _is_of(text, "CJK", "FULLWIDTH") and _is_frequent(text, encoding, leads)


def _is_alphabetic(script: str, text: str) -> bool:
    """Whether words beyond ASCII are of this script throughout, and in small letters mostly."""
    letters = [[c for c in word if c.isalpha()] for word in _words(text)]
    pure = sum(all(c > "\x7f" for c in word) for word in letters)
    small = sum(word[1:] == [c.lower() for c in word[1:]] for word in letters)
    return _is_of(text, script) and min(pure, small) >= 0.8 * len(letters)


def _is_western(text: str) -> bool:
    """Whether letters beyond ASCII stand in words with ASCII letters, and signs at their edges."""
    words = list(_words(text))
    signs = "".join({c for c in text if not c.isalnum()} - {"\u2019"})
    latin = [
        word
        for word in words
        if all(
            c.isascii() or c == "\u2019" or "LATIN" in unicodedata.name(c, "")
            for c in word.strip(signs)
        )
    ]
    mixed = sum(len(word) == 1 or any(c.isascii() and c.isalpha() for c in word) for word in words)
    controls = any(unicodedata.category(c) == "Cc" and not c.isspace() for c in text)
    return bool(words) and not controls and min(len(latin), mixed) >= 0.8 * len(words)


_CANDIDATES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("shift_jis", _is_japanese),
    ("euc_jp", _is_japanese),
    ("cp949", lambda text: _is_of(text, "HANGUL", "CJK", at_least="HANGUL", share=0.9)),
    ("gb18030", partial(_is_chinese, "gb2312", range(0xB0, 0xD8))),
    ("big5", partial(_is_chinese, "big5", range(0xA4, 0xC7))),
    ("cp1251", partial(_is_alphabetic, "CYRILLIC")),
    ("koi8-r", partial(_is_alphabetic, "CYRILLIC")),
    ("cp1253", partial(_is_alphabetic, "GREEK")),
    ("cp1255", partial(_is_alphabetic, "HEBREW")),
    ("cp1256", partial(_is_alphabetic, "ARABIC")),
    ("cp874", partial(_is_alphabetic, "THAI")),
    ("cp1252", _is_western),
    ("cp1250", _is_western),
)
"""From the strictest to those that decode nearly everything."""
