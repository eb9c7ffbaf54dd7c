"""The tagger: words in, part-of-speech tags out, by a BiLSTM (or nothing) under a CRF.

dataset.py      a CoNLL-U treebank → sentences of words and tags
vocabulary.py   strings ↔ indices
features.py     words → indices of the word, its affixes, its characters
model.py        indices → emissions → ChainCRF: `Encoder`, `Tagger`
training.py     `train`: the CRF's NLL, by Adam
hints.py        auxiliary losses in training
checkpoint.py   to go on after a kill
evaluation.py   `test`
storage.py      a tagger on disk, and the checks of files that may come from anyone
model_card.py   metrics.json and MODEL_CARD.md
tokeniser.py    a typed sentence → words as the treebank splits them
fetch.py        download the treebank
"""

from crf.tagger.dataset import DataFileError, Sentence, TaggingDataset
from crf.tagger.evaluation import Evaluation, test
from crf.tagger.model import Encoder, Hyperparameters, Tagger
from crf.tagger.storage import ModelFileError
from crf.tagger.tokeniser import tokenise
from crf.tagger.training import Settings, train
from crf.tagger.vocabulary import Vocabulary

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
    "test",
    "tokenise",
    "train",
]
