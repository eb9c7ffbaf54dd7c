"""Lesson: what the recursion costs, and how time can be parallelised by bracketing a product."""

from crf import recursions, scan
from pages.cost import sections, spaces
from pages.cost.controls import CONTROLS
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open("cost", controls=CONTROLS)
lesson.bar()
sections.growing(lesson)
sections.tree(lesson)
sections.crossing(lesson)
sections.two_spaces(lesson)
sections.check(lesson)
lesson.foot(
    sections.export_tables(lesson),
    code=(
        ("The product of two matrices in a semiring", scan.multiply),
        ("The matrix of each word", scan.step_matrices),
        ("The scan", scan.scan),
        ("The recursion", recursions.forward),
        ("A step in scaled space", spaces.scaled_step),
    ),
)
lesson.close()
