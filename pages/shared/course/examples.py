"""Worked examples: scores from `examples.toml`, titles and what each shows from `examples.md`.

    EXAMPLES["old-man"].problem, EXAMPLES["old-man"].why

The numbers in a `why` are computed from its chain when it is asked for; a test asserts every claim.
"""

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np

from crf.figures.numbers import (
    format_count,
    format_log_probability,
    format_potential,
    format_probability,
    format_score,
)
from crf.figures.words import words
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.problem import Matrix, Problem
from pages.shared.course.typed_numbers import parse_score


@dataclass(frozen=True)
class Example:
    """A worked example."""

    name: str  # its key, for links
    problem: Problem  # the scores

    @cached_property
    def summary(self) -> ChainSummary:
        """The example's summary."""
        return ChainSummary(self.problem)

    @property
    def title(self) -> str:
        """What a list of examples shows, in the reader's language."""
        return _text(f"title.{self.name}")

    @property
    def why(self) -> str:
        """Why the example is instructive, in the reader's language, with numbers from its chain."""
        template = _text(f"why.{self.name}")
        holes = [hole for _, hole, _, _ in Formatter().parse(template) if hole]
        return template.format(**{hole: FACTS[hole](self.summary) for hole in holes})


def _text(name: str) -> str:
    return words(Path(__file__).parent, file="examples")[name]


def prior(r: ChainSummary) -> float:
    """The probability of the first of two words by their start scores alone."""
    return 1 / (1 + math.exp(r.problem.start[1] - r.problem.start[0]))


def ties(r: ChainSummary) -> list[int]:
    """The days, from 1, on which the two best paths differ, if they have the same score."""
    first, second = r.best(2)
    if abs(r.score(first) - r.score(second)) > 1e-9:
        return []
    return [t for t, (a, b) in enumerate(zip(first, second, strict=True), start=1) if a != b]


FACTS: dict[str, Callable[[ChainSummary], str]] = {
    "best": lambda r: " ".join(r.viterbi),
    "p_best": lambda r: format_probability(r.p(r.viterbi)),
    "small_p_best": lambda r: format_log_probability(math.log(r.p(r.viterbi))),
    "second": lambda r: " ".join(r.best(2)[1]),
    "p_second": lambda r: format_probability(r.p(r.best(2)[1])),
    "greedy": lambda r: " ".join(r.greedy),
    "p_greedy": lambda r: format_probability(r.p(r.greedy)),
    "left": lambda r: " ".join(r.left_to_right),
    "posterior": lambda r: " ".join(r.posterior),
    "p_posterior": lambda r: format_probability(r.p(r.posterior)),
    "best_of_two": lambda r: " ".join(r.first(2).viterbi),
    "best_of_three": lambda r: " ".join(r.first(3).viterbi),
    "p_best_of_three": lambda r: FACTS["p_best"](r.first(3)),
    "m": lambda r: str(len(r.problem.tokens)),
    "S": lambda r: str(len(r.problem.tags)),
    "count": lambda r: format_count(len(r.problem.tags) ** len(r.problem.tokens)),
    "log_z": lambda r: format_score(r.log_z),
    "z": lambda r: format_log_probability(r.log_z),
    "score": lambda r: format_score(r.score(r.viterbi), 0),
    "exp_score": lambda r: format_potential(r.score(r.viterbi)),
    "hot_on_day_eleven": lambda r: format_probability(r.marginal(10, "H")),
    "tie": lambda r: ", ".join(map(str, ties(r))),
    "hot_at_the_tie": lambda r: format_probability(r.marginal(ties(r)[0] - 1, "H")),
    "prior": lambda r: format_probability(prior(r)),
    "p_rob": lambda r: format_probability(r.p("r·rob o b")),
}


def _table(text: str) -> Matrix:
    """Read a table from text: one line for each row, with cells such as 1.5, -inf or log(.4)."""
    lines = text.strip().splitlines()
    return tuple(tuple(parse_score(cell) for cell in line.split()) for line in lines)


def _random_tables(m: int, S: int) -> Any:
    """ψ(s', s, t) with log ψ uniform on [0, 1), for each step; ψ(*, s, 1) is the start."""
    tables = np.random.RandomState(1111).random_sample([m, S, S])
    return {"start": tables[0, 0].tolist(), "transitions": tables[1:].tolist()}


def _problem(entry: dict[str, Any]) -> Problem:
    """The scores of an entry of the file; missing scores are 0."""
    tags, tokens = entry["tags"].split(), entry["tokens"]
    tokens = tokens.split() if isinstance(tokens, str) else tokens
    tables = {name: _table(entry[name]) for name in ("emissions", "transitions") if name in entry}
    tables |= {name: _table(entry[name])[0] for name in ("start", "end") if name in entry}
    if "random" in entry:
        tables = _random_tables(len(tokens), len(tags))
    return Problem.blank(tags, tokens).with_changes(**tables)


def _read() -> dict[str, Example]:
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: Example(name, _problem(entry)) for name, entry in entries.items()}


EXAMPLES = _read()
