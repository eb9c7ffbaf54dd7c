"""The sentences of a trace: one per step, in words and numbers that hold."""

import itertools
import math
import re

import pytest
import torch

from crf import LinearChain
from crf.figures.trellis.narration import printable, sentences
from crf.trace import trace

FORBIDDEN = -math.inf
FORMS = [
    pytest.param(algorithm, convention, semiring, id=f"{algorithm}-{convention}-{semiring}")
    for algorithm, convention, semiring in itertools.product(
        ("forward", "backward", "viterbi"), ("state", "message", "pair"), ("sum", "max")
    )
    if (algorithm, semiring) != ("viterbi", "sum")
]


def old_man(**options):
    """The garden path: after three words the best prefix is not that of the whole sentence."""
    emissions = [
        [5, -3, -3, -3],
        [-3, 2, 0.5, -3],
        [-3, -3, 2, 0.5],
        [5, -3, -3, -3],
        [-3, -3, 2, -1],
    ]
    transitions = [[-3, 0.5, 1, -3], [-3, -0.5, 1.5, -2], [-2.5, -1, 0, 1], [1.5, 0, 0.5, -2]]
    chain = LinearChain(
        torch.tensor([emissions]).double(), torch.tensor(transitions).double(), backend="plain"
    )
    names = {"tags": "DET ADJ NOUN VERB".split(), "tokens": "the old man the boat".split()}
    return trace(chain, **names, **options)


def chain_of(emissions, transitions, *ends):
    rows = (torch.tensor(x, dtype=torch.float64) for x in ([emissions], transitions, *ends))
    return LinearChain(*rows, backend="plain")


def value(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").replace(" ", ""))


def test_a_viterbi_step_names_the_winner_its_sum_and_the_runner_up():
    told = sentences(old_man(algorithm="viterbi"))
    assert (
        told[0]
        == "Token 1 ‘the’, DET: nothing comes before it; start + emission = 0.00 + 5.00 = 5.00."
    )
    assert told[10] == (
        "Token 3 ‘man’, NOUN: best from ADJ: 7.50 + 1.50 + 2.00 = 11.00; "
        "runner-up NOUN is 2.50 nats behind."
    )


def test_the_end_and_the_way_back():
    told = sentences(old_man(algorithm="viterbi"))
    assert told[20].startswith(
        "END: best from NOUN: 17.50 + 0.00 = 17.50; runner-up ADJ is 5.50 nats"
    )
    assert told[21] == "Backtrace: the best last tag is NOUN, so token 5 ‘boat’ is NOUN."
    assert told[22] == "Backtrace: the backpointer of NOUN at ‘boat’ says DET for token 4 ‘the’."
    assert told[25].endswith("The best path: DET NOUN VERB DET NOUN, score 17.50.")


def test_a_change_of_mind_is_told_once_at_its_cell():
    told = sentences(old_man(algorithm="viterbi"))
    changed = [i for i, text in enumerate(told) if "Change of mind" in text]
    assert changed == [12]
    assert told[12].endswith("DET ADJ NOUN → DET NOUN VERB DET.")


def test_sums_name_the_largest_share():
    told = sentences(old_man(algorithm="forward"))
    assert told[10].startswith("Token 3 ‘man’, NOUN: log-sum-exp of 4 terms: ")
    assert told[10].endswith("; ADJ brings 92 % of the sum.")
    assert re.search(
        r"log-sum-exp of 4 terms = 17.94 = log Z; NOUN brings 99 % of the sum.$", told[20]
    )


def test_impossible_cells_are_told_in_words():
    forbidden = [[0.0, FORBIDDEN], [0.0, FORBIDDEN]]
    chain = chain_of([[0.0, 0], [FORBIDDEN, 0], [0, 0]], forbidden)
    told = sentences(trace(chain, algorithm="viterbi", tags=["A", "B"]))
    assert "the tag itself is forbidden here" in told[2]
    assert told[3].endswith("B: no allowed path reaches it: −∞.")
    assert told[-1] == "END: no path is allowed, the best score is −∞."


def test_ties_are_named_and_the_first_is_taken():
    chain = chain_of([[0.0] * 5] * 2, [[0.0] * 5] * 5)
    told = sentences(trace(chain, algorithm="viterbi", tags=list("ABCDE")))
    assert "A, B, C and 2 more tie; the first, A, is taken: 0.00 + 0.00 + 0.00 = 0.00." in told[5]
    summed = sentences(trace(chain, algorithm="forward"))
    assert summed[5].endswith("each brings the same share.")


@pytest.mark.parametrize(("algorithm", "convention", "semiring"), FORMS)
@pytest.mark.parametrize(("length", "tags"), [(1, 1), (1, 3), (2, 2), (4, 3)])
def test_every_form_has_a_sentence_per_step_and_its_sums_add_up(
    algorithm, convention, semiring, length, tags
):
    draw = torch.Generator().manual_seed(length * 10 + tags)
    scores = [
        torch.randn(size, generator=draw).double()
        for size in ([1, length, tags], [tags, tags], [tags], [tags])
    ]
    run = trace(
        LinearChain(*scores, backend="plain"),
        algorithm=algorithm,
        convention=convention,
        semiring=semiring,
    )
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
    chain = chain_of([[0.0, 1.0]], [[0.0, 0], [0, 0]])
    told = sentences(trace(chain, algorithm="viterbi", tokens=["<b>x\u202e</b>"]))
    assert told[0].startswith("Token 1 ‘<b>x␣</b>’, 0: ")
