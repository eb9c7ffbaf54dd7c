"""Every field of every page that takes text gets all of the corpus, and its form is sent.

The fields are found on the pages, with everything unfolded; those of the score editor, which are
a component's, are filled by its messages.
"""

import json

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.raw_client import RawClient
from tests.hostile.corpora import NUMBERS
from tests.hostile.forged import unfolded, widgets
from tests.hostile.watch import Server, Tally

_FIELDS = ("text_input", "text_area")
TEXTS = tuple(text for text in NUMBERS if "\ud800" not in text)  # which no message can carry


async def fields_of_a_page(server: Server, address: str, part: int = 1) -> Tally:
    """Type every text, or every so many-th, into all fields of a page, and send their forms."""
    tally = Tally("fields")
    client = await unfolded(server, address)
    for text in TEXTS[::part]:
        fault, names = await _type(server, client, text)
        tally.tries += len(names)
        if fault:
            found = []
            for name in names:
                alone = await unfolded(server, address)
                its_fault, _ = await _type(server, alone, text, name)
                found += [f"{name}: {its_fault}"] * bool(its_fault)
                await alone.close()
            for line in found or [f"all together: {fault}"]:
                tally.failures.append(f"/{address} {text!r:.60} → {line}")
            await client.close()
            client = await unfolded(server, address)
    await client.close()
    return tally


async def _type(
    server: Server, client: RawClient, text: str, only: str = ""
) -> tuple[str, list[str]]:
    """What went wrong when the fields got this text, and the fields' names."""
    names, states = [], []
    for widget, kind in widgets(client).items():
        name = widget.split("-", 2)[-1]
        if kind == "button" and "FormSubmitter" in name:
            states.append(WidgetState(id=widget, trigger_value=True))
        elif kind in _FIELDS:
            names.append(name)
            if only in ("", name):
                states.append(WidgetState(id=widget, string_value=text))
    for edit in _edits(client, text):
        names.append("score editor")
        if only in ("", "score editor"):
            states.append(edit)
    client.widgets = {state.id: state for state in states}
    try:
        await client.run()
    except Exception as error:
        return repr(error), names
    client.widgets.clear()
    return server.fault(client), names


def _edits(client: RawClient, text: str) -> list[WidgetState]:
    """An edit of each of its tables, by the score editors on the page."""
    found = []
    for _, kind, record in client.parts():
        if kind == "bidi_component" and record.component_name.endswith("score_editor"):
            epoch = json.loads(record.json)["epoch"]
            edits = [
                {"serial": k, "epoch": epoch, "op": op, "index": index, "text": text}
                for k, (op, index) in enumerate(
                    {"emissions": [0, 0], "transitions": [0, 0], "rename-tag": [0]}.items(), 1
                )
            ]
            said = {"edits": {"client": text[:50], "edits": edits}}
            found.append(WidgetState(id=record.id, json_value=json.dumps(said)))
    return found
