"""One chain, looked at from all sides: its best paths, its sum, its marginals, a fixed tag.

Three tokens, two tags; the scores are made by hand, so that every number can be checked on paper.

Run it: python -m examples.look_at_one_chain
"""

import itertools

import torch

from crf import LinearChain

WORDS = ["they", "can", "fish"]
TAGS = ["NOUN", "VERB"]

emissions = torch.tensor([[[2.0, 0.0], [0.5, 1.0], [1.0, 0.8]]])  # [1, 3, 2] scores
transitions = torch.tensor([[0.0, 1.0], [1.5, -0.5]])  # from row to column


def main() -> None:
    """Print what one may ask of a chain."""
    chain = LinearChain(emissions, transitions)

    print("All paths, by enumeration:")
    total = 0.0
    for path in itertools.product(range(2), repeat=3):
        score = chain.score(torch.tensor([path])).item()
        total += torch.tensor(score).exp().item()
        print(f"  {' '.join(TAGS[tag] for tag in path):16} score {score:5.2f}")
    log_z = chain.log_partition.item()
    print(f"log of the sum of exp(score): {torch.tensor(total).log():.4f}; log Z: {log_z:.4f}")

    best = chain.topk(2)
    print("\nThe two best paths:")
    for tags, score in zip(best.tags[0].tolist(), best.scores[0].tolist(), strict=True):
        probability = torch.tensor(score - log_z).exp()
        print(f"  {' '.join(TAGS[tag] for tag in tags):16} p = {probability:.3f}")

    print("\nEach token's marginals, p(tag | all words):")
    for word, row in zip(WORDS, chain.marginals[0].tolist(), strict=True):
        print(f"  {word:5}", "  ".join(f"{t} {p:.3f}" for t, p in zip(TAGS, row, strict=True)))

    held = chain.clamp(torch.tensor([[-1, 0, -1]]))  # "can" is a noun, the rest is free
    probability = (held.log_partition - chain.log_partition).exp().item()
    print(f"\np(can is a NOUN) = {probability:.3f}; then the best path is", end=" ")
    print(" ".join(TAGS[tag] for tag in held.viterbi().tags[0].tolist()))


if __name__ == "__main__":
    main()
