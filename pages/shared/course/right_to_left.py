"""Names in right-to-left scripts within left-to-right text.

A browser or an editor orders mixed text by the Unicode bidirectional algorithm: in “T[NOUN, اسم]”
or “اسم .92” it moves the brackets, commas and digits beside the name. Around each such name
`isolate` puts the characters that prevent this, as the element <bdi> does in HTML.

Source: Unicode Standard Annex #9, FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE.
"""

import html
import re
from itertools import groupby

FIRST_STRONG, POP = "\u2068", "\u2069"
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LETTER = rf"[\w\u200c\u200d{_RIGHT_TO_LEFT}]"
_WORD = rf"{_LETTER}++(?:[-.'’]{_LETTER}++)*+"
_HAS_ANY = re.compile(f"[{_RIGHT_TO_LEFT}]")
# What is isolated already; a run of words with single spaces between them.
_RUNS = re.compile(rf"{FIRST_STRONG}[^{FIRST_STRONG}{POP}]*+{POP}|{_WORD}(?: {_WORD})*+")


def has_right_to_left(text: str) -> bool:
    r"""Whether a text has a letter of a right-to-left script.

    >>> has_right_to_left("\u05e9\u05dd"), has_right_to_left("NOUN")
    (True, False)
    """
    return bool(_HAS_ANY.search(text))


def isolate(text: str) -> str:
    r"""Isolate each right-to-left name in a text; other text comes back as it is.

    Words with single spaces between them count as one name, so that a sentence stays in its order.

    >>> isolate("T[NOUN, \u05e9\u05dd]") == "T[NOUN, \u2068\u05e9\u05dd\u2069]"
    True
    >>> isolate("B-\u05e9\u05dd .92") == "\u2068B-\u05e9\u05dd\u2069 .92", isolate("NOUN .92")
    (True, 'NOUN .92')
    """
    if not has_right_to_left(text):
        return text
    return _RUNS.sub(_isolated, text)


def _isolated(run: re.Match[str]) -> str:
    if run[0][0] == FIRST_STRONG:
        return run[0]
    groups = groupby(run[0].split(" "), lambda word: bool(_HAS_ANY.search(word)))
    names = ((is_any, " ".join(words)) for is_any, words in groups)
    return " ".join(f"{FIRST_STRONG}{name}{POP}" if is_any else name for is_any, name in names)


def escape(text: str) -> str:
    """Text for HTML, inert whatever is in it, its right-to-left names isolated."""
    return html.escape(isolate(text))
