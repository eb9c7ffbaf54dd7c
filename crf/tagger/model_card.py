"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..strict_json import JsonError, read_json
from .decoders import DECODERS
from .encoder import Hyperparameters
from .evaluation import Evaluation
from .formats import CONLLU
from .model import Tagger
from .reading import HINTS
from .storage import JSON_NAME, WEIGHTS_NAME, write_atomically
from .training import Epoch, Settings

METRICS_NAME, LOG_NAME, CARD_NAME = "metrics.json", "training.csv", "MODEL_CARD.md"
MOST_BYTES = 16 << 20  # of metrics.json
_SHARES = ("accuracy", "sentence_accuracy", "unknown_word_accuracy")
DECODER_NAMES = {"viterbi": "", "viterbi_constrained": "Viterbi, BIO at decoding only"}
DECODER_NAMES |= {name: decoder.title for name, decoder in DECODERS.items()}
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
    evaluation: Evaluation,
    sha256: str,
    history: list[Epoch],
    training: Mapping[str, Any],
    constrained: Evaluation | None = None,
) -> dict[str, Any]:
    """Return what `metrics.json` holds: headline figures, each decoder's, how they were measured.

    Args:
        evaluation: Of the saved tagger on the development sentences.
        sha256: Of the weights that were measured.
        history: Of the training run.
        training: The command, the data files with their SHA-256, the settings, torch's version.
        constrained: For names, of a tagger trained without constraints: with them at decoding.
    """
    spans = {name: row._asdict() for name, row in evaluation.spans.items()}
    if constrained:
        spans["viterbi_constrained"] = constrained.spans["viterbi"]._asdict()
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


def add_twin(directory: Path, twin: Mapping[str, Any]) -> None:
    """Put the figures of a tagger's softmax twin into its `metrics.json` and its card.

    Args:
        directory: Of the tagger.
        twin: The `metrics.json` of one trained alike but for the loss.

    Raises:
        ValueError: They are not trained alike.
    """
    figures = json.loads((directory / METRICS_NAME).read_text(encoding="utf-8"))
    ours, theirs = (_settings(of["training"]["settings"]) for of in (figures, twin))
    if ours != theirs or figures["training"]["data"] != twin["training"]["data"]:
        raise ValueError(f"{directory}: expected a twin trained alike, got other data or settings")
    kept = ("accuracy", "sentence_accuracy", "unknown_word_accuracy", "nll", "weights_sha256")
    training = {key: twin["training"][key] for key in ("command", "history")}
    softmax = {**{key: twin[key] for key in kept}, "training": training}
    write(directory, Tagger.load(directory), {**figures, "softmax": softmax})


def _settings(saved: Mapping[str, Any]) -> Settings:
    """But for what the twins differ in; those that are younger than the file have their default."""
    changed = {"loss": "crf", "scheme": None, "sizes": Hyperparameters(**saved["sizes"])}
    return Settings(**{**saved, **changed})


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
    read = {"label": "?", "format": "the files", "scheme": ""} | data["training"]
    softmax = training["settings"].get("loss") == "softmax"
    scores = [epoch.get("span_f1", epoch["accuracy"]) for epoch in training["history"]]
    top = "softmax, no transitions" if softmax else "linear-chain CRF"
    return _WORDS["card"].format(
        title=f"{'BiLSTM' if units else 'local'} tagger with {'softmax' if softmax else 'a CRF'}",
        tags=", ".join(tagger.tags),
        encoder=f"a BiLSTM with {units} units each way" if units else "no LSTM",
        top=top + (f" that forbids what {tagger.scheme} forbids" if tagger.scheme else ""),
        loss="each token's cross-entropy" if softmax else "the CRF's negative log-likelihood",
        more=_more_losses(training),
        twin=_twin(figures),
        sizes=", ".join(f"{name} {size}" for name, size in asdict(tagger.sizes).items()),
        parameters=sum(parameter.numel() for parameter in tagger.parameters()),
        files=", ".join(f"`{name}` {size / 1e6:.2f} MB" for name, size in file_sizes.items()),
        train=data["training"],
        dev=data["dev"],
        label=read["label"],
        format=read["format"],
        scheme=f", label scheme {read['scheme']}" if read["scheme"] else "",
        language=training.get("language") or "not stated",
        licence=training.get("licence") or "not stated",
        tokeniser=tagger.tokeniser,
        clusters=_WORDS["clusters"] if tagger.sizes.clusters else "",
        training=training,
        epochs=len(scores),
        best=scores.index(max(scores)) + 1,
        head=_WORDS["span_head"].replace("BIO", scheme or "BIO") if spans else _WORDS["tag_head"],
        rows="\n".join(_rows(figures, scheme)),
        figures=figures,
        how=figures["how_measured"],
    )


def _rows(figures: Mapping[str, Any], scheme: str | None) -> list[str]:
    """The rows of the table of figures: a decoder each, and the softmax twin."""
    measured = figures.get("spans") or figures["decoders"]
    rows = {
        title.replace("BIO", scheme or "BIO"): measured[name]
        for name, title in DECODER_NAMES.items()
        if name in measured
    }
    if twin := figures.get("softmax"):
        columns = figures["decoders"]["viterbi"]
        rows["Twin with a softmax instead of the CRF"] = {name: twin[name] for name in columns}
    return [f"| {title} | {' | '.join(map(_cell, row.values()))} |" for title, row in rows.items()]


def _more_losses(training: Mapping[str, Any]) -> str:
    """What else was learnt than the tags, and of which sentences."""
    settings, data, said = training["settings"], training["data"]["training"], ""
    has_file = " --hints " in training["command"]  # another file's columns: its tags are among them
    if settings["hints"] and (has_file or data.get("format", CONLLU) == CONLLU):
        own = "" if has_file else data.get("label", "UPOS")
        columns = ", ".join(name for name in HINTS if name != own)
        said = _WORDS["hints"].format(settings["hints"], columns)
    share = settings.get("empty", 1)
    return f"{said}." + (_WORDS["empty"].format(100 * share) if share < 1 else "")


def _twin(figures: Mapping[str, Any]) -> str:
    if not (twin := figures.get("softmax")):
        return ""
    names = {"tokens": "accuracy", "sentences": "sentence_accuracy"}
    names["unknown"] = "unknown_word_accuracy"
    gains = {key: 100 * (figures[name] - twin[name]) for key, name in names.items()}
    return "\n" + _WORDS["twin"].format(command=twin["training"]["command"], **gains)


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
