"""Who gets in, who leads, what counts; what comes from a browser may be anything."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared.course.classroom import classroom, network, tally
from pages.shared.course.classroom.ballot import Ballot, quiz, traced
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.store import open_store
from pages.shared.course.lecture import Stop
from pages.shared.course.problem import Problem, ProblemError

ROOT = Path(__file__).resolve().parents[3]
QUESTION = Ballot("Which?", ("this", "that"), right=1)


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setattr("pages.shared.course.classroom.store.SECONDS_BETWEEN_VOTES", 0.0)
    return Classroom(open_store(str(tmp_path / "class")))


def test_the_code_is_read_as_people_type_it(room):
    assert room.student(room.join(f" {room.code[:2].lower()} {room.code[2:]} ", None))
    for wrong in ("", "xxxxx", room.code[:-1], room.code + "A", "é" * 5, "\ud800"):
        with pytest.raises(RefusedError, match="not this class’s code"):
            room.join(wrong, None)


def test_whoever_comes_again_is_the_same_student(room):
    cookie = room.join(room.code, None)
    room.store.lock(True)
    with pytest.raises(RefusedError, match="nobody new"):
        room.join(room.code, "forged.cookie")
    assert room.join(room.code, cookie) == cookie
    assert room.store.places().taken == 1


def test_a_forged_cookie_or_token_is_nobodys(room, tmp_path):
    student, _, signature = room.join(room.code, None).rpartition(".")
    other = Classroom(open_store(str(tmp_path / "another")))
    for forged in (
        None, 7, "", ".", "x", f"{student}.", f".{signature}", f"{student}.{signature}0",
        f"{student}x.{signature}", f"{student}.{signature[::-1]}", "é.é", "a" * 10_000, "\ud800.x",
    ):  # fmt: skip
        assert room.student(forged) is None
        assert not room.is_lecturer(forged)
    assert other.student(f"{student}.{signature}") is None
    assert room.is_lecturer(room.keys.token)
    assert not room.is_lecturer(room.keys.secret)


def test_a_stop_goes_round_without_the_lecturers_note(room):
    room.lead(Stop("viterbi", "ex=old-man", "<b>Best</b>", note="do not tell", minutes=5))
    assert room.stop(room.now()) == Stop("viterbi", "ex=old-man", "<b>Best</b>")
    assert "do not tell" not in room.now().stop


def test_a_forged_stop_is_none(room):
    for text in ("{", "[]", "7", '{"page": "../etc"}', '{"page": "viterbi", "query": "<", "x": 1}'):
        room.store.lead(text)
        assert room.stop(room.now()) is None


@pytest.mark.parametrize(
    "said", [None, True, -1, 2, 10**30, 0.0, "0", "<b>", [0], {"a": 1}, float("nan")]
)
def test_what_is_no_answer_is_refused(room, said):
    student = room.student(room.join(room.code, None))
    number = room.ask(QUESTION)
    with pytest.raises(RefusedError, match="choose one"):
        room.vote(student, number, QUESTION, said)
    assert room.tally(number, QUESTION).total == 0


def test_answers_that_no_server_wrote_are_not_counted():
    texts = ["1", "1", "0", "2", "-1", "true", "null", "{", '"1"', "[1]", "1e999", "NaN"]
    assert [bar.count for bar in tally.count(QUESTION, texts).bars] == [1, 2]


def test_wrong_columns_are_grouped_by_diagnosis(room):
    problem = Problem.blank(["A", "B"], ["x", "y"]).with_score("start", 1, 2)
    problem = problem.with_score("emissions", (1, 0), 0.5)
    where = {"algorithm": "forward", "convention": "state", "semiring": "sum", "space": "log"}
    ballot = Ballot.of_column("α?", ["A", "B"], "k", problem, column=1, rows=(0, 1), **where)
    assert ballot.is_of(*traced(ballot))
    assert not ballot.is_of(problem.with_score("start", 0, 1), traced(ballot)[1])
    right = [f"{value:.3f}" for value in ballot.truth]
    forgotten = [f"{ballot.truth[0] - 0.5:.3f}", right[1]]
    number = room.ask(ballot)
    for typed in (forgotten, right, [forgotten[0], ""], ["", right[1]]):
        student = room.student(room.join(room.code, None))
        assert room.vote(student, number, ballot, typed) == "counted"
    found = room.tally(number, room.ballot(number))
    counted = [(bar.label, bar.count, bar.right) for bar in found.bars]
    others = ("emission left out", 2, False), ("left empty", 1, False)
    assert counted == [("every cell", 1, True), *others]
    assert found.cells == (1, 3)
    assert "emission scores are missing" in found.bars[1].remark
    assert "Not yet a number" not in found.bars[1].remark  # only one of the two left it empty
    for bad in ([], ["1"], ["1", "2", "3"], ["1", "x" * 61], ["", " "], [1, 2], "12", None):
        with pytest.raises(RefusedError):
            room.vote(student, number, ballot, bad)
    for slip in ("1,5", "two", "½", "inf", "nan"):
        with pytest.raises(RefusedError, match=r"^B: expected a number, got"):
            room.vote(student, number, ballot, ["1", slip])
    kept = json.dumps({"typed": ["x", "1"], "kind": "unreadable", "message": "", "cells": [0, 0]})
    assert tally.count(ballot, [kept]).total == 0
    assert room.tally(number, ballot).total == 4


@pytest.mark.parametrize(("question", "options"), [("?", 1), ("?", 21), ("?" * 301, 2), (" ", 2)])
def test_a_question_is_bounded(question, options):
    with pytest.raises(ProblemError):
        Ballot(question, tuple(map(str, range(options))))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"question": "?", "options": 7, "column": null}']
)
def test_a_question_survives_the_store_and_nothing_else_is_one(text):
    assert Ballot.from_text(QUESTION.to_text()) == QUESTION
    with pytest.raises(ProblemError):
        Ballot.from_text(text)


def test_results_as_csv_hold_no_names_and_nothing_a_spreadsheet_computes():
    evil = Ballot("=1+1", ("@x", "that"), right=1)
    text = tally.to_csv([evil], [tally.count(evil, ["0", "1", "1"])])
    assert text.splitlines()[1:] == [
        "1,'=1+1,'@x,,1,0.3333333333333333",
        "1,'=1+1,that,yes,2,0.6666666666666666",
    ]


def test_the_quiz_has_five_questions_with_one_right_answer_each():
    questions = quiz()
    assert len({ballot.key for ballot in questions}) == 5
    assert [ballot.options[ballot.right] for ballot in questions] == [
        f"{5**8:,}",
        "four times",
        "the sum over all prefixes that end there",
        "log Z is at least the score of the best path",
        "0.1",
    ]


def test_the_qr_code_in_the_terminal_is_the_one_of_the_link():
    import segno

    link = "http://10.42.0.1:8501/join?code=ABCDE"
    rows = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=2)]
    lines = network.qr_in_terminal(link).splitlines()
    drawn = [line.removeprefix("\033[97;40m").removesuffix("\033[0m") for line in lines]
    upper = [[c in " ▄" for c in line] for line in drawn]
    lower = [[c in " ▀" for c in line] for line in drawn]
    assert [[bool(x) for x in row] for row in rows[::2]] == upper
    assert [[bool(x) for x in row] for row in rows[1::2]] == lower[: len(rows) // 2]
    assert len(rows) % 2
    assert not any(lower[-1])  # the paper goes on


def test_what_the_start_says():
    bases = ["http://10.42.0.1:8501"]
    link = network.lecturers_link("tok", bases)
    assert "http://10.42.0.1:8501/lead?token=tok" in link
    said = network.announcement("ABCDE", bases, "0.0.0.0", link)
    alone = network.announcement("ABCDE", ["http://127.0.0.1:8501"], "127.0.0.1", "")
    code = network.qr_in_terminal("http://10.42.0.1:8501/join?code=ABCDE")
    for part in (link, "everyone on these networks can open the app", code):
        assert part in said
    for part in ("press Enter here", "Only this machine can reach it"):
        assert part in alone
    assert all(line.startswith("\033[97;40m") for line in code.splitlines())


IN_A_TERMINAL = """
import os, time
os.open(os.ttyname(0), os.O_RDWR)  # as a shell's: keys in it are for its foreground
from pages.shared.course.classroom import network
print("asked" if network.print_when_asked("THE LINK") else "not asked", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_the_link_is_printed_at_a_press_of_enter_and_not_before():
    ours, theirs = os.openpty()

    def until(end):
        heard = b""
        while not heard.endswith(end):
            assert select.select([ours], [], [], 30)[0], heard
            heard += os.read(ours, 100)

    command, how = [sys.executable, "-c", IN_A_TERMINAL], {"stdin": theirs, "stdout": theirs}
    with subprocess.Popen(command, start_new_session=True, cwd=ROOT, **how) as process:
        try:
            until(b"asked\r\n")
            assert not select.select([ours], [], [], 0.3)[0]
            os.write(ours, b"\n")
            until(b"THE LINK\r\n")
        finally:
            process.kill()


def test_an_emptied_room_knows_nobody_until_they_join_anew(room):
    cookie = room.join(room.code, None)
    room.ask(QUESTION)
    room.store.empty()
    assert room.student(cookie) is None
    again = room.join(room.code, cookie)
    assert room.student(again)
    assert room.student(again) != cookie.rpartition(".")[0]


def test_who_lost_their_place_votes_all_the_same(room):
    student = room.student(room.join(room.code, None))
    room.ask(QUESTION)
    room.store.tables.run(lambda step: step.delete("students"), changes=True)
    assert room.vote(student, 1, QUESTION, 0) == "counted"


def test_when_a_class_is_over_its_token_and_cookies_are_nobodys(room, monkeypatch):
    cookie = room.join(room.code, None)
    clock = room.store.tables.clock
    monkeypatch.setattr(room.store.tables, "clock", lambda: clock() + 13 * 3600)
    assert room.is_over()
    assert room.student(cookie) is None
    assert not room.is_lecturer(room.keys.token)
    with pytest.raises(StoreError, match="This class is over"):
        room.join(room.code, None)


def test_what_was_tightened_is_printed_at_the_start(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(classroom, "_running", [])
    file = tmp_path / "class"
    classroom.start(str(file)).store.close()
    file.chmod(0o644)
    classroom.start(str(file)).store.close()
    assert f"{file} could be used by others (mode 0644)" in capsys.readouterr().err
