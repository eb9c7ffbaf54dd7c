"""Problems and recursions for the tests of what lessons say."""

import re

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem

OLD_MAN = EXAMPLES["old-man"].problem
FORMS = ("state", "message", "pair")
SEMIRINGS = ("sum", "max")
WITH_ENDS = Problem.blank(["A", "B"], ["x", "y", "z"]).random(5)


def run(problem, convention, semiring):
    return problem.trace("forward" if semiring == "sum" else "viterbi", convention=convention)


def plain(html):
    return "".join(re.sub("<[^>]+>", "", html).split())
