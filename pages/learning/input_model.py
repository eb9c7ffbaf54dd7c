"""The model whose scores come from one number per token, as text that is typed, pasted or loaded.

x = 1 -0.5 2 0.5                 a number per token
W = 0.8 -0.4 0.1                 a weight per tag
P = 0.5 -1 0.2 ; 0.3 0.4 -0.6 ; -0.2 0.7 0.1    rows separated by semicolons
start = 0.2 0 -0.3
path = 0 2 1 1                   the right tags, numbered from 0
"""

from functools import cache, lru_cache

import numpy as np

from crf.figures.numbers import exact
from pages.learning.corpus import fault
from pages.learning.gradients import Model, chain, scalar_inputs
from pages.shared.course.problem_checks import short
from pages.shared.course.typed_numbers import parse_number

MOST_TAGS, MOST_TOKENS, LARGEST = 8, 12, 1e3
_TABLES = ("x", "W", "P", "start")
_ALSO = {"S": "start", "seq": "path", "y": "path"}  # other names of the same


@cache
def seeded() -> Model:
    """Five tags and seven tokens with random numbers in [0, 1), and a random path.

    Source: numpy's legacy generator with seed 1111, in the order path, x, W, P, start.
    """
    S, m = 5, 7
    draw = np.random.RandomState(1111)
    path = draw.choice(S, m)
    x, W, P, start = (draw.random_sample(size) for size in (m, S, (S, S), S))
    return scalar_inputs(x.tolist(), W.tolist(), P.tolist(), start.tolist(), path.tolist())


PRESETS = {"inputs": scalar_inputs, "seeded": seeded}


def as_text(model: Model) -> str:
    """The numbers of a model as they are typed, with all digits.

    >>> print(as_text(scalar_inputs()).splitlines()[0])
    x = 1 -0.5 2 0.5
    """
    lines = []
    for name, table in model.tables.items():
        rows = table.tolist() if table.dim() == 2 else [table.tolist()]
        written = (" ".join(exact(v) for v in row) for row in rows)
        lines.append(f"{name} = {' ; '.join(written)}")
    return "\n".join([*lines, f"path = {' '.join(map(str, model.path))}"])


@lru_cache(maxsize=16)
def read(text: str, preset: str = "inputs") -> Model:
    """The model whose numbers were typed, a table per line; what is left out is the preset's.

    Raises:
        ProblemError: A line or a number cannot be read, or the sizes do not belong together.
    """
    usual = PRESETS[preset]()
    if not text.strip():
        return usual
    given = dict(_line(line) for line in filter(str.strip, text.splitlines()))
    found = {
        name: given.get(name) or (table if table.dim() == 2 else table[None]).tolist()
        for name, table in usual.tables.items()
    }
    m, S = len(found["x"][0]), len(found["W"][0])
    if m > MOST_TOKENS or S > MOST_TAGS:
        raise fault("inputs-faults.large", most=MOST_TOKENS, tags=MOST_TAGS, m=m, S=S)
    sizes = {"x": (1, m), "W": (1, S), "P": (S, S), "start": (1, S)}
    for name, (rows, columns) in sizes.items():
        _fits(name, found[name], rows, columns)
    x, W, P, start = (found[name] for name in _TABLES)
    path = _path(given["path"], m, S) if "path" in given else usual.path
    if len(path) != m or max(path) >= S:  # the preset's, of another size
        scores = scalar_inputs(x[0], W[0], P, start[0], [0] * m)
        path = chain(scores.scores(scores.tables)).viterbi().tags[0].tolist()
    return scalar_inputs(x[0], W[0], P, start[0], path)


def _line(line: str) -> tuple[str, list[list[float]]]:
    name, equals, written = (part.strip() for part in line.partition("="))
    name = _ALSO.get(name, name)
    if not equals or not written or name not in (*_TABLES, "path"):
        raise fault("inputs-faults.line", got=short(line))
    plain = written.translate(str.maketrans(",[]()", "     "))  # as Python or numpy prints them
    rows = [[parse_number(v, f"{name}, a number") for v in row.split()] for row in plain.split(";")]
    if any(abs(v) > LARGEST for row in rows for v in row):
        raise fault("inputs-faults.number", table=name)
    return name, rows


def _fits(name: str, rows: list[list[float]], height: int, width: int) -> None:
    if len(rows) != height or any(len(row) != width for row in rows):
        facts = {"table": name, "width": width, "got": " + ".join(str(len(row)) for row in rows)}
        if name == "P":
            raise fault("inputs-faults.rows", height=height, **facts)
        raise fault("inputs-faults.size", **facts)


def _path(rows: list[list[float]], m: int, S: int) -> tuple[int, ...]:
    _fits("path", rows, 1, m)
    if any(v != int(v) or not 0 <= v < S for v in rows[0]):
        raise fault("inputs-faults.path", last=S - 1)
    return tuple(map(int, rows[0]))
