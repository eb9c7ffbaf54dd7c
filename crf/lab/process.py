"""A homework in a process of its own: a crash, an endless loop or a print reaches nobody else.

The process works in an empty folder of its own and imports nothing from the homework's folder, so
that a file called `random.py` hides no module. The process and what it has started end together.
"""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import homework
from .cells import AnswerForm

TIME_LIMIT = 10.0  # seconds for a function's answers together
START_LIMIT = 60.0  # seconds in which the file itself must have run: it may import torch
PRINT_LIMIT = 10_000_000  # bytes that a process may print before it is ended
NO_ANSWER = "the process writes something else than an answer"
_KEPT = 100_000  # bytes of what is printed that are kept, the last
_DEEPEST = 4  # lists in lists: of the four gradients, one is [B][L][S]
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class HomeworkError(ValueError):
    """A homework's file cannot be run; the message says why."""


class Homework:
    """The functions of a file, called in another process; to be used in a `with` statement.

    The time limit is in seconds, for all calls of a function together.

    Raises:
        HomeworkError: There is no such file, or it cannot be run.
    """

    def __init__(self, path: Path, time_limit: float = TIME_LIMIT) -> None:
        self.path, self.time_limit = path, time_limit
        if not path.exists():
            raise self._refused(f"no such file; write one with: python -m crf lab new {path}")
        if not path.is_file():
            raise self._refused("expected a Python file, got a folder or a device")
        if path.suffix == ".ipynb":
            raise self._refused("expected a Python file; export the notebook as one")
        self._left = {str(name): time_limit for name in homework.FUNCTIONS}  # seconds
        self._printed = b""
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._start()

    def __enter__(self) -> "Homework":
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()
        self._folder.cleanup()

    @property
    def printed(self) -> str:
        """The last that the homework has printed, without control characters."""
        return printable(self._printed.decode("utf-8", "replace"), keep="\n\t")

    def _refused(self, why: str) -> HomeworkError:
        return HomeworkError(printable(f"{self.path}: {why}"))

    def _start(self) -> None:
        self._mark = secrets.token_hex(16)  # in the environment of all its children
        own = {"CRF_LAB_MARK": self._mark, "TMPDIR": self._folder.name}
        self._process = subprocess.Popen(
            [sys.executable, "-P", homework.__file__, str(self.path.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder.name,
            env=os.environ | own | dict.fromkeys(_THREADS, "1"),
            start_new_session=True,
        )
        self._printed_too_much = self._is_stopped = False
        self._threads: list[threading.Thread] = []
        self._in_background(self._keep_prints)
        late = {"error": f"the file itself runs for over {START_LIMIT:g} s"}
        description: dict[str, Any] = self._exchange("", START_LIMIT) or late
        if "functions" in description:
            try:
                AnswerForm.of(description["options"])
            except ValueError as error:
                description = {"error": one_line(f"CHECK_WITH: {error}")}
        if "functions" not in description:
            self.__exit__()
            raise self._refused(description.get("error", NO_ANSWER))
        self.kind: str = description["kind"]
        self.options: dict[str, str] = description["options"]
        self.functions: dict[str, bool] = description["functions"]

    def _in_background(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self._threads.append(thread)
        return thread

    def _stop(self) -> None:
        """End the process and what it has started, and close its pipes."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if hasattr(os, "killpg"):  # all but Windows
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        for _ in range(20):  # because processes that start meanwhile are found next time
            if not self._kill_marked():
                break
        self._process.wait()
        for thread in self._threads:
            thread.join(timeout=5)
        if not any(thread.is_alive() for thread in self._threads):  # else something holds a pipe
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                assert stream
                with contextlib.suppress(OSError):  # because the other end may have closed
                    stream.close()

    def _kill_marked(self) -> bool:
        """End what has left the session, on Linux; False if there is nothing."""
        found = False
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):  # another user's, or it has ended
                if self._mark.encode() in environment.read_bytes():
                    os.kill(int(environment.parent.name), signal.SIGKILL)
                    found = True
        return found

    def _keep_prints(self) -> None:
        """Keep the end of what is printed; end a process that prints too much."""
        process, size = self._process, 0
        assert process.stderr
        while chunk := os.read(process.stderr.fileno(), 65_536):
            self._printed = (self._printed + chunk)[-_KEPT:]
            size += len(chunk)
            if size > PRINT_LIMIT:
                self._printed_too_much = True
                process.kill()
                return

    def _exchange(self, request: str, seconds: float) -> dict[str, Any] | None:
        """Send a line and return the answer, or None if it comes too late.

        It is done in the background, because a process that reads nothing blocks the sender, too.
        """
        stdin, stdout, lines = self._process.stdin, self._process.stdout, list[bytes]()
        assert stdin
        assert stdout

        def talk() -> None:
            with contextlib.suppress(OSError):
                stdin.write(request.encode())
                stdin.flush()
                lines.append(stdout.readline(homework.ANSWER_LIMIT + 2))

        talking = self._in_background(talk)
        talking.join(max(seconds, 0.001))
        if talking.is_alive():
            return None
        self._threads.remove(talking)
        if self._printed_too_much:
            return {"error": f"it prints more than {PRINT_LIMIT:,} bytes: does a loop print?"}
        return _answer(lines[0] if lines else b"")

    def ask(self, function: str, **options: Any) -> dict[str, Any]:
        """Call a function by name, with what `crf.lab.homework.call` takes."""
        began = time.monotonic()
        request = json.dumps({"function": function, **options}) + "\n"
        answer = self._exchange(request, self._left[function])
        self._left[function] -= time.monotonic() - began
        if answer is None:
            answer = {"error": f"no answer within {self.time_limit:g} s: does a loop never end?"}
        elif not answer.keys() & {"error", "value", "missing"}:
            answer = {"error": NO_ANSWER}
        if "error" in answer:  # without an exception, nothing more can be asked of this function
            answer.setdefault("exception", "TimeoutError")
        if answer.get("exception") == "TimeoutError":
            self._stop()
            self._start()
        return answer


def _answer(line: bytes) -> dict[str, Any]:
    """Read and check what a process has written: the homework can write there, too."""
    if not line:
        return {"error": "the process ended without an answer"}
    try:
        answer = json.loads(line)
        is_sound = all(_FIELDS[name](value) for name, value in answer.items())
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        is_sound, answer = False, {}
    if not is_sound or not any(needed <= answer.keys() for needed in _ANSWERS):
        return {"error": NO_ANSWER}
    return answer | {
        name: one_line(answer[name]) for name in ("error", "exception") if name in answer
    }


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_numbers(value: Any, depth: int = _DEEPEST) -> bool:
    if isinstance(value, list):
        return depth > 0 and all(_are_numbers(each, depth - 1) for each in value)
    fits = isinstance(value, int) and value.bit_length() <= homework.LARGEST_BITS
    return fits or isinstance(value, float)


_FIELDS: dict[str, Callable[[Any], bool]] = {
    "error": _is_text,
    "exception": _is_text,
    "missing": _is_flag,
    "by_position": _is_flag,
    "value": _are_numbers,
    "mutated": lambda names: isinstance(names, list) and set(names) <= set(homework.ARGUMENTS),
    "kind": _is_text,
    "options": lambda of: all(map(_is_text, of.values())),
    "functions": lambda of: of.keys() <= {*homework.FUNCTIONS} and all(map(_is_flag, of.values())),
}
_ANSWERS = ({"error"}, {"missing"}, {"value", "mutated"}, {"kind", "options", "functions"})


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with its control characters and lone surrogates written out.

    Example:
        >>> print(printable("\x1b[31mred"))
        \x1b[31mred
    """
    return "".join(
        char if char.isprintable() or char in keep else ascii(char)[1:-1] for char in text
    )


def one_line(text: str) -> str:
    """Return the beginning of a text as one line that can be printed."""
    return printable(" ".join(text[:2000].split()))[:500]
