"""Both stores do the same: one class, its stop, its questions, one answer of each student."""

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.shared.contents import ROOT
from pages.shared.course.classroom import store as stores
from pages.shared.course.classroom.sqlite_tables import APPLICATION
from pages.shared.course.classroom.store import Keys, Now, OverError, Places, Store, open_store
from pages.shared.course.classroom.tables import StoreError

PASSWORD = "CRF_REDIS_PASSWORD"
KEYS = Keys("CODE2", "token", "secret")
OTHER = Keys("ZZZZZ", "x", "y")


@pytest.fixture
def store(where):
    opened = open_store(where)
    assert opened.open(KEYS) == KEYS
    yield opened
    opened.close()


@pytest.fixture
def quick(monkeypatch):
    """Students may vote as fast as they like."""
    monkeypatch.setattr(stores, "SECONDS_BETWEEN_VOTES", 0.0)


def test_stops_have_running_numbers_and_every_change_is_counted(store):
    assert store.now() == Now(0, 0, "", 0, "over")
    assert not store.turn(1, "closed")
    assert [store.lead("one"), store.lead("two")] == [1, 2]
    assert store.now() == Now(2, 2, "two", 0, "over")
    assert [store.ask("which?"), store.turn(1, "closed")] == [1, True]
    assert store.now() == Now(4, 2, "two", 1, "closed")
    assert [store.ask("and now?"), store.turn(1, "revealed")] == [2, False]  # no longer the latest
    assert store.now() == Now(5, 2, "two", 2, "open")


def test_a_stop_has_one_picture_until_the_next(store):
    assert store.lead("one", "flow") == 1
    assert (store.now().picture, store.picture(1)) == (1, "flow")
    assert store.lead("two") == 2
    assert (store.now().picture, store.picture(2)) == (1, "")
    assert [store.show(1, "late"), store.show(2, "heat"), store.show(2, "again")] == [0, 1, 0]
    assert (store.now().picture, store.picture(1), store.picture(2)) == (2, "", "heat")


def test_another_server_or_a_restart_finds_the_same_class(store, where, quick):
    store.lead("one")
    store.ask("which?")
    store.admit("ann")
    store.vote(1, "ann", "7")
    store.close()
    again = open_store(where)
    assert again.open(OTHER) == KEYS
    assert again.now() == Now(2, 1, "one", 1, "open")
    assert (again.ballots(), again.answers(1), again.answer(1, "ann")) == (["which?"], ["7"], "7")
    again.close()


def test_a_vote_counts_once_and_can_be_changed_until_closed(store, quick):
    assert store.ask("which?") == 1
    assert store.vote(1, "ann", "0") == "stranger"
    store.admit("ann")
    assert [store.vote(1, "ann", text) for text in "012"] == ["counted"] * 3
    assert store.answers(1) == ["2"]
    store.turn(1, "closed")
    assert store.vote(1, "ann", "0") == "closed"
    store.turn(1, "open")
    assert store.vote(1, "ann", "1") == "counted"
    store.ask("and now?")
    assert store.vote(1, "ann", "0") == "closed"
    assert (store.answers(1), store.answers(2), store.answer(2, "ann")) == (["1"], [], None)


def test_one_vote_a_second_and_nobody_else_waits(store):
    for student in ("ann", "bob"):
        store.admit(student)
    store.ask("which?")
    assert [store.vote(1, "ann", "0"), store.vote(1, "ann", "1")] == ["counted", "early"]
    assert store.vote(1, "bob", "1") == "counted"
    store.ask("a new one does not help the hasty")
    assert store.vote(2, "ann", "1") == "early"


@pytest.mark.parametrize("hours", [-2.0, 2.0])
def test_a_server_whose_clock_differs_serves_the_same_class(
    store, where, quick, monkeypatch, hours
):
    store.lead("one")
    store.ask("which?")
    store.admit("ann")
    assert store.vote(1, "ann", "0") == "counted"
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600 * hours)
    other = open_store(where)
    assert other.open(OTHER) == KEYS
    assert (other.vote(1, "ann", "1"), store.answers(1)) == ("counted", ["1"])
    assert [other.lead("two"), store.now().number] == [2, 2]
    other.close()


@pytest.fixture
def later(store, monkeypatch):
    """Sets the clock that the store goes by: so many hours from now."""
    clock = store.tables.clock
    return lambda hours: monkeypatch.setattr(
        store.tables, "clock", lambda *client: clock(*client) + 3600 * hours
    )


CHANGES = {
    "stop": lambda store: store.lead("one"),
    "question": lambda store: store.ask("which?"),
    "close": lambda store: store.turn(store.now().ballot, "closed"),
    "join": lambda store: store.admit("bob"),
    "vote": lambda store: store.vote(store.now().ballot, "ann", "1"),
    "lock": lambda store: store.lock(True),
    "empty": lambda store: store.empty(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_class_lives_twelve_hours_after_any_change(store, quick, later, change):
    store.admit("ann")
    store.ask("which?")
    later(11)
    assert CHANGES[change](store) != "closed"
    later(22)
    assert store.now().ballot
    store.heard(["ann"])  # phones alone keep no class alive
    later(23.5)
    for act in (*CHANGES.values(), Store.now, lambda store: store.heard(["ann"])):
        with pytest.raises(OverError):
            act(store)


@pytest.mark.parametrize("hours", [-9000, 9000])
def test_a_clock_that_is_set_makes_no_class_endless(store, where, later, hours):
    """The tables' own clock jumps, as that of a Redis server may; SQLite's does not."""
    store.lead("one")
    later(hours)
    with pytest.raises(OverError):
        store.now()
    fresh = open_store(where)
    fresh.tables.clock = store.tables.clock
    assert fresh.open(OTHER) == (KEYS if hours < 0 else OTHER)
    fresh.now()
    later(hours + 12.1)
    fresh.tables.clock = store.tables.clock
    with pytest.raises(OverError):
        fresh.now()
    fresh.close()


@pytest.mark.parametrize("hours", [-9000, 9000])
def test_the_servers_clock_may_be_set_during_a_class(tmp_path, monkeypatch, hours):
    store = open_store(str(tmp_path / "class"))
    store.open(KEYS)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600 * hours)
    assert store.lead("one") == 1
    assert abs(store.tables.clock() - now()) < 60
    store.close()


def test_a_store_that_came_back_empty_is_written_again(store, later, quick):
    store.lead("one")
    store.ask("which?")
    store.admit("ann")
    store.vote(1, "ann", "1")
    store.ask("and now?")
    store.now()
    wipe(store)
    kept = store.now()
    assert (kept.number, kept.stop, kept.ballot, kept.phase) == (1, "one", 2, "open")
    assert abs(kept.lost - time.time()) < 60
    assert (store.ballots(), store.answers(1)) == (["which?", "and now?"], [])
    wipe(store)
    assert store.lead("two") == 2
    later(13)
    wipe(store)
    with pytest.raises(OverError):  # it is not brought back from the dead
        store.now()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("touched", "yesterday"),
        ("touched", "nan"),
        ("now", "{"),
        ("now", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"),
    ],
)
def test_a_store_with_a_value_that_cannot_be_read_is_refused_untouched(store, where, name, value):
    store.tables.run(lambda tables: tables.put("class", {name: value}), changes=True)
    before = store.tables.run(lambda tables: dict(tables.all("class")), changes=False)
    fresh = open_store(where)
    for use in (lambda: fresh.open(OTHER) and fresh.now(), store.now, lambda: store.lead("one")):
        with pytest.raises(StoreError, match=r"cannot be read.*Nothing in it was changed"):
            use()
    fresh.close()
    after = store.tables.run(lambda tables: dict(tables.all("class")), changes=False)
    assert after[name] == before[name] == value


def test_another_class_in_the_place_of_this_one_is_said(store, where):
    wipe(store)
    other = open_store(where)
    assert other.open(OTHER) == OTHER
    with pytest.raises(StoreError, match="Another class has taken the place"):
        store.now()
    other.close()


def wipe(store):
    """All tables gone, as after a Redis server lost its memory."""
    for name in ("class", "ballots", "picture", "students", "times", *stores._VOTES):
        store.tables.run(lambda step, name=name: step.delete(name), changes=True)


def test_a_locked_room_lets_nobody_new_in(store):
    store.admit("ann")
    store.lock(True)
    assert store.now().locked
    assert [store.admit("bob"), store.admit("ann")] == ["locked", "in"]
    assert store.admit("cat", known=True) == "in"
    store.lock(False)
    assert store.admit("bob") == "in"


def test_an_emptied_room_is_empty_and_votes_of_the_open_question_go(store, quick):
    store.admit("ann")
    for question in ("which?", "and now?"):
        store.ask(question)
        store.vote(store.now().ballot, "ann", "1")
    store.empty()
    assert (store.places(), store.answers(1), store.answers(2)) == (Places(0, 0), ["1"], [])
    assert (store.now().emptied, store.vote(2, "ann", "1")) == (1, "stranger")


def test_silent_places_without_a_vote_are_free_again(store, monkeypatch, later, quick):
    monkeypatch.setattr(stores, "MOST_STUDENTS", 3)
    store.ask("which?")
    for student in ("ann", "bob", "cat"):
        store.admit(student)
    store.vote(1, "ann", "1")
    later(0.15)
    assert store.places() == Places(3, 0)
    store.heard(["bob", "eve"])
    assert store.places() == Places(3, 1)
    later(0.2)
    assert [store.admit("dan"), store.admit("eve")] == ["in", "full"]  # cat was silent
    assert [store.vote(1, student, "1") for student in ("ann", "cat")] == ["counted", "stranger"]


def test_the_room_and_the_list_of_questions_are_bounded(store, monkeypatch):
    monkeypatch.setattr(stores, "MOST_STUDENTS", 2)
    monkeypatch.setattr(stores, "MOST_BALLOTS", 1)
    assert [store.admit(s) for s in ("ann", "bob", "cat", "ann")] == ["in", "in", "full", "in"]
    assert (store.places().taken, store.ask("one"), store.ask("two")) == (2, 1, 0)
    assert store.now().ballot == 1


def test_votes_of_eighty_at_once_are_all_counted(store):
    students = [f"s{k}" for k in range(80)]
    for student in students:
        store.admit(student)
    store.ask("which?")
    with ThreadPoolExecutor(8) as pool:
        said = set(pool.map(lambda student: store.vote(1, student, student), students))
    assert (said, sorted(store.answers(1))) == ({"counted"}, sorted(students))


VOTES = """
import sys
from pages.shared.course.classroom.store import Keys, open_store
store = open_store(sys.argv[1])
store.open(Keys("CODE2", "token", "secret"))
for k in range(400):
    print(k, store.vote(1, f"s{k}", str(k % 3)), flush=True)
"""


def test_no_confirmed_vote_is_lost_when_the_server_is_killed_in_the_middle(store, where):
    for k in range(400):
        store.admit(f"s{k}")
    store.ask("which?")
    command = [sys.executable, "-c", VOTES, where]
    confirmed = {}
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
    again = open_store(where)  # started again
    assert again.open(OTHER) == KEYS
    assert again.now().phase == "open"
    assert all(again.answer(1, f"s{k}") == answer for k, answer in confirmed.items())
    assert len(again.answers(1)) in (len(confirmed), len(confirmed) + 1)  # one may be unconfirmed
    last = len(confirmed)
    assert again.vote(1, f"s{last}", "2") in ("counted", "early")  # whose phone sends it once more
    assert len(again.answers(1)) == last + 1
    again.close()


def test_a_class_that_is_over_makes_room_for_another(store, where, later):
    store.admit("ann")
    store.lead("one")
    store.ask("which?")
    assert store.vote(1, "ann", "0") == "counted"
    later(13)
    second = open_store(where)
    second.tables.clock = store.tables.clock
    assert second.open(OTHER) == OTHER
    assert (second.now(), second.ballots(), second.places().taken) == (Now(), [], 0)
    assert (second.ask("which?"), second.answers(1)) == (1, [])
    second.close()


# ---------------------------------------------------------------------- what can go wrong


def test_a_full_disk_is_a_sentence_and_nothing_kept_is_lost(tmp_path, quick):
    store = open_store(str(tmp_path / "class"))
    store.open(KEYS)
    store.admit("ann")
    store.ask("which?")
    pages = store.tables._file.execute("PRAGMA page_count").fetchone()[0]
    store.tables._file.execute(f"PRAGMA max_page_count = {pages}")

    def ask_on():
        for k in range(400):
            store.ask(f"{k}" * 3000)

    with pytest.raises(StoreError, match=rf"disk is full.*{tmp_path}/class.*kept before is safe"):
        ask_on()
    assert store.now().phase == "open"
    store.tables._file.execute("PRAGMA max_page_count = 100000")
    assert store.vote(store.now().ballot, "ann", "1") == "counted"
    assert store.ballots()[0] == "which?"
    store.close()


def test_a_file_that_is_none_is_a_sentence(tmp_path):
    (tmp_path / "class").write_text("no database, whatever it is called " * 100)
    with pytest.raises(StoreError, match="holds no class: another program"):
        open_store(str(tmp_path / "class"))
    with pytest.raises(StoreError, match="it is no file"):
        open_store("/dev/null")
    with pytest.raises(StoreError, match="cannot be used"):
        open_store("/proc/nowhere/class")


def test_the_file_is_for_its_owner_alone(tmp_path):
    file = tmp_path / "class"
    store = open_store(str(file))
    store.open(KEYS)
    parts = sorted(tmp_path.iterdir())
    assert len(parts) == 3  # with -wal and -shm
    assert not any(part.stat().st_mode & 0o077 for part in parts)
    for part in parts:
        part.chmod(0o644)
    again = open_store(str(file))
    assert not any(part.stat().st_mode & 0o077 for part in parts)
    assert len(again.tables.notes) == 3
    assert str(file) in again.tables.notes[0]
    assert "0644" in again.tables.notes[0]
    assert again.open(OTHER) == KEYS
    again.close()
    store.close()


OURS_OF_OLD = """
CREATE TABLE students (student TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE ballots (number INTEGER PRIMARY KEY, ballot TEXT);
INSERT INTO students VALUES ('ann'); INSERT INTO ballots VALUES (1, 'of another program');
"""


@pytest.mark.parametrize(
    "pragmas",
    ["", "PRAGMA application_id = 7;", "PRAGMA application_id = {}; PRAGMA user_version = 9;"],
)
@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_database_of_another_program_is_refused_untouched(tmp_path, pragmas, journal):
    file = tmp_path / "their.db"
    theirs = sqlite3.connect(file)
    theirs.executescript(f"PRAGMA journal_mode = {journal};" + OURS_OF_OLD)
    theirs.executescript(pragmas.format(APPLICATION))
    before = {part: part.read_bytes() for part in tmp_path.iterdir()}
    file.chmod(0o644)
    with pytest.raises(StoreError, match=r"holds no class: another .* Nothing in it was changed"):
        open_store(str(file))
    assert {part: part.read_bytes() for part in tmp_path.iterdir()} == before
    assert file.stat().st_mode & 0o777 == 0o644
    assert theirs.execute("SELECT * FROM students").fetchall() == [("ann",)]
    theirs.close()


def test_a_redis_database_of_another_version_is_refused_untouched(redis_url):
    import redis

    with redis.Redis.from_url(redis_url, decode_responses=True) as server:
        server.flushall()
        server.hset("crf-class:class", mapping={"code": "OLD22"})
        with pytest.raises(StoreError, match="another version"):
            open_store(redis_url).open(KEYS)
        assert server.hgetall("crf-class:class") == {"code": "OLD22"}
        server.delete("crf-class:class")
        server.set("crf-class:class", "another program's")
        with pytest.raises(StoreError, match="refuses"):
            open_store(redis_url).open(KEYS)
        assert server.get("crf-class:class") == "another program's"
        server.flushall()


def test_a_redis_password_comes_from_the_environment(redis_url, monkeypatch):
    import redis

    with pytest.raises(StoreError, match=f"environment’s {PASSWORD}"):
        open_store(redis_url.replace("redis://", "redis://:secret@"))
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("requirepass", "long and secret")
        try:
            for wrong in ("", "other"):
                monkeypatch.setenv(PASSWORD, wrong)
                with pytest.raises(StoreError, match=f"another password.*{PASSWORD}"):
                    open_store(redis_url)
            monkeypatch.setenv(PASSWORD, "long and secret")
            open_store(redis_url).close()
        finally:
            server.config_set("requirepass", "")


def test_a_redis_server_that_is_not_there_is_a_sentence():
    pytest.importorskip("redis", reason="redis is not installed (requirements-redis.txt)")
    with pytest.raises(StoreError, match="Is it running"):
        open_store("redis://127.0.0.1:1/0")
