"""The page's record, against published numbers and against enumeration in plain Python."""

import math

import pytest

from pages.shared.figures.analysis import FREE, analyse, viterbi_trace
from tests.core.oracle import Row
from tests.oracles.garden_path import EMISSIONS, END, START, TAGS, TOKENS, TRANSITIONS, GardenPath

NOTHING = (FREE,) * len(TOKENS)
ROW = Row(EMISSIONS, TRANSITIONS, START, END, [True] * 5)
LOG_Z = ROW.log_partition


@pytest.fixture(scope="module")
def record():
    return analyse(GardenPath(), TOKENS, NOTHING)


def test_enumeration_and_published_numbers(record):
    assert record.log_partition == pytest.approx(LOG_Z, abs=1e-10)
    assert pytest.approx(19.432418, abs=5e-7) == LOG_Z
    assert [path.score for path in record.best] == pytest.approx(ROW.ranked[:3], abs=1e-10)
    assert record.num_sequences == len(ROW.paths)
    for row, expected in zip(record.marginals, ROW.marginals, strict=True):
        assert row == pytest.approx(expected, abs=1e-10)
    assert record.entropy == pytest.approx(ROW.entropy, abs=1e-9)
    assert record.greedy.tags == ("DET", "ADJ", "NOUN", "DET", "NOUN")
    assert math.exp(record.greedy.log_prob) == pytest.approx(math.exp(18.0 - LOG_Z))


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
    share = ROW.marginals[1][fixed[1]]
    best = max(score for path, score in ROW.paths.items() if path[1] == fixed[1])
    assert math.exp(clamped.log_share) == pytest.approx(share, abs=1e-12)
    found = clamped.viterbi.score, clamped.viterbi.log_prob, clamped.viterbi.log_prob_given
    expected = best, best - LOG_Z, best - LOG_Z - math.log(share)
    assert found == pytest.approx(expected, abs=1e-10)
    assert clamped.best_without_hand.tags == record.viterbi.tags
    assert clamped.marginals[1][fixed[1]] == pytest.approx(1.0)
    assert clamped.log_partition == record.log_partition
    assert clamped.emissions == record.emissions
    # A menu goes by what is held elsewhere, a held word's by nothing.
    menus = [record.marginals[t] if t == 1 else clamped.marginals[t] for t in range(5)]
    for menu, shown in zip(menus, clamped.choices, strict=True):
        assert shown == pytest.approx(menu)
    assert clamped.choices[0] != record.choices[0] or clamped.choices[2] != record.choices[2]


def test_no_sequence_is_allowed_or_fewer_than_the_page_lists():
    forbidden = [[-math.inf] * len(TAGS)] * len(TAGS)
    record = analyse(GardenPath(transitions=forbidden), TOKENS, NOTHING)
    assert (record.is_feasible, record.best) == (False, ())
    one_tag = GardenPath([[0.0]], [[1.0], [2.0]], [0.0], [0.0])
    one_tag.tags = ("X",)
    record = analyse(one_tag, ("a", "b"), (FREE, FREE))
    assert [path.tags for path in record.best] == [("X", "X")]
    assert record.viterbi.log_prob == pytest.approx(0.0, abs=1e-12)
