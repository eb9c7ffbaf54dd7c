import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crf.tagger.features import (
    AFFIXES,
    MAX_CHARACTERS,
    Featuriser,
    Vocabulary,
    affixes,
    characters,
    shape,
)

WORDS = st.text(min_size=1, max_size=60)


@pytest.fixture
def featuriser():
    return Featuriser.from_sentences([["The", "boat", "sank", "1999"], ["the", "boats", "2024"]])


@given(WORDS)
def test_any_word_has_bounded_features(word):
    assert len(affixes(word)) == AFFIXES
    assert 3 <= len(characters(word)) <= MAX_CHARACTERS + 2
    assert len(shape(word)) <= MAX_CHARACTERS


def test_rows_are_padded_with_0_and_mask_says_where(featuriser):
    features = featuriser([["boat"], [], ["the", "boat", "sank"]])
    assert features.mask.tolist() == [[True, False, False], [False] * 3, [True] * 3]
    for indices in (features.words, features.affixes.sum(2), features.spelling):
        assert torch.equal(indices > 0, features.mask)


def test_equal_words_share_a_spelling_and_what_is_unknown_has_index_1(featuriser):
    features = featuriser([["boat", "Boat", "boat"]])
    assert features.spelling.tolist() == [[1, 2, 1]]
    assert features.words[0, 0] == features.words[0, 1]
    assert not torch.equal(features.spellings[1], features.spellings[2])
    features = featuriser([["Ωμέγα"]])
    assert features.words.tolist() == [[1]]
    assert set(features.affixes[0, 0].tolist()) == {1}
    assert features.spellings[1, 1:-1].tolist() == [1] * 5

    for sentences in ([], [[], []]):
        assert featuriser(sentences).affixes.shape == (len(sentences), 0, AFFIXES)


def test_a_word_that_looks_like_a_reserved_entry_is_unknown_not_padding():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.index("<PAD>") == vocabulary.index("<UNK>") == 1
    assert "<PAD>" not in vocabulary
    assert "a" in vocabulary
    for entries in (["a", "a"], ["<PAD>"]):
        with pytest.raises(ValueError, match="entries: expected distinct"):
            Vocabulary(entries)
