"""A homework in a process of its own: a crash, an endless loop or a print reaches nobody else."""

import contextlib
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from . import homework

TIME_LIMIT = 10.0  # seconds for a function's answers together
_START = 60.0  # seconds in which the file itself must have run: it may import torch


class HomeworkError(ValueError):
    """A homework's file cannot be run; the message says why."""


class Homework:
    """The functions of a file, called in another process; to be used in a `with` statement.

    Args:
        path: The file.
        time_limit: Seconds for all calls of a function together.

    Raises:
        HomeworkError: There is no such file, or it cannot be run.
    """

    def __init__(self, path: Path, time_limit: float = TIME_LIMIT) -> None:
        if not path.is_file():
            raise HomeworkError(
                f"{path}: no such file; write one with: python -m crf lab new {path}"
            )
        self.path, self.time_limit = path, time_limit
        self._prints = tempfile.TemporaryFile()
        self._start()

    def __enter__(self) -> "Homework":
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()
        self._prints.close()

    @property
    def printed(self) -> str:
        """What the homework has printed."""
        self._prints.seek(0)
        return self._prints.read().decode("utf-8", "replace")

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, homework.__file__, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._prints,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(
            target=_read, args=(self._process.stdout, self._lines), daemon=True
        ).start()
        told = self._next(_START)
        if told is None or "error" in told:
            self.__exit__()
            raise HomeworkError(
                f"{self.path}: {told['error']}" if told
                else f"{self.path}: importing it takes over {_START:g} s, or ends the process"
            )  # fmt: skip
        self.kind: str = told["kind"]
        self.options: dict[str, str] = told["options"]
        self.functions: dict[str, bool] = told["functions"]

    def _stop(self) -> None:
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # what it started holds the pipe
            self._process.communicate(timeout=5)

    def _next(self, seconds: float) -> dict[str, Any] | None:
        try:
            line = self._lines.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        try:
            return json.loads(line)
        except json.JSONDecodeError:  # nothing, or what is no answer
            return {"error": "the process ended without an answer"}

    def ask(self, function: str, left: list[float], **asked: Any) -> dict[str, Any]:
        """Call a function.

        Args:
            function: Its name.
            left: One number, the seconds that the function has left; less afterwards.
            asked: As `crf.lab.homework.call` has them.
        """
        if self._process.stdin is None:
            raise RuntimeError("the process has no input")
        began = time.monotonic()
        try:
            print(json.dumps({"function": function, **asked}), file=self._process.stdin, flush=True)
            answer = self._next(left[0])
        except BrokenPipeError:
            answer = {"error": "the process ended without an answer"}
        left[0] -= time.monotonic() - began
        if answer is None:
            message = f"no answer within {self.time_limit:g} s: does a loop never end?"
            answer = {"error": message, "exception": "TimeoutError"}
        if "error" in answer and "exception" not in answer:
            answer["exception"] = "TimeoutError"  # nothing more can be asked of this function
        if answer.get("exception") == "TimeoutError":
            self._stop()
            self._start()
        return answer


def _read(stream: Any, lines: "queue.Queue[str]") -> None:
    for line in stream:
        lines.put(line)
    lines.put("")
