"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from pages.shared.ui.lesson import Lesson
from pages.stability import closing, forbidden, growing, own_scores, step

lesson = Lesson.open("stability", controls=closing.CONTROLS)
lesson.bar()
growing.growing(lesson)
own_scores.one_sum(lesson)
forbidden.stand_in(lesson)
lesson.say("short")
closing.check_yourself(lesson.view)
with lesson.fold("What each format holds") as is_open:
    if is_open:
        own_scores.what_formats_hold(lesson)
with lesson.fold("The error, token by token; inside a step") as is_open:
    if is_open:
        growing.closer(lesson)
with lesson.fold("Where scaling loses the winner") as is_open:
    if is_open:
        growing.two_paths(lesson)
with lesson.fold("Two at a time: log-add") as is_open:
    if is_open:
        own_scores.two_at_a_time(lesson)
with lesson.fold("−10000 and −∞: the gradient, and a row of −∞ only") as is_open:
    if is_open:
        forbidden.gradients(lesson)
        forbidden.nothing_but_forbidden(lesson)
lesson.foot(
    closing.tables(lesson.problem),
    code="logsumexp",
    at=(step.token(), growing.length(lesson.problem)),
)
lesson.close()
