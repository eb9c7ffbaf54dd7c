"""Each lesson's subject in ten lines of code for one sentence, with textbooks' names.

    unary       [m, S] emission scores
    transition  [S, S] from row to column
    root, eos   [S] the row <ROOT> and the column <EOS> of the folded matrix

A trailing comment of one word says in which step of the recursion a line runs. `answers` runs such
a function on a chain, beside the library's own code, which lies in the file that `CORE` names.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from crf import LinearChain

CORE = {
    "path_score": "core/scoring.py",
    "left_to_right": "core/decoding.py",
    "forward": "core/recursions.py",
    "logsumexp": "core/recursions.py",
    "backward": "core/recursions.py",
    "forward_message": "core/recursions.py",
    "forward_pair": "core/recursions.py",
    "backward_pair": "core/recursions.py",
    "viterbi": "core/decoding.py",
    "viterbi_without_pointers": "core/decoding.py",
    "gradient": "core/differentiable.py",
    "forward_batch": "core/recursions.py",
    "by_matrices": "core/scan.py",
    "bio": "constraints.py",
    "network": "tagger/model.py",
}


def path_score(
    unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor, tags: Tensor
) -> Tensor:
    """The score of one path."""
    total = root[tags[0]] + unary[0, tags[0]]
    for t in range(1, len(unary)):
        total = total + transition[tags[t - 1], tags[t]] + unary[t, tags[t]]
    return total + eos[tags[-1]]


def left_to_right(unary: Tensor, transition: Tensor, root: Tensor) -> list[int]:
    """The tags of a greedy tagger that sees the tag which it has just chosen."""
    tags = [int((root + unary[0]).argmax())]
    for t in range(1, len(unary)):
        tags.append(int((transition[tags[-1]] + unary[t]).argmax()))
    return tags


def forward(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z by forward belief propagation."""
    alpha_e = root + unary[0]  # first
    for t in range(1, len(unary)):  # cell
        arriving = alpha_e[:, None] + transition  # cell
        alpha_e = unary[t] + torch.logsumexp(arriving, dim=0)  # cell
    return torch.logsumexp(alpha_e + eos, dim=0)  # total


def backward(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z by backward belief propagation."""
    beta_e = eos  # first
    for t in range(len(unary) - 1, 0, -1):  # cell
        leaving = transition + unary[t] + beta_e  # cell
        beta_e = torch.logsumexp(leaving, dim=1)  # cell
    return torch.logsumexp(root + unary[0] + beta_e, dim=0)  # total


def forward_message(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z by messages: a word's own score leaves with its message."""
    alpha = root  # first
    for t in range(1, len(unary)):  # cell
        leaving = (alpha + unary[t - 1])[:, None] + transition  # cell
        alpha = torch.logsumexp(leaving, dim=0)  # cell
    return torch.logsumexp(alpha + unary[-1] + eos, dim=0)  # total


def forward_pair(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z with pair potentials: psi[t] has all that is new at word t."""
    psi = torch.stack([root.expand_as(transition), *[transition] * (len(unary) - 1)])
    psi = psi + unary[:, None]
    psi[-1] += eos
    alpha = psi[0, 0]  # first
    for t in range(1, len(unary)):  # cell
        alpha = torch.logsumexp(alpha[:, None] + psi[t], dim=0)  # cell
    return torch.logsumexp(alpha, dim=0)  # total


def backward_pair(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z with pair potentials, from the right."""
    psi = torch.stack([root.expand_as(transition), *[transition] * (len(unary) - 1)])
    psi = psi + unary[:, None]
    psi[-1] += eos
    beta = torch.zeros_like(eos)  # first
    for t in range(len(unary) - 1, 0, -1):  # cell
        beta = torch.logsumexp(psi[t] + beta, dim=1)  # cell
    return torch.logsumexp(psi[0, 0] + beta, dim=0)  # total


def viterbi(
    unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor
) -> tuple[Tensor, list[int]]:
    """The best score and its tags."""
    delta_e = root + unary[0]  # first
    best_paths = []
    for t in range(1, len(unary)):  # cell
        arriving = delta_e[:, None] + transition  # cell
        best_score, best_previous = arriving.max(dim=0)  # cell
        best_paths.append(best_previous)  # cell
        delta_e = unary[t] + best_score  # cell
    best_score, last_tag_index = (delta_e + eos).max(dim=0)  # total
    tags = [int(last_tag_index)]  # backtrace
    for best_previous in reversed(best_paths):  # backtrace
        tags.append(int(best_previous[tags[-1]]))  # backtrace
    return best_score, tags[::-1]


def viterbi_without_pointers(
    unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor
) -> list[int]:
    """The best tags, each argmax of the way back worked out again: no table of pointers."""
    deltas = [root + unary[0]]  # first
    for t in range(1, len(unary)):  # cell
        deltas.append(unary[t] + (deltas[-1][:, None] + transition).max(dim=0).values)  # cell
    tags = [int((deltas[-1] + eos).argmax())]  # total
    for delta_e in reversed(deltas[:-1]):  # backtrace
        tags.append(int((delta_e + transition[:, tags[-1]]).argmax()))  # backtrace
    return tags[::-1]


def forward_batch(
    unary: Tensor, mask: Tensor, transition: Tensor, root: Tensor, eos: Tensor
) -> Tensor:
    """log Z of each row; unary is [B, m, S], mask [B, m]."""
    alpha_e = root + unary[:, 0]  # first
    for t in range(1, unary.shape[1]):  # cell
        arriving = alpha_e[:, :, None] + transition  # cell
        new_alpha_e = unary[:, t] + torch.logsumexp(arriving, dim=1)  # cell
        alpha_e = torch.where(mask[:, t, None], new_alpha_e, alpha_e)  # cell
    return torch.logsumexp(alpha_e + eos, dim=1)  # total


def logsumexp(scores: Tensor) -> Tensor:
    """log Σ exp(score), the largest taken out first, so that exp cannot overflow."""
    largest = scores.max()
    if largest == -torch.inf:
        return largest
    return largest + torch.log(torch.exp(scores - largest).sum())


def gradient(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor, tags: Tensor) -> Tensor:
    """The gradient of log p(tags) by the transitions, [S, S]: observed − expected."""
    alphas, betas, difference = [root + unary[0]], [eos], torch.zeros_like(transition)
    for t in range(1, len(unary)):
        alphas.append(unary[t] + torch.logsumexp(alphas[-1][:, None] + transition, dim=0))
    for t in range(len(unary) - 1, 0, -1):
        betas.insert(0, torch.logsumexp(transition + unary[t] + betas[0], dim=1))
    log_z = torch.logsumexp(alphas[-1] + eos, dim=0)
    for t in range(1, len(unary)):
        difference[tags[t - 1], tags[t]] += 1
        difference -= (alphas[t - 1][:, None] + transition + unary[t] + betas[t] - log_z).exp()
    return difference


def by_matrices(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z as a product of matrices, neighbours multiplied in each round."""
    parts = [(root + unary[0])[None], *(transition + e for e in unary[1:]), eos[:, None]]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [torch.logsumexp(a[:, :, None] + b, dim=1) for a, b in pairs] + odd
    return parts[0][0, 0]


def bio(tags: Sequence[str]) -> Tensor:
    """Whether one tag may follow another, [S, S]: I-X continues B-X or I-X, nothing else."""
    allowed = torch.ones(len(tags), len(tags), dtype=torch.bool)
    for i, before in enumerate(tags):
        for j, tag in enumerate(tags):
            if tag.startswith("I-") and before not in (f"B-{tag[2:]}", tag):
                allowed[i, j] = False
    return allowed


def network(vectors: Tensor, lstm: nn.LSTM | None, projection: nn.Linear) -> Tensor:
    """Emissions [m, S] of the words' vectors [m, E]: a BiLSTM, then a linear layer."""
    states = vectors if lstm is None else lstm(vectors)[0]
    return projection(states)


def answers(name: str, chain: "LinearChain") -> tuple[Tensor, Tensor]:
    """What a function of this file returns for a chain, and what the library returns.

    Some path of the chain is allowed, and one table of transitions is for all steps; it has one
    row, but for the functions of a batch.
    """
    p, best = chain.potentials, chain.viterbi().tags
    unary, transition, ends = p.emissions[0], p.transitions, (p.start, p.end)
    one, of_best = (unary, transition, *ends), (unary, transition, *ends, best[0])
    if name == "forward_batch":
        return forward_batch(p.emissions, p.mask, transition, *ends), chain.log_partition
    if name == "viterbi":
        return torch.tensor(viterbi(*one)[1]), best[0]
    if name == "viterbi_without_pointers":
        return torch.tensor(viterbi_without_pointers(*one)), best[0]
    if name == "logsumexp":  # of the last column
        return logsumexp(chain.log_alphas[0, -1] + p.end), chain.log_partition[0]
    if name == "left_to_right":
        return torch.tensor(left_to_right(*one[:3])), chain.greedy_left_to_right()[0]
    if name == "path_score":
        return path_score(*of_best), chain.score(best)[0]
    if name == "gradient":
        used = torch.zeros_like(transition)
        used.index_put_((best[0, :-1], best[0, 1:]), torch.ones_like(unary[1:, 0]), accumulate=True)
        return gradient(*of_best), used - chain.pair_marginals[0].sum(0)
    recursion = {
        "forward": forward,
        "backward": backward,
        "forward_message": forward_message,
        "forward_pair": forward_pair,
        "backward_pair": backward_pair,
        "by_matrices": by_matrices,
    }[name]
    return recursion(*one), chain.log_partition[0]


def lines(function: Callable) -> list[tuple[str, str]]:
    """The lines of a function, each with the kind of step in which it runs; "" means every step."""
    parts = (line.partition("  # ") for line in inspect.getsource(function).splitlines())
    return [(code, kind) for code, _, kind in parts]
