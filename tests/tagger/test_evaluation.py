import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crf import tagger as package
from crf.schemes import faults
from crf.tagger import Sentence, TaggingDataset
from crf.tagger.decoders import DECODERS
from crf.tagger.evaluation import SpanCounts, SpanScores

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


LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
CODES = dict(zip(LABELS, "oLlPp", strict=True))


def compare(pairs) -> SpanScores:
    counts = SpanCounts("BIO")
    for gold, predicted in pairs:
        counts.add(gold, predicted)
    return counts.scores()


labels = st.lists(st.sampled_from(LABELS), max_size=12)


def by_pattern(sentence: list[str]) -> list[tuple[str, int, int]]:
    """conlleval's rule as a regular expression over one letter a label."""
    text = "".join(CODES[label] for label in sentence)
    kinds = {"l": "LOC", "p": "PER"}
    return [
        (kinds[match[0][0].lower()], *match.span()) for match in re.finditer("[Ll]l*|[Pp]p*", text)
    ]


@given(st.lists(st.tuples(labels, labels), max_size=5))
def test_scores_are_counted_span_by_span(pairs):
    gold = [(n, *span) for n, (sentence, _) in enumerate(pairs) for span in by_pattern(sentence)]
    found = [(n, *span) for n, (_, sentence) in enumerate(pairs) for span in by_pattern(sentence)]
    right = sum(span in gold for span in found)
    scores = compare(pairs)
    assert scores.span_precision == (right / len(found) if found else 0)
    assert scores.span_recall == (right / len(gold) if gold else 0)
    total = len(gold) + len(found)
    assert scores.span_f1 == (2 * right / total if total else 0)
    assert scores.invalid_tags == sum(len(faults(sentence, "BIO")) for _, sentence in pairs)


def test_seqevals_own_example():
    """From its README: precision, recall and F1 are 0.50 (as of seqeval 1.2.2)."""
    gold = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    predicted = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    assert compare(zip(gold, predicted, strict=True)) == (0.5, 0.5, 0.5, 0)
