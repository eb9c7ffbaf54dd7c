import math

import pytest

from crf import tagger as package
from crf.tagger import Sentence, TaggingDataset
from crf.tagger.decoders import DECODERS

evaluate = package.test  # under its own name pytest would take it for one of ours


@pytest.fixture
def data(tagger):
    """Three sentences, tagged as the tagger does; then one gold tag is changed."""
    words = [("they", "fish", "."), ("the", "yacht"), ("they", "row", "the", "boat", "!")]
    tags = [tuple(row) for row in tagger.tag(words)]
    tags[1] = (tags[1][0], "PUNCT" if tags[1][1] != "PUNCT" else "NOUN")
    return TaggingDataset([Sentence(*pair) for pair in zip(words, tags, strict=True)])


def test_shares_are_counted_by_hand(tagger, data):
    measured = evaluate(tagger, data)
    assert (measured.tokens, measured.sentences, measured.unknown_words) == (10, 3, 1)
    assert measured.decoders["viterbi"] == (9 / 10, 2 / 3, 0.0)
    assert sum(map(sum, measured.confusion)) == 10
    assert sum(measured.confusion[i][i] for i in range(len(tagger.tags))) == 9
    gold = tagger.tags.index(data[1].tags[1])
    assert sum(measured.confusion[gold]) == sum(s.tags.count(data[1].tags[1]) for s in data)


def test_nll_is_the_mean_over_sentences_of_the_gold_path(tagger, data):
    index = {tag: i for i, tag in enumerate(tagger.tags)}
    each = []
    for words, tags, _ in data:
        features = tagger.featuriser([words])
        gold = features.words.new_tensor([[index[tag] for tag in tags]])
        each.append(tagger.crf(tagger(features), gold, features.mask, "sum").item())
    assert evaluate(tagger, data).nll == pytest.approx(sum(each) / 3, rel=1e-5)


def test_each_decoder_is_that_of_the_chain(tagger, data):
    measured = evaluate(tagger, data)
    assert list(measured.decoders) == list(DECODERS)
    for decoder in set(DECODERS) - {"viterbi"}:
        right = 0
        for words, tags, _ in data:
            decoded = getattr(tagger.chain([words]), decoder)()[0].tolist()
            right += sum(tagger.tags[d] == tag for d, tag in zip(decoded, tags, strict=True))
        assert measured.decoders[decoder].accuracy == right / 10, decoder


@pytest.mark.parametrize("batch_size", [1, 2])
def test_the_batch_size_does_not_matter(tagger, data, batch_size):
    one, other = evaluate(tagger, data), evaluate(tagger, data, batch_size=batch_size)
    assert one._replace(nll=0.0) == other._replace(nll=0.0)
    assert math.isclose(one.nll, other.nll, rel_tol=1e-5)


def test_a_tag_that_the_tagger_lacks_counts_as_wrong(tagger, data):
    more = [*data, Sentence(("oh", "."), ("INTJ", tagger.tag([("oh", ".")])[0][1]))]
    measured, before = evaluate(tagger, more), evaluate(tagger, data)
    assert measured.unseen == {"INTJ": 1}
    assert measured.classes["INTJ"] == (0, 0, 0, 1)
    assert measured.decoders["viterbi"].accuracy == 10 / 12
    assert measured.nll == pytest.approx(before.nll, rel=1e-6)  # of a sentence without unseen tags
    assert measured.report()["unseen_tags"] == {"INTJ": 1}


def test_each_tag_has_precision_recall_and_support_counted_by_hand(tagger, data):
    predicted = [tag for row in tagger.tag([s.words for s in data]) for tag in row]
    gold = [tag for sentence in data for tag in sentence.tags]
    for tag, scores in evaluate(tagger, data).classes.items():
        right = sum(p == g == tag for p, g in zip(predicted, gold, strict=True))
        assert scores.support == gold.count(tag)
        assert scores.precision == right / max(predicted.count(tag), 1)
        assert scores.recall == right / max(gold.count(tag), 1)
