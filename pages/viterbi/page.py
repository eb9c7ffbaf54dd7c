"""Lesson: Viterbi, the best path, by the same recursion with max in the place of the sum."""

from functools import partial

from pages.shared.ui import practice, recursion
from pages.viterbi import sections, temperature

lesson = recursion.open_lesson(
    "viterbi",
    controls=(sections.OVERLAY, sections.MOST, temperature.TAU),
    own=lambda _: practice.query(),
)
picture, text = lesson.split()

with picture:
    overlays = partial(sections.overlays, sections.OVERLAY.value)
    recursion.stepper(lesson, recursion.forwards, paths=overlays)

recursion.end_if_bare(lesson)
with text:
    recursion.opening(lesson, {"": "idea", "message": "idea-message", "sum": "idea-sum"})
    recursion.formula(lesson)
    lesson.say("colours")
    if recursion.tells_steps(lesson):
        lesson.say("step")
        recursion.this_step(lesson)
    if lesson.summary.feasible:
        sections.flips(lesson)
        sections.decoders_compared(lesson)
        lesson.say("score")
    else:
        lesson.say("no-decoders")
    with lesson.fold(key="fill") as is_open:
        if is_open:
            recursion.exercise(lesson, "fill")
    with lesson.fold(key="practice", expanded=bool(practice.query())) as is_open:
        if is_open:
            recursion.exercise(lesson, "practice")
    if lesson.shows_everything(
        "variants", "derive", "pointers", "whole", "best", "flips",
        asked=not recursion.is_usual(lesson),
    ):  # fmt: skip
        if lesson.summary.feasible:
            sections.changes_of_mind(lesson)
            with lesson.fold(key="best") as is_open:
                if is_open:
                    sections.k_best(lesson)
        with lesson.fold(
            key="variants",
            expanded=not recursion.is_usual(lesson),
        ) as is_open:
            if is_open:
                recursion.switches(lesson)
                lesson.say("variants")
        recursion.whole(lesson)
        if lesson.summary.feasible:
            with lesson.fold(key="derive") as is_open:
                if is_open:
                    sections.derived(lesson)
        has_pointers = lesson.summary.feasible and len(lesson.problem.tokens) > 1
        if has_pointers:  # the first token has none
            with lesson.fold(key="pointers") as is_open:
                if is_open:
                    sections.pointers(lesson)
                    if lesson.semiring == "max":
                        sections.without_pointers(lesson)

if lesson.summary.feasible:
    temperature.section(lesson)
recursion.foot(lesson, sections.export_tables(lesson))
lesson.close()
