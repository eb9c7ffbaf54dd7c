"""What the front page's sentences say: the facts about each place of the pad."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crf.figures.languages import language
from crf.figures.numbers import (
    bare,
    decimal,
    format_count,
    format_probability,
    superscript,
)
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText, Tagged
from pages.tag import network, pad

if TYPE_CHECKING:
    from torch import Tensor

TEXT = Path(__file__).with_name("beats.md")
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
        self.ends = pad.readings(self.problem, fixed, (0.0, 1.0), (1.0,))
        self.alone, self.together = _tops(self.ends)[0]
        self.tops = _tops(self.readings)
        self.limit = pad.limits(self.problem, fixed, self.lambdas)
        # none where no reading is allowed
        self.later = self._changed(self.together, self.ends.marginals[0, 1])
        words = BeatText.load(TEXT)
        self.always: dict[str, Any] = {
            "later": len(self.later),
            "fixed": len(self.fixed),
            "source": self.state.given.source,
            "unknown": sum(self.state.given.unknown),
            **self._count(),
            **({} if self.later else self._least(words)),
            **network.facts(self.state, self.ends.marginals[0, 1], words),
        }
        self.always["readings"] = words.segments("readings", self.always)

    def facts(self, row: int, column: int, words: BeatText) -> dict[str, Any]:
        """Facts for the sentences about one state of the pad."""
        lambda_, tau = self.lambdas[column], self.taus[row]
        best = self.tops[row][column]
        changed = self._changed(best, self.readings.marginals[row, column])
        later = self.later
        facts: dict[str, Any] = {
            "alone": int(lambda_ == 0),
            "together": int(lambda_ == 1),
            "cold": int(tau < 1),
            "frozen": int(tau == 0),
            "changed": len(changed),
            "more": max(len(changed) - 1, 0),
            "none": int(best[0] < 0),
            "p": probability(self.readings.shares[row, column].item()),
        }
        said = sorted(later[:2]) if lambda_ == 0 else (changed or later)[:2]
        for k, t in enumerate(said, 1):
            now = best if changed else self.together
            facts[f"word{k}"] = Tagged(self.problem.tokens[t], self.alone[t])
            facts[f"alone{k}"] = self._phrase(words, self.alone[t])
            facts[f"now{k}"] = self._tagged_phrase(words, now[t])
        facts["twice"] = int(len({self.problem.tokens[t] for t in said}) < len(said))
        side, neighbour = self._cause(changed[0], best) if changed else ("none", 0)
        by = Tagged(self.problem.tokens[neighbour], max(best[neighbour], 0))
        facts |= {"side": side, "by": by}
        return self.always | facts | self._at_the_top(column, words)

    def _changed(self, now: Sequence[int], marginals: "Tensor") -> list[int]:
        """The words that have another best tag than alone, the one that gains most first."""
        alone = self.ends.marginals[0, 0]
        pairs = list(enumerate(zip(self.alone, now, strict=True)))
        gains = {t: (marginals[t, b] - alone[t, b]).item() for t, (a, b) in pairs if a != b >= 0}
        return sorted(gains, key=lambda t: -gains[t])

    def _least(self, words: BeatText) -> dict[str, Any]:
        """The word whose best tag is least sure."""
        sure = self.ends.marginals[0, 1].amax(-1).tolist()
        t = min(range(len(sure)), key=sure.__getitem__)
        tag = max(self.together[t], 0)
        least = Tagged(self.problem.tokens[t], tag)
        return {"least": least, "least_tag": self._tagged_phrase(words, tag)}

    def _cause(self, t: int, path: Sequence[int]) -> tuple[str, int]:
        """What speaks most for a word's new tag and against its old one.

        Returns:
            The word before ("left") or after ("right"), the start or end score, or "none" of them;
            and that neighbour's index.
        """
        old, new, end = self.alone[t], path[t], len(path) - 1
        gains = {"none": 0.0}
        if t > 0:
            row = self.problem.matrix(t)[path[t - 1]]
            gains["left"] = row[new] - row[old]
        else:
            gains["start"] = self.problem.start[new] - self.problem.start[old]
        if t < end:
            matrix, after = self.problem.matrix(t + 1), path[t + 1]
            gains["right"] = matrix[new][after] - matrix[old][after]
        else:
            gains["end"] = self.problem.end[new] - self.problem.end[old]
        side = max(gains, key=gains.__getitem__)
        return side, t + {"left": -1, "right": 1}.get(side, 0)

    def _at_the_top(self, column: int, words: BeatText) -> dict[str, Any]:
        """The best reading's probability at the upper edge, and where a word's best tag differs."""
        top, row, here = self.readings, self.tops[0], column
        if self.taus[0] != 1:
            fixed, lambdas = tuple(sorted(self.fixed.items())), (self.lambdas[column],)
            top = pad.readings(self.problem, fixed, lambdas, (1.0,))
            column, row = 0, _tops(top)[0]
        tops, path = row[column], top.best[column].tolist()
        share, limit = top.shares[0, column].item(), self.limit[here]
        facts: dict[str, Any] = {"top": probability(share), "down": 0}
        facts |= {"tie": int(limit < 0.75), "flat": int(math.isclose(share, limit, rel_tol=1e-4))}
        if down := [t for t, (a, b) in enumerate(zip(tops, path, strict=True)) if a != b]:
            t = down[0]
            facts |= {
                "down": len(down),
                "downword": Tagged(self.problem.tokens[t], path[t]),
                "downtag": self._tagged_phrase(words, path[t]),
                "uptag": self._phrase(words, tops[t]),
            }
        return facts

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
        size = 10 ** (4 * group) if language() == "zh" else 10 ** (3 * group + 3)  # 万, or million
        many = group == len(_GROUPS)  # a thousand million million: the power says it
        return {
            "count": format_count(count) if not group else "",
            "tags": S,
            "words": L,
            "power": f"{format_count(S)}{superscript(L)}",
            "group": group,
            "about": "" if many or not group else _two_digits(count / size),
        }


def _two_digits(x: float) -> str:
    """A number from 1 to 9,999 with two digits.

    >>> _two_digits(1.4199), _two_digits(410.3), _two_digits(6975.8)
    ('1.4', '410', '7,000')
    """
    return decimal(f"{x:.1f}") if x < 9.95 else format_count(int(float(f"{x:.1e}")))


def probability(p: float) -> str:
    """A probability without the 0 before its point.

    >>> probability(0.64894), probability(1.0), probability(2e-9)
    ('.649', '1', '2.00 × 10⁻⁹')
    """
    return bare(format_probability(min(p, 1.0)))


def _tops(readings: pad.Readings) -> list[list[list[int]]]:
    """[T][K][L] the most probable tag of each word; −1 where no reading is allowed."""
    tops = readings.marginals.argmax(-1).masked_fill(readings.best[None] < 0, -1)
    return tops.tolist()
