"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from pages.shared.ui.lesson import Lesson
from pages.stability import closing, forbidden, growing, own_scores

FIRST = (
    ("error", "", growing.closer),
    ("winner", "", growing.two_paths),
    ("formats", "", own_scores.what_formats_hold),
)
FURTHER = (
    ("log-add", "", own_scores.two_at_a_time),
    ("gradient", "", forbidden.gradients),
    ("empty", "", forbidden.nothing_but_forbidden),
)

lesson = Lesson.open("stability", controls=closing.CONTROLS)
lesson.bar()
growing.growing(lesson)
own_scores.one_sum(lesson)
forbidden.stand_in(lesson)
lesson.say("short")
closing.check_yourself(lesson.view)
lesson.folds(FIRST)
if lesson.shows_everything(*(key for key, _, _ in FURTHER)):
    lesson.folds(FURTHER)
at = (growing.token(lesson), growing.length(lesson.problem))
lesson.foot(closing.tables(lesson.problem), code="logsumexp", at=at)
lesson.close()
