"""What no browser sends to the score editor and the path picker, straight to the server."""

import pytest

from benchmarks.raw_client import RawClient, run_apart

EDIT = {"serial": 1, "epoch": 0, "op": "start", "index": [0], "text": "7"}
EDITS = [
    None, 3, "edits", [], [EDIT], {"client": "x"}, {"client": None, "edits": [EDIT]},
    {"client": "x", "edits": [None, EDIT]}, {"client": "x", "edits": [EDIT | {"op": {}}]},
    {"client": "x", "edits": [EDIT | {"index": ["0"]}]}, {"client": "x", "edits": {"0": EDIT}},
    {"client": "x", "edits": [EDIT | {"text": "9" * 5000}]},
    {"client": "x", "edits": [EDIT | {"serial": 10**40}]},
    {"client": "x", "edits": [EDIT | {"epoch": -1}]},
    {"client": "x", "edits": [EDIT | {"text": "<script>"}]},
]  # fmt: skip
CHOICE = {"client": "x", "serial": 1, "path": [3, 3, 3, 3, 3]}
CHOICES = [
    None, 3, "path", [], {"path": CHOICE["path"]}, CHOICE | {"client": 3}, CHOICE | {"serial": {}},
    CHOICE | {"path": [3]}, CHOICE | {"path": [4] * 5}, CHOICE | {"path": [-1] * 5},
    CHOICE | {"path": [True] * 5}, CHOICE | {"path": ["3"] * 5}, CHOICE | {"path": {"0": 3}},
    CHOICE | {"path": [3] * 100_000},
]  # fmt: skip


def sent(url, what, values):
    """The page's texts before and after these states of a component, each sent in turn."""

    async def talk():
        client = await RawClient.open(url, "scores", "ex=old-man")
        try:
            await client.send("checkbox", "bar.editing", True, as_field="bool_value")
            before = shown(client)
            for value in values:
                await client.send("bidi_component", what, value)
                assert client.exceptions() == []
            return before, shown(client)
        finally:
            await client.close()

    return run_apart(talk)


def shown(client):
    return [e.html.body for e in client.elements.values() if e.WhichOneof("type") == "html"]


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("editor", EDITS),
        ("editor", [{"edits": edits} for edits in EDITS]),
        ("picker", CHOICES),
        ("picker", [{"choice": choice} for choice in CHOICES]),
    ],
)
def test_a_forged_message_changes_nothing(app_url, what, values):
    before, after = sent(app_url, what, values)
    assert after == before != []


@pytest.mark.parametrize(
    ("what", "value"),
    [("editor", {"edits": {"client": "x", "edits": [EDIT]}}), ("picker", {"choice": CHOICE})],
)
def test_a_true_message_changes_the_page(app_url, what, value):
    """Otherwise the test above could not fail."""
    before, after = sent(app_url, what, [value])
    assert after != before
