"""The probability of a span against a sum over all label sequences that have it."""

import pytest
import torch

from crf import Constraints, LinearChain
from crf.schemes import spans
from crf.tagger.entities import entities
from tests.core.oracle import Row

SETS = {
    "IO": ["O", "I-X", "I-Y"],
    "BIO": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X"],
    "BILOU": ["U-X", "O", "B-X", "I-X", "L-X"],
    "BMES": ["B", "M", "E", "S"],
}


@pytest.mark.parametrize("scheme", SETS)
def test_the_probability_of_a_span_is_that_of_all_sequences_that_have_it(scheme):
    tags, B, L = SETS[scheme], 12, 4
    S = len(tags)
    source = torch.Generator().manual_seed(S)
    emissions = torch.randn(B, L, S, generator=source, dtype=torch.double)
    shared = [torch.randn(n, generator=source, dtype=torch.double) for n in ((S, S), (S,), (S,))]
    mask = torch.arange(L) < torch.tensor([L, 2] * (B // 2))[:, None]
    scores = Constraints.of(tags, scheme).apply(emissions, *shared)
    chain = LinearChain(*scores, mask)
    each, *tables = (table.tolist() for table in scores)
    seen = 0
    for b, found in enumerate(entities(chain, chain.viterbi().tags, tags)):
        paths = Row(each[b], *tables, mask[b].tolist()).probabilities.items()
        for kind, start, end, probability in found:
            having = (p for y, p in paths if (kind, start, end) in spans([tags[t] for t in y]))
            assert probability == pytest.approx(sum(having), abs=1e-9), (kind, start, end)
            seen += 1
    assert seen > 5


def test_no_name_and_no_word():
    for L in (0, 1):
        chain = LinearChain(torch.zeros(1, L, 2), torch.zeros(2, 2))
        assert entities(chain, torch.zeros(1, L, dtype=torch.long), ["O", "B-X"]) == [[]]
