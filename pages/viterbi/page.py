"""Lesson: Viterbi, the best path, by the same recursion with max in the place of the sum."""

from functools import partial

from pages.shared.ui import frame, practice, recursion
from pages.viterbi import sections

lesson = recursion.open_lesson(
    "viterbi",
    controls=(sections.OVERLAY, sections.MOST, sections.TAU),
    own=lambda _: practice.query(),
)
picture, text = lesson.split()

with picture:
    overlays = partial(sections.overlays, sections.OVERLAY.value)
    recursion.stepper(lesson, recursion.forwards, paths=overlays)

recursion.end_if_bare(lesson)
with text:
    with frame.passage():
        recursion.opening(lesson, {"": "idea", "message": "idea-message", "sum": "idea-sum"})
        recursion.formula(lesson)
        lesson.say("colours")
        recursion.this_step(lesson)
        if lesson.summary.feasible:
            sections.flips(lesson)
        else:
            lesson.say("no-decoders")
    if lesson.summary.feasible:
        sections.decoders_compared(lesson)
        lesson.say("score")
    recursion.exercises(lesson)
    if lesson.shows_everything(
        "variants", "derive", "pointers", "whole", "best", "flips",
        asked=not recursion.is_usual(lesson),
    ):  # fmt: skip
        if lesson.summary.feasible:
            sections.changes_of_mind(lesson)
            lesson.folds([("best", "", sections.k_best)])
        recursion.variants(lesson, lambda: lesson.say("variants"))
        recursion.whole(lesson)
        if lesson.summary.feasible:
            lesson.folds([("derive", "", sections.derived)])
            if len(lesson.problem.tokens) > 1:  # the first token has no backpointers
                lesson.folds([("pointers", "", sections.pointers)])

if lesson.summary.feasible:
    sections.temperature(lesson)
recursion.foot(lesson, sections.export_tables(lesson))
lesson.close()
