"""The figures of a trained tagger, as data (`metrics.json`) and as prose (`MODEL_CARD.md`)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .evaluation import Evaluation
from .model import Tagger
from .storage import JSON_NAME, WEIGHTS_NAME, write_atomically
from .training import Epoch

METRICS_NAME, CARD_NAME = "metrics.json", "MODEL_CARD.md"

HOW = (
    "On the development sentences with the treebank's own tokens, from the saved float16 weights. "
    "This set also chose the epoch and the settings, so expect slightly less on other text of the "
    "same kind. `viterbi` is the most probable path, `posterior_decode` the most probable tag of "
    "each token, `greedy` each token's best emission with all transitions ignored, "
    "`greedy_left_to_right` the best next tag given the tag just chosen."
)

DECODER_NAMES = {
    "viterbi": "Viterbi",
    "posterior_decode": "Posterior (best tag of each token)",
    "greedy_left_to_right": "Greedy, left to right",
    "greedy": "Transitions ignored (best emission of each token)",
}


_HINTS = """, plus {} times the
cross-entropies of auxiliary classifiers, thrown away since, that tell the treebank's other columns
(XPOS, FEATS, DEPREL) from the same vectors"""


def metrics(
    evaluation: Evaluation, sha256: str, history: list[Epoch], training: Mapping[str, Any]
) -> dict[str, Any]:
    """What `metrics.json` holds: the headline figures, each decoder's, how they were measured.

    Args:
        evaluation: Of the saved tagger on the development sentences.
        sha256: Of the weights that were measured.
        history: Of the training run.
        training: The command, the data files with their SHA-256, the settings, torch's version.
    """
    return {
        **evaluation.summary(),
        "unknown_words": evaluation.unknown_words,
        "decoders": {name: row._asdict() for name, row in evaluation.decoders.items()},
        "how_measured": HOW,
        "weights_sha256": sha256,
        "confusion": evaluation.confusion,
        "training": {**training, "history": [epoch._asdict() for epoch in history]},
    }


def write(directory: Path, tagger: Tagger, figures: Mapping[str, Any]) -> None:
    """Write `metrics.json` and `MODEL_CARD.md` beside the tagger's two files."""
    write_atomically(directory / METRICS_NAME, (json.dumps(figures, indent=1) + "\n").encode())
    sizes = {name: (directory / name).stat().st_size for name in (JSON_NAME, WEIGHTS_NAME)}
    write_atomically(directory / CARD_NAME, render(tagger, figures, sizes).encode())


def render(tagger: Tagger, figures: Mapping[str, Any], sizes: Mapping[str, int]) -> str:
    """The model card in Markdown. `sizes` are the files' sizes in bytes, by name."""
    local = not tagger.sizes.hidden
    training, transitions = figures["training"], figures["decoders"]["greedy"]
    rows = [
        f"| {title} | " + " | ".join(_share(share) for share in figures["decoders"][name].values())
        for name, title in DECODER_NAMES.items()
    ]
    return _CARD.format(
        title=f"{'local ' if local else 'BiLSTM-'}CRF part-of-speech tagger",
        tags=", ".join(tagger.tags),
        encoder=(
            "no LSTM: every emission sees its own word only, and whatever the tagger knows of the "
            "context is in the CRF's transitions"
            if local
            else f"a bidirectional LSTM over the sentence, {tagger.sizes.hidden} units each way"
        ),
        hints=_HINTS.format(training["settings"]["hints"]) if training["settings"]["hints"] else "",
        parameters=sum(parameter.numel() for parameter in tagger.parameters()),
        files=", ".join(f"`{name}` {size / 1e6:.2f} MB" for name, size in sizes.items()),
        train=training["data"]["training"],
        dev=training["data"]["dev"],
        training=training,
        epochs=len(training["history"]),
        best=max(training["history"], key=lambda epoch: epoch["accuracy"])["epoch"],
        rows=" |\n".join(rows) + " |",
        figures=figures,
        gain=100 * (figures["accuracy"] - transitions["accuracy"]),
        how=HOW,
    )


_CARD = """# Model card: {title}

Tags English sentences with the universal part-of-speech tags
({tags}).

Network: word, affix, shape and character features; {encoder};
a linear layer; a linear-chain CRF. {parameters:,} parameters, no pretrained embeddings.
Files: {files}.

## Data and licence

| | File | Sentences | Words | SHA-256 |
| --- | --- | --- | --- | --- |
| Training | `{train[name]}` | {train[sentences]:,} | {train[tokens]:,} | `{train[sha256]}` |
| Development | `{dev[name]}` | {dev[sentences]:,} | {dev[tokens]:,} | `{dev[sha256]}` |

The development sentences chose the epoch and the settings.

The files named `en_ewt-ud-…` are of the *Universal Dependencies English Web Treebank* (UD English
EWT, https://universaldependencies.org/treebanks/en_ewt/): weblogs, newsgroups, e-mails, reviews
and answers from the American web. The annotations are © 2013–2021 by The Board of Trustees of The
Leland Stanford Junior University, under the licence CC BY-SA 4.0
(https://creativecommons.org/licenses/by-sa/4.0/); the texts are those of the LDC's English Web
Treebank and belong to various sources.

The weights were computed from that data, and the vocabularies in `tagger.json` are lists of its
words. Whether that makes them an adaptation in the licence's sense is not settled. To be safe, take
the files in this directory as under CC BY-SA 4.0, with the attribution above: the MIT licence of
the program does not cover them.

## How it was made

```
{training[command]}
```

Trained end to end with the CRF's negative log-likelihood{hints}.
Seed {training[settings][seed]}, {epochs} epochs; epoch {best} was the best on the development
sentences. Trained with torch {training[torch]}; the same command gives the same weights with the
same torch, the same version of this project and the same kind of processor, else others about as
good.

## Figures

| Decoding | Tokens right | Sentences wholly right | Unknown words right |
| --- | --- | --- | --- |
{rows}

{figures[sentences]:,} sentences, {figures[tokens]:,} tokens, {figures[unknown_words]:,} unknown
words (not in the training data, case and digits apart).
Mean negative log-likelihood of a sentence's gold tags: {figures[nll]:.4f} nats.
In this network the transitions are worth {gain:.2f} points of token accuracy: Viterbi less the best
emission of each token.

{how}
`python -m crf evaluate FILE.conllu --model DIRECTORY --json` repeats it.

## Intended use and limits

For teaching, and for trying CRFs out. It knows the English of the web as its treebank has it;
expect it to do worse on other registers and on newer words, names and slang, and badly on
other languages. It expects tokens split as in the treebank (`do` `n't`, `gon` `na`). Its
probabilities were not calibrated. Web text carries the biases of those who wrote it: decide
nothing about people with it.
"""


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"
