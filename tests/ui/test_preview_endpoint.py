"""What is answered beside the runs: only to who knows the address, and nothing is kept of it."""

import asyncio
import gc
import gzip
import json
import threading
import time

import pytest
from starlette.applications import Starlette

from benchmarks.raw_client import run_apart
from pages.shared.contents import ROOT
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.ui import component, computed, preview_endpoint, server_path
from tests.apps import fresh, opened
from tests.ui.asgi import answer, exchange

PROBLEM = EXAMPLES[DEFAULT].problem


def served(route, path, method="GET", body=b""):
    """What the server's part alone answers."""
    return answer(Starlette(routes=[route]), path, method, body=body)


def ask(token, body):
    """Status and answer of an offer."""
    status, _, said = served(preview_endpoint.route(), f"/live/{token}", "POST", body)
    return status, json.loads(gzip.decompress(said)) if said else None


def moved(text, at=0):
    return {"serial": 0, "epoch": 0, "op": "start", "index": [0], "text": text, "at": at}


@pytest.mark.parametrize("lesson", ["forward", "backward", "viterbi"])
def test_a_moved_score_is_drawn_as_the_lesson_would_draw_it(lesson):
    app = fresh(lesson)
    app.session_state["recursion.pinned"] = PROBLEM
    app.run()
    offer = app.session_state[f"{lesson}.stepper·live"]
    status, drawn = ask(offer.token, json.dumps(moved("1.5", at=4)).encode())
    would_be = PROBLEM.with_score("start", 0, 1.5)
    assert status == 200
    table = computed.trace(would_be, lesson, "state", "max" if lesson == "viterbi" else "sum").table
    assert drawn["trace"]["labels"][0][0] == f"{table[0][0]:.2f}"
    assert [bool(step.get("means")) for step in drawn["trace"]["steps"]].index(True) == 4
    standing, best = drawn["beside"]["standing"], PROBLEM.chain().viterbi().tags[0].tolist()
    assert (standing["moved"], standing["pinned"]["path"]) == (True, best)
    assert drawn["beside"]["scores"]["start"][0][0] == "1.5"
    if lesson == "backward":
        flow = drawn["pictures"]["backward.flow"]
        found = {block[0]: block[1] for block in flow["columns"][0]["blocks"]}
        first = computed.marginals(would_be)[0]
        assert found[PROBLEM.tags[0]] == pytest.approx(first[0], rel=1e-12)
    assert app.run().session_state["shared_problem"].problem == PROBLEM


def test_nonsense_is_not_drawn():
    app = opened("forward")
    token = app.session_state["forward.stepper·live"].token
    for body, status in (
        (b"[" * 2000, 400),
        (b"\xff", 400),
        (b'{"said": [NaN]}', 400),
        (b'{"op": "start"}', 204),
        (json.dumps(moved("much")).encode(), 204),
        (json.dumps(moved("1", at="x")).encode(), 200),
        (json.dumps(moved("1", at=-(10**30))).encode(), 200),
        (b"x" * 5000, 413),
    ):
        assert ask(token, body)[0] == status


def test_where_the_reader_is_counts_from_the_next_run_on():
    for said, step in (([4, False, False], 4), ([10**30, 1, 2], 20), ("x", 3)):
        app = opened("forward")
        offer = app.session_state["forward.stepper·live"]
        assert ask(offer.token, json.dumps({"said": said}).encode())[0] == 204
        app.run()
        assert not app.exception
        assert app.session_state["forward.reached"] == step
        assert app.query_params.get("step", "3") == str(step)  # it begins with its first column


def test_an_offer_ends_with_its_session_and_hidden_controls_let_nothing_move(monkeypatch):
    offer = preview_endpoint.PreviewChannel()
    preview_endpoint._OFFERS[offer.token] = offer
    token = offer.token
    assert ask(token, b"1")[0] == 204
    del offer
    gc.collect()
    assert ask(token, b"1")[0] == 404  # as a stranger
    app = opened("forward", hide="controls")
    assert app.session_state["forward.stepper·live"].draw(moved("1")) is None
    monkeypatch.setattr(server_path.config, "get_option", {"server.baseUrlPath": "/crf/"}.get)
    assert preview_endpoint.route().path == "/crf/live/{token}"  # the path of the app comes first


def test_one_drawing_at_a_time_others_are_told_and_others_threads_are_free(monkeypatch):
    go, drawn = threading.Event(), []

    def draw(asked):
        go.wait(10)
        drawn.append(asked)
        return {"n": asked}

    async def crowd():
        offer = preview_endpoint.PreviewChannel()
        offer.draw = draw
        preview_endpoint._OFFERS[offer.token] = offer
        app = Starlette(routes=[preview_endpoint.route()])

        async def one(n):
            return (await exchange(app, f"/live/{offer.token}", "POST", body=str(n).encode()))[0]

        first = asyncio.create_task(one(0))
        await asyncio.sleep(0.05)
        start = time.monotonic()
        await asyncio.gather(*(asyncio.to_thread(int) for _ in range(40)))  # others' threads
        waited, refused = time.monotonic() - start, [await one(n) for n in (1, 2)]
        go.set()
        statuses = [await first, *refused, await one(3)]
        monkeypatch.setattr(preview_endpoint, "MOST_AT_ONCE", 0)
        return statuses, waited, await one(9)

    statuses, waited, crowded = run_apart(crowd)
    assert (statuses, drawn) == ([200, 429, 429, 200], [0, 3])
    assert waited < 5
    assert crowded == 429


def test_a_figures_module_is_served_below_its_contents_hash_and_kept():
    (shells, library, pages, _) = component.routes()
    path = component.sources("crf/figures/flow")["js"].split('new URL("')[1].split('/"')[0]
    assert library.path == f"{path}/crf/figures"
    module = f"{path}/crf/figures/flow/index.js"
    status, headers, said = served(library, module)
    assert (status, said) == (200, (ROOT / "crf/figures/flow/index.js").read_bytes())
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
    assert served(library, module)[2] == said
    assert served(library, module, "POST")[0] == 405
    for hidden in ("crf/figures/flow/payload.py", "crf/figures/../chain.py", "crf/figures/no.js"):
        assert served(library, f"{path}/{hidden}")[0] == 404
    assert served(pages, f"{path}/pages/lecture/text.md")[0] == 404
    status, _, said = served(shells, f"{path}/shell/crf/figures/flow")
    assert (status, json.loads(said)["file"].count("§data§")) == (200, 1)
    assert served(shells, f"{path}/shell/crf")[0] == 404


def test_a_changed_module_has_another_address(monkeypatch, tmp_path):
    before = component.sources("crf/figures/flow")["js"]
    (tmp_path / "crf").mkdir()
    (tmp_path / "crf" / "index.js").write_text("export default {};")
    monkeypatch.setattr(component, "_FOLDERS", (str(tmp_path),))
    component._version.cache_clear()
    assert component.sources("crf/figures/flow")["js"] != before
    component._version.cache_clear()
