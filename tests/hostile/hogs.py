"""What one reader asks of the server that others then wait for: drawings, and room for files."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlencode

from benchmarks.raw_client import RawClient, run_apart
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import to_query
from tests.hostile import crowds
from tests.hostile.network import ask
from tests.hostile.watch import Tally, server

TAGS, WORDS = 12, 20
MEGABYTE = 1024 * 1024


def _large() -> str:
    """The address of a problem that takes long to draw."""
    scores = [[(7 * t + 3 * s) % 11 / 4 for s in range(TAGS)] for t in range(WORDS)]
    arcs = [[(5 * a + 2 * b) % 7 / 4 for b in range(TAGS)] for a in range(TAGS)]
    ends = [0.0] * TAGS
    tokens = tuple(f"w{t}" for t in range(WORDS))
    tags = tuple(f"T{s}" for s in range(TAGS))
    return urlencode(to_query(Problem.of(tags, tokens, scores, arcs, ends, ends)))


def drawings(lines: int = 100) -> Tally:
    """One reader asks for drawing after drawing, on many lines: the class's door stays quick."""
    tally = Tally("drawings", lines)
    move = json.dumps({"serial": 0, "epoch": 0, "op": "start", "index": [0], "text": "1", "at": 0})

    async def attack(url: str, code: str) -> list[str]:
        client = await RawClient.open(url, "viterbi", _large())
        path = client.preview("stepper").lstrip("/")
        drawn = await ask(url, path, method="POST", body=move.encode())
        asked = [ask(url, path, method="POST", body=move.encode()) for _ in range(lines)]
        tasks = [asyncio.create_task(one) for one in asked]
        await asyncio.sleep(0.2)
        joined = await crowds.join(url, code)
        found = Counter(answer.status for answer in await asyncio.gather(*tasks))
        await client.close()
        wrong = [f"a drawing is answered {drawn.status}"] * (drawn.status != 200)
        if joined.status != 303 or joined.seconds > max(1.0, 4 * drawn.seconds):
            wrong += [f"joining is answered {joined.status} after {joined.seconds:.1f} s"]
        if found[429] < lines // 2 or not found[200] or set(found) != {200, 429}:
            wrong += [f"drawings are answered {dict(found)}"]
        return wrong

    with crowds.a_class() as (running, room):
        tally.failures += run_apart(lambda: attack(running.url, room.code))
    return tally


def uploads(number: int = 20, size: int = 15 * MEGABYTE) -> Tally:
    """One session uploads file after file: the server keeps 64 MB of them."""
    tally = Tally("uploads", number)
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n%b\r\n--x--\r\n'
    body = part % bytes(size)

    async def attack(url: str) -> list[str]:
        client = await RawClient.open(url, "glossary")
        health = await ask(url, "_stcore/health")
        token = health.text.partition("_streamlit_xsrf=")[2].partition(";")[0]
        head = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Cookie": f"_streamlit_xsrf={token}",
            "X-Xsrftoken": token,
        }
        path = f"_stcore/upload_file/{client.session}"
        found = []
        for k in range(number):
            answer = await ask(url, f"{path}/f{k}", head, method="PUT", body=body)
            found.append(answer.status)
        await ask(url, f"{path}/f0", head, method="DELETE")
        found.append((await ask(url, f"{path}/f{number}", head, method="PUT", body=body)).status)
        await client.close()
        most = 64 * MEGABYTE // size
        wanted = [204] * most + [413] * (number - most) + [204]
        return [f"they are answered {found}"] * (found != wanted)

    with server() as running:
        tally.failures += run_apart(lambda: attack(running.url))
    return tally


def attacks() -> Iterator[Tally]:
    """Both."""
    yield drawings()
    yield uploads()
