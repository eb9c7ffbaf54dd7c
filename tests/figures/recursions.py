"""Problems and recursions for the tests of what lessons say."""

import re
from itertools import product

from pages.shared.course.examples import EXAMPLES

OLD_MAN = EXAMPLES["old-man"].problem
FORMS = ("state", "message", "pair")
SEMIRINGS = ("sum", "max")
EVERY = [
    (algorithm, convention, semiring)
    for algorithm, convention, semiring in product(
        ("forward", "backward", "viterbi"), FORMS, SEMIRINGS
    )
    if (algorithm, semiring) != ("viterbi", "sum")
]


def run(problem, convention, semiring):
    return problem.trace("forward" if semiring == "sum" else "viterbi", convention=convention)


def plain(html):
    return "".join(re.sub("<[^>]+>", "", html).split())


def value(text):
    """What a number says that a page writes."""
    return float(text.replace("−", "-").replace("∞", "inf").replace(" ", ""))
