"""Lesson: numerical stability, or why one computes with logarithms of probabilities."""

from pages.shared.ui.lesson import Lesson
from pages.stability import closing, forbidden, growing, own_scores, step

FIRST = (
    ("error", "Where does the error come from?", growing.closer),
    ("winner", "Where does scaling lose the winner?", growing.two_paths),
)
FURTHER = (
    ("formats", "What does each format hold?", own_scores.what_formats_hold),
    ("log-add", "How does one add two at a time?", own_scores.two_at_a_time),
    ("gradient", "What do −10000 and −∞ do to the gradient?", forbidden.gradients),
    ("empty", "What comes of a row of −∞ only?", forbidden.nothing_but_forbidden),
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
lesson.foot(
    closing.tables(lesson.problem),
    code="logsumexp",
    at=(step.token(), growing.length(lesson.problem)),
)
lesson.close()
