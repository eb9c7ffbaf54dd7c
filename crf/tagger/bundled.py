"""The data of the taggers: trained ones, a sample of tagged sentences, word clusters.

    Tagger.load(shipped("ner"))
    TaggingDataset.read(sample("dev.conllu"))

They are the distribution `crf_taggers`, or `assets/taggers` in a clone. The first two are under
CC BY-SA 4.0, with the attribution in the card or README.md beside them.
"""

import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def data_folder() -> Path:
    """Return the folder of the data: that of the clone, else that of the package `crf_taggers`.

    Raises:
        ModuleNotFoundError: There is neither.
    """
    clone = Path(__file__).parents[2] / "assets" / "taggers"
    if clone.is_dir():
        return clone
    if (spec := find_spec("crf_taggers")) and spec.origin:
        return Path(spec.origin).parent
    raise ModuleNotFoundError(
        "it needs the trained taggers, which are not installed: in a clone run "
        "pip install ./assets/taggers, or give a tagger of your own",
        name="crf_taggers",
    )


def shipped(name: str) -> Path:
    """Return the directory of a trained tagger that comes along.

    Raises:
        ValueError: The name is not one of `shipped_names()`.
    """
    return data_folder() / "shipped" / _one_of(shipped_names(), name)


def shipped_names() -> list[str]:
    """Return the names of the trained taggers that come along."""
    return sorted(path.parent.name for path in (data_folder() / "shipped").glob("*/tagger.json"))


def sample(name: str) -> Path:
    """Return a file of the bundled sample of English web text, 500 development sentences of EWT.

    `train.conllu` and `dev.conllu` have parts of speech; `train.iob2` and `dev.iob2` have the named
    entities of the same sentences in the same order.

    Raises:
        ValueError: The sample has no file of this name.
    """
    folder = data_folder() / "sample"
    return folder / _one_of(sorted(file.name for file in folder.iterdir()), name)


def _one_of(names: list[str], name: str) -> str:
    if name not in names:
        raise ValueError(f"name: expected one of {', '.join(names)}, got {name!r}")
    return name


def english_clusters() -> dict[str, str]:
    """Return the path of each of 75,724 English words in a tree of word clusters.

    A word's path from the root, zeros and ones, is its cluster; the beginning of the path is a
    coarser one. So a name that training has never seen is known to behave as other names do.
    clusters/README.md says where the table comes from.

    Source: Brown et al. (1992), "Class-based n-gram models of natural language".

    Example:
        >>> english_clusters()["london"]
        '0110010101'
    """
    with gzip.open(data_folder() / "clusters" / "english.tsv.gz", "rt", encoding="utf-8") as lines:
        pairs = (line.rstrip("\n").split("\t") for line in lines)
        return {word: path for path, word in pairs}
