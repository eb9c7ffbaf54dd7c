import pytest

from crf.tagger import Vocabulary


def test_padding_is_0_and_unknown_is_1():
    vocabulary = Vocabulary(["a", "b"])
    assert list(vocabulary) == ["<PAD>", "<UNK>", "a", "b"]
    assert [vocabulary.index(entry) for entry in ("a", "b", "c", "")] == [2, 3, 1, 1]
    assert len(vocabulary) == 4
    assert vocabulary.known == ("a", "b")


def test_a_word_that_looks_like_a_reserved_entry_is_unknown_not_padding():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.index("<PAD>") == vocabulary.index("<UNK>") == 1
    assert "<PAD>" not in vocabulary
    assert "a" in vocabulary


@pytest.mark.parametrize("entries", [["a", "a"], ["<PAD>"], ["<UNK>", "a"]])
def test_repeated_and_reserved_entries_are_refused(entries):
    with pytest.raises(ValueError, match="entries: expected distinct"):
        Vocabulary(entries)


def test_from_counts_orders_by_frequency_then_alphabet_and_drops_the_rare():
    counts = {"rare": 1, "b": 3, "a": 3, "most": 9}
    assert Vocabulary.from_counts(counts, min_count=2).known == ("most", "a", "b")
