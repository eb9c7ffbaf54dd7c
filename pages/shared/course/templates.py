"""Texts with @holes@ in a file, each below a line "== name": sheets on paper, code to copy."""

import re
from functools import cache
from pathlib import Path

_HOLE = re.compile(r"@([a-z]+)@")


def fill(file: str, name: str, /, **facts: str) -> str:
    """A text from a file in this folder with its holes filled; values are inserted unchanged."""
    return _HOLE.sub(lambda hole: facts[hole[1]], _read(file)[name])


@cache
def _read(file: str) -> dict[str, str]:
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    return dict(re.findall(r"^== ([\w-]+)\n(.*?)\n(?=== |\Z)", text, re.MULTILINE | re.DOTALL))
