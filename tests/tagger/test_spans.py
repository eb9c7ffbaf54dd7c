import re

from hypothesis import given
from hypothesis import strategies as st

from crf.schemes import faults
from crf.tagger.spans import SpanCounts, SpanScores

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
