"""Lesson: what the recursion costs, and how time can be parallelised by bracketing a product."""

from pages.cost import sections
from pages.shared.ui.lesson import Lesson

lesson = Lesson.open("cost", controls=sections.CONTROLS)
lesson.bar()
sections.growing(lesson)
sections.tree(lesson)
sections.crossing(lesson)
sections.two_spaces(lesson)
sections.check(lesson)
lesson.foot(sections.exports(lesson), code="by_matrices")
lesson.close()
