"""What a class keeps: votes that count once, a file for its owner alone, and nothing of others'."""

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.serving import ROOT
from pages.teach.classroom import store as stores
from pages.teach.classroom.store import Keys, OverError, Store, StoreError, Vote

KEYS = Keys("CODE2", "token", "secret")
OTHER = Keys("OTHER", "another", "one")


@pytest.fixture
def where(tmp_path):
    return tmp_path / "class"


@pytest.fixture
def store(where):
    store = Store(where)
    store.open(KEYS)
    yield store
    store.close()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(stores, "BETWEEN_VOTES", 0.0)


@pytest.fixture
def later(monkeypatch):
    """Sets the clock that stores go by: so many hours from now."""
    clock = Store.clock
    return lambda hours: monkeypatch.setattr(Store, "clock", lambda s: clock(s) + 3600 * hours)


def test_a_restart_finds_the_same_class(store, where):
    store.admit("ann", known=False)
    store.show("a beat")
    assert store.vote("q", "ann", Vote(3, "7")) == "counted"
    store.lock(True)
    store.close()
    again = Store(where)
    assert again.open(OTHER) == KEYS
    assert (again.shown(), again.votes("q"), again.door()) == ("a beat", [Vote(3, "7")], (0, True))
    assert (again.answer("q", "ann"), again.answer("q", "bob")) == ("7", "")
    again.close()


def test_a_vote_counts_once_and_one_a_second(store):
    assert store.vote("q", "ann", Vote(0, "a")) == "stranger"
    for phone in ("ann", "bob"):
        store.admit(phone, known=False)
    assert [store.vote("q", "ann", Vote(0, text)) for text in "ab"] == ["counted", "early"]
    assert store.vote("q", "bob", Vote(0, "b")) == "counted"
    assert store.vote("r", "ann", Vote(0, "a")) == "early"  # another question helps no hasty one
    assert [vote.answer for vote in store.votes("q")] == ["a", "b"]


def test_an_answer_can_be_changed(store, quick):
    store.admit("ann", known=False)
    for text in "abc":
        assert store.vote("q", "ann", Vote(0, text)) == "counted"
    assert store.votes("q") == [Vote(0, "c")]


CHANGES = {
    "show": lambda store: store.show("x"),
    "join": lambda store: store.admit("bob", known=False),
    "vote": lambda store: store.vote("q", "ann", Vote(0, "a")),
    "lock": lambda store: store.lock(True),
    "empty": lambda store: store.empty(""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_class_lives_twelve_hours_after_any_change(store, where, quick, later, change):
    store.admit("ann", known=False)
    later(11)
    CHANGES[change](store)
    later(22)
    store.taken()  # looking keeps no class alive
    later(23.5)
    for act in (*CHANGES.values(), Store.taken, Store.door, Store.shown):
        with pytest.raises(OverError):
            act(store)
    second = Store(where)
    assert second.open(OTHER) == OTHER
    assert (second.taken(), second.shown(), second.votes("q")) == (0, "", [])
    second.close()


@pytest.mark.parametrize("hours", [-9000, 9000])
def test_the_machine_s_clock_may_be_set_during_a_class(store, monkeypatch, hours):
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600 * hours)
    store.show("one")
    assert abs(store.clock() - now()) < 60


def test_a_locked_room_lets_nobody_new_in(store):
    store.admit("ann", known=False)
    store.lock(True)
    assert [store.admit(phone, known=False) for phone in ("bob", "ann")] == ["locked", "in"]
    assert store.admit("cat", known=True) == "in"
    store.lock(False)
    assert store.admit("bob", known=False) == "in"
    assert [store.place(phone) for phone in ("ann", "cat", "bob", "dan")] == [0, 1, 2, None]


def test_an_emptied_room_is_empty_and_votes_of_the_open_question_go(store, quick):
    store.admit("ann", known=False)
    for question in "qr":
        store.vote(question, "ann", Vote(0, "a"))
    store.empty("r")
    assert (store.taken(), store.door()) == (0, (1, False))
    assert (store.votes("q"), store.votes("r")) == ([Vote(0, "a")], [])
    assert store.vote("r", "ann", Vote(0, "a")) == "stranger"


def test_a_full_room_frees_the_places_of_who_is_silent_and_has_not_voted(store, later, monkeypatch):
    monkeypatch.setattr(stores, "MOST_PHONES", 3)
    phones = ("ann", "bob", "cat", "dan")
    assert [store.admit(one, known=False) for one in phones] == ["in"] * 3 + ["full"]
    store.vote("q", "ann", Vote(0, "a"))
    later(0.2)
    assert store.admit("dan", known=False, present=["bob"]) == "in"
    assert [store.place(phone) is None for phone in phones] == [False, False, True, False]
    assert store.admit("eve", known=False, present=["bob"]) == "full"


def test_votes_of_eighty_at_once_are_all_counted(store):
    phones = [f"p{k}" for k in range(80)]
    for phone in phones:
        store.admit(phone, known=False)
    with ThreadPoolExecutor(8) as pool:
        said = set(pool.map(lambda phone: store.vote("q", phone, Vote(0, phone)), phones))
    assert said == {"counted"}
    assert sorted(vote.answer for vote in store.votes("q")) == sorted(phones)


VOTES = """
import sys
from pages.teach.classroom.store import Keys, Store, Vote
store = Store(sys.argv[1])
store.open(Keys("CODE2", "token", "secret"))
for k in range(400):
    print(k, store.vote("q", f"p{k}", Vote(0, str(k % 3))), flush=True)
"""


def test_no_confirmed_vote_is_lost_when_the_server_is_killed_in_the_middle(store, where):
    for k in range(400):
        store.admit(f"p{k}", known=False)
    command, confirmed = [sys.executable, "-c", VOTES, where], {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        ending = threading.Timer(60, server.kill)  # whatever happens
        ending.start()
        assert server.stdout is not None
        for line in server.stdout:
            if not line.endswith("\n"):  # the server was killed while it wrote
                break
            k, said = line.split()
            assert said == "counted"
            confirmed[k] = str(int(k) % 3)
            if len(confirmed) == 150:
                server.kill()
        ending.cancel()
    assert 150 <= len(confirmed) < 400
    again = Store(where)  # started again
    assert again.open(OTHER) == KEYS
    assert all(again.answer("q", f"p{k}") == answer for k, answer in confirmed.items())
    assert len(again.votes("q")) in (len(confirmed), len(confirmed) + 1)  # one may be unconfirmed
    again.close()


# ---------------------------------------------------------------------- what can go wrong


def test_a_full_disk_is_a_sentence_and_nothing_kept_is_lost(store, where, quick):
    store.admit("ann", known=False)
    store.show("one")
    pages = store.file.execute("PRAGMA page_count").fetchone()[0]
    store.file.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=rf"disk is full.*{where}.*kept before is safe") as full:
        store.show("x" * 1_000_000)
    assert "lecturer’s computer is full" in full.value.public
    assert str(where) not in full.value.public
    store.file.execute("PRAGMA max_page_count = 100000")
    assert store.shown() == "one"
    assert store.vote("q", "ann", Vote(0, "a")) == "counted"


def test_a_file_that_is_none_is_a_sentence(tmp_path):
    (tmp_path / "class").write_text("no database, whatever it is called " * 100)
    for path, why in (
        (tmp_path / "class", "holds no class: another program"),
        ("/dev/null", "it is no file"),
        ("/proc/nowhere/class", "cannot be used"),
    ):
        with pytest.raises(StoreError, match=why):
            Store(path)


@pytest.mark.parametrize("value", ["yesterday", None, float("nan")])
def test_a_value_that_cannot_be_read_is_a_sentence(store, value):
    store.file.execute("UPDATE class SET touched = ?", (value,))
    with pytest.raises(StoreError, match=r"cannot be read\. Nothing in it was changed"):
        store.open(OTHER)


def test_the_file_is_for_its_owner_alone(store, where):
    parts = sorted(where.parent.iterdir())
    assert len(parts) == 3  # with -wal and -shm
    assert not any(part.stat().st_mode & 0o077 for part in parts)
    for part in parts:
        part.chmod(0o644)
    again = Store(where)
    assert not any(part.stat().st_mode & 0o077 for part in parts)
    assert len(again.notes) == 3
    assert f"{where} could be used by others (mode 0644)" in again.notes[0]
    again.close()


@pytest.mark.parametrize(
    ("pragmas", "why"),
    [("", "another program"), (f"PRAGMA application_id={stores.APPLICATION}", "another version")],
)
def test_a_database_of_another_program_is_refused_untouched(where, pragmas, why):
    with sqlite3.connect(where) as other:
        other.executescript(f"{pragmas}; PRAGMA user_version = 2; CREATE TABLE theirs (x)")
    before = where.read_bytes()
    with pytest.raises(StoreError, match=f"{why}.*Nothing in it was changed"):
        Store(where)
    assert where.read_bytes() == before
