"""Every widget, component and field of a page is sent what no browser or reader would send.

Widgets get values that none of them can have, which may end in Streamlit's own error and never in
one of ours; components get JSON, which counts as not sent; fields get texts, and their forms are
sent. All of a page's widgets get the same forged value in one run. A reader who opens the page
afterwards has it whole.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.raw_client import RawClient
from benchmarks.serving import ROOT
from tests.hostile.corpora import NUMBERS, TEXTS, VALUES
from tests.hostile.watch import Server

States = Callable[[RawClient], list[WidgetState]]
WHAT = ("widgets", "components", "fields")
_FOLDS = ("expandable", "checkbox", "popover")
_FIELDS = ("text_input", "text_area", "bidi_component")
_SENT = [text for text in (*TEXTS, *NUMBERS) if len(text) <= 100_000 and "\ud800" not in text]
_ARRAYS = {
    "double_array_value": ([], [0.5], [float("nan")], [1e308, -1e308], [1.0] * 1000),
    "int_array_value": ([], [0], [-1], [10**9], [0] * 1000),
    "string_array_value": ([], [""], ["no such option"], ["x" * 100_000], ["a"] * 1000),
}
FORGERIES: tuple[tuple[str, Any], ...] = (  # field of the widget's state, value
    ("bool_value", True),
    ("bool_value", False),
    *(("int_value", value) for value in (0, 7, -1, 10**9, 2**62)),
    *(("double_value", value) for value in (0.5, -1.0, 1e308, float("nan"), float("inf"))),
    *(("string_value", text) for text in _SENT),
    *((name, value) for name, values in _ARRAYS.items() for value in values),
    ("bytes_value", b"\x80\x04N."),
    ("file_uploader_state_value", "no such file"),
    ("string_trigger_value", "x"),
    *((name, json.dumps(value)) for value in VALUES for name in ("string_value", "json_value")),
    *(("json_trigger_value", json.dumps([{"event": "x", "value": v}, v])) for v in VALUES),
    *((name, text) for text in TEXTS for name in ("json_value", "json_trigger_value")),
)


def component_forgeries() -> Iterator[tuple[str, str]]:
    """Each value under each name of our sources' `on_…_change`, as a state and as an event."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py"))
    names = sorted({name for text in sources for name in re.findall(r"on_(\w+)_change=", text)})
    for value in VALUES:
        yield "json_value", json.dumps(dict.fromkeys(names, value))
        yield "events", json.dumps([{"event": name, "value": value} for name in names])


def forge(widget: str, name: str, value: Any) -> WidgetState:
    """The state of a widget that says it."""
    if name == "events":
        events = f"$$STREAMLIT_INTERNAL_KEY_{widget}__events"
        return WidgetState(id=events, json_trigger_value=value)
    state = WidgetState(id=widget)
    if name.endswith("array_value"):
        data = getattr(state, name)
        data.SetInParent()
        data.data.extend(value)
    elif name == "string_trigger_value":
        state.string_trigger_value.data = value
    elif name == "file_uploader_state_value":
        state.file_uploader_state_value.uploaded_file_info.add(file_id=value, name=value)
    else:
        setattr(state, name, value)
    return state


def widgets(client: RawClient) -> dict[str, str]:
    """The kind of each widget on the page, by its id."""
    found = ((kind, getattr(record, "id", "")) for _, kind, record in client.parts())
    return {str(name): kind for kind, name in found if str(name).startswith("$$")}


async def unfolded(server: Server, address: str) -> RawClient:
    """A session on a page, with all folds and switches open."""
    client = await server.open(address)
    for _ in range(2):  # what was folded may have folds
        folds = [name for name, kind in widgets(client).items() if kind in _FOLDS]
        client.widgets |= {name: forge(name, "bool_value", True) for name in folds}
        await client.run()
    client.widgets.clear()
    server.traceback()
    return client


def typed(client: RawClient, text: str) -> list[WidgetState]:
    """The text in all fields and in the tables of score editors; all forms are sent."""
    found = []
    for _, kind, record in client.parts():
        name = getattr(record, "id", "")
        if kind == "button" and "FormSubmitter" in name:
            found.append(WidgetState(id=name, trigger_value=True))
        elif kind in _FIELDS and kind != "bidi_component":
            found.append(WidgetState(id=name, string_value=text))
    return found


def tries(part: int, only: Sequence[str]) -> Iterator[tuple[str, str, States]]:
    """Everything that is sent to a page, or every so many-th: its kind, its name, the states."""

    def of(client: RawClient, name: str, value: Any, kinds: str) -> list[WidgetState]:
        return [forge(one, name, value) for one, kind in widgets(client).items() if kinds in kind]

    for what, kinds, values in (
        ("widgets", "", FORGERIES),
        ("components", "bidi_component", [*component_forgeries()]),
    ):
        for name, value in values[::part] if what in only else ():
            yield what, f"{name} {value!r:.60}", partial(of, name=name, value=value, kinds=kinds)
    if "fields" in only:
        for text in [text for text in NUMBERS if "\ud800" not in text][::part]:
            yield "fields", f"{text!r:.60}", partial(typed, text=text)


async def attack(
    server: Server, address: str, part: int = 1, only: Sequence[str] = WHAT
) -> list[str]:
    """Send a page all that there is, or every so many-th: a line for each error of ours."""
    failures, client = [], await unfolded(server, address)
    for what, name, states in tries(part, only):
        client.widgets = {state.id: state for state in states(client)}
        try:
            await client.run()
            fault = server.fault(client, forged=what == "widgets")
        except Exception as error:
            fault = repr(error)
        if fault:
            failures.append(f"/{address} ← {name}: {fault}")
        client.widgets.clear()
        if fault or client.exceptions():  # the next try begins in a session with none of this
            await client.close()
            client = await unfolded(server, address)
    await client.close()
    client = await server.open(address)
    if fault := server.fault(client):
        failures.append(f"/{address}, opened after all of these: {fault}")
    await client.close()
    return failures
