"""Five questions for the end of a lecture, from quiz.toml."""

import tomllib
from pathlib import Path

from pages.shared.course.classroom.ballot import Ballot


def questions() -> list[Ballot]:
    """They, in their order.

    >>> [ballot.options[ballot.right] for ballot in questions()][:2]
    ['390,625', 'four times']
    """
    written = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [
        Ballot(**question, key=f"quiz.{number}")
        for number, question in enumerate(written["questions"], start=1)
    ]
