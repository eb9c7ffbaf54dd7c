"""Best paths: Viterbi with and without stored backpointers, k-best lists, and greedily.

    δ_1(s)     = start(s) + emission_1(s)
    δ_(t+1)(s) = emission_(t+1)(s) + max_s' [ δ_t(s') + transition(s', s) ]
    κ_(t+1)(s) = its argmax
    last tag   = argmax_s [ δ_m(s) + end(s) ],   y_t = κ_(t+1)(y_(t+1))

It is the forward recursion with max in the place of logsumexp. Ties go to the lowest tag index.

Sources: Viterbi (1967), "Error bounds for convolutional codes"; Forney (1973), "The Viterbi
algorithm"; Seshadri and Sundberg (1994), "List Viterbi decoding algorithms", the parallel one.
"""

import torch
from torch import Tensor

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
    delta = p.start.expand(p.emissions.shape[0], -1)
    deltas, backpointers = [], []
    for t, (emission, transitions, in_chain, is_first) in enumerate(p.cells()):
        pointer = torch.full_like(delta, NO_TAG, dtype=torch.long)
        arriving = delta
        if t:
            arriving, argmax = max_matvec(delta, transitions)
            pointer = torch.where(in_chain & ~is_first, argmax, NO_TAG)
        new = torch.where(is_first, p.start, arriving) + emission
        delta = torch.where(in_chain, new, delta)
        deltas.append(delta)
        backpointers.append(pointer)
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
    B, L, S = p.emissions.shape
    only_first = torch.zeros(k, dtype=p.emissions.dtype, device=p.emissions.device)
    only_first[1:] = NEG_INF  # a prefix of one tag has one best path and no second best
    prefixes = (p.start[:, None] + only_first).expand(B, S, k)
    origins = []
    in_chain, is_first = p.mask[:, :, None, None], first_tokens(p.mask)[:, :, None, None]
    for t, transitions in enumerate(p.arriving_transitions()):
        arriving = p.start[:, None] + only_first
        origin = torch.zeros(B, S, k, dtype=torch.long, device=p.mask.device)
        if t:
            candidates = prefixes[:, :, :, None] + transitions[..., :, None, :]  # [B, from, K, to]
            ranked = candidates.flatten(1, 2).sort(dim=1, descending=True, stable=True)
            arriving = ranked.values[:, :k].transpose(1, 2)  # [B, to, K]
            origin = ranked.indices[:, :k].transpose(1, 2)
            arriving = torch.where(is_first[:, t], p.start[:, None] + only_first, arriving)
        new = arriving + p.emissions[:, t, :, None]
        prefixes = torch.where(in_chain[:, t], new, prefixes)
        origins.append(origin)

    ranked = (prefixes + p.end[:, None]).flatten(1).sort(dim=1, descending=True, stable=True)
    scores, place = ranked.values[:, :k], ranked.indices[:, :k]
    scores = torch.where(p.mask.any(1, keepdim=True), scores, only_first)
    steps = p.mask & ~first_tokens(p.mask)
    valid = scores > NEG_INF
    path = []
    for t in reversed(range(L)):  # a place is tag · K + rank
        path.append(torch.where(p.mask[:, t, None] & valid, place // k, NO_TAG))
        place = torch.where(steps[:, t, None], origins[t].flatten(1).gather(1, place), place)
    tags = torch.stack(path[::-1], 2) if path else place[:, :, None].expand(-1, -1, 0)
    return tags, scores


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
