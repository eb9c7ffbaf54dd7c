"""Exercises with new numbers for each seed: small problems, one question each, and their answers.

    exercise = Exercise(seed=7, kind="forward", size="small")
    exercise.question().text, exercise.answer().values

The same seed gives the same exercise on every machine. Numbers have one decimal; where a best path
is asked for, it is ahead by `CLEAR` nats or more, and so is each choice on the way.
"""

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from crf.steps import Trace
from pages.shared.course.exercise_answers import ANSWERS, Answer, Asked
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import refuse, short

KINDS = {
    "path-score": "Score of a path",
    "forward": "Forward column",
    "log-z": "log Z",
    "viterbi": "Viterbi path",
    "marginal": "Marginal",
    "backward": "Backward column",
}
SIZES = {"small": (2, 2), "medium": (2, 3), "large": (3, 4)}  # tags, tokens
CLEAR = 0.25  # nats
LARGEST_SEED = 10**9
_TAGS, _TOKENS = "ABC", "wxyz"


class TextTable(NamedTuple):
    """A table of an exercise: a header row and rows, a name and texts in each."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Question(NamedTuple):
    """What is asked."""

    title: str  # the kind of exercise, and its number
    text: str  # the question, a sentence or two
    tables: tuple[TextTable, ...]  # the scores
    wanted: tuple[str, ...]  # a name for each number (or tag) that is to be found


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Args:
        seed: From 0 to `LARGEST_SEED`.
        kind: One of `KINDS`.
        size: One of `SIZES`.

    Raises:
        ProblemError: There is no such seed, kind or size.

    Example:
        >>> print(Exercise(1, "path-score", "small").answer().lines[-1])
        Its score is 6.4.
    """

    seed: int
    kind: str
    size: str = "small"

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise refuse("seed", "a whole number", short(self.seed), "write one such as 7")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise refuse("seed", f"0 to {LARGEST_SEED}", short(self.seed), "choose one of these")
        for name, value, known in (("kind", self.kind, KINDS), ("size", self.size, SIZES)):
            if value not in known:
                raise refuse(name, " or ".join(known), short(value), "choose one of these")

    @cached_property
    def _draw(self) -> tuple[Problem, int, int, tuple[int, ...]]:
        """The problem, the token, the tag and the path that are asked for."""
        source = random.Random(f"{self.kind} {self.size} {self.seed}")
        S, m = SIZES[self.size]
        while True:
            problem = Problem.blank(_TAGS[:S], _TOKENS[:m]).random(source.getrandbits(32))
            token, tag = source.randrange(m), source.randrange(S)
            path = tuple(source.randrange(S) for _ in range(m))
            if self.kind != "viterbi" or is_clear(problem.trace("viterbi")):
                return problem, token, tag, path

    @property
    def problem(self) -> Problem:
        """The scores."""
        return self._draw[0]

    @property
    def path(self) -> tuple[int, ...]:
        """The path whose score is asked for: a tag index for each token."""
        return self._draw[3]

    @property
    def column(self) -> int:
        """The column asked for: the second in the order of computation, or a later one."""
        m = len(self.problem.tokens)
        later = 1 + self._draw[1] % (m - 1)
        return m - 1 - later if self.kind == "backward" else later

    def question(self) -> Question:
        """The question, with the tables of its scores."""
        problem, token, tag, path = self._draw
        tags, tokens = problem.tags, problem.tokens
        column = tokens[self.column]
        text, wanted = {
            "path-score": (
                f"What is the score of the path {problem.named(path)}? Add start, emissions, "
                "transitions and end.",
                ("score",),
            ),
            "forward": (
                f"What are the forward values, log α̂, of the token {column}? Its emission is "
                "in them.",
                tuple(f"log α̂({column}, {s})" for s in tags),
            ),
            "backward": (
                f"What are the backward values, log β, of the token {column}? Its emission is "
                "not in them, end is.",
                tuple(f"log β({column}, {s})" for s in tags),
            ),
            "log-z": ("What is log Z, the logarithm of the sum over all paths?", ("log Z",)),
            "viterbi": ("Which path has the highest score?", tuple(f"tag of {w}" for w in tokens)),
            "marginal": (
                f"How probable is it that {tokens[token]} has the tag {tags[tag]}, all paths taken "
                "together?",
                (f"p({tokens[token]} = {tags[tag]})",),
            ),
        }[self.kind]
        title = f"{KINDS[self.kind]}, {self.size}, number {self.seed}"
        return Question(title, text, _tables(problem), wanted)

    def answer(self) -> Answer:
        """The calculation and its result."""
        problem, token, tag, path = self._draw
        return ANSWERS[self.kind](Asked(self.kind, problem, token, tag, path, self.column))


def is_clear(run: Trace) -> bool:
    """Whether every maximum in a trace is ahead of the runner-up by `CLEAR` nats or more."""
    for step in run.steps:
        values = sorted((term.log_value for term in step.terms), reverse=True)
        if len(values) > 1 and not values[0] - values[1] >= CLEAR:
            return False
    return True


def _tables(problem: Problem) -> tuple[TextTable, ...]:
    tags: Any = problem.tags

    def table(title: str, corner: str, names: Any, rows: Any) -> TextTable:
        cells = zip(names, rows, strict=True)
        return TextTable(
            title,
            (corner, *tags),
            tuple((name, *(format_score(x, 1) for x in row)) for name, row in cells),
        )

    return (
        table("Emissions", "token", problem.tokens, problem.emissions),
        table("Transitions, from row to column", "from", tags, problem.transitions),
        table("Start and end", "", ("start", "end"), (problem.start, problem.end)),
    )
