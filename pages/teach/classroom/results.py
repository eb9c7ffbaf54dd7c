"""All votes of a lecture: a page for the lecturer, and a file for a spreadsheet. No names."""

from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import NamedTuple

from pages.shared.contents import PAGES
from pages.shared.course.problem_files import rows_to_csv
from pages.shared.course.right_to_left import escape
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui import fonts, language
from pages.shared.ui.server_path import root
from pages.shared.ui.words import say as site
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import say

_PAGE = Template(Path(__file__).with_name("votes.html").read_text(encoding="utf-8"))


class AnswerCount(NamedTuple):
    """How many phones gave one answer."""

    cell: str  # that it was given for; "": all were asked the same
    answer: str
    n: int
    is_right: bool


class QuestionVotes(NamedTuple):
    """A question of the lecture, and its answers."""

    title: str
    answered: int
    counts: tuple[AnswerCount, ...]


NAMED = {"own": 0}  # the first beat asks only of an example or a table


def questions(room: Room) -> Iterator[QuestionVotes]:
    """The questions that somebody answered, in the order in which they were asked."""
    for shown, scene, tally in room.results():
        text = BeatText.load(PAGES / shown.lesson / "beats.md")
        title = (
            f"{text.plain(f'{shown.beat}-label', NAMED)}: "
            f"{text.plain(f'{shown.beat}-question', NAMED)}"
        )
        counts: list[AnswerCount] = []
        if "cells" in tally:
            problem = scene.state.problem
            for row in tally["cells"]:
                token, tag = row["cell"]
                cell = f"{problem.tokens[token]}, {problem.tags[tag]}"
                ways = {f"t{s}": name for s, name in enumerate(problem.tags)}
                right = ways.get(row["value"]) or row["value"]
                counts.append(AnswerCount(cell, right, row["right"], True))
                for slip in row["slips"]:
                    answer = f"{ways.get(slip['value'], slip['value'])} ({slip['label']})"
                    counts.append(AnswerCount(cell, answer, slip["n"], False))
        else:
            bet = scene.beat.now(scene.state)["bet"]
            labels = {one["name"]: one["label"] for one in bet["options"]}
            for name, n in tally["options"].items():
                counts.append(AnswerCount("", labels[name], n, name == bet["right"]))
        yield QuestionVotes(title, tally["answered"], tuple(counts))


def page(room: Room) -> str:
    """The page with all votes."""
    texts = {name: escape(say(f"votes.{name}")) for name in ("title", "csv", "none")}
    sections = "".join(map(_section, questions(room)))
    return _PAGE.substitute(
        texts,
        language=language.current(),
        fonts=fonts.faces(),
        site=escape(site("site.title")),
        root=root(),
        hidden="" if sections else "hidden",
        questions=sections or f"<p>{texts['none']}</p>",
    )


def _section(question: QuestionVotes) -> str:
    """A question with a bar for each answer."""
    most = max([1, *(count.n for count in question.counts)])
    rows = "".join(
        f"<tr{' class=right' if count.is_right else ''}><td dir=auto>{escape(count.cell)}</td>"
        f"<th scope=row dir=auto>{'✓ ' if count.is_right else ''}{escape(count.answer)}</th>"
        f'<td class=bar><i style="width: {100 * count.n / most:.1f}%"></i></td>'
        f"<td>{count.n}</td></tr>"
        for count in question.counts
    )
    answered = escape(say("votes.answered", n=question.answered))
    head = f"<h2>{escape(question.title)} <small>{answered}</small></h2>"
    return f"<section>{head}<table>{rows}</table></section>"


def csv(room: Room) -> str:
    """The same as CSV: question, cell, answer, how many, whether it is right."""
    rows: list[list[str | float]] = [["question", "cell", "answer", "votes", "right"]]
    for one in questions(room):
        for count in one.counts:
            rows.append([one.title, count.cell, count.answer, count.n, int(count.is_right)])
    return rows_to_csv(rows)
