"""Files of the package: trained taggers, and a sample of tagged sentences.

    Tagger.load(shipped("ner"))
    TaggingDataset.read(sample("dev.conllu"))

Both are under CC BY-SA 4.0, with the attribution in the card or README.md beside them.
"""

import gzip
from pathlib import Path

_HERE = Path(__file__).parent


def shipped(name: str) -> Path:
    """Return the directory of a tagger that comes with the package.

    Raises:
        ValueError: The name is not one of `shipped_names()`.
    """
    return _HERE / "shipped" / _one_of(shipped_names(), name)


def shipped_names() -> list[str]:
    """Return the names of the taggers that come with the package."""
    return sorted(path.parent.name for path in (_HERE / "shipped").glob("*/tagger.json"))


def sample(name: str) -> Path:
    """Return a file of the bundled sample of English web text, 500 development sentences of EWT.

    `train.conllu` and `dev.conllu` have parts of speech; `train.iob2` and `dev.iob2` have the named
    entities of the same sentences in the same order.

    Raises:
        ValueError: The sample has no file of this name.
    """
    folder = _HERE / "sample"
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
    with gzip.open(_HERE / "clusters" / "english.tsv.gz", "rt", encoding="utf-8") as lines:
        pairs = (line.rstrip("\n").split("\t") for line in lines)
        return {word: path for path, word in pairs}
