"""The lesson "Why structure" as a test opens it, and its numbers path by path."""

import math
from itertools import product
from pathlib import Path

from pages.shared.course.examples import DEFAULT, EXAMPLES
from tests.apps import opened
from tests.pages import path_oracle

ROOT = Path(__file__).resolve().parents[2]
OLD_MAN = EXAMPLES[DEFAULT].problem
FEW = 5000  # paths that the oracle goes through


def open_page(**query):
    return opened("structure", **query)


def see(app):
    """Go on without guessing."""
    button = next((b for b in app.button if b.label == "Just show me"), None)
    return app if button is None else button.click().run()


def texts(app):
    return " ".join(block.proto.body for block in app.get("html"))


def enumerated(problem):
    """Every allowed path's probability, by tags; {} if none is allowed."""
    log_z = path_oracle.log_partition(problem)
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    scores = {path: path_oracle.path_score(problem, path) for path in every}
    return {y: math.exp(x - log_z) for y, x in scores.items() if x > -math.inf}


def is_small(problem):
    return len(problem.tags) ** len(problem.tokens) <= FEW
