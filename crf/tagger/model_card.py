"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import gzip
import hashlib
import re
import shlex
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..strict_json import JsonError, read_json, write_json
from .decoders import DECODERS
from .encoder import Hyperparameters
from .evaluation import Evaluation
from .formats import CONLLU
from .model import Tagger
from .reading import HINTS, TaggedFile
from .storage import JSON_NAME, WEIGHTS_NAME, write_atomically
from .training import Epoch, Settings, processes

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
        "sureness": [column._asdict() for column in evaluation.sureness],
        "training": {**training, "history": [without_none(epoch._asdict()) for epoch in history]},
    }


def without_none(row: dict[str, Any]) -> dict[str, Any]:
    """Return what is not None."""
    return {name: value for name, value in row.items() if value is not None}


def add_twin(directory: Path, twin: Mapping[str, Any]) -> None:
    """Put the `metrics.json` of a tagger's softmax twin into the tagger's own and into its card.

    Raises:
        ValueError: They are not trained alike.
    """
    path = directory / METRICS_NAME
    try:
        figures = read_json(path.read_bytes(), MOST_BYTES)
    except JsonError as error:
        raise ValueError(f"{path}: {error}; train the tagger again") from None
    ours, theirs = (_settings(of["training"]["settings"]) for of in (figures, twin))
    if ours != theirs or figures["training"]["data"] != twin["training"]["data"]:
        raise ValueError(f"{directory}: expected a twin trained alike, got other data or settings")
    keys = (*_SHARES, "nll", "sureness", "weights_sha256")
    training = {key: twin["training"][key] for key in ("command", "history")}
    softmax = {**{key: twin[key] for key in keys if key in twin}, "training": training}
    write(directory, Tagger.load(directory), {**figures, "softmax": softmax})


def _settings(saved: Mapping[str, Any]) -> Settings:
    """But for what the twins differ in; those that are younger than the file have their default."""
    changed = {"loss": "crf", "scheme": None, "sizes": Hyperparameters(**saved["sizes"])}
    return Settings(**{**saved, **changed})


def write(directory: Path, tagger: Tagger, figures: Mapping[str, Any]) -> None:
    """Write `metrics.json`, `training.csv` and `MODEL_CARD.md` beside the tagger's two files."""
    write_atomically(directory / METRICS_NAME, (write_json(figures, indent=1) + "\n").encode())
    write_atomically(directory / LOG_NAME, log(figures).encode())
    sizes = {name: (directory / name).stat().st_size for name in (JSON_NAME, WEIGHTS_NAME)}
    write_atomically(directory / CARD_NAME, render(tagger, figures, sizes).encode())


def log(figures: Mapping[str, Any]) -> str:
    """Return the training run in the figures as a CSV table: loss in nats per sentence, shares."""
    history = figures["training"]["history"]
    rows = [history[0].keys(), *(epoch.values() for epoch in history)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def render(tagger: Tagger, figures: Mapping[str, Any], file_sizes: Mapping[str, int]) -> str:
    """Return the model card in Markdown; `file_sizes` has the bytes of each file."""
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
        data=data,
        read=read,
        scheme=f", label scheme {read['scheme']}" if read["scheme"] else "",
        language=training.get("language") or "not stated",
        licence=training.get("licence") or "not stated",
        tagger=tagger,
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
    settings, data, text = training["settings"], training["data"]["training"], ""
    has_file = " --hints " in training["command"]  # another file's columns: its tags are among them
    if settings["hints"] and (has_file or data.get("format", CONLLU) == CONLLU):
        own = "" if has_file else data.get("label", "UPOS")
        columns = ", ".join(name for name in HINTS if name != own)
        text = _WORDS["hints"].format(settings["hints"], columns)
    share = settings.get("empty", 1)
    return f"{text}." + (_WORDS["empty"].format(100 * share) if share < 1 else "")


def _twin(figures: Mapping[str, Any]) -> str:
    if not (twin := figures.get("softmax")):
        return ""
    gains = [100 * (figures[name] - twin[name]) for name in _SHARES]
    return "\n" + _WORDS["twin"].format(*gains, command=twin["training"]["command"])


def _cell(value: float | None) -> str:
    if isinstance(value, int):  # labels that break their scheme
        return f"{value:,}"
    return "–" if value is None else f"{100 * value:.2f} %"


def read_figures(content: bytes, sha256: str, tags: int) -> dict[str, Any] | None:
    """Read back `metrics.json`, which may come from anyone, of weights for so many tags.

    Every number that a page shows is there and is one; None: it is another file, or of others.
    """
    try:
        data = read_json(content, MOST_BYTES)
    except JsonError:
        return None
    shares = dict.fromkeys(_SHARES, _is_share)
    form = {
        "weights_sha256": lambda value: value == sha256,
        "tokens": _is_number,
        "decoders": {"greedy": shares},
        "confusion": [[_is_number] * tags] * tags,
    }
    names = data if isinstance(data, dict) else ()
    form |= _columns(data)
    if "softmax" in names:
        form["softmax"] = shares | _columns(data["softmax"])
    if "span_f1" in names:
        spans = dict.fromkeys(_SPAN_SHARES, _is_share) | {"invalid_tags": _is_number}
        form |= spans | {"spans": {"greedy": spans}}
    else:
        form |= shares
    if not _fits(data, form):
        return None
    log = data["training"]["history"] if _fits(data, {"training": {"history": _is_list}}) else []
    rows = [row for row in log if isinstance(row, dict) and "epoch" in row]
    history = [row for row in rows if all(map(_is_number, row.values()))]
    return data | {"training": {"history": history}}


def _fits(value: Any, form: Any) -> bool:
    """Whether parsed JSON has a form: of a dict some fields, of a list each item, else a check."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(
            k in value and _fits(value[k], f) for k, f in form.items()
        )
    if isinstance(form, list):
        return _is_list(value) and len(value) == len(form) and all(map(_fits, value, form))
    return form(value)


def _columns(figures: Any) -> dict[str, Any]:
    """The form of the columns of sentences, where there are any; older files have none."""
    has_columns = isinstance(figures, dict) and "sureness" in figures
    return {"sureness": _are_columns} if has_columns else {}


def _are_columns(value: Any) -> bool:
    column = {"sentences": _is_number, "right": _is_number, "promised": _is_number}
    if not (_is_list(value) and 0 < len(value) <= 20 and _fits(value, [column] * len(value))):
        return False
    return all(1 <= c["sentences"] >= max(c["right"], c["promised"]) for c in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def _is_share(value: Any) -> bool:
    return value is None or (_is_number(value) and value <= 1)


def command(options: Namespace, *, as_typed: bool = False) -> str:
    """The command that repeats this run; data files by name, unless they shall be as typed."""
    words = ["python", "-m", "crf"]
    if processes() > 1:
        words = ["torchrun", "--nproc-per-node", str(processes()), "-m", "crf"]
    paths = (options.train, options.dev, "--output", options.output)
    words += ["train", *(str(p) if as_typed or p == "--output" else p.name for p in paths)]
    defaults = {"task": "auto", "device": "auto", "threads": 1, "encoding": "utf-8"}
    defaults["align"] = "strict"
    for name, value in vars(options).items():
        if name in ("command", "train", "dev", "output", "quiet"):
            continue
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False, "", defaults.get(name)):
            if (isinstance(value, Path) or name == "from") and not as_typed:
                value = Path(value).name
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def describe(path: Path, file: TaggedFile) -> dict[str, str | int]:
    """Return what a card says of a file of sentences."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        path, content = path.with_suffix(""), gzip.decompress(content)
    return {
        "name": path.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "sentences": file.sentences,
        "tokens": file.tokens,
        "format": file.format,
        "label": file.label,
        "scheme": file.scheme or "",
    }
