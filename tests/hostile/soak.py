"""Many readers who do what one can do on a page, at random, and go from page to page."""

import asyncio
import json
import random
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.raw_client import RawClient
from benchmarks.serving import memory
from crf.tagger import shipped_names
from pages.shared.contents import COURSE, TEACHING
from tests.hostile.corpora import VALUES
from tests.hostile.forged import forge, state_names, widgets
from tests.hostile.watch import Server, Tally

READERS = 20
WARM, GROWTH = 1_000, 50  # actions until memory is taken; MB that it may grow by after them
_SAID = ("The old man the boat", "Fish fish fish", "-1.5", "log 0.4", "2/3", "-inf", "3 1 2", "")


async def soak(server: Server, actions: int) -> Tally:
    """So many actions, and how memory grows after the first thousand.

    Each shipped tagger is asked once before: it stays in memory, some 20 MB, once anybody has.
    """
    tally = Tally("soak")
    server.traceback()
    for tagger in shipped_names():
        await (await server.open("start", f"tagger={tagger}")).close()
    before = await _do(server, tally, min(actions, WARM))
    after = await _do(server, tally, actions - WARM) if actions > WARM else before
    if after - before > GROWTH:
        tally.failures.append(f"memory grew from {before:.0f} to {after:.0f} MB")
    if fault := server.traceback():
        tally.failures.append(f"the log: {fault}")
    return tally


async def _do(server: Server, tally: Tally, actions: int) -> float:
    """Act, and say how many MB the server has then."""
    each = actions // READERS
    readers = [_read(server.url, tally.tries + k, each) for k in range(READERS)]
    for failures in await asyncio.gather(*readers):
        tally.failures += failures
    tally.tries += each * READERS
    await asyncio.sleep(1)
    return memory(server.url)


async def _read(url: str, seed: int, actions: int) -> list[str]:
    draw, failures, names = random.Random(seed), [], state_names()
    client, page = None, ""
    for _ in range(actions):
        try:
            if client is None or draw.random() < 0.05:
                if client is not None:
                    await client.close()
                page = draw.choice((*COURSE, *TEACHING)).address
                client = await RawClient.open(url, page)
            state = _action(client, draw, names)
            if state is None:
                await client.run()
                continue
            client.widgets = {state.id: state}
            place = next(
                (p for p, _, r in client.parts() if getattr(r, "id", "") == state.id), None
            )
            await client.run(client.fragments.get(place, "") if place else "")
            failures += [f"/{page} {state!r:.200}: {fault}" for fault in client.exceptions()[:1]]
        except Exception as error:
            failures.append(f"/{page}: {error!r}")
            client = None
    if client is not None:
        await client.close()
    return failures


def _action(client: RawClient, draw: random.Random, names: list[str]) -> WidgetState | None:
    on_page = widgets(client)
    if not on_page:
        return None
    widget = draw.choice(list(on_page))
    record = next(r for _, _, r in client.parts() if getattr(r, "id", "") == widget)
    return forge(widget, _said(on_page[widget], record, draw, names))


def _said(kind: str, record: Any, draw: random.Random, names: list[str]) -> tuple[str, Any]:
    """What a reader may say with a widget of this kind: the state's field, and its value."""
    if kind in ("text_input", "text_area"):
        return "string_value", draw.choice(_SAID)
    if kind in ("selectbox", "radio"):
        return "string_value", draw.choice(list(record.options) or [""])
    if kind == "button_group":
        return "string_array_value", [draw.choice(record.options).content]
    if kind == "multiselect":
        return "string_array_value", draw.sample(list(record.options), draw.randint(0, 2))
    if kind == "number_input":
        return "double_value", float(draw.randint(int(record.min), int(min(record.max, 1e6))))
    if kind == "slider" and record.options:
        return "string_array_value", [draw.choice(list(record.options))]
    if kind == "slider":
        steps = (record.max - record.min) / record.step
        return "double_array_value", [record.min + record.step * draw.randint(0, int(steps))]
    if kind in ("checkbox", "expandable", "popover"):
        return "bool_value", draw.random() < 0.7
    if kind == "bidi_component":
        said = {
            name: draw.choice([*VALUES[:-1], [draw.randrange(40), False, False]]) for name in names
        }
        return "json_value", json.dumps(said)
    if kind == "plotly_chart":
        point = {"curve_number": draw.randrange(3), "point_index": 0, "x": draw.randint(1, 50)}
        return "string_value", json.dumps({"selection": {"points": [point]}})
    if kind in ("button", "download_button"):
        return "trigger_value", True
    return "string_value", ""
