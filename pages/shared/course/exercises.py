"""Exercises with new numbers for each seed: small problems, one question each, and their answers.

    exercise = Exercise(seed=7, kind="forward", size="small")
    exercise.question().text, exercise.answer().values

The same seed gives the same exercise on every machine. Numbers have one decimal; where a best path
is asked for, it is ahead by `CLEAR` nats or more, and so is each choice on the way. The key's lines
are read off a trace of the problem, so it shows the numbers that the lessons show.
"""

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from crf.figures.numbers import format_probability, format_score
from crf.figures.trellis.notation import LOG, symbol_of
from crf.steps import Step, Trace
from pages.shared.course.brute_force import score
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import refuse, short
from pages.shared.course.words import say

KINDS = ("path-score", "forward", "log-z", "viterbi", "marginal", "backward")
SIZES = {"small": (2, 2), "medium": (2, 3), "large": (3, 4)}  # tags, tokens
CLEAR = 0.25  # nats
LARGEST_SEED = 10**9
_TAGS, _TOKENS = "ABC", "wxyz"


def kind_title(kind: str) -> str:
    """What a kind of exercise is called."""
    return say(f"exercise.{kind}")


def size_name(size: str) -> str:
    """What a size of exercise is called."""
    return say(f"size.{size}")


class TextTable(NamedTuple):
    """A table of an exercise: a header row and rows, a name and texts in each."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Question(NamedTuple):
    """The text of a question, with its tables."""

    title: str  # the kind of exercise, and its number
    text: str  # the question, a sentence or two
    tables: tuple[TextTable, ...]  # the scores
    wanted: tuple[str, ...]  # a name for each number (or tag) that is to be found


class Answer(NamedTuple):
    """The answer, for the key."""

    lines: tuple[str, ...]  # the calculation, step by step, in plain mathematics
    values: tuple[str, ...]  # what is to be found, as text, in the order of `Question.wanted`
    numbers: tuple[float, ...]  # the same unrounded: log-scores, a probability, or tag indices


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Raises:
        ProblemError: There is no such seed, kind or size.

    Example:
        >>> print(Exercise(1, "path-score", "small").answer().lines[-1])
        Its score is 6.4.
    """

    seed: int  # from 0 to `LARGEST_SEED`
    kind: str  # one of `KINDS`
    size: str = "small"  # one of `SIZES`

    def __post_init__(self) -> None:
        if type(self.seed) is not int or not 0 <= self.seed <= LARGEST_SEED:
            raise refuse("seed", f"0 to {LARGEST_SEED}", short(self.seed), "choose one of these")
        for name, value, options in (("kind", self.kind, KINDS), ("size", self.size, SIZES)):
            if value not in options:
                raise refuse(name, " or ".join(options), short(value), "choose one of these")

    @cached_property
    def draw(self) -> tuple[Problem, int, int, tuple[int, ...]]:
        """Draw the problem, token, tag and path that the exercise asks for."""
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
        return self.draw[0]

    @property
    def path(self) -> tuple[int, ...]:
        """The path whose score is asked for: a tag index for each token."""
        return self.draw[3]

    @property
    def column(self) -> int:
        """The column asked for: the second in the order of computation, or a later one."""
        m = len(self.problem.tokens)
        later = 1 + self.draw[1] % (m - 1)
        return m - 1 - later if self.kind == "backward" else later

    def question(self) -> Question:
        """The question, with the tables of its scores."""
        problem, token, tag, path = self.draw
        tags, tokens = problem.tags, problem.tokens
        facts = {
            "path": problem.named(path),
            "column": tokens[self.column],
            "token": tokens[token],
            "tag": tags[tag],
        }
        several = {"forward": tags, "backward": tags, "viterbi": tokens}.get(self.kind, ("",))
        kind, ends = kind_title(self.kind), (say("given.start"), say("given.end"))
        return Question(
            say("exercise.number", kind=kind, size=size_name(self.size), seed=str(self.seed)),
            say(f"asked.{self.kind}", **facts),
            (
                _table("emissions", say("given.token"), tags, tokens, problem.emissions),
                _table("transitions", say("given.from"), tags, tags, problem.matrix(1)),
                _table("ends", "", tags, ends, (problem.start, problem.end)),
            ),
            tuple(say(f"wanted.{self.kind}", each=name, **facts) for name in several),
        )

    def answer(self) -> Answer:
        """The calculation and its result."""
        return _ANSWERS[self.kind](self)


def is_clear(run: Trace) -> bool:
    """Whether every maximum in a trace is ahead of the runner-up by `CLEAR` nats or more."""
    terms = (sorted(term.log_value for term in step.terms) for step in run.steps)
    return all(values[-1] - values[-2] >= CLEAR for values in terms if len(values) > 1)


def _table(
    title: str, corner: str, tags: tuple[str, ...], names: tuple[str, ...], rows: Iterable[Any]
) -> TextTable:
    cells = zip(names, rows, strict=True)
    texts = tuple((name, *(format_score(x, 1) for x in row)) for name, row in cells)
    return TextTable(say(f"given.{title}"), (corner, *tags), texts)


# ---------------------------------------------------------------------- answers


def _path_score(exercise: Exercise) -> Answer:
    problem, path = exercise.problem, exercise.path
    tags = [problem.tags[s] for s in path]

    def part(name: str, value: float, **names: str) -> str:
        return say(f"key.{name}", score=format_score(value, 1), **names)

    parts = [part("start", problem.start[path[0]])]
    for t, s in enumerate(path):
        if t:
            step = problem.matrix(t)[path[t - 1]][s]
            parts.append(part("transition", step, before=tags[t - 1], tag=tags[t]))
        token = problem.tokens[t]
        parts.append(part("emission", problem.emissions[t][s], token=token, tag=tags[t]))
    parts.append(part("end", problem.end[path[-1]]))
    total = score(problem, path)
    lines = ("; ".join(parts) + ".", part("score", total))
    return Answer(lines, (format_score(total, 1),), (total,))


def _columns(exercise: Exercise) -> Answer:
    run, column = exercise.problem.trace(exercise.kind), exercise.column
    upto = range(column, len(run.tokens)) if exercise.kind == "backward" else range(column + 1)
    lines = [_line(run, step) for step in run.steps if step.kind == "cell" and step.column in upto]
    values = run.table[column]
    return Answer(tuple(lines), tuple(map(format_score, values)), tuple(values))


def _log_z(exercise: Exercise) -> Answer:
    run = exercise.problem.trace()
    lines = tuple(_line(run, step) for step in run.steps)
    return Answer(lines, (format_score(run.log_total),), (run.log_total,))


def _viterbi(exercise: Exercise) -> Answer:
    run = exercise.problem.trace("viterbi")
    path = run.best_path or ()
    lines = [_line(run, step) for step in run.steps if step.kind != "backtrace"]
    lines.append(say("key.path", path=exercise.problem.named(path)))
    return Answer(tuple(lines), tuple(run.tags[s] for s in path), tuple(map(float, path)))


def _marginal(exercise: Exercise) -> Answer:
    problem, token, tag, _ = exercise.draw
    forward, backward = problem.trace(), problem.trace("backward")
    alpha, beta = forward.table[token][tag], backward.table[token][tag]
    p = math.exp(alpha + beta - forward.log_total)
    line = say(
        "key.marginal",
        where=f"({problem.tokens[token]}, {problem.tags[tag]})",
        alpha=format_score(alpha, 4),
        beta=_bracketed(beta, 4),
        total=_bracketed(forward.log_total, 4),
        p=format_probability(p),
    )
    lines = [_line(forward, step) for step in forward.steps]
    lines += [_line(backward, s) for s in backward.steps if s.kind == "cell" and s.column >= token]
    return Answer((*lines, line), (format_probability(p),), (p,))


_ANSWERS: dict[str, Callable[[Exercise], Answer]] = {
    "path-score": _path_score,
    "forward": _columns,
    "backward": _columns,
    "log-z": _log_z,
    "viterbi": _viterbi,
    "marginal": _marginal,
}


def _line(run: Trace, step: Step) -> str:
    """One cell of a trace in plain mathematics."""
    name = f"{symbol_of(run, LOG)}({run.tokens[step.token]}, {run.tags[step.row]})"
    if step.kind == "total":
        name = say("key.best") if run.semiring == "max" else "log Z"
    terms = [" + ".join(_bracketed(part.value) for part in term.parts) for term in step.terms]
    inside = terms[0]
    if len(terms) > 1 and run.semiring == "max":
        inside = f"max({', '.join(terms)})"
    elif len(terms) > 1:
        inside = "log(" + " + ".join(f"exp({term})" for term in terms) + ")"
    inside += "".join(f" + {_bracketed(part.value)}" for part in step.added)
    if len(step.terms) == 1 and len(step.terms[0].parts) == 1 and not step.added:
        return f"{name} = {format_score(step.log_value)}"
    return f"{name} = {inside} = {format_score(step.log_value)}"


def _bracketed(value: float, digits: int = 2) -> str:
    text = format_score(value, digits)
    return f"({text})" if text.startswith("−") else text
