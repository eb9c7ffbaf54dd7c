"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import json
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

METRICS_NAME, LOG_NAME, CARD_NAME = "metrics.json", "training.csv", "MODEL_CARD.md"

HOW = (
    "On the development sentences with the treebank's own tokens, from the saved float16 weights. "
    "This set also chose the epoch and the settings, so expect slightly less on other text of the "
    "same kind. `viterbi` is the most probable path, `posterior_decode` the most probable tag of "
    "each token, `greedy` each token's best emission with all transitions ignored, "
    "`greedy_left_to_right` the best next tag given the tag just chosen."
)

_EWT_FILES = {
    "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "b227c0d7c1d317560060b607bfbcb5ebee2dace35e6b79ea0bb6351ece9fb152",
}
"""SHA-256 of the training files of the taggers that come with the package."""

DECODER_NAMES = {"viterbi": "", "viterbi_constrained": "Viterbi, BIO at decoding only"}
DECODER_NAMES |= {name: decoder.title for name, decoder in DECODERS.items()}


_HINTS = """, plus {} times the
cross-entropies of auxiliary classifiers, thrown away since, that tell the treebank's other columns
({}) from the same vectors"""

_EMPTY = """
Each epoch saw all sentences with a name in them and {:.0f} % of the others, drawn anew."""

_CLUSTERS = """
The clusters of English words come from outside and were computed from other text:
spacy-lookups-data 1.0.5, © 2019 ExplosionAI GmbH, MIT licence; names from the United States' census
of 1990 (public domain) and from GeoNames (https://www.geonames.org/, CC BY 4.0,
https://creativecommons.org/licenses/by/4.0/). The README in the package's `crf/tagger/clusters/`
says how the table was made, and has the licence's text. The table is in `tagger.json`.
"""

_TWIN = """
*Its twin*, the same network trained alike on the same data, but with a softmax at each token in the
CRF's place, by `{command}`.
The CRF is worth {tokens:.2f} points of token accuracy, {sentences:.2f} of whole sentences and
{unknown:.2f} of unknown words."""


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
        "how_measured": HOW,
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
    return _CARD.format(
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
        empty=_EMPTY.format(100 * settings["empty"]) if settings.get("empty", 1) < 1 else "",
        outside=", but word clusters from outside" if tagger.sizes.clusters else "",
        parameters=sum(parameter.numel() for parameter in tagger.parameters()),
        files=", ".join(f"`{name}` {size / 1e6:.2f} MB" for name, size in sizes.items()),
        train=training["data"]["training"],
        dev=training["data"]["dev"],
        training=training,
        epochs=len(scores),
        best=scores.index(max(scores)) + 1,
        head=_SPAN_HEAD.replace("BIO", scheme) if spans else _TAG_HEAD,
        rows="\n".join(f"{row} |" for row in rows),
        figures=figures,
        worth=_spans_worth(figures) if spans else _transitions_worth(figures) + _twin(figures),
        how=figures["how_measured"],
        suffix=about["suffix"],
    )


def _hints(training: Mapping[str, Any]) -> str:
    weight = training["settings"]["hints"]
    if " --hints " in training["command"]:  # another file's columns: its tags are among them
        return _HINTS.format(weight, "UPOS, XPOS, FEATS, DEPREL")
    data = training["data"]["training"]
    if "format" in data:  # younger than the taggers that come with the package
        others = ", ".join(name for name in HINTS if name != data["label"])
        return _HINTS.format(weight, others) if weight and data["format"] == CONLLU else ""
    names_only = training["command"].find("--task ner") >= 0
    return _HINTS.format(weight, "XPOS, FEATS, DEPREL") if weight and not names_only else ""


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
    return "\n" + _TWIN.format(command=twin["training"]["command"], **gains)


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

_TAG_HEAD = """| Decoding | Tokens right | Sentences wholly right | Unknown words right |
| --- | --- | --- | --- |"""

_SPAN_HEAD = """| Decoding | Precision | Recall | F1 | Labels that break BIO |
| --- | --- | --- | --- | --- |"""

_UNER = """
The names were annotated by *Universal NER* (English EWT, https://www.universalner.org/), also under
CC BY-SA 4.0: Stephen Mayhew et al. (2024), *Universal NER: A Gold-Standard Multilingual Named
Entity Recognition Benchmark*, NAACL, https://aclanthology.org/2024.naacl-long.243/.
"""


_CARD = """# Model card: {title}

{task}
({tags}).

Network: {inputs} features; {encoder};
a linear layer; a {top}. {parameters:,} parameters, no pretrained embeddings{outside}.
Files: {files}.

## Data and licence

| | File | Sentences | Words | SHA-256 |
| --- | --- | --- | --- | --- |
| Training | `{train[name]}` | {train[sentences]:,} | {train[tokens]:,} | `{train[sha256]}` |
| Development | `{dev[name]}` | {dev[sentences]:,} | {dev[tokens]:,} | `{dev[sha256]}` |

The development sentences chose the epoch and the settings.

{about}
## How it was made

```
{training[command]}
```

Trained end to end with {loss}{hints}.{empty}
Seed {training[settings][seed]}, {epochs} epochs; epoch {best} was the best on the development
sentences. Trained with torch {training[torch]}; the same command gives the same weights with the
same torch, the same version of this project and the same kind of processor, else others about as
good.

## Figures

{head}
{rows}

{figures[sentences]:,} sentences, {figures[tokens]:,} tokens, {figures[unknown_words]:,} unknown
words (not in the training data, case and digits apart).
Mean negative log-likelihood of a sentence's gold tags: {figures[nll]:.4f} nats.
{worth}

{how}
`python -m crf evaluate FILE{suffix} --model DIRECTORY --json` repeats it.

## Intended use and limits

{limits}
"""

_EWT = """\
The files named `en_ewt-ud-…` are of the *Universal Dependencies English Web Treebank* (UD English
EWT, https://universaldependencies.org/treebanks/en_ewt/): weblogs, newsgroups, e-mails, reviews
and answers from the American web. The annotations are © 2013–2021 by The Board of Trustees of The
Leland Stanford Junior University, under the licence CC BY-SA 4.0
(https://creativecommons.org/licenses/by-sa/4.0/); the texts are those of the LDC's English Web
Treebank and belong to various sources.
{source}{clusters}
The weights were computed from that data, and the vocabularies in `tagger.json` are lists of its
words. Whether that makes them an adaptation in the licence's sense is not settled. To be safe, take
the files in this directory as under CC BY-SA 4.0, with the attribution above: the MIT licence of
the program does not cover them.
"""

_EWT_LIMITS = """\
For teaching, and for trying CRFs out. It knows the English of the web as its treebank has it;
expect it to do worse on other registers and on newer words, names and slang, and badly on
other languages. It expects tokens split as in the treebank (`do` `n't`, `gon` `na`). Its
probabilities were not calibrated. Web text carries the biases of those who wrote it: decide
nothing about people with it."""

_OWN = """Language: {language}. Licence of the sentences: {licence}.
Labels: column {label} of {format}{scheme}. Texts are split into words by the tokeniser
`{tokeniser}`.
{clusters}
The weights were computed from those sentences, and the vocabularies in `tagger.json` are lists of
their words; whoever passes the tagger on passes these on with it."""

_OWN_LIMITS = """\
It knows text like that of the training sentences; expect it to do worse on other text. It expects
words split as they are there. Its probabilities were not calibrated. It repeats what is one-sided
in its sentences: decide nothing about people with it."""


def _about(tagger: Tagger, figures: Mapping[str, Any]) -> dict[str, str]:
    """What the card says of the data: of EWT, or of files of one's own."""
    training, spans = figures["training"], figures.get("spans")
    data = training["data"]["training"]
    by_ours = tagger.sizes.clusters and " --clusters " not in training["command"]
    clusters = _CLUSTERS if by_ours else ""
    if data["sha256"] in _EWT_FILES:
        return {
            "task": _NAMES if spans else _PARTS_OF_SPEECH,
            "name": "named-entity tagger" if spans else "part-of-speech tagger",
            "about": _EWT.format(source=_UNER if spans else "", clusters=clusters),
            "limits": _EWT_LIMITS,
            "suffix": ".iob2" if spans else ".conllu",
        }
    scheme = f", label scheme {data['scheme']}" if data.get("scheme") else ""
    if tagger.sizes.clusters and not by_ours:
        clusters = "The word clusters come from a file of its own, which the command above names.\n"
    return {
        "task": "Finds spans in sentences" if spans else "Tags the words of sentences",
        "name": "tagger of spans" if spans else "tagger",
        "about": _OWN.format(
            language=training.get("language") or "not stated",
            licence=training.get("licence") or "not stated",
            label=data.get("label", "?"),
            format=data.get("format", "the files"),
            scheme=scheme,
            tokeniser=tagger.tokeniser,
            clusters=clusters,
        ),
        "limits": _OWN_LIMITS,
        "suffix": "",
    }


def _cell(name: str, value: float | None) -> str:
    if name == "invalid_tags":
        return f"{value:,}"
    return "–" if value is None else f"{100 * value:.2f} %"
