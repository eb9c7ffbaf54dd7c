"""Lesson: the forward recursion, which adds up all paths without listing them, and log Z."""

from pages.forward import sections
from pages.shared.figures.theme import count
from pages.shared.ui import practice, recursion

lesson = recursion.open_lesson("forward", own=lambda _: practice.query())
picture, text = lesson.split()

with picture:
    recursion.stepper(lesson, recursion.forwards, counts=True)

recursion.end_if_bare(lesson)
with text:
    recursion.opening(
        lesson,
        {"": "idea", "message": "idea-message", "pair": "idea-pair", "max": "idea-max"},
        paths=count(len(lesson.problem.tags) ** len(lesson.problem.tokens)),
    )
    recursion.formula(lesson)
    lesson.say("colours")
    if recursion.is_hatted(lesson):
        lesson.say("hat")
    if not lesson.summary.feasible:
        lesson.say("none")
    if recursion.tells_steps(lesson):
        lesson.say("step")
        recursion.this_step(lesson)
    sections.cheap(lesson)
    lesson.say("loss")
    sections.try_it(lesson)
    with lesson.fold(key="growth") as is_open:
        if is_open:
            sections.growth(lesson)
    with lesson.fold(key="fill") as is_open:
        if is_open:
            recursion.exercise(lesson, "fill")
    with lesson.fold(key="practice", expanded=bool(practice.query())) as is_open:
        if is_open:
            recursion.exercise(lesson, "practice")
    if lesson.shows_everything("variants", "whole", asked=not recursion.is_usual(lesson)):
        with lesson.fold(
            key="variants",
            expanded=not recursion.is_usual(lesson),
        ) as is_open:
            if is_open:
                recursion.switches(lesson)
                sections.conventions(lesson)
        recursion.whole(lesson)

recursion.foot(lesson, sections.export_tables(lesson))
lesson.close()
