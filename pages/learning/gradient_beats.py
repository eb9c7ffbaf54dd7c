"""Is a gradient right: in closed form, automatic, by differences; and one with a fault."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_magnitude, format_score, power_of_ten
from pages.learning import gradients, input_model
from pages.learning.controls import GRADIENT, words
from pages.learning.gradients import Model, Named, Parameters
from pages.learning.sentence_beats import right_path
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Bet

MOST_POWERS = 14  # of a tenth: the smallest h is 1e-14
OPENS = 5  # h = 1e-5
FURTHER = 3  # powers that the bet goes on
FINE = [k / 4 for k in range(4 * MOST_POWERS + 1)]  # powers at which the error is measured
FAULT_OF = {"A": "rows", "B": "steps", "C": "ends"}  # which code has which fault
_ROWS = 5  # of the faulty gradient
_LETTERS = {"e": "e", "t": "T", "s": "start", "z": "end", "x": "x", "w": "W", "W": "W", "P": "P",
            "S": "start"}  # fmt: skip


def powers(_: Problem) -> range:
    """The powers of a tenth that h goes through."""
    return range(MOST_POWERS + 1)


# ---------------------------------------------------------------------- the model


def model_of(state: State) -> Model | None:
    """The model on screen; None where it has one path at most, and so no gradient."""
    name = state.control("model", GRADIENT)
    if name == "pairs":
        return gradients.pair_potentials()
    if name in input_model.PRESETS:
        return input_model.read(state.control("inputs", GRADIENT), name)
    path = right_path(state).path
    if not path:
        return None
    model = gradients.of_problem(state.problem, path)
    return model if gradients.log_probability(model).item() < -1e-12 else None


def by_psi(state: State, model: Model) -> bool:
    """Whether the gradient is in ψ instead of log ψ."""
    return state.control("of", GRADIENT) == "psi" and model.has_potentials


@lru_cache(maxsize=16)
def exact(model: Model, psi: bool) -> tuple[Parameters, Parameters]:
    """Closed form, and automatic differentiation."""
    return gradients.closed(model, psi), gradients.automatic(model, psi)


@lru_cache(maxsize=16)
def entries(model: Model) -> tuple[list[Named], list[Named]]:
    """All parameters in their order, and those with the largest derivatives, at most `MOST`."""
    ranked = gradients.largest(model, exact(model, False)[0], most=10**6)
    tables = list(model.tables)
    every = sorted(ranked, key=lambda place: (tables.index(place[0]), place[1]))
    return every, ranked[: gradients.MOST]


def entry_of(state: State, model: Model) -> Named:
    """The entry on screen: the one asked for, else the largest transition."""
    asked = state.control("entry", GRADIENT)
    every, ranked = entries(model)
    if asked is not None and (_LETTERS[asked[0]], asked[1]) in every:
        return _LETTERS[asked[0]], asked[1]
    return next((place for place in ranked if place[0] in ("T", "P")), ranked[0])


def name_of(model: Model, place: Named) -> str:
    """A parameter as the page writes it: "T[NOUN, VERB]"; of a table of its own "…, step 3"."""
    table, at = place
    tags, tokens = model.tags, model.tokens
    if table in ("e", "x"):
        word = tokens[at[0]]
        if tokens.count(word) > 1:  # which of them
            word += f" ({at[0] + 1})"
        return f"{table}[{', '.join([word, *(tags[s] for s in at[1:])])}]"
    if len(at) == 3:
        return f"{table}[{tags[at[1]]}, {tags[at[2]]}, {at[0] + 2}]"
    return f"{table}[{', '.join(tags[s] for s in at)}]"


def key_of(place: Named) -> str:
    """A parameter as the address has it."""
    letter = next(key for key, table in _LETTERS.items() if table == place[0])
    return ".".join([letter, *map(str, place[1])])


# ---------------------------------------------------------------------- the V of the error


def drawn(state: State) -> Payload:
    """The models and entries to choose from."""
    model = model_of(state)
    models = ("screen", "pairs", *input_model.PRESETS)
    said = words(
        "word-error", "word-coarse", "word-fine", "word-smaller-h", "word-closed", "word-automatic",
        "word-differences", "word-agree", "word-entry", "word-model", "word-by", "word-of-log",
        "word-of-psi", *(f"model-{name}" for name in models),
    )  # fmt: skip
    chosen = {"model": state.control("model", GRADIENT), "of": "log"}
    if model is None:
        return {
            "draws": "error", "models": list(models), "chosen": chosen, "entries": [],
            "words": said, "most": MOST_POWERS, "psi": False,
        }  # fmt: skip
    every, _ = entries(model)
    chosen |= {
        "of": "psi" if by_psi(state, model) else "log", "entry": key_of(entry_of(state, model))
    }  # fmt: skip
    return {
        "draws": "error", "models": list(models), "chosen": chosen, "psi": model.has_potentials,
        "entries": [{"name": key_of(place), "label": name_of(model, place)} for place in every],
        "most": MOST_POWERS, "words": said,
    }  # fmt: skip


def at_power(state: State, step: int) -> Payload:
    """The three numbers at h, and the error at every h."""
    model = model_of(state)
    if model is None:
        return {"numbers": None, "dots": []}
    psi = by_psi(state, model)
    entry = entry_of(state, model)
    closed, automatic = (way[entry[0]][entry[1]].item() for way in exact(model, psi))
    slopes = _slopes(model, entry, psi)
    slope = slopes[4 * step]
    dots = [[power, _error(slope, closed)] for power, slope in zip(FINE, slopes, strict=True)]
    return {
        "power": step, "h": power_of_ten(-step),
        "numbers": {"closed": digits(closed), "automatic": digits(automatic),
                    "differences": digits(slope)},
        "agree": agreeing(digits(closed), digits(slope)),
        "error": _error(slope, closed),
        "dots": [dot for dot in dots if dot[1] is not None],
        "relative": _power(abs(slope - closed) / abs(closed)) if closed else "",
    }  # fmt: skip


@lru_cache(maxsize=64)
def _slopes(model: Model, entry: Named, psi: bool) -> list[float]:
    """Differences of one parameter at every h; nan where ψ − h is not positive."""
    return gradients.differences(model, [entry], [10.0**-p for p in FINE], psi=psi)[:, 0].tolist()


def _error(slope: float, right: float) -> float | None:
    off = abs(slope - right)
    return float(f"{max(off, 1e-17):.4g}") if math.isfinite(off) else None


def digits(value: float) -> str:
    """A number with 16 decimals, and a real minus sign.

    >>> digits(-0.25), digits(float("nan"))
    ('−0.2500000000000000', '–')
    """
    return format_score(value, 16) if math.isfinite(value) else "–"


def agreeing(one: str, other: str) -> int:
    """The number of decimals that agree, counted from the decimal mark.

    >>> agreeing("0.3480", "0.3481"), agreeing("−0.1", "0.1"), agreeing("0,12", "0,13")
    (3, 0, 1)
    """
    point = max(one.find("."), one.find(","))
    if point < 0 or other[: point + 1] != one[: point + 1]:
        return 0
    pairs = zip(one[point + 1 :], other[point + 1 :], strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), len(one) - point - 1)


@lru_cache(maxsize=64)
def worst(model: Model, psi: bool, power: int) -> tuple[float, float, int]:
    """The largest error over the parameters at h, absolute and relative, and how many they are."""
    _, places = entries(model)
    right = exact(model, psi)[0]
    closed = torch.stack([right[name][index] for name, index in places])
    off = (gradients.differences(model, places, [10.0**-power], psi=psi)[0] - closed).abs()
    there = off.isfinite()
    relative = (off / closed.abs())[there & (closed != 0)]
    largest = off[there].max().item() if there.any() else math.nan
    return largest, relative.max().item() if len(relative) else math.nan, len(places)


def _power(value: float) -> str:
    return format_magnitude(value, 2) if math.isfinite(value) else "∞"


def bet_on_error(state: State) -> Bet | None:
    """Whether a much smaller h makes the error smaller."""
    model = model_of(state)
    if model is None or state.step not in (None, OPENS):
        return None
    entry, psi = entry_of(state, model), by_psi(state, model)
    closed = exact(model, psi)[0][entry[0]][entry[1]].item()
    slopes = _slopes(model, entry, psi)
    now, then = (abs(slopes[4 * k] - closed) for k in (OPENS, OPENS + FURTHER))
    if not (math.isfinite(now) and math.isfinite(then)):
        return None
    right = "same" if now / 3 <= then <= 3 * now else "larger" if then > now else "smaller"
    return Bet(("smaller", "same", "larger"), right)


def veiled(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    """The error at larger steps alone."""
    return picture, now | {"dots": [dot for dot in now["dots"] if dot[0] <= OPENS]}


def facts(state: State, step: int) -> dict[str, Any]:
    """Facts for the sentence about the error at h."""
    model = model_of(state)
    if model is None:
        return {"none": 1}
    psi, entry = by_psi(state, model), entry_of(state, model)
    off, relative, count = worst(model, psi, step)
    every = len(entries(model)[0])
    closed = exact(model, psi)[0][entry[0]][entry[1]].item()
    slopes = _slopes(model, entry, psi)
    errors = [_error(slope, closed) for slope in slopes]
    there = [(e, p) for e, p in zip(errors, FINE, strict=True) if e is not None]
    best = min(there, default=(0.0, float(step)))[1]
    at_best = -1 if step < best - 1.5 else 1 if step > best + 1.5 else 0
    return {
        "none": 0, "h": power_of_ten(-step), "side": at_best, "entry": name_of(model, entry),
        "count": count, "every": every, "all": int(count == every), "psi": int(psi),
        "worst": _power(off), "relative": _power(relative),
        "lost": int(math.isnan(slopes[4 * step])), "before": _power(errors[4 * OPENS] or 0.0),
        "after": _power(errors[4 * (OPENS + FURTHER)] or 0.0),
        "thousand": decimal(f"{10**FURTHER:,}"),
    }  # fmt: skip


def rows_of(model: Model, psi: bool, power: int) -> list[list[str | float]]:
    """Every entry in three ways, with the error absolute and relative; the largest first."""
    closed, automatic = exact(model, psi)
    places = entries(model)[1]
    slopes = gradients.differences(model, places, [10.0**-power], psi=psi)[0].tolist()
    rows: list[list[str | float]] = []
    for (table, at), slope in zip(places, slopes, strict=True):
        right = closed[table][at].item()
        off = abs(slope - right)
        share = off / abs(right) if right else math.nan
        rows.append([
            name_of(model, (table, at)), right, automatic[table][at].item(), slope, off, share
        ])  # fmt: skip
    return rows


# ---------------------------------------------------------------------- a faulty gradient


@lru_cache(maxsize=16)
def shown_codes(model: Model) -> tuple[str, ...]:
    """The codes whose fault changes this model's gradient."""
    return tuple(code for code, fault in FAULT_OF.items() if gradients.shows(model, fault))


@lru_cache(maxsize=32)
def _faulty(model: Model, fault: str) -> tuple[Parameters, float]:
    return gradients.faulty(model, fault), gradients.expected_pairs(model, fault)


def code_of(state: State, model: Model) -> str:
    """The code on screen; "" where no fault shows."""
    codes = shown_codes(model)
    asked = state.control("code", GRADIENT)
    return asked if asked in codes else next(iter(codes), "")


def drawn_fault(state: State) -> Payload:
    """The entries that are furthest off, right and as the code has them."""
    model = model_of(state)
    codes = shown_codes(model) if model else ()
    if model is None or not codes:
        return {"draws": "fault", "rows": [], "codes": [], "words": {}}
    code = code_of(state, model)
    wrong, pairs = _faulty(model, FAULT_OF[code])
    right = exact(model, False)[0]
    off = {table: right[table] - wrong[table] for table in right}
    rows = [
        {"name": name_of(model, (table, at)), "right": right[table][at].item(),
         "code": wrong[table][at].item(), "texts": _texts([right, wrong], table, at)}
        for table, at in gradients.largest(model, off, _ROWS)
    ]  # fmt: skip
    steps = len(model.tokens) - 1
    return {
        "draws": "fault", "rows": rows, "codes": list(codes), "code": code,
        "words": words("word-code", "word-is-right", "word-sum"),
        "sums": [{"value": steps, "text": str(steps)},
                 {"value": pairs, "text": decimal(f"{pairs:.3g}")}],
    }  # fmt: skip


def _texts(ways: Sequence[Parameters], table: str, at: tuple[int, ...]) -> list[str]:
    return [format_score(way[table][at].item(), 4) for way in ways]


def fault_bet(state: State) -> Bet | None:
    """Which fault the code has; a fault with the same numbers is right, too."""
    model = model_of(state)
    code = code_of(state, model) if model else ""
    if model is None or not code:
        return None
    wrong = _faulty(model, FAULT_OF[code])[0]
    fits = [name for name in FAULT_OF.values() if gradients.alike(wrong, _faulty(model, name)[0])]

    def verdict(choice: str) -> str:
        return "wrong" if choice not in fits else "also" if len(fits) > 1 else "right"

    right = state.bet if state.bet in fits else FAULT_OF[code]
    return Bet(("steps", "ends", "rows"), right, verdict=verdict)


def fault_facts(state: State, _step: int) -> dict[str, Any]:
    """Facts for the sentence about the faulty gradient."""
    model = model_of(state)
    codes = shown_codes(model) if model else ()
    if model is None or not codes:
        return {"none": 1, "one": int(model is None)}
    code = code_of(state, model)
    fault = FAULT_OF[code]
    return {
        "none": 0, "one": 0, "code": code, "fault": fault, "seen": len(codes),
        "unseen": len(FAULT_OF) - len(codes), "right": len(model.tokens) - 1,
        "sum": decimal(f"{_faulty(model, fault)[1]:.3g}"),
        "sums": int(abs(_faulty(model, fault)[1] - len(model.tokens) + 1) < 1e-6),
    }  # fmt: skip
