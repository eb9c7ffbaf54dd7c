"""What the stepper is sent: the trace's own numbers in both spaces, the scores it reads, flips."""

import json
import math
import random

import pytest
import torch

from crf import LinearChain
from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis.equations import CLASSES, ROLES
from crf.figures.trellis.flips import flips
from crf.figures.trellis.payload import compared, payload
from crf.trace import trace
from tests.figures.chains import chain, large, shown
from tests.figures.recursions import EVERY, FORMS, value


def drawn(length=4, size=3, forbid=0.0, **options):
    draw = random.Random(7)

    def table(rows):
        return [
            [-math.inf if draw.random() < forbid else draw.gauss(0, 3) for _ in range(size)]
            for _ in range(rows)
        ]

    return trace(chain(table(length), table(size)), **options)


def only(run, **how):
    """The mode of one recursion."""
    [mode] = payload(run, **how)["modes"]
    return mode


def read(number):
    """A number as JSON has it."""
    return -math.inf if number == "-inf" else number


def strings(piece):
    if isinstance(piece, str):
        return [piece]
    inner = piece.values() if isinstance(piece, dict) else piece if isinstance(piece, list) else ()
    return [text for part in inner for text in strings(part)]


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), EVERY)
@pytest.mark.parametrize("example", ["bio", "one", "per step"])
def test_pictures_and_equations_have_the_traces_numbers(example, algorithm, convention, semiring):
    run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
    for space, write in (("log", format_score), ("probability", format_potential)):
        sent = payload(run, space=space)
        json.dumps(sent, allow_nan=False)
        [mode] = sent["modes"]
        columns = [column for column in mode["values"] if None not in column]
        assert [list(map(read, column)) for column in columns] == [
            pytest.approx(column, rel=1e-8) for column in run.table
        ]
        assert (sent["absent"] is None) == (convention != "message")
        for step, told in zip(run.steps, mode["steps"], strict=True):
            assert told["kind"] == step.kind
            if step.kind == "backtrace":
                continue
            assert told["cell"] == ([step.token, step.row] if step.kind == "cell" else None)
            label = write(step.log_value)
            assert told["equation"][1][-1] == {"role": "result", "text": label}
            assert label in told["say"] or step.log_value == -math.inf
            read_ones = {part for term in step.terms for part in term.parts} | {*step.added}
            numbers = [(CLASSES[ROLES.index(p.role)], write(p.value)) for p in read_ones]
            for piece in told["equation"][1]:
                if isinstance(piece, dict) and "number" in piece:
                    assert (piece["role"], piece["number"]) in numbers
            for term, its in zip(step.terms, told["terms"], strict=True):
                assert (its["from"], its["wins"]) == (term.source, term.wins)
                assert its["share"] == pytest.approx(term.share, rel=1e-5)
                assert read(its["sum"]) == pytest.approx(term.log_value, rel=1e-5)
                parts = {part.role: part.value for part in term.parts}
                if "transition" in parts:
                    assert read(its["score"]) == pytest.approx(parts["transition"], rel=1e-5)
            if convention != "state":  # scores beside the transitions
                kinds = ("emission", "start", "end")
                assert set(told["reads"]) == {
                    ":".join(map(str, (part.role, *part.at)))
                    for part in read_ones
                    if part.role in kinds
                }


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
def test_no_logarithm_is_left_in_probability_space(algorithm):
    mode = only(shown(algorithm=algorithm, semiring="sum"), space="probability")
    formulas = " ".join(text for step in mode["steps"] for text in strings(step["equation"][0]))
    assert not [sign for sign in ("log", "exp", " + ", "−") if sign in formulas]
    assert "log" not in " ".join(step["say"] for step in mode["steps"])


def test_the_best_path_is_a_mode_where_alpha_and_delta_are_there():
    run = [shown(algorithm=algorithm) for algorithm in ("forward", "backward", "viterbi")]
    modes = {mode["mode"]: mode for mode in payload(*run)["modes"]}
    assert list(modes) == ["path", "add", "best", "both"]
    [step] = modes["path"]["steps"]
    assert step["path"] == list(run[2].best_path)
    assert step["score"] == pytest.approx(run[2].log_total)
    assert math.fsum(stair["score"] for stair in step["stairs"]) == pytest.approx(19)
    numbers = [piece["number"] for piece in step["equation"][0] if "number" in piece]
    assert math.fsum(map(value, numbers)) == pytest.approx(19)
    assert "65 % of the sum of all paths (log Z = 19.43)" in step["say"]
    blocked = [shown("dead end", algorithm=one) for one in ("forward", "viterbi")]
    assert [mode["mode"] for mode in payload(*blocked)["modes"]] == ["add", "best"]


def test_the_leading_prefix_is_drawn_with_the_one_that_it_replaces():
    run = shown()
    steps, [flip] = only(run)["steps"], flips(run)
    for step, sent in zip(run.steps, steps, strict=True):
        if step.kind == "cell":
            assert tuple(sent["lead"]) == step.best_prefix
    assert [k for k, sent in enumerate(steps) if sent["was"]] == [flip.step]
    assert steps[flip.step]["was"] == list(flip.old)
    walked = [sent["walked"] for sent in steps if sent["kind"] == "backtrace"]
    assert walked[-1] == list(run.best_path)


def test_the_largest_trellis_stays_small():
    sent = json.dumps(payload(trace(large(60), algorithm="viterbi")), ensure_ascii=False)
    assert len(sent.encode()) < 3_300_000


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), EVERY)
def test_a_maximum_names_its_ties(algorithm, convention, semiring):
    for example in ("bio", "ties"):
        run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
        for step, sent in zip(run.steps, only(run)["steps"], strict=True):
            assert sent["ties"] == (list(step.ties) if len(step.ties) > 1 else [])
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
    mode = only(run)
    assert mode["changes"] == [flip.step]
    assert flip.step in mode["surprises"]
    assert only(shown(algorithm="forward"))["changes"] == []


def test_a_message_has_no_column_where_the_recursion_begins():
    for algorithm, absent in (("forward", 0), ("backward", 4)):
        sent = payload(shown(algorithm=algorithm, convention="message"))
        [mode] = sent["modes"]
        assert sent["absent"] == absent
        assert [t for t, column in enumerate(mode["values"]) if None in column] == [absent]
    assert payload(shown())["absent"] is None


def test_compared_cells_stand_at_their_tokens_and_the_first_wrong_one_opens():
    run = shown(algorithm="forward", convention="message")
    beside = compared(run, {(0, 0): "", (1, 2): "7.5"}, (1, 2))
    assert beside["given"] == {"1,0": "", "2,2": "7.5"}
    step = run.steps[beside["step"]]
    assert (step.column, step.row) == (1, 2)
    assert compared(run, {}, None)["step"] == len(run.steps) - 1


def test_an_empty_chain_and_potentials_too_large_for_a_float():
    empty = LinearChain(torch.zeros(1, 0, 2).double(), torch.zeros(2, 2).double(), backend="plain")
    for convention in FORMS:
        mode = only(trace(empty, convention=convention), space="probability")
        assert [step["equation"][1][-1]["text"] for step in mode["steps"]] == ["1"]
    huge = chain([[2000.0, -2000.0]] * 2, [[0.0] * 2] * 2)
    results = [
        step["equation"][1][-1]["text"] for step in only(trace(huge), space="probability")["steps"]
    ]
    assert results[:2] == ["3.88 × 10⁸⁶⁸", "2.58 × 10⁻⁸⁶⁹"]
    assert results[-1] == "1.51 × 10¹⁷³⁷"
