"""Names and their probabilities against a sum over all label sequences that have them."""

import math
from collections import Counter

import pytest
import torch

from crf import Constraints, LinearChain
from crf.schemes import spans
from tests.core.oracle import Row

SETS = {
    "IO": ["O", "I-X", "I-Y"],
    "IOB1": ["O", "B-X", "I-X", "I-Y"],
    "BIO": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X"],
    "BILOU": ["U-X", "O", "B-X", "I-X", "L-X"],
    "BMES": ["B", "M", "E", "S"],
    "bare": ["O", "X", "Y"],
}
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]).bool().repeat(2, 1)


def case(tags, scheme, *, per_step=False, constrained=True):
    """Eight chains with holes and an empty row; and for each, the probability of each span."""
    S, (B, L) = len(tags), MASK.shape
    source = torch.Generator().manual_seed(S)
    shapes = (B, L, S), (B, L - 1, S, S) if per_step else (S, S), (S,), (S,)
    scores = [2 * torch.randn(shape, generator=source, dtype=torch.double) for shape in shapes]
    if constrained and scheme != "bare":
        scores = Constraints.of(tags, scheme).apply(*scores)
    each, transitions, start, end = (table.tolist() for table in scores)
    sums = []
    for b in range(B):
        steps = transitions[b] if per_step else transitions
        found = Counter()
        row = Row(each[b], steps, start, end, MASK[b].tolist(), per_step=per_step)
        for y, p in row.probabilities.items():
            for span in spans([tags[t] for t in y]):
                found[span] += p
        sums.append(found)
    return LinearChain(*scores, MASK), sums


@pytest.mark.parametrize("per_step", [False, True])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("scheme", SETS)
def test_every_name_has_the_probability_of_all_sequences_that_have_it(
    scheme, constrained, per_step
):
    tags = SETS[scheme]
    chain, sums = case(tags, scheme, per_step=per_step, constrained=constrained)
    for found, right in zip(chain.entities(tags, threshold=0), sums, strict=True):
        assert {e[:3] for e in found} == {span for span, p in right.items() if p > 0}
        for *span, p in found:
            assert math.isclose(p, right[tuple(span)], abs_tol=1e-12)
        assert found == sorted(found, key=lambda e: (e.start, e.end, e.kind))


@pytest.mark.parametrize("scheme", SETS)
def test_a_threshold_and_the_best_path_choose_among_them(scheme):
    tags = SETS[scheme]
    chain, sums = case(tags, scheme)
    for found, right in zip(chain.entities(tags, threshold=0.2), sums, strict=True):
        assert {e[:3] for e in found} == {span for span, p in right.items() if p >= 0.2}
    paths, seen = chain.viterbi().tags, 0
    for given in (chain.entities(tags), chain.entities(tags, paths=paths)):
        for b, found in enumerate(given):
            path = [tags[t] for t in paths[b].tolist() if t >= 0]
            assert [e[:3] for e in found] == spans(path)
            for *span, p in found:
                assert math.isclose(p, sums[b][tuple(span)], abs_tol=1e-12)
                seen += 1
    assert seen > 3


def test_no_name_no_word_no_path_and_single_precision():
    for L in (0, 1):
        chain = LinearChain(torch.zeros(1, L, 2), torch.zeros(2, 2))
        assert chain.entities(["O", "O"], threshold=0) == [[]]
    never = LinearChain(torch.full((1, 2, 2), -math.inf), torch.zeros(2, 2))
    assert never.entities(["O", "B-X"]) == never.entities(["O", "B-X"], threshold=0) == [[]]
    far = LinearChain(torch.full((1, 300, 3), 1e4), 1e4 * torch.eye(3))
    assert all(0 < e.probability <= 1 for e in far.entities(["O", "B-X", "I-X"], threshold=1e-3)[0])
    special = LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2))
    assert special.entities(["[PAD]", "O"], threshold=0) == [[]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": ["O"]}, r"labels: expected 2 names, one for each tag, got 1"),
        ({"labels": ["O", "S-X"], "scheme": "BIO"}, r"labels: expected BIO labels, got 'S-X'"),
        ({"labels": ["O", "B-X"], "scheme": "bio"}, r"scheme: expected one of IO, .*got 'bio'"),
        ({"labels": ["O", "B-X"], "threshold": 50}, r"threshold: expected .* 0 to 1, got 50"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2)).entities(**arguments)
