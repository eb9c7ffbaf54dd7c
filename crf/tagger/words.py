"""A text → words, by the tokeniser that a tagger was trained with; each word with its place.

    unicode   at Unicode's word boundaries, whatever the language: the default of `crf train`
    english   as the English treebanks split: `tokeniser.py`
    spaces    at blanks only: the text is split already

Source: Unicode Standard Annex #29, "Unicode Text Segmentation", section 4; by the package `regex`.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import regex

from .storage import TOKENISERS
from .tokeniser import token_spans

_BOUNDARY = regex.compile(r"\b", regex.WORD)
_FLAG = regex.compile(r"\p{RI}{1,2}+[\p{M}\u200D]*+")  # \b takes quadratic time on many of them
_NOTHING = regex.compile(r"[\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]*+")
_SPACED = regex.compile(r"[^ \t\r\n\f\v]++")


def word_spans(text: str, tokeniser: str = "unicode") -> list[tuple[int, int]]:
    """Find the words of a text.

    Args:
        text: Any string.
        tokeniser: One of `TOKENISERS`.

    Returns:
        The words as (start, end) in characters of `text`, in order, none empty. Blanks and what
        cannot be seen are in none.

    Raises:
        ValueError: There is no such tokeniser.

    Example:
        >>> [[text[a:b] for a, b in word_spans(text)] for text in ("Im Bad, 3,14 m²", "dont l'eau")]
        [['Im', 'Bad', ',', '3,14', 'm', '²'], ['dont', "l'eau"]]
    """
    if tokeniser not in TOKENISERS:
        raise ValueError(f"tokeniser: expected one of {', '.join(TOKENISERS)}, got {tokeniser!r}")
    return _FINDERS[tokeniser](text)


def _by_unicode(text: str) -> list[tuple[int, int]]:
    cuts = sorted({0, len(text), *_cuts(text)})
    return [
        (start, end) for start, end in pairwise(cuts) if not _NOTHING.fullmatch(text, start, end)
    ]


def _cuts(text: str) -> Iterator[int]:
    start = 0
    for flag in [*_FLAG.finditer(text), None]:
        stop = flag.start() if flag else len(text)
        yield from (start + cut.start() for cut in _BOUNDARY.finditer(text[start:stop]))
        if flag:
            yield from flag.span()
            start = flag.end()


def _by_spaces(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in _SPACED.finditer(text)]


_FINDERS: dict[str, Callable[[str], list[tuple[int, int]]]] = {
    "unicode": _by_unicode,
    "english": token_spans,
    "spaces": _by_spaces,
}
