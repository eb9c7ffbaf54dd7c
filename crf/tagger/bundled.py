"""What comes with the package: trained taggers, and a sample of tagged sentences.

    Tagger.load(shipped("ner"))
    TaggingDataset.read(sample("dev.conllu"))

Both are under CC BY-SA 4.0, with the attribution in the card or README.md beside them.
"""

from pathlib import Path

_HERE = Path(__file__).parent


def shipped(name: str) -> Path:
    """The directory of a tagger that comes with the package.

    Args:
        name: One of `shipped_names()`.

    Raises:
        ValueError: There is no such tagger.
    """
    if name not in shipped_names():
        raise ValueError(f"name: expected one of {', '.join(shipped_names())}, got {name!r}")
    return _HERE / "shipped" / name


def shipped_names() -> list[str]:
    """The names of the taggers that come with the package."""
    return sorted(path.parent.name for path in (_HERE / "shipped").glob("*/tagger.json"))


def sample(name: str) -> Path:
    """A file of the sample of English web text: 500 sentences of the development set of EWT.

    Args:
        name: `train.conllu`, `dev.conllu` (parts of speech); `train.iob2`, `dev.iob2` (names, of
            the same sentences in the same order).

    Raises:
        ValueError: There is no such file.
    """
    path = _HERE / "sample" / name
    names = sorted(file.name for file in (_HERE / "sample").iterdir())
    if name not in names:
        raise ValueError(f"name: expected one of {', '.join(names)}, got {name!r}")
    return path
