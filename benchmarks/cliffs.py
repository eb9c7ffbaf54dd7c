"""No cliffs: what else one may ask of a chain, in units of the loss with its gradients.

    python -m benchmarks.cliffs [--threads N] [--rounds N] [--cpu-time] [--large]

A unit is the time of the negative log-likelihood and all its gradients at 32 × 32 × 17; units and
questions take turns, and a figure is the median of the rounds' ratios. Nothing is under `no_grad`:
the scores require gradients, as a model's do. --large: many tags, in steps (tokens) a second.
--cpu-time, on a busy machine, leaves out the time in which this process did not run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch

import crf
from benchmarks import contenders
from benchmarks.harness import Clock, ratio, turns

Ask = Callable[[], object]
BOUNDS = {  # of what the kernels answer, wholly or in part; the rest is plain code
    "one score of -10,000": 1.5, "transitions of -10,000": 1.5, "one chain out of range": 40,
    "weight of each sequence": 3, "marginals": 3, "entropy": 8, "kl": 8,
}  # fmt: skip


def questions(B: int, L: int, S: int) -> dict[str, Ask]:
    """Each asks something of a new chain, whose scores require gradients."""
    given = contenders.problem(B, L, S)
    emissions, tags, mask, model = given
    leaf = emissions.clone().requires_grad_()
    steps = model.transitions.detach().expand(B, L - 1, S, S).clone().requires_grad_()
    start, end = model.start_transitions, model.end_transitions
    other = model.chain(emissions.flip(0), mask.clone())

    def chain() -> crf.LinearChain:
        return model.chain(leaf, mask)

    def per_step() -> torch.Tensor:
        return -crf.LinearChain(leaf, steps, start, end, mask).log_prob(tags).mean()

    low = emissions.clone()
    low[3, 2, 5] = -10_000.0
    far = emissions.clone()
    far[3, 4] = torch.where(torch.arange(S) == 0, 0.0, -10_000.0)
    far[3, 5] = torch.where(torch.arange(S) == 0, -torch.inf, 0.0)
    far[3, 5, 1:] = 0.0
    tables = crf.ChainCRF(S)
    tables.load_state_dict(model.state_dict())
    with torch.no_grad():
        tables.transitions[0] = tables.transitions[:, 1] = -10_000.0
    lows, fars = low.requires_grad_(), far.requires_grad_()
    per_token, per_sequence = torch.rand(B, L), torch.rand(B, 1)

    def with_gradients(value: Callable[[], torch.Tensor]) -> Ask:
        return contenders.with_gradients(value, [leaf, steps, *model.parameters()])

    return {
        "unit": contenders.ours(given, "auto")["nll"],
        "one score of -10,000": with_gradients(lambda: model(lows, tags, mask)),
        "transitions of -10,000": contenders.with_gradients(
            lambda: tables(leaf, tags, mask), [leaf, *tables.parameters()]
        ),
        "one chain out of range": with_gradients(lambda: model(fars, tags, mask)),
        "weight of each sequence": with_gradients(
            lambda: model(leaf, tags, mask, weight=per_sequence)
        ),
        "weight of each token": with_gradients(lambda: model(leaf, tags, mask, weight=per_token)),
        "marginals": lambda: chain().marginals,
        "per-step transitions": with_gradients(per_step),
        "pair marginals": lambda: chain().pair_marginals,
        "entropy": lambda: chain().entropy,
        "kl": lambda: chain().kl(other),
        "topk": lambda: chain().topk(5),
        "samples": lambda: chain().sample(5),
        "entropy, with gradients": with_gradients(lambda: chain().entropy.sum()),
        "kl, with gradients": with_gradients(lambda: chain().kl(other).sum()),
    }


def units(rounds: int, clock: Clock) -> dict[str, float]:
    """Each question's time over the unit's."""
    seconds = turns(questions(32, 32, 17), rounds, clock)
    print(f"unit: {1e3 * statistics.median(seconds['unit']):.3g} ms")
    return {name: ratio(seconds, name, "unit") for name in seconds}


def many_tags(S: int, B: int, L: int, clock: Clock) -> dict[str, float]:
    """Steps a second of the best path and of the loss with its gradients."""
    given = contenders.problem(B, L, S)
    tokens, asked = int(given.mask.sum()), contenders.ours(given, "auto")
    seconds = turns({name: asked[name] for name in ("viterbi", "nll")}, 3, clock)
    return {name: tokens / min(times) for name, times in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu_time else time.perf_counter
    torch.set_num_threads(options.threads)
    if options.large:
        for S in (64, 128, 256, 512, 1024, 1440):
            for B in (1, 8, 32):
                found = many_tags(S, B, 16, clock)
                rates = ", ".join(f"{name} {rate:,.0f} steps/s" for name, rate in found.items())
                print(f"S = {S}, B = {B}, L = 16: {rates}", flush=True)
        return
    for name, times in units(options.rounds, clock).items():
        bound = f"   (≤ {BOUNDS[name]})" if name in BOUNDS else ""
        print(f"{name:>24} {times:6.1f}{bound}")


if __name__ == "__main__":
    main()
