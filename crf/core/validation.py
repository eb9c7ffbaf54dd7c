"""Checks of the arguments that callers pass in, made once; the code behind them trusts its input.

Each error names the argument, what was expected, what came (with its index), and what to do. A
wrong type is a TypeError; a wrong shape, device or value is a ValueError.
"""

import math
from collections.abc import Iterable, Sequence, Set
from typing import Any

import torch
from torch import Tensor

from . import torch_tracing
from .potentials import Potentials

_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
LARGEST = 1e300  # for finite scores, because sums over a hundred million tokens then fit in float64
MOST_ROWS = 1000  # `topk` accepts this k even where there are fewer paths
_LENGTHS = (
    "if these are lengths, give "
    "torch.arange(emissions.shape[1], device=lengths.device) < lengths[:, None]"
)
MOST_NUMBERS = 2**30  # in the largest table of one query, because they take 8 GiB


def checks_values() -> bool:
    """Whether values can be read; while torch compiles or transforms, they are symbols."""
    return not (torch_tracing.compiling() or torch_tracing.transforming())


def check_scores(name: str, scores: Any, shapes: Sequence[Sequence[int | str]]) -> None:
    """Refuse what is not a floating-point tensor of one of the shapes; a letter fits any size."""
    if not isinstance(scores, Tensor):
        raise TypeError(
            f"{name}: expected a floating-point torch.Tensor of shape {_either(shapes)}, got "
            f"{type(scores).__name__}; {_as_tensor(name, scores, 'float32')}"
        )
    if not scores.is_floating_point():
        raise TypeError(
            f"{name}: expected a floating-point tensor, got dtype {scores.dtype}; "
            f"convert it with {name}.float()"
        )
    if scores.is_nested:
        raise TypeError(
            f"{name}: expected a padded tensor of shape {_either(shapes)}, got a nested one; pad "
            f"it with torch.nested.to_padded_tensor({name}, 0.0), and give a mask"
        )
    shape = scores.shape
    for pattern in shapes:  # not any(…), because a generator is slower and each kernel call pays
        if fits(shape, pattern):
            break
    else:
        raise ValueError(
            f"{name}: expected shape {_either(shapes)}, got {list(scores.shape)}; "
            f"{_remedy(name, scores.shape, shapes)}"
        )


def _as_tensor(name: str, value: Any, dtype: str) -> str:
    """The remedy for what is not a tensor."""
    if type(value).__name__ == "PackedSequence":
        return (
            "unpack it with torch.nn.utils.rnn.pad_packed_sequence(..., batch_first=True), and "
            "make the mask from the lengths that this returns"
        )
    if isinstance(value, Sequence) and any(isinstance(row, Tensor) for row in value):
        return (
            f"pad it with torch.nn.utils.rnn.pad_sequence({name}, batch_first=True), and give a "
            "mask that is True at the tokens"
        )
    return f"convert it with torch.as_tensor(..., dtype=torch.{dtype})"


def _remedy(name: str, got: Sequence[int], shapes: Sequence[Sequence[int | str]]) -> str:
    """What to do about scores of another shape."""
    tags = shapes[0][-1]
    if name in ("start", "end"):
        if len(got) == 2 and got[-1] == tags:
            return (
                "give one score per tag, the same for all chains; add scores of each chain to the "
                f"emissions of its {'first' if name == 'start' else 'last'} token"
            )
        return "give one score per tag"
    if name != "emissions":
        return "give one score per pair of tags, from row to column"
    if len(got) == 3 and isinstance(tags, int):
        return (
            f"the last axis is {got[2]}, but there are {tags} tags: put a "
            f"torch.nn.Linear({got[2]}, {tags}) before this layer"
        )
    return (
        "batch first, then length, then tags (give a single sequence an axis for the batch: "
        ".unsqueeze(0))"
    )


def _either(shapes: Sequence[Sequence[int | str]]) -> str:
    return " or ".join("[" + ", ".join(str(size) for size in shape) + "]" for shape in shapes)


def fits(shape: Sequence[int], pattern: Sequence[int | str]) -> bool:
    """Whether a shape fits a pattern, in which a letter fits any size."""
    if len(shape) != len(pattern):
        return False
    for size, want in zip(shape, pattern, strict=True):
        if size != want and not isinstance(want, str):
            return False
    return True


def check_same_device(name: str, tensor: Tensor, device: torch.device) -> None:
    """Refuse a tensor that lies on another device than the emissions."""
    if tensor.device != device:
        raise ValueError(
            f"{name}: expected device {device}, where the emissions are, got {tensor.device}; "
            f"move it with {name}.to({str(device)!r})"
        )


def as_mask(mask: Any) -> Any:
    """A mask of zeros and ones, such as Hugging Face's attention_mask, as truth values."""
    if not isinstance(mask, Tensor) or mask.dtype not in _INTEGERS:
        return mask
    if mask.dim() == 1:
        raise ValueError(f"mask: expected shape [B, L], got {list(mask.shape)}; {_LENGTHS}")
    if checks_values() and mask.numel():
        least, most = mask.aminmax()
        if least.item() < 0 or most.item() > 1:
            index = torch.nonzero((mask < 0) | (mask > 1))[0].tolist()
            raise ValueError(
                f"mask: expected truth values or 0 and 1, got {int(mask[tuple(index)])} at index "
                f"{index}; give a bool tensor, True at the tokens of the chain"
            )
    return mask != 0


def _order(got: Sequence[int], shape: Sequence[int]) -> str:
    """The remedy where a table [B, L] has its axes in the other order, else an empty text."""
    if list(got[-2:]) != list(shape)[::-1]:
        return ""
    return (
        "the axes are in the other order: if the emissions are [length, batch, tags], "
        "give emissions.transpose(0, 1)"
    )


def check_mask(mask: Any, shape: Sequence[int], device: torch.device) -> None:
    """Refuse what is not a bool tensor [B, L] on the device of the emissions."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = f"dtype {mask.dtype}" if isinstance(mask, Tensor) else type(mask).__name__
        convert = "mask.bool()" if isinstance(mask, Tensor) else "torch.as_tensor(mask).bool()"
        remedy = f"True marks a token of the chain, convert it with {convert}"
        if isinstance(mask, list | tuple) and all(type(one) is int for one in mask):
            remedy = _LENGTHS.replace("give", "make a tensor of them, and give")
        raise TypeError(
            f"mask: expected a bool tensor of shape {list(shape)}, or integers 0 and 1, got {got}; "
            f"{remedy}"
        )
    if list(mask.shape) != list(shape):
        raise ValueError(
            f"mask: expected shape {list(shape)}, the [B, L] of the emissions, got "
            f"{list(mask.shape)}; {_order(mask.shape, shape) or 'give one truth value per cell'}"
        )
    check_same_device("mask", mask, device)


def check_potentials(potentials: Potentials) -> None:
    """Refuse scores whose types, shapes or devices do not make a batch of chains."""
    emissions, transitions, start, end, mask = potentials
    check_scores("emissions", emissions, [("B", "L", "S")])
    B, L, S = emissions.shape
    if S == 0:
        raise ValueError(
            f"emissions: expected at least one tag, got shape {list(emissions.shape)}; "
            "the last axis has one score per tag"
        )
    check_scores("transitions", transitions, [(S, S), (B, max(L - 1, 0), S, S), (B, 1, S, S)])
    check_scores("start", start, [(S,)])
    check_scores("end", end, [(S,)])
    for name in ("transitions", "start", "end"):
        check_same_device(name, getattr(potentials, name), emissions.device)
    check_mask(mask, (B, L), emissions.device)


def all_below_infinity(potentials: Potentials) -> bool:
    """Whether no score is nan or +∞, at masked cells included; quicker than `check_values`."""
    return all(
        scores.detach().amax().item() < math.inf for scores in potentials[:4] if scores.numel()
    )


def all_can_be_added(scores: Sequence[Tensor]) -> bool:
    """Whether sums of the scores stay within float64: those of other precisions always do.

    A score of −∞, or one at a masked cell, may make this False where the sums are fine.
    """
    for table in scores:
        if table.dtype == torch.float64 and table.numel():
            least, most = table.detach().aminmax()
            if not (-LARGEST <= least.item() and most.item() <= LARGEST):
                return False
    return True


def check_values(potentials: Potentials) -> None:
    """Refuse nan, +∞ and what no sum can hold in scores that the chains use.

    Args:
        potentials: Already cleaned.
    """
    for name in ("emissions", "transitions", "start", "end"):
        scores = getattr(potentials, name).detach()
        bad = ~(scores < math.inf)  # not scores >= inf, because that is False for nan
        if scores.dtype == torch.float64:
            bad |= (scores.abs() > LARGEST) & scores.isfinite()
        if not bad.any():
            continue
        bad = torch.nonzero(bad)[0].tolist()
        raise ValueError(
            f"{name}: expected real numbers of at most {LARGEST:g} in size or -inf (forbidden), "
            f"got {float(scores[tuple(bad)])} at index {bad}; replace it, or mask its cell out"
        )


def assert_values(p: Potentials, tags: Tensor | None = None) -> None:
    """Add assertions to a graph that torch compiles: it then refuses the values when it runs."""
    if torch_tracing.exporting() or torch_tracing.transforming():
        return
    if tags is None:
        tables = [x.detach().flatten() for x in p[:4]]
        right, message = (torch.cat(tables) < math.inf).all(), "scores: expected no nan and no +inf"
    else:
        S = p.emissions.shape[2]
        right = ((tags >= 0) & (tags < S) | ~p.mask).all()
        message = "tags: expected numbers from 0 to the number of tags - 1"
    # Not `assert`, because torch cannot compile one that pytest has rewritten.
    torch.ops.aten._assert_async.msg(right, message)


def check_tag_table(name: str, tags: Any, mask: Tensor) -> None:
    """Refuse what is not an integer tensor [..., B, L], whatever tags it holds."""
    B, L = mask.shape
    if not isinstance(tags, Tensor) or tags.dtype not in _INTEGERS:
        got = f"dtype {tags.dtype}" if isinstance(tags, Tensor) else type(tags).__name__
        raise TypeError(
            f"{name}: expected an integer tensor of shape [{B}, {L}], got {got}; "
            f"{_as_tensor(name, tags, 'long')}"
        )
    if tags.dim() < 2 or tuple(tags.shape[-2:]) != (B, L):
        raise ValueError(
            f"{name}: expected shape [{B}, {L}], the [B, L] of the emissions, got "
            f"{list(tags.shape)}; "
            f"{_order(tags.shape, (B, L)) or 'give one tag per cell, anything at masked cells'}"
        )
    check_same_device(name, tags, mask.device)


def check_tags(tags: Any, mask: Tensor, num_tags: int, lowest: int = 0, name: str = "tags") -> None:
    """Refuse what is not an integer tensor [..., B, L] with tags in lowest … S−1 at each token."""
    check_tag_table(name, tags, mask)
    if not checks_values():
        return
    if not tags.numel():
        return
    least, most = tags.aminmax()
    if lowest <= least.item() and most.item() < num_tags:  # quick, because it needs no mask
        return
    bad = ((tags < lowest) | (tags >= num_tags)) & mask
    if bad.any():
        index = torch.nonzero(bad)[0].tolist()
        row, step = index[-2:]
        raise ValueError(
            f"{name}: expected tags from {lowest} to {num_tags - 1}, got {int(tags[tuple(index)])} "
            f"at row {row}, step {step} (index {index}); correct the tag, or mask its cell out"
            f"{_ignore(int(tags[tuple(index)]))}"
        )


def _ignore(tag: int) -> str:
    """A second remedy for a negative tag, which may mark ignored cells."""
    return f" (methods of ChainCRF: ignore_index={tag})" if tag < 0 else ""


def check_truths(
    name: str, table: Any, shape: Sequence[int | str], device: torch.device | None = None
) -> None:
    """Refuse what is not a bool tensor of the shape, where a letter fits any size."""
    if not isinstance(table, Tensor) or table.dtype != torch.bool:
        got = f"dtype {table.dtype}" if isinstance(table, Tensor) else type(table).__name__
        raise TypeError(
            f"{name}: expected a bool tensor of shape {list(shape)}, got {got}; "
            "True marks what is allowed"
        )
    if not fits(table.shape, shape):
        raise ValueError(
            f"{name}: expected shape [{', '.join(map(str, shape))}], got {list(table.shape)}; "
            "give one truth value for each cell of it"
        )
    if device is not None:
        check_same_device(name, table, device)


def check_count(name: str, count: Any, lowest: int) -> None:
    """Refuse a count that is not an int of at least `lowest`."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name}: expected an int, got {type(count).__name__}; give a whole number")
    if count < lowest:
        raise ValueError(
            f"{name}: expected at least {lowest}, got {count}; ask for {lowest} or more"
        )


def check_names(kind: str, names: Any) -> tuple[str, ...] | None:
    """Refuse names that are not strings, or that no file can contain; None stays None."""
    if names is None:
        return None
    if isinstance(names, Set) or not isinstance(names, Iterable):
        raise TypeError(
            f"{kind}: expected a list of strings, got {type(names).__name__}; give a list with one "
            "string each"
        )
    names = tuple(names)
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(
                f"{kind}: expected strings, got {type(name).__name__} at index {k}; convert each "
                "one with str(...)"
            )
        half = next((c for c in name if "\ud800" <= c <= "\udfff"), None)
        if half is not None:
            raise ValueError(
                f"{kind}: expected whole characters, got U+{ord(half):04X}, half of a surrogate "
                f"pair, at index {k}; read the text with its own encoding, or replace it"
            )
    return names


def check_table(name: str, count: int, *sizes: int) -> None:
    """Refuse a count whose answer needs a table of more numbers than `MOST_NUMBERS`.

    Args:
        name: Of the count.
        count: How many are asked for.
        sizes: Of the table's other axes.
    """
    if torch_tracing.compiling():  # because sizes may be symbols there
        return
    most = MOST_NUMBERS // max(1, math.prod(sizes))
    if count > most:
        raise ValueError(
            f"{name}: expected at most {most:,} for chains of this size, got {count:,}; "
            "ask for fewer, or give fewer chains at a time"
        )


def check_paths(k: int, mask: Tensor, num_tags: int) -> None:
    """Refuse a number of paths that no chain of the batch has, unless it is a small one."""
    if k <= MOST_ROWS:
        return
    longest = int(mask.sum(1).max()) if mask.numel() else 0
    paths = num_tags ** min(longest, 64)  # 64, because no table holds 2⁶⁴ paths
    if k > max(paths, MOST_ROWS):
        raise ValueError(
            f"k: expected at most {max(paths, MOST_ROWS):,}, got {k:,}; the longest chain has "
            f"{paths:,} paths, ask for as many or fewer"
        )


def check_comparable(potentials: Potentials, other: Any) -> None:
    """Refuse what is not a chain over the same cells, tags and mask."""
    raw = getattr(other, "_raw", None)
    if not isinstance(raw, Potentials):
        raise TypeError(
            f"other: expected a LinearChain, got {type(other).__name__}; build one first"
        )
    shape, got = list(potentials.emissions.shape), list(raw.emissions.shape)
    if shape != got:
        raise ValueError(
            f"other: expected a chain of shape {shape}, got {got}; compare chains over the same "
            "cells and tags"
        )
    check_same_device("other", raw.emissions, potentials.emissions.device)
    if checks_values() and not torch.equal(raw.mask, potentials.mask):
        index = torch.nonzero(raw.mask != potentials.mask)[0].tolist()
        raise ValueError(
            f"other: expected the same mask, got a different one at index {index}; "
            "compare chains over the same tokens"
        )
