"""Every widget, component and field of every page is sent what no browser or reader would send.

Widgets get values that none of them can have, which may end in Streamlit's own error and never in
one of ours; components get JSON, which counts as not sent; fields get texts, and their forms are
sent. Whoever opens the page afterwards has it whole. All of a page's widgets get the same forged
value in one run. Where that brings an error the half of them gets it, in a session of its own, and
so on, until the failure has a name.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.raw_client import RawClient
from benchmarks.serving import ROOT
from tests.hostile.corpora import NUMBERS, TEXTS, VALUES
from tests.hostile.watch import Server, Tally


def _fits(text: str) -> bool:
    """Whether a message can carry it once for each widget of a page."""
    return len(text) <= 100_000 and "\ud800" not in text


_FOLDS = ("expandable", "checkbox", "popover")
Forgery = tuple[str, Any]  # field of the widget's state, value
_ARRAYS = {
    "double_array_value": ([], [0.5], [float("nan")], [1e308, -1e308], [1.0] * 1000),
    "int_array_value": ([], [0], [-1], [10**9], [0] * 1000),
    "string_array_value": ([], [""], ["no such option"], ["x" * 100_000], ["a"] * 1000),
}
FORGERIES: tuple[Forgery, ...] = (
    ("bool_value", True),
    ("bool_value", False),
    *(("int_value", value) for value in (0, 7, -1, 10**9, 2**62)),
    *(("double_value", value) for value in (0.5, -1.0, 1e308, float("nan"), float("inf"))),
    *(("string_value", text) for text in (*TEXTS, *NUMBERS) if _fits(text)),
    *((name, value) for name, values in _ARRAYS.items() for value in values),
    ("bytes_value", b"\x80\x04N."),
    ("file_uploader_state_value", "no such file"),
    ("string_trigger_value", "x"),
    *(("string_value", json.dumps(value)) for value in VALUES),
    *(("json_value", json.dumps(value)) for value in VALUES),
    *(("json_trigger_value", json.dumps([{"event": "x", "value": v}, v])) for v in VALUES),
    *((name, text) for text in TEXTS for name in ("json_value", "json_trigger_value")),
)


def state_names() -> list[str]:
    """What the components' states and events are called: of `on_…_change` in our sources."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py"))
    return sorted({name for text in sources for name in re.findall(r"on_(\w+)_change=", text)})


def component_forgeries() -> Iterator[Forgery]:
    """Each value under each name, as a component's state and as its event."""
    names = state_names()
    for value in VALUES:
        yield "json_value", json.dumps(dict.fromkeys(names, value))
        yield "events", json.dumps([{"event": name, "value": value} for name in names])


def forge(widget: str, forgery: Forgery) -> WidgetState:
    """The state that says it."""
    name, value = forgery
    if name == "events":
        events = f"$$STREAMLIT_INTERNAL_KEY_{widget}__events"
        return WidgetState(id=events, json_trigger_value=value)
    state = WidgetState(id=widget)
    if name.endswith("array_value") or name == "string_trigger_value":
        data = getattr(state, name)
        if isinstance(value, str):
            data.data = value
        else:
            data.SetInParent()
            data.data.extend(value)
    elif name == "file_uploader_state_value":
        state.file_uploader_state_value.uploaded_file_info.add(file_id=value, name=value)
    else:
        setattr(state, name, value)
    return state


def widgets(client: RawClient) -> dict[str, str]:
    """The kind of each widget on the page, by its id."""
    return {
        record.id: kind
        for _, kind, record in client.parts()
        if str(getattr(record, "id", "")).startswith("$$")
    }


async def unfolded(server: Server, address: str) -> RawClient:
    """A session on a page, with all folds and switches open."""
    client = await server.open(address)
    for _ in range(2):  # what was folded may have folds
        client.widgets |= {
            w: forge(w, ("bool_value", True))
            for w, kind in widgets(client).items()
            if kind in _FOLDS
        }
        await client.run()
    client.widgets.clear()
    server.traceback()
    return client


States = Callable[[RawClient, Sequence[str]], list[WidgetState]]


class Try(NamedTuple):
    """A value that all widgets of some kinds get at once."""

    what: str  # the tally that it counts for; only one of widgets may end in Streamlit's error
    value: str  # as a failure names it
    kinds: Callable[[str], bool]
    states: States


def tries(part: int, only: Sequence[str]) -> Iterator[Try]:
    """Everything that is sent to a page, or every so many-th, of some of `WHAT`."""
    if "widgets" in only:
        for forgery in FORGERIES[::part]:
            yield Try("widgets", _shown(forgery), lambda _: True, partial(_alike, forgery))
    if "components" in only:
        for forgery in list(component_forgeries())[::part]:
            states = partial(_alike, forgery)
            yield Try("components", _shown(forgery), "bidi_component".__eq__, states)
    if "fields" in only:
        for text in [text for text in NUMBERS if "\ud800" not in text][::part]:
            yield Try("fields", f"{text!r:.60}", _is_field, partial(_typed, text))


WHAT = ("widgets", "components", "fields")
_FIELDS = ("text_input", "text_area", "bidi_component")


def _shown(forgery: Forgery) -> str:
    return f"{forgery[0]} {forgery[1]!r:.60}"


def _is_field(kind: str) -> bool:
    return kind in _FIELDS


def _alike(forgery: Forgery, _: RawClient, chosen: Sequence[str]) -> list[WidgetState]:
    return [forge(widget, forgery) for widget in chosen]


def _typed(text: str, client: RawClient, chosen: Sequence[str]) -> list[WidgetState]:
    """The text in the chosen fields and in the tables of score editors; all forms are sent."""
    found = []
    for _, kind, record in client.parts():
        widget = getattr(record, "id", "")
        if kind == "button" and "FormSubmitter" in widget:
            found.append(WidgetState(id=widget, trigger_value=True))
        elif widget in chosen and kind != "bidi_component":
            found.append(WidgetState(id=widget, string_value=text))
        elif widget in chosen and record.component_name.endswith("score_editor"):
            places = {"emissions": [0, 0], "transitions": [0, 0], "rename-tag": [0]}
            edits = [
                {"serial": k, "op": op, "index": index, "text": text}
                | {"epoch": json.loads(record.json)["epoch"]}
                for k, (op, index) in enumerate(places.items(), 1)
            ]
            said = {"edits": {"client": text[:50], "edits": edits}}
            found.append(WidgetState(id=widget, json_value=json.dumps(said)))
    return found


async def attack_page(
    server: Server, address: str, part: int = 1, only: Sequence[str] = WHAT
) -> list[Tally]:
    """Send a page all that there is to send, or every so many-th, of some of `WHAT`."""
    tallies = {what: Tally(what) for what in WHAT}
    client = await unfolded(server, address)
    for one in tries(part, only):
        on_page = widgets(client)
        chosen = [widget for widget, kind in on_page.items() if one.kinds(kind)]
        sent = {state.id for state in one.states(client, chosen)}
        tallies[one.what].tries += len(
            chosen if one.what != "fields" else sent.intersection(chosen)
        )
        if await _fault(server, client, chosen, one):
            for widget, fault in await _culprits(server, address, chosen, one):
                name = f"/{address} {on_page.get(widget, 'all')} {widget.split('-', 2)[-1]}"
                tallies[one.what].failures.append(f"{name} ← {one.value}: {fault}")
        if one.what == "fields":
            client.widgets.clear()
        if client.exceptions():  # from a session with none of this
            await client.close()
            client = await unfolded(server, address)
    await client.close()
    client = await server.open(address)
    if fault := server.fault(client):
        tallies[only[0]].failures.append(f"/{address}, opened after all of these: {fault}")
    await client.close()
    return [tally for tally in tallies.values() if tally.what in only]


async def _culprits(
    server: Server, address: str, chosen: Sequence[str], one: Try
) -> list[tuple[str, str]]:
    """Which widgets bring the error, and the error; a session of its own for each half."""
    client = await unfolded(server, address)
    fault = await _fault(server, client, chosen, one)
    await client.close()
    if not fault:
        return []
    if len(chosen) == 1:
        return [(chosen[0], fault)]
    middle = len(chosen) // 2
    halves = [
        await _culprits(server, address, half, one) for half in (chosen[:middle], chosen[middle:])
    ]
    return halves[0] + halves[1] or [("only together", fault)]


async def _fault(server: Server, client: RawClient, chosen: Sequence[str], one: Try) -> str:
    client.widgets = {state.id: state for state in one.states(client, chosen)}
    try:
        await client.run()
    except Exception as error:
        return repr(error)
    return server.fault(client, forged=one.what == "widgets")
