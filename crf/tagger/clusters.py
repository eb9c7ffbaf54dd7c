"""Word clusters: words that occur in like places of a large text, as leaves of a binary tree.

A word's path from the root, zeros and ones, is its cluster; the beginning of the path is a coarser
one. So a name that training has never seen is known to behave as other names do.

Source: Brown et al. (1992), "Class-based n-gram models of natural language".
"""

import gzip
import zlib
from pathlib import Path

ENGLISH = Path(__file__).parent / "clusters" / "english.tsv.gz"
"""75,724 English words; clusters/README.md says where they come from."""

MAX_BITS = 32


def read_clusters(path: str | Path) -> dict[str, str]:
    """The path of each word, in lower case.

    Args:
        path: A text file with a line per word: path, tab, word; what follows is ignored, so that
            the file `paths` of Percy Liang's program will do. May be gzipped (.gz).

    Raises:
        ValueError: The file is damaged, or a line is something else.
        OSError: The file cannot be read.

    Example:
        >>> read_clusters(ENGLISH)["london"]
        '0110010101'
    """
    path = Path(path)
    clusters: dict[str, str] = {}
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                bits, _, rest = line.rstrip("\n").partition("\t")
                word = rest.partition("\t")[0].lower()
                if not (bits and set(bits) <= {"0", "1"} and len(bits) <= MAX_BITS and word):
                    raise ValueError(
                        f"{path}, line {number}: expected a path of at most {MAX_BITS} zeros and "
                        "ones, a tab and a word; is it a table of clusters?"
                    )
                if " " not in word:
                    clusters.setdefault(word, bits)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected UTF-8 text, got {error.reason}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: the gzip file is damaged: {error}") from error
    if not clusters:
        raise ValueError(f"{path}: no word in it; expected a table of clusters")
    return clusters
