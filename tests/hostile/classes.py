"""A class under hostile hands: its lecturer's and its students' pages, while a vote is open."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.raw_client import run_apart
from pages.shared.contents import CLASS, FIRST
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.classroom.store import open_store
from pages.shared.ui.class_session import LECTURER, STUDENT
from tests.hostile.forged import attack_page
from tests.hostile.watch import Tally, server

QUESTION = Ballot("Which one?", ("this", "that"), right=1)
LESSONS = (FIRST.address, "structure", "viterbi")  # guesses, columns to fill


def a_class(part: int = 1) -> Iterator[Tally]:
    """Forged values and typed texts, or every so many-th, from the lecturer and from a student."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "class.sqlite3")
        with server("--class", "--store", store) as running:
            room = Classroom(open_store(store))
            room.ask(QUESTION)
            who = {
                f"{LECTURER}={room.keys.token}": (CLASS.address, *LESSONS),
                f"{STUDENT}={room.join(room.code, None)}": (CLASS.address, *LESSONS),
            }
            for cookie, pages in who.items():
                running.headers = {"Cookie": cookie}
                for page in pages:
                    yield from run_apart(partial(attack_page, running, page, part))
