"""How the app stands on its server: below which path, without delay, in how much memory."""

import ctypes
import gc
import os
import sys
import time
from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

_ARENA_MAX = -8  # M_ARENA_MAX of <malloc.h>
_TIDIED_EVERY = 30.0  # seconds


def root() -> str:
    """The path below which everything is: "/", or "/name/" by `--server.baseUrlPath name`.

    Streamlit does not put it before routes of ours.
    """
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}/" if path else "/"


def at_once(app: ASGIApp) -> ASGIApp:
    """The same app; what it writes leaves at once.

    asyncio switches Nagle's algorithm off only for sockets made with a protocol's number, and
    Streamlit's is not. Then what follows a first small write waits until the reader's machine
    acknowledges that, which may take it 40 ms: in every run of a page, in every small file.

    Args:
        app: To serve; uvicorn must be what calls it, else nothing changes.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        transport = getattr(getattr(send, "__self__", None), "transport", None)
        socket = transport.get_extra_info("socket") if transport is not None else None
        if socket is not None and socket.family in (AF_INET, AF_INET6):
            socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        await app(scope, receive, send)

    return answer


def in_few_arenas() -> None:
    """Have the GNU C library keep its memory in two arenas instead of eight for each core.

    Each run of a page is a thread of its own, and what is freed in one thread's arena is of no use
    to a thread of another.
    """
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # another C library has none
        if set_option is not None:
            set_option(_ARENA_MAX, 2)


def with_few_kernels() -> None:
    """Have oneDNN keep the code of 16 kernels instead of 1,024; to be called before torch comes.

    It makes one for each shape of a tensor, so for each length of a sentence, and a sentence that
    is typed rarely meets a kernel again. In training nothing is lost that can be measured.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16")


def keep_tidy() -> None:
    """For as long as the server lives, leave no rubbish lying about for long; runs in a thread.

    Python looks at all objects only once there are a quarter more of them. With many readers that
    takes minutes, and what they leave behind keeps memory that others then ask for anew.
    """
    seen = 0
    while True:
        time.sleep(_TIDIED_EVERY)
        seen = tidy(seen)


def tidy(seen: int) -> int:
    """Free what only refers to itself, if anything has been going on.

    Args:
        seen: What the last call gave; 0 at first.

    Returns:
        How often Python has looked at the youngest objects by itself.
    """
    looks = gc.get_stats()[0]["collections"]
    if looks != seen:
        gc.collect()
    return looks
