"""What the stepper is sent: the trace's own numbers, every one a string, each stored once."""

import json
import math
import random

import pytest
import torch

from crf import LinearChain
from crf.figures.trellis.payload import PathOverlay, payload
from crf.trace import trace


def drawn(length=4, size=3, forbid=0.0, **options):
    draw = random.Random(7)

    def table(rows):
        return [
            [-math.inf if draw.random() < forbid else draw.gauss(0, 3) for _ in range(size)]
            for _ in range(rows)
        ]

    scores = torch.tensor([table(length)]), torch.tensor(table(size))
    return trace(LinearChain(*(s.double() for s in scores), backend="plain"), **options)


def value(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


@pytest.mark.parametrize("convention", ["state", "message", "pair"])
@pytest.mark.parametrize("algorithm", ["forward", "backward", "viterbi"])
@pytest.mark.parametrize("forbid", [0.0, 0.4])
def test_the_numbers_shown_are_the_traces_numbers(algorithm, convention, forbid):
    run = drawn(algorithm=algorithm, convention=convention, forbid=forbid)
    shown = payload(run)
    json.dumps(shown, allow_nan=False)
    assert len(shown["steps"]) == len(run.steps)
    assert [list(map(value, column)) for column in shown["labels"]] == [
        pytest.approx(column, abs=0.0051) for column in run.table
    ]
    for step, sent in zip(run.steps, shown["steps"], strict=True):
        assert (sent["kind"], sent["column"], sent["row"]) == (step.kind, step.column, step.row)
        for term, told in zip(step.terms, sent["terms"], strict=True):
            assert told["from"] == term.source
            assert value(told["sum"]) == pytest.approx(term.log_value, abs=0.0051)
            assert told["share"] == (round(100 * term.share) if run.semiring == "sum" else 0)
            read = [shown["reads"][index] for index in told["reads"]]
            assert [(one["role"], tuple(one["at"])) for one in read] == [
                (part.role, part.at) for part in term.parts
            ]
            assert [value(one["label"]) for one in read] == pytest.approx(
                [part.value for part in term.parts], abs=0.0051
            )


def test_per_step_transitions_are_not_mixed_up():
    emissions = torch.zeros(1, 3, 2).double()
    matrices = torch.arange(8).reshape(1, 2, 2, 2).double()
    shown = payload(trace(LinearChain(emissions, matrices, backend="plain"), algorithm="viterbi"))
    into = {
        step["column"]: step["terms"]
        for step in shown["steps"]
        if step["kind"] == "cell" and step["row"]
    }
    labels = [
        [shown["reads"][term["reads"][1]]["label"] for term in into[column]] for column in (1, 2)
    ]
    assert labels == [["1.00", "3.00"], ["5.00", "7.00"]]


def test_colour_bands_measure_the_distance_to_the_best_of_the_column():
    emissions = torch.tensor([[[100, 100, 99, 98.5, 97, 93, 85, 50, -math.inf]]]).double()
    run = trace(LinearChain(emissions, torch.zeros(9, 9).double(), backend="plain"))
    assert payload(run)["fills"] == [[0, 0, 1, 2, 2, 3, 4, 5, -1]]


def test_paths_are_given_by_tag_names_and_viterbi_draws_its_own():
    run = drawn(length=3, algorithm="viterbi", tags=["A", "B", "C"])
    paths = [
        PathOverlay("Best", "viterbi", ["A", "A", "A"]),
        PathOverlay("Greedy", "greedy", ["C", "A", "B"]),
    ]
    assert payload(run, paths)["paths"] == [
        {"name": "Greedy", "style": "greedy", "rows": [2, 0, 1]}
    ]
    forward = drawn(length=3, algorithm="forward", tags=["A", "B", "C"])
    assert [path["name"] for path in payload(forward, paths)["paths"]] == ["Best", "Greedy"]


@pytest.mark.parametrize(("algorithm", "direction"), [("viterbi", -1), ("backward", 1)])
def test_the_best_way_into_each_cell_is_that_of_the_max_trace(algorithm, direction):
    best = drawn(algorithm=algorithm, semiring="max", forbid=0.3)
    run = drawn(algorithm="backward" if direction > 0 else "forward", forbid=0.3)
    ways = payload(run, best=best)["best"]
    assert payload(run)["best"] is None
    for step in best.steps:
        if step.kind != "cell" or step.log_value == -math.inf:
            continue
        path, column, row = [], step.column, step.row
        while row >= 0:
            path.append(row)
            row, column = ways[column][row], column + direction
        if step.best_prefix is not None:
            assert tuple(reversed(path)) == step.best_prefix
        assert len(path) == (4 - step.column if direction > 0 else step.column + 1)


def test_the_largest_trellis_stays_small():
    sent = json.dumps(payload(drawn(length=60, size=17, algorithm="viterbi")), ensure_ascii=False)
    assert len(sent.encode()) < 2_500_000
