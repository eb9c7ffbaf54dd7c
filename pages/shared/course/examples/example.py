"""What a worked example is, and how its scores are written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.numbers import format_probability, parse_score
from pages.shared.course.problem import Problem
from pages.shared.course.problem_edits import Matrix

Facts = Callable[[ChainSummary], dict[str, str]]
Claims = Mapping[str, Callable[[ChainSummary], bool]]


def _no_facts(summary: ChainSummary) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Example:
    """A worked example."""

    name: str  # its key, for links
    title: str  # what a list of examples shows
    problem: Problem  # the scores
    template: str  # why it is instructive, with {fields} where numbers and tags stand
    facts: Facts = field(default=_no_facts)  # what goes into the fields
    claims: Claims = field(default_factory=dict)  # what `why` says, each as a test of the summary

    @cached_property
    def summary(self) -> ChainSummary:
        """What the chain says."""
        return ChainSummary(self.problem)

    @cached_property
    def why(self) -> str:
        """Why it is instructive, in a line or two; its numbers are computed now."""
        return self.template.format(**self.facts(self.summary))


def rows(text: str) -> Matrix:
    """A table as one writes it down: a line for each row; cells like 1.5, -inf, log(.4)."""
    lines = text.strip().splitlines()
    return tuple(tuple(parse_score(cell) for cell in line.split()) for line in lines)


def scored(
    tags: str, tokens: str, emissions: str, transitions: str, start: str = "", end: str = ""
) -> Problem:
    zeros = "0 " * len(tags.split())
    return Problem(
        tuple(tags.split()),
        tuple(tokens.split()),
        rows(emissions),
        rows(transitions),
        rows(start or zeros)[0],
        rows(end or zeros)[0],
    )


def logarithms(text: str) -> str:
    """A table of probabilities, as scores."""
    return "\n".join(
        " ".join(f"log({p})" for p in line.split()) for line in text.strip().splitlines()
    )


def spoken(path: tuple[str, ...]) -> str:
    return " ".join(path)


def p(summary: ChainSummary, path: tuple[str, ...] | str) -> str:
    return format_probability(summary.p(path))
