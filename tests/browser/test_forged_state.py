"""What no browser sends: components' states and events of any type, straight to the server."""

import pytest

from benchmarks.raw_client import RawClient, run_apart

STRANGE = [
    None, True, -1, 10**30, 1.5, "5", "<script>", [], [3], {}, {"at": 1}, {"at": {"a": [1]}},
    {"at": ["9" * 5000, 0, 0]}, {"at": [-(10**18), True, True]}, {"at": [True]}, {"at": [1] * 2000},
]  # fmt: skip
CHOICES = [
    None, 7, "VERB", [], [1, 2], {"token": 0}, {"token": 0, "tag": 10**12}, {"token": -1, "tag": 1},
    {"token": "0", "tag": "1"}, {"token": True, "tag": True}, {"token": 0.5, "tag": 2},
    {"token": 0, "tag": {"tag": 1}},
]  # fmt: skip


def session(url, talk, page="start", query="sentence=Fish+swim."):
    async def run():
        client = await RawClient.open(url, page, query)
        try:
            before = shown(client)
            await talk(client)
            assert client.exceptions() == []
            return before, shown(client)
        finally:
            await client.close()

    return run_apart(run)


def shown(client):
    return [e.html.body for e in client.elements.values() if e.WhichOneof("type") == "html"]


@pytest.mark.parametrize("state", STRANGE, ids=lambda state: repr(state)[:24])
def test_a_forged_step(app_url, state):
    async def talk(client):
        await client.send("bidi_component", "viterbi", state)
        await client.send("bidi_component", "viterbi", {"at": [3, False, False]})

    before, after = session(app_url, talk)
    assert after == before != []


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: repr(choice)[:40])
def test_a_forged_choice(app_url, choice):
    async def talk(client):
        await client.trigger("words", "choice", choice)

    before, after = session(app_url, talk)
    assert after == before != []


def test_a_true_choice_changes_the_page(app_url):
    """Otherwise the tests above could not fail."""

    async def talk(client):
        await client.trigger("words", "choice", {"token": 0, "tag": 3})

    before, after = session(app_url, talk)
    assert after != before
    assert any("You set" in text for text in after)
