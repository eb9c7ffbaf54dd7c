"""Both stores do the same: one class, its stop, its questions, one answer of each student."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.shared.course.classroom import store as stores
from pages.shared.course.classroom.store import Keys, Now, StoreError, open_store

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
    for module in ("sqlite_store", "redis_store"):
        monkeypatch.setattr(f"pages.shared.course.classroom.{module}.PAUSE", 0.0, raising=True)


def test_stops_have_running_numbers_and_every_change_is_counted(store):
    assert store.now() == Now(0, 0, "", 0, "over")
    assert [store.lead("one"), store.lead("two")] == [1, 2]
    assert store.now() == Now(2, 2, "two", 0, "over")
    assert [store.ask("which?"), store.turn(1, "closed")] == [1, True]
    assert store.now() == Now(4, 2, "two", 1, "closed")


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
    store.admit("ann")
    assert store.ask("which?") == 1
    assert [store.vote(1, "ann", text) for text in "012"] == ["counted"] * 3
    assert store.answers(1) == ["2"]
    store.turn(1, "closed")
    assert store.vote(1, "ann", "0") == "closed"
    store.turn(1, "open")
    assert store.vote(1, "ann", "1") == "counted"
    store.ask("and now?")
    assert store.vote(1, "ann", "0") == "closed"
    assert (store.answers(1), store.answers(2), store.answer(2, "ann")) == (["1"], [], None)


def test_who_is_not_in_the_class_cannot_vote(store):
    store.ask("which?")
    assert store.vote(1, "eve", "0") == "stranger"
    assert store.answers(1) == []


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


def test_who_slept_through_stops_and_questions_hears_where_the_class_is(store):
    store.admit("ann")
    slept = store.now()
    for stop in ("one", "two", "three"):
        store.lead(stop)
        store.ask(f"what of {stop}?")
    woken = store.now()
    assert woken.serial > slept.serial
    assert (woken.number, woken.stop, woken.ballot, woken.phase) == (3, "three", 3, "open")
    assert store.vote(3, "ann", "0") == "counted"


def test_only_the_latest_question_is_turned(store):
    assert not store.turn(1, "closed")
    store.ask("one")
    store.ask("two")
    assert not store.turn(1, "revealed")
    assert store.now().phase == "open"


def test_the_room_and_the_list_of_questions_are_bounded(store, monkeypatch):
    for module in ("sqlite_store", "redis_store"):
        monkeypatch.setattr(f"pages.shared.course.classroom.{module}.MOST_STUDENTS", 2)
        monkeypatch.setattr(f"pages.shared.course.classroom.{module}.MOST_BALLOTS", 1)
    assert [store.admit(s) for s in ("ann", "bob", "cat", "ann")] == [True, True, False, True]
    assert (store.students(), store.ask("one"), store.ask("two")) == (2, 1, 0)
    assert store.now().ballot == 1


def test_votes_of_eighty_at_once_are_all_counted(store):
    students = [f"s{k}" for k in range(80)]
    for student in students:
        store.admit(student)
    store.ask("which?")
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda student: store.vote(1, student, student), students))
    assert said == ["counted"] * 80
    assert sorted(store.answers(1)) == sorted(students)


def test_a_class_that_is_over_makes_room_for_another(store, where, monkeypatch):
    store.admit("ann")
    store.lead("one")
    store.ask("which?")
    assert store.vote(1, "ann", "0") == "counted"
    if where.startswith("redis"):
        ends = [store._redis.ttl(key) for key in store._redis.keys()]
        assert len(ends) == 5
        assert all(0 < end <= stores.LIFE for end in ends)
        store._redis.pexpire("crf-class", 0)
        with pytest.raises(StoreError, match="the class is over"):
            store.lead("two")
    else:
        monkeypatch.setattr("pages.shared.course.classroom.sqlite_store.LIFE", 0.0)
    second = open_store(where)
    assert second.open(OTHER) == OTHER
    assert (second.now(), second.ballots(), second.students()) == (Now(), [], 0)
    assert (second.ask("which?"), second.answers(1)) == (1, [])
    second.close()


# ---------------------------------------------------------------------- what can go wrong


def test_a_full_disk_is_a_sentence_and_nothing_kept_is_lost(tmp_path, quick):
    store = open_store(str(tmp_path / "class"))
    store.open(KEYS)
    store.admit("ann")
    store.ask("which?")
    pages = store._file.execute("PRAGMA page_count").fetchone()[0]
    store._file.execute(f"PRAGMA max_page_count = {pages}")

    def ask_on():
        for k in range(1000):
            store.ask(f"{k}" * 3000)

    with pytest.raises(StoreError, match=r"disk is full.*kept before is safe"):
        ask_on()
    assert store.now().phase == "open"
    store._file.execute("PRAGMA max_page_count = 100000")
    assert store.vote(store.now().ballot, "ann", "1") == "counted"
    assert store.ballots()[0] == "which?"
    store.close()


def test_a_file_that_is_none_is_a_sentence(tmp_path):
    (tmp_path / "class").write_text("no database, whatever it is called " * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        open_store(str(tmp_path / "class"))
    with pytest.raises(StoreError, match="cannot be used"):
        open_store("/proc/nowhere/class")


def test_the_file_is_for_its_owner_alone(tmp_path):
    open_store(str(tmp_path / "class")).close()
    assert (tmp_path / "class").stat().st_mode & 0o077 == 0


def test_a_redis_server_that_is_not_there_is_a_sentence():
    pytest.importorskip("redis", reason="redis is not installed (requirements-redis.txt)")
    with pytest.raises(StoreError, match="Is it running"):
        open_store("redis://127.0.0.1:1/0")
