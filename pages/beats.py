"""The beats of every lesson, by the lesson's folder: what the stage's hosts can be asked for.

Readers see the lessons in the order of `COURSE` in pages/shared/contents.py.
"""

from pages.batches import beats as batches
from pages.constraints import beats as constraints
from pages.cost import beats as cost
from pages.graphs import beats as graphs
from pages.implement import beats as implement
from pages.learning import beats as learning
from pages.stability import beats as stability
from pages.tag import beats as tag
from pages.trellis import beats as trellis
from pages.words import beats as words

LESSONS = {
    "tag": tag.BEATS,
    "trellis": trellis.BEATS,
    "learning": learning.BEATS,
    "words": words.BEATS,
    "implement": implement.BEATS,
    "stability": stability.BEATS,
    "batches": batches.BEATS,
    "constraints": constraints.BEATS,
    "cost": cost.BEATS,
    "graphs": graphs.BEATS,
}
