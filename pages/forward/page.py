"""Lesson: the forward recursion, which adds up all paths without listing them, and log Z."""

from pages.forward import sections
from pages.shared.figures.theme import count
from pages.shared.ui import frame, practice, recursion
from pages.shared.ui.options import CONVENTION

lesson = recursion.open_lesson("forward", own=lambda _: practice.query())
picture, text = lesson.split()

with picture:
    recursion.stepper(lesson, recursion.forwards, counts=True)

recursion.end_if_bare(lesson)
with text:
    with frame.passage():
        recursion.opening(
            lesson,
            {"": "idea", "message": "idea-message", "pair": "idea-pair", "max": "idea-max"},
            paths=count(len(lesson.problem.tags) ** len(lesson.problem.tokens)),
        )
        recursion.formula(lesson)
        lesson.say("colours")
        if CONVENTION.value == "state" and lesson.semiring == "sum":
            lesson.say("hat")
        if not lesson.summary.feasible:
            lesson.say("none")
        recursion.this_step(lesson)
        sections.cheap(lesson)
        lesson.say("loss")
    sections.try_it(lesson)
    lesson.folds([("growth", "", sections.growth)])
    recursion.exercises(lesson)
    if lesson.shows_everything("variants", "whole", asked=not recursion.is_usual(lesson)):
        recursion.variants(lesson, lambda: sections.conventions(lesson))
        recursion.whole(lesson)

recursion.foot(lesson, sections.export_tables(lesson))
lesson.close()
