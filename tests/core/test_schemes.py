"""Label schemes against an oracle in plain Python: conlleval's rules, written down as they are."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crf.schemes import (
    SCHEMES,
    SchemeStatistics,
    Span,
    convert,
    faults,
    scheme_of_tags,
    spans,
    write,
)

LETTERS = {"IO": "I", "IOB1": "BI", "BIO": "BI", "BIOES": "BIES", "BILOU": "BILU", "BMES": "BMES"}
CANONICAL = str.maketrans("MLU", "IES")


def label_set(scheme: str) -> list[str]:
    return ["O", *(f"{letter}-{kind}" for letter in LETTERS[scheme] for kind in ("X", "Y"))]


def conlleval(labels: list[str]) -> list[tuple[str, int, int]]:
    """The two functions of conlleval.pl that say where a chunk ends and where one starts."""

    def ends(prev: str, prev_kind: str, now: str, kind: str) -> bool:
        return (
            prev in ("E", "S")
            or (prev in ("B", "I") and now in ("B", "S", "O"))
            or (prev != "O" and prev_kind != kind)
        )

    def starts(prev: str, prev_kind: str, now: str, kind: str) -> bool:
        return (
            now in ("B", "S")
            or (prev in ("E", "S", "O") and now in ("E", "I"))
            or (now != "O" and prev_kind != kind)
        )

    found, begin, (prev, prev_kind) = [], None, ("O", "")
    for t, label in enumerate([*labels, "O"]):
        now, _, kind = label.partition("-")
        now = now.translate(CANONICAL)
        if begin is not None and ends(prev, prev_kind, now, kind):
            found.append((prev_kind, begin, t))
            begin = None
        if starts(prev, prev_kind, now, kind) and now != "O":
            begin = t
        prev, prev_kind = now, kind
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_of_all_label_sequences_are_those_of_conlleval(scheme):
    for length in range(4):
        for labels in itertools.product(label_set(scheme), repeat=length):
            assert spans(labels) == conlleval(list(labels)), labels


def some_spans(draw) -> tuple[list[tuple[str, int, int]], int]:
    length, found, t = draw(st.integers(0, 9)), [], 0
    while t < length:
        size = draw(st.integers(0, 3))
        if size and t + size <= length:
            found.append((draw(st.sampled_from("XY")), t, t + size))
        t += max(size, 1)
    return found, length


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_what_is_written_is_read_again_and_breaks_nothing(scheme, data):
    found, length = some_spans(data.draw)
    labels = write([Span(*span) for span in found], length, scheme)
    assert set(labels) <= set(label_set(scheme))
    assert not faults(labels, scheme)
    if scheme != "IO":  # in which neighbours of one type melt into one
        assert spans(labels) == found


@pytest.mark.parametrize("scheme", ["BIO", "BIOES", "BILOU", "BMES"])
def test_labels_break_a_scheme_unless_it_would_write_them(scheme):
    for length in range(1, 5):
        for labels in itertools.product(label_set(scheme), repeat=length):
            as_written = convert(labels, scheme) == list(labels)
            assert (not faults(labels, scheme)) == as_written, labels


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (["O", "I-X", "I-X"], "IO"),
        (["O", "PER", "O", "LOC", "O"], "IO"),
        (["I-X", "B-X", "O", "I-Y"], "IOB1"),
        (["O", "B-X", "I-X"], "BIO"),
        (["O", "B-X", "I-X", "O", "I-X"], "BIO"),  # one bad label, not another scheme
        (["B-X", "E-X", "O"], "BIOES"),
        (["S-X", "O"], "BIOES"),
        (["U-X", "O", "B-X", "L-X"], "BILOU"),
        (["B", "M", "E", "S"], "BMES"),
        (["B", "I", "O"], "BIO"),
        (["NOUN", "VERB"], None),
        (["S", "U"], None),  # one-letter parts of speech
        (["O", "O"], None),
        (["NN", "O", "VB", "NN"], None),  # O is a rare tag
    ],
)
def test_a_scheme_is_found_from_the_labels(labels, scheme):
    seen = SchemeStatistics()
    seen.add(labels)
    assert seen.scheme() == scheme
    if scheme not in ("IOB1", None) and "PER" not in labels:
        assert scheme_of_tags(labels) == scheme


def test_two_files_share_a_scheme():
    one, other = SchemeStatistics(), SchemeStatistics()
    one.add(["I-X", "O"])
    other.add(["B-X", "O"])
    one.merge(other)
    assert one.scheme() == "BIO"
