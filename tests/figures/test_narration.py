"""The sentences of a trace: one per step, in words and numbers that hold."""

import math
import re

import pytest

from crf.figures.trellis.narration import printable, sentences
from crf.trace import trace
from pages.shared.course.problem import Problem
from tests.figures.chains import chain, shown
from tests.figures.recursions import EVERY, value

FORBIDDEN = -math.inf


def test_a_viterbi_step_names_the_winner_its_sum_and_the_runner_up_then_the_way_back():
    told = sentences(shown())
    first = "Token 1 ‘the’, DET: nothing comes before it; start + emission = 1.00 + 5.00 = 6.00."
    assert told[0] == first
    assert told[10] == (
        "Token 3 ‘man’, NOUN: best from ADJ: 8.50 + 1.50 + 2.00 = 12.00; "
        "runner-up NOUN is 2.50 nats behind."
    )
    assert told[20].startswith(
        "END: best from NOUN: 18.50 + 0.50 = 19.00; runner-up ADJ is 7.00 nats"
    )
    assert told[21] == "Backtrace: the best last tag is NOUN, so token 5 ‘boat’ is NOUN."
    assert told[22] == "Backtrace: the backpointer of NOUN at ‘boat’ says DET for token 4 ‘the’."
    assert told[25].endswith("The best path: DET NOUN VERB DET NOUN, score 19.00.")
    changed = [i for i, text in enumerate(told) if "The best prefix changes" in text]
    assert changed == [12]
    assert told[12].endswith("DET ADJ NOUN → DET NOUN VERB DET.")


def test_sums_name_the_largest_share():
    told = sentences(shown(algorithm="forward"))
    assert told[10].startswith("Token 3 ‘man’, NOUN: log-sum-exp of 4 terms: ")
    assert told[10].endswith("; ADJ brings 92 % of the sum.")
    assert told[20].endswith(
        "log-sum-exp of 4 terms = 19.43 = log Z; NOUN brings >99 % of the sum."
    )


def test_impossible_cells_are_told_in_words():
    forbidden = [[0.0, FORBIDDEN], [0.0, FORBIDDEN]]
    blocked = chain([[0.0, 0], [FORBIDDEN, 0], [0, 0]], forbidden)
    told = sentences(trace(blocked, algorithm="viterbi", tags=["A", "B"]))
    assert "the tag itself is forbidden here" in told[2]
    assert told[3].endswith("B: no allowed path reaches it, so it is −∞.")
    assert told[-1] == "END: no path is allowed, so the best score is −∞."


def test_ties_are_named_and_the_first_is_taken():
    equal = chain([[0.0] * 5] * 2, [[0.0] * 5] * 5)
    told = sentences(trace(equal, algorithm="viterbi", tags=list("ABCDE")))
    assert "A, B, C and 2 more tie; the first, A, is taken: 0.00 + 0.00 + 0.00 = 0.00." in told[5]
    summed = sentences(trace(equal, algorithm="forward"))
    assert summed[5].endswith("each brings the same share.")


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), EVERY)
@pytest.mark.parametrize(("length", "tags"), [(1, 1), (1, 3), (4, 3)])
def test_every_form_has_a_sentence_per_step_and_its_sums_add_up(
    algorithm, convention, semiring, length, tags
):
    problem = Problem.blank([f"T{s}" for s in range(tags)], [f"w{t}" for t in range(length)])
    run = problem.random(7).trace(algorithm, convention=convention, semiring=semiring)
    told = sentences(run)
    assert len(told) == len(run.steps)
    equations = 0
    for step, text in zip(run.steps, told, strict=True):
        assert "None" not in text
        assert "nan" not in text
        for left, right in re.findall(r"([−\d.]+(?: [+−] [\d.]+)+) = ([−\d.]+\d)", text):
            signed = re.findall(r"[+−]? ?[\d.]+", left)
            assert sum(map(value, signed)) == pytest.approx(
                value(right), abs=0.005 * (len(signed) + 1)
            )
            assert value(right) == pytest.approx(step.log_value, abs=0.0051)
            equations += 1
    assert equations or convention != "state" or (algorithm, semiring) == ("backward", "sum")


def test_tokens_cannot_disturb_the_sentence():
    assert printable("a\u202eb\n\x00") == "a␣b␣␣"
    assert printable("שלום") == "\u2068שלום\u2069"
    assert printable("👩\u200d💻") == "👩\u200d💻"
    one = chain([[0.0, 1.0]], [[0.0, 0], [0, 0]])
    told = sentences(trace(one, algorithm="viterbi", tokens=["<b>x\u202e</b>"]))
    assert told[0].startswith("Token 1 ‘<b>x␣</b>’, 0: ")
