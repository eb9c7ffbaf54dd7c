"""Implement it, beat by beat: write it, find the first wrong cell, see what cannot be true."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from crf.figures.numbers import format_magnitude, format_percent, format_score
from crf.lab import mistakes
from crf.lab.cells import AnswerForm
from crf.lab.homework import FUNCTIONS
from crf.lab.starter import starter
from pages.implement import checking
from pages.implement.checking import CONTROLS, QUANTITIES, TEXT, called, checked, instead, words
from pages.implement.first_wrong import capital, cell_facts, grid, no_ends
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat, lesson
from pages.shared.figures.equation import equals, minus, shown

SMALL = 800  # words · tags² up to which every known mistake is tried in every function
USUAL = ("end left out", "start left out", "max for sum")  # vessels beside the reader's


# ---------------------------------------------------------------------- write it


def _starter(_state: State) -> Payload:
    return {"part": "code", "names": list(FUNCTIONS), "words": words("order", "file")}


@lru_cache
def _function(name: str) -> str:
    """The function to write, without the head of its file."""
    text = starter("plain", only=(name,))
    return text[text.index(f"def {name}(") :].strip()


def _code_at(_state: State, step: int) -> Payload:
    name = list(FUNCTIONS)[step]
    return {"chosen": step, "code": _function(name)}


# ---------------------------------------------------------------------- what cannot be true


class Claim(NamedTuple):
    """What a reader's program says, and what is known of it."""

    key: str  # of `CLAIMS`
    value: float
    best: float  # the best path's score
    log_z: float
    right: float
    others: list[tuple[str, float]]  # mistakes, and what each would give

    def share(self, value: float) -> float:
        """p of the best reading, if the number were true: more than 1 is impossible."""
        gap = {"log-z": self.best - value, "score": value - self.log_z, "loss": -value}[self.key]
        return math.exp(min(gap, 700.0))


@lru_cache(maxsize=64)
def _others(problem: Problem, key: str) -> list[tuple[str, float]]:
    """Each known mistake with the number that it gives, the usual ones first."""
    quantity, numbers = QUANTITIES[key], {}
    for name, mistaken in mistakes.CATALOGUE:
        rows = checking.made_by(problem, quantity, AnswerForm(), mistaken)
        if rows and math.isfinite(rows[0][0]) and name not in numbers:
            numbers[name] = rows[0][0]
    usual = [name for name in USUAL if name in numbers]
    return [(name, numbers[name]) for name in (*usual, *(n for n in numbers if n not in usual))]


def _claim(state: State) -> Claim:
    problem, (key, value) = checked(state), state.control("claim", CONTROLS)
    chain = problem.chain()
    best, log_z = chain.viterbi().scores.item(), chain.log_partition.item()
    right = {"log-z": log_z, "score": best, "loss": log_z - best}[key]
    claim = Claim(key, right, best, log_z, right, _others(problem, key))
    if value is None:  # the mistake that is only just impossible
        over = [x for _, x in claim.others if claim.share(x) > 1.005]
        usual = right + 1 if key == "score" else right - 1
        value = round(min(over, key=claim.share, default=usual), 2)
    return claim._replace(value=value)


def _matching(claim: Claim) -> str:
    """The known mistake that gives the number, to two decimals; "" if none does, or it is right."""
    if abs(claim.value - claim.right) < 0.006:
        return ""
    return next((name for name, x in claim.others if abs(x - claim.value) < 0.006), "")


def _vessels(state: State) -> Payload:
    claim = _claim(state)
    same = _matching(claim)
    names = dict(claim.others)
    usual = [name for name in (same, *USUAL) if name in names]
    beside = list(dict.fromkeys(usual))[:3]
    rows = [(name, names[name]) for name in beside]
    texts = words("log-z", "score", "loss", "all", "best", "forgotten", "nothing", "same", "yours")

    def vessel(title: str, value: float, name: str = "") -> Payload:
        value = round(value, 2)
        share = claim.share(value)
        return {
            "name": title,
            "value": format_score(value),
            "share": share,
            "percent": format_percent(share, 0) if share < 10 else f"{format_magnitude(share)} ×",
            "same": name == same and bool(same),
        }

    return {
        "part": "vessels",
        "words": texts,
        "claims": claim.key,
        "claim": claim.value,
        "yours": vessel(texts["yours"], claim.value),
        "others": [
            *(vessel(mistakes.title(name), value, name) for name, value in rows),
            vessel(texts["nothing"], claim.right),
        ],
    }


def _relation(key: str, best: str, value: str, log_z: str, p: str) -> str:
    """Whether exp of the difference that is shown is the p that is shown."""
    if ">" in p:
        return "≈"
    left, right = {"score": (value, log_z), "loss": ("0", value)}.get(key, (best, value))
    return equals(math.exp(min(shown(left) - shown(right), 700.0)), p)


def _claim_facts(state: State, _step_number: int) -> dict[str, Any]:
    claim, problem = _claim(state), checked(state)
    match, p = _matching(claim), format_magnitude(claim.share(claim.value))
    best, log_z, value = map(format_score, (claim.best, claim.log_z, claim.value))
    most = claim.best + len(problem.tokens) * math.log(len(problem.tags))
    return instead(state) | {
        "claims": claim.key,
        "mistake": capital(mistakes.title(match)) if match else "",
        "explained": mistakes.explanations().get(match, ""),
        "matched": int(bool(match)),
        "right": int(abs(claim.value - claim.right) < 0.006),
        "below": int(claim.share(claim.value) > 1 + 1e-9),
        "above": int(claim.key == "log-z" and claim.value > most + 1e-9),
        "best": best,
        "log_z": log_z,
        "value": value,
        "less_log_z": minus(log_z),
        "less_value": minus(value),
        "relation": _relation(claim.key, best, value, log_z, p),
        "truth": format_score(claim.right),
        "p": p,
        "most": format_score(most),
        "words": str(len(problem.tokens)),
        "tags": str(len(problem.tags)),
        "percent": format_percent(min(claim.share(claim.right), 1.0), 0),
    }


# ---------------------------------------------------------------------- what it cannot show


KEYS = ("log-z", "alpha", "path", "beta", "marginals", "loss", "transition-gradient")


def _seen_by(state: State, step: int) -> tuple[list[str], list[str]]:
    problem = checked(state, SMALL)
    if state.control("ends", CONTROLS) == "off":
        none = (0.0,) * len(problem.tags)
        problem = replace(problem, start=none, end=none)
    if problem.chain().feasible.item() is False:
        problem = checked(state)
    return checking.hidden(problem, KEYS[step])


def _hidden(state: State) -> Payload:
    return {
        "part": "hidden",
        "words": words("ends-on", "ends-off", "shows", "hides"),
        "ends": state.control("ends", CONTROLS),
        "names": [called(key) for key in KEYS],
    }


def _hidden_at(state: State, step: int) -> Payload:
    every, hidden = _seen_by(state, step)
    listed = [{"name": mistakes.title(name), "hidden": name in hidden} for name in every]
    return {"chosen": step, "mistakes": listed}


def _hidden_facts(state: State, step: int) -> dict[str, Any]:
    _, hidden = _seen_by(state, step)
    problem = checked(state, SMALL)
    blind = state.control("ends", CONTROLS) == "off" or no_ends(problem)
    return instead(state, SMALL) | {
        "quantity": called(KEYS[step]),
        "hidden": len(hidden),
        "blind": int(blind),
    }


BEATS = lesson(
    "implement",
    TEXT,
    Beat(
        "write",
        _starter,
        lambda _, step: {"name": list(FUNCTIONS)[step]},
        _code_at,
        lambda _: range(len(FUNCTIONS)),
    ),
    Beat("cell", grid, cell_facts, controls=CONTROLS),
    Beat("impossible", _vessels, _claim_facts, controls=CONTROLS),
    Beat(
        "hidden",
        _hidden,
        _hidden_facts,
        _hidden_at,
        lambda _: range(len(KEYS)),
        controls=CONTROLS,
    ),
)
