"""No cliffs: every other query of a chain, in units of the loss with its gradients.

    python -m benchmarks.cliffs [--threads N] [--rounds N] [--cpu-time]

A unit is the time of the negative log-likelihood and all its gradients, at the same size. Units and
questions take turns, and a figure is the median of the rounds' ratios. Nothing is under `no_grad`:
the scores require gradients, as a model's do. --cpu-time, on a busy machine, leaves out the time in
which this process did not run.
"""

import argparse

import torch

import crf
from benchmarks.core import problem, timed, with_gradients
from benchmarks.harness import Question, report, summary, turns

SIZES = ((32, 32, 17), (8, 50, 9))
BOUNDS = {
    "one score of -10,000": 1.5,
    "transitions of -10,000": 1.5,
    "one chain out of range": 60,
    "weight of each sequence": 3,
    "weight of each token": 20,
    "marginals": 3,
    "best path": 1,
    "entropy": 8,
    "KL": 8,
    "entropy, gradients": 20,
    "KL, gradients": 20,
    "5 best paths": 20,
}


def questions(B: int, L: int, S: int) -> dict[str, Question]:
    """The queries, each on a new chain whose scores require gradients."""
    emissions, tags, mask, model = problem(B, L, S)
    low, far = emissions.clone(), emissions.clone()
    low[3, 2, 5] = -10_000.0
    far[3, 2, 5] = -200.0  # with steep transitions into tag 5: too little for scaled space
    leaf, low, far = (x.clone().requires_grad_() for x in (emissions, low, far))
    steps = model.transitions.detach().expand(B, L - 1, S, S).clone().requires_grad_()
    ends = model.start_transitions, model.end_transitions
    other = model.chain(emissions.flip(0), mask.clone())
    forbidding, steep = crf.ChainCRF(S), crf.ChainCRF(S)
    with torch.no_grad():
        steep.transitions[:, 5] = -60.0
        forbidding.transitions[0] = forbidding.transitions[:, 1] = -10_000.0
    per_token, per_sequence = torch.rand(B, L), torch.rand(B, 1)
    models = (model, forbidding, steep)
    leaves = [leaf, low, far, steps, *(x for one in models for x in one.parameters())]

    def chain() -> crf.LinearChain:
        return model.chain(leaf, mask)

    losses = {
        "unit": lambda: model(leaf, tags, mask),
        "one score of -10,000": lambda: model(low, tags, mask),
        "transitions of -10,000": lambda: forbidding(leaf, tags, mask),
        "one chain out of range": lambda: steep(far, tags, mask),
        "weight of each sequence": lambda: model(leaf, tags, mask, weight=per_sequence),
        "weight of each token": lambda: model(leaf, tags, mask, weight=per_token),
        "entropy, gradients": lambda: chain().entropy.sum(),
        "KL, gradients": lambda: chain().kl(other).sum(),
        "transitions of each step": lambda: (
            -crf.LinearChain(leaf, steps, *ends, mask).log_prob(tags).mean()
        ),
    }
    return {name: with_gradients(loss, leaves) for name, loss in losses.items()} | {
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
    parser.add_argument("--rounds", type=int, default=25)
    options, clock = timed(parser)
    summaries = [summary(turns(questions(*size), options.rounds, clock), "unit") for size in SIZES]
    rows = {name: {"bound": BOUNDS[name]} if name in BOUNDS else {} for name in summaries[0]}
    for size, one in zip(SIZES, summaries, strict=True):
        for name, figures in one.items():
            rows[name][" × ".join(map(str, size))] = figures["ratio"]
    report(rows)
    print("unit:", *(f"{one['unit']['ms']:.3f} ms" for one in summaries))


if __name__ == "__main__":
    main()
