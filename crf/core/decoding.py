"""Best paths: Viterbi with and without stored backpointers, k-best lists, and greedily.

    δ_1(s)     = start(s) + emission_1(s)
    δ_(t+1)(s) = emission_(t+1)(s) + max_s' [ δ_t(s') + transition(s', s) ]
    κ_(t+1)(s) = its argmax
    last tag   = argmax_s [ δ_m(s) + end(s) ],   y_t = κ_(t+1)(y_(t+1))

It is the forward recursion with max instead of logsumexp. Ties go to the lowest tag index.

Sources: Viterbi (1967), "Error bounds for convolutional codes"; Forney (1973), "The Viterbi
algorithm"; Seshadri and Sundberg (1994), "List Viterbi decoding algorithms", the parallel one.
"""

import torch
from torch import Tensor

from . import torch_tracing
from .potentials import NEG_INF, Potentials, first_tokens
from .shapes import Float, Int

NO_TAG = -1


def max_matvec(
    vector: Float[Tensor, "B S"], matrix: Tensor
) -> tuple[Float[Tensor, "B S"], Int[Tensor, "B S"]]:
    """`max_i (vector[b, i] + matrix[i, j])` and the lowest i that attains it."""
    best = (vector[:, :, None] + matrix).max(dim=1)
    return best.values, best.indices


def viterbi_forward(
    p: Potentials,
) -> tuple[Float[Tensor, "B L S"], Int[Tensor, "B L S"]]:
    """The max recursion, left to right.

    Args:
        p: The chains.

    Returns:
        log δ [B, L, S], the score of the best path that ends there (a cell outside the chain holds
        the column before it), and the backpointers [B, L, S] (−1 at the first token and outside
        the chain).
    """
    delta, deltas, backpointers = p.start.expand(p.emissions.shape[0], -1), [], []
    tables = None
    if torch_tracing.eager() and not torch.is_grad_enabled():
        # One table each, so that no small pieces lie between the large ones of the steps.
        tables = torch.empty_like(p.emissions), torch.empty_like(p.emissions, dtype=torch.long)
    for t, (emission, transitions, in_chain, is_first) in enumerate(p.cells()):
        pointer = torch.full_like(delta, NO_TAG, dtype=torch.long)
        arriving = delta
        if t:
            arriving, argmax = max_matvec(delta, transitions)
            pointer = torch.where(in_chain & ~is_first, argmax, NO_TAG)
        new = torch.where(is_first, p.start, arriving) + emission
        delta = torch.where(in_chain, new, delta)
        if tables is not None:
            tables[0][:, t], tables[1][:, t] = delta, pointer
        else:
            deltas.append(delta)
            backpointers.append(pointer)
    if tables is not None:
        return tables
    if not deltas:
        return p.emissions, p.emissions.long()
    return torch.stack(deltas, 1), torch.stack(backpointers, 1)


def backtrace(
    p: Potentials, deltas: Float[Tensor, "B L S"], backpointers: Int[Tensor, "B L S"] | None
) -> tuple[Int[Tensor, "B L"], Float[Tensor, " B"]]:
    """The best path, from its last tag back to its first.

    Args:
        p: The chains.
        deltas: [B, L, S] from `viterbi_forward`.
        backpointers: [B, L, S] from `viterbi_forward`; None to recompute each argmax on the way
            back, which needs no stored table.

    Returns:
        Tags [B, L], −1 outside the chain and where no path is allowed, and the scores [B].
    """
    B, L, _ = deltas.shape
    if not L:
        return p.mask.long(), p.emissions.sum((1, 2))
    scores, tag = (deltas[:, -1] + p.end).max(1)
    scores = torch.where(p.mask.any(1), scores, 0.0)
    feasible, steps = scores > NEG_INF, p.mask & ~first_tokens(p.mask)
    matrices, rows = p.arriving_transitions(), torch.arange(B, device=tag.device)
    path = []
    for t in reversed(range(L)):
        path.append(torch.where(p.mask[:, t] & feasible, tag, NO_TAG))
        if not t:
            break
        if backpointers is not None:
            previous = backpointers[rows, t, tag]
        else:
            into_tag = matrices[t][rows, :, tag] if p.per_step else matrices[t][:, tag].T
            previous = (deltas[:, t - 1] + into_tag).argmax(1)
        tag = torch.where(steps[:, t] & feasible, previous, tag)
    return torch.stack(path[::-1], 1), scores


def topk(p: Potentials, k: int) -> tuple[Int[Tensor, "B K L"], Float[Tensor, "B K"]]:
    """The k best paths: the max recursion with the k best prefixes in each cell instead of one.

    Args:
        p: The chains.
        k: How many paths.

    Returns:
        Tags [B, K, L] (−1 outside the chain and in rows that hold no allowed path) and scores [B,
        K], best first, −∞ from where there are no more allowed paths. Equal scores stay in
        the order of the tags they come from, so the first j of k paths are the j best ones.
    """
    p.arriving_transitions()  # because it raises where an exported graph would unroll the loop
    if p.mask.shape[1] and not (torch_tracing.compiling() or torch_tracing.transforming()):
        tags, scores, tied = _lists(p, k, stable=False)
        if not tied:
            return tags, scores
    tags, scores, _ = _lists(p, k, stable=True)
    return tags, scores


def _lists(p: Potentials, k: int, *, stable: bool) -> tuple[Tensor, Tensor, bool]:
    """Tags, scores, and whether equal candidates may be in the wrong order (never if `stable`)."""
    B, L, S = p.emissions.shape
    only_first = torch.zeros(k, dtype=p.emissions.dtype, device=p.emissions.device)
    only_first[1:] = NEG_INF  # because a prefix of one tag has one path and no second best
    begin = (p.start[:, None] + only_first).expand(B, S, k)
    inside, first = p.mask[:, :, None, None].unbind(1), first_tokens(p.mask)[:, :, None, None]
    late = stable or bool(first[:, 1:].any())  # whether a chain begins after cell 0
    matrices, emissions = p.transitions.mT.contiguous()[..., None], p.emissions[..., None].unbind(1)
    steps = matrices.unbind(1) if p.per_step else (matrices,) * (L - 1)
    prefixes, ranked = begin, []
    for t in range(L):
        arriving = begin
        if t:
            candidates = prefixes[:, None] + steps[t - 1]  # [B, to, from, K]
            ranked.append(_best(candidates.flatten(2), k, stable))
            arriving = ranked[-1][0][..., :k]
            arriving = torch.where(first[:, t], begin, arriving) if late else arriving
        prefixes = torch.where(inside[t], arriving + emissions[t], prefixes)
    values, places = _best((prefixes + p.end[:, None]).flatten(1), k, stable)
    scores, place = values[:, :k], places[:, :k]
    scores = torch.where(p.mask.any(1, keepdim=True), scores, only_first)
    continues = (p.mask & ~first[:, :, 0, 0])[:, :, None].unbind(1)
    path, tied = [place], not stable and _has_equals(values)
    if ranked:
        origins = torch.stack([x[..., :k] for _, x in ranked]).flatten(2).unbind(0)
        for t in reversed(range(1, L)):  # each place encodes tag · K + rank
            place = torch.where(continues[t], origins[t - 1].gather(1, place), place)
            path.append(place)
    for some in range(0, 0 if stable else len(ranked), 8):
        tied = tied or _has_equals(torch.stack([x for x, _ in ranked[some : some + 8]]))
    tags = torch.stack(path[::-1], 2)[:, :, :L] // k
    valid = p.mask[:, None] & (scores > NEG_INF)[:, :, None]
    return torch.where(valid, tags, NO_TAG), scores, tied


def _best(candidates: Tensor, k: int, stable: bool) -> tuple[Tensor, Tensor]:
    """The last axis's best numbers, best first, with indices: all if `stable`, else k + 1."""
    if stable:
        return candidates.sort(dim=-1, descending=True, stable=True)
    return candidates.topk(min(k + 1, candidates.shape[-1]), -1)


def _has_equals(ranked: Tensor) -> bool:
    """Whether two numbers above −∞ that follow each other are the same."""
    better, worse = ranked[..., :-1], ranked[..., 1:]
    return bool(((better == worse) & (worse > NEG_INF)).any())


def greedy_left_to_right(p: Potentials) -> Int[Tensor, "B L"]:
    """Each token's best tag given the tag just chosen for the token before it."""
    tag = torch.zeros(len(p.mask), dtype=torch.long, device=p.mask.device)
    rows, is_first = torch.arange(len(tag), device=tag.device), first_tokens(p.mask)
    path = []
    for t, transitions in enumerate(p.arriving_transitions()):
        arriving = p.start
        if t:
            arriving = transitions[rows, tag] if p.per_step else transitions[tag]
            arriving = torch.where(is_first[:, t, None], p.start, arriving)
        best = (arriving + p.emissions[:, t]).argmax(1)
        tag = torch.where(p.mask[:, t], best, tag)
        path.append(torch.where(p.mask[:, t], tag, NO_TAG))
    return torch.stack(path, 1) if path else p.mask.long()
