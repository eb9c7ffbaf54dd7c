"""What a hostile file or code does: it is read, or refused in a sentence, and soon."""

import io
import json
import math
import random
import time
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
import safetensors.torch
import torch

from crf.tagger import ModelFileError, Tagger, hugging_face, model_files
from crf.tagger.bundled import shipped
from pages.shared.course import lecture_plan, problem_files
from pages.shared.course.problem import Problem, ProblemError

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


def tried(name: str, run: Callable[[], object]) -> None:
    """One try: it may succeed, or be refused with a sentence that can be shown."""
    began, said = time.monotonic(), ""
    try:
        str(run()).encode()
    except (ProblemError, ModelFileError) as error:
        said = str(error)
    except Exception as error:
        raise AssertionError(name) from error
    assert not said or 10 < len(said.encode(errors="replace")) < 1000, name
    assert time.monotonic() - began < SOON, name


def test_archives():
    """Zips of an upload with bits flipped."""
    rng = random.Random(0)
    weights = safetensors.torch.save(TABLES)
    contents = {"w.safetensors": weights, "tagger.json": b"{}", "naïve": b"x"}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
        for number in range(150):
            damaged = bytearray(packed.getvalue())
            for _ in range(rng.choice([1, 1, 4])):
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            load = partial(model_files.load_upload, {"x.zip": bytes(damaged)})
            tried(f"{method} {number}", load)


def _documents() -> dict[str, tuple[Any, Callable[[str], object]]]:
    """A good document of each kind, and what reads its text."""
    local = {n: (shipped("local") / n).read_bytes() for n in ("tagger.json", "weights.safetensors")}
    problem = Problem.blank(("D", "N"), ("a", "b"))
    plan = lecture_plan.LecturePlan("One", (lecture_plan.PlannedBeat("trellis", "best"),))
    return {
        "problem": (json.loads(problem_files.to_json(problem)), problem_files.from_json),
        "lecture": (
            json.loads(lecture_plan.to_json(plan)),
            lambda text: lecture_plan.from_json(text, {("trellis", "best")}),
        ),
        "tagger": (
            json.loads(local["tagger.json"]) | {"vocabularies": {}, "clusters": {}},
            lambda text: Tagger.from_bytes(text.encode(), local["weights.safetensors"]),
        ),
    }


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


@pytest.mark.parametrize("kind", _documents())
def test_json(kind):
    """JSON of every kind that is read, with something odd in each of its places."""
    document, read = _documents()[kind]
    for odd in ODD:
        for changed in _changed(document, odd):
            text = json.dumps(changed)
            for again in (text, text.replace("{", '{"tags": 1, ', 1)):
                tried(again[:80], partial(read, again))


@pytest.mark.parametrize("name", TABLES)
def test_weights(name):
    """A state dict with a table of every type, of other shapes and with odd numbers."""
    table = TABLES[name]
    types = "bool uint8 int64 float16 bfloat16 float32 float64 complex64".split()
    odd = [table.to(getattr(torch, kind)) for kind in types]
    odd += [torch.full_like(table, value) for value in (math.inf, math.nan, 1e38, -math.inf)]
    odd += [torch.zeros(0), torch.zeros(()), torch.zeros(5000, 3000).bool(), table[None]]

    def decoded(table: torch.Tensor) -> object:
        tables = hugging_face.crf_tables(TABLES | {name: table}, 2, "config.json")
        return hugging_face.padded_chain([torch.zeros(2, 2)], tables, None).viterbi()

    for one in odd:
        tried(f"{one.dtype} {tuple(one.shape)}", partial(decoded, one))
