"""Word clusters from word vectors, for languages that have no table of Brown clusters.

    file of word2vec or fastText, as text → the most frequent words → halves of halves of … them

The words are cut in two along the direction in which their vectors differ most, each half again,
and so on (principal direction divisive partitioning). A word's path of halves, zeros and ones, is
its cluster, as `bundled.english_clusters` has it, and the beginning of the path a coarser one.

Source: Boley (1998), "Principal direction divisive partitioning".
"""

from pathlib import Path

import torch
from torch import Tensor

from .lines import LineError, TextSource

MOST_WORDS = 60_000  # the first of the file, which has frequent ones first
DEPTH = 10  # bits of a path
SMALLEST = 8  # words of a cluster that is not cut any more


def clusters_of(path: Path, encoding: str = "utf-8") -> dict[str, str]:
    """Return the cluster of each of the first words of a file, in lower case.

    Args:
        path: Text, plain or gzipped: a word and its numbers on each line, separated by spaces; the
            first line may have the number of words and of dimensions.
        encoding: Of the text.

    Raises:
        DataFileError: The file cannot be read, or a line has another number of numbers.
    """
    words, rows = list[str](), list[Tensor]()
    source, seen = TextSource(path, encoding=encoding), set[str]()
    with source.explained():
        for number, line in source.lines():
            word, *cells = line.rstrip().split(" ")
            if number == 1 and len(cells) == 1:
                continue
            try:
                vector = torch.tensor([float(cell) for cell in cells])
            except ValueError:
                raise LineError(number, _expected(line)) from None
            if len(cells) < 2 or (rows and len(vector) != len(rows[0])):
                raise LineError(number, _expected(line))
            if not bool(vector.isfinite().all()):
                raise LineError(number, "expected finite numbers, got nan or an infinite one")
            if (word := word.lower()) and word not in seen:
                seen.add(word)
                words.append(word)
                rows.append(vector)
            if len(words) == MOST_WORDS:
                break
        if not words:
            raise LineError(0, "no word in it; expected a word and its numbers on each line")
    vectors = torch.nn.functional.normalize(torch.stack(rows), dim=1)
    paths = [""] * len(words)
    _cut(vectors, torch.arange(len(words)), paths, DEPTH)
    return dict(zip(words, paths, strict=True))


def _expected(line: str) -> str:
    return (
        "expected a word and as many numbers as on the other lines, separated by spaces, as "
        f"word2vec and fastText write them as text; got {line[:40]!a}"
    )


def _cut(vectors: Tensor, rows: Tensor, paths: list[str], depth: int) -> None:
    """Append a bit to the path of each of some rows, and cut both halves."""
    if depth == 0 or len(rows) < 2 * SMALLEST:
        return
    part = vectors[rows]
    part = part - part.mean(0)
    direction = torch.linalg.eigh(part.T @ part).eigenvectors[:, -1]
    direction = direction * (1 if direction[direction.abs().argmax()] > 0 else -1)
    is_right = part @ direction > 0
    for bit, half in (("0", rows[~is_right]), ("1", rows[is_right])):
        for row in half.tolist():
            paths[row] += bit
        if len(half) < len(rows):
            _cut(vectors, half, paths, depth - 1)
