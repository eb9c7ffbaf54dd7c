"""Forms in which tagged sentences are written: one table, a function a form.

text      Ada/B-PER sang/O
json      {"text": …, "tokens": [...], "tags": [...], "log_prob": …, "offsets": [...],
          "entities": [...]}
spans     {"text": …, "spans": [{"start", "end", "label", "text", "probability"}]}, and whatever
          else the object had that came in
columns   a word, a tab and its tag on each line, a blank line after each sentence
conllu    CoNLL-U: parts of speech in UPOS, other tags in XPOS, names in MISC as NER=…
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..queries.entities import Entity
from ..strict_json import write_json
from .formats import CONLLU_COLUMNS, PLUS, text_of
from .span_formats import with_spans
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
    unsure: float | None = None  # how much the sentence would teach, see `unsure`


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
    answer: dict[str, Any] = {
        "text": source.text,
        "tokens": source.words,
        "tags": tagged.tags,
        "log_prob": tagged.log_prob,
        "offsets": source.spans,
    }
    if tagged.entities is not None:
        answer["entities"] = [
            {"type": name.pop("label"), **name} for name in _names(tagged, tagged.entities)
        ]
    return write_json(_with_score(answer, tagged))


def _names(tagged: TaggedText, entities: Sequence[Entity]) -> list[dict[str, Any]]:
    """The names of a sentence, with their places in its text."""
    source, found = tagged.source, list[dict[str, Any]]()
    for entity in entities:
        start, end = source.spans[entity.start][0], source.spans[entity.end - 1][1]
        found.append(
            {
                "label": entity.kind,
                "text": source.text[start:end],
                "start": start,
                "end": end,
                "probability": entity.probability,
            }
        )
    return found


def _spans(tagged: TaggedText) -> str:
    """The object that came in with the names as spans; of brat's lines, lines of brat."""
    source = tagged.source
    names = _names(tagged, tagged.entities or [])
    if (base := source.fields.get("brat")) is not None:
        return "\n".join(
            f"T{base + s['start'] + 1}\t{s['label'] or 'NAME'} {base + s['start']} "
            f"{base + s['end']}\t{s['text']}"
            for s in names
        )
    score = None if tagged.log_prob is None else math.exp(tagged.log_prob)
    fields = source.fields
    if text_of(fields.get("text")) != source.text and text_of(fields.get("data")) != source.text:
        fields = {"text": source.text, **{k: v for k, v in fields.items() if k != "text"}}
    return write_json(_with_score(with_spans(fields, names, score), tagged))


def _with_score(answer: dict[str, Any], tagged: TaggedText) -> dict[str, Any]:
    return answer if tagged.unsure is None else {**answer, "unsure": tagged.unsure}


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


WRITERS = {"text": _text, "json": _json, "spans": _spans, "columns": _columns, "conllu": _conllu}
"""By the name of the form; each gives what is written for a sentence, without the last line end.
Nothing is written for a line of brat without names."""
