"""Spans of characters, as annotation tools write them: read as labels of words, and written again.

    {"text": "Ada sang", "spans": [{"start": 0, "end": 3, "label": "PER"}]}     Prodigy, plain
    {"text": "Ada sang", "label": [[0, 3, "PER"]]}                              doccano
    {"data": {"text": …}, "annotations": [{"result": [{"value": …}]}]}          Label Studio
    T1 PER 0 3 Ada                                                              brat, see `brat`

A span is a name if it begins and ends where words do, by the tagger's tokeniser; `align` says what
to do with others. Of spans inside one another the outermost is read.

Sources: the manuals of the tools, "Data formats" (Prodigy), "Export" (doccano), "Label Studio JSON
format of annotated tasks".
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .formats import FileRows, text_of
from .lines import LineError
from .tokeniser import word_spans

SPAN_KEYS = ("label", "labels", "entities", "annotations", "spans")
"""In the order of precedence: `crf tag --format spans` writes beside what people have labelled."""
ALIGN = ("strict", "expand", "drop")
_LEFT_OUT = ("reject", "ignore", "skip")  # answers of Prodigy


class TextSpan(NamedTuple):
    """A span of a text, from its first character to the one after its last."""

    start: int
    end: int
    label: str


def key_of_text(fields: Mapping[str, Any], asked: str = "") -> str:
    """The key of the text, or ""."""
    return next(
        (
            k
            for k in ((asked,) if asked else ("text", "data"))
            if text_of(fields.get(k)) is not None
        ),
        "",
    )


def span_key(objects: Sequence[Mapping[str, Any]], keys: Sequence[str] = SPAN_KEYS) -> str:
    """The first key under which some objects have spans, or ""."""
    for key in keys:
        lists = [items for fields in objects if isinstance(items := fields.get(key), list)]
        if lists and all(isinstance(one, list | dict) for items in lists for one in items):
            return key
    return ""


def _results(items: list[Any]) -> list[Any]:
    """The spans of a list; of Label Studio's annotations those of the first that was finished."""
    whole = [x for x in items if isinstance(x, dict) and isinstance(x.get("result"), list)]
    if not whole:
        return items
    done = [one for one in whole if not one.get("was_cancelled")]
    results = done[0]["result"] if done else []
    return [one for one in results if isinstance(one, dict) and "start" in one.get("value", {})]


def spans_of_object(number: int, fields: Mapping[str, Any], key: str, text: str) -> list[TextSpan]:
    """Read the spans under a key, in any of the tools' forms.

    Raises:
        LineError: There is something else, or a span is not in the text.

    Example:
        >>> spans_of_object(1, {"label": [[0, 3, "PER"]]}, "label", "Ada sang")
        [TextSpan(start=0, end=3, label='PER')]
    """
    items = fields.get(key) or []
    if not isinstance(items, list):
        raise LineError(number, f'"{key}": expected a list of spans')
    return [_span(number, item, key, text) for item in _results(items)]


def _span(number: int, item: Any, key: str, text: str) -> TextSpan:
    start = end = label = written = None
    if isinstance(item, list) and len(item) >= 3:
        start, end, label = item[:3]
    elif isinstance(item, dict):
        value = item.get("value", item)
        start = value.get("start", value.get("start_offset"))
        end = value.get("end", value.get("end_offset"))
        names = value.get("labels") or [value.get("label", value.get("type"))]
        label, written = names[0], value.get("text")
    if type(start) is not int or type(end) is not int or not isinstance(label, str) or not label:
        raise LineError(
            number,
            f'"{key}": expected spans such as {{"start": 0, "end": 3, "label": "PER"}} or '
            f'[0, 3, "PER"], got {str(item)[:80]!a}',
        )
    if not 0 <= start < end <= len(text):
        raise LineError(
            number, f"span {start}–{end} ({label}): expected a place in the text, 0–{len(text)}"
        )
    if isinstance(written, str) and text[start:end].split() != written.split():
        raise LineError(
            number,
            f"span {start}–{end} ({label}): the text has {text[start:end][:40]!r} there, the span "
            f"says {written[:40]!r}; offsets must count characters",
        )
    return TextSpan(start, end, label)


def rows_of(
    number: int,
    fields: dict[str, Any],
    *,
    text_key: str,
    key: str,
    tokeniser: str = "unicode",
    align: str = "strict",
) -> FileRows:
    """The words of an object and their labels, as rows; without words if an annotator left it out.

    Args:
        number: The line on which it begins.
        fields: The object.
        text_key: The key of the text.
        key: The key of the spans.
        tokeniser: One of the tokenisers of `word_spans`.
        align: One of `ALIGN`; see `labels_of`.

    Raises:
        LineError: The text or a span is missing or wrong.
    """
    text = text_of(fields.get(text_key))
    if text is None:
        raise LineError(number, f'"{text_key}": expected a text')
    if fields.get("answer") in _LEFT_OUT:
        return FileRows([], [], start=number, fields=fields)
    spans, nested = outermost(spans_of_object(number, fields, key, text))
    words = word_spans(text, tokeniser)
    tags, misfits = labels_of(text, words, spans, align)
    cells = [[text[a:b], tag] for (a, b), tag in zip(words, tags, strict=True)]
    lines = [number] * len(cells)
    return FileRows(lines, cells, start=number, fields=fields, misfits=misfits, nested=nested)


def outermost(spans: Sequence[TextSpan]) -> tuple[list[TextSpan], int]:
    """The spans that lie in no other, in order; how many others there are.

    Example:
        >>> outermost([TextSpan(4, 8, "LOC"), TextSpan(0, 8, "ORG")])
        ([TextSpan(start=0, end=8, label='ORG')], 1)
    """
    kept: list[TextSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept, len(spans) - len(kept)


def labels_of(
    text: str, words: Sequence[tuple[int, int]], spans: Sequence[TextSpan], align: str = "strict"
) -> tuple[list[str], list[str]]:
    """BIO labels of the words; and the spans that do not begin and end where words do, described.

    Args:
        text: The text.
        words: The places of its words, in order.
        spans: In order, none in another.
        align: expand: a misfit takes the words that it touches; else it is left out.
    """
    tags, misfits, first = ["O"] * len(words), list[str](), 0
    for start, end, label in spans:
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        start += len(text[start:end]) - len(text[start:end].lstrip())
        while first < len(words) and words[first][1] <= start:
            first += 1
        last = first
        while last < len(words) and words[last][0] < end:
            last += 1
        touched = words[first:last]
        if not touched or (touched[0][0], touched[-1][1]) != (start, end):
            near = "no word is there"
            if touched:
                a, b = touched[0][0], touched[-1][1]
                near = f"the words there are {text[a:b][:60]!r}, {a}–{b}"
            misfits.append(f"{text[start:end][:60]!r}, {start}–{end} ({label}): {near}")
            if align != "expand" or not touched or tags[first] != "O":
                continue
        tags[first:last] = [f"B-{label}"] + [f"I-{label}"] * (last - first - 1)
    return tags, misfits


def with_spans(
    fields: Mapping[str, Any], found: Sequence[Mapping[str, Any]], score: float | None
) -> dict[str, Any]:
    """An object with the spans that were found, so that the tool that wrote it reads it again.

    Args:
        fields: The object as it came in; all of it is kept.
        found: The spans: start, end, label, probability.
        score: Probability of all of them together.
    """
    if text_of(fields.get("data")) is not None and "text" not in fields:
        return {**fields, "predictions": [_prediction(fields, found, score)]}
    old = [one for key in SPAN_KEYS if isinstance(fields.get(key), list) for one in fields[key]]
    if any(
        isinstance(one, list) or "start_offset" in one
        for one in old
        if isinstance(one, list | dict)
    ):
        found = [
            {
                "start_offset": s["start"],
                "end_offset": s["end"],
                "label": s["label"],
                "probability": s["probability"],
            }
            for s in found
        ]
    return {**fields, "spans": list(found)}


def _prediction(
    fields: Mapping[str, Any], found: Sequence[Mapping[str, Any]], score: float | None
) -> dict[str, Any]:
    """A prediction of Label Studio, for the controls that its annotations name."""
    results = [
        one
        for annotation in fields.get("annotations") or []
        for one in annotation.get("result") or []
        if "from_name" in one and "to_name" in one
    ]
    names = {
        key: results[0][key] if results else default
        for key, default in (("from_name", "label"), ("to_name", "text"))
    }
    return {
        "score": score,
        "result": [
            {
                **names,
                "id": f"crf-{n}",
                "type": "labels",
                "score": s["probability"],
                "value": {
                    "start": s["start"],
                    "end": s["end"],
                    "text": s["text"],
                    "labels": [s["label"]],
                },
            }
            for n, s in enumerate(found, start=1)
        ],
    }
