"""The lesson's tables to take away: the run, and the gradient of one sentence."""

from pages.learning import corpus_section, sentence_section
from pages.learning.one_sentence import Ascent
from pages.shared.figures.tables import Rows
from pages.shared.ui.exports import Table
from pages.shared.ui.lesson import Lesson


def every(lesson: Lesson) -> dict[str, Table]:
    """Tables by name; what cannot be computed is left out."""
    trained = corpus_section.the_run()
    found = {} if trained is None else {"Training run": Table.of_frame(trained.record)}
    if lesson.summary.feasible:
        try:
            run = sentence_section.ascent(lesson)
        except ValueError:
            return found
        n = sentence_section.STEPS.value
        found["Gradient"] = Table.of(lambda: gradient(run, n))
    return found


def gradient(run: Ascent, n: int) -> Rows:
    """Observed, expected and gradient of every score after n steps."""
    tags, words = run.problem.tags, run.words
    rows: list[list[str | float]] = [["score", "observed", "expected", "gradient"]]
    observed, expected = run.observed, run.expected
    matrix, mean = observed.transitions, expected.transitions[n]
    if matrix.dim() == 3:
        matrix, mean = matrix.sum(0), mean.sum(0)
    tables = (
        ("w", words, tags, observed.words, expected.words[n]),
        ("T", tags, tags, matrix, mean),
        ("start", ("",), tags, observed.start[None], expected.start[n][None]),
        ("end", ("",), tags, observed.end[None], expected.end[n][None]),
    )
    for name, lines, columns, seen, expects in tables:
        for i, line in enumerate(lines):
            for j, column in enumerate(columns):
                place = f"{line}, {column}" if line else column
                a, b = seen[i, j].item(), expects[i, j].item()
                rows.append([f"{name}[{place}]", a, b, a - b])
    return rows
