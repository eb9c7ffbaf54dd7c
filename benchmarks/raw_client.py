"""A client that speaks to a running app as a browser does, without one: Streamlit's own messages.

For what no browser can be made to send, and for more sessions than browsers fit on a machine.
The messages are those of the pinned Streamlit; another version may need a look at this file.
"""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

T = TypeVar("T")
DeltaPath = tuple[int, ...]


def run_apart(talk: Callable[[], Coroutine[Any, Any, T]], within: float | None = 300.0) -> T:
    """Run a coroutine in a thread of its own: a browser's driver may hold this thread's loop.

    Raises:
        TimeoutError: It is not done within so many seconds.
    """

    def alone() -> T:
        return asyncio.run(asyncio.wait_for(talk(), within))  # noqa: TID251

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(alone).result()


FINISHED = {
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
}
DRAWN = ("new_element", "add_block")
TIMEOUT = 60.0  # seconds


@dataclass
class RawClient:
    """One session."""

    socket: ClientConnection
    query: str = ""  # the address's, without "?"
    page_name: str = ""
    page: str = ""  # hash of the page that is open
    session: str = ""  # the server's name for it
    widgets: dict[str, WidgetState] = field(default_factory=dict)  # those that were set, by id
    # What is at each place of the page, the fragment that drew it, and the present run's places.
    elements: dict[DeltaPath, Any] = field(default_factory=dict)
    fragments: dict[DeltaPath, str] = field(default_factory=dict)
    drawn: set[DeltaPath] = field(default_factory=set)
    cache: dict[str, ForwardMsg] = field(default_factory=dict)  # messages by hash
    line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None  # beside the runs

    @classmethod
    async def open(
        cls,
        url: str,
        page_name: str = "",
        query: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> "RawClient":
        """Connect to a server, ask for a page and wait until it has been drawn."""
        socket = await connect(
            url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=headers,
            max_size=None,
            open_timeout=TIMEOUT,
        )
        client = cls(socket, query, page_name)
        await client.run()
        return client

    async def run(self, fragment: str = "") -> None:
        """Have the page (or one of its fragments) run, and take in what it draws."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name = self.query, self.page_name
        state.page_script_hash, state.fragment_id = self.page, fragment
        state.widget_states.widgets.extend(self.widgets.values())
        state.cached_message_hashes.extend(self.cache)  # those need not come again
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(TIMEOUT):
            while not await self._take_in():
                pass

    async def go(self, page_name: str, query: str) -> None:
        """Go to another page, as by the browser's way back."""
        self.page_name, self.query, self.page = page_name, query, ""
        self.widgets.clear()
        await self.run()

    async def _take_in(self) -> bool:
        """Read one message; whether the run is over."""
        message = ForwardMsg()
        message.ParseFromString(await self.socket.recv(decode=False))
        if message.WhichOneof("type") == "ref_hash":
            message = self.cache[message.ref_hash]
        elif message.hash:
            self.cache[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
            self.session = message.new_session.initialize.session_id
            self.drawn.clear()
        elif kind == "navigation":  # says which page the address means
            self.page = message.navigation.page_script_hash
        elif kind == "delta" and (part := message.delta.WhichOneof("type")) in DRAWN:
            place = tuple(message.metadata.delta_path)
            self.elements[place] = getattr(message.delta, part)
            self.fragments[place] = message.delta.fragment_id
            self.drawn.add(place)
        if kind != "script_finished" or message.script_finished not in FINISHED:
            return False
        self._sweep(message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
        return True

    def _sweep(self, only_fragments: bool) -> None:
        """Forget what the run has not drawn again, as a browser does at its end."""
        ran = {self.fragments[place] for place in self.drawn}
        for place in set(self.elements) - self.drawn:
            if not only_fragments or self.fragments[place] in ran:
                del self.elements[place], self.fragments[place]

    def parts(self) -> Iterator[tuple[DeltaPath, str, Any]]:
        """Place, kind and record of everything on the page."""
        for place, element in self.elements.items():
            kind = element.WhichOneof("type")
            if kind is not None:
                yield place, kind, getattr(element, kind)

    def find(self, kind: str, what: str = "") -> tuple[DeltaPath, Any]:
        """Place and record of the first element of a kind whose id or name holds a text.

        Raises:
            LookupError: There is none.
        """
        for place, its_kind, record in self.parts():
            if its_kind == kind and what in getattr(record, "id", ""):
                return place, record
        raise LookupError(f"no {kind} with {what!r} on the page")

    async def send(self, kind: str, what: str, value: Any, as_field: str = "json_value") -> None:
        """Set a widget's state to anything at all, and run what it belongs to."""
        place, record = self.find(kind, what)
        state = WidgetState(id=record.id)
        setattr(state, as_field, json.dumps(value) if as_field == "json_value" else value)
        self.widgets[record.id] = state
        await self.run(self.fragments[place])

    async def trigger(self, what: str, event: str, value: Any) -> None:
        """Send an event of a component, which holds for one run."""
        place, record = self.find("bidi_component", what)
        name = f"$$STREAMLIT_INTERNAL_KEY_{record.id}__events"
        payload = json.dumps([{"event": event, "value": value}])
        self.widgets.setdefault(record.id, WidgetState(id=record.id, json_value="{}"))
        self.widgets[name] = WidgetState(id=name, json_trigger_value=payload)
        await self.run(self.fragments[place])
        del self.widgets[name]

    async def draw(self, beat: str, state: Mapping[str, str]) -> None:
        """Ask for a step of a beat, "trellis/best": beside the runs, as the browser does.

        Raises:
            ConnectionError: The server has not drawn it.
        """
        host, port = self.socket.remote_address[:2]
        if self.line is None:
            self.line = await asyncio.open_connection(host, port)
        reader, writer = self.line
        body = json.dumps({"state": dict(state), "want": "now"})
        head = f"POST /draw/{beat} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}"
        writer.write(f"{head}\r\n\r\n{body}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", answer)
        if b" 200 " not in answer.split(b"\r\n")[0] or length is None:
            raise ConnectionError(answer.decode())
        await reader.readexactly(int(length[1]))

    def exceptions(self) -> list[str]:
        """The error boxes on the page."""
        return [record.message for _, kind, record in self.parts() if kind == "exception"]

    async def close(self) -> None:
        """End the session."""
        if self.line is not None:
            self.line[1].close()
        await self.socket.close()
