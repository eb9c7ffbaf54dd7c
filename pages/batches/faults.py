"""Find the bug: which line of `pages.batches.faulty_code` is wrong, what comes out, what is right.

fault = FAULTS["sorted"]
compare(fault, batch)       # a row's number or path by the code, and by the core
fault.smallest              # a small batch on which they differ
"""

import inspect
import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.batches import faulty_code
from pages.batches.batch import PAD, Batch, padded
from pages.shared.course.problem import Problem

RowResult = float | tuple[int, ...]
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class FaultyCode:
    """A fault, in code that runs."""

    name: str  # its passages in the lesson's beats.md are why-NAME, hint-NAME, innocent-NAME-1 …
    code: Callable[..., Any]  # the function or class, with its fault
    wrong: str  # the line that is wrong, as it stands there
    mended: str  # the same line, right
    right: Callable[[Batch], Tensor]  # what the core gives: a number for each row, or its path
    innocent: tuple[str, ...]  # of other lines, something that only they contain
    lengths: tuple[int, ...]  # of the sentences in a small batch that reveals it
    forbids: bool = False  # whether a tag must be forbidden there
    # what a reader can guess of a row; passages `option-OUTCOME`
    outcomes: tuple[str, ...] = ("small", "large", "nan", "luck")

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The source below its docstring."""
        below = inspect.getsource(self.code).splitlines()[2:]
        return tuple(textwrap.dedent("\n".join(filter(None, below))).splitlines())

    @cached_property
    def line(self) -> int:
        """The index of the wrong line."""
        return [line.strip() for line in self.lines].index(self.wrong)

    @property
    def smallest(self) -> Batch:
        """A small batch that reveals it."""
        return small(self.lengths, self.forbids)


class Compared(NamedTuple):
    """A row's result beside the right one."""

    got: RowResult  # by the code
    right: RowResult  # by the core
    outcome: str  # of the fault's `outcomes`, or "other"; "luck" where they are the same

    @property
    def same(self) -> bool:
        """Whether both results agree."""
        return self.outcome == "luck"


def compare(fault: FaultyCode, batch: Batch) -> list[Compared]:
    """The code's results beside the right ones, for each row of a batch.

    The batch must be padded on the right, each row with an allowed path.
    """
    found = []
    for got, right in zip(results(fault.code, batch), _rows(fault.right(batch)), strict=True):
        outcome = _outcome(got, right)
        found.append(Compared(got, right, outcome if outcome in fault.outcomes else "other"))
    return found


def results(code: Callable[..., Any], batch: Batch) -> list[RowResult]:
    """The results of a piece of code, row by row."""
    if code is faulty_code.Encoder:
        return _rows(encoded(batch, batch_first=False))
    found = code(**_given(code, batch))
    return _rows(found[0] if isinstance(found, tuple) else found)


def _given(code: Callable[..., Any], batch: Batch) -> dict[str, Tensor]:
    """The tensors that a code's parameters are called after."""
    chain, tensors = batch.chain(), batch.tensors()
    given = dict(zip(("emissions", "T", "start", "end", "mask"), tensors, strict=True))
    given |= {
        "lengths": given["mask"].sum(1), "tags": chain.viterbi().tags,
        "alpha": chain.log_alphas, "beta": chain.log_betas, "log_z": chain.log_partition,
    }  # fmt: skip
    return {name: given[name] for name in inspect.signature(code).parameters}


def alphas(fault: FaultyCode, batch: Batch) -> list[Tensor]:
    """The code's `alpha` after each column, [B, S]; [] if it has no such loop."""
    found = None if fault.code is faulty_code.Encoder else fault.code(**_given(fault.code, batch))
    return found[1] if isinstance(found, tuple) else []


def _rows(found: Tensor) -> list[RowResult]:
    """Paths without their padding, where there are some, else numbers."""
    if found.dim() > 1:
        return [tuple(s for s in row if s >= 0) for row in found.tolist()]
    return list(map(float, found.tolist()))


def _outcome(got: RowResult, right: RowResult) -> str:
    if isinstance(got, tuple) or isinstance(right, tuple):
        return "luck" if got == right else "path"
    if math.isnan(got):
        return "nan"
    if abs(got - right) <= _TOLERANCE * max(1.0, abs(right)):
        return "luck"
    return "small" if got < right else "large"


def on_screen(batch: Batch) -> Batch:
    """The batch as this code expects it: padded on the right, rows without a path left out."""
    feasible = batch.chain().feasible.tolist()
    rows = [batch.words(b) or (PAD,) for b, ok in enumerate(feasible) if ok]
    return Batch(batch.model, padded(rows)) if rows else small((2, 1))


def small(lengths: tuple[int, ...], forbids: bool = False) -> Batch:
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


# ---------------------------------------------------------------------- what is right


def _log_z(batch: Batch) -> Tensor:
    return batch.chain().log_partition


def _best(batch: Batch) -> Tensor:
    return batch.chain().viterbi().tags


def encoded(batch: Batch, batch_first: bool = True) -> Tensor:
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
    return LinearChain(emissions, transitions, start, end, mask).log_partition


FAULTS = {
    fault.name: fault
    for fault in (
        FaultyCode(
            "multiplied",
            faulty_code.log_z_multiplied,
            "alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha",
            "alpha = torch.where(mask[:, t, None], new, alpha)",
            _log_z,
            innocent=("keep = ", "arriving", "torch.where(mask.any"),
            lengths=(2,),
            forbids=True,
        ),
        FaultyCode(
            "time-first",
            faulty_code.Encoder,
            "self.lstm = nn.LSTM(size, size)",
            "self.lstm = nn.LSTM(size, size, batch_first=True)",
            encoded,
            innocent=("nn.Embedding", "nn.Linear", "hidden, _ ="),
            lengths=(2,),
            outcomes=("other", "nan", "luck"),
        ),
        FaultyCode(
            "integers",
            faulty_code.path_scores,
            "scores = torch.zeros_like(lengths)",
            "scores = torch.zeros_like(lengths, dtype=emissions.dtype)",
            lambda batch: batch.chain().score(_best(batch)),
            innocent=("scores[b] = score", "path = tags", "start[path[0]]", "path[:-1]"),
            lengths=(1,),
        ),
        FaultyCode(
            "sorted",
            faulty_code.log_z_shrinking,
            "running = torch.arange(number)",
            "running = (lengths > t).nonzero()[:, 0]",
            _log_z,
            innocent=("number = int", "index_copy", "arriving"),
            lengths=(1, 2),
        ),
        FaultyCode(
            "pairs",
            faulty_code.transition_counts,
            "has_pair = t < m",
            "has_pair = t < m - 1",
            lambda batch: batch.chain().pair_marginals.sum((1, 2, 3)),
            innocent=("torch.roll", "pair = alpha", "p = torch.exp", "for t in range"),
            lengths=(1,),
        ),
        FaultyCode(
            "last-tag",
            faulty_code.best_paths,
            "tag = (delta + end).argmax(dim=1) * mask[:, -1]",
            "tag = (delta + end).argmax(dim=1)",
            _best,
            innocent=("delta = torch.where", "pointers.append", "path = [", "tag = torch.where"),
            lengths=(1, 2),
            outcomes=("path", "nan", "luck"),
        ),
        FaultyCode(
            "unmasked",
            faulty_code.log_z_unmasked,
            "alpha = arriving + emissions[:, t]",
            "alpha = torch.where(mask[:, t, None], arriving + emissions[:, t], alpha)",
            _log_z,
            innocent=("emissions = torch.where", "alpha = start", "arriving = ", "mask.any"),
            lengths=(1, 2),
        ),
    )
}
