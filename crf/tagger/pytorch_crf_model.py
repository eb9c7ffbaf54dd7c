"""The CRF of another program, with the emissions that its network gave for a sentence.

pytorch-crf's state dict has `transitions` [S, S] from→to, `start_transitions` [S] and
`end_transitions` [S], as ours; as part of a model each name has a prefix, which is left out. The
network is not needed: what it gave for the sentence, [L, S], comes as CSV or JSON.

    token,DET,NOUN            {"tokens": ["the", "man"],
    the,2.0,-1.0               "labels": ["DET", "NOUN"],
    man,-1.5,0.5               "emissions": [[2.0, -1.0], [-1.5, 0.5]]}
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import Constraints, LinearChain
from ..strict_json import JsonError, read_json
from .model import AnyTagger, Sentences
from .storage import MAX_JSON_BYTES, ModelFileError, check_tags, read_tensors

MOST_TOKENS = 200
NAMES = ("transitions", "start_transitions", "end_transitions")
LARGEST = 1e9  # nats; a score that stands for "forbidden" is as low as that at times
_NUMBERS = f"a number of at most {LARGEST:g} in size or -inf"


class PytorchCrfModel(AnyTagger):
    """A CRF that knows the emissions of one sentence.

    Args:
        tags: The names of the S tags.
        tokens: The L words.
        emissions: [L, S] log-scores.
        tables: Log-scores: transitions [S, S] from row to column, start [S] and end [S].
    """

    def __init__(
        self,
        tags: Sequence[str],
        tokens: Sequence[str],
        emissions: Tensor,
        tables: Sequence[Tensor],
    ) -> None:
        self.tags, self.tokens = tuple(tags), tuple(tokens)
        self._emissions, self._tables = emissions, tables

    def chain(
        self, sentences: Sentences, backend: str = "auto", *, constraints: Constraints | None = None
    ) -> LinearChain:
        """p(tags | words) of its sentence.

        Raises:
            ModelFileError: Another sentence is asked for.
        """
        if [tuple(words) for words in sentences] != [self.tokens]:
            raise ModelFileError(
                "the emissions of one sentence are known, of no other: it is "
                f"“{' '.join(self.tokens)}”"
            )
        return padded_chain([self._emissions], self._tables, constraints, backend)

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Nothing is known of its training data: no token is marked."""
        return [False] * len(tokens)

    def state_dict(self) -> dict[str, Tensor]:
        """Every number that the answers depend on."""
        return {"emissions": self._emissions} | dict(zip(NAMES, self._tables, strict=True))

    @classmethod
    def from_bytes(cls, weights: bytes, emissions: bytes, name: str) -> "PytorchCrfModel":
        """Read a safetensors file with the state dict and the CSV or JSON file of this name.

        Raises:
            ModelFileError: A file is damaged, or the two do not fit.
        """
        is_json = emissions.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        said = (_from_json if is_json else _from_csv)(emissions, name)
        tokens, tags, rows = _checked(*said, name)
        scores = torch.tensor(rows, dtype=torch.float64)
        tables = crf_tables(read_tensors(weights, "weights"), len(tags), name)
        return cls(tags, tokens, scores, tables)


def padded_chain(
    rows: Sequence[Tensor],
    tables: Sequence[Tensor],
    constraints: Constraints | None,
    backend: str = "auto",
) -> LinearChain:
    """Return the chain of a ragged batch.

    Each row has the emissions [L, S] of a sentence; the tables are transitions [S, S], start [S]
    and end [S].
    """
    lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
    longest = int(lengths.max()) if len(rows) else 0
    emissions = tables[0].new_zeros(len(rows), longest, len(tables[0]))
    for b, row in enumerate(rows):
        emissions[b, : len(row)] = row
    transitions, start, end = tables
    scores = (emissions, transitions, start, end)
    if constraints is not None:
        scores = constraints.apply(*scores)
    return LinearChain(*scores, torch.arange(longest) < lengths[:, None], backend=backend)


def crf_tables(tensors: Mapping[str, Tensor], S: int, name: str) -> list[Tensor]:
    """The tables `NAMES` of a state dict, as float64: checked before anything is converted.

    A prefix of a table's name, such as "model.crf.", is left out. The S labels are those that the
    file called `name` has.

    Raises:
        ModelFileError: A table is missing, is there twice, or has another shape or odd numbers.
    """
    found = []
    for table, shape in zip(NAMES, ((S, S), (S,), (S,)), strict=True):
        fitting = [key for key in tensors if key == table or key.endswith(f".{table}")]
        if len(fitting) != 1:
            raise ModelFileError(
                f"weights: expected one tensor called {table}, as in a state dict of pytorch-crf, "
                f"got {len(fitting)}"
            )
        tensor = tensors[fitting[0]]
        if tensor.shape != shape:
            raise ModelFileError(
                f"{table}: expected shape {shape} for the {S} labels of {name}, got "
                f"{tuple(tensor.shape)}; use the labels in the order of the CRF"
            )
        if not tensor.is_floating_point():
            raise ModelFileError(
                f"{table}: expected floating-point numbers, got {tensor.dtype}; save the state "
                "dict as pytorch-crf has it"
            )
        tensor = tensor.double()
        if not ((tensor.abs() <= LARGEST) | (tensor == -torch.inf)).all():
            raise ModelFileError(f"{table}: expected {_NUMBERS}, got nan or a larger one")
        found.append(tensor)
    return found


def _from_csv(content: bytes, name: str) -> tuple[Any, Any, Any]:
    """The words, the labels and the rows of numbers, as they stand there."""
    try:
        text = content.decode("utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelFileError(f"{name}: expected CSV in UTF-8, got {error}") from error
    if len(rows) < 2:
        raise ModelFileError(f"{name}: expected a header with the labels and a row for each word")
    (_, *tags), *lines = rows
    return [line[0] for line in lines], tags, [line[1:] for line in lines]


def _from_json(content: bytes, name: str) -> tuple[Any, Any, Any]:
    try:
        said = read_json(content, MAX_JSON_BYTES)
    except JsonError as error:
        raise ModelFileError(f"{name}: not JSON ({error})") from None
    if not isinstance(said, dict) or not {"tokens", "labels", "emissions"} <= said.keys():
        raise ModelFileError(f"{name}: expected an object with tokens, labels and emissions")
    return said["tokens"], said["labels"], said["emissions"]


def _checked(
    tokens: Any, tags: Any, rows: Any, name: str
) -> tuple[list[str], list[str], list[list[float]]]:
    check_tags(tags, name)
    if not isinstance(tokens, list) or not 1 <= len(tokens) <= MOST_TOKENS:
        raise ModelFileError(f"{name}: expected 1 to {MOST_TOKENS} tokens")
    for token in tokens:
        if not (isinstance(token, str) and 0 < len(token) <= 1000 and _is_visible(token)):
            raise ModelFileError(
                f"{name}: expected tokens of visible characters, got {ascii(token)[:40]}"
            )
    if not isinstance(rows, list) or len(rows) != len(tokens):
        raise ModelFileError(f"{name}: expected a row of emissions for each of {len(tokens)} words")
    for token, row in zip(tokens, rows, strict=True):
        if not isinstance(row, list) or len(row) != len(tags):
            raise ModelFileError(
                f"{name}: expected {len(tags)} emissions of {token[:40]!r}, one for each label"
            )
    return tokens, tags, [[_number(value, name) for value in row] for row in rows]


def _is_visible(word: str) -> bool:
    """Whether a word can be shown: joiners are part of some scripts' words, and of emoji."""
    return bool(word.strip()) and word.translate({0x200C: None, 0x200D: None}).isprintable()


def _number(value: Any, name: str) -> float:
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not (abs(number) <= LARGEST or number == float("-inf")):  # nan, too
        raise ModelFileError(
            f"{name}: expected emissions, each {_NUMBERS}, got {ascii(value)[:20]}"
        )
    return number
