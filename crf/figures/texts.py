r"""Texts in all languages: one file a place, one heading a passage, one line a language.

    # hint
    - en: Each block is a tag, as high as it is probable.
    - de: Jeder Block ist ein Tag, so hoch wie es wahrscheinlich ist.

    # greedy: Tagging each word by itself
    - de title: Jedes Wort für sich taggen
    - en: A greedy tagger takes the best tag.
    - en: So it cannot take a tag back.
    ```en
    1. a list, a table or code in English
    ```

    # tie
    | case | en | de |
    | --- | --- | --- |
    | two | {first} and {second} tie. | {first} und {second} sind gleichauf. |

    # tie.more
    - en: a case whose sentences are long

A heading is a name, and of a text with titles the English title. The same language again is the
next paragraph. `translations` gives the text of one language, as Markdown: headings,
each with its paragraphs or with a table of cases of two columns.
"""

import re
from functools import cache
from pathlib import Path

from .languages import LANGUAGES

_NAMES = "|".join(LANGUAGES)
_HEADING = re.compile(r"(?P<marks>#{1,2}) (?P<name>[^:\n]+?)(?:: (?P<title>.+))?")
_ITEM = re.compile(rf"- (?P<language>{_NAMES})(?P<title> title)?: ?(?P<text>.*)")
_FENCE = re.compile(rf"(?P<marks>`{{3,}})(?P<language>{_NAMES})")
_CELLS = re.compile(r"(?<!\\)\|")


class _Passage:
    """One heading, and what stands below it in each language."""

    def __init__(self, marks: str, name: str, title: str) -> None:
        self.marks, self.name = marks, name
        self.titles = {"en": title} if title else {}
        self.blocks: dict[str, list[str]] = {}
        self.rows: dict[str, dict[str, str]] = {}  # language → case → sentence

    def written(self, language: str) -> str:
        """In one language, as Markdown; "" where it has nothing in it."""
        blocks, rows = self.blocks.get(language, []), self.rows.get(language, {})
        title = self.titles.get(language, "")
        if not (blocks or rows or title):
            return ""
        if rows:
            lines = [f"| {case} | {sentence} |" for case, sentence in rows.items()]
            blocks = ["\n".join(["| case | sentence |", "| --- | --- |", *lines])]
        heading = f"{self.marks} {self.name}{f': {title}' if title else ''}"
        return "\n".join([heading, "\n\n".join(blocks), ""])


@cache
def translations(path: Path) -> dict[str, str]:
    """Return the text of each language that the file has, as Markdown.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is none of the kinds above; the message says which.
    """
    passages: dict[str, _Passage] = {}
    for passage in _passages(path):
        table, _, case = passage.name.partition(".")
        if not case:
            passages[f"{passage.marks} {passage.name}"] = passage
            continue
        into = passages.setdefault(f"{passage.marks} {table}", _Passage(passage.marks, table, ""))
        for language, blocks in passage.blocks.items():
            into.rows.setdefault(language, {})[case] = " ".join(blocks).replace("|", r"\|")
    texts = {
        language: "\n".join(filter(None, (p.written(language) for p in passages.values())))
        for language in LANGUAGES
    }
    return {language: text for language, text in texts.items() if text}


def _passages(path: Path) -> list[_Passage]:
    passages: list[_Passage] = []
    columns: list[str] = []  # the languages of the table that is being read
    fence, block = "", []
    language = ""
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if fence:
            if line == fence:
                passages[-1].blocks.setdefault(language, []).append("\n".join(block))
                fence, block = "", []
            else:
                block.append(line)
        elif heading := _HEADING.fullmatch(line):
            passages.append(_Passage(heading["marks"], heading["name"], heading["title"] or ""))
            columns = []
        elif passages and (item := _ITEM.fullmatch(line)):
            if item["title"]:
                passages[-1].titles[item["language"]] = item["text"]
            else:
                passages[-1].blocks.setdefault(item["language"], []).append(item["text"])
        elif passages and (opens := _FENCE.fullmatch(line)):
            fence, language = opens["marks"], opens["language"]
        elif passages and line.startswith("| "):
            name, *cells = (cell.strip() for cell in _CELLS.split(line)[1:-1])
            if not columns:
                columns = cells
            elif name.strip("-"):
                for language, cell in zip(columns, cells, strict=True):
                    if cell:
                        passages[-1].rows.setdefault(language, {})[name] = cell
        elif passages and line.strip():  # what stands above the first heading is a remark
            raise ValueError(
                f"{path.parent.name}/{path.name}, line {n}: expected a heading, `- en: …`, a row "
                f"of a table or a fence ```en, got {line[:40]!r}"
            )
    if fence:
        raise ValueError(f"{path.parent.name}/{path.name}: the last fence has no end")
    return passages
