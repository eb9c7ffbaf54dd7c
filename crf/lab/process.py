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
_ENDED = "the process ended without an answer"


class HomeworkError(ValueError):
    """A homework's file cannot be run; the message says why."""


class Homework:
    """The functions of a file, called in another process; to be used in a `with` statement.

    The time limit is in seconds, for all calls of a function together.

    Raises:
        HomeworkError: There is no such file, or it cannot be run.
    """

    def __init__(self, path: Path, time_limit: float = TIME_LIMIT) -> None:
        if not path.is_file():
            raise HomeworkError(
                f"{path}: no such file; write one with: python -m crf lab new {path}"
            )
        self.path, self.time_limit = path, time_limit
        self._left = {str(name): time_limit for name in homework.FUNCTIONS}  # seconds
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
        streams = self._process.stdout, self._lines
        threading.Thread(target=_read, args=streams, daemon=True).start()
        found = self._next(_START)
        if found is None or "error" in found:
            self.__exit__()
            late = f"importing it takes over {_START:g} s, or ends the process"
            raise HomeworkError(f"{self.path}: {found['error'] if found else late}")
        self.kind: str = found["kind"]
        self.options: dict[str, str] = found["options"]
        self.functions: dict[str, bool] = found["functions"]

    def _stop(self) -> None:
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # what it started holds the pipe
            self._process.communicate(timeout=5)

    def _next(self, seconds: float) -> dict[str, Any] | None:
        try:
            return json.loads(self._lines.get(timeout=max(seconds, 0.001)))
        except queue.Empty:
            return None
        except json.JSONDecodeError:  # nothing, or what is no answer
            return {"error": _ENDED}

    def ask(self, function: str, **asked: Any) -> dict[str, Any]:
        """Call a function by name, with what `crf.lab.homework.call` takes."""
        began = time.monotonic()
        try:
            print(json.dumps({"function": function, **asked}), file=self._process.stdin, flush=True)
            answer = self._next(self._left[function])
        except BrokenPipeError:
            answer = {"error": _ENDED}
        self._left[function] -= time.monotonic() - began
        if answer is None:
            answer = {"error": f"no answer within {self.time_limit:g} s: does a loop never end?"}
        if "error" in answer:  # without an exception, nothing more can be asked of this function
            answer.setdefault("exception", "TimeoutError")
        if answer.get("exception") == "TimeoutError":
            self._stop()
            self._start()
        return answer


def _read(stream: Any, lines: "queue.Queue[str]") -> None:
    for line in stream:
        lines.put(line)
    lines.put("")
