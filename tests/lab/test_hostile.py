"""Hostile homeworks: each ends in one sentence, and the rest of the folder is checked.

They stand in a folder that is checked once, because each costs a process; loops stand in another,
with short limits, because each takes as long as it may.
"""

import csv
import os
import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from crf.__main__ import main
from crf.lab import process
from crf.lab.homework import ANSWER_LIMIT

RIGHT = (Path(__file__).parent / "right" / "plain_lists.py").read_text(encoding="utf-8")
FORWARD = "def forward(emissions, transitions, start, end):\n    "


def answering(value: str) -> str:
    """A homework whose forward gives this."""
    return f"{FORWARD}return {value}"


def doing(*lines: str) -> str:
    """A homework whose forward does this."""
    return FORWARD + "\n    ".join(lines)


CHANNEL = "import os\n" + doing(
    "for fd in range(3, 20):",
    "    try: os.write(fd, {!r})",
    "    except OSError: pass",
)
LEAVES = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "HERE"], **MORE)
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("HERE", "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
"""
ENDED = "the process ended without an answer"
GARBLED = process.NO_ANSWER
PRINTS = "it prints more than 10,000,000 bytes"

LOOPS: dict[str, tuple[str | bytes, str]] = {  # in a folder with short limits
    "loop": (doing("while True: pass"), "no answer within 0.5 s: does a loop never end?"),
    "loop_at_import": ("while True: pass", "the file itself runs for over 1.5 s"),
    "ignores_signals": (
        "import signal\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"
        + doing("while True: pass"),
        "no answer within 0.5 s: does a loop never end?",
    ),
}
KINDS: dict[str, tuple[str | bytes, str]] = {
    # numbers
    "int_beyond_float": (answering("[[10**400] * len(start)] * len(emissions)"), "of 1329 bits"),
    "int_beyond_text": (answering("10**5000"), "of 16610 bits"),
    "text": (answering("'much'"), "expected numbers in lists, arrays or tensors, got str"),
    "nothing": (doing("pass"), "does the function return its answer?"),
    "generator": (doing("yield 1"), "got generator"),
    "ragged": (answering("[[1.0], [2.0, 3.0]]"), "expected shape [2][2], got shape [2][?]"),
    "list_in_itself": (doing("x = []", "x.append(x)", "return x"), "RecursionError"),
    "deep": (doing("x = 1", "for _ in range(300): x = [x]", "return x"), GARBLED),
    "too_large": (answering("[0.0] * 500_000"), "its answer is too large"),
    "changes_arguments": (
        doing("start[0] = object()", "return [start]"),
        "got object",
    ),
    "argument_becomes_text": (
        doing("start[0] = 'x'", "return emissions"),
        "changes what it is given: start",
    ),
    "hostile_attribute": (
        "class A:\n    def __getattr__(self, name): raise SystemExit(3)\n" + answering("A()"),
        "SystemExit: 3",
    ),
    # errors
    "surrogate": (doing(r"raise ValueError('\udc80 caf\udce9')"), r"ValueError: \udc80 caf\udce9"),
    "escape": (doing(r"raise ValueError('\x1b]0;owned\x07\x9b31m\u202e')"), r"ValueError: \x1b]0;"),
    "escape_in_name": (
        r"Bad = type('\x1b[2J', (Exception,), {})" + "\n" + doing("raise Bad('x')"),
        r"\x1b[2J: x",
    ),
    "many_lines": (doing(r"raise ValueError('one\ntwo\r\nthree')"), "ValueError: one two three"),
    "long_message": (doing("raise ValueError('x' * 10**7)"), "ValueError: xxx"),
    "no_message": (
        "class Bad(Exception):\n    def __str__(self): raise self\n" + doing("raise Bad"),
        "Bad: no message",
    ),
    "interrupt": (doing("raise KeyboardInterrupt"), "KeyboardInterrupt"),
    "own_base": ("class Bad(BaseException): pass\n" + doing("raise Bad('no')"), "Bad: no"),
    "recursion": (doing("return forward(emissions, transitions, start, end)"), "RecursionError"),
    "wrong_arguments": (
        "def forward(emissions, end): pass",
        "expected the arguments emissions, transitions, start, end, got emissions, end; keep",
    ),
    "hostile_signature": (
        f"{RIGHT}\nforward.__signature__ = 5",
        "TypeError: unexpected object 5 in __signature__",
    ),
    # what the file says
    "option": ("CHECK_WITH = {'space': 'logs'}", "CHECK_WITH: options: expected some of space"),
    "options_list": ("CHECK_WITH = ['log']", "CHECK_WITH: expected a dictionary, got list"),
    "options_escape": (r"CHECK_WITH = {'\x1b[2J': '\udc80'}", r"got \x1b[2J"),
    "options_object": (
        "class A:\n    def __str__(self): raise ValueError('hidden')\nCHECK_WITH = {'space': A()}",
        "ValueError: hidden",
    ),
    "syntax": ("def forward(:", "SyntaxError"),
    "null_byte": (b"x = 1\0", "null bytes"),
    "latin_1": ("x = 'caf\xe9'".encode("latin-1"), "SyntaxError"),
    "no_module": ("import no_such_thing", "ModuleNotFoundError"),
    "neighbour": ("import a_good", "No module named 'a_good'"),
    "zero_at_import": ("1 / 0", "ZeroDivisionError"),
    # ends and crashes
    "exit_at_import": ("exit()", "SystemExit"),
    "quit_at_import": ("import os\nos._exit(0)", ENDED),
    "quit": ("import os\n" + doing("os._exit(0)"), ENDED),
    "crash": ("import ctypes\n" + doing("ctypes.string_at(0)"), ENDED),
    "kills_group": ("import os\n" + doing("os.killpg(0, 9)"), ENDED),
    "memory": (answering("[0] * 10**12"), "MemoryError"),
    "memory_grows": (
        doing("x = []", "while True: x.append(bytes(10**9))"),
        "MemoryError",
    ),
    "removes_itself": ("import os\nos.remove(__file__)\n" + doing("1 / 0"), "ZeroDivisionError"),
    # prints, writes or waits without end
    "prints": (doing("while True: print('x' * 500)"), PRINTS),
    "prints_at_import": ("while True: print('x' * 1000)", PRINTS),
    "prints_without_lines": (doing("while True: print('x' * 10**7, end='')"), PRINTS),
    "prints_errors": ("import os\n" + doing("while True: os.write(2, b'x' * 9999)"), PRINTS),
    "prints_from_a_child": (
        "import subprocess\n" + doing("subprocess.run(['yes', 'x' * 5000])"),
        PRINTS,
    ),
    "file_without_end": (
        doing("with open('big', 'w') as f:", "    while True: f.write('x' * 10**6)"),
        "File too large",
    ),
    "waits_for_input": (doing("input()"), "EOFError"),
    "waits_at_import": ("input()", "EOFError"),
    # the channel of the answers
    "forged_text": (CHANNEL.format(b"hello\n"), GARBLED),
    "forged_number": (CHANNEL.format(b"5\n"), GARBLED),
    "forged_fields": (CHANNEL.format(b'{"value": {"a": 1}, "mutated": []}\n'), GARBLED),
    "forged_names": (CHANNEL.format(b'{"value": [], "mutated": [[]]}\n'), GARBLED),
    "forged_depth": (CHANNEL.format(b'{"error": ' + b"[" * 10**5 + b"\n"), GARBLED),
    "forged_escape": (CHANNEL.format(b'{"error": "\\u001b[2J\\udc80 me"}\n'), r"\x1b[2J\udc80 me"),
    "forged_int": (CHANNEL.format(b'{"value": 1' + b"0" * 400 + b', "mutated": []}\n'), GARBLED),
    "forged_without_end": (
        "import os\n"
        + doing(
            "while True:", "    for fd in range(3, 9):", "        try: os.write(fd, b'x' * 999)"
        )
        + "\n            except OSError: pass",
        GARBLED,
    ),
    "answers_ahead": (
        CHANNEL.format(b'{"value": 1.0, "mutated": []}\n' * 20) + "\n    while True: pass",
        "expected shape [2][2], got one number",
    ),
    "closes_all": ("import os\n" + doing("os.closerange(0, 100)"), ENDED),
    "forks": ("import os\nos.fork()\n" + doing("1 / 0"), "ZeroDivisionError"),
    "replaces_json": ("import json\njson.dumps = None\n", ENDED),
    # what it reaches for
    "network": (
        "import socket\nsocket.create_connection(('127.0.0.1', 9))",
        "a homework has no network",
    ),
    "leaves_a_child": (LEAVES.replace("MORE", "{}") + doing("1 / 0"), "ZeroDivisionError"),
    "leaves_a_session": (
        LEAVES.replace("MORE", "{'start_new_session': True}") + doing("1 / 0"),
        "ZeroDivisionError",
    ),
    "leaves_a_daemon": (DAEMON + doing("1 / 0"), "ZeroDivisionError"),
}
UNTOUCHED = {
    "a_good": RIGHT,
    "random": RIGHT,
    "zz_good": f"import random\nrandom.random()\n{RIGHT}",
}


class Checked(NamedTuple):
    """What came out of the folder."""

    rows: dict[str, dict[str, str]]  # of the table, by the file's stem
    printed: str
    grown: int  # kB of memory that the checker has taken
    left: list[str]  # processes and files that are left
    folder: Path
    pid_file: Path  # into which its daemon writes its process


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> Checked:
    folder, loops = (tmp_path_factory.mktemp(name) for name in ("homeworks", "loops"))
    pid_file = tmp_path_factory.mktemp("left") / "pid"
    for where, kinds in ((folder, KINDS), (loops, LOOPS)):
        for name, (source, _) in kinds.items():
            source = source if isinstance(source, bytes) else source.replace("HERE", str(pid_file))
            text = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
            (where / f"{name}.py").write_bytes(text)
    for name, source in UNTOUCHED.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (folder / "folder.py").mkdir()
    (folder / "notebook.ipynb").write_text("{}")
    (folder / "nowhere.py").symlink_to(folder / "no such file")
    (folder / os.fsdecode(b"caf\xe9\x1b[2J.py")).write_text("1 / 0")
    (folder / "=1+1.py").write_text("1 / 0")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    arguments = ["lab", "check", "--only", "forward", "--csv"]
    with pytest.MonkeyPatch.context() as patch:
        said = tmp_path_factory.mktemp("said") / "said"
        with said.open("w+", encoding="utf-8") as stream:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            assert main([*arguments, str(folder / "table.csv"), str(folder)]) == 1
            patch.setattr(process, "START_LIMIT", 1.5)
            limit = ["--time-limit", "0.5"]
            assert main([*arguments, str(loops / "table.csv"), str(loops), *limit]) == 1
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    rows = {}
    for where in (folder, loops):
        with (where / "table.csv").open(encoding="utf-8", newline="") as file:
            rows |= {row["file"].removesuffix(".py"): row for row in csv.DictReader(file)}
    left = [path for path in folder.iterdir() if path.suffix not in (".py", ".csv", ".ipynb")]
    told = said.read_text(encoding="utf-8")
    return Checked(rows, told, grown, list(map(str, left)), folder, pid_file)


def test_the_table_has_at_least_thirty_kinds():
    assert len(KINDS) >= 30


def test_each_hostile_homework_ends_in_one_sentence(checked):
    for name, (_, fault) in (KINDS | LOOPS).items():
        row = checked.rows[name]
        assert fault in row["faults"], name
        assert row["passed"] == "False", name
        assert row["faults"].isprintable(), name
        assert len(row["faults"]) < 800, name
        assert "the check failed" not in row["faults"], "the checker's own errors have sentences"


def test_the_rest_of_the_folder_is_checked(checked):
    assert {checked.rows[name]["passed"] for name in UNTOUCHED} == {"True"}


def test_what_is_no_file_is_said_by_name(checked):
    assert "folder.py: expected a Python file" in checked.rows["folder"]["faults"]
    assert "nowhere.py: no such file" in checked.rows["nowhere"]["faults"]
    assert "ZeroDivisionError" in checked.rows[r"caf\udce9\x1b[2J"]["faults"]
    with pytest.raises(process.HomeworkError, match=r"notebook\.ipynb: expected a Python file"):
        process.Homework(checked.folder / "notebook.ipynb")
    assert "ZeroDivisionError" in checked.rows["'=1+1"]["faults"]
    assert len(checked.rows) == len(KINDS) + len(LOOPS) + len(UNTOUCHED) + 4


def test_no_control_character_reaches_the_terminal(checked):
    assert all(line.isprintable() for line in checked.printed.split("\n"))


def test_the_checkers_memory_is_bounded(checked):
    assert checked.grown < 50 * ANSWER_LIMIT / 1024


def test_nothing_is_left_behind(checked):
    assert checked.left == []
    mark = str(checked.pid_file).encode()
    time.sleep(0.1)
    running = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            running += [path.parent.name] if mark in path.read_bytes() else []
        except OSError:
            continue
    assert running == []
    daemon = Path("/proc") / checked.pid_file.read_text()
    assert not daemon.exists() or "State:\tZ" in (daemon / "status").read_text()
