"""The questions of the lesson "Why structure", and its table of the best paths."""

import random
from collections.abc import Sequence

import streamlit as st

from crf.figures.numbers import format_score, superscript
from crf.figures.trellis.narration import quoted
from pages.shared.course.brute_force import ScoredPath
from pages.shared.course.problem import Problem
from pages.shared.course.typed_numbers import parse_count
from pages.shared.figures import tables
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count, log_probability
from pages.shared.ui import computed, problem_state, question
from pages.shared.ui.frame import note
from pages.shared.ui.question import Verdict
from pages.structure.facts import cumulative
from pages.structure.greedy import GreedyPath

MOST = 8  # paths that are listed; a file has all of them


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
    """How many paths there are, asked of a size whose answer is not told on the page."""
    told = (len(problem.tags), len(problem.tokens))
    sizes = [(S, m) for S in range(2, 7) for m in range(3, 7) if (S, m) != told]
    S, m = random.Random(0).choice(sizes)  # the same for a whole class
    question.number(
        text.line("count.asked", S=S, m=m),
        lambda answer: judge(text, S, m, answer),
        key=f"structure.count.{S}.{m}",
        name=text.line("count.name"),
        read=parse_count,
        helps=helps,
    )


def judge(text: LessonText, S: int, m: int, answer: float) -> Verdict:
    """What is to be said of a learner's count of paths: what may have gone wrong."""
    right = S**m
    solution = f"{S}{superscript(m)} = {count(right)}."
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


def show_paths(problem: Problem, allowed: Sequence[ScoredPath]) -> None:
    """The table of the best allowed paths."""
    log_z, line = computed.summary(problem).log_z, LessonText.of("structure").line
    listed = [
        tables.PathRow(
            f"{count(rank)}.",
            [problem.tags[s] for s in path.tags],
            [
                format_score(path.score),
                log_probability(path.score - log_z),  # exp of it may be less than any float
                cumulative(path.cumulative, last=rank == len(allowed)),
            ],
        )
        for rank, path in enumerate(allowed[:MOST], 1)
    ]
    best = [problem.tags[s] for s in allowed[0].tags]
    heads = [line(f"labels.{name}") for name in ("score", "probability", "cumulative")]
    caption = line("labels.listed")
    st.html(tables.path_table(problem.tokens, listed, best, heads, caption, tags=problem.tags))
    if MOST < len(allowed):
        note(line("labels.more", n=len(allowed) - MOST))
    if len(allowed) > 1:
        note(line("labels.framed"))


def path_rows(problem: Problem) -> tables.Rows:
    """All paths for a file, the header first."""
    body = [[*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)]
    return [[*problem.tokens, "score", "probability", "cumulative"], *body]
