r"""The words of a figure in the reader's language, from its words.md, a text as in `texts.py`.

    # hint
    - en: Each block is a tag, as high as it is probable.

    # tie
    | case | en | de |
    | --- | --- | --- |
    | two | {first} and {second} tie. | {first} und {second} sind gleichauf. |
    | more | {n:# tag ties/# tags tie}. | {n:# Tag ist/# Tags sind} gleichauf. |

    words(folder)["hint"], words(folder)["tie.more"]

The code that shows a text fills its {holes}. After a hole's colon are the forms for a number, in
the order of the language's plural categories, with # for the number itself. What a language lacks
is shown in English. Languages besides English need the package Babel for plurals.
"""

import re
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from .languages import language
from .numbers import format_count
from .texts import translations

_PART = re.compile(r"^# (?P<name>[\w-]+)\n(?P<text>.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| *([\w-]+) *\| *(.*?) *\|$", re.MULTILINE)
_HEAD = re.compile(r"\|[^\n|]+\|[^\n|]+\|\n\|[ -]+\|[ -]+\|\n")
_CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def cases(body: str) -> dict[str, str]:
    r"""Return the sentences of a table of cases by name; none where the text is no such table.

    >>> cases("| case | sentence |\n| --- | --- |\n| one | It is {x}. |")
    {'one': 'It is {x}.'}
    """
    head = _HEAD.match(body)
    rows = _ROW.findall(body[head.end() :]) if head else []
    return {name: sentence.replace(r"\|", "|") for name, sentence in rows}


class Filler(Formatter):
    """Fill holes in one language: a number is written out, and chooses the form after the colon.

    Args:
        language: A key of `LANGUAGES`.

    >>> Filler("en").format("{n:# path/# paths}, {m:is/are}", n=1200, m=1)
    '1,200 paths, is'
    """

    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec:
            forms = format_spec.split("/")
            chosen = forms[min(_category(self.language, value), len(forms) - 1)]
            return chosen.replace("#", format_count(value))
        return format_count(value) if type(value) is int else str(value)


def _category(language: str, number: int) -> int:
    """The place of a number's plural category among those of a language."""
    if language == "en":
        return int(number != 1)
    from babel import Locale  # of those who read another language

    rule = Locale.parse(language).plural_form
    return [c for c in _CATEGORIES if c in (*rule.tags, "other")].index(rule(number))


def words(folder: Path, speak: str = "", file: str = "words") -> dict[str, str]:
    """Return the words of the figure in a folder: name → text on one line, "name.case" → sentence.

    Args:
        folder: Has the words.md.
        speak: The language; "": the reader's.
        file: The name of another file than words.md, without ".md".

    Raises:
        FileNotFoundError: It has no words.md.
        ValueError: Two texts have one name.
    """
    return _words(folder, file, speak or language())


def save_words() -> dict[str, str]:
    """Return what a figure's button to save it says: `save`, and its `title`."""
    texts = words(Path(__file__).parent)
    return {name: texts[f"save.{name}"] for name in ("save", "title")}


def join(*sentences: str) -> str:
    """Join sentences as the reader's language does."""
    return ("" if language() == "zh" else " ").join(filter(None, sentences))


def fill(text: str, /, **facts: Any) -> str:
    """Fill the holes of a text in the reader's language."""
    return Filler(language()).vformat(text, (), facts)


@cache
def _words(folder: Path, file: str, language: str) -> dict[str, str]:
    path = folder / f"{file}.md"
    return _parsed(path, "en") | (_parsed(path, language) if language != "en" else {})


def _parsed(path: Path, language: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for part in _PART.finditer(translations(path).get(language, "")):
        rows = cases(part["text"].strip() + "\n")
        named = {f"{part['name']}.{case}": sentence for case, sentence in rows.items()}
        for name, text in (named or {part["name"]: " ".join(part["text"].split())}).items():
            if name in texts:
                raise ValueError(
                    f"{path.parent.name}/{path.name}: two texts are called {name!r}; rename one"
                )
            texts[name] = text
    return texts
