"""A server as Streamlit starts it: a small answer does not wait for the one before."""

import asyncio
from socket import IPPROTO_TCP, TCP_NODELAY

import pytest
import uvicorn
import websockets
from streamlit.web.server.starlette import starlette_server

from benchmarks.raw_client import run_apart
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
