"""Graphs and label bias, beat by beat: what a chain assumes, and why Z is one number."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from crf.figures.numbers import bare, decimal
from pages.graphs import ice_cream, label_bias
from pages.graphs.ice_cream import DAYS, SQUARES, TAGS, Square, given, joint_probability
from pages.shared.course.state import State, StatePart, one_of, unreadable
from pages.shared.figures.beat import Beat, Bet, lesson, waits
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, shown

TEXT = Path(__file__).with_name("beats.md")
FREE, WEATHER = "-", {"h": 0, "c": 1}  # what a day's letter in `days` fixes
MODELS = ("bayes", "logistic", "hmm", "memm", "crf", "directed", "general")
FAINT = 0.0002  # a dependence under it has no bow
NEW = (0, 1, 2)  # squares of another kind than those before; the last one is, too
ROLES = {"start": "edge", "end": "edge", "emission": "emission", "transition": "transition"}


def _matches(pattern: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError
        return text

    return read


def _between(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not re.fullmatch(r"\d{0,2}(\.\d{0,6})?", text, re.ASCII) or text in ("", "."):
            raise ValueError
        if not low <= float(text) <= high:
            raise ValueError
        return float(text)

    return read


CONTROLS = {
    "cones": StatePart("32221", _matches(f"[123]{{{DAYS}}}")),
    "days": StatePart("--h--", _matches(f"[hc-]{{{DAYS}}}")),
    "sees": one_of("day", "all"),
    "model": one_of("generative", "discriminative"),
    "hot": StatePart(0.5, _between(0.05, 0.95)),
    "letter": one_of(*label_bias.LETTERS),
    "evidence": StatePart(label_bias.EVIDENCE, _between(0, 6)),
}


def _has_set(state: State, *names: str) -> bool:
    """Whether the reader has set one of these controls, after which nothing is asked."""
    return any(
        name in state.controls and not unreadable(CONTROLS[name], state.controls[name])
        for name in names
    )


def _words(*names: str) -> dict[str, str]:
    """Words within the picture."""
    text = BeatText.load(TEXT)
    return {name: text.plain(f"word-{name}", {}) for name in names}


def _p(p: float, digits: int = 3) -> str:
    """A probability without its leading zero.

    >>> _p(0.8), _p(0.3331, 3), _p(1.0), _p(0.67, 2)
    ('.8', '.333', '1', '.67')
    """
    return bare(decimal(f"{p:.{digits}f}".rstrip("0").rstrip(".")))


def _index(name: str, t: int) -> str:
    """A variable with its number below, counted from 1: y₂."""
    return name + str(t + 1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


# ---------------------------------------------------------------------- the factor graph


def _graph(state: State, fixed: dict[int, int]) -> Payload:
    cones = state.control("cones", CONTROLS)
    marginals = given(ice_cream.problem(cones), fixed).marginals
    return {
        "part": "graph",
        "words": _words("weather", "eaten", "hot", "cold", "day-sees", "all-see", "fix", "eat"),
        "cones": cones,
        "sees": state.control("sees", CONTROLS),
        "days": "".join(
            next((letter for letter, s in WEATHER.items() if fixed.get(t) == s), FREE)
            for t in range(DAYS)
        ),
        "hot": [row[0] for row in marginals],
        "factors": [{"kind": factor.kind, "day": factor.day} for factor in SQUARES],
        "bows": [],
        "pieces": [],
    }


def _factor(state: State, step: int) -> Payload:
    factor = SQUARES[step]
    return {"touches": _touched(factor), "scope": _scope(state, factor)}


def _touched(factor: Square) -> list[int]:
    return [factor.day, factor.day + 1] if factor.kind == "transition" else [factor.day]


def _scope(state: State, factor: Square) -> str:
    """N(ψ), the variables that a factor touches."""
    names = [_index("y", t) for t in _touched(factor)]
    if factor.kind == "emission":
        every = state.control("sees", CONTROLS) == "all"
        names.append("x" if every else _index("x", factor.day))
    return ", ".join(names)


def _factor_facts(state: State, step: int) -> dict[str, Any]:
    factor, cones = SQUARES[step], state.control("cones", CONTROLS)
    hot, cold = ice_cream.EATEN[cones[factor.day]]
    return {
        "kind": factor.kind,
        "sees": state.control("sees", CONTROLS),
        "one": _index("y", factor.day),
        "other": _index("y", factor.day + 1),
        "cones": int(cones[factor.day]),
        "hot": _p(hot),
        "cold": _p(cold),
        "alike": _p(ice_cream.STAY),
        "differ": _p(ice_cream.SWITCH),
        "begin": _p(ice_cream.BEGIN),
        "stop": _p(ice_cream.STOP),
        "product": _product(state, step),
    }


def _product(state: State, step: int) -> list[Any]:
    """The product of all factors, the one on screen in its colour, those around it, and dots."""
    near = range(max(step - 1, 0), min(step + 2, len(SQUARES)))
    segments: list[Any] = ["… "] if near.start else []
    for k in near:
        letter: Any = {"text": "ψ", "role": ROLES[SQUARES[k].kind]} if k == step else "ψ"
        segments += [letter, f"({_scope(state, SQUARES[k])}) "]
    return [*segments, "…"] if near.stop < len(SQUARES) else segments


# ---------------------------------------------------------------------- a known tag


def _fixed_tags(state: State) -> dict[int, int]:
    """The tags that are fixed: none while the question waits."""
    if waits(_known_bet(state, 0), state):
        return {}
    days = state.control("days", CONTROLS)
    return {t: WEATHER[letter] for t, letter in enumerate(days) if letter != FREE}


def _known_bet(state: State, _step: int) -> Bet | None:
    """Asked until the reader fixes days by hand."""
    return None if _has_set(state, "days") else Bet(("yes", "no"), "no")


def _bows(state: State) -> Payload:
    fixed = _fixed_tags(state)
    graph = _graph(state, fixed)
    result = given(ice_cream.problem(graph["cones"]), fixed)
    pairs = [pair for pair in result.pairs if pair.separated or pair.dependence >= FAINT]
    bows = [
        {"from": p.first, "to": p.second, "cut": p.separated, "by": p.dependence} for p in pairs
    ]
    pieces = [list(piece) for piece in result.pieces] if len(result.pieces) > 1 else []
    return graph | {"bows": bows, "pieces": pieces}


def _known_facts(state: State, _step: int) -> dict[str, Any]:
    fixed, cones = _fixed_tags(state), state.control("cones", CONTROLS)
    problem = ice_cream.problem(cones)
    result, words = given(problem, fixed), _words("hot", "cold")
    between = [t for t in fixed if 0 < t < DAYS - 1 and not {t - 1, t + 1} & fixed.keys()]
    day = between[0] if between else next(iter(fixed), DAYS // 2)
    pair = (day - 1, day + 1) if 0 < day < DAYS - 1 else (0, 1)
    facts = {
        "known": len(fixed),
        "pieces": len(result.pieces),
        "between": int(bool(between)),
        "day": str(day + 1),
        "weather": words[TAGS[fixed.get(day, 0)]],
        "left": _index("y", pair[0]),
        "right": _index("y", pair[1]),
        "middle": _index("y", day),
        "a": str(pair[0] + 1),
        "b": str(pair[1] + 1),
        "p": _p(math.exp(result.log_p)),
    }
    facts |= _both_hot(problem, pair, {}, "") | _both_hot(problem, pair, fixed, "now_")
    return facts


def _both_hot(problem: Any, pair: tuple[int, int], fixed: dict[int, int], name: str) -> dict:
    """p(both hot), and the product of what each has alone."""
    if set(pair) & fixed.keys():
        names = ("joint", "one", "two", "product", "relation")
        return {f"{name}{key}": "" for key in names}
    marginals = given(problem, fixed).marginals
    one, two = (marginals[t][0] for t in pair)
    joint = joint_probability(problem, fixed, dict.fromkeys(pair, 0))
    texts = {"joint": joint, "one": one, "two": two, "product": one * two}
    texts = {key: bare(decimal(f"{p:.3f}")) for key, p in texts.items()}
    value = shown(texts["one"]) * shown(texts["two"])
    facts = {f"{name}{key}": text for key, text in texts.items()}
    return facts | {
        f"{name}relation": equals(value, texts["joint" if name else "product"]),
    }


# ---------------------------------------------------------------------- two questions


def _table(state: State) -> Payload:
    columns = ice_cream.table(state.control("hot", CONTROLS))
    return {
        "part": "table",
        "words": _words("hot", "cold", "generative", "discriminative", "how-often"),
        "model": state.control("model", CONTROLS),
        "hot": state.control("hot", CONTROLS),
        "columns": [
            {"cones": c.cones, "width": c.width, "cut": c.cut, "joint": c.joint} for c in columns
        ],
    }


def _table_facts(state: State, step: int) -> dict[str, Any]:
    hot = state.control("hot", CONTROLS)
    column = ice_cream.table(hot)[step]
    return {
        "model": state.control("model", CONTROLS),
        "cones": int(column.cones),
        "p": _p(column.cut),
        "hot": _p(hot),
        "given": _p(ice_cream.EATEN[column.cones][0]),
        "width": _p(column.width),
    }


def _table_bet(state: State, _step: int) -> Bet | None:
    return None if _has_set(state, "model", "hot") else Bet(("width", "cut", "both"), "cut")


# ---------------------------------------------------------------------- its kin


def _kin(_state: State) -> Payload:
    columns = ("one-tag", "a-sequence", "any-graph", "structured")
    rows = ("generative", "discriminative", "twin")
    text = BeatText.load(TEXT)
    names = {name: text.plain(f"model-{name}", {}) for name in MODELS}
    return {"part": "kin", "words": _words(*columns, *rows), "names": names}


# ---------------------------------------------------------------------- label bias


def _bias_bet(state: State, _step: int) -> Bet | None:
    return None if _has_set(state, "letter", "evidence") else Bet(("rob", "rib", "half"), "rib")


def _reading(state: State) -> tuple[str, float]:
    """The letter in the middle and its weight: none while the question waits."""
    letter = state.control("letter", CONTROLS)
    return letter, 0.0 if waits(_bias_bet(state, 0), state) else state.control("evidence", CONTROLS)


def _pipes(state: State) -> Payload:
    letter, evidence = _reading(state)
    problem = label_bias.heard(letter, evidence)
    probabilities = [label_bias.probabilities(letter, word, evidence) for word in label_bias.WORDS]
    models = []
    for k, (name, chain) in enumerate(
        (("MEMM", label_bias.memm(problem).chain()), ("CRF", problem.chain()))
    ):
        first, second, _ = chain.log_alphas[0].softmax(-1).tolist()
        whole = [one[k] for one in probabilities]
        models.append(
            {"name": name, "columns": [first[:2], second[2:4], whole], "said": _texts(whole)}
        )
    waiting = waits(_bias_bet(state, 0), state)
    return {
        "part": "pipes",
        "words": _words("reads", "or", "one-way", "once", "not", "evidence"),
        "letter": letter,
        "evidence": evidence,
        "waits": waiting,
        "models": models,
        "factor": {name: _factor_text(sign * evidence) for name, sign in (("fit", 1), ("not", -1))},
    }


def _factor_text(evidence: float) -> str:
    """exp(evidence) in two digits."""
    factor = math.exp(evidence)
    return decimal(f"{factor:.0f}" if factor >= 10 else f"{factor:.2g}".removeprefix("0"))


def _texts(pair: list[float]) -> list[str]:
    """A model's probabilities of rib and rob; one under .01 gets another digit."""
    return [_p(p, 2 if min(pair) >= 0.01 else 3) if p >= 0.0005 else "<.001" for p in pair]


def _bias_facts(state: State, _step: int) -> dict[str, Any]:
    letter = state.control("letter", CONTROLS)
    evidence = state.control("evidence", CONTROLS)
    (memm, crf, _), (_, crf_rob, _) = (
        label_bias.probabilities(letter, word, evidence) for word in label_bias.WORDS
    )
    return {
        "letter": letter,
        "evidence": int(evidence > 0),
        "memm": _p(memm, 2),
        "crf": _texts([crf, crf_rob])[0],
        "turns": int(crf_rob > crf),
    }


BEATS = lesson(
    "graphs",
    TEXT,
    Beat(
        "factors", lambda state: _graph(state, {}), _factor_facts, _factor,
        lambda _: range(len(SQUARES)), stops=lambda _: NEW, controls=CONTROLS,
    ),
    Beat("known", _bows, _known_facts, bet=_known_bet, controls=CONTROLS),
    Beat(
        "questions", _table, _table_facts, lambda _, step: {"chosen": step},
        lambda _: range(len(ice_cream.EATEN)), opens=lambda _: len(ice_cream.EATEN) - 1,
        bet=_table_bet, controls=CONTROLS,
    ),
    Beat(
        "kin", _kin, lambda _, step: {"model": MODELS[step]},
        lambda _, step: {"model": MODELS[step]}, lambda _: range(len(MODELS)),
    ),
    Beat("bias", _pipes, _bias_facts, bet=_bias_bet, controls=CONTROLS),
    chooses=False,
)  # fmt: skip
