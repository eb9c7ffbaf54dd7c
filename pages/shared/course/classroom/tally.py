"""Answers of a class, counted: never whose they are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crf.strict_json import read_json
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.store import MOST_TEXT
from pages.shared.course.problem_files import rows_to_csv
from pages.shared.course.words import say

_NAMED = ("right", "empty", "unknown", "other space")  # kinds whose names words.md has


@dataclass(frozen=True)
class Bar:
    """How many gave an answer."""

    label: str  # the option; of a column, the diagnosis
    count: int  # how many
    share: float  # of all answers, 0 to 1
    right: bool  # whether it is the right one
    remark: str = ""  # what is to be said of the error


class Tally(NamedTuple):
    """All answers to a question."""

    total: int  # how many there are
    # for each option in order; of a column, for each diagnosis, the most frequent first
    bars: tuple[Bar, ...]
    cells: tuple[int, ...] = ()  # of a column, how many have each cell right


def count(ballot: Ballot, answers: Iterable[str]) -> Tally:
    """Count answers, as `Ballot.check` writes them; what cannot be read is left out.

    >>> question = Ballot("Which?", ("this", "that"), right=1)
    >>> [(bar.label, bar.count, bar.right) for bar in count(question, ["1", "0", "1"]).bars]
    [('this', 1, False), ('that', 2, True)]
    """
    said = [value for text in answers if (value := _read(ballot, text)) is not None]
    total = len(said)
    if ballot.column is None:
        counted = Counter(said)
        bars = tuple(
            Bar(option, counted[k], counted[k] / max(1, total), k == ballot.right)
            for k, option in enumerate(ballot.options)
        )
        return Tally(total, bars)
    counted = Counter(value["kind"] for value in said)
    remarks = {value["kind"]: value["message"] for value in said}
    bars = tuple(
        Bar(_label(kind), counted[kind], counted[kind] / total, kind == "right",
            "" if kind in _NAMED else remarks[kind])
        for kind in sorted(counted, key=lambda kind: (kind != "right", -counted[kind], kind))
    )  # fmt: skip
    cells = tuple(sum(value["cells"][k] for value in said) for k in range(len(ballot.options)))
    return Tally(total, bars, cells)


def _label(kind: str) -> str:
    return say(f"tally.{kind.replace(' ', '-')}") if kind in _NAMED else kind


def to_csv(ballots: Sequence[Ballot], tallies: Sequence[Tally]) -> str:
    """All questions with their counts, as the text of a CSV file."""
    rows: list[list[str | float]] = [["number", "question", "answer", "right", "count", "share"]]
    for number, (ballot, tally) in enumerate(zip(ballots, tallies, strict=True), start=1):
        rows += [
            [number, ballot.question, bar.label, "yes" if bar.right else "", bar.count, bar.share]
            for bar in tally.bars
        ]
        rows += [
            [number, ballot.question, f"{field} right", "", right, right / max(1, tally.total)]
            for field, right in zip(ballot.options, tally.cells, strict=False)
        ]
    return rows_to_csv(rows)


def _read(ballot: Ballot, text: str) -> Any:
    try:
        value = read_json(text, MOST_TEXT)
        if ballot.column is None:
            return value if type(value) is int and value in range(len(ballot.options)) else None
        whole = isinstance(value["kind"], str) and len(value["cells"]) == len(ballot.options)
        return value if whole and value["kind"] != "unreadable" else None
    except (ValueError, TypeError, KeyError):
        return None
