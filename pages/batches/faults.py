"""Find the bug: which line of `pages.batches.faulty_code` is wrong, what it does, what is right.

fault = FAULTS["sorted"]
fault.run(batch), fault.right(batch)     # [B] numbers or paths, by the code and by the core
smallest("sorted").batch                 # the smallest batch on which they differ
"""

import inspect
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import torch

from crf.chain import LinearChain
from pages.batches import faulty_code
from pages.batches.batch import PAD, Batch, padded
from pages.shared.contents import PAGES
from pages.shared.course.problem import Problem
from pages.shared.figures.text import LessonText

RowResult = float | tuple[int, ...]
TOLERANCE = 1e-9

OUTCOMES = {
    "small": "too small",
    "large": "too large",
    "nan": "nan",
    "path": "a wrong path",
    "other": "another number",
    "luck": "the right result, by luck",
}


@dataclass(frozen=True)
class FaultyCode:
    """A fault, in code that runs."""

    name: str  # its words are the table bug-NAME of the lesson's text
    code: Callable[..., Any]  # the function or class, with its fault
    wrong: str  # the line that is wrong, as it stands there
    mended: str  # the same line, right
    run: Callable[[Batch], list[RowResult]]  # [B] what the code gives
    right: Callable[[Batch], list[RowResult]]  # [B] what the core gives
    innocent: tuple[str, ...] = ()  # of other lines, something that only they contain
    guesses: tuple[str, ...] = ("small", "large", "nan", "luck")  # those of `OUTCOMES` on offer

    def told(self, case: str) -> str:
        """What is said of it: its "title", its "result", "hint-1", "why", "innocent-1" …."""
        return LessonText.load(PAGES / "batches" / "text.md").line(f"bug-{self.name}.{case}")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The source."""
        return tuple(inspect.getsource(self.code).rstrip().splitlines())

    @cached_property
    def line(self) -> int:
        """The index of the wrong line."""
        return [line.strip() for line in self.lines].index(self.wrong)


class Compared(NamedTuple):
    """What came out for a row, and what is right."""

    row: int  # index of the row
    got: RowResult  # by the code
    right: RowResult  # by the core
    outcome: str  # a key of `OUTCOMES`


def compare(fault: FaultyCode, batch: Batch) -> list[Compared]:
    """The code's results beside the right ones, for each row of a batch.

    Args:
        fault: One of `FAULTS`.
        batch: Padded on the right, each row with an allowed path.
    """
    pairs = zip(fault.run(batch), fault.right(batch), strict=True)
    found = [(b, got, right, _outcome(got, right)) for b, (got, right) in enumerate(pairs)]
    return [
        Compared(b, got, right, kind if kind in fault.guesses else "other")
        for b, got, right, kind in found
    ]


def _outcome(got: RowResult, right: RowResult) -> str:
    if isinstance(got, tuple) or isinstance(right, tuple):
        return "luck" if got == right else "path"
    if math.isnan(got):
        return "nan"
    if abs(got - right) <= TOLERANCE * max(1.0, abs(right)):
        return "luck"
    return "small" if got < right else "large"


def on_screen(batch: Batch) -> Batch:
    """The batch as this code expects it: padded on the right, rows without a path left out."""
    chain = batch.chain()
    rows = [batch.words(b) for b, ok in enumerate(chain.feasible.tolist()) if ok]
    return Batch(batch.model, padded([row or (PAD,) for row in rows])) if rows else _small((2, 1))


def asked(compared: list[Compared]) -> Compared:
    """The row that the reader is asked about: the first that is wrong, else the last."""
    return next((row for row in compared if row.outcome != "luck"), compared[-1])


# ------------------------------------------------------------ the smallest batch that reveals it


class Revealed(NamedTuple):
    """A batch that reveals a fault."""

    batch: Batch  # the batch
    forbids: bool  # whether its model forbids a tag at the start
    compared: list[Compared]  # what comes out


def candidates() -> list[tuple[Batch, bool]]:
    """Small batches, smallest first: by cells, then rows; those that forbid something last."""
    lengths = [n for B in (1, 2) for n in itertools.product(range(3), repeat=B) if max(n)]
    lengths.sort(key=lambda n: (len(n) * max(n), len(n), max(n) - min(n)))
    return [(_small(n, forbids), forbids) for n in lengths for forbids in (False, True)]


@lru_cache(maxsize=16)
def smallest(name: str) -> Revealed:
    """The first of `candidates` on which a fault shows."""
    for batch, forbids in candidates():
        compared = compare(FAULTS[name], batch)
        if any(row.outcome != "luck" for row in compared):
            return Revealed(batch, forbids, compared)
    raise AssertionError(name)


def _small(lengths: tuple[int, ...], forbids: bool = False) -> Batch:
    """Rows of these lengths over two tags, with scores that no fault gets right by accident."""
    model = Problem(
        ("A", "B"),
        ("u", "v", "w", "x"),
        ((0.75, 1.5), (-0.5, 0.25), (1.25, 2.25), (0.5, -1.25)),
        ((0.5, -1.0), (1.25, 0.25)),
        (-math.inf if forbids else 0.25, -0.5),
        (-0.75, 0.5),
    )
    words = iter(model.tokens)
    return Batch(model, padded([tuple(next(words) for _ in range(n)) or (PAD,) for n in lengths]))


# ---------------------------------------------------------------------- how each of them is run


def _numbers(values: Any) -> list[RowResult]:
    return [float(value) for value in values.tolist()]


def _log_z(batch: Batch) -> list[RowResult]:
    return _numbers(batch.chain().log_partition)


def _gold(batch: Batch) -> Any:
    return batch.chain().viterbi().tags


def _by_mask(code: Callable[..., Any]) -> Callable[[Batch], list[RowResult]]:
    return lambda batch: _numbers(code(*batch.tensors()))


def _by_lengths(code: Callable[..., Any]) -> Callable[[Batch], list[RowResult]]:
    def run(batch: Batch) -> list[RowResult]:
        *scores, mask = batch.tensors()
        return _numbers(code(*scores, mask.sum(1)))

    return run


def _run_path_scores(batch: Batch) -> list[RowResult]:
    emissions, transitions, start, end, mask = batch.tensors()
    given = (emissions, transitions, start, end, mask.sum(1), _gold(batch))
    return _numbers(faulty_code.path_scores(*given))


def _right_path_scores(batch: Batch) -> list[RowResult]:
    return _numbers(batch.chain().score(_gold(batch)))


def _run_counts(batch: Batch) -> list[RowResult]:
    emissions, transitions, _, _, mask = batch.tensors()
    chain = batch.chain()
    given = (chain.log_alphas, chain.log_betas, emissions, transitions, chain.log_partition, mask)
    return _numbers(faulty_code.transition_counts(*given))


def _right_counts(batch: Batch) -> list[RowResult]:
    return _numbers(batch.chain().pair_marginals.sum((1, 2, 3)))


def _paths(tags: Any) -> list[RowResult]:
    return [tuple(s for s in row if s >= 0) for row in tags.tolist()]


def _encoded(batch: Batch, batch_first: bool) -> list[RowResult]:
    """log Z of each row, its emissions from an encoder whose weights are the same every time."""
    names = sorted({word for row in batch.rows for word in row} - {PAD})
    ids = torch.tensor([[0 if w == PAD else 1 + names.index(w) for w in r] for r in batch.rows])
    encoder = faulty_code.Encoder(len(names) + 1, batch.shape[2])
    encoder.lstm.batch_first = batch_first
    seeded = torch.Generator().manual_seed(1)  # of its own: other readers' threads draw, too
    with torch.no_grad():
        for weights in encoder.parameters():
            torch.nn.init.uniform_(weights, -0.5, 0.5, generator=seeded)
        emissions = encoder(ids).double()
    _, transitions, start, end, mask = batch.tensors()
    return _numbers(LinearChain(emissions, transitions, start, end, mask).log_partition)


FAULTS = {
    fault.name: fault
    for fault in (
        FaultyCode(
            "time-first",
            faulty_code.Encoder,
            "self.lstm = nn.LSTM(size, size)",
            "self.lstm = nn.LSTM(size, size, batch_first=True)",
            lambda batch: _encoded(batch, batch_first=False),
            lambda batch: _encoded(batch, batch_first=True),
            innocent=("nn.Embedding", "nn.Linear", "hidden, _ ="),
            guesses=("other", "nan", "luck"),
        ),
        FaultyCode(
            "integers",
            faulty_code.path_scores,
            "scores = torch.zeros_like(lengths)",
            "scores = torch.zeros_like(lengths, dtype=emissions.dtype)",
            _run_path_scores,
            _right_path_scores,
            innocent=("scores[b] = score", "path = tags", "start[path[0]]", "path[:-1]"),
        ),
        FaultyCode(
            "sorted",
            faulty_code.log_z_shrinking,
            "running = torch.arange(number)",
            "running = (lengths > t).nonzero()[:, 0]",
            _by_lengths(faulty_code.log_z_shrinking),
            _log_z,
            innocent=("number = int", "index_copy", "arriving"),
        ),
        FaultyCode(
            "pairs",
            faulty_code.transition_counts,
            "has_pair = t < m",
            "has_pair = t < m - 1",
            _run_counts,
            _right_counts,
            innocent=("torch.roll", "pair = alpha", "probability = ", "for t in range"),
        ),
        FaultyCode(
            "multiplied",
            faulty_code.log_z_multiplied,
            "alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha",
            "alpha = torch.where(mask[:, t, None], new, alpha)",
            _by_mask(faulty_code.log_z_multiplied),
            _log_z,
            innocent=("keep = ", "arriving", "torch.where(mask.any"),
        ),
        FaultyCode(
            "last-tag",
            faulty_code.best_paths,
            "tag = (delta + end).argmax(dim=1) * mask[:, -1]",
            "tag = (delta + end).argmax(dim=1)",
            lambda batch: _paths(faulty_code.best_paths(*batch.tensors())),
            lambda batch: _paths(_gold(batch)),
            innocent=("delta = torch.where", "pointers.append", "path = [", "tag = torch.where"),
            guesses=("path", "nan", "luck"),
        ),
        FaultyCode(
            "unmasked",
            faulty_code.log_z_unmasked,
            "alpha = arriving + emissions[:, t]",
            "alpha = torch.where(mask[:, t, None], arriving + emissions[:, t], alpha)",
            _by_mask(faulty_code.log_z_unmasked),
            _log_z,
            innocent=(
                "emissions = torch.where",
                "alpha = start",
                "arriving = ",
                "torch.where(mask.any",
            ),
        ),
    )
}
