"""What the lessons ask of the stepper's payload: potentials, tables, questions, flips, work."""

import itertools
import math

import pytest
import torch

from crf import LinearChain
from crf.figures.numbers import format_potential, format_score
from crf.figures.trellis.flips import flips
from crf.figures.trellis.payload import PathOverlay, payload
from crf.trace import trace
from pages.shared.course.brute_force import additions
from tests.browser.stepper_page import chain, shown

FORMS = list(
    itertools.product(
        ("forward", "backward", "viterbi"), ("state", "message", "pair"), ("sum", "max")
    )
)
FORMS = [form for form in FORMS if (form[0], form[2]) != ("viterbi", "sum")]


def strings(piece):
    if isinstance(piece, str):
        return [piece]
    inner = piece.values() if isinstance(piece, dict) else piece if isinstance(piece, list) else ()
    return [text for part in inner for text in strings(part)]


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), FORMS)
@pytest.mark.parametrize("example", ["old man", "bio", "one", "per step"])
def test_both_spaces_show_the_same_trace(example, algorithm, convention, semiring):
    run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
    for space, write in (("log", format_score), ("probability", format_potential)):
        sent = payload(run, space=space)
        assert sent["labels"] == [[write(value) for value in column] for column in run.table]
        for step, told in zip(run.steps, sent["steps"], strict=True):
            if step.kind == "backtrace":
                continue
            assert told["label"] == write(step.log_value)
            assert told["equation"][1][-1] == {"role": "result", "text": write(step.log_value)}
            assert [term["sum"] for term in told["terms"]] == [
                write(t.log_value) for t in step.terms
            ]
            read = [[sent["reads"][k]["label"] for k in term["reads"]] for term in told["terms"]]
            assert read == [[write(part.value) for part in term.parts] for term in step.terms]
            assert write(step.log_value) in told["say"] or step.log_value == -math.inf


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
def test_no_logarithm_is_left_in_probability_space(algorithm):
    sent = payload(shown(algorithm=algorithm, semiring="sum"), space="probability")
    formulas = " ".join(text for step in sent["steps"] for text in strings(step["equation"][0]))
    assert "log" not in formulas
    assert "exp" not in formulas
    assert " + " not in formulas
    assert "−" not in formulas
    assert "log" not in " ".join(step["say"] for step in sent["steps"])


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), FORMS)
def test_the_right_guesses_are_the_winners_or_the_largest_shares(algorithm, convention, semiring):
    for example in ("old man", "bio", "ties"):
        run = shown(example, algorithm=algorithm, convention=convention, semiring=semiring)
        for step, sent in zip(run.steps, payload(run, asks=True)["steps"], strict=True):
            assert sent["ask"].endswith("?")
            allowed = {t.source: t.log_value for t in step.terms if t.log_value > -math.inf}
            if len(allowed) < 2:
                assert sent["right"] == []
                continue
            best = max(allowed.values())
            assert sent["right"] == [i for i, v in allowed.items() if abs(best - v) < 1e-9]
    assert "ask" not in payload(run)["steps"][0]


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


@pytest.mark.parametrize(("algorithm", "convention"), [form[:2] for form in FORMS])
def test_each_step_names_the_matrix_that_it_reads(algorithm, convention):
    run = shown("per step", algorithm=algorithm, convention=convention)
    for step, sent in zip(run.steps, payload(run)["steps"], strict=True):
        for part in (part for term in step.terms for part in term.parts):
            if part.role == "transition":
                i, j = part.at
                assert run.per_step_transitions[sent["gap"]][i][j] == part.value


def test_heads_of_messages_stand_between_the_tokens():
    sent = payload(shown(algorithm="forward", convention="message"))
    assert sent["columns"][0] == {"index": "1 | 2", "word": "→ old"}
    assert sent["outer"] == {"index": "1", "word": "the"}
    sent = payload(shown(algorithm="backward", convention="message"))
    assert sent["columns"][-1] == {"index": "4 | 5", "word": "the ←"}
    assert sent["outer"] == {"index": "5", "word": "boat"}
    assert payload(shown())["outer"] is None


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
@pytest.mark.parametrize("convention", ["state", "message", "pair"])
def test_the_work_of_as_many_tokens_as_are_merged(algorithm, convention):
    run = shown(algorithm=algorithm, convention=convention)
    sent = payload(run, enumeration=additions(4, 5))["work"]
    for step, at in zip(run.steps, sent["at"], strict=True):
        if step.kind == "backtrace":
            assert "the way back" in sent["lines"][at]
        elif step.kind == "cell" and step.row < 3:  # its column is not complete yet
            backward = algorithm == "backward"
            assert at == (run.num_columns - 1 - step.column if backward else step.column)
        else:
            merged = 4**at
            # a cell holds the tag prefixes that end in its tag; a message any tag before that
            assert step.prefixes in {
                ("cell", "state"): {merged // 4},
                ("cell", "pair"): {merged // 4},
                ("cell", "message"): {merged},
            }.get((step.kind, convention), {merged})
            assert f"= {merged:,} tag " in sent["lines"][at]
    assert "No column is complete" in sent["lines"][0]
    assert payload(run)["work"] is None


def test_an_empty_chain_has_nothing_to_show_or_ask():
    empty = LinearChain(torch.zeros(1, 0, 2).double(), torch.zeros(2, 2).double(), backend="plain")
    for convention in ("state", "message", "pair"):
        run = trace(empty, convention=convention)
        sent = payload(run, space="probability", asks=True, enumeration=())
        assert [step["label"] for step in sent["steps"]] == ["1"]


def test_potentials_too_large_for_a_float_are_written():
    huge = chain([[2000.0, -2000.0]] * 2, [[0.0] * 2] * 2)
    sent = payload(trace(huge), space="probability")
    assert sent["labels"][0] == ["3.88 × 10⁸⁶⁸", "2.58 × 10⁻⁸⁶⁹"]
    assert sent["steps"][-1]["label"] == "1.51 × 10¹⁷³⁷"


def test_ties_are_sent_with_their_cell():
    run = shown("ties")
    tied = [
        step.ties if step.kind != "backtrace" and len(step.ties) > 1 else None for step in run.steps
    ]
    assert [sent.get("ties") for sent in payload(run)["steps"]] == tied
    assert (0, 1) in tied


def test_a_k_best_path_keeps_its_style():
    path = PathOverlay("2nd best", "kbest", ["DET", "ADJ", "NOUN", "VERB", "DET"])
    assert payload(shown(), [path])["paths"] == [
        {"name": "2nd best", "style": "kbest", "rows": [0, 1, 2, 3, 0]}
    ]
