"""pytorch-crf in a training loop, replaced: one import, and one sign less.

    from torchcrf import CRF                                   from crf import ChainCRF
    crf = CRF(num_tags, batch_first=True)                      crf = ChainCRF(num_tags)
    loss = -crf(emissions, tags, mask, reduction="mean")       loss = crf(emissions, tags, mask)
    paths = crf.decode(emissions, mask)                        paths = crf.decode(emissions, mask)

The parameters have the same names and shapes, so `crf.load_state_dict` takes a trained model's.
Tensors are batch-first. What is new: `Constraints`, and `crf.chain(…)`, the distribution itself.

Run it: python -m examples.replace_pytorch_crf
"""

import torch
from torch import nn

from crf import ChainCRF, Constraints

LABELS = ["O", "B-LOC", "I-LOC"]
SENTENCES = [
    ("we flew from New York to Rome", "O O O B-LOC I-LOC O B-LOC"),
    ("New York is far", "B-LOC I-LOC O O"),
    ("Rome and New York are new to us", "B-LOC O B-LOC I-LOC O O O O"),
]


class Tagger(nn.Module):
    """Words → emissions, as small as can be; the CRF on top does not care what is below it."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.linear = nn.Linear(32, len(LABELS))
        self.crf = ChainCRF(len(LABELS), Constraints.bio(LABELS))

    def emissions(self, words: torch.Tensor) -> torch.Tensor:
        """[B, L] word indices → [B, L, S] scores."""
        return self.linear(self.lstm(self.embedding(words))[0])


def main() -> None:
    """Train on three sentences; print the loss, the paths, and how sure the tagger is."""
    torch.manual_seed(0)
    sentences = [words.split() for words, _ in SENTENCES]
    index = {word: i for i, word in enumerate(sorted({w for s in sentences for w in s}), start=1)}
    longest = max(map(len, sentences))
    words = torch.tensor([[index[w] for w in s] + [0] * (longest - len(s)) for s in sentences])
    mask = words > 0
    tags = torch.zeros_like(words)
    for row, (_, labels) in enumerate(SENTENCES):
        known = [LABELS.index(label) for label in labels.split()]
        tags[row, : len(known)] = torch.tensor(known)

    tagger = Tagger(len(index) + 1)
    optimiser = torch.optim.Adam(tagger.parameters(), lr=0.02)
    for epoch in range(1, 61):
        loss = tagger.crf(tagger.emissions(words), tags, mask)  # −log p(tags), mean over sentences
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if epoch % 20 == 0:
            print(f"epoch {epoch}: loss {loss.item():.3f} nats per sentence")

    with torch.no_grad():
        chain = tagger.crf.chain(tagger.emissions(words), mask)
    for row, path in enumerate(tagger.crf.decode(tagger.emissions(words), mask)):
        pairs = zip(sentences[row], path, strict=True)
        print(" ".join(f"{word}/{LABELS[tag]}" for word, tag in pairs))
        print(f"  p = {chain.log_prob(tags)[row].exp():.3f}, entropy {chain.entropy[row]:.3f} nats")


if __name__ == "__main__":
    main()
