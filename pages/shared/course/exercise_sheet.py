"""Exercises on paper: the questions, and the key on a page of its own; as HTML and as LaTeX."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pages.shared.course import latex
from pages.shared.course.direction import escape
from pages.shared.course.exercises import Exercise, Question, TextTable
from pages.shared.course.problem_checks import clean_name, refuse

MOST = 20  # exercises on a sheet

_STYLE = """
body { font: 11pt/1.5 Georgia, serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem;
       color: #111; background: #fff; }
h1 { font-size: 18pt; } h2 { font-size: 12.5pt; margin: 1.6rem 0 .3rem; }
.tables { display: flex; flex-wrap: wrap; gap: 0 1.6rem; align-items: flex-start; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; white-space: nowrap; font-size: 9.5pt; color: #444; }
th, td { border: 1px solid #767676; padding: .15rem .6rem; text-align: right; }
.blank { display: inline-block; min-width: 5rem; border-bottom: 1px solid #111; }
.wanted { margin: .5rem 0 0; padding: 0; list-style: none; }
.wanted li { display: inline-block; margin-right: 2rem; }
.line { margin: .1rem 0; font-family: ui-monospace, monospace; font-size: 9pt; }
.foot { font-size: .75rem; color: #555; }
section { break-inside: avoid; } .key { break-before: page; }
"""


class ProgrammingTask(NamedTuple):
    """Functions to write, at the end of a sheet."""

    title: str  # such as "Implement forward"
    text: str  # what is to be done
    commands: tuple[str, ...]  # that write the file and check it
    code: str  # the file to fill in


def sheet(
    exercises: Sequence[Exercise],
    title: str = "Linear-chain CRFs: exercises",
    task: ProgrammingTask | None = None,
) -> str:
    """The exercises as a document to print; its text is inert whatever the title is.

    Args:
        exercises: 1 to `MOST` exercises.
        title: The heading.
        task: Stands after them.

    Raises:
        ProblemError: There are too few or too many exercises.
    """
    name, numbered = _titled(exercises, title)
    heading = escape(name)
    questions = "".join(_question(n, exercise.question()) for n, exercise in numbered)
    if task:
        commands = "".join(f'<p class="line">{escape(line)}</p>' for line in task.commands)
        questions += (
            f"<section><h2>{len(numbered) + 1}. {escape(task.title)}</h2><p>{escape(task.text)}</p>"
            f'{commands}<pre class="line">{escape(task.code)}</pre></section>\n'
        )
    answers = "".join(_answer(n, exercise) for n, exercise in numbered)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{heading}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        f'<h1>{heading}</h1>\n{questions}\n<p class="foot">{escape(_foot(numbered))}</p>\n'
        f'<div class="key"><h1>Answers</h1>\n{answers}</div>\n</main></body>\n</html>\n'
    )


def _kind(question: Question) -> str:
    """Return the heading that a student reads: without the size and the number."""
    return question.title.partition(",")[0]


def _foot(numbered: Sequence[tuple[int, Exercise]]) -> str:
    """Return where each exercise is had again."""
    return "; ".join(f"{n}. {exercise.question().title}" for n, exercise in numbered) + "."


def _question(n: int, question: Question) -> str:
    blanks = "".join(
        f'<li>{escape(name)} = <span class="blank">&nbsp;</span></li>' for name in question.wanted
    )
    tables = "".join(map(_table, question.tables))
    return (
        f"<section><h2>{n}. {escape(_kind(question))}</h2><p>{escape(question.text)}</p>"
        f'<div class="tables">{tables}</div><ul class="wanted">{blanks}</ul></section>\n'
    )


def _answer(n: int, exercise: Exercise) -> str:
    question, answer = exercise.question(), exercise.answer()
    lines = "".join(f'<p class="line">{escape(line)}</p>' for line in answer.lines)
    results = ", ".join(
        f"{escape(name)} = <b>{escape(value)}</b>"
        for name, value in zip(question.wanted, answer.values, strict=True)
    )
    return f"<section><h2>{n}. {escape(question.title)}</h2>{lines}<p>{results}</p></section>\n"


def _table(table: TextTable) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return (
        f"<table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _titled(exercises: Sequence[Exercise], title: str) -> tuple[str, list[tuple[int, Exercise]]]:
    """The heading as a text without what cannot be printed, and the exercises with their numbers.

    Raises:
        ProblemError: There are too few or too many exercises.
    """
    if not 1 <= len(exercises) <= MOST:
        raise refuse("exercises", f"1 to {MOST}", str(len(exercises)), "make several sheets")
    return " ".join(map(clean_name, title.split())), list(enumerate(exercises, start=1))


# ---------------------------------------------------------------------- LaTeX

_IN_LATEX = {
    "log α̂": r"$\log\hat{\alpha}$", "log β": r"$\log\beta$", "δ": r"$\delta$", "−": "$-$",
    "∞": r"$\infty$", "’": "'", "–": "--", "×": r"$\times$", "·": r"$\cdot$",
}  # fmt: skip


def sheet_latex(
    exercises: Sequence[Exercise],
    title: str = "Linear-chain CRFs: exercises",
    task: ProgrammingTask | None = None,
) -> str:
    """The exercises as a LaTeX document of their own, the key on a page of its own.

    Args:
        exercises: 1 to `MOST` exercises.
        title: The heading.
        task: Stands after them, without its code, which its first command writes.

    Raises:
        ProblemError: There are too few or too many exercises.
    """
    name, numbered = _titled(exercises, title)
    heading = _latex(name)
    lines = [
        r"\documentclass[11pt]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{textcomp}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\setlength{\parindent}{0pt}",
        r"\newcommand{\blank}{\underline{\hspace{5em}}}",
        r"\renewcommand{\arraystretch}{1.15}",
        r"\newcommand{\room}{\rule{0pt}{2.7ex}}  % between a line and the numbers under it",
        r"\begin{document}",
        rf"\section*{{{heading}}}",
        r"Name: \underline{\hspace{16em}}\par\vspace{2ex}",
        r"\raggedright",
    ]
    for n, exercise in numbered:
        lines += _latex_question(n, exercise.question())
    if task:
        lines.append(rf"\subsection*{{{len(numbered) + 1}. {_latex(task.title)}}}")
        lines.append(_latex(task.text) + r"\par\smallskip")
        lines += [rf"\texttt{{{_latex(line)}}}\par" for line in task.commands]
    lines += [rf"{{\footnotesize {_latex(_foot(numbered))}}}", r"\clearpage", r"\section*{Answers}"]
    for n, exercise in numbered:
        lines += _latex_answer(n, exercise)
    return "\n".join([*lines, r"\end{document}", ""])


def _latex_question(n: int, question: Question) -> list[str]:
    tables = [line for table in question.tables for line in _latex_table(table)]
    blanks = r"\qquad ".join(rf"\mbox{{{_latex(name)} = \blank}}" for name in question.wanted)
    return [
        r"\begin{minipage}{\linewidth}\raggedright  % stays on one page",
        rf"\subsection*{{{n}. {_latex(_kind(question))}}}",
        _latex(question.text) + r"\par\smallskip",
        *tables,
        r"\par\medskip",
        blanks,
        r"\end{minipage}\par\vspace{4ex}",
    ]


def _latex_answer(n: int, exercise: Exercise) -> list[str]:
    question, answer = exercise.question(), exercise.answer()
    results = ", ".join(
        rf"{_latex(name)} = \textbf{{{_latex(value)}}}"
        for name, value in zip(question.wanted, answer.values, strict=True)
    )
    worked = [rf"{{\small {_latex(line)}\par}}" for line in answer.lines]
    return [rf"\subsection*{{{n}. {_latex(question.title)}}}", *worked, r"\smallskip", results]


def _latex_table(table: TextTable) -> list[str]:
    """A table in a table: the title above must not widen the columns."""
    rows = [" & ".join(map(_latex, row)) + r" \\" for row in table.rows]
    return [
        rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{{\small {_latex(table.title)}}} \\",
        rf"\begin{{tabular}}[t]{{@{{}}l{'r' * (len(table.header) - 1)}@{{}}}}",
        " & ".join(map(_latex, table.header)) + r" \\ \hline \room",
        *rows,
        r"\end{tabular}\end{tabular}\qquad",
    ]


def _latex(text: str) -> str:
    """Text for LaTeX, its symbols as LaTeX has them."""
    parts = re.split(f"({'|'.join(map(re.escape, _IN_LATEX))})", text)
    return "".join(_IN_LATEX.get(part) or latex.escape(part) for part in parts)
