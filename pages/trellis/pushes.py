"""Observed − expected: which transitions learning pushes up and down, and the one to bet on."""

import math
from collections import Counter
from itertools import pairwise

from crf.figures.flow.payload import Payload
from pages.shared.course.state import State
from pages.trellis import facts, picture

LITTLE = 0.005  # of a count: two decimals hide it


def pushed(state: State) -> tuple[int, int, int, float]:
    """The transition that the beat `learn` asks about, and how often it is expected.

    It is the one into a tag that greedy takes and the right path does not; else the one whose
    observed and expected counts differ most.
    """
    found, problem = picture.numbers(state.problem), state.problem
    right = picture.path_of(state, usual="right")
    if len(problem.tokens) < 2:
        return 0, right[0], right[0], 0.0
    t = facts.first_difference(found.greedy, right) or 0
    i, j = right[t - 1], found.greedy[t]
    expected = math.fsum(pair[i][j] for pair in found.pairs)
    if t and expected >= LITTLE:
        return t, i, j, expected
    rows = pushes(state)
    most = rows[0] if rows else {"from": right[0], "to": right[1], "expected": 1.0}
    i, j = most["from"], most["to"]
    t = next((k for k, (a, b) in enumerate(pairwise(right), 1) if (a, b) == (i, j)), 1)
    return t, i, j, most["expected"]


def pushes(state: State) -> list[Payload]:
    """Observed − expected for every transition that is used or expected, the largest first."""
    found, S = picture.numbers(state.problem), len(state.problem.tags)
    used = Counter(pairwise(picture.path_of(state, usual="right")))
    rows = []
    for i in range(S):
        for j in range(S):
            observed, expected = used[i, j], math.fsum(pair[i][j] for pair in found.pairs)
            if observed or expected >= LITTLE:
                push = {"observed": observed, "expected": expected, "push": observed - expected}
                rows.append({"from": i, "to": j} | push)
    return sorted(rows, key=lambda row: -abs(row["push"]))


def only_observed(state: State) -> list[Payload]:
    """What the right path uses, and the transition that is asked about; nothing is expected yet."""
    _, i, j, _ = pushed(state)
    counts = Counter(pairwise(picture.path_of(state, usual="right")))
    counts[i, j] += 0
    return [
        {"from": a, "to": b, "observed": counts[a, b], "expected": None, "push": None}
        for a, b in sorted(counts)
    ]
