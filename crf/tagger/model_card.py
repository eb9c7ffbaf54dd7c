"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..strict_json import JsonError, read_json
from .decoders import DECODERS
from .evaluation import Evaluation
from .model import Tagger
from .storage import JSON_NAME, WEIGHTS_NAME, write_atomically
from .training import Epoch

METRICS_NAME, LOG_NAME, CARD_NAME = "metrics.json", "training.csv", "MODEL_CARD.md"
MOST_BYTES = 16 << 20  # of metrics.json
_SHARES = ("accuracy", "sentence_accuracy", "unknown_word_accuracy")
_SPAN_SHARES = ("span_f1", "span_precision", "span_recall")
_WORDS = dict(
    re.findall(
        r"<!-- (\w+) -->\n(.*?)\n(?=<!-- |\Z)",
        Path(__file__).with_name("card.txt").read_text(encoding="utf-8"),
        re.DOTALL,
    )
)
"""The texts of the card by name."""


def metrics(
    evaluation: Evaluation, sha256: str, history: list[Epoch], training: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what `metrics.json` holds: headline figures, each decoder's, how they were measured.

    Args:
        evaluation: Of the saved tagger on the development sentences.
        sha256: Of the weights that were measured.
        history: Of the training run.
        training: The command, the data files with their SHA-256, the settings, torch's version.
    """
    spans = {name: row._asdict() for name, row in evaluation.spans.items()}
    return {
        **evaluation.summary(),
        **({"spans": spans, "nll": evaluation.nll} if spans else {}),
        "unknown_words": evaluation.unknown_words,
        "decoders": {name: row._asdict() for name, row in evaluation.decoders.items()},
        "how_measured": _WORDS["how"],
        "weights_sha256": sha256,
        "confusion": evaluation.confusion,
        "training": {**training, "history": [_given(epoch._asdict()) for epoch in history]},
    }


def _given(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def write(directory: Path, tagger: Tagger, figures: Mapping[str, Any]) -> None:
    """Write `metrics.json`, `training.csv` and `MODEL_CARD.md` beside the tagger's two files."""
    write_atomically(directory / METRICS_NAME, (json.dumps(figures, indent=1) + "\n").encode())
    write_atomically(directory / LOG_NAME, log(figures).encode())
    sizes = {name: (directory / name).stat().st_size for name in (JSON_NAME, WEIGHTS_NAME)}
    write_atomically(directory / CARD_NAME, render(tagger, figures, sizes).encode())


def log(figures: Mapping[str, Any]) -> str:
    """Return the training run as a CSV table: loss in nats per sentence, shares 0–1.

    Args:
        figures: What `metrics` returns.
    """
    history = figures["training"]["history"]
    rows = [history[0].keys(), *(epoch.values() for epoch in history)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def render(tagger: Tagger, figures: Mapping[str, Any], file_sizes: Mapping[str, int]) -> str:
    """Return the model card in Markdown.

    Args:
        tagger: The tagger.
        figures: What `metrics` returns.
        file_sizes: Bytes of each of its files, by name.
    """
    training, spans, scheme = figures["training"], figures.get("spans"), tagger.label_scheme
    data, units = training["data"], tagger.sizes.hidden
    softmax = training["settings"]["loss"] == "softmax"
    measured = spans or figures["decoders"]
    rows = [
        f"| {decoder.title} | {' | '.join(map(_cell, measured[name].values()))} |"
        for name, decoder in DECODERS.items()
    ]
    scores = [epoch.get("span_f1", epoch["accuracy"]) for epoch in training["history"]]
    top = "softmax, no transitions" if softmax else "linear-chain CRF"
    return _WORDS["card"].format(
        title=f"{'BiLSTM' if units else 'local'} tagger with {'softmax' if softmax else 'a CRF'}",
        tags=", ".join(tagger.tags),
        encoder=f"a BiLSTM with {units} units each way" if units else "no LSTM",
        top=top + (f" that forbids what {tagger.scheme} forbids" if tagger.scheme else ""),
        loss="each token's cross-entropy" if softmax else "the CRF's negative log-likelihood",
        sizes=", ".join(f"{name} {size}" for name, size in asdict(tagger.sizes).items()),
        parameters=sum(parameter.numel() for parameter in tagger.parameters()),
        files=", ".join(f"`{name}` {size / 1e6:.2f} MB" for name, size in file_sizes.items()),
        train=data["training"],
        dev=data["dev"],
        label=data["training"]["label"],
        format=data["training"]["format"],
        scheme=f", label scheme {data['training']['scheme']}" if data["training"]["scheme"] else "",
        language=training["language"] or "not stated",
        licence=training["licence"] or "not stated",
        tokeniser=tagger.tokeniser,
        clusters=_WORDS["clusters"] if tagger.sizes.clusters else "",
        training=training,
        epochs=len(scores),
        best=scores.index(max(scores)) + 1,
        head=_WORDS["span_head"].replace("BIO", scheme or "BIO") if spans else _WORDS["tag_head"],
        rows="\n".join(rows),
        figures=figures,
        how=figures["how_measured"],
    )


def _cell(value: float | None) -> str:
    if isinstance(value, int):  # labels that break their scheme
        return f"{value:,}"
    return "–" if value is None else f"{100 * value:.2f} %"


def read_figures(content: bytes, sha256: str, tags: int) -> dict[str, Any] | None:
    """Read back `metrics.json`, which may come from anyone.

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
    decoders, spans = said.get("decoders"), said.get("spans")
    fits = (
        _is_number(said.get("tokens"))
        and isinstance(decoders, dict)
        and _has_shares(decoders.get("greedy"), _SHARES)
        and _is_table(said.get("confusion"), tags)
        and ("softmax" not in said or _has_shares(said["softmax"], _SHARES))
    )
    if "span_f1" in said:
        greedy = spans.get("greedy") if isinstance(spans, dict) else None
        fits = fits and all(
            isinstance(of, dict)
            and _has_shares(of, _SPAN_SHARES)
            and _is_number(of.get("invalid_tags"))
            for of in (said, greedy)
        )
    else:
        fits = fits and _has_shares(said, _SHARES)
    return said | {"training": {"history": _history(said)}} if fits else None


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
