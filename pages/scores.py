"""Lesson: the score of one path, term by term, and what it says of the path's probability."""

from pages.ui import lesson, problem_bar

view = lesson.begin("Scores of a path", "How well does one tag sequence fit, and how probable is it?")
problem = problem_bar.show(view)
lesson.publish({}, {})
