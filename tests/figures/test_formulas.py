"""A formula in symbols has the parts of the trace's steps, in their order."""

import re

import pytest

from crf.figures.trellis.equations import CLASSES, ROLES
from crf.figures.trellis.notation import LOG
from crf.trace import ALGORITHMS
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import formulas


def roles(line: str) -> list[str]:
    return re.findall(r'"crf-role-(\w)', line)


@pytest.mark.parametrize("form", ["state", "message"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_line_has_the_parts_of_its_step(algorithm, form):
    trace = EXAMPLES["old-man"].problem.trace(algorithm, convention=form)
    tags, cells = len(trace.tags), [step for step in trace.steps if step.kind == "cell"]
    total = next(step for step in trace.steps if step.kind == "total")
    lines = re.findall(r"<div>(.*?)</div>", formulas.recursion(trace, LOG).split("crf-note")[0])
    for step, line in zip((cells[0], cells[tags], total), (*lines[:2], lines[-1]), strict=True):
        parts = [*step.terms[0].parts, *step.added]
        expected = [CLASSES[ROLES.index(part.role)] for part in parts]
        assert roles(line.split(" = ")[1]) == expected
