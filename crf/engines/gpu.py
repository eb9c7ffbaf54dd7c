"""The kernels for a GPU, in Triton: one program per chain, one launch per pass, exact in log space.

A column of S log-scores, in float64, is padded with −∞ to a power of two and lives in registers,
as do the transitions, which are read at each step where it has its own; a chain takes its L steps
one after another. Cells outside the chain keep the old column, as in `crf.core.recursions`.
"""

# What Triton makes of a kernel is no Python, so Python's types say nothing about it:
# pyright: reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
# pyright: reportOperatorIssue=false, reportAttributeAccessIssue=false

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from ..core.potentials import Potentials


@triton.jit
def _log_sum(scores, axis: tl.constexpr):
    """Over an axis: the maximum (0 if all are −∞), and the sum of exp(scores − maximum)."""
    top = tl.max(scores, axis)
    top = tl.where(top == float("-inf"), 0.0, top)
    return top, tl.sum(tl.exp(scores - tl.expand_dims(top, axis)), axis)


@triton.jit
def _load_table(transitions, there, S, P: tl.constexpr):
    """Transitions [P, P] in float64; −∞ beyond the S tags, and everywhere if they are not there."""
    i = tl.arange(0, P)
    size = tl.where(there, S, 0)
    inside = (i[:, None] < size) & (i[None, :] < size)
    place = transitions + i[:, None] * S + i[None, :]
    return tl.load(place, inside, other=float("-inf")).to(tl.float64)


@triton.jit
def _load_ends(start, end, S, P: tl.constexpr):
    """start [P] and end [P] in float64; −∞ beyond the S tags."""
    i = tl.arange(0, P)
    low = float("-inf")
    first = tl.load(start + i, i < S, other=low).to(tl.float64)
    last = tl.load(end + i, i < S, other=low).to(tl.float64)
    return first, last


@triton.jit
def _forward(
    emissions, transitions, start, end, mask, tags, values, alphas, L, S, of_chain, of_step,
    P: tl.constexpr, STEPS: tl.constexpr, WITH_TAGS: tl.constexpr, KEEP: tl.constexpr,
):  # fmt: skip
    """values[b] = log Z or log p(tags); alphas[b, t, :] = log α_t, relative to its maximum.

    of_chain and of_step say how far the tables of neighbouring chains and steps lie apart.
    """
    b = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, P)
    own = transitions + b * of_chain
    table = _load_table(own, STEPS == 0, S, P)
    first, last = _load_ends(start, end, S, P)
    alpha = first
    value = tl.full((), 0.0, tl.float64)  # log Z, less the score of the path if there is one
    before = tl.full((), 0, tl.int64)
    count = 0  # tokens so far
    for t in range(L):
        cell = b * L + t
        if tl.load(mask + cell) != 0:
            if STEPS:
                table = _load_table(own + (t - 1) * of_step, count > 0, S, P)
            emission = tl.load(emissions + cell * S + i, i < S, other=float("-inf"))
            top, total = _log_sum(alpha[:, None] + table, 0)
            new = tl.where(count > 0, top + tl.log(total), first) + emission.to(tl.float64)
            peak = tl.max(new, 0)
            peak = tl.where(peak == float("-inf"), 0.0, peak)
            alpha = new - peak
            value += peak
            if WITH_TAGS:
                tag = tl.load(tags + cell)
                place = own + (t - 1) * of_step + before * S + tag
                step = tl.load(place, count > 0, other=0.0).to(tl.float64)
                step = tl.where(count > 0, step, tl.load(start + tag).to(tl.float64))
                value -= step + tl.load(emissions + cell * S + tag).to(tl.float64)
                before = tag
            count += 1
        if KEEP:
            tl.store(alphas + cell * P + i, alpha)
    top, total = _log_sum(alpha + last, 0)
    value += tl.where(count > 0, top + tl.log(total), 0.0)
    if WITH_TAGS:
        gold = tl.load(end + before).to(tl.float64)
        value -= tl.where(count > 0, gold, 0.0)
        value = tl.where(count > 0, tl.where(total == 0.0, float("-inf"), -value), 0.0)
    tl.store(values + b, value)


@triton.jit
def _backward(
    emissions, transitions, start, end, mask, tags, alphas, d_emissions, d_parameters, d_steps,
    L, S, of_chain, of_step, P: tl.constexpr, STEPS: tl.constexpr, WITH_TAGS: tl.constexpr,
):  # fmt: skip
    """Derivatives of log Z or log p(tags), last token first; at a score of −∞ they are 0.

    p(y_t = i, y_(t+1) = j) = p(y_t = i) p(y_(t+1) = j | y_t = i), and the second factor is a term
    of β_t(i) over the whole of it. Transitions of each step have their derivatives in d_steps.
    """
    b = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, P)
    inside = (i[:, None] < S) & (i[None, :] < S)
    own = transitions + b * of_chain
    table = _load_table(own, STEPS == 0, S, P)
    first, last = _load_ends(start, end, S, P)
    beta = last
    after = beta  # emission + β of the token after
    marginal = tl.zeros([P], tl.float64)
    d_last = marginal
    pairs = tl.zeros([P, P], tl.float64)
    next_tag = tl.full((), 0, tl.int64)
    step = 0  # whose transitions lead into the token after
    count = 0  # tokens so far
    for back in range(L):
        cell = b * L + (L - 1 - back)
        if tl.load(mask + cell) != 0:
            if STEPS:
                table = _load_table(own + step * of_step, count > 0, S, P)
            top, total = _log_sum(table + after[None, :], 1)
            beta = tl.where(count > 0, top + tl.log(total), last)
            alpha = tl.load(alphas + cell * P + i)
            peak, mass = _log_sum(alpha + beta, 0)
            marginal = tl.exp(alpha + beta - peak) / tl.where(mass == 0.0, 1.0, mass)
            share = tl.exp(table + after[None, :] - top[:, None])
            share = share / tl.where(total == 0.0, 1.0, total)[:, None]
            if STEPS:
                pairs = tl.zeros([P, P], tl.float64)
            pairs += tl.where(count > 0, marginal[:, None] * share, 0.0)
            if WITH_TAGS:
                tag = tl.load(tags + cell)
                observed = tl.where(mass > 0.0, 1.0, 0.0)
                marginal = tl.where(i == tag, observed, 0.0) - marginal
                observed = tl.where(count > 0, observed, 0.0)
                pairs -= tl.where((i[:, None] == tag) & (i[None, :] == next_tag), observed, 0.0)
                next_tag = tag
            if STEPS:
                moved = tl.where(table > float("-inf"), -pairs if WITH_TAGS else pairs, 0.0)
                place = d_steps + b * of_chain + step * of_step + i[:, None] * S + i[None, :]
                size = tl.where(count > 0, S, 0)
                tl.store(place, moved, (i[:, None] < size) & (i[None, :] < size))
                step = L - 2 - back
            emission = tl.load(emissions + cell * S + i, i < S, other=float("-inf")).to(tl.float64)
            allowed = emission > float("-inf")
            tl.store(d_emissions + cell * S + i, tl.where(allowed, marginal, 0.0), i < S)
            d_last = tl.where(count > 0, d_last, marginal)
            after = emission + beta
            rise = tl.max(after, 0)
            after -= tl.where(rise == float("-inf"), 0.0, rise)
            count += 1
    if WITH_TAGS:
        pairs = -pairs
    place = d_parameters + b * (S * S + 2 * S)
    pairs = tl.where(table > float("-inf"), pairs, 0.0)
    tl.store(place + i[:, None] * S + i[None, :], pairs, inside)
    tl.store(place + S * S + i, tl.where(first > float("-inf"), marginal, 0.0), i < S)
    tl.store(place + S * S + S + i, tl.where(last > float("-inf"), d_last, 0.0), i < S)


@triton.jit
def _viterbi(
    emissions,
    transitions,
    start,
    end,
    mask,
    tags,
    scores,
    backpointers,
    L,
    S,
    of_chain,
    of_step,
    P: tl.constexpr,
    STEPS: tl.constexpr,
):
    """Backpointers of chain b, then its best path, read from them backwards."""
    b = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, P)
    own = transitions + b * of_chain
    table = _load_table(own, STEPS == 0, S, P)
    first, last = _load_ends(start, end, S, P)
    delta = first
    count = 0  # tokens so far
    for t in range(L):
        cell = b * L + t
        if tl.load(mask + cell) != 0:
            if STEPS:
                table = _load_table(own + (t - 1) * of_step, count > 0, S, P)
            emission = tl.load(emissions + cell * S + i, i < S, other=float("-inf"))
            candidates = delta[:, None] + table
            best = tl.max(candidates, 0)
            lowest = tl.min(tl.where(candidates == best[None, :], i[:, None], P), 0)
            delta = tl.where(count > 0, best, first) + emission.to(tl.float64)
            tl.store(backpointers + cell * S + i, tl.where(count > 0, lowest, -1), i < S)
            count += 1
    final = delta + last
    score = tl.max(final, 0)
    tl.store(scores + b, tl.where(count > 0, score, 0.0))
    tl.debug_barrier()  # the backpointers are read by other threads than those that wrote them
    tag = tl.min(tl.where(final == score, i, P - 1), 0).to(tl.int64)
    for back in range(L):
        cell = b * L + (L - 1 - back)
        if tl.load(mask + cell) != 0:
            tl.store(tags + cell, tl.where(score > float("-inf"), tag, -1))
            before = tl.load(backpointers + cell * S + tag)
            tag = tl.where(before >= 0, before, tag)


def _launch(p: Potentials) -> tuple[list[Tensor], tuple[int], dict[str, Any]]:
    """The chains as kernels take them, the grid, and sizes: a column's is a power of two."""
    B, L, S = p.emissions.shape
    P = max(16, triton.next_power_of_2(S))
    tables = [x.contiguous() for x in p]
    steps = p.transitions.shape[1] if p.per_step else 0
    if p.per_step and not steps:  # no step is taken, so that any table serves
        tables[1] = p.emissions.new_zeros(B, 1, S, S)
    sizes = {"L": L, "S": S, "P": P, "num_warps": max(1, min(8, P * P // 256))}
    sizes["of_chain"] = max(steps, 1) * S * S if p.per_step else 0
    sizes["of_step"] = S * S if steps > 1 else 0
    return tables, (B,), sizes | {"STEPS": steps > 1}


def _forward_pass(p: Potentials, tags: Tensor | None, *, keep: bool) -> tuple[Tensor, ...]:
    """log Z or log p(tags) [B], α [B, L, P], and the arguments as kernels take them."""
    B, L, _ = p.emissions.shape
    tables, grid, sizes = _launch(p)
    tables.append((p.mask.long() if tags is None else tags.long()).contiguous())
    value = p.emissions.new_empty(B, dtype=torch.float64)
    alphas = value.new_empty((B, L, sizes["P"]) if keep else (0,))
    if B:
        _forward[grid](*tables, value, alphas, WITH_TAGS=tags is not None, KEEP=keep, **sizes)
    return value, alphas, *tables


def values(p: Potentials, tags: Tensor | None) -> Tensor:
    """As `crf.kernels.values`."""
    value = _forward_pass(p, tags, keep=False)[0]
    return value if tags is None else -value


def gradients(p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
    """As `crf.kernels.gradients`."""
    B, _, S = p.emissions.shape
    _, grid, sizes = _launch(p)
    _, alphas, *tensors = _forward_pass(p, tags, keep=True)
    d_emissions = torch.zeros_like(tensors[0])
    d_rest = d_emissions.new_zeros(B, S * S + 2 * S)
    d_steps = torch.zeros_like(tensors[1] if sizes["STEPS"] else d_rest[:0])
    if B:
        outputs = alphas, d_emissions, d_rest, d_steps
        _backward[grid](*tensors, *outputs, WITH_TAGS=tags is not None, **sizes)
    weights = (weights if tags is None else -weights).to(d_rest.dtype)
    pairs, start, end = d_rest.split_with_sizes((S * S, S, S), 1)
    if sizes["STEPS"]:
        transitions = weights[:, None, None, None] * d_steps
    elif p.per_step:
        own = (weights[:, None] * pairs).view(B, 1, S, S)
        transitions = own[:, : p.transitions.shape[1]]
    else:
        transitions = (weights @ pairs).view(S, S)
    return weights[:, None, None] * d_emissions, transitions, weights @ start, weights @ end


def best_paths(p: Potentials) -> tuple[Tensor, Tensor]:
    """As `crf.kernels.best_paths`."""
    tensors, grid, sizes = _launch(p)
    tags = torch.full_like(tensors[4], -1, dtype=torch.long)
    scores = p.emissions.new_empty(len(tags), dtype=torch.float64)
    pointers = torch.full_like(tensors[0], -1, dtype=torch.long)
    if len(tags):
        _viterbi[grid](*tensors, tags, scores, pointers, **sizes)
    return tags, scores
