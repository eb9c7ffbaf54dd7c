"""Find the bug: seven faults that published implementations have, each as code that runs.

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
from torch import Tensor, logsumexp, nn

from crf.chain import LinearChain
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


class Comparison(NamedTuple):
    """A row's result beside the right one."""

    got: RowResult  # by the code
    right: RowResult  # by the core
    outcome: str  # of the fault's `outcomes`, or "other"; "luck" where they are the same

    @property
    def same(self) -> bool:
        """Whether both results agree."""
        return self.outcome == "luck"


def compare(fault: FaultyCode, batch: Batch) -> list[Comparison]:
    """The code's results beside the right ones, for each row of a batch.

    The batch must be padded on the right, each row with an allowed path.
    """
    rows = []
    for got, right in zip(results(fault.code, batch), _rows(fault.right(batch)), strict=True):
        outcome = _outcome(got, right)
        rows.append(Comparison(got, right, outcome if outcome in fault.outcomes else "other"))
    return rows


def results(code: Callable[..., Any], batch: Batch) -> list[RowResult]:
    """The results of a piece of code, row by row."""
    if code is Encoder:
        return _rows(encoded(batch, batch_first=False))
    result = code(**_arguments(code, batch))
    return _rows(result[0] if isinstance(result, tuple) else result)


def _arguments(code: Callable[..., Any], batch: Batch) -> dict[str, Tensor]:
    """The tensors that a code's parameters are called after."""
    chain, tensors = batch.chain(), batch.tensors()
    arguments = dict(zip(("emissions", "T", "start", "end", "mask"), tensors, strict=True))
    arguments |= {
        "lengths": arguments["mask"].sum(1),
        "tags": chain.viterbi().tags,
        "alpha": chain.log_alphas,
        "beta": chain.log_betas,
        "log_z": chain.log_partition,
    }
    return {name: arguments[name] for name in inspect.signature(code).parameters}


def alphas(fault: FaultyCode, batch: Batch) -> list[Tensor]:
    """The code's `alpha` after each column, [B, S]; [] if it has no such loop."""
    result = None if fault.code is Encoder else fault.code(**_arguments(fault.code, batch))
    return result[1] if isinstance(result, tuple) else []


def _rows(result: Tensor) -> list[RowResult]:
    """Paths without their padding, where there are some, else numbers."""
    if result.dim() > 1:
        return [tuple(s for s in row if s >= 0) for row in result.tolist()]
    return list(map(float, result.tolist()))


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
    encoder = Encoder(len(names) + 1, batch.shape[2])
    encoder.lstm.batch_first = batch_first
    seeded = torch.Generator().manual_seed(1)  # of its own: other readers' threads draw, too
    with torch.no_grad():
        for weights in encoder.parameters():
            torch.nn.init.uniform_(weights, -0.5, 0.5, generator=seeded)
        emissions = encoder(ids).double()
    _, transitions, start, end, mask = batch.tensors()
    return LinearChain(emissions, transitions, start, end, mask).log_partition


# ---------------------------------------------------------------------- code with one wrong line


class Encoder(nn.Module):
    """Words [B, L] → emissions [B, L, S]."""

    def __init__(self, words, tags, size=8):
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, size)
        self.to_tags = nn.Linear(size, tags)

    def forward(self, words):
        embedded = self.embedding(words)  # [B, L, E]
        hidden, _ = self.lstm(embedded)  # [B, L, H]
        return self.to_tags(hidden)  # [B, L, S]


def path_scores(emissions, T, start, end, lengths, tags):
    """The score of one path per row: [B]."""
    scores = torch.zeros_like(lengths)
    for b, length in enumerate(lengths.tolist()):
        path = tags[b, :length]
        if not length:
            continue
        score = start[path[0]] + end[path[-1]]
        words = torch.arange(length)
        score = score + emissions[b, words, path].sum()
        score = score + T[path[:-1], path[1:]].sum()
        scores[b] = score
    return scores


def log_z_shrinking(emissions, T, start, end, lengths):
    """log Z of each row, [B], and the columns of α. Rows that have ended take no further step."""
    L = emissions.shape[1]
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        number = int((lengths > t).sum())  # rows that have a word
        running = torch.arange(number)
        arriving = logsumexp(alpha[running, :, None] + T, dim=1)
        new = arriving + emissions[running, t]
        alpha = alpha.index_copy(0, running, new)
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(lengths > 0, log_z, 0.0), columns


def transition_counts(alpha, beta, emissions, T, log_z, mask):
    """How many transitions each row is expected to make: [B]; the gradient of log Z holds them."""
    m = mask.sum(1)
    following = torch.roll(emissions + beta, -1, dims=1)
    counts = torch.zeros_like(log_z)
    for t in range(mask.shape[1]):
        has_pair = t < m
        pair = alpha[:, t, :, None] + T + following[:, t, None, :]
        p = torch.exp(pair - log_z[:, None, None]).sum((1, 2))
        counts = counts + torch.where(has_pair, p, 0.0)
    return counts


def log_z_multiplied(emissions, T, start, end, mask):
    """log Z of each row, [B], and the columns of α; the mask keeps α where a row has ended."""
    L = mask.shape[1]
    keep = mask[:, :, None].to(emissions.dtype)
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        arriving = logsumexp(alpha[:, :, None] + T, dim=1)
        new = arriving + emissions[:, t]
        alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0), columns


def best_paths(emissions, T, start, end, mask):
    """The best path of each row: [B, L]; padded cells hold −1."""
    L, rows = mask.shape[1], torch.arange(len(mask))
    delta, pointers = start + emissions[:, 0], []
    for t in range(1, L):
        best = (delta[:, :, None] + T).max(dim=1)
        new = best.values + emissions[:, t]
        delta = torch.where(mask[:, t, None], new, delta)
        pointers.append(best.indices)
    tag = (delta + end).argmax(dim=1) * mask[:, -1]
    path = [torch.where(mask[:, -1], tag, -1)]
    for t in reversed(range(1, L)):
        before = pointers[t - 1][rows, tag]
        tag = torch.where(mask[:, t], before, tag)
        path.append(torch.where(mask[:, t - 1], tag, -1))
    return torch.stack(path[::-1], dim=1)


def log_z_unmasked(emissions, T, start, end, mask):
    """log Z of each row, [B], and the columns of α."""
    L = mask.shape[1]
    emissions = torch.where(mask[:, :, None], emissions, 0.0)
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        arriving = logsumexp(alpha[:, :, None] + T, dim=1)
        alpha = arriving + emissions[:, t]
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0), columns


FAULTS = {
    fault.name: fault
    for fault in (
        FaultyCode(
            "multiplied",
            log_z_multiplied,
            "alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha",
            "alpha = torch.where(mask[:, t, None], new, alpha)",
            _log_z,
            innocent=("keep = ", "arriving", "torch.where(mask.any"),
            lengths=(2,),
            forbids=True,
        ),
        FaultyCode(
            "time-first",
            Encoder,
            "self.lstm = nn.LSTM(size, size)",
            "self.lstm = nn.LSTM(size, size, batch_first=True)",
            encoded,
            innocent=("nn.Embedding", "nn.Linear", "hidden, _ ="),
            lengths=(2,),
            outcomes=("other", "nan", "luck"),
        ),
        FaultyCode(
            "integers",
            path_scores,
            "scores = torch.zeros_like(lengths)",
            "scores = torch.zeros_like(lengths, dtype=emissions.dtype)",
            lambda batch: batch.chain().score(_best(batch)),
            innocent=("scores[b] = score", "path = tags", "start[path[0]]", "path[:-1]"),
            lengths=(1,),
        ),
        FaultyCode(
            "sorted",
            log_z_shrinking,
            "running = torch.arange(number)",
            "running = (lengths > t).nonzero()[:, 0]",
            _log_z,
            innocent=("number = int", "index_copy", "arriving"),
            lengths=(1, 2),
        ),
        FaultyCode(
            "pairs",
            transition_counts,
            "has_pair = t < m",
            "has_pair = t < m - 1",
            lambda batch: batch.chain().pair_marginals.sum((1, 2, 3)),
            innocent=("torch.roll", "pair = alpha", "p = torch.exp", "for t in range"),
            lengths=(1,),
        ),
        FaultyCode(
            "last-tag",
            best_paths,
            "tag = (delta + end).argmax(dim=1) * mask[:, -1]",
            "tag = (delta + end).argmax(dim=1)",
            _best,
            innocent=("delta = torch.where", "pointers.append", "path = [", "tag = torch.where"),
            lengths=(1, 2),
            outcomes=("path", "nan", "luck"),
        ),
        FaultyCode(
            "unmasked",
            log_z_unmasked,
            "alpha = arriving + emissions[:, t]",
            "alpha = torch.where(mask[:, t, None], arriving + emissions[:, t], alpha)",
            _log_z,
            innocent=("emissions = torch.where", "alpha = start", "arriving = ", "mask.any"),
            lengths=(1, 2),
        ),
    )
}
