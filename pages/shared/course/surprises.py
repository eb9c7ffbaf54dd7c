"""Sentences in which a word's neighbours change its tag, and words that can make one so."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_suffix(".toml")
_TAG = re.compile(r"/[A-Z]+")


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def marked() -> list[str]:
    """The sentences of “surprise me”, with the tags that change: “A rose/NOUN is red .”."""
    return _read()["sentences"]


def sentences() -> list[str]:
    """The sentences of “surprise me”."""
    return [_TAG.sub("", text) for text in marked()]


def swaps() -> dict[str, list[str]]:
    """Words that change their tag in some places, by the kind of place."""
    return _read()["swaps"]
