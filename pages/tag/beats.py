"""The front page's one beat: a sentence, all its readings, and the pad that leads through them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crf.figures.flow.payload import Payload, drawn_tags, folded, shown
from crf.figures.numbers import format_percent
from crf.figures.trellis import picture as trellis
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.beat_text import BeatText, Tagged
from pages.tag import flips, pad
from pages.tag.network import short_probability
from pages.tag.scene import TEXT, Scene

if TYPE_CHECKING:
    from torch import Tensor

SCALE = (
    10_000  # of the grid's whole numbers: a probability's fourth digit is a twentieth of a pixel
)
MOVED = 0.05  # probability; less is called “hardly”
MOST_MARKS = 4


def _flat(tables: Sequence["Tensor"]) -> list[list[int]]:
    """Tables of probabilities [T, K, …] as whole numbers: a list for each state of the pad."""
    import torch

    if not tables:
        return []
    T, K = tables[0].shape[:2]
    rows = [table.reshape(T * K, -1) for table in tables]
    return torch.cat(rows, dim=1).mul(SCALE).round().int().tolist()


def figure(state: State) -> Payload:
    """The flow with its pad, whole: every state of the grid, and the state of the dot exactly."""
    words = BeatText.load(TEXT)
    lambdas = pad.axis(len(state.problem.tokens))
    scene = Scene(state, lambdas, lambdas[::-1])
    blocks = _in_rows(state, shown(scene.readings.marginals, state.fixed))
    places = [(row, column) for row in range(len(lambdas)) for column in range(len(lambdas))]
    said = [_text(scene, *place, words) for place in places]
    sentences = {repr(sentence): sentence for sentence in said}
    numbers = {key: i for i, key in enumerate(sentences)}
    says = [numbers[repr(sentence)] for sentence in said]
    drawn = _drawn(state, scene.readings, blocks, lambdas, lambdas[::-1], says)
    about = {"sentences": [*sentences.values()], "now": now(state, blocks), **_new(scene, words)}
    return {"kind": "flow", "flow": drawn | about}


def typed(state: State) -> Payload:
    """The flow while a sentence is typed: the pad's upper row, about which nothing is said."""
    lambdas = pad.axis(len(state.problem.tokens))
    readings = pad.readings(state.problem, (), lambdas, (1.0,))
    blocks = _in_rows(state, shown(readings.marginals, {}))
    drawn = _drawn(state, readings, blocks, lambdas, (1.0,), [0] * len(lambdas))
    nothing = {"say": [], "detail": []}
    end = {"lambda": 1.0, "tau": 1.0, "marks": [], **nothing}
    end |= _numbers(readings, len(lambdas) - 1, blocks)
    return drawn | {"sentences": [nothing], "now": end, "flip": False, "swaps": [], "swap": []}


def _in_rows(state: State, blocks: Sequence[Sequence[int]]) -> list[list[int]]:
    """Blocks in the order of the trellis's rows, those of the tags without one last.

    So no block crosses another when they become cells.
    """
    fixed = tuple(sorted(state.fixed.items()))
    ends = pad.readings(state.problem, fixed, (0.0, 1.0), (1.0,))  # as the scene asks, and keeps
    path = [s for s in ends.best[1].tolist() if s >= 0]
    rows = trellis.choose(ends.marginals[0, 1].tolist(), path)
    S = len(state.problem.tags)
    return [sorted(own, key=lambda s: (s == S, s not in rows, s)) for own in blocks]


def _drawn(
    state: State,
    readings: pad.Readings,
    blocks: Sequence[Sequence[int]],
    lambdas: Sequence[float],
    taus: Sequence[float],
    says: Sequence[int],
) -> Payload:
    """Words, their blocks, and the grid of states; `says`: the sentence of each."""
    columns, ribbons = folded(readings.marginals, readings.pairs, blocks)
    return {
        "tags": drawn_tags(state.problem.tags),
        "tokens": [
            {"text": token, "fixed": state.fixed.get(t), "unknown": t in _unknown(state)}
            for t, token in enumerate(state.problem.tokens)
        ],
        "shown": blocks,
        "grid": {
            "lambdas": list(lambdas),
            "taus": list(taus),
            "scale": SCALE,
            "blocks": _flat(columns),
            "ribbons": _flat(ribbons),
            "paths": readings.best.tolist(),
            "says": says,
        },
    }


def _new(scene: Scene, words: BeatText) -> Payload:
    """What a new sentence shows: whether a tag flips; else words to swap in, or other sentences."""
    state, flip = scene.state, scene.alone != scene.together
    swaps = []
    if flips.are_offered(state) and not flip:
        swaps = flips.offers(state, scene.together)
    own = int(any(swap["own"] for swap in swaps))
    at = scene.later[0] if scene.later else None
    return {"flip": flip, "at": at, "swaps": swaps, "swap": words.segments("swap", {"own": own})}


def now(state: State, blocks: Sequence[Sequence[int]] | None = None) -> Payload:
    """The state of the dot alone, exactly.

    Args:
        state: With its λ and τ.
        blocks: For each word the tags that have a block; None: find them from the whole grid.
    """
    words = BeatText.load(TEXT)
    if blocks is None:
        grid = pad.axis(len(state.problem.tokens))
        fixed = tuple(sorted(state.fixed.items()))
        whole = pad.readings(state.problem, fixed, grid, grid[::-1])
        blocks = _in_rows(state, shown(whole.marginals, state.fixed))
    scene = Scene(state, (state.lambda_,), (state.tau,))
    return {
        "lambda": state.lambda_,
        "tau": state.tau,
        **_numbers(scene.readings, 0, blocks),
        "corner": _corner(state),
        **_fixed_text(scene, blocks, words),
    }


def _numbers(readings: pad.Readings, column: int, blocks: Sequence[Sequence[int]]) -> Payload:
    """The probabilities at a place of the pad's first row, with 9 digits, and the best reading."""
    columns, ribbons = folded(readings.marginals[0, column], readings.pairs[0, column], blocks)
    return {
        "blocks": [_digits(block.tolist()) for block in columns],
        "ribbons": [[_digits(row) for row in ribbon.tolist()] for ribbon in ribbons],
        "path": readings.best[column].tolist(),
        "all": [_digits(row) for row in readings.marginals[0, column].tolist()],
    }


def _text(scene: Scene, row: int, column: int, words: BeatText) -> dict[str, Any]:
    facts = scene.facts(row, column, words)
    said = {name: words.segments(name, facts) for name in ("say", "detail", "brief")}
    facts["detail"] = said["detail"]
    if flips.is_strange(scene.state) and not scene.state.given.fault:  # which would say it, too
        said["detail"] += [words.between, *words.segments("strange", facts)]
        said["brief"] += [words.between, *words.segments("strange-brief", facts)]
    elif scene.later or not flips.are_offered(scene.state):  # else there is less room
        said["detail"] += [words.between, *words.segments("source", facts)]
    return said


def _fixed_text(scene: Scene, blocks: Sequence[Sequence[int]], words: BeatText) -> dict[str, Any]:
    """The sentence about the dot's state, and where blocks ended before tags were fixed."""
    if not scene.fixed or scene.tops[0][0][0] < 0:  # no reading is allowed
        return {"marks": [], **_text(scene, 0, 0, words)}
    free = Scene(scene.state, scene.lambdas, scene.taus, free=True)
    before, after = (one.readings.marginals[0, 0].tolist() for one in (free, scene))
    path = scene.readings.best[0].tolist()
    share = math.exp(min(scene.readings.log_z[0, 0].item() - free.readings.log_z[0, 0].item(), 0))
    if not scene.taus[0]:  # nothing but the best reading is left
        share = math.prod(before[t][s] for t, s in scene.fixed.items())
    moves = {t: abs(after[t][s] - before[t][s]) for t, s in enumerate(path)}
    gains = {t: _gain(before[t], after[t]) for t in range(len(path)) if t not in scene.fixed}
    marks = [
        {
            "token": t,
            "at": sum(before[t][s] for s in _down_to(path[t], blocks[t])),
            "text": words.plain("was", {"p": short_probability(before[t][path[t]])}),
        }
        for t in sorted(moves, key=lambda t: -moves[t])[:MOST_MARKS]
        if moves[t] >= MOVED
    ]
    facts = scene.facts(0, 0, words)
    token, tag = next(iter(sorted(scene.fixed.items())))
    others = [t for t in gains if gains[t][0] >= MOVED]
    facts |= {
        "word": Tagged(scene.problem.tokens[token], tag),
        "tag": words.plain("tag", {"tag": scene.problem.tags[tag]}),
        "moved": len(others),
        "others": len(gains),
        "share": format_percent(share, 0),
    }
    if others:
        t = max(others, key=lambda t: gains[t])
        s = gains[t][1]
        facts |= {
            "other": Tagged(scene.problem.tokens[t], s),
            "other_tag": words.plain("tag", {"tag": scene.problem.tags[s]}),
            "is": short_probability(after[t][s]),
            "was": short_probability(before[t][s]),
        }
    return {
        "marks": marks,
        "say": words.segments("fixed", facts),
        "detail": words.segments("fixed-detail", facts),
        "brief": words.segments("fixed-brief", facts),
    }


def _gain(before: Sequence[float], after: Sequence[float]) -> tuple[float, int]:
    """How much the tag that gains most gains, and which it is."""
    return max((b - a, s) for s, (a, b) in enumerate(zip(before, after, strict=True)))


def _down_to(tag: int, own: Sequence[int]) -> Sequence[int]:
    """The tags of a column's blocks from the top down to one."""
    return own[: own.index(tag) + 1] if tag in own else []


def _digits(row: Sequence[float]) -> list[float]:
    return [float(f"{p:.9g}") for p in row]


def _corner(state: State) -> str:
    """The decoder of a corner of the pad; "" anywhere else."""
    corners = {(0.0, 1.0): "softmax", (1.0, 1.0): "posterior"}
    corners |= {(0.0, 0.0): "greedy", (1.0, 0.0): "viterbi"}
    return corners.get((state.lambda_, state.tau), "")


def _unknown(state: State) -> set[int]:
    return {t for t, is_unknown in enumerate(state.given.unknown) if is_unknown}


class _FrontBeat(Beat):
    """The flow with its pad: its sentences stand in the picture, one for each state of the dot."""

    def figure(self, state: State) -> Payload:
        return figure(state)

    def now(self, state: State) -> Payload:
        return now(state)

    def typed(self, state: State) -> Payload:
        return typed(state)

    def tables(self, state: State) -> None:
        return None


BEATS = (_FrontBeat("flow"),)
