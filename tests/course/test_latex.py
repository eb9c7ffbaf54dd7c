"""LaTeX: every number in it is one of the trace's, and no name can do harm."""

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from crf.trace import ALGORITHMS, FORMS
from pages.shared.course import exercise_sheet, latex
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.exercise_sheet import Sheet
from pages.shared.course.exercises import SIZES
from pages.shared.course.latex import escape, number, problem_tables, step_equation, trace_table
from pages.shared.course.problem import Problem

NUMBER = re.compile(r"-?\\infty|-?\d[\d{},]*(?:\.\d+)?(?: \\times 10\^\{-?\d+\})?")


def numbers(text: str) -> list[str]:
    """The numbers of an equation's right side; exponents of e stand in braces of their own."""
    return sorted(x.rstrip("},{") if "times" not in x else x for x in NUMBER.findall(text))


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize(("algorithm", "form"), list(product(ALGORITHMS, FORMS)))
@pytest.mark.parametrize("example", ["no-path", "one-token", "fifty"])
def test_every_number_is_one_of_the_step(example, algorithm, form, space):
    problem = EXAMPLES[example].problem
    run = problem.trace(algorithm, convention=form)
    for index, step in enumerate(run.steps):
        if step.kind == "backtrace":
            continue
        parts = [part for term in step.terms for part in term.parts]
        values = [part.value for part in (*parts, *step.added)]
        if not parts:
            values.append(step.terms[0].log_value)
        elif len(values) > 1:  # one number alone is said once
            values.append(step.log_value)
        right = step_equation(run, index, space).split(" = ", 1)[1]
        assert numbers(right) == sorted(number(value, space) for value in values)


def test_what_an_equation_looks_like():
    problem = Problem(("A",), ("x", "y"), ((1.0,), (2.0,)), ((-1.5,),), (0.5,), (0.0,))
    run = problem.trace()
    cell = r"\log \hat{\alpha}_{2}(\text{A}) = "
    assert step_equation(run, 1) == cell + "1.50 + (-1.50) + 2.00 = 2.00"
    assert step_equation(run, 2, "probability") == r"Z = 7.39 \cdot 1 = 7.39"
    two = problem.add_tag("B").trace()
    several = r"\log \bigl( e^{1.50 + (-1.50)} + e^{0.00 + 0.00} \bigr) + 2.00"
    assert step_equation(two, 2).startswith(cell + several)
    best = problem.add_tag("B").trace("viterbi")
    assert step_equation(best, 2).split(" = ")[0] == r"\delta_{2}(\text{A})"
    assert step_equation(best, 4).startswith(r"\log \max_y \psi(y) = \max \{ ")
    assert step_equation(best, 5) == r"y_{2} = \text{best last tag} = \text{A}"
    assert step_equation(best, 6) == r"y_{1} = \kappa_{2}(\text{A}) = \text{A}"


def test_cells_are_called_as_in_the_lessons():
    for algorithm, form, log, potential in (
        ("forward", "state", r"\log \hat{\alpha}_{1}", r"\hat{\alpha}_{1}"),
        ("forward", "message", r"\log \alpha_{1}", r"\alpha_{1}"),
        ("backward", "state", r"\log \beta_{3}", r"\beta_{3}"),
        ("viterbi", "message", "v_{1}", r"\exp v_{1}"),
        ("viterbi", "pair", r"\delta_{1}", r"\exp \delta_{1}"),
    ):
        run = EXAMPLES["book"].problem.trace(algorithm, convention=form)
        assert step_equation(run, 0).startswith(f"{log}(")
        assert step_equation(run, 0, "probability").startswith(f"{potential}(")


def test_names_are_inert_and_numbers_have_three_digits():
    hostile = "\\input{/x}$%&#_^~|<>\"'`-a"
    problem = Problem.blank([hostile[:20]], [hostile[:24]])
    run = problem.trace()
    for text in (step_equation(run, 0), trace_table(run), *problem_tables(problem).values()):
        assert r"\input" not in text
        assert r"\textbackslash{}input\{/x\}\$\%\&\#\_\textasciicircum{}" in text
    assert escape("a--b?`") == r"a{-}{-}b?\textasciigrave{}"
    assert number(8.5, "probability") == "4{,}915"
    assert number(-2000.0, "probability") == r"2.58 \times 10^{-869}"


def test_tables_hold_the_traces_numbers():
    problem = EXAMPLES["book"].problem
    for form in FORMS:
        run = problem.trace(convention=form)
        lines = trace_table(run).splitlines()
        head = lines[1].removesuffix(r" \\").split(" & ")[1:]
        assert head == list(run.tokens[1:] if form == "message" else run.tokens)
        for s, line in enumerate(lines[3:-1]):
            label, *cells = line.removesuffix(r" \\").split(" & ")
            assert label == run.tags[s]
            assert cells == [f"${number(column[s])}$" for column in run.table]
    assert list(problem_tables(problem)) == ["emissions", "transitions", "start and end"]
    steps = problem_tables(problem.per_step_form())
    assert "transitions, step 2" in steps
    assert "-\\infty" in problem_tables(EXAMPLES["no-path"].problem)["transitions"]


LATEX = pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no pdflatex found (on Debian: apt-get install texlive-latex-recommended)",
)


def compiled(text: str, folder: Path) -> str:
    """What pdflatex says of a document that it has made a PDF of."""
    (folder / "x.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "x"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
    said = ran.stdout.decode(errors="replace")
    assert ran.returncode == 0, said[-2000:]
    assert (folder / "x.pdf").stat().st_size > 1000
    return said


@LATEX
@pytest.mark.thorough
@pytest.mark.parametrize(("variant", "size"), list(zip("ABA", SIZES, strict=True)))
def test_a_sheet_with_its_key_compiles(tmp_path, variant, size):
    exercises = Sheet(1, size=size).exercises(variant)
    said = compiled(exercise_sheet.sheet(exercises, "A & B, 100 % \\x", form="tex"), tmp_path)
    assert "Overfull" not in said


@LATEX
@pytest.mark.thorough
def test_every_equation_and_table_of_a_lesson_compiles(tmp_path):
    problem = EXAMPLES["book"].problem
    packages = "[T1]{fontenc}", "{amsmath}", "{textcomp}"
    lines = [r"\documentclass{article}", *(rf"\usepackage{name}" for name in packages)]
    lines += [r"\begin{document}", *latex.problem_tables(problem).values()]
    for algorithm in ALGORITHMS:
        run = problem.trace(algorithm)
        for space in latex.SPACES:
            lines.append(latex.trace_table(run, space) + r"\par")
            steps = range(len(run.steps))
            lines += [f"${latex.step_equation(run, k, space)}$\\par" for k in steps]
    compiled("\n".join([*lines, r"\end{document}"]), tmp_path)
