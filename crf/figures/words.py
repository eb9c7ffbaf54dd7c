"""The words of a figure, from its words.md: a heading with a name, below it the text.

    # hint
    Each block is a tag, as high as it is probable.

What stands in {braces} is filled in by whoever shows the text.
"""

import re
from functools import cache
from pathlib import Path

_PART = re.compile(r"^# (?P<name>\w+)\n(?P<text>.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)


@cache
def words(folder: Path) -> dict[str, str]:
    """Read the words of the figure in a folder: name → text on one line.

    Raises:
        FileNotFoundError: It has no words.md.
        ValueError: Two texts have one name.
    """
    source = (folder / "words.md").read_text(encoding="utf-8")
    found = [(part["name"], " ".join(part["text"].split())) for part in _PART.finditer(source)]
    if len(dict(found)) < len(found):
        raise ValueError(f"{folder.name}/words.md: two texts have one name; rename one")
    return dict(found)
