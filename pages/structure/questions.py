"""The questions of the lesson "Why structure"."""

import random

from crf.figures.numbers import superscript
from crf.figures.trellis.narration import quoted
from pages.shared.course.problem import Problem
from pages.shared.course.typed_numbers import parse_count
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui import problem_state, question
from pages.shared.ui.question import Verdict
from pages.structure.greedy import GreedyPath


def first_wrong(text: LessonText, problem: Problem, alone: GreedyPath) -> bool:
    """Where greedy goes wrong: a guess; whether the answer may be shown."""
    words = [quoted(problem.tokens, t) for t in range(len(problem.tokens))]
    return question.guess(
        text.plain("asked-tied" if alone.tied else "asked"),
        [*words, text.line("manner.nowhere")],
        len(words) if alone.mistake is None else alone.mistake.token,
        key="structure.guess",
        subject=(problem_state.origin().label, len(problem.tags), len(problem.tokens)),
    )


def how_many(text: LessonText, problem: Problem, helps: bool) -> None:
    """How many paths there are, with numbers of its own: those of the problem stand beside it."""
    S, m = numbers(0, (len(problem.tags), len(problem.tokens)))  # the same for a whole class
    question.number(
        text.line("count.asked", S=S, m=m),
        lambda answer: judge(text, S, m, answer),
        key=f"structure.count.{S}.{m}",
        name=text.line("count.name"),
        read=parse_count,
        helps=helps,
    )


def numbers(seed: int, told: tuple[int, int]) -> tuple[int, int]:
    """Tags and tokens of the question, other than those whose answer is told."""
    draw = random.Random(seed)
    return draw.choice([(S, m) for S in range(2, 7) for m in range(3, 7) if (S, m) != told])


def judge(text: LessonText, S: int, m: int, answer: float) -> Verdict:
    """What is to be said of a learner's count of paths: what may have gone wrong."""
    right = S**m
    solution = f"{S}{superscript(m)} = {theme.count(right)}."
    if answer == right:
        return Verdict(True, solution)
    faults = {  # the likelier last: with 2 tags and 4 tokens, 8 is 2 · 4 as well as 2³
        S * (m - 1): "added",
        S ** (m - 1): "fewer",
        m * S * S: "steps",
        m**S: "swapped",
        S * m: "cells",
    }
    return Verdict(False, text.line(f"count.{faults.get(int(answer), 'usual')}"), solution)
