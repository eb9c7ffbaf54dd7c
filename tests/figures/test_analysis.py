"""The page's record, against published numbers and against enumeration in plain Python."""

import itertools
import math

import pytest

from pages.shared.figures.analysis import FREE, analyse, viterbi_trace
from tests.oracles.garden_path import EMISSIONS, TAGS, TOKENS, TRANSITIONS, GardenPath

NOTHING = (FREE,) * len(TOKENS)
VERB = TAGS.index("VERB")


def score(path):
    total = sum(EMISSIONS[t][s] for t, s in enumerate(path))
    return total + sum(TRANSITIONS[i][j] for i, j in itertools.pairwise(path))


def all_paths():
    return itertools.product(range(len(TAGS)), repeat=len(TOKENS))


@pytest.fixture(scope="module")
def record():
    return analyse(GardenPath(), TOKENS, NOTHING)


def test_published_numbers(record):
    assert record.viterbi.tags == ("DET", "NOUN", "VERB", "DET", "NOUN")
    assert math.exp(record.viterbi.log_prob) == pytest.approx(0.646, abs=5e-4)
    assert record.greedy.tags == ("DET", "ADJ", "NOUN", "DET", "NOUN")
    assert math.exp(record.greedy.log_prob) == pytest.approx(0.238, abs=5e-4)


def test_enumeration(record):
    log_z = math.log(math.fsum(math.exp(score(path)) for path in all_paths()))
    assert record.log_partition == pytest.approx(log_z, abs=1e-10)
    best = sorted((score(path) for path in all_paths()), reverse=True)[:3]
    assert [path.score for path in record.best] == pytest.approx(best, abs=1e-10)
    assert record.num_sequences == len(list(all_paths()))
    for t, s in itertools.product(range(len(TOKENS)), range(len(TAGS))):
        p = math.fsum(math.exp(score(path) - log_z) for path in all_paths() if path[t] == s)
        assert record.marginals[t][s] == pytest.approx(p, abs=1e-10)
    entropy = -math.fsum(math.exp(score(p) - log_z) * (score(p) - log_z) for p in all_paths())
    assert record.entropy == pytest.approx(entropy, abs=1e-9)


def test_parts_agree(record):
    assert record.viterbi == record.best[0] == record.best_without_hand
    trace = viterbi_trace(GardenPath(), TOKENS, NOTHING)
    assert trace is not None
    assert trace.log_total == pytest.approx(record.viterbi.score, abs=1e-10)
    assert tuple(TAGS[s] for s in trace.best_path) == record.viterbi.tags
    assert record.column_sums == pytest.approx([1.0] * len(TOKENS))
    for p, entropy in zip(record.marginals, record.entropies, strict=True):
        assert entropy == pytest.approx(-sum(q * math.log(q) for q in p if q > 0))
    assert record.log_share == 0
    assert not record.is_clamped
    assert record.unknown == (False, False, False, False, True)


def test_a_tag_set_by_hand(record):
    fixed = (FREE, TAGS.index("ADJ"), FREE, FREE, FREE)
    clamped = analyse(GardenPath(), TOKENS, fixed)
    log_z = math.log(math.fsum(math.exp(score(path)) for path in all_paths()))
    agreeing = [path for path in all_paths() if path[1] == fixed[1]]
    share = math.fsum(math.exp(score(path) - log_z) for path in agreeing)
    assert math.exp(clamped.log_share) == pytest.approx(share, abs=1e-12)
    assert clamped.viterbi.score == pytest.approx(max(map(score, agreeing)), abs=1e-10)
    assert clamped.viterbi.log_prob == pytest.approx(clamped.viterbi.score - log_z, abs=1e-10)
    given = clamped.viterbi.log_prob - math.log(share)
    assert clamped.viterbi.log_prob_given == pytest.approx(given, abs=1e-10)
    assert clamped.best_without_hand.tags == record.viterbi.tags
    assert clamped.marginals[1][fixed[1]] == pytest.approx(1.0)
    assert clamped.log_partition == record.log_partition
    assert clamped.emissions == record.emissions


def test_a_menu_goes_by_what_is_held_elsewhere_and_a_held_word_s_by_nothing(record):
    fixed = (FREE, TAGS.index("NOUN"), FREE, TAGS.index("DET"), FREE)
    clamped = analyse(GardenPath(), TOKENS, fixed)
    for t, tag in enumerate(fixed):
        expected = clamped.marginals if tag == FREE else record.marginals
        assert clamped.choices[t] == pytest.approx(expected[t])
    assert clamped.choices[0] != record.choices[0] or clamped.choices[2] != record.choices[2]


def test_no_sequence_allowed():
    forbidden = [[-math.inf] * len(TAGS)] * len(TAGS)
    record = analyse(GardenPath(transitions=forbidden), TOKENS, NOTHING)
    assert not record.is_feasible
    assert record.best == ()


def test_fewer_sequences_than_the_page_lists():
    one_tag = GardenPath(transitions=[[0.0]], emissions=[[1.0], [2.0]])
    one_tag.tags = ("X",)
    record = analyse(one_tag, ("a", "b"), (FREE, FREE))
    assert [path.tags for path in record.best] == [("X", "X")]
    assert record.viterbi.log_prob == pytest.approx(0.0, abs=1e-12)
