"""All votes of a lecture: a page for the lecturer, and a file for a spreadsheet. No names."""

from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import NamedTuple

from pages.shared.contents import PAGES
from pages.shared.course.problem_files import rows_to_csv
from pages.shared.course.right_to_left import escape
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui import language
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import beat_page
from pages.shared.ui.words import say as site
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import say

_PAGE = Template(Path(__file__).with_name("votes.html").read_text(encoding="utf-8"))


class AnswerCount(NamedTuple):
    """How many phones gave one answer."""

    answer: str
    n: int
    is_right: bool


class QuestionVotes(NamedTuple):
    """A question of the lecture, and its answers."""

    title: str
    answered: int
    counts: tuple[AnswerCount, ...]


def questions(room: Room) -> Iterator[QuestionVotes]:
    """The questions that somebody answered, in the order in which they were asked."""
    for shown, scene, tally in room.results():
        text = BeatText.load(PAGES / shown.lesson / "beats.md")
        title = (
            f"{text.plain(f'{shown.beat}-label', {})}: {text.plain(f'{shown.beat}-question', {})}"
        )
        counts: list[AnswerCount] = []
        if "cells" in tally:
            problem = scene.state.problem
            for row in tally["cells"]:
                token, tag = row["cell"]
                cell = f"{problem.tokens[token]}, {problem.tags[tag]}"
                counts.append(AnswerCount(f"{cell}: {say('votes.right')}", row["right"], True))
                counts += [
                    AnswerCount(f"{cell}: {one['value']} ({one['label']})", one["n"], False)
                    for one in row["slips"]
                ]
        else:
            bet = scene.beat.now(scene.state)["bet"]
            labels = {one["name"]: one["label"] for one in bet["options"]}
            for name, n in tally["options"].items():
                counts.append(AnswerCount(labels[name], n, name == bet["right"]))
        yield QuestionVotes(title, tally["answered"], tuple(counts))


def page(room: Room) -> str:
    """The page with all votes."""
    sections = []
    for one in questions(room):
        rows = "".join(
            f"<tr{' class=right' if count.is_right else ''}><td>{escape(count.answer)}</td>"
            f'<td><meter min="0" max="{max(one.answered, 1)}" value="{count.n}"></meter></td>'
            f'<td class="n">{count.n}</td></tr>'
            for count in one.counts
        )
        answered = escape(say("votes.answered", n=one.answered))
        head = f"<h2>{escape(one.title)} <small>{answered}</small></h2>"
        sections.append(f"<section>{head}<table>{rows}</table></section>")
    csv = f'<a href="{root()}class/votes.csv" download>{escape(say("votes.csv"))}</a>'
    return _PAGE.substitute(
        language=language.current(),
        fonts=beat_page.fonts(),
        site=escape(site("site.title")),
        title=escape(say("votes.title")),
        links=csv if sections else "",
        questions="".join(sections) or f"<p>{escape(say('votes.none'))}</p>",
    )


def csv(room: Room) -> str:
    """The same as CSV: question, answer, how many, whether it is right."""
    rows = [["question", "answer", "votes", "right"]]
    for one in questions(room):
        rows += [[one.title, count.answer, str(count.n), str(int(count.is_right))]
                 for count in one.counts]  # fmt: skip
    return rows_to_csv(rows)
