"""Check somebody's own implementation of a CRF, cell by cell, and name the mistake.

    python -m crf lab new homework.py       # functions to fill in
    python -m crf lab check homework.py     # the first wrong cell of each, and what went wrong

In a notebook: `from crf import lab; lab.check(forward)`. `crf.lab.mistakes` has the known mistakes,
each a small change of `crf.lab.reference`; `crf.lab.ladder` has the problems.

A homework is foreign code; it runs as the user who calls this, with no sandbox around it.
"""

from .checking import check
from .homework import FUNCTIONS
from .report import CheckResult, Report

__all__ = ["FUNCTIONS", "CheckResult", "Report", "check"]
