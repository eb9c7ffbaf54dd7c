"""What is written as LaTeX goes through LaTeX: no error, and nothing beyond the margin."""

import shutil
import subprocess
from pathlib import Path

import pytest

from crf.trace import ALGORITHMS
from pages.shared.course import exercise_sheet, latex
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.exercises import SIZES
from pages.shared.course.homework import Sheet

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        shutil.which("pdflatex") is None,
        reason="no pdflatex found (on Debian: apt-get install texlive-latex-recommended)",
    ),
]


def compiled(text: str, folder: Path) -> str:
    """What pdflatex says of a document that it has made a PDF of."""
    (folder / "x.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "x"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
    said = ran.stdout.decode(errors="replace")
    assert ran.returncode == 0, said[-2000:]
    assert (folder / "x.pdf").stat().st_size > 1000
    return said


@pytest.mark.parametrize(("variant", "size"), list(zip("ABA", SIZES, strict=True)))
def test_a_sheet_with_its_key(tmp_path, variant, size):
    exercises = Sheet(1, size=size).exercises(variant)
    said = compiled(exercise_sheet.sheet(exercises, "A & B, 100 % \\x", form="tex"), tmp_path)
    assert "Overfull" not in said


def test_every_equation_and_table_of_a_lesson(tmp_path):
    problem = EXAMPLES["book"].problem
    lines = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{amsmath}"]
    lines += [
        r"\usepackage{textcomp}",
        r"\begin{document}",
        *latex.problem_tables(problem).values(),
    ]
    for algorithm in ALGORITHMS:
        run = problem.trace(algorithm)
        for space in latex.SPACES:
            lines.append(latex.trace_table(run, space) + r"\par")
            steps = range(len(run.steps))
            lines += [f"${latex.step_equation(run, k, space)}$\\par" for k in steps]
    compiled("\n".join([*lines, r"\end{document}"]), tmp_path)
