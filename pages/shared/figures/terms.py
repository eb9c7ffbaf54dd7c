"""The terms of the glossary in a lesson's words: which are used, and their marks.

The first use of a term on a page is marked, and opens its sentence in place.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar

from crf.figures.languages import language
from pages.shared.figures.text import GLOSSARY, LessonText, lights, mark_term, meaning

P = ParamSpec("P")
T = TypeVar("T")
_EVERYDAY = {"observed", "start-end"}  # also words of other meanings: marked by hand alone
_WHOLE = re.compile(  # what is no plain text: marks, links, code, tags, holes
    r'(<span class="crf-speaks".*?</span>|<dfn .*?</dfn>|<code>.*?</code>|<[^>]+>|\{[^}]*\})',
    re.DOTALL,
)
_SPEAKS, _MARKED = '<span class="crf-speaks"', '<dfn class="crf-term" data-term="'
_ENDINGS = {"en": "(?:s|es|ed)?", "de": "(?:e|en|n|s|es)?"}  # of a term in other forms


def _per_language(make: Callable[P, T]) -> Callable[P, T]:
    """Remember what a function gives in each language."""
    remembered = lru_cache(maxsize=2048)(lambda _, *given, **named: make(*given, **named))
    return lambda *given, **named: remembered(language(), *given, **named)


@_per_language
def forms() -> dict[str, re.Pattern[str]]:
    """How each term may stand in a text, by its name in the glossary."""
    found, speak = {}, language()
    for name, entry in LessonText.load(GLOSSARY).paragraphs.items():
        words = re.split(r", (?:the )?| and | \(|\)", entry.title)
        every = [form for word in words if word for form in (word, word.removesuffix(" decoding"))]
        if name not in _EVERYDAY:
            either = "|".join(_form(word, _ENDINGS.get(speak, "")) for word in every)
            apart = ("", "") if speak == "zh" else (r"(?<![\w-])", r"(?![\w-])")
            found[name] = re.compile(f"(?:{either})".join(apart))
    return found


def _form(word: str, endings: str) -> str:
    """A word as a pattern: a name of a few letters as it is, any other also in plural."""
    if word == "Z":
        return r"(?<!log[ \u00a0])Z"  # log Z is a term of its own
    if len(word) < 3 or word.isupper():
        return re.escape(word)
    first = f"[{word[0].upper()}{word[0].lower()}]" if word[0].isalpha() else re.escape(word[0])
    return first + re.escape(word[1:]).replace(r"\ ", r"[ \u00a0]") + endings


@_per_language
def used(body: str) -> tuple[str, ...]:
    """The terms in a paragraph's HTML, by their names."""
    text = re.sub(r"<code>.*?</code>|<[^>]+>|\{[^}]*\}", " ", body)
    by_hand = re.findall(rf"{_MARKED}([a-z0-9-]+)", body)
    return (*by_hand, *(name for name, form in forms().items() if form.search(text)))


@_per_language
def marked(body: str, terms: frozenset[str]) -> str:
    """A paragraph's HTML with the first use of each of these terms marked."""
    speak = language()
    left = {name: form for name, form in forms().items() if name in terms}
    left = {name: form for name, form in left.items() if f'{_MARKED}{name}"' not in body}
    parts = _WHOLE.split(body)
    for k, part in enumerate(parts):
        if part.startswith(_SPEAKS):
            for name in [n for n, form in left.items() if form.search(re.sub("<[^>]+>", "", part))]:
                del left[name]
                means = f"{meaning(name, speak)} {lights(speak)}."
                parts[k] = part.replace('"crf-speaks"', '"crf-speaks crf-term"', 1).replace(
                    f'title="{lights(speak)}"', f'title="{means}" data-term="{name}"', 1
                )
        elif not part.startswith(("<", "{")):
            parts[k] = _mark_in(part, left, speak)
    return "".join(parts)


def _mark_in(text: str, left: dict[str, re.Pattern[str]], speak: str) -> str:
    """Plain text with marks; what is marked leaves `left`."""
    found = sorted(
        (
            (hit.start(), -hit.end(), name)
            for name, form in left.items()
            if (hit := form.search(text))
        )
    )
    made, at = "", 0
    for start, end, name in found:
        if start >= at:
            made += text[at:start] + mark_term(name, text[start:-end], speak)
            at = -end
            del left[name]
    return made + text[at:]
