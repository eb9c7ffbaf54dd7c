"""Forms in which tagged sentences are written: one table, a function a form.

text      Ada/B-PER sang/O
json      {"text": …, "tokens": [...], "tags": [...], "log_prob": …, "offsets": [...],
          "entities": [...]}
columns   a word, a tab and its tag on each line, a blank line after each sentence
conllu    CoNLL-U: parts of speech in UPOS, other tags in XPOS, names in MISC as NER=…
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..queries.entities import Entity
from ..strict_json import write_json
from .formats import CONLLU_COLUMNS, PLUS
from .text_input import ConlluLines, SplitText

UNIVERSAL = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
"""The universal parts of speech, the only ones that column UPOS may hold."""


class TaggedText(NamedTuple):
    """A tagged sentence."""

    source: SplitText
    tags: list[str]
    log_prob: float | None
    """Of all tags together, in nats; −∞, written as "-inf", if they may not follow each other; None
    of a sentence that could not be tagged."""
    entities: list[Entity] | None  # None if the tags are no labels of spans
    column: str = "UPOS"  # of CoNLL-U that has the tags, see `conllu_column`


def conllu_column(tags: Sequence[str], *, has_spans: bool) -> str:
    """Return the column of CoNLL-U for a tag set: MISC for labels of spans, else UPOS or XPOS.

    Example:
        >>> [conllu_column(tags, has_spans=False) for tags in (["NOUN", "X"], ["NOUN", "NN"])]
        ['UPOS', 'XPOS']
    """
    if has_spans:
        return "MISC"
    return "UPOS" if UNIVERSAL.issuperset(tags) else "XPOS"


def _text(tagged: TaggedText) -> str:
    words = map(_cell, tagged.source.words)
    return " ".join(map("/".join, zip(words, tagged.tags, strict=True)))


def _json(tagged: TaggedText) -> str:
    source = tagged.source
    answer = {
        "text": source.text,
        "tokens": source.words,
        "tags": tagged.tags,
        "log_prob": tagged.log_prob,
        "offsets": source.spans,
    }
    if tagged.entities is not None:
        places = [(source.spans[e.start][0], source.spans[e.end - 1][1]) for e in tagged.entities]
        answer["entities"] = [
            {
                "type": e.kind,
                "text": source.text[start:end],
                "start": start,
                "end": end,
                "probability": e.probability,
            }
            for e, (start, end) in zip(tagged.entities, places, strict=True)
        ]
    return write_json(answer)


def _columns(tagged: TaggedText) -> str:
    words = map(_cell, tagged.source.words)
    return "".join(f"{word}\t{tag}\n" for word, tag in zip(words, tagged.tags, strict=True))


def _conllu(tagged: TaggedText) -> str:
    """The sentence's own lines, or new ones; CoNLL-U Plus gets the column if it lacks it."""
    source, tags = tagged.source.source or _as_conllu(tagged.source), iter(tagged.tags)
    is_added = tagged.column not in source.columns
    place = len(source.columns) if is_added else source.columns.index(tagged.column)
    written = []
    for n, line in enumerate(source.lines):
        if line.startswith("#"):
            written.append(
                f"{line} {tagged.column}" if is_added and line.startswith(PLUS) else line
            )
            continue
        cells = [*line.split("\t"), *["_"] * is_added]
        if n in source.words:
            cells[place] = _with_tag(cells[place], next(tags), tagged.column)
        written.append("\t".join(cells))
    return "".join(f"{line}\n" for line in written)


def _with_tag(cell: str, tag: str, column: str) -> str:
    if column != "MISC":
        return tag
    others = [one for one in cell.split("|") if one != "_" and not one.startswith("NER=")]
    return "|".join([f"NER={tag}", *others])


def _as_conllu(source: SplitText) -> ConlluLines:
    lines = [f"# text = {' '.join(source.text.split())}"] if source.spans else []
    starts = {start for start, end in source.spans if start < end}
    for n, (start, end) in enumerate(source.spans, start=1):
        misc = "SpaceAfter=No" if end in starts else "_"
        lines.append("\t".join([str(n), _cell(source.text[start:end]), *["_"] * 7, misc]))
    return ConlluLines(tuple(lines), frozenset(range(1, len(lines))), CONLLU_COLUMNS)


def _cell(word: str) -> str:
    """A word without what would end its column or its line."""
    return " ".join(word.split()) if word.split() else "_"


WRITERS = {"text": _text, "json": _json, "columns": _columns, "conllu": _conllu}
"""By the name of the form; each gives what is written for a sentence, without the last line end."""
