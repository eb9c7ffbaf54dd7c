"""One process beside the server, for work that takes seconds and that can be stopped.

In a thread such work would share the interpreter's lock with every reader's page, outlive the
request that asked for it, and keep the server from stopping. The process is started by the first
job and kept; a job that takes too long or that nobody waits for any more ends it.

The process reads jobs from its input, a line each, and writes a line for each (`serve`). When the
server ends, its input ends, and then it ends at once, whatever it does.
"""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request

from pages.shared.contents import ROOT
from pages.shared.ui.server.stopping import when_told_to_stop

_LONGEST_LINE = 1 << 26  # bytes


class WorkerError(Exception):
    """The job did not come to an end: it took too long, or too much memory."""


class GoneError(Exception):
    """The client that asked for the job has gone."""


class Worker:
    """The process, for one job at a time; the others wait in turn.

    Args:
        module: What runs in it, as in `python -m module`; it calls `serve`.
        seconds: How long a job may take.
    """

    def __init__(self, module: str, seconds: float) -> None:
        self.module, self.seconds = module, seconds
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._heeds_stop = self._is_over = False

    async def ask(self, request: Request, job: bytes) -> bytes:
        """The answer to a job, which is one line; it is dropped when its client goes.

        Raises:
            WorkerError: It took too long, or the process died.
            GoneError: The client went.
        """
        answer = asyncio.ensure_future(self._ask(job))
        gone = asyncio.ensure_future(_until_gone(request))
        try:
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise GoneError
            return await answer
        finally:
            for one in (answer, gone):
                one.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)

    async def _ask(self, job: bytes) -> bytes:
        async with self._turn:
            try:
                process = self._process = self._process or await self._start()
                assert process.stdin is not None
                assert process.stdout is not None
                async with asyncio.timeout(self.seconds):
                    process.stdin.write(job + b"\n")
                    await process.stdin.drain()
                    line = await process.stdout.readline()
            except (TimeoutError, OSError, ValueError):
                line = b""
            except asyncio.CancelledError:
                await self.end()
                raise
            if not line:
                await self.end()
                raise WorkerError
            return line

    async def _start(self) -> asyncio.subprocess.Process:
        if self._is_over:
            raise OSError("the server is about to end")
        if not self._heeds_stop:
            when_told_to_stop(self._stop)
            self._heeds_stop = True
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", self.module),
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )

    async def end(self) -> None:
        """Stop the process; the next job starts another."""
        self._kill()
        process, self._process = self._process, None
        if process is not None:
            await process.communicate()

    def _stop(self) -> None:
        self._is_over = True
        self._kill()

    def _kill(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def serve(answer: Callable[[bytes], bytes], memory: int) -> None:
    """Answer jobs until the input ends: the whole program of a worker's process.

    Args:
        answer: Job → answer, without a line break.
        memory: Bytes that it may take beyond what it has now; then `answer` raises MemoryError.
    """
    _limit_memory(memory)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(jobs,), daemon=True).start()
    while True:
        line = answer(jobs.get())
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


def _read(jobs: "queue.SimpleQueue[bytes]") -> None:
    for line in sys.stdin.buffer:
        jobs.put(line)
    os._exit(0)  # the server has ended; nobody waits for the job


def _limit_memory(more: int) -> None:
    """Limit the address space, where the system can tell how large it is and has such limits."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        return
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
