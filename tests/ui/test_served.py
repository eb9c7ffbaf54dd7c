"""A server as Streamlit starts it: an answer does not wait for the one before; its memory."""

import asyncio
import gc
import platform
import subprocess
import sys
import weakref
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY

import pytest
import uvicorn
import websockets
from streamlit.web.server.starlette import starlette_server

from benchmarks.raw_client import run_apart
from pages.shared.contents import ROOT
from pages.shared.ui import served


async def _switched_off(wrapped: bool) -> list[bool]:
    """Whether Nagle's algorithm is, for a request and for a websocket."""
    found: list[bool] = []

    async def app(scope, receive, send) -> None:
        await receive()
        socket = send.__self__.transport.get_extra_info("socket")
        found.append(bool(socket.getsockopt(IPPROTO_TCP, TCP_NODELAY)))
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204})
            await send({"type": "http.response.body"})
        else:
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close"})

    listening = starlette_server._bind_socket("127.0.0.1", 0, 8)
    address = listening.getsockname()
    ws = starlette_server._get_websocket_protocol()
    asked = served.at_once(app) if wrapped else app
    config = uvicorn.Config(asked, lifespan="off", ws=ws, log_level="warning")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
        async with websockets.connect("ws://{}:{}/".format(*address), proxy=None) as socket:
            await socket.wait_closed()
    finally:
        server.should_exit = True
        await task
    return found


@pytest.mark.parametrize("wrapped", [False, True])
def test_what_is_written_leaves_at_once(wrapped: bool) -> None:
    """Without the wrapper it does not: once Streamlit sees to it, the wrapper can go."""
    assert run_apart(lambda: _switched_off(wrapped)) == [wrapped, wrapped]


_COUNT = """
import ctypes, sys, threading
from pages.shared.ui import served

if sys.argv[1] == "few":
    served.in_few_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.fopen.restype = ctypes.c_void_p, ctypes.c_void_p
here = threading.Barrier(8)

def allocate():
    here.wait(10)  # all threads live at once
    libc.malloc(10_000)
    here.wait(10)

threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
report = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, report)
libc.fclose(report)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="arenas are the GNU C library's")
@pytest.mark.parametrize(("how", "few"), [("few", True), ("many", False)])
def test_all_threads_share_two_arenas(how: str, few: bool, tmp_path: Path) -> None:
    report = tmp_path / "malloc.xml"
    subprocess.run([sys.executable, "-c", _COUNT, how, report], check=True, cwd=ROOT)
    arenas = report.read_text().count("<heap nr=")
    assert (arenas <= 2) is few


_COMPILE = """
import sys
from pathlib import Path
from pages.shared.ui import served

if sys.argv[1] == "few":
    served.with_few_kernels()
import torch

convolution = torch.nn.Conv1d(8, 32, 3, padding=1)
with torch.no_grad():
    for words in range(1, 41):
        convolution(torch.zeros(words, 8, 4 + words % 5))
code, here = 0, False  # kB of code that no file has
for line in Path("/proc/self/smaps").read_text().splitlines():
    parts = line.split()
    if "-" in parts[0]:
        here = "x" in parts[1] and len(parts) < 6
    elif parts[0] == "Rss:" and here:
        code += int(parts[1])
print(code)
"""


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="of what Linux says of code"
)
def test_few_kernels_are_kept() -> None:
    def code(how: str) -> int:
        run = [sys.executable, "-c", _COMPILE, how]
        return int(subprocess.run(run, check=True, cwd=ROOT, capture_output=True).stdout)

    assert code("few") < code("many") / 2


class _Ring:
    """Refers to itself."""

    def __init__(self) -> None:
        self.it = self


def test_rubbish_goes_once_something_has_been_going_on():
    gc.collect()
    looks = gc.get_stats()[0]["collections"]
    gc.disable()
    try:
        ring = weakref.ref(_Ring())
        assert served.tidy(looks) == looks
        assert ring() is not None, "nothing ran: nobody is made to wait"
        assert served.tidy(looks - 1) == looks
        assert ring() is None
    finally:
        gc.enable()
