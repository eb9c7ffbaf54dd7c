"""Auxiliary losses: the encoder also learns the treebank's other columns in training.

Its finer tags, features and relations need the same understanding of the sentence as the tags do.
So an encoder that must also tell them learns vectors that serve on sentences it has not seen.

Source: multi-task learning with auxiliary losses, Plank, Søgaard, Goldberg (2016),
arXiv:1604.05529.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from .reading import TaggingDataset

NOTHING = -100  # the class at padding, which `cross_entropy` leaves out


class AuxiliaryClassifiers(nn.Module):
    """A linear classifier for each of the hints, H in all.

    Args:
        training: The sentences with their hints; those without teach the classifiers nothing.
        size: Of the encoder's vectors.
    """

    def __init__(self, training: TaggingDataset, size: int) -> None:
        super().__init__()
        columns = zip(*(hints for s in training for hints in s.hints), strict=True)
        numbers = [{v: n for n, v in enumerate(sorted(set(column)))} for column in columns]
        self.classes: list[Tensor] = []  # of each sentence, [L, H]
        for words, _, hints in training:
            rows = [[n[v] for n, v in zip(numbers, values, strict=True)] for values in hints]
            nothing = [[NOTHING] * len(numbers)] * len(words)
            classes = torch.tensor(rows or nothing, dtype=torch.long)
            self.classes.append(classes.view(len(words), len(numbers)))
        self.classifiers = nn.ModuleList(nn.Linear(size, len(number)) for number in numbers)

    def loss(self, states: Tensor, rows: list[int]) -> Tensor:
        """The sum of the cross-entropies, in nats per sentence.

        The states [B, L, size] are the encoder's vectors of these B training sentences.
        """
        total = states.new_zeros(())
        if self.classifiers:
            padded = pad_sequence([self.classes[row] for row in rows], True, NOTHING)
            padded = padded.to(states.device)  # [B, L, H]
            for classifier, classes in zip(self.classifiers, padded.unbind(2), strict=True):
                scores = classifier(states).flatten(0, 1)
                total = total + cross_entropy(scores, classes.flatten(), reduction="sum")
        return total / len(rows)
