"""What the stepper is sent: the trace's own numbers in both spaces, flips."""

import json
import math
import random

import pytest
import torch

from crf import LinearChain
from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis.flips import flips
from crf.figures.trellis.payload import payload
from crf.trace import trace
from tests.figures.chains import chain, shown
from tests.figures.recursions import EVERY, FORMS, value


def drawn(length=4, size=3, forbid=0.0, **options):
    draw = random.Random(7)

    def table(rows):
        return [
            [-math.inf if draw.random() < forbid else draw.gauss(0, 3) for _ in range(size)]
            for _ in range(rows)
        ]

    return trace(chain(table(length), table(size)), **options)


def strings(piece):
    if isinstance(piece, str):
        return [piece]
    inner = piece.values() if isinstance(piece, dict) else piece if isinstance(piece, list) else ()
    return [text for part in inner for text in strings(part)]


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), EVERY)
@pytest.mark.parametrize("example", ["bio", "one", "per step"])
def test_both_spaces_show_the_traces_numbers(example, algorithm, convention, semiring):
    run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
    for space, write in (("log", format_score), ("probability", format_potential)):
        sent = payload(run, space=space)
        json.dumps(sent, allow_nan=False)
        assert sent["labels"] == [[write(value) for value in column] for column in run.table]
        for step, told in zip(run.steps, sent["steps"], strict=True):
            assert (told["kind"], told["column"], told["row"]) == (step.kind, step.column, step.row)
            if step.kind == "backtrace":
                continue
            label = write(step.log_value)
            assert told["label"] == label
            assert told["equation"][1][-1] == {"role": "result", "text": label}
            assert label in told["say"] or step.log_value == -math.inf
            for term, its in zip(step.terms, told["terms"], strict=True):
                assert (its["from"], its["sum"]) == (term.source, write(term.log_value))
                assert its["share"] == (round(100 * term.share) if semiring == "sum" else 0)
                read = [sent["reads"][k] for k in its["reads"]]
                assert [(one["role"], tuple(one["at"]), one["label"]) for one in read] == [
                    (part.role, part.at, write(part.value)) for part in term.parts
                ]
                for part in term.parts:  # the matrix of this step, where each has its own
                    if part.role == "transition" and run.per_step_transitions:
                        i, j = part.at
                        assert run.per_step_transitions[told["gap"]][i][j] == part.value


def test_numbers_are_rounded_to_two_decimals():
    run = drawn()
    for column, labels in zip(run.table, payload(run)["labels"], strict=True):
        assert list(map(value, labels)) == pytest.approx(column, abs=0.0051)


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
def test_no_logarithm_is_left_in_probability_space(algorithm):
    sent = payload(shown(algorithm=algorithm, semiring="sum"), space="probability")
    formulas = " ".join(text for step in sent["steps"] for text in strings(step["equation"][0]))
    assert not [sign for sign in ("log", "exp", " + ", "−") if sign in formulas]
    assert "log" not in " ".join(step["say"] for step in sent["steps"])


def test_colour_bands_measure_the_distance_to_the_best_of_the_column():
    run = trace(chain([[100, 100, 99, 98.5, 97, 93, 85, 50, -math.inf]], [[0.0] * 9] * 9))
    assert payload(run)["fills"] == [[0, 0, 1, 2, 2, 3, 4, 5, -1]]


@pytest.mark.parametrize(("algorithm", "direction"), [("viterbi", -1), ("backward", 1)])
def test_the_best_way_into_each_cell_is_that_of_the_max_trace(algorithm, direction):
    best = drawn(algorithm=algorithm, semiring="max", forbid=0.3)
    ways = payload(best)["best"]
    assert payload(drawn(algorithm="forward"))["best"] is None
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


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), EVERY)
def test_a_maximum_names_its_ties(algorithm, convention, semiring):
    for example in ("bio", "ties"):
        run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
        for step, sent in zip(run.steps, payload(run)["steps"], strict=True):
            tied = semiring == "max" and step.kind != "backtrace" and len(step.ties) > 1
            assert sent.get("ties") == (step.ties if tied else None)
    assert (0, 1) in [step.ties for step in shown("ties").steps]


def test_a_flip_is_where_the_best_prefix_does_not_go_on():
    run = shown()
    [flip] = flips(run)
    step = run.steps[flip.step]
    assert (step.column, step.row) == (3, 0)  # the DET that it is about
    assert [run.tags[i] for i in flip.old] == ["DET", "ADJ", "NOUN"]
    assert [run.tags[i] for i in flip.new] == ["DET", "NOUN", "VERB", "DET"]
    column = [s for s in run.steps if s.kind == "cell" and s.column == 3]
    assert flip.new == max(column, key=lambda s: s.log_value).best_prefix
    assert payload(run)["flips"] == [
        {"step": flip.step, "known": flip.step + 3, "rows": list(flip.old), "wins": list(flip.new)}
    ]
    assert flip.step in payload(run)["surprises"]
    message = shown(convention="message")
    assert payload(message)["flips"][0]["rows"] == list(flips(message)[0].old[1:])
    assert payload(shown(algorithm="forward"))["flips"] == []


def test_heads_of_messages_stand_between_the_tokens():
    sent = payload(shown(algorithm="forward", convention="message"))
    assert sent["columns"][0] == {"index": "1 | 2", "word": "→ old"}
    assert sent["outer"] == {"index": "1", "word": "the"}
    sent = payload(shown(algorithm="backward", convention="message"))
    assert sent["columns"][-1] == {"index": "4 | 5", "word": "the ←"}
    assert sent["outer"] == {"index": "5", "word": "boat"}
    assert payload(shown())["outer"] is None


def test_an_empty_chain_and_potentials_too_large_for_a_float():
    empty = LinearChain(torch.zeros(1, 0, 2).double(), torch.zeros(2, 2).double(), backend="plain")
    for convention in FORMS:
        run = trace(empty, convention=convention)
        sent = payload(run, space="probability")
        assert [step["label"] for step in sent["steps"]] == ["1"]
    huge = chain([[2000.0, -2000.0]] * 2, [[0.0] * 2] * 2)
    sent = payload(trace(huge), space="probability")
    assert sent["labels"][0] == ["3.88 × 10⁸⁶⁸", "2.58 × 10⁻⁸⁶⁹"]
    assert sent["steps"][-1]["label"] == "1.51 × 10¹⁷³⁷"
