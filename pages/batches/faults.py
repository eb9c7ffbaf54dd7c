"""Find the bug: which line of `pages.batches.faulty_code` is wrong, what it does, what is right.

fault = FAULTS["sorted"]
fault.run(batch), fault.right(batch)     # [B] numbers or paths, by the code and by the core
smallest("sorted").batch                 # the smallest batch on which they differ
"""

import inspect
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import torch

from crf.chain import LinearChain
from pages.batches import faulty_code
from pages.batches.batch import PAD, Batch, padded
from pages.shared.course.problem import Problem

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

    title: str  # what the code is for
    code: Callable[..., Any]  # the function or class, with its fault
    wrong: str  # the line that is wrong, as it stands there
    mended: str  # the same line, right
    result: str  # what is compared, for each row
    run: Callable[[Batch], list[RowResult]]  # [B] what the code gives
    right: Callable[[Batch], list[RowResult]]  # [B] what the core gives
    hints: tuple[str, str]  # what to look at, said after the first and the second wrong line
    why: str  # said with the answer
    # of other lines, by something that only they contain: why they are right
    innocent: dict[str, str] = field(default_factory=dict)
    # of `OUTCOMES`, those that are offered
    guesses: tuple[str, ...] = ("small", "large", "nan", "luck")

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
    "time-first": FaultyCode(
        title="An encoder",
        code=faulty_code.Encoder,
        wrong="self.lstm = nn.LSTM(size, size)",
        mended="self.lstm = nn.LSTM(size, size, batch_first=True)",
        result="log Z, of the encoder’s emissions",
        run=lambda batch: _encoded(batch, batch_first=False),
        right=lambda batch: _encoded(batch, batch_first=True),
        hints=(
            "Follow the comments: [B, L, E] goes into each layer. Which layer cares about the "
            "order of the first two axes?",
            "An nn.LSTM takes its first axis for time, unless it is told otherwise.",
        ),
        why="nn.LSTM reads [time, batch, size]. It is given [B, L, E], so it walks from row to row "
        "and takes each word’s context from the same place in the other sentences. All shapes fit, "
        "so nothing crashes.",
        innocent={
            "nn.Embedding": "An embedding looks up each word by itself: [B, L] → [B, L, E].",
            "nn.Linear": "A linear layer works on the last axis, whatever stands before it.",
            "hidden, _ =": "The call is as it should be. What does the layer take its axes for?",
        },
        guesses=("other", "nan", "luck"),
    ),
    "integers": FaultyCode(
        title="Scores of the paths",
        code=faulty_code.path_scores,
        wrong="scores = torch.zeros_like(lengths)",
        mended="scores = torch.zeros_like(lengths, dtype=emissions.dtype)",
        result="score of the best path",
        run=_run_path_scores,
        right=_right_path_scores,
        hints=(
            "Every term of the score is there. Ask of each tensor what kind of numbers it holds.",
            "“Like” copies the type, too. What type have lengths?",
        ),
        why="zeros_like(lengths) holds integers, as lengths does. Writing a score into it cuts off "
        "its decimals, without a word: 17.5 becomes 17.",
        innocent={
            "scores[b] = score": "Here the decimals get lost, but this line does what it says. "
            "Why can what it writes into not hold them?",
            "path = tags": "The tags of the words, without the padding: right.",
            "start[path[0]]": "Start and end count once each: right.",
            "path[:-1]": "The m − 1 pairs of neighbours: right.",
        },
    ),
    "sorted": FaultyCode(
        title="A loop that skips ended rows",
        code=faulty_code.log_z_shrinking,
        wrong="running = torch.arange(number)",
        mended="running = (lengths > t).nonzero()[:, 0]",
        result="log Z",
        run=_by_lengths(faulty_code.log_z_shrinking),
        right=_log_z,
        hints=(
            "Some rows go on, the others keep their α. Which rows go on?",
            "arange(3) is 0, 1, 2: the first rows. Are those the ones that still have a word?",
        ),
        why="The loop goes on with the first rows, however long they are. It is right if the "
        "rows are sorted, the longest first; otherwise short rows run on into the padding and long "
        "ones stop early.",
        innocent={
            "number = int": "The number is right. But which rows are they?",
            "index_copy": "This puts the rows back where they were taken from.",
            "arriving": "The sum runs over the tags one comes from: right.",
        },
    ),
    "pairs": FaultyCode(
        title="Expected transitions",
        code=faulty_code.transition_counts,
        wrong="has_pair = t < m",
        mended="has_pair = t < m - 1",
        result="expected number of transitions",
        run=_run_counts,
        right=_right_counts,
        hints=(
            "How many pairs of neighbours do m words have?",
            "At t, the pair is (t, t + 1), and t counts from 0. Which t is the last?",
        ),
        why="m words have m − 1 pairs. This line also counts a pair of the last word and what "
        "comes after it: padding, or, as roll goes round in a circle, the first word.",
        innocent={
            "torch.roll": "Roll goes round in a circle, but where it does no pair should be "
            "counted. Who says which pairs are?",
            "pair = alpha": "α, transition, emission and β: the four parts of a pair. Right.",
            "probability = ": "Dividing by Z, in log space: right.",
            "for t in range": "It may visit every column, as long as each row counts its own "
            "pairs only.",
        },
    ),
    "multiplied": FaultyCode(
        title="A loop with a mask",
        code=faulty_code.log_z_multiplied,
        wrong="alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha",
        mended="alpha = torch.where(mask[:, t, None], new, alpha)",
        result="log Z",
        run=_by_mask(faulty_code.log_z_multiplied),
        right=_log_z,
        hints=(
            "It works as long as every number is finite. Which line fails if some α is −∞?",
            "What is 0 · (−∞)?",
        ),
        why="0 · (−∞) is nan, and nan + anything is nan. A forbidden tag has α = −∞; the factor 0 "
        "does not remove it. torch.where selects and never touches the other value.",
        innocent={
            "keep = ": "A mask as numbers, 1 and 0: not wrong yet. What is done with it?",
            "arriving": "The sum runs over the tags one comes from; −∞ is no problem for it.",
            "torch.where(mask.any": "This selects: the value not chosen does not matter.",
        },
    ),
    "last-tag": FaultyCode(
        title="Best paths",
        code=faulty_code.best_paths,
        wrong="tag = (delta + end).argmax(dim=1) * mask[:, -1]",
        mended="tag = (delta + end).argmax(dim=1)",
        result="best path",
        run=lambda batch: _paths(faulty_code.best_paths(*batch.tensors())),
        right=lambda batch: _paths(_gold(batch)),
        hints=(
            "The forward loop is right: a row that has ended keeps its δ. Look at the way back.",
            "With which tag does the way back of a row start that has ended before the last "
            "column?",
        ),
        why="δ of a row that has ended is kept, so the argmax is its own last tag. Multiplied by "
        "the last column’s mask it becomes tag 0 for every shorter row, and the way back starts "
        "there.",
        innocent={
            "delta = torch.where": "This selects: a row that has ended keeps its δ.",
            "pointers.append": "Pointers are also stored for padded cells; nobody follows them.",
            "path = [": "Padded cells get −1: right. The tag itself is another matter.",
            "tag = torch.where": "Where the mask is False the tag stays, until the row’s own last "
            "word is reached: right.",
        },
        guesses=("path", "nan", "luck"),
    ),
    "unmasked": FaultyCode(
        title="A loop that cleans its padding",
        code=faulty_code.log_z_unmasked,
        wrong="alpha = arriving + emissions[:, t]",
        mended="alpha = torch.where(mask[:, t, None], arriving + emissions[:, t], alpha)",
        result="log Z",
        run=_by_mask(faulty_code.log_z_unmasked),
        right=_log_z,
        hints=(
            "Padded cells hold 0. Is a score of 0 the same as no word?",
            "What happens to α of a row that has ended?",
        ),
        why="A score of 0 is exp(0) = 1: allowed, for every tag. The row goes on through its "
        "padding and adds up paths over words that are not there.",
        innocent={
            "emissions = torch.where": "Cleaning the padding does no harm. Is it enough?",
            "alpha = start": "That is α of the first word: right.",
            "arriving = ": "The sum runs over the tags one comes from: right.",
            "torch.where(mask.any": "A row without words has log Z = 0: right.",
        },
    ),
}
