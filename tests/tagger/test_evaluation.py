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
    predicted = [tag for row in tagger.tag([s.words for s in data]) for tag in row]
    gold = [tag for sentence in data for tag in sentence.tags]
    for tag, scores in measured.classes.items():
        right = sum(p == g == tag for p, g in zip(predicted, gold, strict=True))
        confused = sum(measured.confusion[tagger.tags.index(tag)])
        assert scores.support == confused == gold.count(tag)
        assert scores.precision == right / max(predicted.count(tag), 1)
        assert scores.recall == right / max(gold.count(tag), 1)
    one_by_one = evaluate(tagger, data, batch_size=1)
    assert one_by_one._replace(nll=0.0) == measured._replace(nll=0.0)
    assert one_by_one.nll == pytest.approx(measured.nll, rel=1e-5)


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


def test_a_tag_that_the_tagger_lacks_counts_as_wrong(tagger, data):
    more = [*data, Sentence(("oh", "."), ("INTJ", tagger.tag([("oh", ".")])[0][1]))]
    measured, before = evaluate(tagger, more), evaluate(tagger, data)
    assert measured.unseen == {"INTJ": 1}
    assert measured.classes["INTJ"] == (0, 0, 0, 1)
    assert measured.decoders["viterbi"].accuracy == 10 / 12
    assert measured.nll == pytest.approx(before.nll, rel=1e-6)  # of a sentence without unseen tags
    assert measured.report()["unseen_tags"] == {"INTJ": 1}
