"""What a class keeps, whichever tables hold it.

A store holds one class: what is shown now, the questions that were asked, one answer of each
student to each. Everything in it is text; what the texts mean is the classroom's business. Each
method is one step that happens wholly or not at all, whatever the other servers do meanwhile.

    class      code, token, secret, version; touched: when it changed last; now: `Now` as JSON
    ballots    number → question
    picture    of the present stop: stop, its number; text
    students   student → when their phone was last heard of
    times      student → when they voted last
    votes.3    student → answer to question 3
"""

import math
import time
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec

from crf.strict_json import read_json, write_json
from pages.shared.course.classroom.sqlite_tables import SqliteTables
from pages.shared.course.classroom.tables import StoreError, T, Tables, Transaction
from pages.shared.course.words import say

MOST_STUDENTS = 500
MOST_BALLOTS = 64
MOST_TEXT = 100_000  # bytes of a stop, a question or an answer
SECONDS_BETWEEN_VOTES = 1.0  # of one student
CLASS_EXPIRES_AFTER = 12 * 3600.0  # seconds after its last change a class is over
PLACE_FREED_AFTER = 600.0  # seconds of silence of a phone that has no vote
PRESENT_WITHIN = 30.0  # seconds for which a phone counts as there after it was heard of
PHASES = ("open", "closed", "revealed", "over")  # of a question
VERSION = "3"  # of the tables above
_CLASS, _BALLOTS, _PICTURE = "class", "ballots", "picture"
_STUDENTS, _TIMES = "students", "times"
_VOTES = [f"votes.{k + 1}" for k in range(MOST_BALLOTS)]
P = ParamSpec("P")
_Method = Callable[Concatenate["Store", Transaction, P], T]
_Step = Callable[Concatenate["Store", P], T]


class OverError(StoreError):
    """The class is over."""

    def __init__(self) -> None:
        super().__init__(say("store.over"))


class Keys(NamedTuple):
    """What makes a class this one; never shown to it but for the code."""

    code: str  # by which students join
    token: str  # whoever has it leads
    secret: str  # signs what students' browsers keep


class Now(NamedTuple):
    """What goes on; small and cheap to read."""

    serial: int = 0  # counts every change of the others, so that two readings can be compared
    number: int = 0  # of the present stop, counted from 1 as they are shown; 0: none yet
    stop: str = ""  # the present stop, as text
    ballot: int = 0  # number of the latest question, from 1; 0: none yet
    phase: str = "over"  # of that question, one of `PHASES`
    locked: bool = False  # whether nobody new is let in
    emptied: int = 0  # how often the room was emptied: whoever was in must join anew
    lost: float = 0.0  # when the store came back empty, in seconds since 1970; 0: it never did
    picture: int = 0  # number of the stop whose picture there is


class Places(NamedTuple):
    """How full the room is."""

    taken: int  # how many students have a place
    live: int  # how many of their phones were heard of within `PRESENT_WITHIN` seconds


def _step(*, changes: bool) -> Callable[[_Method[P, T]], _Step[P, T]]:
    """Make a method of a store, which is given the tables, one step that happens wholly or not."""

    def made(method: _Method[P, T]) -> _Step[P, T]:
        @wraps(method)
        def step(self: "Store", *args: P.args, **kwargs: P.kwargs) -> T:
            def of(tables: Transaction) -> T:
                try:
                    return method(self, tables, *args, **kwargs)
                except (ValueError, TypeError, KeyError) as error:
                    raise StoreError(say("store.damaged")) from error

            try:
                return self.tables.run(of, changes=changes)
            finally:
                if changes:
                    self._read = None

        return step

    return made


class Store:
    """A class; every method may raise `StoreError`, and `OverError` when the class is over."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._known: dict[str, str] = {}  # the class, and its questions, as they were last read:
        self._asked: dict[str, str] = {}  # for tables that come back empty
        self._read: tuple[float, Now] | None = None  # when, and what; not before a change from here

    @_step(changes=True)
    def open(self, tables: Transaction, fresh: Keys) -> Keys:
        """The keys of the class that is running; `fresh` where none is, or it is over."""
        kept = tables.all(_CLASS)
        if kept and kept.get("version") != VERSION:
            raise StoreError(say("store.version"))
        # also if a clock was ahead
        if kept and tables.time - _touched(kept) < CLASS_EXPIRES_AFTER:
            kept["touched"] = str(tables.time)
        else:
            for table in (_CLASS, _BALLOTS, _PICTURE, _STUDENTS, _TIMES, *_VOTES):
                tables.delete(table)
            kept = fresh._asdict() | {"version": VERSION, "touched": str(tables.time)}
            kept["now"] = write_json(Now())
        tables.put(_CLASS, kept)
        self._known = kept
        return Keys(*(kept[name] for name in Keys._fields))

    def _class(self, tables: Transaction) -> Now:
        """What goes on; the class is written again where the tables came back empty."""
        kept = tables.all(_CLASS)
        is_lost = not kept
        if is_lost:
            before = _now(self._known)
            now = before._replace(serial=before.serial + 1, lost=tables.time)
            kept = self._known | {"now": write_json(now)}
        # whichever way a clock was set
        if abs(tables.time - _touched(kept)) >= CLASS_EXPIRES_AFTER:
            raise OverError
        if kept["secret"] != self._known["secret"]:
            raise StoreError(say("store.replaced"))
        if is_lost:
            tables.put(_CLASS, kept)
            tables.put(_BALLOTS, self._asked)
        self._known = kept
        return _now(kept)

    def _change(self, tables: Transaction, now: Now, **changes: Any) -> None:
        """Keep what every phone is told."""
        now = now._replace(serial=now.serial + 1, **changes)
        texts = {"now": write_json(now), "touched": str(tables.time)}
        tables.put(_CLASS, texts)
        self._known = self._known | texts

    def now(self, within: float = 0.0) -> Now:
        """What goes on, or went on so many seconds ago at most."""
        read, began = self._read, time.monotonic()
        if read is None or began - read[0] >= within:
            read = began, self._look() or self._restore()
            self._read = read
        return read[1]

    @_step(changes=False)
    def _look(self, tables: Transaction) -> Now | None:
        if not tables.get(_CLASS, "code"):
            return None
        now = self._class(tables)
        if now.ballot != len(self._asked):
            self._asked = tables.all(_BALLOTS)
        return now

    @_step(changes=True)
    def _restore(self, tables: Transaction) -> Now:
        return self._class(tables)

    @_step(changes=True)
    def lead(self, tables: Transaction, stop: str, picture: str = "") -> int:
        """Show another stop, which ends the question at the one before; its number."""
        now = self._class(tables)
        number, phase = now.number + 1, now.phase if stop == now.stop else "over"
        pictured = number if picture else now.picture
        if picture:
            tables.put(_PICTURE, {"stop": str(number), "text": picture})
        self._change(tables, now, number=number, stop=stop, phase=phase, picture=pictured)
        return number

    @_step(changes=True)
    def show(self, tables: Transaction, number: int, picture: str) -> bool:
        """Keep the picture of the present stop; False if this is not its number, or it has one."""
        now = self._class(tables)
        if now.number != number or now.picture == number:
            return False
        tables.put(_PICTURE, {"stop": str(number), "text": picture})
        self._change(tables, now, picture=number)
        return True

    @_step(changes=False)
    def picture(self, tables: Transaction, number: int) -> str:
        """The picture of that stop; "" if another one is kept."""
        kept = tables.all(_PICTURE)
        return kept["text"] if kept.get("stop") == str(number) else ""

    @_step(changes=True)
    def ask(self, tables: Transaction, ballot: str) -> int:
        """Ask the class; the number of the question, 0 if there have been too many."""
        now = self._class(tables)
        number = now.ballot + 1
        if number > MOST_BALLOTS:
            return 0
        tables.put(_BALLOTS, {str(number): ballot})
        self._change(tables, now, ballot=number, phase="open")
        return number

    @_step(changes=True)
    def turn(self, tables: Transaction, ballot: int, phase: str) -> bool:
        """Open, close or reveal the latest question; False if this is not it."""
        now = self._class(tables)
        if not now.ballot or now.ballot != ballot:
            return False
        self._change(tables, now, phase=phase)
        return True

    @_step(changes=False)
    def ballots(self, tables: Transaction) -> list[str]:
        """All questions in their order."""
        kept = tables.all(_BALLOTS)
        return [kept[number] for number in sorted(kept, key=int)]

    # ------------------------------------------------------------------ students

    @_step(changes=True)
    def admit(self, tables: Transaction, student: str, known: bool = False) -> str:
        """Let a student in: "in", "locked" or "full"; whoever has a place keeps it.

        A lock keeps nobody out who is `known`, as they had a place before. In a full room the
        places of those are free that were silent for `PLACE_FREED_AFTER` and have not voted.
        """
        now = self._class(tables)
        if tables.get(_STUDENTS, student) is None:
            if now.locked and not known:
                return "locked"
            heard = tables.all(_STUDENTS)
            if len(heard) >= MOST_STUDENTS:
                gone = [s for s, at in heard.items() if tables.time - float(at) > PLACE_FREED_AFTER]
                voted = tables.all(_TIMES) if gone else {}
                gone = [s for s in gone if s not in voted]
                if not gone:
                    return "full"
                tables.delete(_STUDENTS, *gone)
        tables.put(_STUDENTS, {student: str(tables.time)})
        tables.put(_CLASS, {"touched": str(tables.time)})
        return "in"

    @_step(changes=True)
    def heard(self, tables: Transaction, students: Iterable[str]) -> None:
        """Keep that the phones of these students are there; who has no place gets none by it."""
        self._class(tables)
        placed = tables.all(_STUDENTS)
        tables.put(_STUDENTS, {s: str(tables.time) for s in students if s in placed})

    @_step(changes=False)
    def places(self, tables: Transaction) -> Places:
        """How full the room is."""
        heard = tables.all(_STUDENTS).values()
        return Places(len(heard), sum(tables.time - float(at) < PRESENT_WITHIN for at in heard))

    @_step(changes=True)
    def lock(self, tables: Transaction, locked: bool) -> None:
        """Let nobody new in, or again whoever comes."""
        self._change(tables, self._class(tables), locked=locked)

    @_step(changes=True)
    def empty(self, tables: Transaction) -> None:
        """Send all out: they must join anew, and their votes on the open question go."""
        now = self._class(tables)
        tables.delete(_STUDENTS)
        tables.delete(_TIMES)
        if now.phase == "open":
            tables.delete(f"votes.{now.ballot}")
        self._change(tables, now, emptied=now.emptied + 1)

    @_step(changes=True)
    def vote(self, tables: Transaction, ballot: int, student: str, answer: str) -> str:
        """Keep a student's answer in the place of an earlier one: "counted".

        Or "closed", if the question is not open; "early", within `SECONDS_BETWEEN_VOTES` of the
        last one; "stranger", if the student has no place.
        """
        now = self._class(tables)
        if tables.get(_STUDENTS, student) is None:
            return "stranger"
        if (now.ballot, now.phase) != (ballot, "open"):
            return "closed"
        last = tables.get(_TIMES, student)
        if last is not None and abs(tables.time - float(last)) < SECONDS_BETWEEN_VOTES:
            return "early"
        at = str(tables.time)
        tables.put(f"votes.{ballot}", {student: answer})
        for table, key in ((_TIMES, student), (_STUDENTS, student), (_CLASS, "touched")):
            tables.put(table, {key: at})
        return "counted"

    @_step(changes=False)
    def answer(self, tables: Transaction, ballot: int, student: str) -> str | None:
        """What a student has answered."""
        return tables.get(f"votes.{ballot}", student)

    @_step(changes=False)
    def answers(self, tables: Transaction, ballot: int) -> list[str]:
        """Every student's answer, in no order."""
        return list(tables.all(f"votes.{ballot}").values())

    def close(self) -> None:
        """Let go of the file or the connection."""
        self.tables.close()


def _touched(kept: dict[str, str]) -> float:
    seconds = float(kept["touched"])
    if not math.isfinite(seconds):
        raise ValueError(f"touched is {seconds}")
    return seconds


def _now(kept: dict[str, str]) -> Now:
    return Now(*read_json(kept["now"], MOST_TEXT))


def open_store(where: str) -> Store:
    """Open a store: "redis://…" (or rediss:, unix:), or the path of an SQLite file.

    Raises:
        StoreError: It cannot be had; the message says why.
    """
    if not where.startswith(("redis://", "rediss://", "unix://")):
        return Store(SqliteTables(where))
    try:
        from pages.shared.course.classroom.redis_tables import RedisTables
    except ImportError:
        raise StoreError(say("store.no-redis")) from None
    return Store(RedisTables(where))
