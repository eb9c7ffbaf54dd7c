import pytest

from crf.tagger import Vocabulary


def test_a_word_that_looks_like_a_reserved_entry_is_unknown_not_padding():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.index("<PAD>") == vocabulary.index("<UNK>") == 1
    assert "<PAD>" not in vocabulary
    assert "a" in vocabulary


@pytest.mark.parametrize("entries", [["a", "a"], ["<PAD>"], ["<UNK>", "a"]])
def test_repeated_and_reserved_entries_are_refused(entries):
    with pytest.raises(ValueError, match="entries: expected distinct"):
        Vocabulary(entries)
