"""Numerical stability, beat by beat: one picture of what four number formats hold."""

import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText, Segment
from pages.shared.figures.decoders import listed
from pages.stability.chains import (
    METHODS,
    STAND_IN,
    every_other_forbidden,
    log_space,
    powers,
    repeated,
    run,
)
from pages.stability.formats import (
    DTYPES,
    gap,
    limits,
    log_sum,
    spacing,
    with_offset,
    written,
)

TEXT = Path(__file__).with_name("beats.md")
LONGEST, CHART = 300, 1_000  # words: of the chain that one drags, and of the closing chart
FEW = 4  # scores that are named
_BEGUN = 20  # words: as far as an open question shows


def _words(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= LONGEST and len(text) < 5):
        raise ValueError
    return int(text)


def _offset(text: str) -> float:
    value = float(text)
    if not abs(value) <= 1e5:  # nan, too
        raise ValueError
    return value


CONTROLS = {"words": StatePart(46, _words), "c": StatePart(None, _offset)}  # None: the largest


def _word(name: str, facts: dict[str, Any] | None = None) -> str:
    return BeatText.load(TEXT).plain(f"word-{name}", facts or {})


# ---------------------------------------------------------------------- multiply, take logs


def _count(state: State) -> int:
    return state.control("words", CONTROLS)


@lru_cache(maxsize=16)
def _peaks(problem: Problem) -> tuple[float, ...]:
    """The largest log α̂ of each word of the chain that one drags."""
    return run(problem, "log", "float64", LONGEST).peaks


def _breaks(problem: Problem, dtype: str) -> tuple[int | None, int | None]:
    """The first word at which each product is lost: a factor of .1 each, and the sentence's."""
    products = powers(LONGEST, dtype)[0]
    tenth = products.index(0.0) + 1 if 0.0 in products else None
    return tenth, run(problem, "multiply", dtype, LONGEST).broke


def _lanes(state: State) -> Payload:
    """Four formats as bars, and two products that grow: nats, and where each is lost."""
    problem = state.problem
    down = int(_peaks(problem)[-1] < 0)
    peaks = [round(x, 2) if math.isfinite(x) else None for x in _peaks(problem)]
    lanes, dead = [], peaks.index(None) + 1 if None in peaks else None  # from where no path is left
    for dtype in DTYPES:
        bound, places = limits(dtype), _breaks(problem, dtype)
        ends = [_ended(places[0], "0"), _ended(places[1] or dead, "0" if down else "inf")]
        lanes.append({"name": dtype, "low": bound.underflow, "high": bound.overflow, "lost": ends})
    names = [_word("tenth"), _word("sentence", {"down": down})]
    return {
        "lanes": lanes,
        "names": names,
        "step": math.log(0.1),
        "values": peaks,
        "longest": LONGEST,
        "count": _count(state),
        "words": _word("words"),
    }


def _ended(place: int | None, value: str) -> Payload | None:
    """Where a product is lost, and the value that the format stores from there on."""
    if place is None:
        return None
    return {"word": place, "value": value, "from": _word("from", {"n": place})}


def _with_logs(state: State) -> Payload:
    """The lanes if formats store logs: then only the formats' largest number is a limit."""
    payload = _lanes(state)
    for lane in payload["lanes"]:
        top = limits(lane["name"]).largest
        lane |= {"low": -min(top, 1e9), "high": min(top, 1e9), "lost": [None, None]}
    return payload


def _sums(state: State, _step: int) -> Payload:
    """The logs of both products, as each format computes them."""
    n, problem = _count(state), state.problem
    values = []
    for dtype in DTYPES:
        peak = run(problem, "log", dtype, LONGEST).peaks[n - 1]
        values.append([written(powers(n, dtype)[1][-1]), _score(peak)])
    return {"count": n, "values": values}


def _score(value: float) -> str:
    return "−∞" if value == -math.inf else written(value)


def _multiplied(state: State, _step: int) -> dict[str, Any]:
    n, problem = _count(state), state.problem
    held = [dtype for dtype in DTYPES if all(p is None or n < p for p in _breaks(problem, dtype))]
    names = [*held, "", ""]
    return {
        "n": n,
        "held": len(held),
        "first": names[0],
        "second": names[1],
        "reads": int(_peaks(problem)[n - 1] > -math.inf),
    }


def _broken(state: State) -> dict[str, int | None]:
    return {d: run(state.problem, "multiply", d, LONGEST).broke for d in ("bfloat16", "float32")}


def _first_to_break(state: State, _step: int) -> Bet | None:
    half, single = _broken(state).values()
    if half is None:
        return None
    right = "together" if half == single else "bfloat16"
    options = ("bfloat16", "float32", "together")
    return Bet(options, right, labels={dtype: dtype for dtype in options[:2]})


def _multiply_facts(state: State, step: int) -> dict[str, Any]:
    half, single = _broken(state).values()
    places: dict[str, Any] = {"place": half or 0, "later": single or 0}
    places |= {"same": int(half == single), "tenth_factor": decimal(".1")}
    return _multiplied(state, step) | places


def _begun(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """The first words only; where a product is lost later stays hidden."""
    lanes = [
        lane | {"lost": [end if end and end["word"] <= _BEGUN else None for end in lane["lost"]]}
        for lane in whole.get("lanes", ())
    ]
    begun = {"count": _BEGUN, "values": whole.get("values", ())[:_BEGUN]}
    return whole | begun | {"lanes": lanes}, now | {"count": _BEGUN}


def _log_facts(state: State, _step: int) -> dict[str, Any]:
    n = _count(state)
    value = _peaks(state.problem)[n - 1]
    apart = {f"apart_{d}": _fraction(spacing(value, d)) for d in ("float16", "bfloat16")}
    return {
        "n": n,
        "product": f"{value:.0f}".replace("-", "−"),
        "tenth": f"{n * math.log(0.1):.0f}".replace("-", "−"),
        "largest": decimal(f"{limits('float16').largest:,.0f}"),
        "reads": int(value > -math.inf),
        "beyond": int(abs(value) > limits("float16").largest),
        **apart,
    }


def _fraction(value: float) -> str:
    """A power of two.

    >>> _fraction(0.125), _fraction(2.0)
    ('1/8', '2')
    """
    return f"{value:g}" if value >= 1 else decimal(f"1/{1 / value:,.0f}")


# ---------------------------------------------------------------------- exp again, subtract


class Sum(NamedTuple):
    """The ways into a cell of the repeated sentence, which log Σ exp has to add."""

    word: str
    tag: str
    names: tuple[str, ...]  # the tags that ways come from, by their scores
    scores: tuple[float, ...]  # of the ways, the largest first; −∞ is left out
    exact: float  # log Σ exp of them


@lru_cache(maxsize=16)
def _sum(problem: Problem) -> Sum:
    """The first cell whose exps float32 cannot hold; if there is none, one of the last word's."""
    bound, peaks = limits("float32"), _peaks(problem)
    lost = (t for t, q in enumerate(peaks) if q > bound.overflow or -math.inf < q < bound.underflow)
    t = min(next(lost, LONGEST - 2), LONGEST - 2) + 1
    tables = repeated(problem, t + 1)
    into = log_space(tables).alphas[t - 1][:, None] + tables.transitions[t - 1]
    s = int(into.amax(0).argmax())
    ways = sorted(zip(into[:, s].tolist(), problem.tags, strict=True), key=lambda way: -way[0])
    ways = [way for way in ways if way[0] > -math.inf]
    scores = tuple(q for q, _ in ways)
    exact = log_sum(scores, "shifted", "float64").value if scores else -math.inf
    word = problem.tokens[t % len(problem.tokens)]
    return Sum(word, problem.tags[s], tuple(tag for _, tag in ways), scores, exact)


def _c(state: State) -> float:
    """The c of the reader's choice; the largest score where there is none."""
    chosen, scores = state.control("c", CONTROLS), _sum(state.problem).scores
    return max(scores, default=0.0) if chosen is None else chosen


def _ways(state: State) -> Payload:
    cell = _sum(state.problem)
    lanes = [{"name": d, "low": limits(d).underflow, "high": limits(d).overflow} for d in DTYPES]
    ways = [
        {"name": name if k < FEW else "", "score": q, "text": format_score(q)}
        for k, (name, q) in enumerate(zip(cell.names, cell.scores, strict=True))
    ]
    into = _word("into", {"n": len(ways), "word": cell.word, "tag": cell.tag})
    return {"lanes": lanes, "ways": ways, "into": into, "sum": "log Σ exp"}


def _results(state: State, c: float) -> list[float]:
    scores = _sum(state.problem).scores
    return [with_offset(scores, c, dtype).value if scores else -math.inf for dtype in DTYPES]


def _with_c(state: State, c: float | None) -> Payload:
    values = [written(value, 6) for value in _results(state, c or 0.0)]
    return {"c": c, "c_text": "" if c is None else f"c = {format_score(c)}", "values": values}


def _exp_facts(state: State, _step: int) -> dict[str, Any]:
    cell, values = _sum(state.problem), _results(state, 0.0)
    single = values[DTYPES.index("float32")]
    too_large = [q for q in cell.scores if q > limits("float32").overflow]
    lost = [d for d, v in zip(DTYPES, values, strict=True) if gap(v, cell.exact) == math.inf]
    ends = {
        f"{name}_{d}": format_score(getattr(limits(d), name))
        for name in ("overflow", "underflow")
        for d in DTYPES
    }
    fate = "over" if single == math.inf else "under" if single == -math.inf else "held"
    return ends | {
        "fate": fate,
        "large": len(too_large),
        "lost": listed(lost),
        "fails": len(lost),
        "best": (*cell.names, "")[0],
        "terms": _terms(cell.scores),
        "ways": len(cell.scores),
    }


def _terms(scores: tuple[float, ...]) -> list[Segment]:
    """exp 90.55 + exp 84.60 + …, the largest in bold."""
    text: list[Segment] = []
    for k, q in enumerate(scores[:FEW]):
        text += [" + " if k else "", "exp "]
        text.append({"text": format_score(q), "bold": True} if k == 0 else format_score(q))
    return [*text, " + …"] if len(scores) > FEW else text


FAILING = {0: "none", 2: "sixteen", 3: "but64", 4: "all"}  # formats → option


def _which_fail(state: State, _step: int) -> Bet | None:
    fails = _exp_facts(state, 0)["fails"]
    options = ("none", "sixteen", "but64", "all")
    return Bet(options, FAILING[fails]) if fails in FAILING and _sum(state.problem).scores else None


def _hide_sums(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """Hide the scores' exponentials."""
    bare = [{"name": lane["name"], "low": None, "high": None} for lane in whole.get("lanes", ())]
    return whole | {"lanes": bare}, now | {"values": [""] * len(DTYPES)}


def _subtract_facts(state: State, _step: int) -> dict[str, Any]:
    cell, c = _sum(state.problem), _c(state)
    in_double = with_offset(cell.scores, c, "float64") if cell.scores else None
    broken = [gap(value, cell.exact) == math.inf for value in _results(state, c)]
    total = in_double.total if in_double else 0.0
    return {
        "c": format_score(c),
        "top": int(c == max(cell.scores, default=0.0)),
        "ways": len(cell.scores),
        "broken": sum(broken),
        "total": written(total, 5),
        "finite": int(0 < total < math.inf),
        "line": ["\n\u2003"],
    }


# ---------------------------------------------------------------------- forbidden, which format


def _sides(_state: State) -> Payload:
    """The chain that leaves no path, with −10000 written and with −∞."""
    return {"sides": [_side("stand-in", STAND_IN), _side("infinite", -math.inf)]}


def _side(name: str, stand_in: float) -> Payload:
    problem = every_other_forbidden(stand_in)
    chain = problem.chain()
    p = chain.log_prob(chain.marginals.argmax(-1)).exp().item() if chain.feasible else None
    text = "−∞" if stand_in == -math.inf else "−10000"
    return {
        "title": _word(name),
        "tags": list(problem.tags),
        "words": [_word("nth", {"n": t + 1}) for t in range(len(problem.tokens))],
        "marginals": chain.marginals[0].tolist(),
        "pairs": chain.pair_marginals[0].tolist(),
        "text": text,
        "log_z": _score(chain.log_partition.item()),
        "foot": _word("sure", {"p": decimal(f"{p:.2f}")}) if p is not None else _word("no-path"),
    }


def _hide_sides(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """Hide the marginals, log Z and the answer's probability."""
    blank = {"marginals": None, "pairs": None, "log_z": "", "foot": ""}
    return whole | {"sides": [side | blank for side in whole.get("sides", ())]}, now


def _forbidden_facts(_state: State, _step: int) -> dict[str, Any]:
    chain = every_other_forbidden(STAND_IN).chain()
    return {"log_z": _score(chain.log_partition.item())}


def _grid(state: State) -> Payload:
    """Ways by formats: how far log Z is right, and what it is in the end."""
    rows = [
        {
            "name": _word(method),
            "note": _word(f"{method}-note"),
            "cells": [_cell(state.problem, method, dtype) for dtype in DTYPES],
        }
        for method in METHODS
    ]
    return {"formats": list(DTYPES), "rows": rows}


def _cell(problem: Problem, method: str, dtype: str) -> Payload:
    result = run(problem, method, dtype, CHART)
    value = result.values[-1]
    if result.wrong is None:
        return {"share": 1.0, "kind": "right", "head": _word("right"), "tail": _score(value)}
    after = {"share": (result.wrong - 1) / CHART, "tail": _word("from", {"n": result.wrong})}
    if not math.isfinite(value):
        return after | {"kind": "none", "head": written(value)}
    how = "stuck" if result.stuck else "ends"
    head = _word(how, {"value": f"{value:.0f}".replace("-", "−")})
    return after | {"kind": "wrong", "head": head}


def _grid_facts(state: State, _step: int) -> dict[str, Any]:
    runs = {d: run(state.problem, "log", d, CHART) for d in DTYPES}
    every = [
        run(state.problem, method, d, CHART).wrong is None for method in METHODS for d in DTYPES
    ]
    return {
        "single": int(runs["float32"].wrong is None),
        "every": int(all(every)),
        "truth": _score(round(runs["float64"].values[-1], 3)),
        "reads": int(runs["float64"].values[-1] > -math.inf),
    }


BEATS = lesson(
    "stability", TEXT,
    Beat("multiply", _lanes, _multiply_facts, lambda state, _: {"count": _count(state)},
            bet=_first_to_break, veil=_begun, controls=CONTROLS),
    Beat("logs", _with_logs, _log_facts, _sums, controls=CONTROLS),
    Beat("exp", _ways, _exp_facts, lambda state, _: _with_c(state, None),
            bet=_which_fail, veil=_hide_sums, controls=CONTROLS),
    Beat("subtract", _ways, _subtract_facts, lambda state, _: _with_c(state, _c(state)),
            controls=CONTROLS, slot="beside"),
    Beat("forbidden", _sides, _forbidden_facts,
            bet=lambda *_: Bet(("zero", "small", "one"), "one"), veil=_hide_sides),
    Beat("formats", _grid, _grid_facts),
)  # fmt: skip
