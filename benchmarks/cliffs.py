"""No cliffs: what else one may ask of a chain, in units of the loss with its gradients.

    python -m benchmarks.cliffs [--threads N] [--rounds N] [--cpu-time]

A unit is the time of the negative log-likelihood and all its gradients, at the same size. Units and
questions take turns, and a figure is the median of the rounds' ratios. Nothing is under `no_grad`:
the scores require gradients, as a model's do. --cpu-time, on a busy machine, leaves out the time in
which this process did not run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

import crf
from benchmarks import contenders
from benchmarks.harness import ratio, turns

Ask = Callable[[], object]
SIZES = ((32, 32, 17), (8, 50, 9))
BOUNDS = {
    "one score of -10,000": 1.5, "transitions of -10,000": 1.5, "one chain out of range": 60,
    "weight of each sequence": 3, "weight of each token": 20, "marginals": 3, "best path": 1,
    "entropy": 8, "KL": 8, "entropy, gradients": 20, "KL, gradients": 20, "5 best paths": 20,
}  # fmt: skip


def questions(B: int, L: int, S: int) -> dict[str, Ask]:
    """Each asks something of a new chain, whose scores require gradients."""
    given = contenders.problem(B, L, S)
    emissions, tags, mask, model = given
    low, far = emissions.clone(), emissions.clone()
    low[3, 2, 5] = -10_000.0
    far[3, 2, 5] = -200.0  # with steep transitions into tag 5: too little for scaled space
    leaf, low, far = (x.clone().requires_grad_() for x in (emissions, low, far))
    steps = model.transitions.detach().expand(B, L - 1, S, S).clone().requires_grad_()
    start, end = model.start_transitions, model.end_transitions
    other = model.chain(emissions.flip(0), mask.clone())
    forbidding, steep = crf.ChainCRF(S), crf.ChainCRF(S)
    with torch.no_grad():
        steep.transitions[:, 5] = -60.0
        forbidding.transitions[0] = forbidding.transitions[:, 1] = -10_000.0
    per_token, per_sequence = torch.rand(B, L), torch.rand(B, 1)
    parameters = [leaf, low, far, steps, *model.parameters(), *forbidding.parameters()]
    parameters += steep.parameters()

    def chain() -> crf.LinearChain:
        return model.chain(leaf, mask)

    def per_step() -> Tensor:
        return -crf.LinearChain(leaf, steps, start, end, mask).log_prob(tags).mean()

    differentiated: dict[str, Callable[[], Tensor]] = {
        "unit": lambda: model(leaf, tags, mask),
        "one score of -10,000": lambda: model(low, tags, mask),
        "transitions of -10,000": lambda: forbidding(leaf, tags, mask),
        "one chain out of range": lambda: steep(far, tags, mask),
        "weight of each sequence": lambda: model(leaf, tags, mask, weight=per_sequence),
        "weight of each token": lambda: model(leaf, tags, mask, weight=per_token),
        "entropy, gradients": lambda: chain().entropy.sum(),
        "KL, gradients": lambda: chain().kl(other).sum(),
        "transitions of each step": per_step,
    }
    return {
        name: contenders.with_gradients(value, parameters) for name, value in differentiated.items()
    } | {
        "best path": lambda: chain().viterbi(),
        "marginals": lambda: chain().marginals,
        "entropy": lambda: chain().entropy,
        "KL": lambda: chain().kl(other),
        "5 best paths": lambda: chain().topk(5),
        "5 samples": lambda: chain().sample(5),
        "pair marginals": lambda: chain().pair_marginals,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--cpu-time", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu_time else time.perf_counter
    torch.set_num_threads(options.threads)
    taken = [turns(questions(*size), options.rounds, clock) for size in SIZES]
    print(f"{'':>26}" + "".join(f"{' × '.join(map(str, size)):>14}" for size in SIZES))
    print(
        f"{'unit, ms':>26}" + "".join(f"{1e3 * statistics.median(x['unit']):14.3f}" for x in taken)
    )
    for name in taken[0]:
        bound = f"   (≤ {BOUNDS[name]})" if name in BOUNDS else ""
        print(f"{name:>26}" + "".join(f"{ratio(x, name, 'unit'):14.1f}" for x in taken) + bound)


if __name__ == "__main__":
    main()
