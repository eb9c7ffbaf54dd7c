"""Worked examples, each with one line on why it is instructive, and what that line claims.

    EXAMPLES["old-man"].problem, EXAMPLES["old-man"].why

The numbers in a `why` are computed from its chain when it is asked for; a test asserts every claim.
"""

from pages.shared.course.examples.edge_cases import EDGE_CASES
from pages.shared.course.examples.example import Example
from pages.shared.course.examples.ice_cream import ICE_CREAM
from pages.shared.course.examples.sentences import SENTENCES
from pages.shared.course.examples.structures import STRUCTURES

__all__ = ["DEFAULT", "EXAMPLES", "Example"]

EXAMPLES: dict[str, Example] = {
    example.name: example for example in (*SENTENCES, *ICE_CREAM, *STRUCTURES, *EDGE_CASES)
}
DEFAULT = "old-man"
