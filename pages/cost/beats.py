"""Cost and running it in parallel, beat by beat: a matrix is a piece of trellis."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score
from pages.cost import crossover
from pages.cost.pieces import SHAPES, Tree, costs, joined, order
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart, one_of
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText, Segment
from pages.shared.figures.equation import equals, shown

TEXT = Path(__file__).with_name("beats.md")
FEW = 8  # words whose pieces are drawn
FAINT = 0.004  # a share of a piece's ways that is not drawn where there are many
ASKED, LONG = 64, 1024  # pieces: in the bet, and in the sentences
SAME = 1.05  # a smaller speed-up counts as equally fast


def _way(text: str) -> tuple[int, int]:
    parts = text.split(".")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) < 4 for p in parts):
        raise ValueError
    return int(parts[0]), int(parts[1])


def _power(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= most):
            raise ValueError
        return int(text)

    return read


CONTROLS = {
    "way": StatePart(None, _way),  # from a tag to a tag; None: the heaviest way
    "shape": one_of(*SHAPES),
    "semiring": one_of("sum", "max"),
    "long": StatePart(10, _power(14)),  # 2 to this power are the words
    "tags": StatePart(16, _power(64)),
    "against": one_of("plain", "kernels"),
    "from": one_of("file", "here"),
}


def _word(name: str, facts: dict[str, Any] | None = None) -> str:
    return BeatText.load(TEXT).plain(f"word-{name}", facts or {})


def _word_count(problem: Problem) -> int:
    return min(len(problem.tokens), FEW)


def _tree(problem: Problem, shape: str, semiring: str = "sum") -> Tree:
    words = _word_count(problem)
    return joined(problem, words, order(shape, words - 1), semiring)


def _bands(tree: Tree, k: int, semiring: str) -> Payload:
    """A piece: of the ways from each tag the share of each, over S; or the best of them alone."""
    matrix = tree.pieces[k].matrix
    S = len(matrix)
    weights = matrix.softmax(1).nan_to_num(0.0) / S
    if semiring == "max":
        weights = torch.nn.functional.one_hot(matrix.argmax(1), S) * (matrix > -math.inf) / S
    shares = weights.tolist()
    return {
        "bands": [
            [i, j, round(share, 4)]
            for i, row in enumerate(shares)
            for j, share in enumerate(row)
            if share > FAINT or (S <= 6 and matrix[i, j] > -math.inf)
        ]
    }


# ---------------------------------------------------------------------- the trick


def _trick(state: State) -> Payload:
    """The first two pieces, and the one that they make."""
    problem = state.problem
    m = len(problem.tokens)
    payload: Payload = {"tags": list(problem.tags), "words": list(problem.tokens[:3]), "joins": []}
    if m < 2:
        return payload
    tree = _tree(problem, "left")
    places = [0] if m == 2 else [0, 1, _word_count(problem) - 1]
    return payload | {
        "joins": [
            {
                "name": name,
                "first": tree.pieces[k].first,
                "last": tree.pieces[k].last,
                **_bands(tree, k, "sum"),
            }
            for name, k in zip("A B A·B".split(), places, strict=False)
        ]
    }


def _chosen(state: State) -> tuple[int, int, list[float]]:
    """The way on screen, and the score of each way between: over each tag in the middle."""
    tree = _tree(state.problem, "left")
    a, b = tree.pieces[0].matrix, tree.pieces[1].matrix
    whole = tree.pieces[_word_count(state.problem) - 1].matrix
    S, chosen = len(a), state.control("way", CONTROLS)
    if chosen is None or max(chosen) >= S:
        chosen = divmod(int(whole.argmax()), S)
    i, j = chosen
    return i, j, (a[i] + b[:, j]).tolist()


def _trick_now(state: State, _step: int) -> Payload:
    if len(state.problem.tokens) < 3:
        return {"way": None}
    i, j, terms = _chosen(state)
    top = max(terms)
    if top == -math.inf:
        return {"way": [i, j], "shares": [0.0] * len(terms)}
    weights = [math.exp(q - top) for q in terms]
    return {"way": [i, j], "shares": [w / math.fsum(weights) for w in weights]}


def _trick_facts(state: State, _step: int) -> dict[str, Any]:
    problem = state.problem
    S, m = len(problem.tags), len(problem.tokens)
    facts: dict[str, Any] = {
        "tags": S,
        "words": m,
        "numbers": S * S,
        "open": 0,
        "terms": [],
        "value": "",
        "relation": "=",
        "from": "",
        "to": "",
    }
    if m < 3:
        return facts
    i, j, terms = _chosen(state)
    value = _tree(problem, "left").pieces[_word_count(problem) - 1].matrix[i, j].item()
    return facts | {
        "from": problem.tags[i],
        "to": problem.tags[j],
        "open": int(value > -math.inf),
        "terms": _terms(terms),
        "value": format_score(value),
        "relation": _relation(terms, value),
    }


def _relation(terms: list[float], value: float) -> str:
    """Whether the terms as they are shown give the value; "=" where some are not shown."""
    if len(terms) > 4 or value == -math.inf:
        return "="
    total = math.fsum(math.exp(min(shown(format_score(q)), 700.0)) for q in terms)
    return equals(math.log(total) if total else -math.inf, format_score(value))


def _terms(terms: list[float]) -> list[Segment]:
    """exp 3.21 + exp 1.20 + …, in the order of the tags, the largest in bold."""
    text: list[Segment] = []
    for k, q in enumerate(terms[:4]):
        text += [" + " if k else "", "exp "]
        text.append({"text": format_score(q), "bold": True} if q == max(terms) else format_score(q))
    return [*text, " + …"] if len(terms) > 4 else text


# ---------------------------------------------------------------------- two trees


def _trees(state: State) -> Payload:
    """Both trees: every piece with its round, its words and its ways."""
    problem = state.problem
    words, semiring = _word_count(problem), state.control("semiring", CONTROLS)
    shape = state.control("shape", CONTROLS)
    payload: Payload = {
        "words": list(problem.tokens[:words]),
        "tags": len(problem.tags),
        "trees": [],
        "shapes": [{"name": name, "label": _word(name)} for name in SHAPES],
        "shape": shape,
        "semirings": [{"name": name, "label": _word(name)} for name in ("sum", "max")],
        "semiring": semiring,
        "waits": _word("waits"),
    }
    if words < 2:
        return payload
    for each in ("left", shape):
        tree = _tree(problem, each, semiring)
        names = _names(tree)
        payload["trees"].append({
            "formula": names[-1], "rounds": tree.rounds,
            "done": _word("done", {"total": format_score(tree.total), "max": int(semiring == "max"),
                                   "cut": int(words < len(problem.tokens))}),
            "pieces": [
                {"name": name.replace("(", "").replace(")", "").replace(" ", ""),
                 "first": piece.first, "last": piece.last, "round": piece.round,
                 "children": list(piece.children), **_bands(tree, k, semiring),
                 "title": _title(problem, piece.first, piece.last),
                 "matrix": [[format_score(x) for x in row] for row in piece.matrix.tolist()]
                 if len(problem.tags) <= 6 else []}
                for k, (piece, name) in enumerate(zip(tree.pieces, names, strict=True))
            ],
        })  # fmt: skip
    return payload | {"tag_names": list(problem.tags)}


def _title(problem: Problem, first: int, last: int) -> str:
    return _word("piece", {"first": problem.tokens[first], "last": problem.tokens[last]})


def _names(tree: Tree) -> list[str]:
    """A, B, C … and their products with brackets."""
    names: list[str] = []
    for k, piece in enumerate(tree.pieces):
        if piece.children:
            a, b = (names[child] for child in piece.children)
            a, b = (f"({x})" if "·" in x else x for x in (a, b))
            names.append(f"{a} · {b}")
        else:
            names.append(chr(ord("A") + k))
    return names


def _rounds(problem: Problem) -> range:
    return range(max(_word_count(problem) - 1, 1))


def _at_round(_state: State, step: int) -> Payload:
    return {"round": step, "label": _word("round", {"n": step})}


def _tree_facts(state: State, _step: int) -> dict[str, Any]:
    problem = state.problem
    words, S = _word_count(problem), len(problem.tags)
    own = _tree(problem, state.control("shape", CONTROLS)) if words > 1 else None
    rounds = own.rounds if own else 0
    return {
        "words": words,
        "pieces": words - 1,
        "n": _word("count", {"n": words - 1}),
        "rounds": rounds,
        "steps": max(words - 2, 0),
        "fewer": int(rounds < words - 2),
        "tags": S,
        "cut": int(words < len(problem.tokens)),
        **_long_facts(),
    }


def _long_facts() -> dict[str, Any]:
    return {
        "long": decimal(f"{LONG:,}"),
        "long_rounds": costs(LONG, 1)["tree"].rounds,
        "long_steps": decimal(f"{LONG - 1:,}"),
    }


def _rounds_bet(_state: State, _step: int) -> Bet:
    right = costs(ASKED, 1)["tree"].rounds
    options = (right, ASKED // 8, ASKED // 2, ASKED - 1)
    labels = {f"r{n}": str(n) for n in options}
    return Bet(tuple(labels), f"r{right}", labels=labels)


# ---------------------------------------------------------------------- depth and work


def _depth(state: State) -> Payload:
    """Rounds, products and memory of three ways, for a length and a number of tags."""
    power, S = state.control("long", CONTROLS), state.control("tags", CONTROLS)
    ways = costs(2**power, S)
    most = costs(2**14, 64)["scan"].products
    columns = ("rounds", "products", "numbers")
    return {
        "columns": [_word(name) for name in columns],
        "rows": [
            {
                "name": _word(name),
                "note": _word(f"{name}-note"),
                "values": [getattr(cost, column) for column in columns],
            }
            for name, cost in ways.items()
        ],
        "most": most,
        "long": power,
        "tags": S,
        "count": decimal(f"{2**power:,}"),
        "labels": [_word("words"), _word("tags")],
    }


def _depth_facts(state: State, _step: int) -> dict[str, Any]:
    power, S = state.control("long", CONTROLS), state.control("tags", CONTROLS)
    ways = costs(2**power, S)
    times = {name: cost.products / ways["recursion"].products for name, cost in ways.items()}
    return {
        "m": decimal(f"{2**power:,}"),
        "S": S,
        "steps": decimal(f"{2**power - 1:,}"),
        "rounds": ways["tree"].rounds,
        "tree_times": decimal(f"{times['tree']:,.3g}"),
        "scan_times": decimal(f"{times['scan']:,.3g}"),
    }


# ---------------------------------------------------------------------- measured


def _times(state: State) -> tuple[crossover.Time, ...]:
    here = state.control("from", CONTROLS) == "here" and crossover.measured
    return tuple(crossover.measured) if here else crossover.recorded()


def _ratios(state: State, against: str) -> list[list[float | None]]:
    times = _times(state)
    return [
        [crossover.ratio(times, m, S, against) for m in crossover.LENGTHS] for S in crossover.TAGS
    ]


def _measured(state: State) -> Payload:
    against = state.control("against", CONTROLS)
    return {
        "lengths": [decimal(f"{m:,}") for m in crossover.LENGTHS],
        "sizes": list(crossover.TAGS),
        "cells": [[_cell(ratio) for ratio in row] for row in _ratios(state, against)],
        "against": against,
        "axes": [_word("tags"), _word("words")],
        "ways": [{"name": name, "label": _word(name)} for name in ("plain", "kernels")],
        "question": _word("against"),
        "wins": [_word("scan-wins"), _word("recursion-wins")],
    }


def _cell(ratio: float | None) -> Payload:
    """How many times as fast the scan is: in a word, and as a power of two."""
    if ratio is None:
        return {"times": "", "word": "", "log": 0.0}
    if 1 / SAME < ratio < SAME:
        return {"times": "", "word": _word("same"), "log": 0.0}
    times = decimal(f"{float(f'{max(ratio, 1 / ratio):.2g}'):,g} ×")
    return {
        "times": times,
        "word": _word("faster" if ratio > 1 else "slower"),
        "log": math.log2(ratio),
    }


def _measured_facts(state: State, _step: int) -> dict[str, Any]:
    plain, kernels = (
        [r for row in _ratios(state, way) for r in row if r is not None]
        for way in ("plain", "kernels")
    )
    costs_by_way, times = costs(LONG, 16), [1 / r for r in kernels]
    work = costs_by_way["scan"].products / costs_by_way["recursion"].products
    return _long_facts() | {
        "times": f"{work:.0f}",
        "wins": sum(r > SAME for r in plain),
        "of": len(plain),
        "kernel_wins": sum(r > SAME for r in kernels),
        "kernels": len(kernels),
        "least": decimal(f"{min(times, default=1):,.2g}"),
        "most": decimal(f"{float(f'{max(times, default=1):.1g}'):,.0f}"),
    }


def _where_faster(state: State, _step: int) -> Bet:
    rows = _ratios(state, "plain")
    wins = [r > SAME for row in rows for r in row if r is not None]
    right = "everywhere" if all(wins) else "nowhere" if not any(wins) else "long"
    return Bet(("everywhere", "long", "wide", "nowhere"), right)


def _hide_cells(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    blank = [[{"times": "", "word": "", "log": 0.0} for _ in row] for row in whole.get("cells", ())]
    return whole | {"cells": blank}, now


BEATS = lesson(
    "cost",
    TEXT,
    Beat("trick", _trick, _trick_facts, _trick_now, controls=CONTROLS),
    Beat("trees", _trees, _tree_facts, _at_round, _rounds, bet=_rounds_bet, controls=CONTROLS),
    Beat("depth", _depth, _depth_facts, controls=CONTROLS),
    Beat(
        "measured",
        _measured,
        _measured_facts,
        bet=_where_faster,
        veil=_hide_cells,
        controls=CONTROLS,
    ),
)
