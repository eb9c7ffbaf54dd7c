"""Reads back what `metrics.json` says of a tagger; the file may come from anyone."""

from typing import Any

from ..strict_json import JsonError, read_json

MOST_BYTES = 16 << 20


def read_figures(content: bytes, sha256: str, tags: int) -> dict[str, Any] | None:
    """The figures that `model_card.metrics` wrote of these weights.

    Args:
        content: Of metrics.json.
        sha256: Of the weights.
        tags: S, how many tags the tagger has.

    Returns:
        Every number that a page shows is there and is one; None: it is another file, or of others.
    """
    try:
        said = read_json(content, MOST_BYTES)
    except JsonError:
        return None
    if not isinstance(said, dict) or said.get("weights_sha256") != sha256:
        return None
    shares = ("accuracy", "sentence_accuracy", "unknown_word_accuracy")
    decoders = said.get("decoders")
    fits = (
        _is_number(said.get("tokens"))
        and isinstance(decoders, dict)
        and _has_shares(decoders.get("greedy"), shares)
        and _is_table(said.get("confusion"), tags)
        and (_names_fit(said) if "span_f1" in said else _has_shares(said, shares))
        and ("softmax" not in said or _has_shares(said["softmax"], shares))
    )
    return said | {"training": {"history": _history(said)}} if fits else None


def _names_fit(said: dict[str, Any]) -> bool:
    shares, spans = ("span_f1", "span_precision", "span_recall"), said.get("spans")
    greedy = spans.get("greedy") if isinstance(spans, dict) else None
    return all(
        isinstance(of, dict) and _has_shares(of, shares) and _is_number(of.get("invalid_tags"))
        for of in (said, greedy)
    )


def _history(said: dict[str, Any]) -> list[dict[str, float]]:
    """The rows of the training log whose entries are all numbers."""
    training = said.get("training")
    log = training.get("history") if isinstance(training, dict) else None
    rows = [row for row in log if isinstance(row, dict)] if isinstance(log, list) else []
    return [row for row in rows if "epoch" in row and all(map(_is_number, row.values()))]


def _has_shares(of: Any, names: tuple[str, ...]) -> bool:
    return isinstance(of, dict) and all(
        name in of and (of[name] is None or (_is_number(of[name]) and of[name] <= 1))
        for name in names
    )


def _is_table(table: Any, size: int) -> bool:
    return (
        isinstance(table, list)
        and len(table) == size
        and all(isinstance(row, list) and len(row) == size for row in table)
        and all(_is_number(cell) for row in table for cell in row)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
