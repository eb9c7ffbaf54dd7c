"""The front page's one beat: a sentence, all its readings, and the pad that leads through them."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crf.figures.colours import tag_colours, tag_meaning
from crf.figures.flow.payload import Payload
from crf.figures.numbers import (
    bare,
    decimal,
    format_count,
    format_percent,
    format_probability,
    superscript,
)
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.beat_text import BeatText, Tagged
from pages.tag import pad

if TYPE_CHECKING:
    from torch import Tensor

TEXT = Path(__file__).with_name("beats.md")
SCALE = (
    10_000  # of the grid's whole numbers: a probability's fourth digit is a twentieth of a pixel
)
MOVED = 0.05  # probability; less is called “hardly”
MOST_MARKS = 4
_GROUPS = (10**6, 10**9, 10**12, 10**15)  # million, billion, trillion


class Scene:
    """A state's readings, and the facts about each point of the pad."""

    def __init__(
        self, state: State, lambdas: Sequence[float], taus: Sequence[float], free: bool = False
    ) -> None:
        self.state, self.problem = state, state.problem
        self.fixed: Mapping[int, int] = {} if free else state.fixed
        self.lambdas, self.taus = tuple(lambdas), tuple(taus)
        fixed = tuple(sorted(self.fixed.items()))
        self.readings = pad.readings(self.problem, fixed, self.lambdas, self.taus)
        # whatever is on screen, the sentence compares it with these two
        ends = pad.readings(self.problem, fixed, (0.0, 1.0), (1.0,))
        self.alone, self.together = ends.best.tolist()
        self.top = ends.shares[0, 1].item()

    def facts(self, row: int, column: int, words: BeatText) -> dict[str, Any]:
        """Facts for the sentences about one state of the pad."""
        lambda_, tau = self.lambdas[column], self.taus[row]
        best = self.readings.best[column].tolist()
        changed = _differences(self.alone, best)
        later = _differences(self.alone, self.together)  # none where no reading is allowed
        facts: dict[str, Any] = {
            "alone": int(lambda_ == 0),
            "together": int(lambda_ == 1),
            "cold": int(tau < 1),
            "frozen": int(tau == 0),
            "changed": len(changed),
            "later": len(later),
            "more": max(len(changed) - 1, 0),
            "none": int(best[0] < 0),
            "fixed": len(self.fixed),
            "source": self.state.given.source,
            "p": probability(self.readings.shares[row, column].item()),
            "top": probability(self._share_at_the_top(column)),
        }
        for k, t in enumerate((changed or later)[:2], 1):
            now = best if changed else self.together
            facts[f"word{k}"] = Tagged(self.problem.tokens[t], self.alone[t])
            facts[f"alone{k}"] = self._phrase(words, self.alone[t])
            facts[f"now{k}"] = self._tagged_phrase(words, now[t])
        side, neighbour = self._neighbour(changed[0], best) if changed else (0, 0)
        facts |= {
            "side": ("none", "right", "left")[side],
            "by": Tagged(self.problem.tokens[neighbour], max(best[neighbour], 0)),
        }
        facts |= self._count()
        facts["readings"] = words.segments("readings", facts)
        return facts

    def _neighbour(self, t: int, path: Sequence[int]) -> tuple[int, int]:
        """The neighbour whose transition speaks most for a word's new tag and against its old one.

        Returns:
            −1 for the word before, 1 for the word after, 0 for neither; and that word's index.
        """
        old, new = self.alone[t], path[t]
        gains = {0: 0.0}
        if t > 0:
            row = self.problem.matrix(t)[path[t - 1]]
            gains[-1] = row[new] - row[old]
        if t < len(path) - 1:
            matrix, after = self.problem.matrix(t + 1), path[t + 1]
            gains[1] = matrix[new][after] - matrix[old][after]
        side = max(gains, key=gains.__getitem__)
        return side, t + side

    def _share_at_the_top(self, column: int) -> float:
        if self.taus[0] == 1:
            return self.readings.shares[0, column].item()
        top = pad.readings(
            self.problem, tuple(sorted(self.fixed.items())), (self.lambdas[column],), (1.0,)
        )
        return top.shares[0, 0].item()

    def _phrase(self, words: BeatText, tag: int) -> str:
        """A tag's name in a sentence: “a noun”."""
        name = self.problem.tags[tag]
        return words.plain("tag", {"tag": name})

    def _tagged_phrase(self, words: BeatText, tag: int) -> Tagged:
        return Tagged(self._phrase(words, tag), tag)

    def _count(self) -> dict[str, Any]:
        """How many readings there are, as a number, a power, and in millions and so on."""
        S, L = len(self.problem.tags), len(self.problem.tokens)
        count = S**L
        group = sum(count >= size for size in _GROUPS)
        size = _GROUPS[group - 1] if group else 1
        many = group == len(_GROUPS)  # a thousand million million: the power says it
        return {
            "count": format_count(count) if not group else "",
            "tags": S,
            "words": L,
            "power": f"{format_count(S)}{superscript(L)}",
            "group": group,
            "about": "" if many or not group else format_count(round(count / size)),
        }


def probability(p: float) -> str:
    """A probability without the 0 before its point.

    >>> probability(0.64894), probability(1.0), probability(2e-9)
    ('.649', '1', '2.00 × 10⁻⁹')
    """
    return bare(format_probability(min(p, 1.0)))


def _differences(before: Sequence[int], now: Sequence[int]) -> list[int]:
    return [t for t, (a, b) in enumerate(zip(before, now, strict=True)) if a != b and b >= 0]


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
    blocks = pad.shown(scene.readings.marginals, state.fixed)
    columns, ribbons = pad.folded(scene.readings.marginals, scene.readings.pairs, blocks)
    sentences: list[dict[str, Any]] = []
    says = []
    for row in range(len(lambdas)):
        for column in range(len(lambdas)):
            sentence = _text(scene, row, column, words)
            if sentence not in sentences:
                sentences.append(sentence)
            says.append(sentences.index(sentence))
    problem = state.problem
    return {
        "kind": "flow",
        "flow": {
            "tags": _tags(problem.tags),
            "tokens": [
                {"text": token, "fixed": state.fixed.get(t), "unknown": t in _unknown(state)}
                for t, token in enumerate(problem.tokens)
            ],
            "shown": blocks,
            "grid": {
                "lambdas": list(lambdas),
                "taus": list(lambdas[::-1]),
                "scale": SCALE,
                "blocks": _flat(columns),
                "ribbons": _flat(ribbons),
                "paths": scene.readings.best.tolist(),
                "says": says,
            },
            "sentences": sentences,
            "now": now(state, blocks),
        },
    }


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
        blocks = pad.shown(whole.marginals, state.fixed)
    scene = Scene(state, (state.lambda_,), (state.tau,))
    columns, ribbons = pad.folded(scene.readings.marginals, scene.readings.pairs, blocks)
    return {
        "lambda": state.lambda_,
        "tau": state.tau,
        "blocks": [_digits(column[0, 0].tolist()) for column in columns],
        "ribbons": [[_digits(row) for row in ribbon[0, 0].tolist()] for ribbon in ribbons],
        "path": scene.readings.best[0].tolist(),
        "all": [_digits(row) for row in scene.readings.marginals[0, 0].tolist()],
        "corner": _corner(state),
        **_fixed_text(scene, blocks, words),
    }


def _text(scene: Scene, row: int, column: int, words: BeatText) -> dict[str, Any]:
    facts = scene.facts(row, column, words)
    facts["detail"] = words.segments("detail", facts)
    return {
        "say": words.segments("say", facts),
        "detail": [*facts["detail"], words.between, *words.segments("source", facts)],
        "brief": words.segments("brief", facts),
    }


def _fixed_text(scene: Scene, blocks: Sequence[Sequence[int]], words: BeatText) -> dict[str, Any]:
    """The sentence about the dot's state, and where blocks ended before tags were fixed."""
    if not scene.fixed:
        return {"marks": [], **_text(scene, 0, 0, words)}
    free = Scene(scene.state, scene.lambdas, scene.taus, free=True)
    before, after = (one.readings.marginals[0, 0].tolist() for one in (free, scene))
    path = scene.readings.best[0].tolist()
    share = math.exp(min(scene.readings.log_z[0, 0].item() - free.readings.log_z[0, 0].item(), 0))
    moves = {t: abs(after[t][s] - before[t][s]) for t, s in enumerate(path)}
    marks = [
        {
            "token": t,
            "at": sum(before[t][s] for s in blocks[t] if s <= path[t] and s < len(before[t])),
            "text": words.plain("was", {"p": short_probability(before[t][path[t]])}),
        }
        for t in sorted(moves, key=lambda t: -moves[t])[:MOST_MARKS]
        if moves[t] >= MOVED
    ]
    facts = scene.facts(0, 0, words)
    token, tag = next(iter(sorted(scene.fixed.items())))
    others = [t for t in moves if t not in scene.fixed and moves[t] >= MOVED]
    facts |= {
        "word": Tagged(scene.problem.tokens[token], tag),
        "tag": words.plain("tag", {"tag": scene.problem.tags[tag]}),
        "moved": len(others),
        "share": format_percent(share, 0),
    }
    if others:
        t = max(others, key=lambda t: moves[t])
        facts |= {
            "other": Tagged(scene.problem.tokens[t], path[t]),
            "other_tag": words.plain("tag", {"tag": scene.problem.tags[path[t]]}),
            "is": short_probability(after[t][path[t]]),
            "was": short_probability(before[t][path[t]]),
        }
    return {
        "marks": marks,
        "say": words.segments("fixed", facts),
        "detail": words.segments("fixed-detail", facts),
        "brief": words.segments("fixed-brief", facts),
    }


def short_probability(p: float) -> str:
    """A probability with two decimals, as in a block.

    >>> short_probability(0.3298), short_probability(0.9999), short_probability(0.001)
    ('.33', '1.00', '.00')
    """
    return decimal(f"{p:.2f}".removeprefix("0"))


def _digits(row: Sequence[float]) -> list[float]:
    return [float(f"{p:.9g}") for p in row]


def _corner(state: State) -> str:
    """The decoder of a corner of the pad; "" anywhere else."""
    corners = {(0.0, 1.0): "softmax", (1.0, 1.0): "posterior"}
    corners |= {(0.0, 0.0): "greedy", (1.0, 0.0): "viterbi"}
    return corners.get((state.lambda_, state.tau), "")


def _unknown(state: State) -> set[int]:
    return {t for t, is_unknown in enumerate(state.given.unknown) if is_unknown}


def _tags(tags: Sequence[str]) -> list[dict[str, str]]:
    colours = tag_colours(tags)
    own = [{"name": tag, "colour": colours[tag], "about": tag_meaning(tag)} for tag in tags]
    return [*own, {"name": "other", "colour": "120, 128, 136", "about": ""}]


class _FrontBeat(Beat):
    """The flow with its pad: its sentences stand in the picture, one for each state of the dot."""

    def figure(self, state: State) -> Payload:
        return figure(state)

    def now(self, state: State) -> Payload:
        return now(state)

    def tables(self, state: State) -> None:
        return None


BEATS = (_FrontBeat("flow"),)
