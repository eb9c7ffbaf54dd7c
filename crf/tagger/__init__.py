"""Train and run taggers for parts of speech and named entities: a BiLSTM-CRF, or a CRF alone.

bundled.py      where the trained taggers, the sample of tagged sentences and the word clusters are
reading.py      files of sentences, with lines.py (encodings.py), layouts.py, columns.py, cells.py
features.py     words → indices of the word, its affixes, its characters, by `Vocabulary`
encoder.py      indices → vectors of the tokens
model.py        vectors → emissions → ChainCRF: `Tagger`
training.py     `train`: minimises the CRF's NLL; checkpoint.py: continues an interrupted run
auxiliary_losses.py  losses for the treebank's other columns
evaluation.py   `test`; decoders.py: the table of decoders, for the command line too
storage.py      a tagger on disk, and the checks of untrusted files
model_files.py  files → taggers: ours, hugging_face.py
devices.py      the device of a network
model_card.py   metrics.json and MODEL_CARD.md
tokeniser.py    a typed sentence → words, by the tagger's tokeniser
tag_lines.py    `crf tag`: text_input.py → chains → writers.py; many_files.py; unsure.py
errors.py       what a tagger gets wrong; span_formats.py, brat.py: spans of annotation tools
continuing.py   training from a tagger; transformer_training.py: with a network of Hugging Face
fetch.py        download the treebank
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bundled import sample, shipped, shipped_names
    from .encoder import Encoder, Hyperparameters
    from .evaluation import Evaluation, test
    from .features import Vocabulary
    from .lines import DataFileError
    from .model import Tagger
    from .reading import Sentence, TaggingDataset
    from .storage import ModelFileError
    from .tokeniser import tokenise
    from .training import Settings, train

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
    name: module
    for module, names in {
        "bundled": ("sample", "shipped", "shipped_names"),
        "evaluation": ("Evaluation", "test"),
        "encoder": ("Encoder", "Hyperparameters"),
        "features": ("Vocabulary",),
        "lines": ("DataFileError",),
        "model": ("Tagger",),
        "reading": ("Sentence", "TaggingDataset"),
        "storage": ("ModelFileError",),
        "tokeniser": ("tokenise",),
        "training": ("Settings", "train"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Import a name on first use, because reading a file need not wait for PyTorch."""
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module 'crf.tagger' has no attribute {name!r}")
