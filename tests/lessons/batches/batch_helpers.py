"""Batches for the tests: every preset of some worked examples."""

from pages.batches.batch import Batch, presets
from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem
BIO = EXAMPLES["bio"].problem  # has forbidden transitions
RAGGED = Batch.of(OLD_MAN, "The old man the boat The old man\nthe boat The old man")


def every_batch() -> list[Batch]:
    return [
        Batch.of(EXAMPLES[name].problem, text)
        for name in ("old-man", "bio", "pair-potentials", "no-path", "one-token")
        for _, text in presets(EXAMPLES[name].problem).values()
    ]
