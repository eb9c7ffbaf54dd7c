"""The tagger: words in, part-of-speech tags out, by a BiLSTM (or nothing) under a CRF.

bundled.py      the taggers and the sample of tagged sentences that come with the package
reading.py      a file of tagged sentences → sentences; lines.py, formats.py, columns.py: its parts
dataset.py      sentences in memory
vocabulary.py   strings ↔ indices
features.py     words → indices of the word, its affixes, its characters
model.py        indices → emissions → ChainCRF: `Encoder`, `Tagger`
inference.py    the encoder on many sentences, without gradient
training.py     `train`: the CRF's NLL, by Adam
hints.py        auxiliary losses in training
checkpoint.py   to go on after a kill
evaluation.py   `test`; decoders.py: the table of decoders, for the command line too
storage.py      a tagger on disk, and the checks of files that may come from anyone
recorded.py     pytorch-crf's weights with the emissions of a sentence
hugging_face.py a token-classification model of transformers, with a CRF on top or without
crfsuite.py     a model of CRFsuite
model_files.py  files of any of these → taggers
measured.py     metrics.json, read back
devices.py      where a network computes
model_card.py   metrics.json and MODEL_CARD.md
words.py        a typed sentence → words, by the tagger's tokeniser; tokeniser.py: the English one
tag_lines.py    `crf tag`: text_input.py → chains, entities.py → writers.py
fetch.py        download the treebank
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bundled import sample, shipped, shipped_names
    from .dataset import DataFileError, Sentence, TaggingDataset
    from .evaluation import Evaluation, test
    from .model import Encoder, Hyperparameters, Tagger
    from .storage import ModelFileError
    from .tokeniser import tokenise
    from .training import Settings, train
    from .vocabulary import Vocabulary

__all__ = [
    "DataFileError",
    "Encoder",
    "Evaluation",
    "Hyperparameters",
    "ModelFileError",
    "Sentence",
    "Settings",
    "Tagger",
    "TaggingDataset",
    "Vocabulary",
    "sample",
    "shipped",
    "shipped_names",
    "test",
    "tokenise",
    "train",
]

_HOME = {
    "DataFileError": "dataset",
    "Encoder": "model",
    "Evaluation": "evaluation",
    "Hyperparameters": "model",
    "ModelFileError": "storage",
    "Sentence": "dataset",
    "Settings": "training",
    "Tagger": "model",
    "TaggingDataset": "dataset",
    "Vocabulary": "vocabulary",
    "sample": "bundled",
    "shipped": "bundled",
    "shipped_names": "bundled",
    "test": "evaluation",
    "tokenise": "tokeniser",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is asked for: reading a file does not wait for PyTorch."""
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module 'crf.tagger' has no attribute {name!r}")
