"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .decoders import DECODERS
from .evaluation import Evaluation
from .formats import CONLLU
from .model import Hyperparameters, Tagger
from .reading import HINTS
from .storage import JSON_NAME, WEIGHTS_NAME, write_atomically
from .training import Epoch, Settings

_WORDS = dict(
    re.findall(
        r"<!-- (\w+) -->\n(.*?)\n(?=<!-- |\Z)",
        Path(__file__).with_name("card.txt").read_text(encoding="utf-8"),
        re.DOTALL,
    )
)
"""The texts of the card by name."""

METRICS_NAME, LOG_NAME, CARD_NAME = "metrics.json", "training.csv", "MODEL_CARD.md"


_EWT_FILES = {
    "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "b227c0d7c1d317560060b607bfbcb5ebee2dace35e6b79ea0bb6351ece9fb152",
}
"""SHA-256 of the training files of the taggers that come with the package."""

DECODER_NAMES = {"viterbi": "", "viterbi_constrained": "Viterbi, BIO at decoding only"}
DECODER_NAMES |= {name: decoder.title for name, decoder in DECODERS.items()}


def metrics(
    evaluation: Evaluation,
    sha256: str,
    history: list[Epoch],
    training: Mapping[str, Any],
    constrained: Evaluation | None = None,
) -> dict[str, Any]:
    """What `metrics.json` holds: the headline figures, each decoder's, how they were measured.

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
    """The training run as a CSV table, a row per epoch: loss in nats per sentence, shares 0–1.

    Args:
        figures: What `metrics` returns.
    """
    history = figures["training"]["history"]
    rows = [history[0].keys(), *(epoch.values() for epoch in history)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def render(tagger: Tagger, figures: Mapping[str, Any], sizes: Mapping[str, int]) -> str:
    """The model card in Markdown. `sizes` are the files' sizes in bytes, by name."""
    local = not tagger.sizes.hidden
    about, scheme = _about(tagger, figures), tagger.label_scheme or "BIO"
    training, spans = figures["training"], figures.get("spans")
    settings = training["settings"]
    softmax = settings.get("loss") == "softmax"
    shown = spans or figures["decoders"]
    rows = [
        f"| {title.replace('BIO', scheme)} | "
        + " | ".join(_cell(name, value) for name, value in shown[decoder].items())
        for decoder, title in DECODER_NAMES.items()
        if decoder in shown
    ]
    twin = figures.get("softmax")
    if twin:
        cells = (_cell(name, twin[name]) for name in figures["decoders"]["viterbi"])
        rows.append("| Twin with a softmax instead of the CRF | " + " | ".join(cells))
    loss = "each token's cross-entropy" if softmax else "the CRF's negative log-likelihood"
    scores = [epoch.get("span_f1", epoch["accuracy"]) for epoch in training["history"]]
    top = "softmax, no transitions" if softmax else "linear-chain CRF"
    kind = "softmax" if softmax else "CRF"
    return _WORDS["card"].format(
        title=f"{'local ' if local else 'BiLSTM-'}{kind} {about['name']}",
        task=about["task"],
        about=about["about"],
        limits=about["limits"],
        tags=", ".join(tagger.tags),
        inputs=_inputs(tagger),
        encoder=(
            "no LSTM: every emission sees its own word only, and whatever the tagger knows of the "
            "context is in the CRF's transitions"
            if local
            else f"a bidirectional LSTM over the sentence, {tagger.sizes.hidden} units each way"
        ),
        top=top
        + (f", with what {scheme} forbids at −∞ in training and decoding" * bool(tagger.scheme)),
        loss=loss,
        hints=_hints(training),
        empty=_WORDS["empty"].format(100 * settings["empty"])
        if settings.get("empty", 1) < 1
        else "",
        outside=", but word clusters from outside" if tagger.sizes.clusters else "",
        parameters=sum(parameter.numel() for parameter in tagger.parameters()),
        files=", ".join(f"`{name}` {size / 1e6:.2f} MB" for name, size in sizes.items()),
        train=training["data"]["training"],
        dev=training["data"]["dev"],
        training=training,
        epochs=len(scores),
        best=scores.index(max(scores)) + 1,
        head=_WORDS["span_head"].replace("BIO", scheme) if spans else _WORDS["tag_head"],
        rows="\n".join(f"{row} |" for row in rows),
        figures=figures,
        worth=_spans_worth(figures) if spans else _transitions_worth(figures) + _twin(figures),
        how=figures["how_measured"],
        suffix=about["suffix"],
    )


def _hints(training: Mapping[str, Any]) -> str:
    weight = training["settings"]["hints"]
    if " --hints " in training["command"]:  # another file's columns: its tags are among them
        return _WORDS["hints"].format(weight, "UPOS, XPOS, FEATS, DEPREL")
    data = training["data"]["training"]
    if "format" in data:  # younger than the taggers that come with the package
        others = ", ".join(name for name in HINTS if name != data["label"])
        return _WORDS["hints"].format(weight, others) if weight and data["format"] == CONLLU else ""
    names_only = training["command"].find("--task ner") >= 0
    return (
        _WORDS["hints"].format(weight, "XPOS, FEATS, DEPREL") if weight and not names_only else ""
    )


def _inputs(tagger: Tagger) -> str:
    sizes = tagger.sizes
    names = ["word"] * bool(sizes.word_dim) + ["affix", "shape"] * bool(sizes.affix_dim)
    names += ["cluster"] * bool(sizes.clusters)
    names += ["character"] * bool(sizes.char_filters)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _transitions_worth(figures: Mapping[str, Any]) -> str:
    gain = 100 * (figures["accuracy"] - figures["decoders"]["greedy"]["accuracy"])
    return (
        f"In this network the transitions are worth {gain:.2f} points of token accuracy: Viterbi "
        "less the best\nemission of each token."
    )


def _twin(figures: Mapping[str, Any]) -> str:
    if not (twin := figures.get("softmax")):
        return ""
    names = {"tokens": "accuracy", "sentences": "sentence_accuracy"}
    names["unknown"] = "unknown_word_accuracy"
    gains = {key: 100 * (figures[name] - twin[name]) for key, name in names.items()}
    return "\n" + _WORDS["twin"].format(command=twin["training"]["command"], **gains)


def _spans_worth(figures: Mapping[str, Any]) -> str:
    spans = figures["spans"]
    if "viterbi_constrained" not in spans:
        return (
            "A span is right if its boundaries and its type are, as CoNLL's `conlleval` and "
            "seqeval count."
        )
    gain = 100 * (spans["viterbi_constrained"]["span_f1"] - figures["span_f1"])
    scheme = figures["training"]["data"]["training"].get("scheme") or "BIO"
    return (
        "A span is right if its boundaries and its type are, as CoNLL's `conlleval` and seqeval "
        f"count. Forbidding\nat decoding what {scheme} forbids is worth {gain:.2f} points of F1."
    )


_PARTS_OF_SPEECH = "Tags English sentences with the universal part-of-speech tags"

_NAMES = "Finds persons, locations and organisations in English sentences, with BIO labels"


def _about(tagger: Tagger, figures: Mapping[str, Any]) -> dict[str, str]:
    """What the card says of the data: of EWT, or of files of one's own."""
    training, spans = figures["training"], figures.get("spans")
    data = training["data"]["training"]
    by_ours = tagger.sizes.clusters and " --clusters " not in training["command"]
    clusters = _WORDS["clusters"] if by_ours else ""
    if data["sha256"] in _EWT_FILES:
        return {
            "task": _NAMES if spans else _PARTS_OF_SPEECH,
            "name": "named-entity tagger" if spans else "part-of-speech tagger",
            "about": _WORDS["ewt"].format(
                source=_WORDS["uner"] if spans else "", clusters=clusters
            ),
            "limits": _WORDS["ewt_limits"],
            "suffix": ".iob2" if spans else ".conllu",
        }
    scheme = f", label scheme {data['scheme']}" if data.get("scheme") else ""
    if tagger.sizes.clusters and not by_ours:
        clusters = "The word clusters come from a file of its own, which the command above names.\n"
    return {
        "task": "Finds spans in sentences" if spans else "Tags the words of sentences",
        "name": "tagger of spans" if spans else "tagger",
        "about": _WORDS["own"].format(
            language=training.get("language") or "not stated",
            licence=training.get("licence") or "not stated",
            label=data.get("label", "?"),
            format=data.get("format", "the files"),
            scheme=scheme,
            tokeniser=tagger.tokeniser,
            clusters=clusters,
        ),
        "limits": _WORDS["own_limits"],
        "suffix": "",
    }


def _cell(name: str, value: float | None) -> str:
    if name == "invalid_tags":
        return f"{value:,}"
    return "–" if value is None else f"{100 * value:.2f} %"
