"""Forms in which tagged sentences are written: one table, a function a form.

text      Ada/B-PER sang/O
json      {"tokens": [...], "tags": [...], "log_prob": …, "offsets": [...], "entities": [...]}
columns   a word, a tab and its tag on each line, a blank line after each sentence
conllu    CoNLL-U: parts of speech in UPOS, other tags in XPOS, names in MISC as NER=…
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..strict_json import write_json
from .entities import Entity
from .text_input import SplitText, is_word

UNIVERSAL = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
"""The universal parts of speech, the only ones that column UPOS may hold."""
_UPOS, _XPOS, _MISC = 3, 4, 9


class TaggedText(NamedTuple):
    """A tagged sentence."""

    source: SplitText
    tags: list[str]
    log_prob: float | None
    """Of all tags together, in nats; −∞, written as "-inf", if they may not follow each other; None
    of a sentence that could not be tagged."""
    entities: list[Entity] | None  # None if the tags are no labels of spans
    column: int = 3  # of CoNLL-U that has the tags, see `conllu_column`


def conllu_column(tags: Sequence[str], *, has_spans: bool) -> int:
    """Return the column of CoNLL-U for a tag set: MISC for labels of spans, else UPOS or XPOS.

    Example:
        >>> [conllu_column(tags, has_spans=False) for tags in (["NOUN", "X"], ["NOUN", "NN"])]
        [3, 4]
    """
    if has_spans:
        return _MISC
    return _UPOS if UNIVERSAL.issuperset(tags) else _XPOS


def _text(tagged: TaggedText) -> str:
    return " ".join(map("/".join, zip(tagged.source.words, tagged.tags, strict=True)))


def _json(tagged: TaggedText) -> str:
    source = tagged.source
    answer = {
        "tokens": source.words,
        "tags": tagged.tags,
        "log_prob": tagged.log_prob,
        "offsets": source.spans,
    }
    if tagged.entities is not None:
        places = [(source.spans[e.start][0], source.spans[e.end - 1][1]) for e in tagged.entities]
        answer["entities"] = [
            {"type": e.kind, "text": source.text[start:end], "start": start, "end": end,
             "probability": e.probability}
            for e, (start, end) in zip(tagged.entities, places, strict=True)
        ]  # fmt: skip
    return write_json(answer)


def _columns(tagged: TaggedText) -> str:
    words = map(_cell, tagged.source.words)
    return "".join(f"{word}\t{tag}\n" for word, tag in zip(words, tagged.tags, strict=True))


def _conllu(tagged: TaggedText) -> str:
    lines, tags = tagged.source.lines or _as_conllu(tagged.source), iter(tagged.tags)
    return "".join(f"{_with_tag(line, tagged.column, tags)}\n" for line in lines)


def _with_tag(line: str, column: int, tags: Iterator[str]) -> str:
    if not is_word(line):
        return line
    cells, tag = line.split("\t"), next(tags)
    if column == _MISC:
        others = [x for x in cells[_MISC].split("|") if x != "_" and not x.startswith("NER=")]
        cells[_MISC] = "|".join([f"NER={tag}", *others])
    else:
        cells[column] = tag
    return "\t".join(cells)


def _as_conllu(source: SplitText) -> Iterator[str]:
    if source.spans:
        yield f"# text = {' '.join(source.text.split())}"
    starts = {start for start, end in source.spans if start < end}
    for n, (start, end) in enumerate(source.spans, start=1):
        misc = "SpaceAfter=No" if end in starts else "_"
        yield "\t".join([str(n), _cell(source.text[start:end]), *["_"] * 7, misc])


def _cell(word: str) -> str:
    """A word without what would end its column or its line."""
    return " ".join(word.split()) if word.split() else "_"


WRITERS = {"text": _text, "json": _json, "columns": _columns, "conllu": _conllu}
"""By the name of the form; each gives what is written for a sentence, without the last line end."""
