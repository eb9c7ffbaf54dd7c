"""What a hostile file, code or number does: it is read, or refused in a sentence, and soon."""

import base64
import io
import json
import math
import random
import sqlite3
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from crf.tagger import ModelFileError, Tagger, model_files
from crf.tagger.bundled import shipped
from crf.tagger.pytorch_crf_model import PytorchCrfModel
from pages.shared.course import homework, lecture, problem_files
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.sqlite_tables import APPLICATION
from pages.shared.course.classroom.store import StoreError, open_store
from pages.shared.course.problem import Problem, ProblemError
from tests.hostile.watch import Tally

SOON = 10.0  # seconds
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, -0.0, 1.7e308, -1.7e308, math.inf, math.nan, 10**400, 2**63, "", " ",
    "x" * 9999, "\ud800", "a\x00b", "\u202e", "-inf", "nan", "1e999", [], [[]], [None], {},
    {"a": 1}, [["1"] * 99], [[1]],
)  # fmt: skip
TABLES = {
    "transitions": torch.zeros(2, 2),
    "start_transitions": torch.zeros(2),
    "end_transitions": torch.zeros(2),
}
SCORES = b"token,DET,NOUN\nthe,2.0,-1.0\nman,-1.5,-inf\n"

loaded = PytorchCrfModel.from_bytes


def tried(tally: Tally, name: str, *refusals: type[Exception], run: Callable[[], object]) -> None:
    """One try: it may succeed, or raise one of these with a sentence that can be shown."""
    tally.tries += 1
    began = time.monotonic()
    try:
        str(run()).encode()
    except refusals as error:
        if not 10 < len(str(error).encode(errors="replace")) < 1000:
            tally.failures.append(f"{name}: no sentence: {str(error)[:200]}")
    except Exception as error:
        tally.failures.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    if (seconds := time.monotonic() - began) > SOON:
        tally.failures.append(f"{name}: {seconds:.0f} s")


def archives(part: int = 1) -> Tally:
    """Zips of an upload with bits flipped."""
    tally, rng = Tally("archives"), random.Random(0)
    contents = {
        "crf.safetensors": safetensors.torch.save(TABLES),
        "scores.csv": SCORES,
        "naïve": b"x",
    }
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
        for number in range(0, 150, part):
            damaged = bytearray(packed.getvalue())
            for _ in range(rng.choice([1, 1, 4])):
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            upload = {"x.zip": bytes(damaged)}
            tried(
                tally, f"method {method}, {number}", ModelFileError,
                run=lambda upload=upload: model_files.load_upload(upload),
            )  # fmt: skip
    return tally


def _documents() -> dict[str, tuple[Any, Callable[[str], object]]]:
    """A good document of each kind, and what reads its text."""
    weights = safetensors.torch.save(TABLES)
    local = {n: (shipped("local") / n).read_bytes() for n in ("tagger.json", "weights.safetensors")}
    token = homework.token_of("k" * 32, "abcdefgh")

    def code(text: str) -> object:
        body = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")
        work = homework.read(f"CRF1.{body}.{homework._signature(token, body)}", token)
        return work, time.gmtime(work.time)

    problem = Problem.blank(("D", "N"), ("a", "b"))
    stop = lecture.Stop("viterbi", "ex=old-man", "Best")
    return {
        "problem": (json.loads(problem_files.to_json(problem)), problem_files.from_json),
        "lecture": (
            json.loads(lecture.to_json(lecture.Lecture("One", (stop,)))), lecture.from_json,
        ),
        "emissions": (
            {"tokens": ["a"], "labels": ["D", "N"], "emissions": [[2.0, "-inf"]]},
            lambda text: loaded(weights, text.encode(), "x.json").chain([["a"]]),
        ),
        "tagger": (
            json.loads(local["tagger.json"]) | {"vocabularies": {}, "clusters": {}},
            lambda text: Tagger.from_bytes(text.encode(), local["weights.safetensors"]),
        ),
        "code": ([7, ["forward"], "small", 1, "A", "Ada", [["1"]], 1_700_000_000], code),
        "question": (
            json.loads(Ballot("Which?", ("this", "that"), right=1).to_text()), Ballot.from_text,
        ),
    }  # fmt: skip


def _changed(document: Any, odd: Any) -> Iterator[Any]:
    """The document with something odd in each place, one at a time."""
    yield odd
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        inner = _changed(value, odd) if isinstance(value, dict | list) else (odd,)
        for new in inner:
            changed = deepcopy(document)
            changed[key] = new
            yield changed


def texts(part: int = 1) -> Tally:
    """JSON of every kind that is read, with something odd in each of its places."""
    tally = Tally("JSON")
    for kind, (document, read) in _documents().items():
        for odd in ODD[::part]:
            for changed in _changed(document, odd):
                text = json.dumps(changed)
                for again in (text, text.replace("{", '{"tags": 1, ', 1)):
                    tried(
                        tally, f"{kind}: {again[:80]}", ProblemError, ModelFileError,
                        run=lambda read=read, again=again: read(again),
                    )  # fmt: skip
    return tally


def weights(part: int = 1) -> Tally:
    """A state dict with tables of every type, of other shapes and with odd numbers."""
    tally = Tally("weights")
    types = [
        torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32,
        torch.float64, torch.complex64,
    ]  # fmt: skip
    for name, table in TABLES.items():
        odd = [table.to(kind) for kind in types]
        odd += [torch.full_like(table, value) for value in (math.inf, math.nan, 1e38, -math.inf)]
        odd += [torch.zeros(0), torch.zeros(()), torch.zeros(5000, 3000).bool(), table[None]]
        for one in odd[::part]:
            content = safetensors.torch.save(TABLES | {name: one.contiguous()})
            tried(
                tally, f"{name}: {one.dtype} {tuple(one.shape)}", ModelFileError,
                run=lambda content=content: (
                    loaded(content, SCORES, "x.csv").chain([["the", "man"]]).viterbi()
                ),
            )  # fmt: skip
    return tally


def stores(part: int = 1) -> Tally:
    """Files that are no class's, given as one: refused, with not one byte changed."""
    tally = Tally("stores")
    theirs = "CREATE TABLE students (student); CREATE TABLE ballots (number); "
    scripts = ["", theirs, f"PRAGMA application_id = {APPLICATION};" + theirs]
    with tempfile.TemporaryDirectory() as folder:
        contents = [b"\0", b"SQLite format 3\0", b"{}", b"x" * 5000]
        for number, script in enumerate(scripts[1:]):
            path = Path(folder) / f"{number}.db"
            with sqlite3.connect(path) as file:
                file.executescript(script)
            file.close()
            contents.append(path.read_bytes())
        for number, content in enumerate(contents[::part]):
            path = Path(folder) / f"store {number}"
            path.write_bytes(content)
            path.chmod(0o644)
            tried(tally, f"store {number}", StoreError, run=lambda path=path: _refused(path))
            if path.read_bytes() != content or path.stat().st_mode & 0o777 != 0o644:
                tally.failures.append(f"store {number}: it was changed")
        tried(tally, "a device", StoreError, run=lambda: _refused(Path("/dev/null")))
    return tally


def _refused(path: Path) -> None:
    open_store(str(path)).close()
    raise RuntimeError("it was taken")


EVERY = (archives, texts, weights, stores)
