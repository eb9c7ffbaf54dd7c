"""What a class keeps, and the one interface to it.

A store holds one class: what is shown now, the questions that were asked, one answer of each
student to each. Everything in it is text; what the texts mean is the classroom's business. Each
method is one step that happens wholly or not at all, whatever the other servers do meanwhile.
"""

from typing import NamedTuple, Protocol

MOST_STUDENTS = 500
MOST_BALLOTS = 64
MOST_TEXT = 100_000  # bytes of a stop, a question or an answer
PAUSE = 1.0  # seconds between two votes of a student
LIFE = 12 * 3600.0  # seconds after its last change a class is over
PHASES = ("open", "closed", "revealed", "over")  # of a question


class StoreError(Exception):
    """The store cannot keep or give what it is asked for; the message is a sentence."""


class Keys(NamedTuple):
    """What makes a class this one; never shown to it but for the code.

    Attributes:
        code: By which students join.
        token: Whoever has it leads.
        secret: Signs what students' browsers keep.
    """

    code: str
    token: str
    secret: str


class Now(NamedTuple):
    """What goes on; small and cheap to read.

    Attributes:
        serial: Counts every change, so that two readings can be compared.
        number: Of the present stop, counted from 1 as they are shown; 0: none yet.
        stop: The present stop, as text.
        ballot: Number of the latest question, from 1; 0: none yet.
        phase: Of that question, one of `PHASES`.
    """

    serial: int = 0
    number: int = 0
    stop: str = ""
    ballot: int = 0
    phase: str = "over"


class Store(Protocol):
    """The interface; every method may raise `StoreError`."""

    def open(self, fresh: Keys) -> Keys:
        """The keys of the class that is running; `fresh` where none is, or it is over."""
        ...

    def now(self) -> Now:
        """What goes on."""
        ...

    def lead(self, stop: str) -> int:
        """Show another stop; its number."""
        ...

    def ask(self, ballot: str) -> int:
        """Ask the class; the number of the question, 0 if there have been too many."""
        ...

    def turn(self, ballot: int, phase: str) -> bool:
        """Open, close or reveal the latest question; False if this is not it."""
        ...

    def ballots(self) -> list[str]:
        """All questions in their order."""
        ...

    def admit(self, student: str) -> bool:
        """Let a student in; False if the room is full. Whoever is in stays in."""
        ...

    def students(self) -> int:
        """How many are in."""
        ...

    def vote(self, ballot: int, student: str, answer: str) -> str:
        """Keep a student's answer in the place of an earlier one.

        Returns:
            "counted"; "closed", if the question is not open; "early", within `PAUSE` of the last
            one; "stranger", if there is no such student.
        """
        ...

    def answer(self, ballot: int, student: str) -> str | None:
        """What a student has answered."""
        ...

    def answers(self, ballot: int) -> list[str]:
        """Every student's answer, in no order."""
        ...

    def close(self) -> None:
        """Let go of the file or the connection."""
        ...


def open_store(where: str) -> Store:
    """A store by its name on the command line.

    Args:
        where: "redis://…" (or rediss:, unix:), or the path of an SQLite file.

    Raises:
        StoreError: It cannot be had; the message says why.
    """
    if where.startswith(("redis://", "rediss://", "unix://")):
        try:
            from pages.shared.course.classroom.redis_store import RedisStore
        except ImportError:
            raise StoreError(
                "--store redis://… needs the package redis: pip install -r requirements-redis.txt"
            ) from None
        return RedisStore(where)
    from pages.shared.course.classroom.sqlite_store import SqliteStore

    return SqliteStore(where)
