"""How the exercises come out: each calculation line by line, in plain mathematics.

The lines are read off a trace of the problem, so the key shows the numbers that the lessons show.
"""

import math
from typing import NamedTuple

from crf.steps import Step, Trace
from pages.shared.course.brute_force import score
from pages.shared.course.numbers import format_probability, format_score
from pages.shared.course.problem import Problem


class Asked(NamedTuple):
    """What an exercise asks for: of a problem, a token and a tag, a path, or a column."""

    kind: str
    problem: Problem
    token: int
    tag: int
    path: tuple[int, ...]
    column: int


class Answer(NamedTuple):
    """The key."""

    lines: tuple[str, ...]  # the calculation, step by step
    values: tuple[str, ...]  # what is to be found, as text, in the order of `Question.wanted`
    numbers: tuple[float, ...]  # the same unrounded: log-scores, a probability, or tag indices


def _path_score(asked: Asked) -> Answer:
    problem, path = asked.problem, asked.path
    total = score(problem, path)
    parts = [f"start {_signed(problem.start[path[0]])}"]
    for t, s in enumerate(path):
        if t:
            step = problem.matrix(t)[path[t - 1]][s]
            parts.append(f"{problem.tags[path[t - 1]]} to {problem.tags[s]} {_signed(step)}")
        parts.append(f"{problem.tokens[t]} as {problem.tags[s]} {_signed(problem.emissions[t][s])}")
    parts.append(f"end {_signed(problem.end[path[-1]])}")
    value = format_score(total, 1)
    return Answer(("; ".join(parts) + ".", f"Its score is {value}."), (value,), (total,))


def _columns(asked: Asked) -> Answer:
    run = asked.problem.trace(asked.kind)
    column = asked.column
    upto = range(column, len(run.tokens)) if asked.kind == "backward" else range(column + 1)
    lines = [_line(run, step) for step in run.steps if step.kind == "cell" and step.column in upto]
    values = run.table[column]
    return Answer(tuple(lines), tuple(map(format_score, values)), tuple(values))


def _log_z(asked: Asked) -> Answer:
    run = asked.problem.trace()
    lines = tuple(_line(run, step) for step in run.steps)
    return Answer(lines, (format_score(run.log_total),), (run.log_total,))


def _viterbi(asked: Asked) -> Answer:
    run = asked.problem.trace("viterbi")
    path = run.best_path or ()
    lines = [_line(run, step) for step in run.steps if step.kind != "backtrace"]
    lines.append(f"Following the backpointers: {asked.problem.named(path)}.")
    return Answer(tuple(lines), tuple(run.tags[s] for s in path), tuple(map(float, path)))


def _marginal(asked: Asked) -> Answer:
    problem, token, tag = asked.problem, asked.token, asked.tag
    forward, backward = problem.trace(), problem.trace("backward")
    alpha, beta = forward.table[token][tag], backward.table[token][tag]
    p = math.exp(alpha + beta - forward.log_total)
    where = f"({problem.tokens[token]}, {problem.tags[tag]})"
    lines = (
        *(_line(forward, step) for step in forward.steps),
        *(_line(backward, s) for s in backward.steps if s.kind == "cell" and s.column >= token),
        f"log α̂{where} + log β{where} − log Z = {format_score(alpha, 4)} + "
        f"{_bracketed(beta, 4)} − {_bracketed(forward.log_total, 4)}; its exp is "
        f"{format_probability(p)}.",
    )
    return Answer(lines, (format_probability(p),), (p,))


ANSWERS = {
    "path-score": _path_score,
    "forward": _columns,
    "backward": _columns,
    "log-z": _log_z,
    "viterbi": _viterbi,
    "marginal": _marginal,
}


def _line(run: Trace, step: Step) -> str:
    """One cell of a trace in plain mathematics."""
    symbol = {"forward": "log α̂", "backward": "log β", "viterbi": "δ"}[run.algorithm]
    total = "best score" if run.semiring == "max" else "log Z"
    cell = f"{symbol}({run.tokens[step.token]}, {run.tags[step.row]})"
    terms = [" + ".join(_bracketed(part.value) for part in term.parts) for term in step.terms]
    inside = terms[0]
    if len(terms) > 1 and run.semiring == "max":
        inside = f"max({', '.join(terms)})"
    elif len(terms) > 1:
        inside = "log(" + " + ".join(f"exp({term})" for term in terms) + ")"
    added = "".join(f" + {_bracketed(part.value)}" for part in step.added)
    name = total if step.kind == "total" else cell
    if len(step.terms) == 1 and len(step.terms[0].parts) == 1 and not added:
        return f"{name} = {format_score(step.log_value)}"
    return f"{name} = {inside}{added} = {format_score(step.log_value)}"


def _bracketed(value: float, digits: int = 2) -> str:
    text = format_score(value, digits)
    return f"({text})" if text.startswith("−") else text


def _signed(value: float) -> str:
    return format_score(value, 1)
