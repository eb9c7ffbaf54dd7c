"""Check your own implementation of a CRF cell by cell, and learn which mistake explains it.

    python -m crf lab new homework.py       # functions to fill in
    python -m crf lab check homework.py     # the first wrong cell of each, and what went wrong

In a notebook, call `from crf import lab; lab.check(forward)`. `crf.lab.mistakes` has the known
mistakes, each a small change of `crf.lab.reference`, and `crf.lab.ladder` has the test problems.

A homework is code that runs with your user's rights and without a sandbox, so check only files that
you trust.
"""

from .checking import check
from .homework import FUNCTIONS
from .report import CheckResult, Report

__all__ = ["FUNCTIONS", "CheckResult", "Report", "check"]
