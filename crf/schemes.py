"""Label schemes: how the labels of tokens say where a span begins and ends.

    tokens   Ada    Lovelace  met  Babbage  Menabrea
    IO       I-PER  I-PER     O    I-PER    I-PER      neighbours of one type melt into one
    IOB1     I-PER  I-PER     O    I-PER    B-PER      B- only right after a span of its type
    BIO      B-PER  I-PER     O    B-PER    B-PER      also called IOB2
    BIOES    B-PER  E-PER     O    S-PER    S-PER      E- ends, S- is a span of one token
    BILOU    B-PER  L-PER     O    U-PER    U-PER      the same with other letters
    BMES     B      E         S    S        S          the same, M inside; for word segmentation

The letters mean the same in every scheme, so one rule reads spans from all of them, also from
labels that break the scheme: the rule of CoNLL's `conlleval`, by which published figures are
computed (seqeval has it too). Labels without a letter (`PER`, `O`) are read as IO. Labels that are
written otherwise, such as `B_PER` or `PER-B`, are rewritten first: see `LabelStyle`.

Sources: Ramshaw and Marcus (1995), "Text chunking using transformation-based learning"; Tjong Kim
Sang and De Meulder (2003), "Introduction to the CoNLL-2003 shared task"; Ratinov and Roth (2009),
"Design challenges and misconceptions in named entity recognition".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

SCHEMES = ("IO", "IOB1", "BIO", "BIOES", "BILOU", "BMES")
OUTSIDE = "O"

_ROLES = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S"}
_LETTERS = {  # one letter for each role: begin, inside, end, single
    "IO": "IIII",
    "IOB1": "IIII",
    "BIO": "BIIB",
    "BIOES": "BIES",
    "BILOU": "BILU",
    "BMES": "BMES",
}


class Label(NamedTuple):
    """A label taken apart."""

    role: str  # B begin, I inside, E end, S single, O outside; the same letters in every scheme
    kind: str  # PER, LOC, …; "" for a bare letter


class Span(NamedTuple):
    """A name in a sentence."""

    kind: str  # LOC, PER, ...
    start: int  # its first token, from 0
    end: int  # the token after its last one


@lru_cache(maxsize=4096)
def split(label: str) -> Label:
    """Take a label apart.

    Example:
        >>> split("U-PER"), split("B"), split("PER")
        (Label(role='S', kind='PER'), Label(role='B', kind=''), Label(role='I', kind='PER'))
    """
    if label == OUTSIDE:
        return Label("O", "")
    letter, hyphen, kind = label.partition("-")
    role = _ROLES.get(letter)
    if role and bool(hyphen) == bool(kind):
        return Label(role, kind)
    return Label("I", label)


def spans(labels: Sequence[str]) -> list[Span]:
    """Return the spans of one sentence's labels of any scheme, from left to right.

    Example:
        >>> spans(["O", "B-LOC", "I-LOC", "B-LOC", "I-PER"])
        [Span(kind='LOC', start=1, end=3), Span(kind='LOC', start=3, end=4), Span(kind='PER', ...)]
    """
    result: list[Span] = []
    before = Label("O", "")
    for position, label in enumerate(labels):
        now = split(label)
        if now.role in "IE" and before.role in "BI" and now.kind == before.kind:
            result[-1] = result[-1]._replace(end=position + 1)
        elif now.role != "O":
            result.append(Span(now.kind, position, position + 1))
        before = now
    return result


def faults(labels: Sequence[str], scheme: str) -> list[int]:
    """Return the positions at which one sentence's labels break the scheme.

    With BIO: an I- that continues nothing. With BIOES and its kin also a label after one that had
    to be continued, and a last label that has to be.

    Example:
        >>> faults(["I-LOC", "I-LOC", "I-PER", "O", "I-PER"], "BIO")
        [0, 2, 4]
        >>> faults(["B-LOC", "O", "S-LOC", "B-LOC"], "BIOES")
        [1, 3]
    """
    if scheme in ("IO", "IOB1"):
        return []
    must_end, positions = scheme != "BIO", list[int]()
    before = Label("O", "")
    for position, label in enumerate(labels):
        now = split(label)
        joins = now.role in "IE" and before.role in "BI" and now.kind == before.kind
        breaks = not joins and (now.role in "IE" or (must_end and before.role in "BI"))
        is_cut_off = must_end and now.role in "BI" and position == len(labels) - 1
        if breaks or is_cut_off:
            positions.append(position)
        before = now
    return positions


def write(found: Iterable[Span], length: int, scheme: str, *, bare: bool = False) -> list[str]:
    """Return the labels of a sentence with these spans.

    Args:
        found: Spans that do not overlap, from left to right.
        length: Tokens of the sentence.
        scheme: One of `SCHEMES`.
        bare: IO without letters: `PER` in place of `I-PER`.

    Example:
        >>> write([Span("PER", 0, 1), Span("PER", 1, 3)], 4, "IOB1")
        ['I-PER', 'B-PER', 'I-PER', 'O']
        >>> write([Span("PER", 0, 1), Span("PER", 1, 3)], 4, "BILOU")
        ['U-PER', 'B-PER', 'L-PER', 'O']
    """
    begin, inside, end, single = _LETTERS[scheme]
    labels = [OUTSIDE] * length
    before: Span | None = None
    for span in found:
        letters = [begin, *[inside] * (span.end - span.start - 2), end]
        if span.end - span.start == 1:
            letters = [single]
        if scheme == "IOB1" and before and (before.kind, before.end) == (span.kind, span.start):
            letters[0] = "B"
        for position, letter in enumerate(letters, start=span.start):
            name = "" if bare else letter
            labels[position] = "-".join(filter(None, (name, span.kind)))
        before = span
    return labels


def convert(labels: Sequence[str], scheme: str, *, bare: bool = False) -> list[str]:
    """Return the same spans in another scheme; in their own scheme this repairs broken labels.

    Example:
        >>> convert(["I-PER", "O", "I-LOC", "B-LOC"], "BIO")
        ['B-PER', 'O', 'B-LOC', 'B-LOC']
    """
    return write(spans(labels), len(labels), scheme, bare=bare)


class LabelStyle(NamedTuple):
    """How labels join a position and a type: `B_PER` and `PER-B` where this module has `B-PER`."""

    separator: str  # one character that is neither a letter nor a digit
    letter_first: bool  # True for B_PER, False for PER_B

    def rewrite(self, label: str) -> str:
        """Return a label of this style as `B-PER`, and any other label as it is.

        Example:
            >>> [LabelStyle("_", False).rewrite(label) for label in ("WORK_OF_ART_B", "O", "B")]
            ['B-WORK_OF_ART', 'O', 'B']
        """
        if self in _styles(label):
            return f"{label[0]}-{label[2:]}" if self.letter_first else f"{label[-1]}-{label[:-2]}"
        return label


_OURS = LabelStyle("-", True)


def _styles(label: str) -> Iterator[LabelStyle]:
    if len(label) > 2 and label.isprintable():
        if label[0] in _ROLES and not label[1].isalnum():
            yield LabelStyle(label[1], True)
        if label[-1] in _ROLES and not label[-2].isalnum():
            yield LabelStyle(label[-2], False)


def style_of(counts: Mapping[str, int]) -> LabelStyle | None:
    """Return the style of most labels of spans, given how often each label occurs.

    None if they are written as `B-PER`, or are no labels of spans.

    Example:
        >>> style_of({"PER_B": 2, "PER_I": 1, "O": 3})
        LabelStyle(separator='_', letter_first=False)
        >>> style_of({"B-PER": 2, "O": 3}), style_of({"PER": 2, "O": 3})
        (None, None)
    """
    styles: Counter[LabelStyle] = Counter()
    for label, count in counts.items():
        for style in _styles(label):
            styles[style] += count
    most = sum(counts.values()) - counts.get(OUTSIDE, 0)
    for style, count in sorted(styles.items(), key=lambda item: (-item[1], item[0] != _OURS)):
        labels = {label for label in counts if style in _styles(label)}
        letters = {style.rewrite(label)[0] for label in labels}
        is_sure = OUTSIDE in counts or ("B" in letters and letters & set("IELM"))
        if 2 * count > most and is_sure and scheme_of_tags(map(style.rewrite, labels)):
            return None if style == _OURS else style
    return None


class SchemeStatistics:
    """Counts that tell schemes apart, sentence by sentence."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How often each label occurs."""
        self.begun_by_inside = 0
        """I- labels that continue nothing: usual in IOB1, faults in BIO."""
        self.begun_by_begin = 0
        """B- labels that follow no label of their type: never in IOB1."""

    def add(self, labels: Sequence[str]) -> None:
        """Count one sentence's labels."""
        self.counts.update(labels)
        before = split(OUTSIDE)
        for label in labels:
            now = split(label)
            if now.role in "BI":
                follows = before.role != "O" and before.kind == now.kind
                self.begun_by_inside += now.role == "I" and not follows
                self.begun_by_begin += now.role == "B" and not follows
            before = now

    def merge(self, other: "SchemeStatistics") -> None:
        """Add another file's counts."""
        self.counts.update(other.counts)
        self.begun_by_inside += other.begun_by_inside
        self.begun_by_begin += other.begun_by_begin

    def scheme(self) -> str | None:
        """Return the scheme that explains the labels, or None if they are plain tags.

        Example:
            >>> seen = SchemeStatistics()
            >>> seen.add(["I-PER", "B-PER", "O"])
            >>> seen.scheme()
            'IOB1'
        """
        scheme = scheme_of_tags(self.counts)
        if scheme == "BIO" and self.begun_by_inside and not self.begun_by_begin:
            return "IOB1"
        if scheme is None and len(self.counts) > 1:
            bare = not any(map(has_letter, self.counts.keys() - {OUTSIDE}))
            most = max(self.counts.values())
            return "IO" if bare and self.counts.get(OUTSIDE) == most else None  # PER, LOC
        return scheme


def has_letter(label: str) -> bool:
    """Return whether the label is O or says a position (B, B-PER, L-LOC)."""
    letter, hyphen, kind = label.partition("-")
    return label == OUTSIDE or (letter in _ROLES and bool(hyphen) == bool(kind))


def scheme_of_tags(tags: Iterable[str]) -> str | None:
    """Return the scheme of a label set alone, or None if it has labels of no scheme.

    IOB1 cannot be told from BIO by the set; bare types (`PER`) cannot be told from plain tags.

    Example:
        >>> scheme_of_tags(["O", "B-PER", "I-PER"]), scheme_of_tags(["B", "M", "E", "S"])
        ('BIO', 'BMES')
        >>> scheme_of_tags(["NOUN", "VERB"]), scheme_of_tags(["O"])
        (None, None)
    """
    tags = set(tags) - {OUTSIDE}
    letters = {tag.partition("-")[0] for tag in tags}
    is_bare = {"-" not in tag for tag in tags}
    if not tags or not all(map(has_letter, tags)) or len(is_bare) > 1:  # as B beside B-PER
        return None
    if True in is_bare and not letters & set("BIM"):  # because E, L, S and U alone may be tags
        return None
    if letters <= {"I"}:
        return "IO"
    return next((s for s in ("BIO", "BIOES", "BILOU", "BMES") if letters <= set(_LETTERS[s])), None)


def foreign(labels: Iterable[str], scheme: str) -> str | None:
    """Return a label that the scheme does not have, or None.

    Example:
        >>> foreign(["O", "B-PER", "S-PER"], "BIO"), foreign(["O", "PER"], "IO")
        ('S-PER', None)
    """
    if scheme == "IO":  # its labels may be bare types, so only B-, E- and S- are foreign
        return next((label for label in labels if label[:2] in ("B-", "E-", "S-")), None)
    letters = set("BI" if scheme == "IOB1" else _LETTERS[scheme])
    return next((x for x in labels if x != OUTSIDE and x.partition("-")[0] not in letters), None)
