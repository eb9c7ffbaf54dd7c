"""Exercises on paper: the questions, and the key on a page of its own; as HTML and as LaTeX.

exercise_sheet.html and exercise_sheet.tex have the parts of a sheet, each below its name, with
@holes@ for what the exercises say. In LaTeX each table stands in another: the title above it must
not widen its columns. Both are in the reader's language.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crf.figures.languages import language
from pages.shared.course import latex, templates
from pages.shared.course.exercises import KINDS, LARGEST_SEED, Exercise, TextTable
from pages.shared.course.problem_checks import clean_name, refuse, short
from pages.shared.course.right_to_left import escape
from pages.shared.course.words import say

MOST = 20  # exercises on a sheet
VARIANTS = ("A", "B")
_IN_LATEX = {
    "log α̂": r"$\log\hat{\alpha}$",
    "log β": r"$\log\beta$",
    "δ": r"$\delta$",
    "−": "$-$",
    "∞": r"$\infty$",
    "’": "'",
    "–": "--",
    "×": r"$\times$",
    "·": r"$\cdot$",
}


@dataclass(frozen=True)
class Sheet:
    """A sheet of exercises, of which there are two variants.

    Raises:
        ProblemError: There is no such sheet.
    """

    seed: int  # from 0 to `LARGEST_SEED`; the same seed gives the same sheets everywhere
    kinds: tuple[str, ...] = KINDS  # taken in turn
    size: str = "small"  # one of `SIZES`
    count: int = 6  # 1 to `MOST` exercises

    def __post_init__(self) -> None:
        if not self.kinds or len(self.kinds) > MOST:
            raise refuse("kinds", f"1 to {MOST}", str(len(self.kinds)), "choose some")
        for kind in self.kinds:
            Exercise(self.seed, kind, self.size)  # refuses what is none
        if type(self.count) is not int or not 1 <= self.count <= MOST:
            raise refuse("count", f"1 to {MOST}", short(self.count), "choose one of these")

    def exercises(self, variant: str) -> tuple[Exercise, ...]:
        """The exercises of a variant, "A" or "B"."""
        draw = random.Random(f"{self.seed} {variant}")
        return tuple(
            Exercise(draw.randrange(LARGEST_SEED + 1), self.kinds[k % len(self.kinds)], self.size)
            for k in range(self.count)
        )


class ProgrammingTask(NamedTuple):
    """Functions to write, at the end of a sheet."""

    title: str  # such as "Implement forward"
    text: str  # what is to be done
    commands: tuple[str, ...]  # that write the file and check it
    code: str  # the file to fill in; on a LaTeX sheet it is left out


def sheet(
    exercises: Sequence[Exercise],
    title: str = "",
    task: ProgrammingTask | None = None,
    form: str = "html",
) -> str:
    """The exercises, then a task, as a document to print: "html", or "tex" for LaTeX.

    Its text is inert whatever the title is; without one it is the usual one.

    Raises:
        ProblemError: There are not 1 to `MOST` exercises.
    """
    if not 1 <= len(exercises) <= MOST:
        raise refuse("exercises", f"1 to {MOST}", str(len(exercises)), "make several sheets")
    parts = _Parts(form)
    numbered = [(str(n), exercise) for n, exercise in enumerate(exercises, start=1)]
    foot = "; ".join(f"{n}. {exercise.question().title}" for n, exercise in numbered) + "."
    title = " ".join(map(clean_name, (title or say("sheet.exercises")).split()))
    programming = task and parts.fill(
        "task",
        n=str(len(exercises) + 1),
        title=parts.inert(task.title),
        text=parts.inert(task.text),
        code=parts.inert(task.code),
        lines=parts.each("command", task.commands),
    )
    return (
        parts.fill(
            "document",
            lang=language(),
            preamble=parts.preamble(),
            title=parts.inert(title),
            name=parts.inert(say("sheet.name")),
            key=parts.inert(say("sheet.answers")),
            foot=parts.inert(foot),
            task=programming or "",
            questions=parts.lines(parts.question(n, exercise) for n, exercise in numbered),
            answers=parts.lines(parts.answer(n, exercise) for n, exercise in numbered),
        )
        + "\n"
    )


class _Parts:
    """The parts of a sheet in one form, "html" or "tex"."""

    def __init__(self, form: str) -> None:
        self.file = f"exercise_sheet.{form}"
        self.inert = escape if form == "html" else latex_text
        self.lines = "\n".join

    def fill(self, part: str, /, **facts: str) -> str:
        """A part with its holes filled by texts that are already escaped."""
        return templates.fill(self.file, part, **facts)

    def preamble(self) -> str:
        """What LaTeX needs for the letters of the reader's language."""
        chinese = language() == "zh"
        return self.fill("chinese" if chinese else "latin") if self.file.endswith("tex") else ""

    def each(self, part: str, texts: Sequence[str]) -> str:
        """A part for each text."""
        return self.lines(self.fill(part, text=self.inert(text)) for text in texts)

    def question(self, n: str, exercise: Exercise) -> str:
        question = exercise.question()
        return self.fill(
            "question",
            n=n,
            kind=self.inert(question.title.partition(",")[0]),
            text=self.inert(question.text),
            tables=self.lines(map(self.table, question.tables)),
            blanks=self.lines(self.fill("blank", name=self.inert(x)) for x in question.wanted),
        )

    def answer(self, n: str, exercise: Exercise) -> str:
        question, answer = exercise.question(), exercise.answer()
        results = ", ".join(
            self.fill("result", name=self.inert(name), value=self.inert(value))
            for name, value in zip(question.wanted, answer.values, strict=True)
        )
        return self.fill(
            "answer",
            n=n,
            title=self.inert(question.title),
            lines=self.each("line", answer.lines),
            results=results,
        )

    def table(self, table: TextTable) -> str:
        rows = (self.fill("row", cells=self.row("first", "cell", row)) for row in table.rows)
        return self.fill(
            "table",
            title=self.inert(table.title),
            columns="r" * (len(table.header) - 1),
            head=self.row("corner", "head", table.header),
            rows=self.lines(rows),
        )

    def row(self, first: str, other: str, texts: Sequence[str]) -> str:
        parts = zip([first, *[other] * len(texts)], texts, strict=False)
        return "".join(self.fill(part, text=self.inert(text)) for part, text in parts)


def latex_text(text: str) -> str:
    """Text for LaTeX, its symbols as LaTeX has them."""
    parts = re.split(f"({'|'.join(map(re.escape, _IN_LATEX))})", text)
    return "".join(_IN_LATEX.get(part) or latex.escape(part) for part in parts)
